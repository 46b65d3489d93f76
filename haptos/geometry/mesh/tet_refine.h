// Red refinement: every tetrahedron is cut into eight, four at its corners and four from the
// octahedron between them, which is cut along its shortest diagonal (the first of equals in the
// order ab-cd, ac-bd, ad-bc). Children fill the parent, so volumes add up, and neighbours conform.
#pragma once

#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

struct RefinedTets {
  TetMesh mesh;              ///< old vertices first, then one at the middle of each edge
  std::vector<int> parent;   ///< tetrahedra 8p .. 8p + 7 come from tetrahedron p, (8 T)
  std::vector<Vec2i> edges;  ///< the old edge (low, high) whose middle is vertex V + i, sorted
};

/// One level of refinement. All children are positively oriented if their parent is.
/// Throws InputError when a tetrahedron names a vertex that does not exist or when the result would
/// not fit 32-bit indices.
RefinedTets refine(const TetMesh& mesh);

}  // namespace haptos
