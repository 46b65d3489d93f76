// Signed distance to a shape (shape.h has the formulas of the shapes), negative inside, and its
// gradient, as a kernel on any scalar T.
//
//   phi(x) = +- min over surface points y of |x - y|,   |grad phi| = 1 where it is smooth
//
// Exact for each shape, the ellipsoid too (all Lipschitz bounds are 1). Where phi has no gradient,
// on medial axes, it is that of one side.
//
// Ellipsoid: the nearest point of semi-axes a is y_i = a_i^2 x_i / (t + a_i^2) with the largest
// root t of F(t) = sum_i (a_i x_i / (t + a_i^2))^2 - 1. F falls and is convex there, so Newton from
// max_i (a_i |x_i| - a_i^2), where F >= 0, never passes the root.
//
// Source of the ellipsoid's equation: Eberly, Distance from a point to an ellipse, an ellipsoid, or
// a hyperellipsoid (Geometric Tools, 2013).
#pragma once

#include "haptos/base/math/math.h"
#include "haptos/geometry/shape/shape.h"

namespace haptos {

/// Of a gradient in some region.
struct SlopeBound {
  Vec3d middle;
  double spread = 0;  ///< by which it differs from that at most
  Vec3d along;        ///< the same along each axis
};

template <class T>
struct SignedDistance {
  T phi;             ///< [m], negative inside
  Vec3<T> gradient;  ///< unit, outward
};

namespace detail {

/// x / l, or `otherwise` where l is nothing.
template <class T>
HAPTOS_HD Vec3<T> direction(const Vec3<T>& x, T l, const Vec3<T>& otherwise) {
  const Mask<T> some = l > T(1e-300);
  const T inverse = T(1) / select(some, l, T(1));
  Vec3<T> r;
  for (int k = 0; k < 3; ++k) r[k] = select(some, x[k] * inverse, otherwise[k]);
  return r;
}

template <class T>
HAPTOS_HD T sign_of(T x) {
  return select(x < T(0), T(-1), T(1));
}

template <class T>
HAPTOS_HD SignedDistance<T> box_distance(const Vec3d& a, const Vec3<T>& x) {
  Vec3<T> q, out;
  for (int k = 0; k < 3; ++k) q[k] = vabs(x[k]) - T(a[k]), out[k] = vmax(q[k], T(0));
  const T inner = vmax(q[0], vmax(q[1], q[2])), outer = norm(out);
  const Mask<T> outside = inner > T(0);
  const Mask<T> first = q[0] >= inner, second = (!first) & (q[1] >= inner);
  const Vec3<T> axis{
      {select(first, T(1), T(0)), select(second, T(1), T(0)), select(first | second, T(0), T(1))}};
  const Vec3<T> away = direction(out, outer, axis);
  SignedDistance<T> r;
  r.phi = select(outside, outer, inner);
  for (int k = 0; k < 3; ++k) r.gradient[k] = sign_of(x[k]) * select(outside, away[k], axis[k]);
  return r;
}

/// Of a surface of revolution about z: from the distance in the half-plane (rho, z).
template <class T>
HAPTOS_HD SignedDistance<T> revolved(const Vec3<T>& x, T rho, T phi, T g_rho, T g_z) {
  const Vec3<T> across{{x[0], x[1], T(0)}};
  const Vec3<T> e = direction(across, rho, Vec3<T>{{T(1), T(0), T(0)}});
  return {phi, {{g_rho * e[0], g_rho * e[1], g_z}}};
}

template <class T>
HAPTOS_HD SignedDistance<T> cylinder_distance(T radius, T half, const Vec3<T>& x) {
  const T rho = sqrt(x[0] * x[0] + x[1] * x[1]);
  const T q = rho - radius, w = vabs(x[2]) - half;
  const T oq = vmax(q, T(0)), ow = vmax(w, T(0)), outer = sqrt(oq * oq + ow * ow);
  const T inner = vmax(q, w);
  const Mask<T> outside = inner > T(0), side = q >= w;
  const T inverse = T(1) / select(outer > T(0), outer, T(1));
  const T gq = select(outside, oq * inverse, select(side, T(1), T(0)));
  const T gw = select(outside, ow * inverse, select(side, T(0), T(1)));
  return revolved(x, rho, select(outside, outer, inner), gq, sign_of(x[2]) * gw);
}

template <class T>
HAPTOS_HD SignedDistance<T> capsule_distance(T radius, T half, const Vec3<T>& x) {
  const Vec3<T> d{{x[0], x[1], x[2] - clamp(x[2], -half, half)}};
  const T l = norm(d);
  return {l - radius, direction(d, l, Vec3<T>{{T(1), T(0), T(0)}})};
}

template <class T>
HAPTOS_HD SignedDistance<T> cone_distance(T radius, T half, const Vec3<T>& x) {
  const T rho = sqrt(x[0] * x[0] + x[1] * x[1]);
  // The base from its middle to the rim, the slope from the tip to the rim.
  const T b_rho = rho - clamp(rho, T(0), radius), b_z = x[2] + half;
  const T length2 = radius * radius + T(4) * half * half;
  const T along = clamp((rho * radius - (x[2] - half) * T(2) * half) / length2, T(0), T(1));
  const T s_rho = rho - along * radius, s_z = x[2] - half + along * T(2) * half;
  const T base = b_rho * b_rho + b_z * b_z, slope = s_rho * s_rho + s_z * s_z;
  const T length = sqrt(length2), n_rho = T(2) * half / length, n_z = radius / length;
  const Mask<T> inside = (x[2] > -half) & (rho * n_rho + (x[2] - half) * n_z < T(0));
  const Mask<T> on_base = base < slope;
  const T sign = select(inside, T(-1), T(1)), d = sqrt(vmin(base, slope));
  // On the surface itself: its normal.
  const Mask<T> apart = d > T(1e-12) * length;
  const T scale = sign / select(apart, d, T(1));
  const T g_rho =
      select(apart, scale * select(on_base, b_rho, s_rho), select(on_base, T(0), n_rho));
  const T g_z = select(apart, scale * select(on_base, b_z, s_z), select(on_base, T(-1), n_z));
  return revolved(x, rho, sign * d, g_rho, g_z);
}

template <class T>
HAPTOS_HD SignedDistance<T> ellipsoid_distance(const Vec3d& a, const Vec3<T>& x) {
  const double least = vmin(a[0], vmin(a[1], a[2]));
  Vec3<T> y;
  T t(-1e300);
  for (int k = 0; k < 3; ++k) {
    // Just off the planes of symmetry: F has a root there whatever else is zero.
    y[k] = vmax(vabs(x[k]), T(1e-9 * least));
    t = vmax(t, T(a[k]) * (y[k] - T(a[k])));
  }
  for (int i = 0; i < 60; ++i) {
    T f(-1.0), slope(0.0);
    for (int k = 0; k < 3; ++k) {
      const T inverse = T(1) / (t + T(a[k] * a[k])), u = T(a[k]) * y[k] * inverse;
      f += u * u, slope += T(-2) * u * u * inverse;
    }
    const T step = vmax(-f / slope, T(0));
    t += step;
    if (!any(step > T(1e-15 * least) * T(least))) break;
  }
  Vec3<T> normal, off;
  for (int k = 0; k < 3; ++k) {
    const T q = y[k] / (t + T(a[k] * a[k]));  // of the nearest point over a^2
    normal[k] = sign_of(x[k]) * q;
    off[k] = y[k] - T(a[k] * a[k]) * q;
  }
  return {sign_of(t) * norm(off), direction(normal, norm(normal), Vec3<T>{{T(0), T(0), T(1)}})};
}

}  // namespace detail

/// Whether shape_distance() knows shapes of this kind.
inline bool has_distance(ShapeKind kind) { return kind <= ShapeKind::kHalfSpace; }

/// At x in the frame of the shape [m].
template <class T>
HAPTOS_HD SignedDistance<T> shape_distance(ShapeKind kind, const Vec3d& size, const Vec3<T>& x) {
  switch (kind) {
    case ShapeKind::kSphere:
      return detail::capsule_distance(T(size[0]), T(0), x);
    case ShapeKind::kBox:
      return detail::box_distance(size, x);
    case ShapeKind::kCapsule:
      return detail::capsule_distance(T(size[0]), T(size[1]), x);
    case ShapeKind::kCylinder:
      return detail::cylinder_distance(T(size[0]), T(size[1]), x);
    case ShapeKind::kCone:
      return detail::cone_distance(T(size[0]), T(size[1]), x);
    case ShapeKind::kEllipsoid:
      return detail::ellipsoid_distance(size, x);
    default:
      return {x[2], Vec3<T>{{T(0), T(0), T(1)}}};
  }
}

}  // namespace haptos
