#include "haptos/system/block_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"

namespace haptos {
namespace {

[[noreturn]] void fail(std::string element, std::string value, std::string rule,
                       std::string remedy) {
  Diagnostic d;
  d.element = std::move(element);
  d.value = std::move(value);
  d.rule = std::move(rule);
  d.remedy = std::move(remedy);
  throw InputError(std::move(d));
}

// Below this many values one thread is faster than handing rows out.
constexpr std::ptrdiff_t kParallelValues = 200000;

// y += B x and, where `other` is given, its mirror image; row-major B, columns in order.
template <int kRows, int kColumns>
inline void add_product(const double* b, int rows, int columns, const double* x, double* y) {
  if constexpr (kRows > 0) {
    rows = kRows;
    columns = kColumns;
  }
  for (int r = 0; r < rows; ++r) {
    double s = y[r];
    for (int c = 0; c < columns; ++c) s = std::fma(b[r * columns + c], x[c], s);
    y[r] = s;
  }
}

// y += B^T x; rows in order.
template <int kRows, int kColumns>
inline void add_transposed_product(const double* b, int rows, int columns, const double* x,
                                   double* y) {
  if constexpr (kRows > 0) {
    rows = kRows;
    columns = kColumns;
  }
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) y[c] = std::fma(b[r * columns + c], x[r], y[c]);
}

inline void product(const double* b, int rows, int columns, const double* x, double* y) {
  if (rows == 3 && columns == 3)
    add_product<3, 3>(b, 3, 3, x, y);
  else
    add_product<0, 0>(b, rows, columns, x, y);
}
inline void transposed_product(const double* b, int rows, int columns, const double* x, double* y) {
  if (rows == 3 && columns == 3)
    add_transposed_product<3, 3>(b, 3, 3, x, y);
  else
    add_transposed_product<0, 0>(b, rows, columns, x, y);
}

}  // namespace

BlockPattern::BlockPattern(std::vector<int> block_sizes,
                           const std::vector<std::array<int, 2>>& couplings)
    : size_(std::move(block_sizes)) {
  const std::size_t n = size_.size();
  constexpr std::int64_t kLimit = std::numeric_limits<int>::max();
  if (static_cast<std::int64_t>(n) >= kLimit ||
      static_cast<std::int64_t>(couplings.size()) >= kLimit)
    fail("block pattern", std::to_string(n) + " blocks", "must have fewer than 2^31 of each",
         "split the system");
  std::int64_t total = 0;
  for (std::size_t b = 0; b < n; ++b) {
    if (size_[b] < 1 || size_[b] > kMaxBlockSize)
      fail("block " + std::to_string(b), "size " + std::to_string(size_[b]),
           "must be between 1 and " + std::to_string(kMaxBlockSize),
           "split the unknowns of this body into smaller blocks");
    total += size_[b];
  }
  if (total >= kLimit)
    fail("block pattern", std::to_string(total) + " unknowns", "must be fewer than 2^31",
         "split the system");
  offset_.resize(n + 1, 0);
  for (std::size_t b = 0; b < n; ++b) offset_[b + 1] = offset_[b] + size_[b];

  // Bucket the couplings by row, then sort each row and drop duplicates.
  const int blocks = static_cast<int>(n);
  std::vector<int> count(n + 1, 0);
  for (std::size_t k = 0; k < couplings.size(); ++k) {
    const auto [a, b] = couplings[k];
    if (a < 0 || b < 0 || a >= blocks || b >= blocks)
      fail("coupling " + std::to_string(k),
           "(" + std::to_string(a) + ", " + std::to_string(b) + ")",
           "must name blocks from 0 to " + std::to_string(blocks - 1),
           "check the numbering of the bodies");
    if (a != b) ++count[static_cast<std::size_t>(std::max(a, b)) + 1];
  }
  for (std::size_t b = 0; b < n; ++b) count[b + 1] += count[b];
  std::vector<int> bucket(static_cast<std::size_t>(count[n]));
  std::vector<int> fill(count.begin(), count.end());
  for (const auto& [a, b] : couplings)
    if (a != b)
      bucket[static_cast<std::size_t>(fill[static_cast<std::size_t>(std::max(a, b))]++)] =
          std::min(a, b);
  row_begin_.resize(n + 1, 0);
  column_.reserve(bucket.size() + n);
  row_.reserve(bucket.size() + n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto begin = bucket.begin() + count[i], end = bucket.begin() + count[i + 1];
    std::sort(begin, end);
    column_.insert(column_.end(), begin, std::unique(begin, end));
    column_.push_back(static_cast<int>(i));
    row_.resize(column_.size(), static_cast<int>(i));
    row_begin_[i + 1] = static_cast<int>(column_.size());
  }

  const std::size_t entries = column_.size();
  value_offset_.resize(entries + 1, 0);
  for (std::size_t e = 0; e < entries; ++e)
    value_offset_[e + 1] =
        value_offset_[e] + std::ptrdiff_t(size(row_[e])) * std::ptrdiff_t(size(column_[e]));

  column_begin_.resize(n + 1, 0);
  for (std::size_t e = 0; e < entries; ++e)
    if (row_[e] != column_[e]) ++column_begin_[static_cast<std::size_t>(column_[e]) + 1];
  for (std::size_t b = 0; b < n; ++b) column_begin_[b + 1] += column_begin_[b];
  column_entry_.resize(entries - n);
  fill.assign(column_begin_.begin(), column_begin_.end());
  for (std::size_t e = 0; e < entries; ++e)
    if (row_[e] != column_[e])
      column_entry_[static_cast<std::size_t>(fill[static_cast<std::size_t>(column_[e])]++)] =
          static_cast<int>(e);
}

int BlockPattern::find(int i, int j) const {
  if (i < 0 || j < 0 || i >= block_count() || j > i) return -1;
  const auto begin = column_.begin() + row_begin(i), end = column_.begin() + row_end(i);
  const auto at = std::lower_bound(begin, end, j);
  return at != end && *at == j ? static_cast<int>(at - column_.begin()) : -1;
}

BlockMatrix::BlockMatrix(std::shared_ptr<const BlockPattern> pattern)
    : pattern_(std::move(pattern)),
      values_(static_cast<std::size_t>(pattern_->value_count()), 0.0) {}

void BlockMatrix::set_zero() { std::fill(values_.begin(), values_.end(), 0.0); }

void BlockMatrix::add(int i, int j, const double* block) {
  const int e = i >= j ? pattern_->find(i, j) : pattern_->find(j, i);
  if (e < 0)
    fail("coupling", "(" + std::to_string(i) + ", " + std::to_string(j) + ")",
         "must be in the pattern of the matrix", "declare the coupling before assembly");
  double* to = entry(e);
  const int rows = pattern_->size(i), columns = pattern_->size(j);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      to[i >= j ? r * columns + c : c * rows + r] += block[r * columns + c];
}

void BlockMatrix::add_diagonal(double value) {
  for (int b = 0; b < pattern_->block_count(); ++b) {
    double* d = entry(pattern_->diagonal(b));
    const int n = pattern_->size(b);
    for (int r = 0; r < n; ++r) d[r * n + r] += value;
  }
}

// Rows on their own: what stands below the diagonal in a column is read a second time.
void BlockMatrix::multiply_rows(int begin, int end, const double* x, double* y) const {
  const BlockPattern& p = *pattern_;
  for (int i = begin; i < end; ++i) {
    double* yi = y + p.offset(i);
    std::fill(yi, yi + p.size(i), 0.0);
    for (int e = p.row_begin(i); e < p.row_end(i); ++e)
      product(entry(e), p.size(i), p.size(p.column(e)), x + p.offset(p.column(e)), yi);
    for (int k = p.column_begin(i); k < p.column_end(i); ++k) {
      const int e = p.column_entry(k), r = p.row(e);
      transposed_product(entry(e), p.size(r), p.size(i), x + p.offset(r), yi);
    }
  }
}

// One pass over the values. Row i meets its own blocks first and those of later rows after, the
// order of multiply_rows, so the bits agree.
void BlockMatrix::multiply_once(const double* x, double* y) const {
  const BlockPattern& p = *pattern_;
  for (int i = 0; i < p.block_count(); ++i) {
    const int rows = p.size(i);
    const double* xi = x + p.offset(i);
    double* yi = y + p.offset(i);
    if (rows == 3) {
      double s0 = 0, s1 = 0, s2 = 0;
      const double x0 = xi[0], x1 = xi[1], x2 = xi[2];
      for (int e = p.row_begin(i); e < p.row_end(i); ++e) {
        const int j = p.column(e), columns = p.size(j);
        const double* b = entry(e);
        const double* xj = x + p.offset(j);
        double* yj = y + p.offset(j);
        const bool below = j < i;
        const auto column = [&](int c, int width) {
          const double b0 = b[c], b1 = b[width + c], b2 = b[2 * width + c];
          s0 = std::fma(b0, xj[c], s0);
          s1 = std::fma(b1, xj[c], s1);
          s2 = std::fma(b2, xj[c], s2);
          if (below) yj[c] = std::fma(b2, x2, std::fma(b1, x1, std::fma(b0, x0, yj[c])));
        };
        if (columns == 3) {
          column(0, 3);
          column(1, 3);
          column(2, 3);
        } else {
          for (int c = 0; c < columns; ++c) column(c, columns);
        }
      }
      yi[0] = s0;
      yi[1] = s1;
      yi[2] = s2;
    } else {
      std::fill(yi, yi + rows, 0.0);
      for (int e = p.row_begin(i); e < p.row_end(i); ++e) {
        const int j = p.column(e);
        product(entry(e), rows, p.size(j), x + p.offset(j), yi);
        if (j < i) transposed_product(entry(e), rows, p.size(j), xi, y + p.offset(j));
      }
    }
  }
}

void BlockMatrix::multiply(const double* x, double* y) const {
  if (thread_count() == 1 || pattern_->value_count() < kParallelValues) {
    multiply_once(x, y);
    return;
  }
  constexpr int kRows = 256;
  const int chunks = (pattern_->block_count() + kRows - 1) / kRows;
  for_each(
      chunks,
      [&](std::ptrdiff_t c) {
        const int begin = static_cast<int>(c) * kRows;
        multiply_rows(begin, std::min(begin + kRows, pattern_->block_count()), x, y);
      },
      1);
}

}  // namespace haptos
