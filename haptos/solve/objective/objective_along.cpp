// Slope and curvature of the objective along a direction, without a matrix (objective.h).
#include "haptos/base/math/index.h"
#include "haptos/base/stage_clock.h"
#include "haptos/solve/objective/block_products.h"
#include "haptos/solve/objective/objective.h"
#include "haptos/system/block_room.h"
#include "haptos/system/point_velocity.h"

namespace haptos {

using internal::kSmallBlock;
using internal::multiply;
using internal::thread_room;
using internal::velocity;

void Objective::set_off(const std::vector<double>& dz) {
  Ray& r = ray_;
  r.z = z_;
  r.u = points_->u;
  r.dz = &dz;
  du_.resize(at_index(points_->size()));
  for (int p = 0; p < points_->size(); ++p)
    du_[at_index(p)] = points_->driven(p)   ? Vec3d::zero()
                       : points_->is_sum(p) ? points_->sum_of(p, du_)
                                            : velocity(*points_, *pattern_, p, dz);
  r.slope = r.curvature = 0;
  double few[kSmallBlock];
  for (int b = 0; b < pattern_->block_count(); ++b) {
    const int n = pattern_->size(b);
    double* g = n <= kSmallBlock ? few : thread_room<3>(at_index(n));
    const auto o = at_index(pattern_->offset(b));
    multiply(inertia_.mass.data() + mass_offset_[at_index(b)], n, dz.data() + o, g);
    for (std::size_t i = 0; i < at_index(n); ++i) {
      r.slope = fma(g[i], z_[o + i] - inertia_.z_free[o + i], r.slope);
      r.curvature = fma(g[i], dz[o + i], r.curvature);
    }
  }
}

Objective::Along Objective::along(double a) {
  const StageTimer timer(Stage::kTrial);
  const std::vector<double>& dz = *ray_.dz;
  for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = fma(a, dz[i], ray_.z[i]);
  Points& pts = *points_;
  for (int p = 0; p < pts.size(); ++p) {
    if (pts.driven(p)) continue;
    const auto i = at_index(p);
    pts.u[i] = ray_.u[i] + a * du_[i];
    pts.x[i] = pts.is_sum(p) ? pts.sum_of(p, pts.x) : pts.x_base[i] + context_.b * pts.u[i];
  }
  for (Term* t : terms_) t->refresh(pts, Sampling::kAnew);
  assembly_.begin_along(pts, dz, du_);
  Evaluation e;
  e.points = points_;
  e.z = &z_;
  e.assembly = &assembly_;
  for (Term* t : terms_) {
    set_factors(*t);
    t->evaluate(e);
  }
  return {ray_.slope + a * ray_.curvature + assembly_.slope(),
          ray_.curvature + assembly_.curvature()};
}

}  // namespace haptos
