// Distance of a point and a triangle or of two edges, with exact gradient and Hessian.
//
// All of it rests on one form: four points x_0..x_3 and signed weights w_i that sum to zero,
//
//   q = sum_i w_i x_i,   d = |q|,   n = q / d,
//   D(x) = d^2 = min over alpha of |q(x, alpha)|^2,   w affine in alpha (0, 1 or 2 of them).
//
//   point-triangle  x = (p, a, b, c)      w = (1, -beta_0, -beta_1, -beta_2)
//   edge-edge       x = (p0, p1, q0, q1)  w = (1 - s, s, -(1 - t), -t)
//
// At the minimum the derivative by alpha vanishes (envelope theorem), hence  grad_i d = w_i n.
// With e_k = dq / d alpha_k, E_kl = e_k . e_l, the dual vectors r_k = sum_l E^-1_kl e_l and
// a_i = sum_k (d w_i / d alpha_k) r_k, implicit differentiation of D gives the 3 x 3 blocks
//
//   H_ij = w_i w_j S / d - w_j n a_i^T - w_i a_j n^T - d (a_i . a_j) n n^T,
//
// where S projects on what is normal to n and to all e_k: I - n n^T for two points, t t^T with
// t = e x n / |e x n| for a point and an edge, zero for face and interior pairs. Writing S so, and
// not as a difference of projections, keeps H accurate when d is far below the edge length; there
// n is taken from the cross product of the two free directions, and d from q itself.
//
// Limits: d = 0 has no gradient (n, gradient and Hessian are then zero, not NaN). The Hessian jumps
// where the closest feature changes and grows without bound for nearly parallel edges, which the
// mollifier below must cover.
#pragma once

#include "haptos/geometry/query/closest.h"

namespace haptos {

/// Distance of four points, with the weights at the closest pair.
template <class T>
struct Stencil {
  Vec<T, 4> w;      ///< signed weights, sum 0; the gradient of d by point i is w_i n
  Mat<T, 4, 2> dw;  ///< derivative of w by the free parameters; a zero column is not free
  Vec3<T> n;        ///< unit normal from the second feature to the first; zero where d = 0
  T d;              ///< distance [m]
  T region;         ///< PtRegion or EeRegion as a number
};

/// Second-order part of a stencil; see H_ij above.
template <class T>
struct DistanceCurvature {
  Mat3<T> s;     ///< S / d [1/m]
  Vec3<T> a[4];  ///< a_i [1/m]
  Vec3<T> r[2];  ///< r_k [1/m]
};

/// Value, gradient and Hessian of a function of the twelve coordinates of a stencil.
template <class T>
struct StencilFunction {
  T value;
  Vec<T, 12> gradient;
  Mat<T, 12, 12> hessian;
};

namespace detail {

/// 1 / |v|, or 0 for a vector without length.
template <class T>
HAPTOS_HD T inverse_norm(const Vec3<T>& v) {
  const T s = dot(v, v);
  const Mask<T> ok = s > tiny_square<T>() * tiny_square<T>();
  return select(ok, T(1) / sqrt(select(ok, s, T(1))), T(0));
}

template <class T>
HAPTOS_HD Vec3<T> select3(const Mask<T>& m, const Vec3<T>& x, const Vec3<T>& y) {
  return {{select(m, x[0], y[0]), select(m, x[1], y[1]), select(m, x[2], y[2])}};
}

/// Sets d and n from the separation q; where `two` holds, n is along m (both directions free).
/// d = n . q is |q| to second order in the error of q along the features.
template <class T>
HAPTOS_HD void set_normal(Stencil<T>& st, const Vec3<T>& q, const Mask<T>& two, const Vec3<T>& m) {
  const T o(0);
  const T side = dot(m, q);
  const Vec3<T> v = select3(two, m, q);
  const T inv = inverse_norm(v) * select(two & (side < o), T(-1), T(1));
  st.n = v * inv;
  st.d = dot(st.n, q);
  st.n = st.n * select(st.d > o, T(1), o);
}

}  // namespace detail

/// Stencil of points x0 and x1; points ordered (x0, x1, unused, unused).
template <class T>
HAPTOS_HD Stencil<T> point_point_stencil(const Vec3<T>& x0, const Vec3<T>& x1) {
  Stencil<T> st;
  st.w = {{T(1), T(-1), T(0), T(0)}};
  st.dw = Mat<T, 4, 2>::zero();
  st.region = T(0);
  const Vec3<T> q = x0 - x1;
  st.n = q * detail::inverse_norm(q);
  st.d = dot(st.n, q);
  return st;
}

/// Stencil of point p and segment (a, b); points ordered (p, a, b, unused).
/// Its region is 0 inside the segment, 1 at a, 2 at b.
template <class T>
HAPTOS_HD Stencil<T> point_edge_stencil(const Vec3<T>& p, const Vec3<T>& a, const Vec3<T>& b) {
  const T o(0), one(1);
  const T t = closest_on_segment(p, a, b);
  const Mask<T> inside = (t > o) & (t < one);
  const T free = select(inside, one, o);
  Stencil<T> st;
  st.w = {{one, t - one, -t, o}};
  st.dw = {{o, o, free, o, -free, o, o, o}};
  st.region = select(inside, o, select(t <= o, one, T(2)));
  const Vec3<T> q = detail::axpy(t, p - b, (p - a) * (one - t));
  st.n = q * detail::inverse_norm(q);
  st.d = dot(st.n, q);
  return st;
}

/// Stencil of point p and triangle (a, b, c); points ordered (p, a, b, c).
template <class T>
HAPTOS_HD Stencil<T> point_triangle_stencil(const Vec3<T>& p, const Vec3<T>& a, const Vec3<T>& b,
                                            const Vec3<T>& c) {
  const TriangleClosest<T> best = closest_on_triangle(p, a, b, c);
  const T o(0), one(1), code = best.region;
  const T b0 = best.beta[0], b1 = best.beta[1], b2 = best.beta[2];
  Stencil<T> st;
  st.w = {{one, -b0, -b1, -b2}};
  st.region = code;

  // First free direction: face and edge01 move from a to b, edge12 from b to c, edge20 from a to c.
  const Mask<T> face = code < T(0.5);
  const T ab = select(code < T(1.5), one, o);
  const T bc = select((code > T(1.5)) & (code < T(2.5)), one, o);
  const T ac = select((code > T(2.5)) & (code < T(3.5)), one, o);
  const T second = select(face, one, o);
  st.dw = {{o, o, ab + ac, second, bc - ab, o, -(bc + ac), -second}};

  // A sum of differences: exact at the vertices, and independent of the distance to the origin.
  const Vec3<T> q = detail::axpy(b2, p - c, detail::axpy(b1, p - b, (p - a) * b0));
  detail::set_normal(st, q, face, cross(b - a, c - a));
  return st;
}

/// Stencil of edges (p0, p1) and (q0, q1); points ordered (p0, p1, q0, q1).
template <class T>
HAPTOS_HD Stencil<T> edge_edge_stencil(const Vec3<T>& p0, const Vec3<T>& p1, const Vec3<T>& q0,
                                       const Vec3<T>& q1) {
  const SegmentsClosest<T> best = closest_on_segments(p0, p1, q0, q1);
  const T o(0), one(1), s = best.s, t = best.t, u = one - s, v = one - t;
  Stencil<T> st;
  st.w = {{u, s, -v, -t}};
  st.region = best.region;
  const Mask<T> s_in = (s > o) & (s < one), t_in = (t > o) & (t < one);
  const T s_free = select(s_in, one, o), t_free = select(t_in, one, o);
  st.dw = {{-s_free, o, s_free, o, o, t_free, o, -t_free}};
  const Vec3<T> to_q0 = detail::axpy(s, p1 - q0, (p0 - q0) * u);
  const Vec3<T> to_q1 = detail::axpy(s, p1 - q1, (p0 - q1) * u);
  detail::set_normal(st, detail::axpy(t, to_q1, to_q0 * v), s_in & t_in, cross(p1 - p0, q1 - q0));
  return st;
}

/// Gradient of d by the twelve coordinates (x0, y0, z0, x1, ...): w_i n.
template <class T>
HAPTOS_HD Vec<T, 12> distance_gradient(const Stencil<T>& st) {
  Vec<T, 12> g;
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c) g[3 * i + c] = st.w[i] * st.n[c];
  return g;
}

/// Second-order part of the distance of a stencil of the points x0..x3 it was made from.
template <class T>
HAPTOS_HD DistanceCurvature<T> distance_curvature(const Stencil<T>& st, const Vec3<T>& x0,
                                                  const Vec3<T>& x1, const Vec3<T>& x2,
                                                  const Vec3<T>& x3) {
  const T o(0), one(1);
  // Columns of dw sum to zero: differences to x1 keep rounding relative to the edges.
  const Vec3<T> y0 = x0 - x1, y2 = x2 - x1, y3 = x3 - x1;
  Vec3<T> e[2];
  for (int k = 0; k < 2; ++k)
    e[k] = detail::axpy(st.dw(0, k), y0, detail::axpy(st.dw(2, k), y2, y3 * st.dw(3, k)));
  const T l0 = dot(e[0], e[0]), l1 = dot(e[1], e[1]);
  const Vec3<T> m = cross(e[0], e[1]);
  const T mm = dot(m, m);
  const Mask<T> free0 = l0 > o, free1 = l1 > o, two = free0 & free1 & (mm > o),
                none = !(free0 | free1);
  const T im = select(two, one / select(two, mm, one), o);
  const T i0 = detail::safe_inverse(l0), i1 = detail::safe_inverse(l1);
  const Vec3<T> r0 = detail::select3(two, cross(e[1], m) * im, e[0] * i0);
  const Vec3<T> r1 = detail::select3(two, cross(m, e[0]) * im, e[1] * i1);

  DistanceCurvature<T> out;
  out.r[0] = r0, out.r[1] = r1;
  for (int i = 0; i < 4; ++i) out.a[i] = detail::axpy(st.dw(i, 1), r1, r0 * st.dw(i, 0));

  const Mask<T> apart = st.d > o;
  const T id = select(apart, one / select(apart, st.d, one), o);
  const Vec3<T> et = cross(detail::select3(free0, e[0], e[1]), st.n);
  const Vec3<T> t = et * detail::inverse_norm(et);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const T complement = (i == j ? one : o) - st.n[i] * st.n[j];
      out.s(i, j) = id * select(none, complement, select(two, o, t[i] * t[j]));
    }
  return out;
}

/// Hessian of d by the twelve coordinates, symmetric bit for bit.
template <class T>
HAPTOS_HD Mat<T, 12, 12> distance_hessian(const Stencil<T>& st, const DistanceCurvature<T>& k) {
  Mat<T, 12, 12> h;
  const Vec3<T>& n = st.n;
  HAPTOS_UNROLL
  for (int i = 0; i < 4; ++i) {
    HAPTOS_UNROLL
    for (int j = i; j < 4; ++j) {
      const T ww = st.w[i] * st.w[j], nn = st.d * dot(k.a[i], k.a[j]);
      const Vec3<T> u = detail::axpy(nn, n, k.a[i] * st.w[j]);  // the terms n u^T
      const Vec3<T> v = k.a[j] * st.w[i];                       // and v n^T
      HAPTOS_UNROLL
      for (int r = 0; r < 3; ++r) {
        HAPTOS_UNROLL
        for (int c = i == j ? r : 0; c < 3; ++c) {
          const T x = fma(ww, k.s(r, c), -fma(n[r], u[c], v[r] * n[c]));
          h(3 * i + r, 3 * j + c) = x;
          h(3 * j + c, 3 * i + r) = x;
        }
      }
    }
  }
  return h;
}

/// Hessian of d by the twelve coordinates of the points x0..x3 that the stencil was made from.
template <class T>
HAPTOS_HD Mat<T, 12, 12> distance_hessian(const Stencil<T>& st, const Vec3<T>& x0,
                                          const Vec3<T>& x1, const Vec3<T>& x2, const Vec3<T>& x3) {
  return distance_hessian(st, distance_curvature(st, x0, x1, x2, x3));
}

/// The mollifier m(c) = (c / eps)(2 - c / eps) for c < eps, else 1, and its derivatives by c.
template <class T>
struct MollifierValue {
  T c;   ///< |e1 x e2|^2 [m^4]
  T m;   ///< value, 0 for parallel edges and 1 for crossing ones
  T m1;  ///< dm/dc
  T m2;  ///< d^2 m/dc^2
};

/// Threshold eps of the mollifier from the squared rest lengths of both edges [m^4].
template <class T>
HAPTOS_HD T edge_edge_mollifier_threshold(T rest_length1_squared, T rest_length2_squared) {
  return T(1e-3) * rest_length1_squared * rest_length2_squared;
}

/// Mollifier of edges (p0, p1) and (q0, q1): takes the edge-edge energy to zero, with a continuous
/// gradient, where the edges become parallel and the closest pair is not unique. `eps` > 0.
template <class T>
HAPTOS_HD MollifierValue<T> edge_edge_mollifier(const Vec3<T>& p0, const Vec3<T>& p1,
                                                const Vec3<T>& q0, const Vec3<T>& q1, T eps) {
  const Vec3<T> m = cross(p1 - p0, q1 - q0);
  const T c = dot(m, m), o(0), inv = T(1) / eps, x = c * inv;
  const Mask<T> on = c < eps;
  return {c, select(on, x * (T(2) - x), T(1)), select(on, T(2) * inv * (T(1) - x), o),
          select(on, T(-2) * inv * inv, o)};
}

/// The mollifier with gradient and Hessian by the twelve coordinates (p0, p1, q0, q1).
template <class T>
HAPTOS_HD StencilFunction<T> edge_edge_mollifier_derivatives(const Vec3<T>& p0, const Vec3<T>& p1,
                                                             const Vec3<T>& q0, const Vec3<T>& q1,
                                                             T eps) {
  const MollifierValue<T> f = edge_edge_mollifier(p0, p1, q0, q1, eps);
  const Vec3<T> e1 = p1 - p0, e2 = q1 - q0;
  const T a = dot(e1, e1), b = dot(e2, e2), ab = dot(e1, e2), two(2);
  // Derivatives of c by e1 and e2; each edge enters through its end points with signs -1 and +1.
  const Vec3<T> g[2] = {(e1 * b - e2 * ab) * two, (e2 * a - e1 * ab) * two};
  StencilFunction<T> out;
  out.value = f.m;
  for (int i = 0; i < 4; ++i) {
    const T si(i % 2 == 0 ? -1 : 1);
    const Vec3<T>& gi = g[i / 2];
    for (int r = 0; r < 3; ++r) out.gradient[3 * i + r] = f.m1 * si * gi[r];
    for (int j = i; j < 4; ++j) {
      const T sij((i + j) % 2 == 0 ? 1 : -1);
      const T sj(j % 2 == 0 ? -1 : 1);
      for (int r = 0; r < 3; ++r)
        for (int c = i == j ? r : 0; c < 3; ++c) {
          const T delta(r == c ? 1 : 0);
          T h;
          if (i / 2 != j / 2)
            h = two * (two * e1[r] * e2[c] - ab * delta - e2[r] * e1[c]);
          else if (i / 2 == 0)
            h = two * (b * delta - e2[r] * e2[c]);
          else
            h = two * (a * delta - e1[r] * e1[c]);
          const T v = f.m1 * sij * h + f.m2 * (si * gi[r]) * (sj * g[j / 2][c]);
          out.hessian(3 * i + r, 3 * j + c) = v;
          out.hessian(3 * j + c, 3 * i + r) = v;
        }
    }
  }
  return out;
}

}  // namespace haptos
