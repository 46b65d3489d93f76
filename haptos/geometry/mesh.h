// Meshes as plain arrays. Lengths are metres unless a reader is told otherwise.
#pragma once

#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

/// A triangle surface. A closed surface has its triangles counter-clockwise seen from outside.
/// Beside triangles, or in place of them, it may have segments and points, which have no thickness:
/// pins, wires, needles that a soft body is pressed onto. Vertices that nothing names mean nothing.
struct TriMesh {
  std::vector<Vec3d> vertices;       ///< [m], (V, 3)
  std::vector<Vec3i> triangles;      ///< vertex indices, (T, 3)
  std::vector<Vec2i> segments = {};  ///< vertex indices, (S, 2)
  std::vector<int> points = {};      ///< vertex indices, (P)

  /// Whether it holds nothing but triangles.
  bool only_triangles() const { return segments.empty() && points.empty(); }
  bool empty() const { return triangles.empty() && only_triangles(); }
};

/// A tetrahedral volume. Tetrahedron (a, b, c, d) has (b-a) x (c-a) . (d-a) > 0.
struct TetMesh {
  std::vector<Vec3d> vertices;  ///< [m], (V, 3)
  std::vector<Vec4i> tets;      ///< vertex indices, (T, 4)
};

}  // namespace haptos
