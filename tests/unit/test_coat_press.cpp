// The pressure between a coat and what it touches, on compliances without a pad behind them.
#include <gtest/gtest.h>

#include <random>

#include "haptos/base/math/rotation.h"
#include "haptos/contact/frozen/coat/coat_press.h"
#include "haptos/contact/frozen/coat/rigid_points.h"

namespace haptos {
namespace {

// n nodes on a line, 1 mm apart, with a random symmetric compliance.
CoatCompliance random_coat(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  CoatCompliance c;
  for (int i = 0; i < n; ++i) {
    c.rest.push_back({{1e-3 * i, 0, 0}});
    c.normal.push_back({{0, 0, 1}});
    c.area.push_back(1e-6);
    c.vertex.push_back(i);
  }
  c.thickness = 4e-3;
  const std::size_t m = 3 * c.rest.size();
  std::vector<double> a(m * m);
  for (double& v : a) v = normal(random);
  c.matrix.resize(a.size());
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = i == j ? 0.5 * static_cast<double>(m) : 0;
      for (std::size_t k = 0; k < m; ++k) sum += a[i * m + k] * a[j * m + k];
      c.matrix[i * m + j] = c.matrix[j * m + i] = static_cast<float>(1e-5 * sum);
    }
  return c;
}

std::vector<CoatNode> random_nodes(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<CoatNode> nodes;
  for (int i = 0; i < n; ++i) {
    CoatNode b;
    b.node = i;
    b.n = normalized(Vec3d{{0.2 * normal(random), 0.2 * normal(random), -1}});
    b.gap = 1e-4 * normal(random);
    nodes.push_back(b);
  }
  return nodes;
}

double gap_of(const CoatCompliance& c, const std::vector<CoatNode>& nodes, std::size_t i) {
  double gap = nodes[i].gap;
  for (const CoatNode& b : nodes)
    gap += b.force * dot(nodes[i].n, c.give(nodes[i].node, b.node) * b.n);
  return gap;
}

TEST(CoatPress, WhatPressesTouchesAndWhatIsApartDoesNotPress) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const int n = 5 + static_cast<int>(seed);
    const CoatCompliance c = random_coat(n, seed);
    std::vector<CoatNode> nodes = random_nodes(n, 100 + seed);
    press(c, nodes);
    int pressing = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const double gap = gap_of(c, nodes, i);
      EXPECT_GE(nodes[i].force, 0);
      EXPECT_GE(gap, -1e-11);
      if (nodes[i].force > 0) EXPECT_NEAR(gap, 0, 1e-11);
      pressing += nodes[i].force > 0;
    }
    EXPECT_GT(pressing, 0);
    EXPECT_LT(pressing, n);
  }
}

TEST(CoatPress, TheAnswerDoesNotDependOnWhereItStarts) {
  const CoatCompliance c = random_coat(30, 7);
  std::vector<CoatNode> cold = random_nodes(30, 8), warm = cold;
  for (CoatNode& b : warm) b.force = 1;
  press(c, cold), press(c, warm);
  for (std::size_t i = 0; i < cold.size(); ++i)
    EXPECT_NEAR(cold[i].force, warm[i].force, 1e-12 + 1e-9 * cold[i].force);
}

TEST(CoatPress, StiffnessIsThatOfMovingAllThatPresses) {
  const CoatCompliance c = random_coat(12, 3);
  std::vector<CoatNode> nodes = random_nodes(12, 4);
  for (CoatNode& b : nodes) b.n = {{0, 0, -1}}, b.gap = -1e-4;
  press(c, nodes);
  const std::vector<CoatNode> before = nodes;
  find_stiffness(c, nodes);
  // A little deeper.
  for (CoatNode& b : nodes) b.gap -= 1e-8;
  press(c, nodes);
  double found = 0, told = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    found += (nodes[i].force - before[i].force) / 1e-8;
    if (nodes[i].force > 0) told += nodes[i].stiffness;
  }
  EXPECT_NEAR(told, found, 0.1 * found);  // each has a twentieth of the mean at least
}

TEST(RigidPoints, KnowTheFrameAndMoveAnyPoint) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<int> points;
  std::vector<Vec3d> local, world(20);
  const Pose pose{{{0.3, -0.1, 0.2}}, normalized(Quat{0.3, 0.5, -0.2, 0.7})};
  for (int i = 0; i < 20; ++i) {
    points.push_back(19 - i);
    local.push_back({{normal(random), normal(random), normal(random)}});
    world[static_cast<std::size_t>(19 - i)] = pose * local.back();
  }
  const RigidPoints r(points, local);
  ASSERT_TRUE(r.valid());
  const Pose found = r.pose(world);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(found.p[k], pose.p[k], 1e-12);
  EXPECT_NEAR(std::abs(found.q.w * pose.q.w + found.q.x * pose.q.x + found.q.y * pose.q.y +
                       found.q.z * pose.q.z),
              1, 1e-12);
  const Vec3d x{{0.1, 2, -0.4}};
  Vec3d moved = Vec3d::zero();
  for (const Points::Part& p : r.parts(x))
    moved += p.weight * world[static_cast<std::size_t>(p.point)];
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(moved[k], (pose * x)[k], 1e-12);
}

TEST(RigidPoints, OfAPlaneAreNone) {
  const std::vector<Vec3d> flat = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{1, 1, 0}}, {{2, 1, 0}}};
  EXPECT_FALSE(RigidPoints({0, 1, 2, 3, 4}, flat).valid());
}

}  // namespace
}  // namespace haptos
