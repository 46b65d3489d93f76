#include "haptos/geometry/tree/wide_tree.h"

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"

namespace haptos {
namespace {

struct Centre {
  float x[3];
  int index;
};

// A part of the order that is still to be split, [first, last).
struct Part {
  int first, last;
};

// The place of the cut: the largest power of two below the count, so that groups stay whole.
int cut_of(const Part& p) {
  int left = WideTree::kWidth;
  while (2 * left < p.last - p.first) left *= 2;
  return p.first + left;
}

// Splits across the longest side of the box of the centres.
int split(std::vector<Centre>& c, const Part& p) {
  float lo[3], hi[3];
  for (int k = 0; k < 3; ++k) lo[k] = hi[k] = c[at_index(p.first)].x[k];
  for (int i = p.first; i < p.last; ++i)
    for (int k = 0; k < 3; ++k) {
      lo[k] = std::min(lo[k], c[at_index(i)].x[k]);
      hi[k] = std::max(hi[k], c[at_index(i)].x[k]);
    }
  int axis = 0;
  for (int k = 1; k < 3; ++k)
    if (hi[k] - lo[k] > hi[axis] - lo[axis]) axis = k;
  const int cut = cut_of(p);
  std::nth_element(c.begin() + p.first, c.begin() + cut, c.begin() + p.last,
                   [axis](const Centre& a, const Centre& b) {
                     return a.x[axis] != b.x[axis] ? a.x[axis] < b.x[axis] : a.index < b.index;
                   });
  return cut;
}

}  // namespace

std::vector<int> spatial_order(std::span<const Aabb> boxes) {
  std::vector<Centre> c(boxes.size());
  for_each(static_cast<std::ptrdiff_t>(boxes.size()), [&](std::ptrdiff_t i) {
    const Vec3d m = boxes[at_index(i)].centre();
    for (int k = 0; k < 3; ++k) c[at_index(i)].x[k] = static_cast<float>(m[k]);
    c[at_index(i)].index = static_cast<int>(i);
  });
  // Level by level, the parts of a level side by side.
  std::vector<Part> parts{{0, static_cast<int>(boxes.size())}}, next;
  while (!parts.empty()) {
    next.assign(2 * parts.size(), {});
    for_each(
        static_cast<std::ptrdiff_t>(parts.size()),
        [&](std::ptrdiff_t i) {
          const Part& p = parts[at_index(i)];
          if (p.last - p.first <= WideTree::kWidth) {
            std::sort(c.begin() + p.first, c.begin() + p.last,
                      [](const Centre& a, const Centre& b) { return a.index < b.index; });
            return;
          }
          const int cut = split(c, p);
          next[at_index(2 * i)] = {p.first, cut};
          next[at_index(2 * i + 1)] = {cut, p.last};
        },
        1);
    std::erase_if(next, [](const Part& p) { return p.first == p.last; });
    parts.swap(next);
  }
  std::vector<int> order(boxes.size());
  for (std::size_t i = 0; i < c.size(); ++i) order[i] = c[i].index;
  return order;
}

WideTree::WideTree(std::span<const Aabb> boxes) : order_(spatial_order(boxes)) {
  if (boxes.empty()) return;
  int below = size(), first = 0;
  do {
    below = (below + kWidth - 1) / kWidth;
    first_.push_back(first), count_.push_back(below);
    first += below;
  } while (below > 1);
  nodes_.resize(at_index(first));
  for (int level = 0; level <= top(); ++level)
    for_each(count(level), [&](std::ptrdiff_t i) {
      const int index = static_cast<int>(i);
      Node& n = nodes_[at_index(first_[at_index(level)] + index)];
      const unsigned there = present(level, index);
      for (int k = 0; k < kWidth; ++k) {
        Box b{{1, 1, 1}, {-1, -1, -1}};
        if (there >> k & 1) {
          const int c = index * kWidth + k;
          if (level == 0) {
            b = rounded(boxes[at_index(item(c))]);
          } else {
            const Node& m = node(level - 1, c);
            const unsigned has = present(level - 1, c);
            b = child(m, 0);
            for (int j = 1; j < kWidth && has >> j & 1; ++j)
              for (int d = 0; d < 3; ++d) {
                b.lo[d] = std::min(b.lo[d], m.lo[d][j]);
                b.hi[d] = std::max(b.hi[d], m.hi[d][j]);
              }
          }
        }
        for (int d = 0; d < 3; ++d) n.lo[d][k] = b.lo[d], n.hi[d][k] = b.hi[d];
      }
    });
  const Node& root = node(top(), 0);
  all_ = child(root, 0);
  for (int j = 1; j < kWidth && present(top(), 0) >> j & 1; ++j)
    for (int d = 0; d < 3; ++d) {
      all_.lo[d] = std::min(all_.lo[d], root.lo[d][j]);
      all_.hi[d] = std::max(all_.hi[d], root.hi[d][j]);
    }
}

}  // namespace haptos
