// Elimination orders that keep the Cholesky factor of a symmetric sparse matrix small.
//
// Minimum degree on the quotient graph with approximate external degrees, mass elimination,
// indistinguishable vertices and aggressive absorption (Amestoy, Davis and Duff, SIAM J. Matrix
// Anal. Appl. 17, 1996); vertices carry weights (unknowns of a block), and degrees are in unknowns.
// Nested dissection by multilevel vertex separators (George 1973; Karypis and Kumar 1998; separator
// refinement after Fiduccia and Mattheyses 1982) for large meshes. Both are deterministic.
#pragma once

#include <vector>

#include "haptos/system/block_matrix.h"

namespace haptos {

/// An undirected graph in compressed rows: every edge twice, no loops.
struct BlockGraph {
  std::vector<int> begin{0};  ///< vertex_count() + 1
  std::vector<int> neighbor;
  std::vector<int> weight;  ///< unknowns of each vertex

  int vertex_count() const { return static_cast<int>(weight.size()); }
};

/// The graph of a pattern: one vertex a block, one edge a coupling.
BlockGraph graph_of(const BlockPattern& pattern);

/// The subgraph that `vertices` span, numbered as listed. `scratch` is -1 for every vertex of the
/// graph before and after.
BlockGraph subgraph(const BlockGraph& graph, const std::vector<int>& vertices,
                    std::vector<int>& scratch);

/// @return order[k], the vertex eliminated k-th
std::vector<int> minimum_degree_order(const BlockGraph& graph);

/// @param leaf  parts of at most this many vertices are ordered by minimum degree
/// @return order[k], the vertex eliminated k-th
std::vector<int> nested_dissection_order(const BlockGraph& graph, int leaf);

}  // namespace haptos
