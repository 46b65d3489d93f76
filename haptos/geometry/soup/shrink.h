// A body made smaller by its layer, so that the layer ends where the body did.
//
// Every vertex moves to the nearest point that is the width r inside of all faces near it: the
// shortest x with
//
//   n_i . (v + x - q_i) <= -r
//
// over the faces that meet in the vertex, and then over those that are still nearer than r, one
// after the other. So flat faces move by r, edges and corners are mitred, and a layer about the
// result is the body with its convex edges rounded by r.
//
// Where a body is thinner than 2 r there is no such point. A vertex then goes as far as it can: by
// the part t of x where nothing is nearer than t r. There the layer stands out of the body by
// (1 - t) r. No vertex moves by more than 3 r, so that the tip of a needle does not run through the
// body. Where a vertex runs through an edge beside it, the edge is turned to join it to what is
// beyond; where that does not help vertices go less far, until no triangle is turned over.
#pragma once

#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

/// What shrinking left.
struct Shrunk {
  int held = 0;           ///< vertices that could not move as far as they should
  double stands_out = 0;  ///< by how much the layer stands out there at most [m]
};

/// Moves the vertices of `mesh` by the layer `by` [m].
/// @param part  of each triangle, the part of the surface that it belongs to, whose triangles face
///        outward; -1: it has no inside, and moves only with vertices that it shares
Shrunk shrink(TriMesh& mesh, const std::vector<int>& part, double by);

}  // namespace haptos
