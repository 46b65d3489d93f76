// Closest points between the features of triangle meshes, as kernels on any scalar T.
//
// Point and triangle, two segments, point and plane. Every candidate feature is evaluated and the
// nearest is selected by masks, so lanes of one pack may lie in different Voronoi regions.
//
//   point-triangle: p and  beta_0 a + beta_1 b + beta_2 c,   sum beta = 1, beta >= 0
//   edge-edge:      (1 - s) p0 + s p1  and  (1 - t) q0 + t q1,   0 <= s, t <= 1
//
// Interior solutions come from the normal m = e1 x e2 (error ~ eps / sin of the angle) and not from
// the Gram determinant (eps / sin^2). Edges shorter than about 1e-75 m (double) or 1e-9 m (float)
// count as points; features whose sine is below about 1e-14 (double) count as parallel, and then
// one of the closest pairs on the boundary is chosen, always the same one for the same input.
#pragma once

#include "haptos/base/math/math.h"

namespace haptos {

/// The feature of triangle (a, b, c) = (0, 1, 2) that is closest to the point.
enum class PtRegion { face = 0, edge01, edge12, edge20, vertex0, vertex1, vertex2 };

/// The features of segments (p0, p1) and (q0, q1) that are closest: both interiors, an end point of
/// one and the interior of the other, or two end points.
enum class EeRegion { interior = 0, p0_q, p1_q, p_q0, p_q1, p0_q0, p0_q1, p1_q0, p1_q1 };

/// Closest point of a triangle: barycentric weights, and the PtRegion as a number of type T.
template <class T>
struct TriangleClosest {
  Vec3<T> beta;
  T region;
};

/// Closest points of two segments: parameters, and the EeRegion as a number of type T.
template <class T>
struct SegmentsClosest {
  T s, t;
  T region;
};

/// Point on a plane nearest to p, and the signed distance (positive on the side of the normal) [m].
template <class T>
struct PlaneClosest {
  Vec3<T> point;
  T distance;
};

namespace detail {

/// Squared lengths at or below this count as zero; products of two of them do not underflow.
template <class T>
HAPTOS_HD T tiny_square() {
  using Plain = typename ScalarTraits<T>::Plain;
  return T(sizeof(Plain) == 4 ? Plain(1e-18) : Plain(1e-150));
}

/// Squared sine at or below which two directions count as parallel: (64 eps)^2.
template <class T>
HAPTOS_HD T parallel_square() {
  using Plain = typename ScalarTraits<T>::Plain;
  const Plain e = Plain(64) * std::numeric_limits<Plain>::epsilon();
  return T(e * e);
}

/// x + s y.
template <class T>
HAPTOS_HD Vec3<T> axpy(T s, const Vec3<T>& y, const Vec3<T>& x) {
  return {{fma(s, y[0], x[0]), fma(s, y[1], x[1]), fma(s, y[2], x[2])}};
}

/// 1 / x, held finite where x counts as zero: numerators are then zero, or clamped afterwards.
template <class T>
HAPTOS_HD T safe_inverse(T x) {
  return T(1) / vmax(x, tiny_square<T>());
}

}  // namespace detail

/// Parameter in [0, 1] of the point of segment (a, b) closest to p; 0 for a segment without length.
template <class T>
HAPTOS_HD T closest_on_segment(const Vec3<T>& p, const Vec3<T>& a, const Vec3<T>& b) {
  const Vec3<T> e = b - a;
  return clamp(dot(e, p - a) * detail::safe_inverse(dot(e, e)), T(0), T(1));
}

/// Closest point of triangle (a, b, c) to p.
template <class T>
HAPTOS_HD TriangleClosest<T> closest_on_triangle(const Vec3<T>& p, const Vec3<T>& a,
                                                 const Vec3<T>& b, const Vec3<T>& c) {
  const T o(0), one(1);
  const Vec3<T> ab = b - a, ac = c - a, bc = c - b, ap = p - a, bp = p - b;

  // The three edges, each with its clamped parameter and squared distance.
  const T lab = dot(ab, ab), lac = dot(ac, ac), lbc = dot(bc, bc);
  const T tab = clamp(dot(ab, ap) * detail::safe_inverse(lab), o, one);
  const T tac = clamp(dot(ac, ap) * detail::safe_inverse(lac), o, one);
  const T tbc = clamp(dot(bc, bp) * detail::safe_inverse(lbc), o, one);
  const T dab = squared_norm(detail::axpy(-tab, ab, ap));
  const T dac = squared_norm(detail::axpy(-tac, ac, ap));
  const T dbc = squared_norm(detail::axpy(-tbc, bc, bp));

  // The face, where the projection falls strictly inside.
  const Vec3<T> m = cross(ab, ac);
  const T mm = dot(m, m);
  const T inv = detail::safe_inverse(mm);
  const T f1 = dot(m, cross(ap, ac)) * inv;
  const T f2 = dot(m, cross(ab, ap)) * inv;
  const T f0 = one - f1 - f2;
  const Mask<T> face =
      (mm > detail::parallel_square<T>() * lab * lac) & (f0 > o) & (f1 > o) & (f2 > o);

  const Mask<T> use_bc = (dbc < dab) & (dbc < dac);
  const Mask<T> use_ac = (dac < dab) & !use_bc;
  const T t = select(use_bc, tbc, select(use_ac, tac, tab));
  const T u = one - t;
  TriangleClosest<T> r;
  r.beta[0] = select(face, f0, select(use_bc, o, u));
  r.beta[1] = select(face, f1, select(use_bc, u, select(use_ac, o, t)));
  r.beta[2] = select(face, f2, select(use_bc, t, select(use_ac, t, o)));

  const T edge = select(use_bc, T(2), select(use_ac, T(3), one));
  const T start = select(use_bc, T(5), T(4));         // vertex at t = 0
  const T end = select(use_bc | use_ac, T(6), T(5));  // vertex at t = 1
  r.region = select(face, o, select(t <= o, start, select(t >= one, end, edge)));
  return r;
}

/// Closest points of segments (p0, p1) and (q0, q1).
template <class T>
HAPTOS_HD SegmentsClosest<T> closest_on_segments(const Vec3<T>& p0, const Vec3<T>& p1,
                                                 const Vec3<T>& q0, const Vec3<T>& q1) {
  const T o(0), one(1);
  const Vec3<T> e1 = p1 - p0, e2 = q1 - q0, r = p0 - q0;
  const T a = dot(e1, e1), e = dot(e2, e2);
  const T ia = detail::safe_inverse(a), ie = detail::safe_inverse(e);
  const Vec3<T> r1 = p1 - q0, r2 = p0 - q1;

  // Each end point against the other segment.
  const T ts0 = clamp(dot(e2, r) * ie, o, one);
  const T ts1 = clamp(dot(e2, r1) * ie, o, one);
  const T st0 = clamp(-dot(e1, r) * ia, o, one);
  const T st1 = clamp(-dot(e1, r2) * ia, o, one);
  const T ds0 = squared_norm(detail::axpy(-ts0, e2, r));
  const T ds1 = squared_norm(detail::axpy(-ts1, e2, r1));
  const T dt0 = squared_norm(detail::axpy(st0, e1, r));
  const T dt1 = squared_norm(detail::axpy(st1, e1, r2));

  T s = o, t = ts0, best = ds0;
  Mask<T> less = ds1 < best;
  s = select(less, one, s), t = select(less, ts1, t), best = select(less, ds1, best);
  less = dt0 < best;
  s = select(less, st0, s), t = select(less, o, t), best = select(less, dt0, best);
  less = dt1 < best;
  s = select(less, st1, s), t = select(less, one, t), best = select(less, dt1, best);

  // Both interiors: s e1 - t e2 + r is along m.
  const Vec3<T> m = cross(e1, e2);
  const T mm = dot(m, m);
  const T im = detail::safe_inverse(mm);
  const T si = dot(cross(e2, r), m) * im;
  const T ti = dot(cross(e1, r), m) * im;
  const T di = squared_norm(detail::axpy(-ti, e2, detail::axpy(si, e1, r)));
  const Mask<T> interior = (mm > detail::parallel_square<T>() * a * e) & (si > o) & (si < one) &
                           (ti > o) & (ti < one) & (di <= best);
  s = select(interior, si, s);
  t = select(interior, ti, t);

  const Mask<T> s_low = s <= o, s_high = s >= one, t_low = t <= o, t_high = t >= one;
  SegmentsClosest<T> out;
  out.s = s;
  out.t = t;
  const T at_p0 = select(t_low, T(5), select(t_high, T(6), T(1)));
  const T at_p1 = select(t_low, T(7), select(t_high, T(8), T(2)));
  const T inside = select(t_low, T(3), select(t_high, T(4), o));
  out.region = select(s_low, at_p0, select(s_high, at_p1, inside));
  return out;
}

/// Closest point of the plane {x : n . x = offset} to p; `normal` has length one.
template <class T>
HAPTOS_HD PlaneClosest<T> closest_on_plane(const Vec3<T>& p, const Vec3<T>& normal, T offset) {
  const T d = dot(normal, p) - offset;
  return {detail::axpy(-d, normal, p), d};
}

}  // namespace haptos
