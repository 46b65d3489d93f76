#include "haptos/solve/multilevel/prolongation.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/solve/linear/block_kernels.h"
#include "haptos/system/block_room.h"

namespace haptos {
namespace {

constexpr int kGrain = 128;  // rows that are worth handing to another thread

// Calls f(j, e, transposed) for every block (i, j) of a row of the whole symmetric matrix.
template <class F>
void for_row(const BlockPattern& p, int i, const F& f) {
  for (int e = p.row_begin(i); e < p.row_end(i); ++e) f(p.column(e), e, false);
  for (int k = p.column_begin(i); k < p.column_end(i); ++k) {
    const int e = p.column_entry(k);
    f(p.row(e), e, true);
  }
}

// Collects the distinct columns of one row after the other, ascending.
class RowCollector {
 public:
  explicit RowCollector(int columns) : seen_(at_index(columns), -1) {}
  void start(int row) {
    row_ = row;
    columns_.clear();
  }
  void add(int column) {
    if (seen_[at_index(column)] == row_) return;
    seen_[at_index(column)] = row_;
    columns_.push_back(column);
  }
  const std::vector<int>& sorted() {
    std::sort(columns_.begin(), columns_.end());
    return columns_;
  }

 private:
  std::vector<int> seen_, columns_;
  int row_ = -1;
};

void append(BlockRows& m, const std::vector<int>& columns, int rows,
            const std::vector<int>& column_size) {
  for (int c : columns) {
    m.column.push_back(c);
    m.offset.push_back(m.offset.back() + std::ptrdiff_t(rows) * column_size[at_index(c)]);
  }
  m.row_begin.push_back(static_cast<int>(m.column.size()));
}

void start(BlockRows& m) {
  m.row_begin.assign(1, 0);
  m.column.clear();
  m.offset.assign(1, 0);
}

void finish(BlockRows& m) {
  m.column.shrink_to_fit();
  m.offset.shrink_to_fit();
  m.values.assign(at_index(m.offset.back()), 0.0);
  m.values.shrink_to_fit();
}

// The entry of `column` in a row, from `k` on; columns ascend.
inline int advance_to(const BlockRows& m, int k, int column) {
  while (m.column[at_index(k)] < column) ++k;
  return k;
}

}  // namespace

std::size_t BlockRows::bytes() const {
  return (row_begin.size() + column.size()) * sizeof(int) + offset.size() * sizeof(std::ptrdiff_t) +
         values.size() * sizeof(double);
}

void Prolongation::couple(const BlockPattern& fine, const std::vector<float>& strength,
                          float negligible) {
  const int n = fine.block_count(), groups = aggregates_.count;
  smooths_.resize(at_index(fine.entry_count()));
  for (int e = 0; e < fine.entry_count(); ++e)
    smooths_[at_index(e)] =
        fine.row(e) == fine.column(e) || strength[at_index(e)] > negligible ? 1 : 0;
  RowCollector row(groups);
  start(p_);
  for (int i = 0; i < n; ++i) {
    row.start(i);
    for_row(fine, i, [&](int j, int e, bool) {
      const int g = aggregates_.of[at_index(j)];
      if (g >= 0 && smooths_[at_index(e)]) row.add(g);
    });
    append(p_, row.sorted(), fine.size(i), coarse_size_);
  }
  finish(p_);

  RowCollector product(groups);
  start(ap_);
  for (int i = 0; i < n; ++i) {
    product.start(i);
    for_row(fine, i, [&](int j, int, bool) {
      for (int k = p_.row_begin[at_index(j)]; k < p_.row_begin[at_index(j) + 1]; ++k)
        product.add(p_.column[at_index(k)]);
    });
    append(ap_, product.sorted(), fine.size(i), coarse_size_);
  }
  finish(ap_);

  row_of_begin_.assign(at_index(groups) + 1, 0);
  for (int c : p_.column) ++row_of_begin_[at_index(c) + 1];
  for (int g = 0; g < groups; ++g) row_of_begin_[at_index(g) + 1] += row_of_begin_[at_index(g)];
  row_of_.resize(p_.column.size());
  entry_of_.resize(p_.column.size());
  std::vector<int> fill(row_of_begin_.begin(), row_of_begin_.end());
  for (int i = 0; i < n; ++i)
    for (int k = p_.row_begin[at_index(i)]; k < p_.row_begin[at_index(i) + 1]; ++k) {
      const int to = fill[at_index(p_.column[at_index(k)])]++;
      row_of_[at_index(to)] = i;
      entry_of_[at_index(to)] = k;
    }

  RowCollector coarse(groups);
  std::vector<std::array<int, 2>> couplings;
  for (int g = 0; g < groups; ++g) {
    coarse.start(g);
    for (int t = row_of_begin_[at_index(g)]; t < row_of_begin_[at_index(g) + 1]; ++t) {
      const int i = row_of_[at_index(t)];
      for (int k = ap_.row_begin[at_index(i)]; k < ap_.row_begin[at_index(i) + 1]; ++k)
        if (ap_.column[at_index(k)] < g) coarse.add(ap_.column[at_index(k)]);
    }
    for (int c : coarse.sorted()) couplings.push_back({g, c});
  }
  pattern_ = std::make_shared<const BlockPattern>(coarse_size_, couplings);
}

// P_i = P_0i - w D_i^-1 sum_j A_ij P_0j.
void Prolongation::smooth_row(const BlockMatrix& a, const BlockJacobi& diagonal, double w, int i) {
  const BlockPattern& f = a.pattern();
  const int ni = f.size(i), begin = p_.row_begin[at_index(i)], end = p_.row_begin[at_index(i) + 1];
  if (begin == end) return;
  constexpr int kFew = internal::kSmallBlock * internal::kSmallBlock;
  double few[kFew];
  for (int k = begin; k < end; ++k) {
    const int g = p_.column[at_index(k)], ng = coarse_size_[at_index(g)];
    std::fill(p_.block(k), p_.block(k) + ni * ng, 0.0);
  }
  for_row(f, i, [&](int j, int e, bool transposed) {
    const int g = aggregates_.of[at_index(j)];
    if (g < 0 || !smooths_[at_index(e)]) return;
    const int ng = coarse_size_[at_index(g)];
    const auto k =
        std::lower_bound(p_.column.begin() + begin, p_.column.begin() + end, g) - p_.column.begin();
    const double* basis = basis_.data() + basis_offset_[at_index(j)];
    double* to = p_.block(static_cast<int>(k));
    if (transposed)
      block::add_transposed_product(ni, f.size(j), ng, 1.0, a.entry(e), basis, to);
    else
      block::add_product(ni, f.size(j), ng, 1.0, a.entry(e), basis, to);
  });
  for (int k = begin; k < end; ++k) {
    const int g = p_.column[at_index(k)], ng = coarse_size_[at_index(g)];
    double* to = p_.block(k);
    double* sum = ni * ng <= kFew ? few : internal::thread_room<7>(at_index(ni * ng));
    std::copy(to, to + ni * ng, sum);
    if (aggregates_.of[at_index(i)] == g)
      std::copy_n(basis_.data() + basis_offset_[at_index(i)], ni * ng, to);
    else
      std::fill(to, to + ni * ng, 0.0);
    block::add_product(ni, ni, ng, -w, diagonal.inverse(i), sum, to);
  }
}

void Prolongation::product_row(const BlockMatrix& a, int i) {
  const BlockPattern& f = a.pattern();
  const int ni = f.size(i), begin = ap_.row_begin[at_index(i)],
            end = ap_.row_begin[at_index(i) + 1];
  if (begin == end) return;
  std::fill(ap_.values.begin() + ap_.offset[at_index(begin)],
            ap_.values.begin() + ap_.offset[at_index(end)], 0.0);
  for_row(f, i, [&](int j, int e, bool transposed) {
    int to = begin;
    for (int k = p_.row_begin[at_index(j)]; k < p_.row_begin[at_index(j) + 1]; ++k) {
      const int g = p_.column[at_index(k)], ng = coarse_size_[at_index(g)];
      to = advance_to(ap_, to, g);
      if (transposed)
        block::add_transposed_product(ni, f.size(j), ng, 1.0, a.entry(e), p_.block(k),
                                      ap_.block(to));
      else
        block::add_product(ni, f.size(j), ng, 1.0, a.entry(e), p_.block(k), ap_.block(to));
    }
  });
}

void Prolongation::coarse_row(BlockMatrix& coarse, int g) const {
  const BlockPattern& c = *pattern_;
  const int ng = c.size(g), begin = c.row_begin(g), end = c.row_end(g);
  std::fill(coarse.entry(begin), coarse.entry(end - 1) + ng * ng, 0.0);
  for (int t = row_of_begin_[at_index(g)]; t < row_of_begin_[at_index(g) + 1]; ++t) {
    const int i = row_of_[at_index(t)], ni = fine_->size(i);
    const double* p = p_.block(entry_of_[at_index(t)]);
    int to = begin;
    for (int k = ap_.row_begin[at_index(i)]; k < ap_.row_begin[at_index(i) + 1]; ++k) {
      const int h = ap_.column[at_index(k)];
      if (h > g) break;
      while (c.column(to) < h) ++to;
      block::add_transposed_product(ng, ni, c.size(h), 1.0, p, ap_.block(k), coarse.entry(to));
    }
  }
  // Rounding leaves the diagonal block not quite symmetric. An unknown that no mode uses stands
  // alone.
  double* d = coarse.entry(end - 1);
  for (int r = 0; r < ng; ++r) {
    for (int s = 0; s < r; ++s)
      d[r * ng + s] = d[s * ng + r] = 0.5 * (d[r * ng + s] + d[s * ng + r]);
    if (d[r * ng + r] == 0) d[r * ng + r] = 1.0;
  }
}

void Prolongation::compute(const BlockMatrix& a, const BlockJacobi& diagonal, double w,
                           BlockMatrix& coarse) {
  fine_ = a.shared_pattern();
  const int n = fine_->block_count();
  for_each(
      n, [&](std::ptrdiff_t i) { smooth_row(a, diagonal, w, static_cast<int>(i)); }, kGrain);
  for_each(
      n, [&](std::ptrdiff_t i) { product_row(a, static_cast<int>(i)); }, kGrain);
  for_each(
      pattern_->block_count(), [&](std::ptrdiff_t g) { coarse_row(coarse, static_cast<int>(g)); },
      8);
}

void Prolongation::restrict_to(const double* fine, double* coarse) const {
  for_each(
      pattern_->block_count(),
      [&](std::ptrdiff_t b) {
        const int g = static_cast<int>(b), ng = pattern_->size(g);
        double* to = coarse + pattern_->offset(g);
        std::fill(to, to + ng, 0.0);
        for (int t = row_of_begin_[at_index(g)]; t < row_of_begin_[at_index(g) + 1]; ++t) {
          const int i = row_of_[at_index(t)];
          block::add_transposed_times(fine_->size(i), ng, p_.block(entry_of_[at_index(t)]),
                                      fine + fine_->offset(i), to);
        }
      },
      16);
}

void Prolongation::prolong_add(const double* coarse, double* fine) const {
  for_each(
      fine_->block_count(),
      [&](std::ptrdiff_t b) {
        const int i = static_cast<int>(b);
        for (int k = p_.row_begin[at_index(i)]; k < p_.row_begin[at_index(i) + 1]; ++k) {
          const int g = p_.column[at_index(k)];
          block::add_times(fine_->size(i), pattern_->size(g), 1.0, p_.block(k),
                           coarse + pattern_->offset(g), fine + fine_->offset(i));
        }
      },
      512);
}

std::size_t Prolongation::bytes() const {
  return p_.bytes() + ap_.bytes() + basis_.size() * sizeof(double) +
         (row_of_.size() + entry_of_.size() + row_of_begin_.size() + aggregates_.of.size()) *
             sizeof(int) +
         basis_offset_.size() * sizeof(std::ptrdiff_t) + smooths_.size() +
         coarse_.modes.size() * sizeof(double);
}

}  // namespace haptos
