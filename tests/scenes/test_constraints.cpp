// Constraints between bodies of any kind against closed forms: pendulums on hinges, chains that
// hang, beams that are welded on, sliders, ropes, and momentum where nothing acts from outside.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/bodies/stiff/rigid_body.h"
#include "tests/robots.h"
#include "tests/scenes/brick_scenes.h"
#include "tests/scenes/soft_scenes.h"

namespace haptos {
namespace {

using test::brick, test::empty, test::joined, test::kG, test::rigid_brick, test::run;

// z along y: an axis that a plane motion in x and z turns about.
Quat about_y() { return rotation_by({{-M_PI / 2, 0, 0}}); }

// Period of a brick that swings on a hinge at its end, by a quarter: from rest to the middle.
double quarter_swing(bool affine, double h) {
  const Vec3d size{{0.02, 0.02, 0.4}};
  const double angle = 0.05;
  Scene s = empty(h);
  const Quat turn = rotation_by({{0, angle, 0}});
  const Vec3d centre = to_matrix(turn) * Vec3d{{0, 0, -0.2}};
  if (affine) {
    s.affine.push_back(brick("bar", size, centre));
    s.affine[0].pose.q = turn;
    s.affine[0].stiffness = 1e9;
  } else {
    s.robots.push_back(rigid_brick("bar", size, centre));
    s.robots[0].pose.q = turn;
  }
  s.constraints.push_back(joined(ConstraintKind::kHinge, "bar", "", {{{0, 0, 0.2}}, about_y()}));
  Sim sim(s);
  const auto x = [&] {
    return affine ? sim.affine_pose("bar").p[0] : sim.robot("bar").link_pose(0).p[0];
  };
  double before = x();
  for (int n = 1; n < 100000; ++n) {
    EXPECT_EQ(sim.step().status(), 0u);
    const double now = x();
    if (before * now <= 0) return h * (n - now / (now - before));
    before = now;
  }
  return 0;
}

TEST(Constraints, ABarOnAHingeSwingsAsAPhysicalPendulum) {
  const double l = 0.4, w = 0.02, inertia = (l * l + w * w) / 12 + l * l / 4;  // per mass
  const double period = 2 * M_PI * std::sqrt(inertia / (kG * l / 2));
  const double amplitude = 1 + 0.05 * 0.05 / 16;  // of a finite swing
  for (const bool affine : {true, false}) {
    const double measured = 4 * quarter_swing(affine, 1e-3);
    std::printf("FIGURE constraints.pendulum.%s = %.5f s (exact %.5f)\n",
                affine ? "affine" : "rigid", measured, period * amplitude);
    // Backward Euler in the constraint turns phase by about w h / 2, a quarter swing by h / 2.
    EXPECT_NEAR(measured, period * amplitude, 4e-3);
  }
}

TEST(Constraints, AChainHangsWithTheWeightBelowEachLink) {
  Scene s = empty(5e-3);
  const double mass = 1000 * 0.04 * 0.04 * 0.1;
  s.affine.push_back(brick("upper", {{0.04, 0.04, 0.1}}, {{0, 0, 0.95}}));
  s.robots.push_back(rigid_brick("lower", {{0.04, 0.04, 0.1}}, {{0, 0, 0.85}}));
  s.constraints.push_back(joined(ConstraintKind::kBall, "upper", "", {{{0, 0, 0.05}}, {}}));
  s.constraints.push_back(joined(ConstraintKind::kBall, "lower", "upper", {{{0, 0, 0.05}}, {}}));
  s.constraints[1].name = "between";
  Sim sim(s);
  run(sim, 1);
  EXPECT_NEAR(sim.constraint_wrench("joint").force[2], 2 * mass * kG, 1e-5 * mass * kG);
  EXPECT_NEAR(sim.constraint_wrench("between").force[2], mass * kG, 1e-5 * mass * kG);
  // A force keeps a constraint open by 2 h^2 R F.
  EXPECT_LT(sim.constraint_error("joint")[0], 1e-6);
  EXPECT_NEAR(sim.affine_pose("upper").p[2], 0.95, 1e-6);
}

TEST(Constraints, AWeldCarriesTheMomentOfABeam) {
  Scene s = empty(5e-3);
  const Vec3d size{{0.2, 0.04, 0.04}};
  const double weight = 1000 * 0.2 * 0.04 * 0.04 * kG;
  s.affine.push_back(brick("near", size, {{0.1, 0, 1}}));
  s.affine.push_back(brick("far", size, {{0.3, 0, 1}}));
  s.constraints.push_back(joined(ConstraintKind::kWeld, "near", "", {{{-0.1, 0, 0}}, {}}));
  s.constraints.push_back(joined(ConstraintKind::kWeld, "far", "near", {{{-0.1, 0, 0}}, {}}));
  s.constraints[1].name = "between";
  Sim sim(s);
  run(sim, 1);
  const Wrench root = sim.constraint_wrench("joint", {{0, 0, 1}});
  EXPECT_NEAR(root.force[2], 2 * weight, 1e-5 * weight);
  // Two weights at .1 and .3 m pull about +y; the weld holds against it.
  EXPECT_NEAR(root.torque[1], -0.4 * weight, 1e-5 * weight);
  const Wrench between = sim.constraint_wrench("between", {{0.2, 0, 1}});
  EXPECT_NEAR(between.force[2], weight, 1e-5 * weight);
  EXPECT_NEAR(between.torque[1], -0.1 * weight, 1e-5 * weight);
  // A steady moment M keeps a weld turned by 2 h^2 R M. Of an affine body R sees each axis turn by
  // itself, w = 1/4 (1 / S_i + 1 / S_j) about the third one, which is softer than the whole.
  const double m = weight / kG, sx = m * 0.2 * 0.2 / 12, sy = m * 0.04 * 0.04 / 12;
  const double about_x = 0.25 * (2 / sy), about_yz = 0.25 * (1 / sx + 1 / sy);
  const double w = std::sqrt(about_x * about_x + 2 * about_yz * about_yz) / 3;
  const double r = 0.01 / (4 * M_PI * M_PI) * w;
  const double turned = 2 * 25e-6 * r * 0.4 * weight;
  EXPECT_NEAR(sim.constraint_error("joint")[1], turned, 0.01 * turned);
  std::printf("FIGURE constraints.weld.turned = %.2e rad\n", turned);
}

TEST(Constraints, ASliderLetsABodyFallAlongItsAxisOnly) {
  const double slope = 0.4;
  for (const bool affine : {true, false}) {
    Scene s = empty(1e-3);
    const Vec3d size{{0.05, 0.05, 0.05}}, at{{0, 0, 1}};
    if (affine)
      s.affine.push_back(brick("car", size, at));
    else
      s.robots.push_back(rigid_brick("car", size, at));
    // z of the frame down the slope.
    const Pose rail{{{0, 0, 0}}, rotation_by({{0, M_PI / 2 + slope, 0}})};
    s.constraints.push_back(joined(ConstraintKind::kSlider, "car", "", rail));
    Sim sim(s);
    const double seconds = 0.5, h = 1e-3;
    run(sim, seconds);
    const Vec3d p = affine ? sim.affine_pose("car").p : sim.robot("car").link_pose(0).p;
    const Vec3d along{{std::cos(slope), 0, -std::sin(slope)}};
    const double way = 0.5 * kG * std::sin(slope) * seconds * (seconds + h);
    EXPECT_NEAR(dot(p - at, along), way, 1e-5) << affine;
    EXPECT_LT(norm(p - at - along * dot(p - at, along)), 1e-6) << affine;
  }
}

TEST(Constraints, ARopeHoldsTheWeightAndTheLength) {
  Scene s = empty(2e-3);
  s.robots.push_back(test::rigid_ball("bob", 0.05, 2, {{0, 0, 0}}));
  Constraint rope = joined(ConstraintKind::kDistance, "bob", "", {});
  rope.other = Pose{{{0, 0, 0.8}}, {}};
  s.constraints.push_back(rope);
  Sim sim(s);
  run(sim, 1);
  EXPECT_NEAR(sim.constraint_wrench("joint").force[2], 2 * kG, 1e-6);
  EXPECT_NEAR(sim.robot("bob").link_pose(0).p[2], 0, 1e-6);
}

TEST(Constraints, JoinedBodiesKeepTheirMomentumTogether) {
  for (const ConstraintKind kind :
       {ConstraintKind::kWeld, ConstraintKind::kBall, ConstraintKind::kHinge}) {
    Scene s = empty(1e-3, 0);
    s.affine.push_back(brick("a", {{0.1, 0.04, 0.04}}, {{0, 0, 0}}));
    s.affine.push_back(brick("b", {{0.1, 0.04, 0.04}}, {{0.1, 0, 0}}));
    s.affine[0].velocity = {{0.1, 0.3, 0}};
    s.affine[1].velocity = {{0.1, 0.3, 0}};
    s.constraints.push_back(joined(kind, "b", "a", {{{-0.05, 0, 0}}, about_y()}));
    Sim sim(s);
    // Turn one of them for a while, then let go.
    sim.set_wrench("b", {{0, 0.2, 0}}, {{1e-4, 1e-3, 2e-3}});
    run(sim, 0.1);
    sim.set_wrench("b", {{0, 0, 0}}, {{0, 0, 0}});
    const auto momentum = [&] {
      const double m = 1000 * 0.1 * 0.04 * 0.04;
      Vec6d sum{};
      for (const char* name : {"a", "b"}) {
        const Vec6d u = sim.affine_velocity(name);
        const Pose pose = sim.affine_pose(name);
        const Mat3d r = to_matrix(pose.q);
        const Vec3d v{{u[0], u[1], u[2]}}, w{{u[3], u[4], u[5]}};
        const Mat3d inertia = r * solid_box_inertia(m, {{0.1, 0.04, 0.04}}) * transpose(r);
        const Vec3d spin = inertia * w + cross(pose.p, v) * m;
        for (int c = 0; c < 3; ++c) sum[c] += m * v[c], sum[3 + c] += spin[c];
      }
      return sum;
    };
    const Vec6d before = momentum();
    run(sim, 0.5);
    const Vec6d after = momentum();
    double size = 0, off[2] = {0, 0};
    for (int c = 0; c < 3; ++c) {
      size = std::max(size, std::abs(before[3 + c]));
      off[0] = std::max(off[0], std::abs(after[c] - before[c]));
      off[1] = std::max(off[1], std::abs(after[3 + c] - before[3 + c]));
    }
    std::printf("FIGURE constraints.momentum.%d = %.1e of %.2e N s, %.1e of %.2e N m s\n",
                static_cast<int>(kind), off[0], norm(Vec3d{{before[0], before[1], before[2]}}),
                off[1], size);
    EXPECT_LT(off[0], 1e-9) << static_cast<int>(kind);
    EXPECT_LT(off[1], 2e-3 * size) << static_cast<int>(kind);
  }
}

TEST(Constraints, AnAffineToolOnAnArmIsPartOfItsLoad) {
  Scene s = empty(2e-3);
  s.robots.push_back(test::driven_arm());
  const Vec3d tip = Vec3d{{-1, 0, 1.8}};
  s.affine.push_back(brick("tool", {{0.05, 0.05, 0.05}}, tip - Vec3d{{0, 0, 0.025}}));
  s.constraints.push_back(joined(ConstraintKind::kWeld, "tool", "arm", {{{0, 0, 0.025}}, {}}));
  Sim sim(s);
  run(sim, 1);
  const double weight = 1000 * 0.05 * 0.05 * 0.05 * kG;
  EXPECT_NEAR(sim.constraint_wrench("joint").force[2], weight, 1e-4 * weight);
  EXPECT_NEAR(norm(sim.affine_pose("tool").p - s.affine[0].pose.p), 0, 1e-5);
  // Pushed aside at the tool, the arm's motor holds against the lever.
  sim.set_wrench("tool", {{1, 0, 0}}, {{0, 0, 0}});
  run(sim, 20);
  const double angle = sim.robot("arm").position()[0], arm = sim.robot("arm").robot().links[0].mass;
  const double lever = 0.225 * std::cos(angle), hang = 0.1 * arm * kG + 0.225 * weight;
  const double torque = lever + hang * std::sin(angle);
  EXPECT_NEAR(sim.robot("arm").effort(0), torque, 2e-3 * 0.225);
  EXPECT_LT(sim.constraint_error("joint")[0], 1e-5);
}

TEST(Constraints, JoinedBodiesDoNotTouchUnlessTheyAreToldTo) {
  for (const bool contact : {false, true}) {
    Scene s = empty(2e-3, 0);
    s.robots.push_back(rigid_brick("a", {{0.1, 0.1, 0.1}}, {{0, 0, 0}}));
    s.robots.push_back(rigid_brick("b", {{0.1, 0.1, 0.1}}, {{0.0995, 0, 0}}));
    s.constraints.push_back(joined(ConstraintKind::kBall, "a", "b", {{{0.05, 0, 0}}, {}}));
    s.constraints[0].contact = contact;
    Sim sim(s);
    run(sim, 0.01);
    EXPECT_EQ(sim.contacts().empty(), !contact);
  }
}

TEST(Constraints, AStateIsOfTheSameConstraints) {
  Scene s = empty(2e-3);
  s.affine.push_back(brick("bar", {{0.1, 0.02, 0.02}}, {{0, 0, 1}}));
  s.constraints.push_back(joined(ConstraintKind::kBall, "bar", "", {{{0.05, 0, 0}}, {}}));
  const std::uint64_t one = compile(s)->hash;
  s.constraints[0].pose.p[1] = 0.01;
  EXPECT_NE(compile(s)->hash, one);
}

TEST(Constraints, WhatCannotBeJoinedIsRefused) {
  struct Case {
    std::function<void(Scene&)> spoil;
    const char* says;
  };
  const Case cases[] = {
      {[](Scene& s) { s.constraints[0].b = "barr"; }, "did you mean \"bar\""},
      {[](Scene& s) { s.constraints[0].b = "bar"; }, "joins a body to itself"},
      {[](Scene& s) { s.constraints[0].b = "floor"; }, "not a half-space"},
      {[](Scene& s) { s.constraints[0].distance = 0.1; }, "of kind distance only"},
      {[](Scene& s) { s.constraints[0].kind = 4; }, "needs the other point"},
      {[](Scene& s) { s.constraints[0].pose.p[0] = std::nan(""); }, "must be finite"},
      {[](Scene& s) { s.constraints.push_back(s.constraints[0]); }, "has the name of a constraint"},
  };
  for (const Case& c : cases) {
    Scene s = empty(2e-3);
    s.half_spaces.push_back({"floor", {}, "", {{0, 0, 1}}, 0});
    s.affine.push_back(brick("bar", {{0.1, 0.02, 0.02}}, {{0, 0, 1}}));
    s.constraints.push_back(joined(ConstraintKind::kBall, "bar", "", {}));
    c.spoil(s);
    try {
      validate(s);
      ADD_FAILURE() << c.says;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(c.says), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace haptos
