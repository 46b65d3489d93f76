// Axis-aligned boxes and a tree over them, for finding the pairs that may touch.
//
// Build: binned surface-area heuristic, top-down; a node's children sit side by side in one flat
// array of 32-byte nodes. Node bounds are floats rounded outward, so a test against a node never
// misses; every reported item or pair is tested again with its own double bounds, so what is
// reported is exactly what overlaps.
//
// Queries use a fixed stack: no recursion, no allocation, and any number of threads may query one
// tree. The order of callbacks depends on the boxes given to build() and refit() only, never on
// the number of threads. After a refit it may differ from that of a fresh build, so sort pairs
// whose order reaches simulation state.
//
// Boxes are closed: boxes that share a face, an edge or a corner overlap. Bounds must be finite;
// an empty box (lo > hi) overlaps nothing.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

/// A closed axis-aligned box [lo, hi], in metres.
struct Aabb {
  Vec3d lo{{kInf, kInf, kInf}};
  Vec3d hi{{-kInf, -kInf, -kInf}};

  static constexpr double kInf = std::numeric_limits<double>::infinity();

  static Aabb of(const Vec3d& p) { return {p, p}; }
  static Aabb of(const Vec3d& p, const Vec3d& q) { return of(p).merge(q); }
  static Aabb of(const Vec3d& p, const Vec3d& q, const Vec3d& r) { return of(p).merge(q).merge(r); }

  bool is_empty() const { return lo[0] > hi[0] || lo[1] > hi[1] || lo[2] > hi[2]; }

  Aabb& merge(const Vec3d& p) {
    for (int k = 0; k < 3; ++k) {
      lo[k] = p[k] < lo[k] ? p[k] : lo[k];
      hi[k] = p[k] > hi[k] ? p[k] : hi[k];
    }
    return *this;
  }
  Aabb& merge(const Aabb& b) {
    for (int k = 0; k < 3; ++k) {
      lo[k] = b.lo[k] < lo[k] ? b.lo[k] : lo[k];
      hi[k] = b.hi[k] > hi[k] ? b.hi[k] : hi[k];
    }
    return *this;
  }
  /// Moves every face outward by `margin` [m].
  Aabb& inflate(double margin) {
    for (int k = 0; k < 3; ++k) {
      lo[k] -= margin;
      hi[k] += margin;
    }
    return *this;
  }
  Aabb inflated(double margin) const { return Aabb(*this).inflate(margin); }

  bool overlaps(const Aabb& b) const {
    return lo[0] <= b.hi[0] && b.lo[0] <= hi[0] && lo[1] <= b.hi[1] && b.lo[1] <= hi[1] &&
           lo[2] <= b.hi[2] && b.lo[2] <= hi[2];
  }
  /// Whether the gap between the boxes is at most `margin` [m] along each axis.
  bool overlaps(const Aabb& b, double margin) const {
    return lo[0] - margin <= b.hi[0] && b.lo[0] - margin <= hi[0] && lo[1] - margin <= b.hi[1] &&
           b.lo[1] - margin <= hi[1] && lo[2] - margin <= b.hi[2] && b.lo[2] - margin <= hi[2];
  }
  bool contains(const Vec3d& p) const {
    return lo[0] <= p[0] && p[0] <= hi[0] && lo[1] <= p[1] && p[1] <= hi[1] && lo[2] <= p[2] &&
           p[2] <= hi[2];
  }
  Vec3d centre() const { return (lo + hi) * 0.5; }
  Vec3d extent() const { return hi - lo; }

  /// Squared distance to a point [m^2]; 0 inside.
  double squared_distance(const Vec3d& p) const {
    double s = 0;
    for (int k = 0; k < 3; ++k) {
      const double below = lo[k] - p[k], above = p[k] - hi[k];
      const double d = below > 0 ? below : (above > 0 ? above : 0);
      s += d * d;
    }
    return s;
  }
  /// Squared distance between two boxes [m^2]; 0 where they overlap.
  double squared_distance(const Aabb& b) const {
    double s = 0;
    for (int k = 0; k < 3; ++k) {
      const double below = lo[k] - b.hi[k], above = b.lo[k] - hi[k];
      const double d = below > 0 ? below : (above > 0 ? above : 0);
      s += d * d;
    }
    return s;
  }
};

/// Memory that building a tree works in.
struct BvhScratch {
  struct Item {
    Vec3d centre;
    int index;
  };
  struct Task {
    int node, begin, end, depth;
  };
  std::vector<Item> items, aside;
  std::vector<Task> tasks;
};

/// A tree over boxes; items are the indices of the boxes given to build().
class Bvh {
 public:
  Bvh() = default;
  explicit Bvh(const std::vector<Aabb>& boxes) { build(boxes); }

  /// Makes the tree anew over `boxes` [m].
  void build(const std::vector<Aabb>& boxes);
  /// With memory to work in that is kept from call to call.
  void build(const std::vector<Aabb>& boxes, BvhScratch& scratch);

  /// Keeps the tree and takes new bounds for the same items.
  /// Throws InputError if the number of boxes changed.
  void refit(const std::vector<Aabb>& boxes);

  int size() const { return static_cast<int>(items_.size()); }
  Aabb bounds() const;

  /// Calls f(index) for each item whose box overlaps `box`.
  template <class F>
  void query(const Aabb& box, F&& f) const;

  /// Calls f(i, j), i < j, once for each pair of items whose gap is at most `margin` along each
  /// axis.
  template <class F>
  void self_pairs(double margin, F&& f) const;

  /// Calls f(i, j), i of this tree and j of `other`, for each pair whose gap is at most `margin`
  /// along each axis.
  template <class F>
  void pairs(const Bvh& other, double margin, F&& f) const;

  struct Nearest {
    int index = -1;  ///< -1 when nothing is within the limit
    double squared_distance = std::numeric_limits<double>::infinity();
  };

  /// The item with the smallest squared_distance(index) below `limit`; the lowest index among
  /// equals. The functor must not return less than the squared distance from `p` to the item's box,
  /// but for a relative 1e-9 of round-off.
  template <class D>
  Nearest nearest(const Vec3d& p, D&& squared_distance,
                  double limit = std::numeric_limits<double>::infinity()) const;

 private:
  struct Node {
    float lo[3], hi[3];
    std::int32_t first;  // leaf: first place in items_; inner: left child (right is first + 1)
    std::int32_t count;  // leaf: number of items; inner: 0
  };
  static_assert(sizeof(Node) == 32);

  // A split by surface area may be lopsided; below this depth nodes split in halves, so that with
  // 2^31 items the depth stays under kMaxDepth.
  static constexpr int kMedianDepth = 40;
  static constexpr int kMaxDepth = kMedianDepth + 32;

  static bool overlaps(const Node& n, const Aabb& b) {
    return n.lo[0] <= b.hi[0] && b.lo[0] <= n.hi[0] && n.lo[1] <= b.hi[1] && b.lo[1] <= n.hi[1] &&
           n.lo[2] <= b.hi[2] && b.lo[2] <= n.hi[2];
  }
  // Rounding is monotone and node bounds enclose item bounds, so this never rejects a pair of
  // nodes that holds a pair of items accepted by Aabb::overlaps(b, margin).
  static bool overlaps(const Node& a, const Node& b, double margin) {
    for (int k = 0; k < 3; ++k)
      if (double(a.lo[k]) - margin > double(b.hi[k]) || double(b.lo[k]) - margin > double(a.hi[k]))
        return false;
    return true;
  }
  static double squared_distance(const Node& n, const Vec3d& p) {
    return Aabb{{{n.lo[0], n.lo[1], n.lo[2]}}, {{n.hi[0], n.hi[1], n.hi[2]}}}.squared_distance(p);
  }
  static float size_of(const Node& n) {
    return (n.hi[0] - n.lo[0]) + (n.hi[1] - n.lo[1]) + (n.hi[2] - n.lo[2]);
  }
  void set_bounds(Node& node, const Aabb& b) const;

  std::vector<Node> nodes_;  // node 0 is the root; children after their parent
  std::vector<int> items_;   // item indices in tree order
  std::vector<Aabb> boxes_;  // boxes in tree order
};

template <class F>
void Bvh::query(const Aabb& box, F&& f) const {
  if (nodes_.empty()) return;
  std::int32_t stack[kMaxDepth + 1];
  int top = 0;
  stack[top++] = 0;
  while (top > 0) {
    const Node& n = nodes_[static_cast<std::size_t>(stack[--top])];
    if (!overlaps(n, box)) continue;
    if (n.count > 0) {
      for (int k = n.first; k < n.first + n.count; ++k)
        if (boxes_[static_cast<std::size_t>(k)].overlaps(box))
          f(items_[static_cast<std::size_t>(k)]);
    } else {
      stack[top++] = n.first + 1;
      stack[top++] = n.first;
    }
  }
}

template <class F>
void Bvh::self_pairs(double margin, F&& f) const {
  if (nodes_.empty()) return;
  struct Two {
    std::int32_t a, b;
  };
  Two stack[4 * kMaxDepth + 4];
  int top = 0;
  stack[top++] = {0, 0};
  while (top > 0) {
    const Two t = stack[--top];
    const Node& a = nodes_[static_cast<std::size_t>(t.a)];
    const Node& b = nodes_[static_cast<std::size_t>(t.b)];
    const bool same = t.a == t.b;
    if (!same && !overlaps(a, b, margin)) continue;
    if (a.count > 0 && b.count > 0) {
      for (int i = a.first; i < a.first + a.count; ++i)
        for (int j = same ? i + 1 : b.first; j < b.first + b.count; ++j) {
          if (!boxes_[static_cast<std::size_t>(i)].overlaps(boxes_[static_cast<std::size_t>(j)],
                                                            margin))
            continue;
          const int p = items_[static_cast<std::size_t>(i)],
                    q = items_[static_cast<std::size_t>(j)];
          if (p < q)
            f(p, q);
          else
            f(q, p);
        }
    } else if (same) {
      stack[top++] = {a.first, a.first + 1};
      stack[top++] = {a.first + 1, a.first + 1};
      stack[top++] = {a.first, a.first};
    } else if (b.count > 0 || (a.count == 0 && size_of(a) >= size_of(b))) {
      stack[top++] = {a.first + 1, t.b};
      stack[top++] = {a.first, t.b};
    } else {
      stack[top++] = {t.a, b.first + 1};
      stack[top++] = {t.a, b.first};
    }
  }
}

template <class F>
void Bvh::pairs(const Bvh& other, double margin, F&& f) const {
  if (nodes_.empty() || other.nodes_.empty()) return;
  struct Two {
    std::int32_t a, b;
  };
  Two stack[2 * kMaxDepth + 2];
  int top = 0;
  stack[top++] = {0, 0};
  while (top > 0) {
    const Two t = stack[--top];
    const Node& a = nodes_[static_cast<std::size_t>(t.a)];
    const Node& b = other.nodes_[static_cast<std::size_t>(t.b)];
    if (!overlaps(a, b, margin)) continue;
    if (a.count > 0 && b.count > 0) {
      for (int i = a.first; i < a.first + a.count; ++i)
        for (int j = b.first; j < b.first + b.count; ++j)
          if (boxes_[static_cast<std::size_t>(i)].overlaps(
                  other.boxes_[static_cast<std::size_t>(j)], margin))
            f(items_[static_cast<std::size_t>(i)], other.items_[static_cast<std::size_t>(j)]);
    } else if (b.count > 0 || (a.count == 0 && size_of(a) >= size_of(b))) {
      stack[top++] = {a.first + 1, t.b};
      stack[top++] = {a.first, t.b};
    } else {
      stack[top++] = {t.a, b.first + 1};
      stack[top++] = {t.a, b.first};
    }
  }
}

template <class D>
Bvh::Nearest Bvh::nearest(const Vec3d& p, D&& distance, double limit) const {
  // The functor may round its distances otherwise than a box does.
  constexpr double kSlack = 1 + 1e-9;
  Nearest best;
  best.squared_distance = limit;
  if (nodes_.empty()) return best;
  struct Entry {
    std::int32_t node;
    double d;
  };
  Entry stack[kMaxDepth + 1];
  int top = 0;
  stack[top++] = {0, squared_distance(nodes_[0], p)};
  while (top > 0) {
    const Entry e = stack[--top];
    if (e.d > best.squared_distance * kSlack) continue;
    const Node& n = nodes_[static_cast<std::size_t>(e.node)];
    if (n.count > 0) {
      for (int k = n.first; k < n.first + n.count; ++k) {
        if (boxes_[static_cast<std::size_t>(k)].squared_distance(p) >
            best.squared_distance * kSlack)
          continue;
        const int i = items_[static_cast<std::size_t>(k)];
        const double d = distance(i);
        if (d < best.squared_distance || (d == best.squared_distance && i < best.index))
          best = {i, d};
      }
    } else {
      const double l = squared_distance(nodes_[static_cast<std::size_t>(n.first)], p);
      const double r = squared_distance(nodes_[static_cast<std::size_t>(n.first) + 1], p);
      const bool left_first = l <= r;
      stack[top++] = left_first ? Entry{n.first + 1, r} : Entry{n.first, l};
      stack[top++] = left_first ? Entry{n.first, l} : Entry{n.first + 1, r};
    }
  }
  return best;
}

}  // namespace haptos
