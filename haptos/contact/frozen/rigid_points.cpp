#include "haptos/contact/frozen/rigid_points.h"

#include "haptos/base/math/index.h"

namespace haptos {

// Each as far as may be from those before: from a point, a line, a plane.
RigidPoints::RigidPoints(const std::vector<int>& points, const std::vector<Vec3d>& local) {
  if (points.size() < 4) return;
  std::size_t chosen[4] = {0, 0, 0, 0};
  double least = 0;
  for (int k = 1; k < 4; ++k) {
    double farthest = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Vec3d d = local[i] - local[chosen[0]];
      double far = norm(d);
      const Vec3d e = local[chosen[1]] - local[chosen[0]];
      if (k == 2) far = norm(cross(e, d)) / norm(e);
      if (k == 3) {
        const Vec3d n = normalized(cross(e, local[chosen[2]] - local[chosen[0]]));
        far = dot(n, d) < 0 ? -dot(n, d) : dot(n, d);
      }
      if (far > farthest) farthest = far, chosen[k] = i;
    }
    if (k == 1) least = 1e-6 * farthest;
    if (!(farthest > least)) return;
  }
  for (int k = 0; k < 4; ++k) point_[k] = points[chosen[k]], local_[k] = local[chosen[k]];
  inverse_ = inverse(columns(local_[1] - local_[0], local_[2] - local_[0], local_[3] - local_[0]));
  valid_ = true;
}

Pose RigidPoints::pose(const std::vector<Vec3d>& x) const {
  const auto at = [&](int k) { return x[at_index(point_[k])]; };
  const Mat3d a = columns(at(1) - at(0), at(2) - at(0), at(3) - at(0)) * inverse_;
  const Vec3d i = normalized(column(a, 0));
  const Vec3d j = normalized(column(a, 1) - dot(column(a, 1), i) * i);
  const Mat3d r = columns(i, j, cross(i, j));
  return {at(0) - r * local_[0], quaternion(r)};
}

std::array<Points::Part, 4> RigidPoints::parts(const Vec3d& local) const {
  const Vec3d w = inverse_ * (local - local_[0]);
  return {{{point_[0], 1 - w[0] - w[1] - w[2]},
           {point_[1], w[0]},
           {point_[2], w[1]},
           {point_[3], w[2]}}};
}

}  // namespace haptos
