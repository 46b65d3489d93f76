// Symmetric block-sparse matrices: square blocks on the diagonal, couplings below it.
//
// A row of blocks is what one owner of unknowns contributes (3 for a node, 6 or 12 for a body).
// Only the lower triangle is stored, by block row, columns ascending, so the diagonal block ends
// its row. The pattern is immutable and shared; values come and go every Newton iteration.
//
// Assembly: look an entry up once with BlockPattern::find(i, j) for i >= j, keep its index, and add
// into BlockMatrix::entry(e), which is row-major size(i) x size(j). A coupling known as (j, i) is
// added transposed. Diagonal blocks must be filled whole and symmetric: multiply() reads all of
// them, the Cholesky factor reads their lower triangle.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace haptos {

/// Which blocks of a symmetric matrix may be non-zero.
class BlockPattern {
 public:
  static constexpr int kMaxBlockSize = 4096;

  BlockPattern() = default;
  /// @param block_sizes  unknowns of each block, 1 to kMaxBlockSize
  /// @param couplings    pairs (i, j) of coupled blocks in any order; duplicates and the diagonal
  /// may
  ///                     be given, the diagonal is always there
  /// @throws InputError for a size out of range, a coupling to a block that does not exist, or a
  ///         matrix of more than 2^31 - 1 unknowns
  explicit BlockPattern(std::vector<int> block_sizes,
                        const std::vector<std::array<int, 2>>& couplings = {});

  int block_count() const { return static_cast<int>(size_.size()); }
  int scalar_count() const { return offset_.empty() ? 0 : offset_.back(); }
  /// Unknowns of block b.
  int size(int b) const { return size_[static_cast<std::size_t>(b)]; }
  /// First unknown of block b; offset(block_count()) is scalar_count().
  int offset(int b) const { return offset_[static_cast<std::size_t>(b)]; }

  /// Entries of the lower triangle, the diagonal included, numbered row by row.
  int entry_count() const { return static_cast<int>(column_.size()); }
  int row_begin(int i) const { return row_begin_[static_cast<std::size_t>(i)]; }
  int row_end(int i) const { return row_begin_[static_cast<std::size_t>(i) + 1]; }
  int row(int e) const { return row_[static_cast<std::size_t>(e)]; }
  int column(int e) const { return column_[static_cast<std::size_t>(e)]; }
  /// The entry of the diagonal block of row i.
  int diagonal(int i) const { return row_end(i) - 1; }
  /// The entry of block (i, j), i >= j, or -1 where the pattern has none; O(log(row length)).
  int find(int i, int j) const;

  /// Where the values of entry e begin, and how many values there are in all.
  std::ptrdiff_t value_offset(int e) const { return value_offset_[static_cast<std::size_t>(e)]; }
  std::ptrdiff_t value_count() const { return value_offset_.empty() ? 0 : value_offset_.back(); }

  /// The entries below the diagonal of column j, rows ascending: positions
  /// [column_begin(j), column_end(j)) of column_entry().
  int column_begin(int j) const { return column_begin_[static_cast<std::size_t>(j)]; }
  int column_end(int j) const { return column_begin_[static_cast<std::size_t>(j) + 1]; }
  int column_entry(int k) const { return column_entry_[static_cast<std::size_t>(k)]; }

  bool operator==(const BlockPattern& other) const {
    return size_ == other.size_ && row_begin_ == other.row_begin_ && column_ == other.column_;
  }

 private:
  std::vector<int> size_, offset_;
  std::vector<int> row_begin_, row_, column_;
  std::vector<int> column_begin_, column_entry_;
  std::vector<std::ptrdiff_t> value_offset_;
};

/// Values on a pattern.
class BlockMatrix {
 public:
  BlockMatrix() = default;
  /// All values zero.
  explicit BlockMatrix(std::shared_ptr<const BlockPattern> pattern);

  const BlockPattern& pattern() const { return *pattern_; }
  const std::shared_ptr<const BlockPattern>& shared_pattern() const { return pattern_; }

  /// The block of entry e = pattern().find(i, j): row-major, size(i) x size(j).
  double* entry(int e) { return values_.data() + pattern_->value_offset(e); }
  const double* entry(int e) const { return values_.data() + pattern_->value_offset(e); }
  double* values() { return values_.data(); }
  const double* values() const { return values_.data(); }

  void set_zero();
  /// Adds `block`, row-major size(i) x size(j), at (i, j); below and above the diagonal alike. The
  /// coupling must be in the pattern.
  void add(int i, int j, const double* block);
  /// Adds value to every diagonal scalar.
  void add_diagonal(double value);

  /// y = A x, whole symmetric matrix. The sums have a fixed order: same bits for any number of
  /// threads. x and y must not overlap.
  void multiply(const double* x, double* y) const;

 private:
  void multiply_rows(int begin, int end, const double* x, double* y) const;
  void multiply_once(const double* x, double* y) const;

  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<double> values_;
};

}  // namespace haptos
