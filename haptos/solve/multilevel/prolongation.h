// Between two levels: tentative and smoothed prolongator, and the Galerkin product.
//
//   P = (I - w D^-1 A_s) P_0,     A_c = P^T A P
//
// P_0 holds, per aggregate, an orthonormal basis of the near-null space restricted to it: the six
// rigid motions (what elasticity hardly resists) or, for a block that stands alone, its own
// unknowns. A_s keeps the couplings that are not negligible. The coefficients of the near-null
// space in that basis are the near-null space of the coarse level.
//
// Which entries there are (the symbolic part) is found once; values are redone as often as those of
// A change, without allocation.
#pragma once

#include <memory>
#include <vector>

#include "haptos/solve/multilevel/aggregation.h"
#include "haptos/system/block_matrix.h"

namespace haptos {

/// Six near-null vectors, (scalars, 6) row-major; blocks that stand alone have none.
struct NearNullSpace {
  static constexpr int kModes = 6;
  std::vector<double> modes;
  std::vector<char> alone;  ///< per block
};

/// A rectangular block-sparse matrix by rows.
struct BlockRows {
  std::vector<int> row_begin;
  std::vector<int> column;             ///< ascending within a row
  std::vector<std::ptrdiff_t> offset;  ///< of the values of each entry
  std::vector<double> values;
  double* block(int k) { return values.data() + offset[static_cast<std::size_t>(k)]; }
  const double* block(int k) const { return values.data() + offset[static_cast<std::size_t>(k)]; }
  std::size_t bytes() const;
};

class Prolongation {
 public:
  /// Finds the tentative prolongator of these aggregates. Returns whether the sizes of coarse
  /// blocks differ from the last call, so that couple() is needed.
  bool set_basis(const BlockPattern& fine, const NearNullSpace& space);
  Aggregates& aggregates() { return aggregates_; }
  const Aggregates& aggregates() const { return aggregates_; }
  /// Near-null space of the coarse level.
  const NearNullSpace& coarse_space() const { return coarse_; }

  /// Symbolic part. Entries with strength above `negligible` smooth the prolongator.
  void couple(const BlockPattern& fine, const std::vector<float>& strength, float negligible);
  const std::shared_ptr<const BlockPattern>& coarse_pattern() const { return pattern_; }

  /// Numeric part: P, then A_c into `coarse`, a matrix on coarse_pattern().
  void compute(const BlockMatrix& a, const BlockJacobi& diagonal, double w, BlockMatrix& coarse);

  /// coarse = P^T fine.
  void restrict_to(const double* fine, double* coarse) const;
  /// fine += P coarse.
  void prolong_add(const double* coarse, double* fine) const;

  std::size_t bytes() const;
  int entry_count() const { return static_cast<int>(p_.column.size()); }

 private:
  void smooth_row(const BlockMatrix& a, const BlockJacobi& diagonal, double w, int i);
  void product_row(const BlockMatrix& a, int i);
  void coarse_row(BlockMatrix& coarse, int row) const;

  std::shared_ptr<const BlockPattern> fine_, pattern_;
  Aggregates aggregates_;
  NearNullSpace coarse_;
  std::vector<int> coarse_size_;
  std::vector<double> basis_;  // P_0, block i at basis_offset_[i]
  std::vector<std::ptrdiff_t> basis_offset_;
  std::vector<char> smooths_;  // per entry of A
  BlockRows p_, ap_;
  std::vector<int> row_of_begin_, row_of_, entry_of_;  // rows and entries of P by column
};

}  // namespace haptos
