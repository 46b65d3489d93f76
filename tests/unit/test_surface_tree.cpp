// The nearest point of a surface against that of all its triangles in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/query/closest.h"
#include "haptos/geometry/tree/surface_tree.h"

namespace haptos {
namespace {

double brute(const TriMesh& m, const Vec3d& p) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3i& t : m.triangles) {
    Vec3d x[3];
    for (int k = 0; k < 3; ++k) x[k] = m.vertices[static_cast<std::size_t>(t[k])];
    const auto c = closest_on_triangle(p, x[0], x[1], x[2]);
    least =
        std::min(least, squared_norm(p - (c.beta[0] * x[0] + c.beta[1] * x[1] + c.beta[2] * x[2])));
  }
  return least;
}

void agrees(const TriMesh& m, double size, const Vec3d& middle, unsigned seed) {
  const SurfaceTree tree(m);
  std::mt19937 random(seed);
  std::normal_distribution<double> any;
  for (int i = 0; i < 300; ++i) {
    Vec3d p = middle;
    const double off = size * std::pow(10.0, -(i % 7));
    const auto v = static_cast<std::size_t>(i) * 7919 % m.vertices.size();
    if (i % 2) p = m.vertices[v];
    for (int k = 0; k < 3; ++k) p[k] += off * any(random);
    const SurfaceTree::Nearest near = tree.nearest(p);
    const double least = brute(m, p);
    ASSERT_EQ(near.squared_distance, least) << i;
    ASSERT_EQ(squared_norm(p - near.point), least);
    EXPECT_EQ(tree.nearest(p, std::sqrt(least) * 0.999999).triangle, -1);
    const Vec3i& t = m.triangles[static_cast<std::size_t>(near.triangle)];
    Vec3d at = Vec3d::zero();
    for (int k = 0; k < 3; ++k) at += near.beta[k] * m.vertices[static_cast<std::size_t>(t[k])];
    EXPECT_EQ(norm(at - near.point), 0);
  }
}

TEST(SurfaceTree, NearestPointOfABallIsThatOfAllTriangles) {
  agrees(icosphere(0.05, 0.004), 0.05, Vec3d::zero(), 1);
}

TEST(SurfaceTree, NearestPointHoldsFarFromTheOrigin) {
  TriMesh m = icosphere(0.05, 0.004);
  const Vec3d far{{300, -20, 1000}};
  for (Vec3d& x : m.vertices) x += far;
  agrees(m, 0.05, far, 2);
}

TEST(SurfaceTree, NeedlesSplintersAndPointsAreTakenAsTheyAre) {
  TriMesh m;
  std::mt19937 random(3);
  std::normal_distribution<double> any;
  for (int t = 0; t < 500; ++t) {
    const double length = std::pow(10.0, -(t % 5)), width = length * std::pow(10.0, -(t % 9));
    Vec3d x{{any(random), any(random), any(random)}}, a, b;
    for (int k = 0; k < 3; ++k) a[k] = length * any(random), b[k] = width * any(random);
    const int first = static_cast<int>(m.vertices.size());
    m.vertices.insert(m.vertices.end(), {x, x + a, t % 50 ? x + 0.3 * a + b : x + a});
    m.triangles.push_back({{first, first + 1, first + 2}});
  }
  agrees(m, 1, Vec3d::zero(), 4);
}

// Products of lengths leave single precision long before lengths do.
TEST(SurfaceTree, SizeDoesNotMatter) {
  for (const double scale : {1e-9, 1e-6, 1e6}) {
    TriMesh m = icosphere(0.05, 0.01);
    for (Vec3d& x : m.vertices) x = x * scale + Vec3d{{scale, 0, 0}};
    agrees(m, 0.05 * scale, {{scale, 0, 0}}, 5);
  }
}

TEST(SurfaceTree, AnEmptySurfaceHasNoNearestPoint) {
  EXPECT_EQ(SurfaceTree().nearest(Vec3d::zero()).triangle, -1);
  EXPECT_EQ(SurfaceTree(TriMesh{}).nearest(Vec3d::zero()).triangle, -1);
}

}  // namespace
}  // namespace haptos
