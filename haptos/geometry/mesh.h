// Meshes as plain arrays. Lengths are metres unless a reader is told otherwise.
#pragma once

#include <vector>

#include "haptos/base/math.h"

namespace haptos {

/// A triangle surface. A closed surface has its triangles counter-clockwise seen from outside.
struct TriMesh {
  std::vector<Vec3d> vertices;   ///< [m], (V, 3)
  std::vector<Vec3i> triangles;  ///< vertex indices, (T, 3)
};

/// A tetrahedral volume. Tetrahedron (a, b, c, d) has (b-a) x (c-a) . (d-a) > 0.
struct TetMesh {
  std::vector<Vec3d> vertices;  ///< [m], (V, 3)
  std::vector<Vec4i> tets;      ///< vertex indices, (T, 4)
};

}  // namespace haptos
