// The skin over points.
#include <gtest/gtest.h>

#include <map>

#include "haptos/base/text/error.h"
#include "haptos/geometry/fill/fill_points.h"
#include "haptos/geometry/fill/points_skin.h"

namespace haptos {
namespace {

double volume(const TriMesh& m) {
  double v = 0;
  for (const Vec3i& t : m.triangles) {
    const auto at = [&](int k) { return m.vertices[static_cast<std::size_t>(t[k])]; };
    v += dot(at(0), cross(at(1), at(2))) / 6;
  }
  return v;
}

// Whether every edge is that of two triangles, once each way.
bool closed(const TriMesh& m) {
  std::map<std::pair<int, int>, int> edges;
  for (const Vec3i& t : m.triangles)
    for (int k = 0; k < 3; ++k) ++edges[{t[k], t[(k + 1) % 3]}];
  for (const auto& [edge, count] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    if (count != 1 || back == edges.end() || back->second != 1) return false;
  }
  return !edges.empty();
}

TEST(PointsSkin, CoversABoxAtHalfASpacing) {
  Shape s;
  s.kind = ShapeKind::kBox;
  s.size = {{0.1, 0.06, 0.04}};
  const double spacing = 0.005;
  for (const Fill fill : {Fill::kLattice, Fill::kPoisson}) {
    const Filling f = fill_points(s, 1 / (spacing * spacing * spacing), fill, 1, "box");
    const TriMesh m = points_skin(f.points, spacing).mesh;
    EXPECT_TRUE(closed(m));
    const double far = fill == Fill::kLattice ? 0.03 : 0.25;  // in spacings
    // Its edges and corners are rounded.
    EXPECT_NEAR(volume(m), 8 * 0.1 * 0.06 * 0.04, 0.03 * f.volume);
    double high = 0, middle_high = 0, count = 0;
    for (const Vec3d& x : m.vertices) {
      high = std::max(high, std::abs(x[2]));
      if (x[2] > 0.03 && std::abs(x[0]) < 0.09 && std::abs(x[1]) < 0.05)
        middle_high += x[2], count += 1;
    }
    EXPECT_NEAR(high, 0.04, far * spacing);
    EXPECT_NEAR(middle_high / count, 0.04, 0.15 * spacing);
  }
}

TEST(PointsSkin, PointsApartAreBallsAndCarryTheirValues) {
  const PointsSkin skin = points_skin({{{0, 0, 0}}, {{-5.3, 0.2, 1}}}, 1, {2, 7});
  EXPECT_TRUE(closed(skin.mesh));
  // Between two octahedra and two balls of that radius: cells are half as wide.
  EXPECT_GT(volume(skin.mesh), 2 * 4 / 3.0 * std::pow(0.545, 3));
  EXPECT_LT(volume(skin.mesh), 2 * 4 / 3.0 * M_PI * std::pow(0.545, 3));
  ASSERT_EQ(skin.value.size(), skin.mesh.vertices.size());
  for (std::size_t i = 0; i < skin.value.size(); ++i)
    EXPECT_NEAR(skin.value[i], skin.mesh.vertices[i][0] > -2 ? 2 : 7, 1e-12);
}

TEST(PointsSkin, PointsInARingLeaveItsMiddleFree) {
  std::vector<Vec3d> ring;
  ring.reserve(12);
  for (int k = 0; k < 12; ++k)
    ring.push_back({{1.9 * std::cos(k * M_PI / 6), 1.9 * std::sin(k * M_PI / 6), 0}});
  const TriMesh m = points_skin(ring, 1).mesh;
  EXPECT_TRUE(closed(m));
  for (const Vec3d& x : m.vertices) EXPECT_GT(std::hypot(x[0], x[1]), 1.0);
}

TEST(PointsSkin, WhatIsNotFiniteIsLeftOutAndBadInputNamed) {
  EXPECT_TRUE(
      points_skin({{{NAN, 0, 0}}, {{INFINITY, 0, 0}}, {{1e300, 0, 0}}}, 1).mesh.triangles.empty());
  EXPECT_TRUE(points_skin({}, 1).mesh.triangles.empty());
  for (const double bad : {0.0, -1.0, static_cast<double>(NAN)})
    EXPECT_THROW(points_skin({}, bad), InputError);
  EXPECT_THROW(points_skin({{{0, 0, 0}}}, 1, {1, 2}), InputError);
}

}  // namespace
}  // namespace haptos
