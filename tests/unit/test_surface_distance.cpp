// Distances of points to a surface.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "haptos/base/text/error.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/tree/surface_distance.h"

namespace haptos {
namespace {

TEST(SurfaceDistance, OfABoxIsThatOfItsFacesEdgesAndCorners) {
  const TriMesh cube = box({{2, 2, 2}});
  const std::vector<double> d = distance_to_surface(
      {{{0, 0, 0}}, {{0.25, 0, 0}}, {{3, 0, 0}}, {{2, 2, 0}}, {{3, 3, 3}}}, cube);
  ASSERT_EQ(d.size(), 5u);
  EXPECT_DOUBLE_EQ(d[0], 1.0);
  EXPECT_DOUBLE_EQ(d[1], 0.75);
  EXPECT_DOUBLE_EQ(d[2], 2.0);
  EXPECT_DOUBLE_EQ(d[3], std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(d[4], std::sqrt(12.0));
}

TEST(SurfaceDistance, AgreesWithTheNearestOfAllTriangles) {
  const TriMesh ball = icosphere(1.0, 0.3);
  std::vector<Vec3d> points;
  for (int i = 0; i < 300; ++i) {
    const double t = 0.37 * i;
    points.push_back({{2 * std::cos(t), 1.5 * std::sin(1.3 * t), std::cos(0.7 * t)}});
  }
  const std::vector<double> d = distance_to_surface(points, ball);
  for (std::size_t i = 0; i < points.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    for (const Vec3i& t : ball.triangles) {
      TriMesh one;
      for (int k = 0; k < 3; ++k)
        one.vertices.push_back(ball.vertices[static_cast<std::size_t>(t[k])]);
      one.triangles = {{{0, 1, 2}}};
      least = std::min(least, distance_to_surface({points[i]}, one)[0]);
    }
    EXPECT_EQ(d[i], least) << i;
  }
}

TEST(SurfaceDistance, RefusesWhatHasNoDistance) {
  const TriMesh cube = box({{2, 2, 2}});
  TriMesh bad = cube;
  bad.triangles[3] = {{0, 1, 99}};
  EXPECT_THROW(distance_to_surface({{{0, 0, 0}}}, TriMesh{}), InputError);
  EXPECT_THROW(distance_to_surface({{{0, 0, 0}}}, bad), InputError);
  EXPECT_THROW(distance_to_surface({{{0, std::nan(""), 0}}}, cube), InputError);
}

}  // namespace
}  // namespace haptos
