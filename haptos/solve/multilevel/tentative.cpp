// The tentative prolongator: an orthonormal basis of the near-null space per aggregate.
#include <algorithm>
#include <cmath>

#include "haptos/solve/multilevel/prolongation.h"

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

constexpr int kModes = NearNullSpace::kModes;
// A mode that is this close to the span of those before it adds nothing: a single node has three.
constexpr double kDependent = 1e-7;

// Modified Gram-Schmidt, twice, on `rows` x kModes; q gets the orthonormal columns, r (kModes x
// kModes) what the modes are in them. Returns how many columns there are.
int orthonormalise(std::vector<double>& v, int rows, double* r) {
  int rank = 0;
  std::fill(r, r + kModes * kModes, 0.0);
  const auto column_dot = [&](int a, int b) {
    double s = 0;
    for (int i = 0; i < rows; ++i)
      s = std::fma(v[at_index(i * kModes + a)], v[at_index(i * kModes + b)], s);
    return s;
  };
  for (int c = 0; c < kModes; ++c) {
    const double before = std::sqrt(column_dot(c, c));
    double coefficient[kModes] = {};
    for (int pass = 0; pass < 2; ++pass)
      for (int k = 0; k < rank; ++k) {
        const double s = column_dot(k, c);
        coefficient[k] += s;
        for (int i = 0; i < rows; ++i)
          v[at_index(i * kModes + c)] =
              std::fma(-s, v[at_index(i * kModes + k)], v[at_index(i * kModes + c)]);
      }
    for (int k = 0; k < rank; ++k) r[k * kModes + c] = coefficient[k];
    const double after = std::sqrt(column_dot(c, c));
    if (!(after > kDependent * before)) continue;
    r[rank * kModes + c] = after;
    for (int i = 0; i < rows; ++i)
      v[at_index(i * kModes + rank)] = v[at_index(i * kModes + c)] / after;
    ++rank;
  }
  return rank;
}

}  // namespace

bool Prolongation::set_basis(const BlockPattern& fine, const NearNullSpace& space) {
  const int n = fine.block_count(), groups = aggregates_.count;
  std::vector<int> begin(at_index(groups) + 1, 0), member;
  for (int i = 0; i < n; ++i)
    if (aggregates_.of[at_index(i)] >= 0) ++begin[at_index(aggregates_.of[at_index(i)]) + 1];
  for (int g = 0; g < groups; ++g) begin[at_index(g) + 1] += begin[at_index(g)];
  member.resize(at_index(begin[at_index(groups)]));
  std::vector<int> fill(begin.begin(), begin.end());
  for (int i = 0; i < n; ++i)
    if (const int g = aggregates_.of[at_index(i)]; g >= 0)
      member[at_index(fill[at_index(g)]++)] = i;

  const std::vector<int> last_sizes = std::move(coarse_size_);
  coarse_size_.assign(at_index(groups), 0);
  coarse_.alone.assign(at_index(groups), 0);
  coarse_.modes.clear();
  basis_offset_.assign(at_index(n), 0);
  basis_.clear();
  std::vector<double> v;
  for (int g = 0; g < groups; ++g) {
    const int first = begin[at_index(g)], last = begin[at_index(g) + 1];
    const int lead = member[at_index(first)];
    if (space.alone[at_index(lead)]) {
      const int size = fine.size(lead);
      coarse_size_[at_index(g)] = size;
      coarse_.alone[at_index(g)] = 1;
      coarse_.modes.resize(coarse_.modes.size() + at_index(size * kModes), 0.0);
      basis_offset_[at_index(lead)] = static_cast<std::ptrdiff_t>(basis_.size());
      for (int r = 0; r < size; ++r)
        for (int c = 0; c < size; ++c) basis_.push_back(r == c);
      continue;
    }
    v.clear();
    for (int m = first; m < last; ++m) {
      const int i = member[at_index(m)];
      const double* from = space.modes.data() + std::ptrdiff_t(fine.offset(i)) * kModes;
      v.insert(v.end(), from, from + fine.size(i) * kModes);
    }
    double r[kModes * kModes];
    const int rank = orthonormalise(v, static_cast<int>(v.size()) / kModes, r);
    // Without a mode (all held) the aggregate still needs a block: one unknown that P_0 leaves at
    // 0.
    const int size = std::max(rank, 1);
    coarse_size_[at_index(g)] = size;
    coarse_.modes.insert(coarse_.modes.end(), r, r + size * kModes);
    std::ptrdiff_t row = 0;
    for (int m = first; m < last; ++m) {
      const int i = member[at_index(m)];
      basis_offset_[at_index(i)] = static_cast<std::ptrdiff_t>(basis_.size());
      for (int k = 0; k < fine.size(i); ++k, ++row)
        for (int c = 0; c < size; ++c)
          basis_.push_back(rank > 0 ? v[at_index(row * kModes + c)] : 0.0);
    }
  }
  return coarse_size_ != last_sizes;
}

}  // namespace haptos
