// Which pairs of many shapes may touch: pairs of boxes that overlap, by the tree of bvh.h.
//
// The tree is kept from call to call and given the new boxes; it is built anew when the number of
// boxes changes and every 32 calls, since a tree that is only refitted grows slack. The pairs found
// are exactly those of a test of every box with every other, sorted, so they depend on neither.
//
// Boxes with an infinite side (half-spaces) are tested against all others one by one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "haptos/geometry/query/bvh.h"

namespace haptos {

class BroadPhase {
 public:
  /// All pairs {i, j}, i < j, whose boxes have a gap of at most `margin` [m] along each axis and
  /// for which allowed(i, j) is true; sorted. An empty box (lo > hi) is in no pair.
  /// @param allowed is asked only for pairs that overlap.
  template <class Allowed>
  void pairs(const std::vector<Aabb>& boxes, double margin, Allowed&& allowed,
             std::vector<std::array<int, 2>>& out);
  /// For pairs that are allowed once and for all, of `count` boxes: where they are few, the other
  /// functions look at them alone, one after the other, which takes less time than a tree does.
  template <class Allowed>
  void keep_allowed(int count, Allowed&& allowed);

  void pairs(const std::vector<Aabb>& boxes, double margin, std::vector<std::array<int, 2>>& out) {
    pairs(
        boxes, margin, [](int, int) { return true; }, out);
  }

 private:
  static bool is_bounded(const Aabb& b) {
    for (int k = 0; k < 3; ++k)
      if (!std::isfinite(b.lo[k]) || !std::isfinite(b.hi[k])) return false;
    return true;
  }
  void renew(const std::vector<Aabb>& boxes);

  // As long as a tree takes for some 50 shapes of robots, which all overlap.
  static constexpr int kMostBoxes = 512, kMostPairs = 4096;
  static constexpr int kRebuild = 32;
  bool few_ = false;                         // whether `allowed_` is known
  std::vector<std::array<int, 2>> allowed_;  // sorted
  Bvh tree_;
  BvhScratch scratch_;
  std::vector<Aabb> finite_;    // what the tree holds
  std::vector<int> index_;      // of each of them among all
  std::vector<int> unbounded_;  // those with an infinite side
  int calls_ = 0;
};

inline void BroadPhase::renew(const std::vector<Aabb>& boxes) {
  const std::size_t before = finite_.size();
  finite_.clear(), index_.clear(), unbounded_.clear();
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
    const Aabb& b = boxes[static_cast<std::size_t>(i)];
    if (b.is_empty()) continue;
    if (is_bounded(b)) {
      finite_.push_back(b), index_.push_back(i);
    } else {
      unbounded_.push_back(i);
    }
  }
  if (finite_.size() != before || calls_ % kRebuild == 0) {
    tree_.build(finite_, scratch_);
  } else {
    tree_.refit(finite_);
  }
  ++calls_;
}

template <class Allowed>
void BroadPhase::keep_allowed(int count, Allowed&& allowed) {
  allowed_.clear();
  few_ = count <= kMostBoxes;
  for (int i = 0; few_ && i < count; ++i)
    for (int j = i + 1; j < count; ++j)
      if (allowed(i, j)) allowed_.push_back({i, j});
  few_ = few_ && allowed_.size() <= kMostPairs;
  if (!few_) allowed_.clear();
  allowed_.shrink_to_fit();
}

template <class Allowed>
void BroadPhase::pairs(const std::vector<Aabb>& boxes, double margin, Allowed&& allowed,
                       std::vector<std::array<int, 2>>& out) {
  out.clear();
  if (few_) {
    for (const auto& [i, j] : allowed_) {
      const Aabb &a = boxes[static_cast<std::size_t>(i)], &b = boxes[static_cast<std::size_t>(j)];
      if (a.overlaps(b, margin) && !a.is_empty() && !b.is_empty()) out.push_back({i, j});
    }
    return;
  }
  renew(boxes);
  const auto add = [&](int i, int j) {
    if (i > j) std::swap(i, j);
    if (allowed(i, j)) out.push_back({i, j});
  };
  tree_.self_pairs(margin, [&](int i, int j) {
    add(index_[static_cast<std::size_t>(i)], index_[static_cast<std::size_t>(j)]);
  });
  for (std::size_t k = 0; k < unbounded_.size(); ++k) {
    const int u = unbounded_[k];
    const Aabb& box = boxes[static_cast<std::size_t>(u)];
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) {
      const Aabb& other = boxes[static_cast<std::size_t>(i)];
      // Two unbounded ones meet once.
      if (i == u || other.is_empty() || (i < u && !is_bounded(other))) continue;
      if (box.overlaps(other, margin)) add(u, i);
    }
  }
  std::sort(out.begin(), out.end());
}

}  // namespace haptos
