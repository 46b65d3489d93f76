#include "haptos/solve/multilevel/aggregation.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/solve/linear/block_kernels.h"
#include "haptos/system/block_room.h"

namespace haptos {
namespace {

double strength_of(const BlockMatrix& a, const BlockJacobi& diagonal, int e) {
  const BlockPattern& p = a.pattern();
  const int i = p.row(e), j = p.column(e), ni = p.size(i), nj = p.size(j);
  constexpr int kFew = internal::kSmallBlock * internal::kSmallBlock;
  double few[2 * kFew];
  double* left = ni * nj <= kFew ? few : internal::thread_room<6>(at_index(2 * ni * nj));
  double* right = left + ni * nj;
  std::fill(left, left + ni * nj, 0.0);
  std::fill(right, right + ni * nj, 0.0);
  block::add_product(ni, ni, nj, 1.0, diagonal.inverse(i), a.entry(e), left);
  block::add_product(ni, nj, nj, 1.0, a.entry(e), diagonal.inverse(j), right);
  double s = 0;
  for (int k = 0; k < ni * nj; ++k) s += left[k] * right[k];
  return s;
}

}  // namespace

void coupling_strength(const BlockMatrix& a, const BlockJacobi& diagonal, std::vector<float>& out) {
  const BlockPattern& p = a.pattern();
  out.resize(at_index(p.entry_count()));
  for_each(
      p.entry_count(),
      [&](std::ptrdiff_t k) {
        const int e = static_cast<int>(k);
        out[at_index(k)] =
            p.row(e) == p.column(e) ? 0.0f : static_cast<float>(strength_of(a, diagonal, e));
      },
      2048);
}

Aggregates aggregate(const BlockPattern& pattern, const std::vector<float>& strength,
                     float threshold, const std::vector<char>& alone) {
  const int n = pattern.block_count();
  Aggregates g;
  g.of.assign(at_index(n), -1);
  // Calls f(neighbour, strength) for the strong couplings of block i.
  const auto neighbours = [&](int i, const auto& f) {
    for (int e = pattern.row_begin(i); e < pattern.diagonal(i); ++e)
      if (strength[at_index(e)] > threshold) f(pattern.column(e), strength[at_index(e)]);
    for (int k = pattern.column_begin(i); k < pattern.column_end(i); ++k) {
      const int e = pattern.column_entry(k);
      if (strength[at_index(e)] > threshold) f(pattern.row(e), strength[at_index(e)]);
    }
  };
  const auto is_alone = [&](int i) { return !alone.empty() && alone[at_index(i)]; };
  for (int i = 0; i < n; ++i)
    if (is_alone(i)) g.of[at_index(i)] = g.count++;
  // A block whose neighbours are all free forms an aggregate with them.
  for (int i = 0; i < n; ++i) {
    if (g.of[at_index(i)] >= 0) continue;
    bool free = true, any = false;
    neighbours(i, [&](int j, float) {
      if (is_alone(j)) return;
      any = true;
      free = free && g.of[at_index(j)] < 0;
    });
    if (!free || !any) continue;
    g.of[at_index(i)] = g.count;
    neighbours(i, [&](int j, float) {
      if (!is_alone(j)) g.of[at_index(j)] = g.count;
    });
    ++g.count;
  }
  // What is left joins the aggregate that it is coupled to most strongly.
  const std::vector<int> first = g.of;
  for (int i = 0; i < n; ++i) {
    if (first[at_index(i)] >= 0) continue;
    float best = 0;
    neighbours(i, [&](int j, float s) {
      if (is_alone(j) || first[at_index(j)] < 0 || s <= best) return;
      best = s;
      g.of[at_index(i)] = first[at_index(j)];
    });
  }
  // And what has no such neighbour forms aggregates with others like it.
  for (int i = 0; i < n; ++i) {
    if (g.of[at_index(i)] >= 0) continue;
    bool any = false;
    neighbours(i, [&](int j, float) { any = any || g.of[at_index(j)] < 0; });
    if (!any) continue;
    g.of[at_index(i)] = g.count;
    neighbours(i, [&](int j, float) {
      if (g.of[at_index(j)] < 0) g.of[at_index(j)] = g.count;
    });
    ++g.count;
  }
  return g;
}

}  // namespace haptos
