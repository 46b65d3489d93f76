#include "haptos/geometry/fill/points_skin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include "haptos/base/math/index.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/pressure/cell_polygons.h"

namespace haptos {
namespace {

// In spacings of the points.
constexpr double kReach = 2, kDepth = 0.545, kCell = 0.5;
// Weight below which a place lies between points that are apart; at the skin of one it is .79.
constexpr double kLeastWeight = 0.4;
// Parts of a cell's edge from its ends, nearer than which no vertex lies: no triangle is
// degenerate.
constexpr double kEnd = 1e-3;

// Nodes of the grid, in blocks that are there where points are near.
class SkinGrid {
 public:
  static constexpr int kSide = 8, kNodes = kSide * kSide * kSide;

  explicit SkinGrid(double spacing) : cell_(kCell * spacing), spacing_(spacing) {}

  void add(const Vec3d& x, double value) {
    Vec3i low, high;
    const double reach = kReach * spacing_;
    for (int a = 0; a < 3; ++a) {
      low[a] = static_cast<int>(std::ceil((x[a] - reach) / cell_));
      high[a] = static_cast<int>(std::floor((x[a] + reach) / cell_));
    }
    for (int k = low[2]; k <= high[2]; ++k)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int i = low[0]; i <= high[0]; ++i) {
          const Vec3d to = {{cell_ * i - x[0], cell_ * j - x[1], cell_ * k - x[2]}};
          const double part = 1 - squared_norm(to) / (reach * reach);
          if (part <= 0) continue;
          const double w = part * part * part;
          Node& node = at({{i, j, k}});
          node.weight += w;
          node.place += w * x;
          node.value += w * value;
        }
  }

  PointsSkin skin() {
    std::sort(order_.begin(), order_.end(), [this](int a, int b) {
      const Vec3i &p = blocks_[at_index(a)].base, &q = blocks_[at_index(b)].base;
      return std::lexicographical_compare(p.a, p.a + 3, q.a, q.a + 3);
    });
    for (Block& b : blocks_) finish(b);
    for (const int b : order_) cut(b);
    return std::move(skin_);
  }

 private:
  struct Node {
    double weight = 0, value = 0;
    Vec3d place = Vec3d::zero();
    double phi = 1;                           // any that is outside
    std::array<int, 3> vertex{{-1, -1, -1}};  // on the edge from here along each axis
  };
  struct Block {
    Vec3i base;  // number of its first node
    std::vector<Node> node;
  };

  static int floor_block(int i) { return i >= 0 ? i / kSide : -((kSide - 1 - i) / kSide); }
  static std::uint64_t key_of(const Vec3i& block) {
    std::uint64_t key = 0;
    for (int a = 0; a < 3; ++a) key = key << 21 | (static_cast<unsigned>(block[a]) & 0x1fffffu);
    return key;
  }
  static int local(const Vec3i& n) {
    return ((n[2] & (kSide - 1)) * kSide + (n[1] & (kSide - 1))) * kSide + (n[0] & (kSide - 1));
  }
  int find(const Vec3i& block) const {
    const auto found = number_.find(key_of(block));
    return found == number_.end() ? -1 : found->second;
  }
  static Vec3i block_of(const Vec3i& n) {
    return {{floor_block(n[0]), floor_block(n[1]), floor_block(n[2])}};
  }

  Node& at(const Vec3i& n) {
    const Vec3i block = block_of(n);
    if (last_ < 0 || !std::equal(block.a, block.a + 3, last_block_.a)) {
      const auto [found, made] =
          number_.try_emplace(key_of(block), static_cast<int>(blocks_.size()));
      if (made) {
        order_.push_back(found->second);
        blocks_.push_back({{{kSide * block[0], kSide * block[1], kSide * block[2]}},
                           std::vector<Node>(at_index(kNodes))});
      }
      last_ = found->second, last_block_ = block;
    }
    return blocks_[at_index(last_)].node[at_index(local(n))];
  }

  Vec3d place_of(const Vec3i& n) const { return {{cell_ * n[0], cell_ * n[1], cell_ * n[2]}}; }
  static Vec3i node_of(const Block& b, int l) {
    return {{b.base[0] + l % kSide, b.base[1] + l / kSide % kSide, b.base[2] + l / kSide / kSide}};
  }

  void finish(Block& b) const {
    for (int l = 0; l < kNodes; ++l) {
      Node& n = b.node[at_index(l)];
      if (n.weight <= 0) continue;
      n.value /= n.weight;
      const double away = norm(place_of(node_of(b, l)) - n.place * (1 / n.weight)) / spacing_;
      n.phi = std::max(away - kDepth, kLeastWeight - n.weight);
    }
  }

  // Of the cells whose first node is in a block.
  void cut(int number) {
    const Vec3i base = blocks_[at_index(number)].base;
    const Vec3i block = block_of(base);
    std::array<int, 8> near{};
    for (int c = 0; c < 8; ++c)
      near[at_index(c)] =
          find({{block[0] + (c & 1), block[1] + (c >> 1 & 1), block[2] + (c >> 2)}});
    for (int l = 0; l < kNodes; ++l) {
      const Vec3i first = node_of(blocks_[at_index(number)], l);
      std::array<Node*, 8> corner{};
      unsigned inside = 0;
      for (int c = 0; c < 8; ++c) {
        const Vec3i n = {{first[0] + (c & 1), first[1] + (c >> 1 & 1), first[2] + (c >> 2)}};
        const int in = near[at_index(static_cast<int>(n[0] - base[0] == kSide) |
                                     static_cast<int>(n[1] - base[1] == kSide) << 1 |
                                     static_cast<int>(n[2] - base[2] == kSide) << 2)];
        corner[at_index(c)] = in < 0 ? &nowhere_ : &blocks_[at_index(in)].node[at_index(local(n))];
        inside |= static_cast<unsigned>(corner[at_index(c)]->phi < 0) << static_cast<unsigned>(c);
      }
      const CellPolygons& p = cell_polygons(inside);
      for (int k = 0; k < p.count; ++k) {
        const int begin = p.start[at_index(k)], end = p.start[at_index(k + 1)];
        std::array<int, 12> v{};
        for (int e = begin; e < end; ++e)
          v[at_index(e)] = vertex(p.edge[at_index(e)], first, corner);
        for (int e = begin + 1; e + 1 < end; ++e)
          skin_.mesh.triangles.push_back(
              {{v[at_index(begin)], v[at_index(e)], v[at_index(e + 1)]}});
      }
    }
  }

  // Where the skin crosses an edge of a cell: made once, by the first cell that asks.
  int vertex(int edge, const Vec3i& first, const std::array<Node*, 8>& corner) {
    const int axis = edge / 4, from = edge_start(edge);
    Node& a = *corner[at_index(from)];
    const Node& b = *corner[at_index(from + (1 << axis))];
    int& vertex = a.vertex[at_index(axis)];
    if (vertex >= 0 && &a != &nowhere_) return vertex;
    vertex = static_cast<int>(skin_.mesh.vertices.size());
    const double t = std::clamp(a.phi / (a.phi - b.phi), kEnd, 1 - kEnd);
    Vec3d x =
        place_of({{first[0] + (from & 1), first[1] + (from >> 1 & 1), first[2] + (from >> 2)}});
    x[axis] += t * cell_;
    skin_.mesh.vertices.push_back(x);
    // One that no point is near has no value.
    const double u = a.weight <= 0 ? 1 : b.weight <= 0 ? 0 : t;
    skin_.value.push_back((1 - u) * a.value + u * b.value);
    return vertex;
  }

  double cell_, spacing_;
  std::vector<Block> blocks_;
  Node nowhere_;  // where no block is
  std::vector<int> order_;
  std::unordered_map<std::uint64_t, int> number_;
  int last_ = -1;
  Vec3i last_block_{};
  PointsSkin skin_;
};

}  // namespace

PointsSkin points_skin(const std::vector<Vec3d>& points, double spacing,
                       const std::vector<double>& values) {
  if (!(spacing > 0 && std::isfinite(spacing)))
    refuse("spacing of points_skin", to_text(spacing), "must be a length greater than 0",
           "give the cube root of the volume of a point");
  if (!values.empty() && values.size() != points.size())
    refuse("values of points_skin", to_text(static_cast<double>(values.size())) + " values",
           "must be one of each point", "give as many as points, or none");
  SkinGrid grid(spacing);
  // Farther away nodes have no number.
  const double most = 1e6 * spacing;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3d& x = points[i];
    const double far = std::max({std::abs(x[0]), std::abs(x[1]), std::abs(x[2])});
    if (far < most) grid.add(x, values.empty() ? 0 : values[i]);
  }
  PointsSkin skin = grid.skin();
  if (values.empty()) skin.value.clear();
  return skin;
}

}  // namespace haptos
