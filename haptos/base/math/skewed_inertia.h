// Inertias that are not symmetric: what a motion of the body makes of them in the middle of a step
// (bodies/tree/tree_drift.h).
#pragma once

#include "haptos/base/math/spatial.h"

namespace haptos {

/// Inertia of a body against accelerations, not symmetric: (moment, force) <- (angular, linear).
struct SkewedInertia {
  Mat3d angular, to_moment, to_force, linear;
};

// m [r]x and [r]x m.
inline Mat3d times_skew(const Mat3d& m, const Vec3d& r) {
  Mat3d s;
  for (int k = 0; k < 3; ++k) {
    s(k, 0) = m(k, 1) * r[2] - m(k, 2) * r[1];
    s(k, 1) = m(k, 2) * r[0] - m(k, 0) * r[2];
    s(k, 2) = m(k, 0) * r[1] - m(k, 1) * r[0];
  }
  return s;
}
inline Mat3d skew_times(const Vec3d& r, const Mat3d& m) {
  Mat3d s;
  for (int k = 0; k < 3; ++k) {
    s(0, k) = r[1] * m(2, k) - r[2] * m(1, k);
    s(1, k) = r[2] * m(0, k) - r[0] * m(2, k);
    s(2, k) = r[0] * m(1, k) - r[1] * m(0, k);
  }
  return s;
}

// I + s [p x]: what a motion of the body makes of its inertia and of momentum p that turns with it.
inline SkewedInertia skewed(const SpatialInertia<double>& i, double s,
                            const SpatialForce<double>& p) {
  SkewedInertia k;
  const Mat3d c = skew<double>(i.first), f = skew<double>(s * p.force);
  k.angular = full(i.about_point) - skew<double>(s * p.moment);
  k.to_moment = c - f;
  k.to_force = -1.0 * c - f;
  k.linear = full(Sym3<double>::diagonal(i.mass));
  return k;
}

// Adds to `sum` the inertia of a body whose origin lies r from that of sum's.
inline void add_shifted(const SkewedInertia& i, const Vec3d& r, SkewedInertia& sum) {
  const Mat3d force = i.to_force - times_skew(i.linear, r);
  sum.angular += i.angular - times_skew(i.to_moment, r) + skew_times(r, force);
  sum.to_moment += i.to_moment + skew_times(r, i.linear);
  sum.to_force += force;
  sum.linear += i.linear;
}

inline SpatialForce<double> column_along(const SkewedInertia& i, const Vec3d& a, bool slide) {
  return slide ? SpatialForce<double>{i.to_moment * a, i.linear * a}
               : SpatialForce<double>{i.angular * a, i.to_force * a};
}
// As a motion's covector: dot(V, row).
inline SpatialForce<double> row_along(const SkewedInertia& i, const Vec3d& a, bool slide) {
  return slide ? SpatialForce<double>{transpose(i.to_force) * a, transpose(i.linear) * a}
               : SpatialForce<double>{transpose(i.angular) * a, transpose(i.to_moment) * a};
}

inline void subtract(SkewedInertia& i, double s, const SpatialForce<double>& column,
                     const SpatialForce<double>& row) {
  const SpatialForce<double> c = s * column;
  for (int j = 0; j < 3; ++j)
    for (int k = 0; k < 3; ++k) {
      i.angular(j, k) = fma(-c.moment[j], row.moment[k], i.angular(j, k));
      i.to_moment(j, k) = fma(-c.moment[j], row.force[k], i.to_moment(j, k));
      i.to_force(j, k) = fma(-c.force[j], row.moment[k], i.to_force(j, k));
      i.linear(j, k) = fma(-c.force[j], row.force[k], i.linear(j, k));
    }
}

}  // namespace haptos
