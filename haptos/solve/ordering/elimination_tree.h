// Elimination tree, column counts and supernodes of a block-sparse Cholesky factor.
//
// Tree after Liu (ACM TOMS 12, 1986), counts after Gilbert, Ng and Peyton (SIAM J. Matrix Anal.
// Appl. 15, 1994) with weighted vertices, so neither forms the factor. A supernode is a set of
// columns eliminated in one dense front; a child is merged into its parent where a model of the
// running time says that one larger front costs less than two, explicit zeros included.
#pragma once

#include <vector>

#include "haptos/solve/ordering/ordering.h"

namespace haptos {

/// A tree of fronts; children before parents, each subtree a contiguous range.
struct FrontTree {
  struct Front {
    int first, count;     ///< its blocks: order[first .. first + count)
    int pivots, updates;  ///< scalars eliminated and passed on
    int parent;           ///< or -1
  };
  std::vector<int> order;  ///< block eliminated k-th
  std::vector<Front> fronts;
  double modelled_time = 0;  ///< s, one core
};

/// Modelled seconds to assemble and eliminate a front, and to add its update to the parent. The
/// constants are part of the plan, not of the machine, so every machine takes the same bits.
double front_time(double pivots, double updates);

/// @param elimination  block eliminated k-th; the tree's order is an equivalent one
FrontTree front_tree(const BlockGraph& graph, const std::vector<int>& elimination);

}  // namespace haptos
