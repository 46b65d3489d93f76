// How far points lie from a triangle surface, for example to measure how well one surface follows
// another.
//
//   d(p, S) = min over the triangles t of S of |p - closest point of t|
//
// Host code: a box tree over the triangles, one query a point. The result is a function of the
// points and the surface alone, whatever the number of threads.
#pragma once

#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

/// The distance of each point to the nearest point of the surface [m], without sign.
/// Throws InputError for a surface without triangles, for a triangle that names a missing vertex,
/// and for coordinates that are not finite.
std::vector<double> distance_to_surface(const std::vector<Vec3d>& points, const TriMesh& surface);

}  // namespace haptos
