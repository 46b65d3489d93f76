// Rigid bodies of any shape in frozen point contact with each other and with the world, against
// closed forms.
#include "tests/scenes/point_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace haptos {
namespace {

using test::kG;
using test::on_slope;
using test::World;

TEST(PointContactScene, ABoxAtRestWeighsOnFourPoints) {
  World w;
  w.add_plane({{0, 0, 1}});
  w.add_box({{0.2, 0.1, 0.06}}, 0.5, {{{0, 0, 0.03}}, rotation_by({{0, 0, 0.4}})});
  w.start(1e-3);
  w.run(1);
  EXPECT_EQ(w.term->contacts().size(), 4u);
  EXPECT_NEAR(w.force_on(0)[2], 0.5 * kG, 1e-6 * 0.5 * kG);
  for (const ContactPoint& c : w.term->contacts())
    EXPECT_NEAR(c.normal_force, 0.25 * 0.5 * kG, 1e-6);
}

TEST(PointContactScene, AStackCarriesTheWeightAboveAtEveryMassRatio) {
  for (const double ratio : {1.0, 100.0, 1e4}) {
    World w;
    w.stiffness = 1e10;  // the near-rigid bound takes its place
    w.add_plane({{0, 0, 1}});
    const double mass[3] = {1, 1, ratio};
    for (int i = 0; i < 3; ++i)
      w.add_box({{0.1, 0.1, 0.1}}, mass[i], {{{0, 0, 0.05 + 0.1 * i}}, {}});
    w.start(1e-3);
    w.run(ratio > 1e3 ? 20 : 2);  // the near-rigid bound is that of the light boxes below
    double above = 0;
    for (int i = 2; i >= 0; --i) {
      above += mass[i] * kG;
      Vec3d below = Vec3d::zero();  // what carries body i from below
      for (const ContactPoint& c : w.term->contacts()) {
        if (c.body_a != i && c.body_b != i) continue;
        const int other = c.body_a == i ? c.body_b : c.body_a;
        if (other == (i == 0 ? 1000 : i - 1)) below += c.body_a == i ? c.force : c.force * -1.0;
      }
      EXPECT_NEAR(below[2], above, 1e-6 * above) << "body " << i << ", ratio " << ratio;
    }
  }
}

TEST(PointContactScene, ABoxOnASlopeSticksBelowTheConeAndSlidesAboveIt) {
  const double angle = 0.4, h = 1e-3, T = 0.5;
  for (const double part : {0.98, 0.5, 0.0, 1.02}) {
    World w;
    w.friction = std::tan(angle) * part;
    w.add_plane({{std::sin(angle), 0, std::cos(angle)}});
    w.add_box({{0.2, 0.2, 0.04}}, 1, on_slope(angle, 0, 0.02));
    w.start(h);
    w.run(T);
    const double speed = norm(w.bodies[0]->velocity(w.scene.state));
    const double a = kG * (std::sin(angle) - w.friction * std::cos(angle));
    if (part < 1) {
      EXPECT_NEAR(speed, a * T, 2e-4 * kG * T) << part;
    } else {
      // The regularised cone creeps at about sigma mu h g.
      EXPECT_LT(speed, 1e-5) << part;
    }
  }
}

TEST(PointContactScene, ATallBoxTipsBeforeItSlides) {
  // Of width b and height t on a slope: tips when tan(angle) > b / t, if friction holds it.
  const double width = 0.06, height = 0.2;
  for (const double part : {0.99, 1.01}) {
    const double angle = std::atan(part * width / height);
    World w;
    w.friction = 1;
    w.add_plane({{std::sin(angle), 0, std::cos(angle)}});
    w.add_box({{width, width, height}}, 1, on_slope(angle, 0, 0.5 * height));
    w.start(1e-3);
    w.run(3);
    const double turned =
        2 *
        std::acos(std::min(
            1.0,
            std::abs((conjugate(on_slope(angle, 0, 0).q) * w.bodies[0]->pose(w.scene.state).q).w)));
    if (part < 1)
      EXPECT_LT(turned, 1e-3);
    else
      EXPECT_GT(turned, 0.3);
  }
}

TEST(PointContactScene, WhatCollidesInFreeSpaceKeepsItsMomentum) {
  World w;
  w.scene.gravity = {{0, 0, 0}};
  const double mass[2] = {1, 3};
  w.add_box({{0.1, 0.12, 0.08}}, mass[0], {{{-0.2, 0.01, 0.02}}, rotation_by({{0.3, 0.2, 0.1}})},
            {{2, 0, 0}}, {{0.5, 1, 0}});
  w.add_ball(0.07, mass[1], {{0.05, 0, 0}});
  w.start(1e-3);
  const auto momentum = [&](Vec3d& linear, Vec3d& angular) {
    linear = angular = Vec3d::zero();
    for (std::size_t i = 0; i < 2; ++i) {
      const Vec3d p = w.bodies[i]->velocity(w.scene.state) * mass[i];
      linear += p;
      angular += cross(w.bodies[i]->pose(w.scene.state).p, p) +
                 w.bodies[i]->angular_momentum(w.scene.state);
    }
  };
  Vec3d p0, l0, p1, l1;
  momentum(p0, l0);
  const double energy = w.bodies[0]->kinetic_energy(w.scene.state);
  w.run(0.3);
  momentum(p1, l1);
  EXPECT_GT(norm(w.bodies[1]->velocity(w.scene.state)), 0.1);
  EXPECT_LE(norm(p1 - p0), 1e-12 * norm(p0));
  std::printf("FIGURE point_contact.collision.angular_momentum = %.1e\n", norm(l1 - l0));
  // Contact ends a step where it is midway between the surfaces at its start: first order in h.
  EXPECT_LE(norm(l1 - l0), 1e-2 * norm(l0) + 1e-3);
  EXPECT_LT(w.bodies[0]->kinetic_energy(w.scene.state) + w.bodies[1]->kinetic_energy(w.scene.state),
            energy);
}

TEST(PointContactScene, TheOrderOfShapesAndBodiesDoesNotMatter) {
  std::vector<double> first;
  for (const bool backwards : {false, true}) {
    World w;
    w.add_plane({{0, 0, 1}});
    std::vector<int> which(5);
    std::iota(which.begin(), which.end(), 0);
    if (backwards) std::reverse(which.begin(), which.end());
    std::vector<int> body_of(5);
    for (const int i : which) {
      body_of[static_cast<std::size_t>(i)] = static_cast<int>(w.bodies.size());
      const Vec3d p{{0.03 * (i % 2), 0.01 * i, 0.06 + 0.11 * i}};
      if (i % 2 == 0)
        w.add_box({{0.1, 0.1, 0.1}}, 1, {p, rotation_by({{0, 0, 0.1 * i}})});
      else
        w.add_ball(0.05, 1, p);
    }
    std::vector<int> order(w.shapes.size());
    std::iota(order.begin(), order.end(), 0);
    if (backwards) std::reverse(order.begin(), order.end());
    w.start(1e-3, order);
    w.run(0.1);
    std::vector<double> result;
    for (int i = 0; i < 5; ++i) {
      const RigidBody& b =
          *w.bodies[static_cast<std::size_t>(body_of[static_cast<std::size_t>(i)])];
      const Vec3d p = b.pose(w.scene.state).p, v = b.velocity(w.scene.state);
      for (int k = 0; k < 3; ++k) result.push_back(p[k]), result.push_back(v[k]);
    }
    if (!backwards) first = result;
    for (std::size_t k = 0; k < result.size(); ++k) EXPECT_NEAR(result[k], first[k], 1e-12) << k;
  }
}

// Ten boxes on each other.
void stack_of_ten(double time, double bound, const char* name) {
  World w;
  w.add_plane({{0, 0, 1}});
  for (int i = 0; i < 10; ++i) w.add_box({{0.1, 0.1, 0.1}}, 1, {{{0, 0, 0.05 + 0.1 * i}}, {}});
  w.start(5e-3);
  w.run(1);
  std::vector<Vec3d> before;
  for (const RigidBody* b : w.bodies) before.push_back(b->pose(w.scene.state).p);
  w.run(time);
  double drift = 0;
  for (std::size_t i = 0; i < 10; ++i)
    drift = std::max(drift, norm(w.bodies[i]->pose(w.scene.state).p - before[i]));
  std::printf("FIGURE point_contact.%s.drift = %.1e m\n", name, drift);
  EXPECT_LT(drift, bound);
}
TEST(PointContactScene, AStackOfTenBoxesStands) { stack_of_ten(2, 1e-6, "stack"); }
TEST(FullPointContactScene, AStackOfTenBoxesStandsForAMinute) {
  stack_of_ten(60, 1e-6, "stack_minute");
}

}  // namespace
}  // namespace haptos
