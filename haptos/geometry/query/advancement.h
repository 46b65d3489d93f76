// Directional advancement: the kernel under every continuous collision query.
//
// Two convex features move on straight lines. Their separation is a convex combination of the
// vertex differences q_j(t) = q_j(0) + t v_j (three for a point and a triangle, four for two
// edges). For any unit direction n, the features stay at least min_j n . q_j(t) apart. Each turn
// takes n from the closest pair at the time t proven so far, where that minimum equals the
// distance, and moves t to the first time at which some n . q_j falls to the floor:
//
//   t <- t + min over j with n . v_j < 0 of (n . q_j(t) - floor) / -(n . v_j).
//
// A pair that is not done after a few turns also tries a direction that turns with the features and
// takes the longer step: edges that swing past each other would otherwise creep.
//
// Each step is at least as long as that of additive advancement, (d - floor) / max |v_j|, because
// |n . v_j| <= |v_j|; motion along the surface costs nothing and a head-on approach takes one turn.
// Compare Mirtich (1996) for motion bounds along a direction and Li, Kaufman, Jiang, "Codimensional
// Incremental Potential Contact" (2021) for the additive form.
//
// Rounding: an evaluated n . q_j(t) is within 16 eps (|q_j(0)|_1 + |q_j(1)|_1) of its exact value,
// and the floor is raised by that much. The direction n is rounded as well, for flat triangles and
// nearly parallel edges to nothing: no step counts on the distance, each asks all n . q_j, and a
// direction that leaves one of them below the floor proves no time at all. So a time that is
// returned is proven for the given numbers.
#pragma once

#include "haptos/geometry/query/distance.h"

namespace haptos {

/// Vertex differences of two moving features at t = 0 and 1, first feature minus second [m].
/// K = 3: p - a, p - b, p - c. K = 4: p0 - q0, p0 - q1, p1 - q0, p1 - q1.
template <class T, int K>
struct MovingPair {
  Vec3<T> q0[K];
  Vec3<T> v[K];
  T error;  ///< bound on the rounding of n . q_j(t) [m]
};

/// Turns taken with a fixed direction before the turning one is tried as well.
inline constexpr int kStraightTurns = 1;

/// What an advancement is held to; all distances in m.
template <class T>
struct AdvanceLimits {
  T floor;  ///< distance that must be kept; the rounding bound is added by `advance`
  T stop;   ///< a distance at or below this, above the floor, ends the search
  T t_max;  ///< end of the interval
  int max_iterations;
};

/// Time proven free, and where the search ended.
template <class T>
struct AdvanceResult {
  T t;             ///< the floor is kept on [0, t]
  T distance;      ///< distance at t [m]; only a bound from below where t = t_max
  int iterations;  ///< turns of the slowest lane
};

namespace detail {

template <class T>
HAPTOS_HD T norm1(const Vec3<T>& v) {
  return vabs(v[0]) + vabs(v[1]) + vabs(v[2]);
}

template <class T, int K>
HAPTOS_HD void finish_pair(MovingPair<T, K>& m, const Vec3<T> (&q1)[K]) {
  using Plain = typename ScalarTraits<T>::Plain;
  T size(0), total(0);
  for (int j = 0; j < K; ++j) {
    m.v[j] = q1[j] - m.q0[j];
    const T s = norm1(m.q0[j]) + norm1(q1[j]);
    size = vmax(size, s);
    total += s;
  }
  // total - total is zero, but not a number for coordinates that are not finite: no query then
  // proves anything.
  m.error = size * T(Plain(16) * std::numeric_limits<Plain>::epsilon()) +
            T(std::numeric_limits<Plain>::min()) +
            (total - total);  // NOLINT(misc-redundant-expression)
}

/// Four points with the differences q, in a frame fixed to one of them; linear, so it also maps
/// the velocities of the differences to those of the points.
template <class T>
struct Corners {
  Vec3<T> x[4];
};
template <class T>
HAPTOS_HD Corners<T> corners(const Vec3<T> (&q)[3]) {
  return {{Vec3<T>::zero(), -q[0], -q[1], -q[2]}};
}
template <class T>
HAPTOS_HD Corners<T> corners(const Vec3<T> (&q)[4]) {
  return {{q[0], q[2], Vec3<T>::zero(), q[0] - q[1]}};
}

/// The closest pair at the time of the differences q.
template <class T>
HAPTOS_HD Stencil<T> closest_pair(const Vec3<T> (&q)[3]) {
  const Corners<T> c = corners(q);
  return point_triangle_stencil(c.x[0], c.x[1], c.x[2], c.x[3]);
}
template <class T>
HAPTOS_HD Stencil<T> closest_pair(const Vec3<T> (&q)[4]) {
  const Corners<T> c = corners(q);
  return edge_edge_stencil(c.x[0], c.x[1], c.x[2], c.x[3]);
}

/// Step h along the fixed direction n: the first at which some n . (q_j + h v_j) is the floor; zero
/// where one of them is below the floor already: n is rounded, and may not separate anything.
template <class T, int K>
HAPTOS_HD T straight_step(const MovingPair<T, K>& m, const Vec3<T> (&q)[K], const Vec3<T>& n,
                          T floor, T far) {
  const T o(0);
  T step = far;
  for (int j = 0; j < K; ++j) {
    const T speed = -dot(n, m.v[j]);
    const T room = dot(n, q[j]) - floor;
    const Mask<T> apart = room >= o, near = (speed > o) & (room < far * speed);
    const T free = select(near, room / select(near, speed, T(1)), far);
    step = vmin(step, select(apart, free, o));
  }
  return step;
}

/// Step h along the direction n + h u that follows the features as they turn: u keeps it normal to
/// the free directions, u . e_k = -n . de_k/dt. With |n + h u| <= 1 + h |u| the pair is free while
/// (n + h u) . (q_j + h v_j) >= floor (1 + h |u|), a quadratic a + b h + c h^2 in h whose positive
/// c is dropped. Its root is 2 a / (s - b) = (s + b) / (-2 c) with s^2 = b^2 - 4 a c; the form
/// without cancellation is taken. Zero where n does not separate, as above.
template <class T, int K>
HAPTOS_HD T turning_step(const MovingPair<T, K>& m, const Vec3<T> (&q)[K], const Stencil<T>& at,
                         T floor, T far) {
  using Plain = typename ScalarTraits<T>::Plain;
  const T o(0), two(2);
  const Corners<T> x = corners(q), v = corners(m.v);
  const DistanceCurvature<T> k = distance_curvature(at, x.x[0], x.x[1], x.x[2], x.x[3]);
  Vec3<T> u = Vec3<T>::zero();
  for (int i = 0; i < 4; ++i) u = axpy(-dot(at.n, v.x[i]), k.a[i], u);
  const T turn = norm(u);
  T step = far;
  for (int j = 0; j < K; ++j) {
    const T a = dot(at.n, q[j]) - floor;
    const T b = dot(at.n, m.v[j]) + dot(u, q[j]) - floor * turn;
    const T c = vmin(dot(u, m.v[j]), o);
    const T s = sqrt(b * b - T(4) * a * c);
    const Mask<T> proves = (a >= o) & (s < T(std::numeric_limits<Plain>::max()));
    const Mask<T> opening = b > o;
    const T both = s + vabs(b);
    const T numerator = select(opening, both, two * a);
    const T denominator = select(opening, -two * c, both);
    const Mask<T> near = numerator < far * denominator;
    const T free = select(near, numerator / select(near, denominator, T(1)), far);
    step = vmin(step, select(proves, free, o));
  }
  return step;
}

}  // namespace detail

/// Moving pair of point x[0] and triangle x[1..3], at t = 0 and t = 1.
template <class T>
HAPTOS_HD MovingPair<T, 3> moving_point_triangle(const Vec3<T> (&x0)[4], const Vec3<T> (&x1)[4]) {
  MovingPair<T, 3> m;
  Vec3<T> q1[3];
  for (int j = 0; j < 3; ++j) {
    m.q0[j] = x0[0] - x0[j + 1];
    q1[j] = x1[0] - x1[j + 1];
  }
  detail::finish_pair(m, q1);
  return m;
}

/// Moving pair of edges (x[0], x[1]) and (x[2], x[3]), at t = 0 and t = 1.
template <class T>
HAPTOS_HD MovingPair<T, 4> moving_edge_edge(const Vec3<T> (&x0)[4], const Vec3<T> (&x1)[4]) {
  MovingPair<T, 4> m;
  Vec3<T> q1[4];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      m.q0[2 * i + j] = x0[i] - x0[2 + j];
      q1[2 * i + j] = x1[i] - x1[2 + j];
    }
  detail::finish_pair(m, q1);
  return m;
}

/// Lower bound of the distance over the whole interval [0, 1] from the swept boxes [m]; may be
/// negative.
template <class T, int K>
HAPTOS_HD T swept_box_distance(const MovingPair<T, K>& m) {
  T best(0);
  for (int c = 0; c < 3; ++c) {
    T lo = m.q0[0][c], hi = lo;
    for (int j = 0; j < K; ++j) {
      const T x = m.q0[j][c], y = x + m.v[j][c];
      lo = vmin(lo, vmin(x, y));
      hi = vmax(hi, vmax(x, y));
    }
    best = vmax(best, vmax(lo, -hi));
  }
  return best - m.error;
}

/// Lower bound of the distance at t = 0 [m] that the direction n proves, negative where it proves
/// nothing. For the n of the closest pair this is the distance but for rounding.
template <class T, int K>
HAPTOS_HD T proven_distance(const MovingPair<T, K>& m, const Vec3<T>& n) {
  T least = dot(n, m.q0[0]);
  for (int j = 1; j < K; ++j) least = vmin(least, dot(n, m.q0[j]));
  return least - m.error;
}

/// Advances from the time `start`, at which the closest pair is `at`, in the lanes where `active`
/// holds. The result's t is proven from `start` on.
template <class T, int K>
HAPTOS_HD AdvanceResult<T> advance(const MovingPair<T, K>& m, T start, Stencil<T> at,
                                   Mask<T> active, const AdvanceLimits<T>& limits) {
  using Plain = typename ScalarTraits<T>::Plain;
  const Plain eps = std::numeric_limits<Plain>::epsilon();
  const T far(2);
  const T keep(Plain(1) - Plain(4) * eps);
  const T least(Plain(16) * eps);  // a shorter step is no progress
  const T floor = limits.floor + m.error;
  AdvanceResult<T> r{start, at.d, 0};
  Vec3<T> q[K];
  for (int j = 0; j < K; ++j) q[j] = detail::axpy(start, m.v[j], m.q0[j]);
  active = active & (at.d > limits.stop);
  while (any(active) && r.iterations < limits.max_iterations) {
    ++r.iterations;
    T step = detail::straight_step(m, q, at.n, floor, far);
    // The few pairs that are not done by now turn while they stay close.
    if (r.iterations > kStraightTurns)
      step = vmax(step, detail::turning_step(m, q, at, floor, far));
    step = step * keep;
    const Mask<T> reached = r.t + step >= limits.t_max;
    const Mask<T> stuck = step <= least;
    r.t = select(active, vmin(r.t + step, limits.t_max), r.t);
    active = active & !reached & !stuck;
    if (!any(active)) break;
    for (int j = 0; j < K; ++j) q[j] = detail::axpy(r.t, m.v[j], m.q0[j]);
    at = detail::closest_pair(q);
    r.distance = select(active, at.d, r.distance);
    active = active & (at.d > limits.stop);
  }
  return r;
}

/// Time of impact: see accd_point_triangle in ccd.h for the arguments.
template <class T, int K>
HAPTOS_HD T time_of_impact(const MovingPair<T, K>& m, T slack, T min_separation, T t_max,
                           int max_iterations) {
  T reach = squared_norm(m.q0[0]);
  for (int j = 1; j < K; ++j) reach = vmin(reach, squared_norm(m.q0[j]));
  reach = sqrt(reach);
  const Mask<T> clear =
      swept_box_distance(m) > min_separation + slack * vmax(reach - min_separation, T(0));
  if (all(clear)) return t_max;

  const Stencil<T> at = detail::closest_pair(m.q0);
  const T gap = at.d - min_separation;
  const Mask<T> apart = gap > T(2) * m.error;
  const AdvanceLimits<T> limits{min_separation + slack * gap, min_separation + T(1.1) * slack * gap,
                                t_max, max_iterations};
  const T t = advance(m, T(0), at, apart & !clear, limits).t;
  return select(clear, t_max, t);
}

}  // namespace haptos
