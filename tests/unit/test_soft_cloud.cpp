// The points of a soft surface that touch.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "haptos/bodies/soft/soft_cloud.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/system/term.h"
#include "tests/support.h"

namespace haptos {
namespace {

struct Block {
  TriMesh surface;
  Points points;
  std::vector<int> number;

  explicit Block(double turn = 0) {
    surface = box({{0.2, 0.3, 0.4}}, {{2, 3, 4}});
    const Mat3d R = to_matrix(rotation_by({{turn, 0, 0}}));
    int block = 0;
    for (const Vec3d& x : surface.vertices) number.push_back(points.add_node(block++, 0, 0, R * x));
    points.finish_permanent();
  }
  SoftCloud cloud(const std::vector<char>& driven) {
    SoftCloud c(surface, number, driven);
    StepContext start;
    start.points = &points;
    start.h = 0.01;
    c.begin(start);
    return c;
  }
};

double shown(const SoftCloud& c, const Vec3d& n) {
  double sum = 0;
  for (int i = 0; i < c.size(); ++i) sum += c.area(i, n);
  return sum;
}

TEST(SoftCloud, ShowsAShapeTheAreaThatFacesIt) {
  Block b;
  const SoftCloud c = b.cloud(std::vector<char>(b.number.size(), 0));
  // A floor below, a wall beside: one side each, though its edges belong to others too.
  EXPECT_NEAR(shown(c, {{0, 0, 1}}), 0.06, 1e-12);
  EXPECT_NEAR(shown(c, {{-1, 0, 0}}), 0.12, 1e-12);
  // Turned by 45 degrees two sides show 1/sqrt(2) of themselves.
  Block t(std::numbers::pi / 4);
  EXPECT_NEAR(shown(t.cloud(std::vector<char>(t.number.size(), 0)), {{0, 0, 1}}),
              (0.06 + 0.08) / std::sqrt(2.0), 1e-12);
}

TEST(SoftCloud, IsExactForWhatIsQuadraticOverASide) {
  Block b;
  const SoftCloud c = b.cloud(std::vector<char>(b.number.size(), 0));
  double sum = 0;
  for (int i = 0; i < c.size(); ++i) {
    const Vec3d x = c.place(i);
    if (x[2] < -0.199) sum += c.area(i, {{0, 0, 1}}) * (x[0] * x[0] + 2 * x[1] * x[1] + x[0] + 1);
  }
  // int x^2 dA = a^3 b / 12 over a rectangle a x b.
  const double a = 0.2, d = 0.3;
  EXPECT_NEAR(sum, a * a * a * d / 12 + 2 * d * d * d * a / 12 + a * d, 1e-12);
}

TEST(SoftCloud, LeavesOutWhatContactCannotMove) {
  Block b;
  std::vector<char> driven;
  for (const Vec3d& x : b.surface.vertices) driven.push_back(x[2] > 0.199);
  const SoftCloud c = b.cloud(driven);
  EXPECT_EQ(shown(c, {{0, 0, -1}}), 0);
  EXPECT_NEAR(shown(c, {{0, 0, 1}}), 0.06, 1e-12);
  for (int i = 0; i < c.size(); ++i) {
    Points::Part part[Cloud::kMostParts];
    const int n = c.parts(i, Vec3d::zero(), part);
    double weight = 0;
    Vec3d at = Vec3d::zero();
    for (int k = 0; k < n; ++k) {
      weight += part[k].weight;
      at += part[k].weight * c.node_place(part[k].point);
    }
    EXPECT_NEAR(weight, 1, 1e-15);
    EXPECT_LE(norm(at - c.place(i)), 1e-15);
  }
}

// The block is .2 by .3 by .4 m about the origin.
TEST(SoftCloud, ItsSurfaceIsAsFarAsABoxAndInTheSameDirection) {
  Block b;
  const SoftCloud c = b.cloud(std::vector<char>(b.number.size(), 0));
  const auto place = [&](const Cloud::Skin& s) {
    Vec3d x = Vec3d::zero();
    for (const auto& [p, weight] : s.part) x += weight * b.points.x_start[std::size_t(p)];
    return x;
  };
  struct Case {
    Vec3d x, nearest, n;
    double distance;
  };
  const double r = std::sqrt(0.5);
  for (const Case& k : {Case{{{0.02, 0.03, 0.21}}, {{0.02, 0.03, 0.2}}, {{0, 0, 1}}, 0.01},
                        Case{{{0.02, 0.03, 0.19}}, {{0.02, 0.03, 0.2}}, {{0, 0, 1}}, -0.01},
                        Case{{{0.11, 0.01, 0.21}}, {{0.1, 0.01, 0.2}}, {{r, 0, r}}, 0.01 / r},
                        Case{{{-0.02, 0.15, 0.05}}, {{-0.02, 0.15, 0.05}}, {{0, 1, 0}}, 0}}) {
    Cloud::Skin s;
    ASSERT_TRUE(c.skin(k.x, 0.05, s));
    EXPECT_LT(norm(place(s) - k.nearest), 1e-12);
    EXPECT_NEAR(s.distance, k.distance, 1e-12);
    EXPECT_LT(norm(s.n - k.n), 1e-9);
  }
  Cloud::Skin none;
  EXPECT_FALSE(c.skin({{0, 0, 1}}, 0.05, none));
}

}  // namespace
}  // namespace haptos
