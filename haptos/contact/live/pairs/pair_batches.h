// Pairs of barrier contact by sort, in packs for the kernel of affine_pair_kernel.h.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "haptos/base/math/index.h"
#include "haptos/contact/live/pairs/affine_pair_kernel.h"
#include "haptos/contact/live/pairs/stencil_pair.h"

namespace haptos::affine_pairs {

// Pairs of one sort and direction, by number.
struct Batch {
  Sort sort;
  bool corner;
  std::vector<int> pairs;
  std::ptrdiff_t groups() const {
    return static_cast<std::ptrdiff_t>((pairs.size() + kLanes - 1) / kLanes);
  }
};
using Batches = std::array<Batch, 2 * kSorts>;

inline Sort sort_of(const BarrierPair& p, const std::vector<Vec3d>& x) {
  if (p.kind != PairKind::kEdges)
    return p.target_count == 1 ? kVertex : p.target_count == 2 ? kEdge : kFace;
  const auto along = [&](const int* ends) { return x[at_index(ends[1])] - x[at_index(ends[0])]; };
  return squared_norm(cross(along(p.source.point), along(p.target))) < p.mollifier ? kMollified
                                                                                   : kEdges;
}

inline void sort_pairs(std::span<const BarrierPair> pairs, const std::vector<Vec3d>& x,
                       Batches& out) {
  for (int s = 0; s < kSorts; ++s)
    for (int corner = 0; corner < 2; ++corner) {
      Batch& b = out[at_index(2 * s + corner)];
      b.sort = static_cast<Sort>(s), b.corner = corner == 1;
      b.pairs.clear();
    }
  for (std::size_t i = 0; i < pairs.size(); ++i)
    out[at_index(2 * sort_of(pairs[i], x) + (pairs[i].kind == PairKind::kCorner))].pairs.push_back(
        static_cast<int>(i));
}

// What f says of a batch, by its sort and direction: f.operator()<kSort, kCorner>().
template <class F>
Energy by_sort(const Batch& b, F&& f) {
  switch (b.sort) {
    case kVertex:
      return b.corner ? f.template operator()<kVertex, true>()
                      : f.template operator()<kVertex, false>();
    case kEdge:
      return b.corner ? f.template operator()<kEdge, true>()
                      : f.template operator()<kEdge, false>();
    case kFace:
      return b.corner ? f.template operator()<kFace, true>()
                      : f.template operator()<kFace, false>();
    case kEdges:
      return f.template operator()<kEdges, false>();
    default:
      return f.template operator()<kMollified, false>();
  }
}

// A pack of a batch. Lanes beyond the last pair repeat it with no energy. set(pair, k, lane, group)
// writes point k of the pair.
template <Sort kSort, class Set>
Group gather(const Batch& b, std::span<const BarrierPair> pairs, std::ptrdiff_t group, Set&& set) {
  Group g;
  const int points = point_count(kSort);
  for (int k = points; k < 4; ++k) {
    g.x[k] = Vec3l::zero();
    g.w[k] = Weight::zero();
  }
  const auto last = static_cast<std::ptrdiff_t>(b.pairs.size()) - 1;
  for (int l = 0; l < kLanes; ++l) {
    const std::ptrdiff_t i = std::min(group * kLanes + l, last);
    const BarrierPair& p = pairs[at_index(b.pairs[at_index(i)])];
    g.gap.set(l, p.gap);
    g.scale.set(l, i == group * kLanes + l ? p.count * p.scale : 0.0);
    g.threshold.set(l, p.mollifier);
    for (int k = 0; k < points; ++k) set(p, k, l, g);
  }
  return g;
}

inline void store(const Vec3d& x, const double* w, int k, int lane, Group& g) {
  for (int c = 0; c < 3; ++c) g.x[k][c].set(lane, x[c]);
  for (int a = 0; a < 4; ++a) g.w[k][a].set(lane, w[a]);
}

// Energies and derivatives by points, pair by pair.
inline Energy scatter(const Batch& b, std::span<const BarrierPair> pairs,
                      std::span<const GroupForce> force, Assembly* assembly) {
  Energy total;
  for (std::size_t i = 0; i < b.pairs.size(); ++i) {
    const GroupForce& f = force[i / kLanes];
    const int l = static_cast<int>(i % kLanes);
    total += {f.energy[l], std::abs(f.energy[l])};
    if (!assembly) continue;
    const BarrierPair& p = pairs[at_index(b.pairs[i])];
    const auto gradient = [&](int k) {
      return Vec3d{{f.point[k][0][l], f.point[k][1][l], f.point[k][2][l]}};
    };
    int k = 0;
    if (b.sort >= kEdges)
      for (; k < 2; ++k) assembly->add_gradient(p.source.point[k], gradient(k));
    else
      assembly->add_gradient(p.source, gradient(k++));
    for (int j = 0; j < p.target_count; ++j) assembly->add_gradient(p.target[j], gradient(k + j));
  }
  return total;
}

}  // namespace haptos::affine_pairs
