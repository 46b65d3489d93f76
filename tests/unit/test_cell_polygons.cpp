// Marching cubes: the polygons of all cases, and that they fit.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "haptos/base/math/math.h"
#include "haptos/geometry/pressure/cell_polygons.h"

namespace haptos {
namespace {

Vec3d corner(int i) { return {{double(i & 1), double(i >> 1 & 1), double(i >> 2 & 1)}}; }

TEST(CellPolygons, EachCrossedEdgeIsOnOnePolygonAndNoOther) {
  for (unsigned c = 0; c < 256; ++c) {
    const CellPolygons& p = cell_polygons(c);
    std::multiset<int> used(p.edge.begin(), p.edge.begin() + p.start[p.count]);
    for (int e = 0; e < 12; ++e) {
      const int i = edge_start(e), j = i + (1 << e / 4);
      EXPECT_EQ(used.count(e), (c >> i & 1) != (c >> j & 1)) << c;
    }
    for (int k = 0; k < p.count; ++k) EXPECT_GE(p.start[k + 1] - p.start[k], 3);
  }
}

TEST(CellPolygons, FaceOutward) {
  for (int i = 0; i < 8; ++i) {
    const CellPolygons& p = cell_polygons(1u << i);
    ASSERT_EQ(p.count, 1);
    Vec3d x[3];
    for (int k = 0; k < 3; ++k) {
      const int s = edge_start(p.edge[k]);
      x[k] = 0.5 * (corner(s) + corner(s + (1 << p.edge[k] / 4)));
    }
    EXPECT_GT(dot(cross(x[1] - x[0], x[2] - x[0]), x[0] - corner(i)), 0);
  }
}

// Random signs on a grid: every side of a polygon that is not on the border has a partner that runs
// the other way.
TEST(CellPolygons, SurfacesOfNeighboursFit) {
  std::mt19937 random(1);
  constexpr int kN = 12;
  std::vector<char> sign(kN * kN * kN);
  for (char& s : sign) s = random() & 1;
  const auto at = [&](int i, int j, int k) { return (k * kN + j) * kN + i; };
  std::map<std::pair<int, int>, int> sides;
  for (int k = 0; k + 1 < kN; ++k)
    for (int j = 0; j + 1 < kN; ++j)
      for (int i = 0; i + 1 < kN; ++i) {
        unsigned c = 0;
        for (int n = 0; n < 8; ++n)
          c |= unsigned(sign[std::size_t(at(i + (n & 1), j + (n >> 1 & 1), k + (n >> 2)))]) << n;
        const CellPolygons& p = cell_polygons(c);
        const auto id = [&](int e) {
          const int s = edge_start(e);
          return 3 * at(i + (s & 1), j + (s >> 1 & 1), k + (s >> 2)) + e / 4;
        };
        for (int m = 0; m < p.count; ++m)
          for (int e = p.start[m]; e < p.start[m + 1]; ++e) {
            const int next = e + 1 < p.start[m + 1] ? e + 1 : p.start[m];
            ++sides[{id(p.edge[std::size_t(e)]), id(p.edge[std::size_t(next)])}];
          }
      }
  int alone = 0, pairs = 0;
  const auto on_border = [&](int id) {
    const int v = id / 3, place[3] = {v % kN, v / kN % kN, v / kN / kN};
    for (int d = 0; d < 3; ++d)
      if (d != id % 3 && (place[d] == 0 || place[d] == kN - 1)) return true;
    return false;
  };
  for (const auto& [side, count] : sides) {
    EXPECT_EQ(count, 1);
    const auto back = sides.find({side.second, side.first});
    if (back != sides.end()) {
      ++pairs;
      continue;
    }
    ++alone;
    EXPECT_TRUE(on_border(side.first) && on_border(side.second));
  }
  EXPECT_GT(pairs, 5000);
  EXPECT_GT(alone, 100);
}

}  // namespace
}  // namespace haptos
