// The coat of a gel as sensors use it: its triangles, numbered over the nodes that they use.
//
// A vertex's area is a third of the triangles about it, so that the integral of a field that is
// linear over each triangle is the sum of its vertex values times these areas. A vertex's normal is
// the area-weighted mean of those of its triangles.
#pragma once

#include <span>
#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

struct Coat {
  int node_count = 0;            ///< of the gel
  std::vector<int> node;         ///< of each vertex of the coat, in order of first use (N)
  std::vector<Vec3i> triangles;  ///< into `node`, counter-clockwise seen from outside

  Coat() = default;
  /// @param nodes  of the gel; @param coat  triangles into them
  /// Throws InputError for a triangle that names no node.
  Coat(std::size_t nodes, std::span<const Vec3i> coat);

  std::size_t size() const { return node.size(); }
  /// Picks the coat's entries of a value per node of the gel; throws InputError for another count.
  std::vector<Vec3d> gather(std::span<const Vec3d> values) const;
};

/// Areas [m2] of triangles and of vertices, and unit normals of vertices, of a coat at x (N).
struct CoatShape {
  std::vector<double> triangle_area, vertex_area;
  std::vector<Vec3d> normal;
};
CoatShape shape_of(const Coat& coat, const std::vector<Vec3d>& x);

}  // namespace haptos
