// Winding numbers of surfaces, closed and open.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/tree/winding_tree.h"

namespace haptos {
namespace {

// All triangles, one by one.
double exact(const TriMesh& m, const Vec3d& q) {
  double sum = 0;
  for (const Vec3i& t : m.triangles) {
    Vec3d x[3];
    for (int k = 0; k < 3; ++k) x[k] = m.vertices[static_cast<std::size_t>(t[k])] - q;
    const double a = norm(x[0]), b = norm(x[1]), c = norm(x[2]);
    sum +=
        2 * std::atan2(dot(x[0], cross(x[1], x[2])),
                       a * b * c + dot(x[0], x[1]) * c + dot(x[1], x[2]) * a + dot(x[2], x[0]) * b);
  }
  return sum / (4 * std::numbers::pi);
}

TEST(WindingTree, IsOneInsideAndNothingOutsideOfABall) {
  const TriMesh ball = icosphere(0.05, 0.003);
  const SurfaceTree tree(ball);
  const WindingTree winding(ball, tree);
  std::mt19937 random(1);
  std::normal_distribution<double> any;
  for (int i = 0; i < 3000; ++i) {
    Vec3d d{{any(random), any(random), any(random)}};
    d = normalized(d);
    EXPECT_NEAR(winding.winding(d * 0.0499), 1, 0.06);
    EXPECT_NEAR(winding.winding(d * (0.049 * (i % 100) / 100.0)), 1, 0.06);
    EXPECT_NEAR(winding.winding(d * (0.0501 + 0.01 * (i % 10))), 0, 0.06);
  }
}

TEST(WindingTree, AgreesWithAllTrianglesOfAnOpenSurface) {
  TriMesh open = icosphere(0.05, 0.004);
  std::erase_if(open.triangles, [&](const Vec3i& t) {
    return open.vertices[static_cast<std::size_t>(t[0])][2] > 0.02;
  });
  const SurfaceTree tree(open);
  const WindingTree winding(open, tree);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> any(-0.08, 0.08);
  for (int i = 0; i < 2000; ++i) {
    const Vec3d q{{any(random), any(random), any(random)}};
    EXPECT_NEAR(winding.winding(q), exact(open, q), 0.05);
  }
}

TEST(WindingTree, CountsEachSurfaceThatIsInsideAnother) {
  TriMesh two = icosphere(0.05, 0.006);
  const TriMesh inner = icosphere(0.02, 0.003);
  const int first = static_cast<int>(two.vertices.size());
  two.vertices.insert(two.vertices.end(), inner.vertices.begin(), inner.vertices.end());
  for (const Vec3i& t : inner.triangles)
    two.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
  const SurfaceTree tree(two);
  const WindingTree winding(two, tree);
  EXPECT_NEAR(winding.winding({{0.001, 0.002, 0.003}}), 2, 0.12);
  EXPECT_NEAR(winding.winding({{0.03, 0.002, 0.003}}), 1, 0.06);
  EXPECT_NEAR(winding.winding({{0.06, 0.002, 0.003}}), 0, 0.06);
}

TEST(WindingTree, NothingWindsRoundNothing) {
  const TriMesh none;
  const SurfaceTree tree(none);
  EXPECT_EQ(WindingTree(none, tree).winding(Vec3d::zero()), 0);
}

}  // namespace
}  // namespace haptos
