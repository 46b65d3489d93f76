// The pressure between a coat and what it touches, on compliances without a pad behind them.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "haptos/base/math/rotation.h"
#include "haptos/contact/frozen/coat/coat_carry.h"
#include "haptos/contact/frozen/coat/coat_friction.h"
#include "haptos/contact/frozen/coat/coat_press.h"
#include "haptos/contact/frozen/rigid_points.h"

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
    c.probe.push_back({i, i});
    c.first_part.push_back(i);
    c.part.push_back({i, 1});
  }
  c.first_part.push_back(n);
  // Between each two nodes a probe more, and what neighbours do to each other beyond their nodes.
  for (int i = 0; i + 1 < n; ++i) c.probe.push_back({i, i + 1});
  const auto probes = static_cast<int>(c.probe.size());
  for (int p = 0; p < probes; ++p) {
    c.first_near.push_back(static_cast<int>(c.near.size()));
    if (p > 0) c.near.push_back({p - 1, 1e-5F});
    c.near.push_back({p, 5e-5F});
    if (p + 1 < probes) c.near.push_back({p + 1, 1e-5F});
  }
  c.first_near.push_back(static_cast<int>(c.near.size()));
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

struct Pressed {
  std::vector<CoatNode> nodes;
  std::vector<CoatProbe> probes;
};
Pressed random_touch(const CoatCompliance& c, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Pressed made;
  for (int i = 0; i < c.nodes(); ++i) {
    CoatNode b;
    b.node = i;
    b.n = normalized(Vec3d{{0.2 * normal(random), 0.2 * normal(random), -1}});
    made.nodes.push_back(b);
  }
  for (int p = 0; p < static_cast<int>(c.probe.size()); ++p)
    made.probes.push_back({p, 1e-4 * normal(random), 0, p % 3 == 0 ? 2e-5 : 0});
  return made;
}

// As a step does in its passes.
void press_on(const CoatCompliance& c, Pressed& t) {
  for (int pass = 0; pass < 4; ++pass) press(c, t.nodes, t.probes);
}

// Told by sums over all, of the definition.
double gap_of(const CoatCompliance& c, const Pressed& t, std::size_t i) {
  const auto parts = [&](const CoatProbe& p) {
    const CoatCompliance::Probe& at = c.probe[static_cast<std::size_t>(p.probe)];
    return std::array<int, 2>{at.a, at.b};
  };
  double gap = t.probes[i].gap + t.probes[i].own * t.probes[i].force;
  for (const CoatProbe& q : t.probes)
    for (const int a : parts(t.probes[i]))
      for (const int b : parts(q))
        gap += 0.25 * q.force *
               dot(t.nodes[static_cast<std::size_t>(a)].n,
                   c.give(a, b) * t.nodes[static_cast<std::size_t>(b)].n);
  for (int k = c.first_near[i]; k < c.first_near[i + 1]; ++k) {
    const CoatCompliance::Near& near = c.near[static_cast<std::size_t>(k)];
    gap += static_cast<double>(near.give) * t.probes[static_cast<std::size_t>(near.probe)].force;
  }
  return gap;
}

TEST(CoatPress, WhatPressesTouchesAndWhatIsApartDoesNotPress) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const CoatCompliance c = random_coat(5 + static_cast<int>(seed), seed);
    Pressed t = random_touch(c, 100 + seed);
    double deepest = 0, sum = 0, on_nodes = 0;
    for (const CoatProbe& p : t.probes) deepest = std::max(deepest, -p.gap);
    press_on(c, t);
    int pressing = 0;
    const double round = 2e-5 * deepest;
    for (std::size_t i = 0; i < t.probes.size(); ++i) {
      const double gap = gap_of(c, t, i);
      EXPECT_GE(t.probes[i].force, 0);
      EXPECT_GE(gap, -round);
      if (t.probes[i].force > 0) EXPECT_NEAR(gap, 0, round);
      pressing += t.probes[i].force > 0;
      sum += t.probes[i].force;
    }
    for (const CoatNode& n : t.nodes) on_nodes += n.force;
    EXPECT_NEAR(on_nodes, sum, 1e-12 * sum);
    EXPECT_GT(pressing, 0);
    EXPECT_LT(pressing, static_cast<int>(t.probes.size()));
  }
}

TEST(CoatPress, TheAnswerDoesNotDependOnWhereItStarts) {
  const CoatCompliance c = random_coat(30, 7);
  Pressed cold = random_touch(c, 8), warm = cold;
  for (CoatProbe& p : warm.probes) p.force = 1;
  press_on(c, cold), press_on(c, warm);
  double most = 0;
  for (const CoatNode& n : cold.nodes) most = std::max(most, n.force);
  for (std::size_t i = 0; i < cold.nodes.size(); ++i)
    EXPECT_NEAR(cold.nodes[i].force, warm.nodes[i].force, 1e-4 * most);
}

TEST(CoatPress, StiffnessIsThatOfMovingAllThatPresses) {
  CoatCompliance c = random_coat(12, 3);
  for (CoatCompliance::Near& n : c.near) n.give *= 0.01F;  // it is that by way of nodes
  Pressed t = random_touch(c, 4);
  for (CoatNode& b : t.nodes) b.n = {{0, 0, -1}};
  t.probes.resize(12);
  for (CoatProbe& p : t.probes) p.gap = -1e-4, p.own = 0;
  press_on(c, t);
  const std::vector<CoatNode> before = t.nodes;
  find_stiffness(c, t.nodes);
  // A little deeper.
  for (CoatProbe& p : t.probes) p.gap -= 1e-5;
  press_on(c, t);
  double found = 0, told = 0;
  for (std::size_t i = 0; i < t.nodes.size(); ++i) {
    found += (t.nodes[i].force - before[i].force) / 1e-5;
    if (t.nodes[i].force > 0) told += t.nodes[i].stiffness;
  }
  EXPECT_NEAR(told, found, 0.1 * found);  // each has a twentieth of the mean at least
}

TEST(CoatFriction, HoldsWhatItCanAndHasAllElsewhere) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const CoatCompliance c = random_coat(4 + static_cast<int>(seed), seed);
    const Pressed t = random_touch(c, 50 + seed);
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::vector<Vec3d> moved, friction(t.nodes.size(), Vec3d::zero());
    std::vector<double> most;
    for (std::size_t i = 0; i < t.nodes.size(); ++i) {
      moved.push_back(1e-5 * Vec3d{{normal(random), normal(random), normal(random)}});
      most.push_back(i % 4 == 3 ? 0.0 : i % 4 == 2 ? 1e3 : 0.02);
    }
    hold_back(c, t.nodes, most, moved, friction, friction);
    int held = 0, slips = 0;
    for (std::size_t i = 0; i < t.nodes.size(); ++i) {
      const Vec3d& n = t.nodes[i].n;
      Vec3d left = moved[i];
      for (std::size_t j = 0; j < t.nodes.size(); ++j)
        left += c.give(t.nodes[i].node, t.nodes[j].node) * friction[j];
      left = left - dot(left, n) * n;
      EXPECT_NEAR(dot(friction[i], n), 0, 1e-9);
      EXPECT_LE(norm(friction[i]), most[i] * (1 + 1e-12));
      if (most[i] == 0) continue;
      if (norm(friction[i]) < 0.999 * most[i]) {
        EXPECT_LT(norm(left), 1e-7);  // of 1e-5
        ++held;
      } else {
        EXPECT_LT(dot(left, friction[i]), -0.9 * norm(left) * norm(friction[i]));
        ++slips;
      }
    }
    EXPECT_GT(held, 0);
    EXPECT_GT(slips, 0);
  }
}

TEST(CoatCarry, IsTheMotionOfWhatPresses) {
  const CoatCompliance c = random_coat(20, 2);
  std::vector<Vec3d> displaced;
  const Vec3d by{{3e-4, -1e-4, 0}};
  for (const Vec3d& x : c.rest)
    displaced.push_back(by + cross(Vec3d{{0, 0, 0.05}}, x) + Vec3d{{0, 0, -2e-4}});
  std::vector<int> nodes;
  std::vector<double> force;
  for (int i = 4; i < 18; ++i) nodes.push_back(i), force.push_back(1 + 0.1 * i);
  const CoatCarry found = carry_of(c, nodes, force, displaced);
  for (std::size_t i = 0; i < c.rest.size(); ++i) {
    const Vec3d off = found.at(c.rest[i]) - displaced[i];
    EXPECT_LT(std::hypot(off[0], off[1]), 5e-5);  // a node's own width damps the turn
  }
  const CoatCarry none = carry_of(c, {}, {}, displaced);
  EXPECT_EQ(norm(none.at(c.rest[3])), 0);
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
