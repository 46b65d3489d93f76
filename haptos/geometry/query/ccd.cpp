// Scalar entry points of continuous collision detection; see ccd.h.
#include "haptos/geometry/query/ccd.h"

#include "haptos/geometry/query/advancement.h"
#include "haptos/geometry/query/double_double.h"

namespace haptos {
namespace {

/// The four points of a pair at one end of the time interval.
template <class T>
struct Corners {
  Vec3<T> x[4];
};

struct PointTriangle {
  template <class T>
  static MovingPair<T, 3> pair(const Corners<T>& c0, const Corners<T>& c1) {
    return moving_point_triangle(c0.x, c1.x);
  }
};

struct EdgeEdge {
  template <class T>
  static MovingPair<T, 4> pair(const Corners<T>& c0, const Corners<T>& c1) {
    return moving_edge_edge(c0.x, c1.x);
  }
};

Corners<DoubleDouble> widen(const Corners<double>& c) {
  Corners<DoubleDouble> w;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 3; ++k) w.x[i][k] = c.x[i][k];
  return w;
}

template <class Kind>
double impact(const Corners<double>& c0, const Corners<double>& c1, const AccdOptions& o) {
  return time_of_impact(Kind::pair(c0, c1), o.slack, o.min_separation, o.t_max, o.max_iterations);
}

/// Advances from `start` on; `start` becomes the time proven free.
template <class T, int K>
CollideResult search(MovingPair<T, K> m, const CollideOptions& o, double& start) {
  // A difference of coordinates carries twice their error; its projection at most 2 sqrt(3) times.
  m.error += T(4 * o.coordinate_error);
  const T tolerance(o.tolerance);
  if (swept_box_distance(m) > tolerance) return {false, 0};
  Vec3<T> q[K];
  for (int j = 0; j < K; ++j) q[j] = detail::axpy(T(start), m.v[j], m.q0[j]);
  // The distance tends to tolerance + error from above: stop a little higher.
  const AdvanceLimits<T> limits{tolerance, tolerance + T(2) * m.error, T(1), o.max_iterations};
  const AdvanceResult<T> r = advance(m, T(start), detail::closest_pair(q), true, limits);
  const bool free = r.t >= T(1);
  if constexpr (std::is_same_v<T, double>) start = r.t;
  return {!free, r.iterations + 1};
}

/// Decides in double and, where its rounding leaves the answer open, again in double-double from
/// the time proven so far: features made from equal coordinates pass each other at 1e-17 m.
template <class Kind>
CollideResult may_collide(const Corners<double>& c0, const Corners<double>& c1,
                          const CollideOptions& o) {
  double proven = 0;
  CollideResult r = search(Kind::pair(c0, c1), o, proven);
  if (!r.may_collide || r.iterations > o.max_iterations) return r;
  CollideOptions rest = o;
  rest.max_iterations = o.max_iterations / 4;  // each costs about ten times as much
  const CollideResult exact = search(Kind::pair(widen(c0), widen(c1)), rest, proven);
  return {exact.may_collide, r.iterations + exact.iterations};
}

}  // namespace

double accd_point_triangle(const Vec3d& p0, const Vec3d& a0, const Vec3d& b0, const Vec3d& c0,
                           const Vec3d& p1, const Vec3d& a1, const Vec3d& b1, const Vec3d& c1,
                           const AccdOptions& options) {
  return impact<PointTriangle>({{p0, a0, b0, c0}}, {{p1, a1, b1, c1}}, options);
}

double accd_edge_edge(const Vec3d& p0, const Vec3d& q0, const Vec3d& r0, const Vec3d& s0,
                      const Vec3d& p1, const Vec3d& q1, const Vec3d& r1, const Vec3d& s1,
                      const AccdOptions& options) {
  return impact<EdgeEdge>({{p0, q0, r0, s0}}, {{p1, q1, r1, s1}}, options);
}

double accd_point_plane(const Vec3d& p0, const Vec3d& p1, const Vec3d& normal, double offset,
                        const AccdOptions& options) {
  const double eps = std::numeric_limits<double>::epsilon();
  const double d0 = dot(normal, p0) - offset, speed = -dot(normal, p1 - p0);
  const double error = 8 * eps * (detail::norm1(p0) + detail::norm1(p1) + vabs(offset));
  const double gap = d0 - options.min_separation;
  if (!(gap > 2 * error)) return 0;
  const double room = vmax((1 - options.slack) * gap - error, 0.0);
  if (room >= speed * options.t_max) return options.t_max;
  return room / speed * (1 - 4 * eps);
}

CollideResult may_collide_point_triangle(const Vec3d& p0, const Vec3d& a0, const Vec3d& b0,
                                         const Vec3d& c0, const Vec3d& p1, const Vec3d& a1,
                                         const Vec3d& b1, const Vec3d& c1,
                                         const CollideOptions& options) {
  return may_collide<PointTriangle>({{p0, a0, b0, c0}}, {{p1, a1, b1, c1}}, options);
}

CollideResult may_collide_edge_edge(const Vec3d& p0, const Vec3d& q0, const Vec3d& r0,
                                    const Vec3d& s0, const Vec3d& p1, const Vec3d& q1,
                                    const Vec3d& r1, const Vec3d& s1,
                                    const CollideOptions& options) {
  return may_collide<EdgeEdge>({{p0, q0, r0, s0}}, {{p1, q1, r1, s1}}, options);
}

}  // namespace haptos
