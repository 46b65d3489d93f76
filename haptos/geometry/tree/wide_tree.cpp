#include "haptos/geometry/tree/wide_tree.h"

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"

namespace haptos {
namespace {

constexpr int kBits = 16;  // of a coordinate along the curve

// Where a point of a grid of 2^kBits to the side is on the Hilbert curve.
std::uint64_t on_curve(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  std::uint32_t c[3] = {x, y, z};
  // From the top bit down, cubes are turned and mirrored back to the first one's place.
  for (std::uint32_t q = 1u << (kBits - 1); q > 1; q >>= 1) {
    const std::uint32_t low = q - 1;
    for (auto& v : c) {
      if (v & q) {
        c[0] ^= low;
      } else {
        const std::uint32_t t = (c[0] ^ v) & low;
        c[0] ^= t, v ^= t;
      }
    }
  }
  c[1] ^= c[0], c[2] ^= c[1];
  std::uint32_t t = 0;
  for (std::uint32_t q = 1u << (kBits - 1); q > 1; q >>= 1)
    if (c[2] & q) t ^= q - 1;
  for (auto& v : c) v ^= t;
  std::uint64_t key = 0;
  for (int b = kBits - 1; b >= 0; --b)
    for (const std::uint32_t v : c) key = key << 1 | (v >> b & 1u);
  return key;
}

struct Keyed {
  std::uint64_t key;
  int index;
  bool operator<(const Keyed& o) const { return key != o.key ? key < o.key : index < o.index; }
};

// Chunks are sorted side by side, then merged in pairs; the order is total, so the result is one.
void sort_all(std::vector<Keyed>& v) {
  constexpr std::ptrdiff_t kChunk = 1 << 15;
  const auto n = static_cast<std::ptrdiff_t>(v.size());
  const auto at = [&](std::ptrdiff_t i) { return v.begin() + std::min(i, n); };
  for_each((n + kChunk - 1) / kChunk,
           [&](std::ptrdiff_t c) { std::sort(at(c * kChunk), at((c + 1) * kChunk)); }, 1);
  for (std::ptrdiff_t width = kChunk; width < n; width *= 2)
    for_each((n + 2 * width - 1) / (2 * width),
             [&](std::ptrdiff_t c) {
               std::inplace_merge(at(2 * c * width), at((2 * c + 1) * width),
                                  at((2 * c + 2) * width));
             },
             1);
}

}  // namespace

std::vector<int> spatial_order(std::span<const Aabb> boxes) {
  Aabb all;
  for (const Aabb& b : boxes) all.merge(b.centre());
  const Vec3d size = all.extent();
  // One scale for all axes keeps cubes cubes.
  const double longest = std::max({size[0], size[1], size[2]});
  const double scale = longest > 0 ? ((1u << kBits) - 1) / longest : 0;
  std::vector<Keyed> keyed(boxes.size());
  for_each(static_cast<std::ptrdiff_t>(boxes.size()), [&](std::ptrdiff_t i) {
    const Vec3d c = (boxes[at_index(i)].centre() - all.lo) * scale;
    keyed[at_index(i)] = {
        on_curve(static_cast<std::uint32_t>(c[0]), static_cast<std::uint32_t>(c[1]),
                 static_cast<std::uint32_t>(c[2])),
        static_cast<int>(i)};
  });
  sort_all(keyed);
  std::vector<int> order(boxes.size());
  for (std::size_t i = 0; i < keyed.size(); ++i) order[i] = keyed[i].index;
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
