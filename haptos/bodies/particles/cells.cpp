#include "haptos/bodies/particles/cells.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/bodies/particles/spline.h"

namespace haptos {
namespace {

// Beyond so many cells from the origin points share one.
constexpr double kFarthest = 1e9;

bool before(const Vec3i& a, const Vec3i& b) {
  if (a[0] != b[0]) return a[0] < b[0];
  if (a[1] != b[1]) return a[1] < b[1];
  return a[2] < b[2];
}

bool same(const Vec3i& a, const Vec3i& b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

}  // namespace

void Cells::sort(const std::vector<Vec3d>& x, double size) {
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  base_.resize(x.size());
  for_each(n, [&](std::ptrdiff_t p) {
    for (int c = 0; c < 3; ++c)
      base_[at_index(p)][c] =
          static_cast<int>(clamp(spline_base(x[at_index(p)][c] / size), -kFarthest, kFarthest));
  });
  order_.resize(x.size());
  for (std::ptrdiff_t p = 0; p < n; ++p) order_[at_index(p)] = static_cast<int>(p);
  std::sort(order_.begin(), order_.end(), [&](int a, int b) {
    const Vec3i &u = base_[at_index(a)], &v = base_[at_index(b)];
    return same(u, v) ? a < b : before(u, v);
  });
  cells_.clear();
  for (int k = 0; k < static_cast<int>(n); ++k) {
    const Vec3i& base = base_[at_index(order_[at_index(k)])];
    if (cells_.empty() || !same(cells_.back().base, base)) cells_.push_back({base, k, k});
    cells_.back().end = k + 1;
  }
  find_nodes();
  find_neighbours();
}

void Cells::find_nodes() {
  nodes_.clear();
  for (const Cell& c : cells_)
    for (int n = 0; n < kNodes; ++n)
      nodes_.push_back({{c.base[0] + n / 9, c.base[1] + n / 3 % 3, c.base[2] + n % 3}});
  std::sort(nodes_.begin(), nodes_.end(), before);
  nodes_.erase(std::unique(nodes_.begin(), nodes_.end(), same), nodes_.end());
  of_cell_.resize(cells_.size());
  for_each(
      static_cast<std::ptrdiff_t>(cells_.size()),
      [&](std::ptrdiff_t c) {
        const Vec3i& base = cells_[at_index(c)].base;
        for (int row = 0; row < 9; ++row) {
          const Vec3i first = {{base[0] + row / 3, base[1] + row % 3, base[2]}};
          const int at = static_cast<int>(
              std::lower_bound(nodes_.begin(), nodes_.end(), first, before) - nodes_.begin());
          for (int k = 0; k < 3; ++k) of_cell_[at_index(c)][at_index(3 * row + k)] = at + k;
        }
      },
      64);
  first_part_.assign(nodes_.size() + 1, 0);
  for (const auto& of : of_cell_)
    for (const int i : of) ++first_part_[at_index(i) + 1];
  for (std::size_t i = 0; i < nodes_.size(); ++i) first_part_[i + 1] += first_part_[i];
  parts_.resize(at_index(first_part_.back()));
  std::vector<int> next(first_part_.begin(), first_part_.end() - 1);
  for (int c = 0; c < cell_count(); ++c)
    for (int n = 0; n < kNodes; ++n)
      parts_[at_index(next[at_index(of_cell_[at_index(c)][at_index(n)])]++)] = {c, n};
}

void Cells::find_neighbours() {
  neighbour_.assign(kOffsets * nodes_.size(), -1);
  for_each(
      static_cast<std::ptrdiff_t>(nodes_.size()),
      [&](std::ptrdiff_t i) {
        for (const Part* p = parts_begin(static_cast<int>(i)); p != parts_end(static_cast<int>(i));
             ++p)
          for (int b = 0; b <= p->node; ++b)
            neighbour_[at_index(kOffsets * i + offset(p->node, b))] =
                of_cell_[at_index(p->cell)][at_index(b)];
      },
      64);
}

}  // namespace haptos
