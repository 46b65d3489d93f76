// Continuous collision detection of linear trajectories x(t) = (1 - t) x0 + t x1, t in [0, 1].
//
// Time of impact: the time grows from zero by directional advancement (advancement.h), a sharper
// form of additive advancement, while the distance stays above the floor
// min_separation + slack (initial distance - min_separation). A step cut to the returned time keeps
// that share of every gap. Boolean query: the same with the floor at rounding error, repeated in
// double-double where the rounding of double leaves it open.
//
// Conservative always. The floor is raised by a bound on the rounding of the evaluation, which is
// relative to the differences of the coordinates; a query that meets its cap returns the time
// proven so far, or "may collide". Kernels for packs of pairs are in advancement.h.
#pragma once

#include "haptos/base/math/math.h"

namespace haptos {

/// Settings of the time-of-impact queries.
struct AccdOptions {
  double slack = 0.1;           ///< share of the initial gap that must remain, in (0, 1)
  int max_iterations = 100;     ///< distance evaluations a query may spend
  double t_max = 1.0;           ///< end of the time interval looked at, in [0, 1]
  double min_separation = 0.0;  ///< distance at which features count as touching [m], >= 0
};

/// Time in [0, t_max] up to which point p and triangle (a, b, c) keep the floor distance; t_max
/// when they always do, zero when they start touching. Suffix 0 is the position at t = 0, suffix 1
/// the position at t = 1 [m, one frame].
double accd_point_triangle(const Vec3d& p0, const Vec3d& a0, const Vec3d& b0, const Vec3d& c0,
                           const Vec3d& p1, const Vec3d& a1, const Vec3d& b1, const Vec3d& c1,
                           const AccdOptions& options = {});

/// The same for edges (p, q) and (r, s).
double accd_edge_edge(const Vec3d& p0, const Vec3d& q0, const Vec3d& r0, const Vec3d& s0,
                      const Vec3d& p1, const Vec3d& q1, const Vec3d& r1, const Vec3d& s1,
                      const AccdOptions& options = {});

/// The same for point p and the fixed half-space {x : normal . x < offset}, in closed form.
/// `normal` has length one and points out of the half-space. Zero for a point inside it.
double accd_point_plane(const Vec3d& p0, const Vec3d& p1, const Vec3d& normal, double offset,
                        const AccdOptions& options = {});

/// Settings of the boolean queries.
struct CollideOptions {
  double tolerance = 0.0;         ///< distances at or below this count as contact [m], >= 0
  double coordinate_error = 0.0;  ///< largest error of a given coordinate [m], >= 0
  int max_iterations = 200;       ///< distance evaluations; at the cap the answer is true
};

/// Answer of a boolean query.
struct CollideResult {
  bool may_collide;  ///< false only where contact in [0, 1] is excluded
  int iterations;    ///< distance evaluations spent
};

/// Whether point p may touch triangle (a, b, c) at some time in [0, 1].
CollideResult may_collide_point_triangle(const Vec3d& p0, const Vec3d& a0, const Vec3d& b0,
                                         const Vec3d& c0, const Vec3d& p1, const Vec3d& a1,
                                         const Vec3d& b1, const Vec3d& c1,
                                         const CollideOptions& options = {});

/// Whether edges (p, q) and (r, s) may touch at some time in [0, 1].
CollideResult may_collide_edge_edge(const Vec3d& p0, const Vec3d& q0, const Vec3d& r0,
                                    const Vec3d& s0, const Vec3d& p1, const Vec3d& q1,
                                    const Vec3d& r1, const Vec3d& s1,
                                    const CollideOptions& options = {});

}  // namespace haptos
