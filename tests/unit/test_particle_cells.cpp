// The grid under material points: splines, nodes and neighbours.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "haptos/bodies/particles/cells.h"
#include "haptos/bodies/particles/spline.h"
#include "tests/support.h"

namespace haptos {
namespace {

TEST(Spline, WeightsAddUpAndReproducePlacesAndTheSecondMoment) {
  const double cell = 0.02;
  test::Random random(1);
  for (int t = 0; t < 200; ++t) {
    const Vec3d x = random.vector();
    Vec3d base, in;
    for (int c = 0; c < 3; ++c) base[c] = spline_base(x[c] / cell), in[c] = x[c] / cell - base[c];
    Spline s;
    s.set(in, 1 / cell);
    double one = 0;
    Vec3d place = Vec3d::zero(), slope = Vec3d::zero();
    Mat3d moment = Mat3d::zero(), unit = Mat3d::zero();
    s.each([&](int n, int i, int j, int k) {
      EXPECT_EQ(n, 9 * i + 3 * j + k);
      const Vec3d node = cell * (base + Vec3d{{double(i), double(j), double(k)}});
      const double w = s.weight(i, j, k);
      EXPECT_GE(w, 0);
      one += w, place += w * node, slope += s.gradient(i, j, k);
      moment += outer(w * (node - x), node - x);
      unit += outer(node, s.gradient(i, j, k));
    });
    EXPECT_NEAR(one, 1, 1e-15);
    EXPECT_LT(norm(place - x), 1e-14);
    EXPECT_LT(norm(slope), 1e-12);
    const Mat3d off = moment - (0.25 * cell * cell) * Mat3d::identity();
    EXPECT_LT(std::sqrt(inner(off, off)), 1e-16);
    const Mat3d apart = unit - Mat3d::identity();
    EXPECT_LT(std::sqrt(inner(apart, apart)), 1e-12);
  }
}

TEST(Cells, NodesAndNeighboursAreThoseOfOccupiedCells) {
  const double cell = 0.1;
  test::Random random(2);
  std::vector<Vec3d> x;
  x.reserve(65);
  for (int k = 0; k < 60; ++k) x.push_back(0.4 * random.vector());
  for (int k = 0; k < 5; ++k) x.push_back({{30 + 0.1 * k, -20, 3}});  // far away
  Cells cells;
  cells.sort(x, cell);
  std::set<std::array<int, 3>> wanted;
  std::set<std::pair<std::array<int, 3>, std::array<int, 3>>> pairs;
  for (const Vec3d& p : x) {
    std::vector<std::array<int, 3>> nodes;
    nodes.reserve(27);
    for (int n = 0; n < 27; ++n)
      nodes.push_back({int(spline_base(p[0] / cell)) + n / 9,
                       int(spline_base(p[1] / cell)) + n / 3 % 3,
                       int(spline_base(p[2] / cell)) + n % 3});
    wanted.insert(nodes.begin(), nodes.end());
    for (const auto& a : nodes)
      for (const auto& b : nodes)
        if (b <= a) pairs.insert({a, b});
  }
  const auto of = [&](int i) {
    const Vec3i& n = cells.node(i);
    return std::array<int, 3>{n[0], n[1], n[2]};
  };
  ASSERT_EQ(cells.node_count(), static_cast<int>(wanted.size()));
  std::size_t found = 0;
  for (int i = 0; i < cells.node_count(); ++i) {
    EXPECT_TRUE(wanted.count(of(i)));
    if (i > 0) {
      EXPECT_LT(of(i - 1), of(i));
    }
    EXPECT_EQ(cells.neighbour(i, Cells::kOffsets - 1), i);
    for (int o = 0; o < Cells::kOffsets; ++o) {
      const int j = cells.neighbour(i, o);
      if (j < 0) continue;
      ++found;
      EXPECT_TRUE(pairs.count({of(i), of(j)}));
    }
  }
  EXPECT_EQ(found, pairs.size());
  // Every point is in one cell, whose nodes are those about it.
  std::vector<int> seen(x.size(), 0);
  for (int c = 0; c < cells.cell_count(); ++c)
    for (int k = cells.cell(c).begin; k < cells.cell(c).end; ++k) {
      const int p = cells.order()[static_cast<std::size_t>(k)];
      ++seen[static_cast<std::size_t>(p)];
      for (int d = 0; d < 3; ++d) {
        const double in = x[static_cast<std::size_t>(p)][d] / cell - cells.cell(c).base[d];
        EXPECT_GE(in, 0.5);
        EXPECT_LT(in, 1.5);
      }
      for (int n = 0; n < Cells::kNodes; ++n) {
        const Vec3i& node = cells.node(cells.nodes_of(c)[static_cast<std::size_t>(n)]);
        EXPECT_EQ(node[0] - cells.cell(c).base[0], n / 9);
        EXPECT_EQ(node[2] - cells.cell(c).base[2], n % 3);
      }
    }
  for (const int s : seen) EXPECT_EQ(s, 1);
}

// A wall in the plane x = 0, above z = `from`.
struct Sheet final : Walls {
  double from;
  explicit Sheet(double z) : from(z) {}
  void place(const State&) override {}
  bool near(const Vec3d& x, double r) const override { return std::abs(x[0]) < r; }
  Vec3d outside(const Vec3d& x) const override { return x; }
  bool between(const Vec3d& a, const Vec3d& b) const override {
    if ((a[0] < 0) == (b[0] < 0)) return false;
    const double at = a[0] / (a[0] - b[0]);
    return a[2] + at * (b[2] - a[2]) > from;
  }
};

std::vector<Vec3d> block(double cell) {
  std::vector<Vec3d> x;
  for (int i = -6; i < 6; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = -8; k < 8; ++k)
        x.push_back({{cell * (0.5 * i + 0.25), 0.5 * cell * j, cell * (0.5 * k + 0.25)}});
  return x;
}

// Every pair of nodes of a cell has a slot of its own, and no other pair has it.
void check_slots(const Cells& cells) {
  std::set<std::pair<int, int>> pairs;
  for (int c = 0; c < cells.cell_count(); ++c)
    for (int r = 0; r < Cells::kNodes; ++r)
      for (int s = 0; s <= r; ++s)
        pairs.insert({cells.nodes_of(c)[static_cast<std::size_t>(r)],
                      cells.nodes_of(c)[static_cast<std::size_t>(s)]});
  std::map<int, std::pair<int, int>> of;
  for (int c = 0; c < cells.cell_count(); ++c)
    for (int r = 0; r < Cells::kNodes; ++r)
      for (int s = 0; s <= r; ++s) {
        const int i = cells.nodes_of(c)[static_cast<std::size_t>(r)];
        const int j = cells.nodes_of(c)[static_cast<std::size_t>(s)];
        EXPECT_LE(j, i);
        const int slot = cells.slot(i, Cells::offset(r, s), j);
        ASSERT_LT(slot, cells.slot_count());
        const auto [at, first] = of.insert({slot, {i, j}});
        EXPECT_EQ(at->second, std::make_pair(i, j));
      }
  EXPECT_EQ(of.size(), pairs.size());
}

std::set<int> nodes_of_side(const Cells& cells, const std::vector<Vec3d>& x, int side) {
  std::set<int> nodes;
  for (int c = 0; c < cells.cell_count(); ++c)
    for (int k = cells.cell(c).begin; k < cells.cell(c).end; ++k) {
      const auto p = static_cast<std::size_t>(cells.order()[static_cast<std::size_t>(k)]);
      if ((x[p][0] < 0) == (side < 0))
        nodes.insert(cells.nodes_of(c).begin(), cells.nodes_of(c).end());
    }
  return nodes;
}

TEST(Cells, AWallLeavesItsTwoSidesNoNodeInCommon) {
  const double cell = 0.1;
  const std::vector<Vec3d> x = block(cell);
  Cells whole, parted;
  whole.sort(x, cell);
  const Sheet sheet(-1e9);
  parted.sort(x, cell, &sheet);
  check_slots(parted);
  const std::set<int> left = nodes_of_side(parted, x, -1), right = nodes_of_side(parted, x, 1);
  std::vector<int> both;
  std::set_intersection(left.begin(), left.end(), right.begin(), right.end(),
                        std::back_inserter(both));
  EXPECT_TRUE(both.empty());
  EXPECT_EQ(left.size() + right.size(), static_cast<std::size_t>(parted.node_count()));
  EXPECT_GT(parted.node_count(), whole.node_count());
  EXPECT_TRUE(parted.further().empty());  // nothing is linked round an end
  // Each side is what it would be alone.
  for (const int side : {-1, 1}) {
    std::vector<Vec3d> own;
    std::copy_if(x.begin(), x.end(), std::back_inserter(own),
                 [&](const Vec3d& p) { return (p[0] < 0) == (side < 0); });
    Cells alone;
    alone.sort(own, cell);
    EXPECT_EQ(static_cast<std::size_t>(alone.node_count()), (side < 0 ? left : right).size());
  }
}

TEST(Cells, RoundTheEndOfAWallBothSidesShareNodes) {
  const double cell = 0.1;
  const std::vector<Vec3d> x = block(cell);
  Cells cells;
  const Sheet sheet(0);
  cells.sort(x, cell, &sheet);
  check_slots(cells);
  EXPECT_FALSE(cells.further().empty());
  const std::set<int> left = nodes_of_side(cells, x, -1), right = nodes_of_side(cells, x, 1);
  int shared = 0;
  for (const int i : left) {
    if (!right.count(i)) continue;
    ++shared;
    // From two cells above the end on nothing is.
    EXPECT_LT(cells.node(i)[2] * cell, 2.5 * cell);
  }
  EXPECT_GT(shared, 0);
  // Below the end nothing is split.
  for (int i = 0; i < cells.node_count(); ++i)
    if (cells.node(i)[2] * cell < -2 * cell) EXPECT_EQ(cells.copy(i), 0);
}

TEST(Cells, WallsThatPartNothingChangeNothing) {
  const double cell = 0.1;
  const std::vector<Vec3d> x = block(cell);
  Cells with, without;
  const Sheet sheet(1e9);
  with.sort(x, cell, &sheet);
  without.sort(x, cell);
  EXPECT_EQ(with.order(), without.order());
  ASSERT_EQ(with.node_count(), without.node_count());
  ASSERT_EQ(with.cell_count(), without.cell_count());
  for (int c = 0; c < with.cell_count(); ++c) EXPECT_EQ(with.nodes_of(c), without.nodes_of(c));
  EXPECT_TRUE(with.further().empty());
}

}  // namespace
}  // namespace haptos
