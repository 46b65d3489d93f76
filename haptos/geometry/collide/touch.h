// When two shapes that move along paths first touch within a step.
//
// Conservative advancement: at the time t the shapes are apart by d along n, so they are apart at
// least until t + d / c, with c the fastest that they can close along n in the rest of the step,
//
//   c = max over the rest of n . (v_b - v_a)  +  t_a  +  t_b,
//   t = min(m, max over x of x . (n x w) + m |w| (1 - t)),   m = |n x w| r
//
// v the rates of the origins of their frames, w of their turns, x the points of each core from its
// origin, r how far they are from it at most (w of a with the other sign). From there the distance
// is taken anew. Shapes that pass each other are soon apart along a direction that they do not
// close in, and the search ends.
//
// Source: Mirtich, Impulse-based dynamic simulation of rigid body systems, 1996, chapter 2; with
// the direction of the distance as in van den Bergen, Ray casting against general convex objects,
// 2004. Limits: as collide.h; triangles of a mesh touch in front only.
#pragma once

#include "haptos/geometry/collide/collide.h"

namespace haptos {

/// The motion of a frame over a step, t from 0 to 1: it turns at a constant rate, its origin moves
/// along a parabola (so that both ends and the velocity at the start are exact).
struct ShapePath {
  Pose start;
  Vec3d rate{{0, 0, 0}};  ///< of the origin at the start, per step [m]
  Vec3d way{{0, 0, 0}};   ///< of the origin over the step [m]
  Vec3d turn{{0, 0, 0}};  ///< rotation vector over the step, world [rad]

  /// From one pose to another by the shorter turn.
  static ShapePath between(const Pose& start, const Pose& end, const Vec3d& rate);
  Pose at(double t) const;
  /// Of the origin, per step [m].
  Vec3d speed(double t) const { return rate + (way - rate) * (2 * t); }
};

/// Whether two shapes that start apart come within `tolerance` [m] of each other up to the time
/// `end`, and at which t. At least one is convex. Until `apart` they are known not to; what has a
/// field is looked at from the start all the same.
bool first_touch(const CollisionShape& a, const ShapePath& path_a, const CollisionShape& b,
                 const ShapePath& path_b, double tolerance, double& t, double end = 1,
                 double apart = 0);

/// An upper bound of how fast the shapes close along the unit vector n (from b to a) from the start
/// to `end`, per step [m].
double closing(const CollisionShape& a, const ShapePath& path_a, const CollisionShape& b,
               const ShapePath& path_b, const Vec3d& n, double end = 1);

/// Appends to `out` the samples of two convex shapes along a given unit direction n (from b to a)
/// where they face each other flatly: at most `max_points`, with gaps up to `margin`. Nothing else
/// than collide() where n is the direction of their distance.
void collide_along(const CollisionShape& a, const Pose& pose_a, const CollisionShape& b,
                   const Pose& pose_b, const Vec3d& n, double margin,
                   std::vector<ContactSample>& out, int max_points = 4);

/// Whether the surface of a shape has a flat part whose outward normal is n but for 10 mrad; n
/// becomes that normal. For meshes and height fields: one between x and x + n above.
bool find_face(const CollisionShape& s, const Pose& pose, const Vec3d& x, double above, Vec3d& n);

/// The largest n . x over the points x of a shape: of its box for meshes and height fields [m].
double highest(const CollisionShape& s, const Pose& pose, const Vec3d& n);

}  // namespace haptos
