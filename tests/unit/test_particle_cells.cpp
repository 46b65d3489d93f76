// The grid under material points: splines, nodes and neighbours.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace haptos
