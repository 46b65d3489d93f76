// Places on surfaces that points move, not a link (frozen_contact.h): the point that stands for
// one, what its inertia is, and how it moves at the start of the step.
#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/frozen_contact.h"
#include "haptos/system/point_velocity.h"

namespace haptos {

using internal::jacobian_entry;

namespace {

// w += weight (J_p diag(M)^-1 J_q^T) of two points of one block, and its transpose for two of them.
void add_delassus_of(const Points& points, int p, int q, double weight, const double* inverse_mass,
                     Mat3d& w) {
  for (int r = 0; r < 3; ++r)
    for (int s = 0; s < 3; ++s) {
      double sum = 0;
      for (int c = 0; c < points.columns(p); ++c)
        sum += jacobian_entry(points, p, r, c) * jacobian_entry(points, q, s, c) * inverse_mass[c];
      w(r, s) += weight * sum;
      if (p != q) w(s, r) += weight * sum;
    }
}

}  // namespace

int FrozenContact::place_point(const StepContext& context, const FrozenSurface& surface,
                               const SamplePlace& place, Mat3d& delassus, Vec3d& start) const {
  Points& points = *context.points;
  start = Vec3d::zero();
  for (int k = 0; k < place.count; ++k) {
    const auto& [p, weight] = place.part[k];
    if (points.driven(p)) {
      start += weight * points.u[at_index(p)];
      continue;
    }
    const int first = context.pattern->offset(points.block(p));
    for (int l = 0; l <= k; ++l)
      if (const auto& [q, other] = place.part[l]; points.block(q) == points.block(p))
        add_delassus_of(points, p, q, weight * other, inverse_mass_ + first, delassus);
    if (context.z) start += weight * internal::velocity(points, *context.pattern, p, *context.z);
  }
  if (place.count == 1 && place.part[0].weight == 1) return place.part[0].point;
  return points.add_sum(surface.body, surface.env, place.part, place.count);
}

// For the record: the points that a place is made of, where they are no more than a triangle's.
WeightedPoint FrozenContact::material_point(const Points& points, int p) {
  if (!points.is_sum(p) || points.part_count(p) > 3) return single(p);
  WeightedPoint w;
  w.count = points.part_count(p);
  for (int k = 0; k < w.count; ++k) {
    w.point[k] = points.parts(p)[k].point;
    w.weight[k] = points.parts(p)[k].weight;
  }
  return w;
}

// Whatever moves the two points of a contact, with each other and on each side.
void FrozenContact::couple(const Candidate& c, const Points& points,
                           std::vector<std::array<int, 2>>& out) {
  const auto pairs = [&](int p, int q) {
    if (p < 0 || q < 0) return;
    points.each_block(p, [&](int i) {
      points.each_block(q, [&](int j) {
        if (i != j) out.push_back({i, j});
      });
    });
  };
  pairs(c.point[0], c.point[1]);
  for (int k = 0; k < 2; ++k)
    if (const int p = c.point[k]; p >= 0 && points.is_sum(p) && !c.coupled[k]) pairs(p, p);
}

}  // namespace haptos
