// Aggregates of blocks that are strongly coupled, read from the matrix itself.
//
// The strength of a coupling is unit-free: s_ij = |L_i^-1 A_ij L_j^-T|_F with A_ii = L_i L_i^T,
// that is s_ij^2 = tr(A_ii^-1 A_ij A_jj^-1 A_ji). A stiff contact at node i makes its own direction
// weak against the elasticity and leaves the others as they are. Whatever adds to the matrix takes
// part: contact and self-contact couple like elements do.
//
// Reference: Vanek, Mandel, Brezina, Computing 56 (1996), for aggregation in three passes.
#pragma once

#include <vector>

#include "haptos/solve/linear/pcg.h"
#include "haptos/system/block_matrix.h"

namespace haptos {

/// Per entry of the lower triangle.
enum : char {
  kSmooths = 1,    ///< takes part in the smoothing of the prolongator
  kAggregates = 2  ///< strong enough to aggregate its two blocks
};

/// s_ij^2 of every entry below the diagonal, 0 on it.
void coupling_strength(const BlockMatrix& a, const BlockJacobi& diagonal, std::vector<float>& out);

struct Aggregates {
  int count = 0;
  std::vector<int> of;  ///< aggregate of each block, or -1 for one that is left to the smoother
};

/// @param strength  of every entry, from coupling_strength
/// @param threshold  couplings with s_ij^2 above it are strong
/// @param alone  blocks that form an aggregate of their own whatever their couplings, or empty
Aggregates aggregate(const BlockPattern& pattern, const std::vector<float>& strength,
                     float threshold, const std::vector<char>& alone);

}  // namespace haptos
