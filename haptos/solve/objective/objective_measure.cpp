// What a trial point of an objective leaves, in newtons and metres per second.
#include <algorithm>
#include <cmath>
#include <limits>

#include "haptos/base/math/index.h"
#include "haptos/solve/objective/block_products.h"
#include "haptos/solve/objective/objective.h"
#include "haptos/system/block_room.h"
#include "haptos/system/point_velocity.h"

namespace haptos {

using internal::multiply;
using internal::velocity;

double Objective::residual() const {
  double s = 0;
  const std::vector<double>& g = assembly_.gradient();
  for (std::size_t i = 0; i < g.size(); ++i)
    if (!fixed_[i]) s += std::abs(g[i] / inertia_.length[i]);
  return s / context_.b;
}

double Objective::reach() const {
  double r = 0;
  for (const Vec3d& x : points_->x)
    for (int k = 0; k < 3; ++k) r = std::max(r, std::abs(x[k]));
  return r;
}

double Objective::energy_noise() const {
  return std::numeric_limits<double>::epsilon() * reach() * load();
}

double Objective::round_off() const {
  double noise = 0;
  const double far = reach();
  const BlockMatrix& a = assembly_.matrix();
  for (int b = 0; b < pattern_->block_count(); ++b) {
    const int n = pattern_->size(b), o = pattern_->offset(b);
    const double* d = a.entry(pattern_->diagonal(b));
    for (int i = 0; i < n; ++i) {
      const double length = inertia_.length[at_index(o + i)];
      // A translation is rounded by the farthest point, an angle by a radian.
      if (!fixed_[at_index(o + i)]) noise += d[i * n + i] / length * (length == 1.0 ? far : 1.0);
    }
  }
  return std::numeric_limits<double>::epsilon() * noise / (context_.b * context_.b);
}

// The same in the whole step: what moves on what is past moves on what is free as well.
void Objective::find_applied() {
  applied_ = 0;
  double few[2 * internal::kSmallBlock];
  for (int b = 0; b < pattern_->block_count(); ++b) {
    const int n = pattern_->size(b);
    double* d = n <= internal::kSmallBlock ? few : internal::thread_room<4>(at_index(2 * n));
    double* f = d + n;
    const auto o = at_index(pattern_->offset(b));
    for (std::size_t i = 0; i < at_index(n); ++i)
      d[i] = inertia_.z_free[o + i] - inertia_.z_past[o + i];
    multiply(inertia_.mass.data() + mass_offset_[at_index(b)], n, d, f);
    for (std::size_t i = 0; i < at_index(n); ++i)
      applied_ += std::abs(f[i]) / inertia_.length[o + i];
  }
}

double Objective::load() const {
  double reaction = 0, carried = 0;
  for (int p = 0; p < points_->size(); ++p)
    if (points_->driven(p)) reaction += norm(assembly_.point_gradient()[at_index(p)]);
  for (const Term* t : terms_) carried += t->report().load;
  return std::max({applied_ / context_.b, reaction / context_.b, carried});
}

double Objective::smallest_gap() const {
  double g = 1e300;
  for (const Term* t : terms_) g = std::min(g, t->report().smallest_gap);
  return g;
}

Vec3d Objective::velocity_of(int point, const std::vector<double>& z) const {
  return velocity(*points_, *pattern_, point, z);
}

double Objective::largest_speed(const std::vector<double>& dz) const {
  double s = 0;
  for (int p = 0; p < points_->size(); ++p)
    if (!points_->driven(p) && !points_->is_sum(p))
      s = std::max(s, squared_norm(velocity(*points_, *pattern_, p, dz)));
  // Blocks without points (joints) count by their own rates.
  for (int b = 0; b < pattern_->block_count(); ++b)
    for (int i = pattern_->offset(b); i < pattern_->offset(b + 1); ++i)
      s = std::max(s, square(dz[at_index(i)] * inertia_.length[at_index(i)]));
  return sqrt(s);
}

}  // namespace haptos
