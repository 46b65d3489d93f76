// Signed distance between two convex cores: GJK outside, EPA inside.
//
//   distance = max over unit n of  -h(-n),   h(d) = max over points a - b of d . (a - b)
//
// The Minkowski difference A - B holds the origin when the cores overlap. GJK walks to its point
// nearest the origin on simplices of at most four points; EPA grows a polytope inside it until the
// face nearest to the origin is a face of the difference.
//
// Sources: Gilbert, Johnson and Keerthi, 1988; van den Bergen, Proximity queries and penetration
// depth computation on 3D game objects, 2001. The point of a simplex nearest to the origin is the
// best over its triangles (geometry/query/closest.h), and not by a chain of signs, which round-off
// breaks.
//
// Accuracy: between polytopes to round-off (some 1e-15 of the extents); with curved cores the
// distance to 1e-10 of the extents.
#pragma once

#include "haptos/geometry/convex/convex.h"

namespace haptos {

/// Two cores in the frame of the first.
struct CorePair {
  const Convex* a;
  const Convex* b;
  Mat3d r;  ///< turns coordinates of b's frame into a's
  Vec3d p;  ///< origin of b's frame in a's [m]
};

struct MinkowskiPoint {
  Vec3d w, a, b;           ///< w = a - b, in a's frame [m]
  int vertex_a, vertex_b;  ///< of polytopes, else -1
};

/// Witness of distance or depth, in a's frame.
struct Witness {
  double distance = 0;               ///< of the cores; negative: depth [m]
  Vec3d n{{0, 0, 1}};                ///< unit, from b to a
  Vec3d a, b;                        ///< points of the cores, a - b = distance n
  int vertex_a = -1, vertex_b = -1;  ///< extreme vertices of polytopes along -n and n
  std::int64_t feature_a = 0, feature_b = 0;
  bool beyond = false;    ///< farther apart than the limit; nothing else is set
  bool converged = true;  ///< false: iterations were used up, distance is a bound
};

/// @param limit stop once the cores are known to be farther apart than this [m].
Witness signed_distance(const CorePair& pair, double limit);

namespace detail {
MinkowskiPoint minkowski(const CorePair& pair, const Vec3d& d, int& hint_a, int& hint_b);
/// Depth and direction from a simplex of 1 to 4 points about the origin (nearly).
Witness penetration(const CorePair& pair, const MinkowskiPoint* simplex, int count);
/// Newton on the gap along n, sharpens n where both cores are smooth about the points in contact.
/// Does nothing for polytopes, and never makes the gap worse.
void polish(const CorePair& pair, Witness& w);
/// Fills points and features of a witness from a simplex with weights; n and distance are set.
void finish(const CorePair& pair, const MinkowskiPoint* simplex, const double* weight, int count,
            Witness& out);
}  // namespace detail

}  // namespace haptos
