// Springs, motors, dry friction and limits on what hinges and sliders leave free, against closed
// forms and against the same joint of a robot.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/robots.h"
#include "tests/scenes/brick_scenes.h"

namespace haptos {
namespace {

using test::kG, test::run;

constexpr double kLength = 0.4, kWidth = 0.04;
constexpr double kMass = 1000 * kLength * kWidth * kWidth;
const Vec3d kSize{{kLength, kWidth, kWidth}};

// A bar along x from the origin, affine or rigid, on a hinge about -y, so that it falls towards
// positive angles, or on a slider along z.
Scene bar_scene(bool affine, ConstraintKind kind, double dt = 2e-3) {
  Scene s = test::empty(dt);
  const Vec3d centre{{kLength / 2, 0, 0}};
  if (affine)
    s.affine.push_back(test::brick("bar", kSize, centre));
  else
    s.robots.push_back(test::rigid_brick("bar", kSize, centre));
  Constraint c;
  c.name = "joint";
  c.a = "bar";
  c.kind = static_cast<int>(kind);
  c.pose.p = -centre;
  // z along y: turning about it by the right hand takes x to -z.
  if (kind == ConstraintKind::kHinge) c.pose.q = rotation_by({{-M_PI / 2, 0, 0}});
  s.constraints.push_back(c);
  return s;
}

// Where the moment of the weight, less when it hangs lower, is that of a spring at `reference`.
double balance(double stiffness, double reference) {
  double q = reference;
  for (int n = 0; n < 200; ++n)
    q -= (stiffness * (q - reference) - kMass * kG * kLength / 2 * std::cos(q)) /
         (stiffness + kMass * kG * kLength / 2 * std::sin(q));
  return q;
}

TEST(FreeAxis, ASpringCarriesTheWeightWhereTheMomentsAreEven) {
  for (const bool affine : {true, false}) {
    Scene s = bar_scene(affine, ConstraintKind::kHinge);
    s.constraints[0].stiffness = 4;
    s.constraints[0].reference = -0.2;
    s.constraints[0].damping = 0.5;
    Sim sim(s);
    run(sim, 8);
    const Sim::AxisReading axis = sim.constraint_axis("joint");
    EXPECT_NEAR(axis.position, balance(4, -0.2), 1e-6) << affine;
    EXPECT_NEAR(axis.velocity, 0, 1e-7) << affine;
    // What the spring does is in the wrench: it holds the weight's moment about the hinge.
    EXPECT_NEAR(sim.constraint_wrench("joint").torque[1],
                -kMass * kG * kLength / 2 * std::cos(axis.position), 1e-5)
        << affine;
    EXPECT_EQ(axis.effort, 0);
  }
}

TEST(FreeAxis, AWeightHangsOnTheSpringOfASlider) {
  for (const bool affine : {true, false}) {
    Scene s = bar_scene(affine, ConstraintKind::kSlider);
    s.constraints[0].stiffness = 100;
    s.constraints[0].damping = 10;
    Sim sim(s);
    run(sim, 4);
    EXPECT_NEAR(sim.constraint_axis("joint").position, -kMass * kG / 100, 1e-7) << affine;
    EXPECT_NEAR(sim.constraint_wrench("joint").force[2], kMass * kG, 1e-5) << affine;
  }
}

// Dry friction takes f of what kd (v_ref - v) asks for; full turns are counted.
TEST(FreeAxis, AMotorDrivesAWheelAgainstDryFriction) {
  for (const bool affine : {true, false}) {
    Scene s = bar_scene(affine, ConstraintKind::kHinge, 5e-3);
    s.sim.gravity_z = 0;
    s.constraints[0].friction = 0.2;
    s.constraints[0].motor = ConstraintMotor{.kd = 0.5, .velocity = 10};
    Sim sim(s);
    run(sim, 3);
    const double before = sim.constraint_axis("joint").position;
    run(sim, 1);
    const Sim::AxisReading axis = sim.constraint_axis("joint");
    // The motor of an affine body sees chords, shorter by the square of the step's angle over 6.
    EXPECT_NEAR(axis.velocity, 10 - 0.2 / 0.5, affine ? 5e-3 : 1e-4) << affine;
    EXPECT_NEAR(axis.effort, 0.2, 1e-4) << affine;
    EXPECT_NEAR(axis.position - before, axis.velocity, 1e-3) << affine;
    EXPECT_GT(axis.position, 6 * M_PI) << affine;
    // Less than friction moves nothing.
    sim.set_constraint_command("joint", {});
    run(sim, 3);
    sim.set_constraint_command("joint", {0, 0, 0.19});
    sim.set_constraint_gains("joint", 0, 0, 0);
    run(sim, 4);
    EXPECT_NEAR(sim.constraint_axis("joint").velocity, 0, 1e-4) << affine;
    EXPECT_NEAR(sim.constraint_axis("joint").effort, 0.19, 1e-12) << affine;
  }
}

// A body that a hinge holds off its centre goes on turning: 5 ms and 10 rad/s, .05 rad a step.
TEST(FreeAxis, WhatSpinsOnAHingeGoesOn) {
  for (const bool affine : {true, false})
    for (const double dt : {5e-3, 2.5e-3}) {
      Scene s = bar_scene(affine, ConstraintKind::kHinge, dt);
      s.sim.gravity_z = 0;
      s.constraints[0].motor = ConstraintMotor{.kd = 5, .velocity = 10};
      Sim sim(s);
      run(sim, 0.5);
      sim.set_constraint_gains("joint", 0, 0, 0);
      const double before = sim.constraint_axis("joint").velocity;
      run(sim, 2);
      const double after = sim.constraint_axis("joint").velocity;
      std::printf("FIGURE free_axis.spin.%s.h%g = %.2e of the speed lost in 2 s, %.1e m open\n",
                  affine ? "affine" : "rigid", dt, 1 - after / before,
                  sim.constraint_error("joint")[0]);
      EXPECT_NEAR(after / before, 1, 1e-3);
      EXPECT_LT(sim.constraint_error("joint")[0], 1e-5);
    }
}

TEST(FreeAxis, AMotorHoldsAsMuchAsItsEffort) {
  const double moment = kMass * kG * kLength / 2;
  for (const bool enough : {true, false}) {
    Scene s = bar_scene(true, ConstraintKind::kHinge);
    s.constraints[0].motor =
        ConstraintMotor{.kp = 1e4, .kd = 100, .effort = (enough ? 1.1 : 0.9) * moment};
    Sim sim(s);
    run(sim, 0.5);
    const Sim::AxisReading axis = sim.constraint_axis("joint");
    if (enough) {
      EXPECT_NEAR(axis.position, moment / 1e4, 1e-6);
      EXPECT_NEAR(axis.effort, -moment, 1e-4);
    } else {
      EXPECT_GT(axis.position, 0.1);
      EXPECT_NEAR(axis.effort, -0.9 * moment, 1e-12);
    }
  }
}

TEST(FreeAxis, AnIntegralLeavesNoErrorOfAWeight) {
  Scene s = bar_scene(false, ConstraintKind::kHinge);
  s.constraints[0].motor = ConstraintMotor{.kp = 20, .kd = 2, .ki = 40, .position = 0.3};
  Sim sim(s);
  run(sim, 6);
  EXPECT_NEAR(sim.constraint_axis("joint").position, 0.3, 1e-5);
  EXPECT_NEAR(sim.constraint_axis("joint").effort, -kMass * kG * kLength / 2 * std::cos(0.3), 1e-4);
}

TEST(FreeAxis, ABarFallsOnItsLimitAndRestsThere) {
  for (const bool affine : {true, false}) {
    Scene s = bar_scene(affine, ConstraintKind::kHinge);
    s.constraints[0].lower = -0.1;
    s.constraints[0].upper = 0.5;
    Sim sim(s);
    run(sim, 2);
    const Sim::AxisReading axis = sim.constraint_axis("joint");
    EXPECT_NEAR(axis.position, 0.5, 1e-5) << affine;
    EXPECT_NEAR(axis.velocity, 0, 1e-6) << affine;
    EXPECT_NEAR(sim.constraint_wrench("joint").torque[1], -kMass * kG * kLength / 2 * std::cos(0.5),
                1e-4)
        << affine;
  }
}

// Beyond half a turn the limits are still those of the turn that it is on.
TEST(FreeAxis, LimitsCountFullTurns) {
  Scene s = bar_scene(true, ConstraintKind::kHinge);
  s.sim.gravity_z = 0;
  s.constraints[0].upper = 9;
  s.constraints[0].motor = ConstraintMotor{.kd = 0.5, .velocity = 5};
  Sim sim(s);
  run(sim, 4);
  EXPECT_NEAR(sim.constraint_axis("joint").position, 9, 1e-4);
}

// A motor between two free bodies pushes both: what was 0 stays 0.
TEST(FreeAxis, AMotorBetweenTwoBodiesAddsNoMomentum) {
  Scene s = bar_scene(true, ConstraintKind::kHinge);
  s.sim.gravity_z = 0;
  AffineBody other = s.affine[0];
  other.name = "other";
  other.pose.p = {{-kLength / 2, 0, 0}};
  s.affine.push_back(other);
  s.constraints[0].b = "other";
  s.constraints[0].motor = ConstraintMotor{.kp = 5, .kd = 0.5, .position = 1.0};
  Sim sim(s);
  run(sim, 3);
  EXPECT_NEAR(sim.constraint_axis("joint").position, 1.0, 1e-4);
  const Pose a = sim.affine_pose("bar"), b = sim.affine_pose("other");
  // The frames turned by half of it each, and the middle stayed.
  EXPECT_LT(norm(a.p + b.p), 1e-6);
  EXPECT_NEAR(2 * std::asin(std::abs(a.q.y)), 0.5, 1e-4);
  EXPECT_NEAR(2 * std::asin(std::abs(b.q.y)), 0.5, 1e-4);
}

// The same bar as the one link of a robot, on a joint with the same numbers.
TEST(FreeAxis, AHingeDoesWhatTheJointOfARobotDoes) {
  Scene s = bar_scene(false, ConstraintKind::kHinge, 1e-3);
  Constraint& c = s.constraints[0];
  c.stiffness = 0.5, c.reference = 0.3, c.damping = 0.02, c.friction = 0.05, c.upper = 0.8;
  c.motor = ConstraintMotor{.kp = 1, .kd = 0.05, .ki = 0.5, .effort = 1, .position = 0.4};
  Scene t = bar_scene(false, ConstraintKind::kHinge, 1e-3);
  t.constraints.clear();
  Robot& robot = t.robots[0].robot;
  t.robots[0].pose = {};
  RobotJoint& j = robot.joints[0];
  j.kind = JointKind::kRevolute;
  j.parent = -1;
  j.frame = {};
  j.axis = {{0, 1, 0}};
  j.stiffness = 0.5, j.reference = 0.3, j.damping = 0.02, j.friction = 0.05, j.upper = 0.8;
  robot.links[0].centre = robot.links[0].centre + Vec3d{{kLength / 2, 0, 0}};
  for (RobotShape& shape : robot.links[0].collisions) shape.frame.p[0] += kLength / 2;
  RobotMotor m;
  m.joint = j.name;
  m.kp = 1, m.kd = 0.05, m.ki = 0.5, m.effort = 1;
  robot.motors.push_back(m);
  Sim hinge(s), joint(t);
  joint.robot("bar").set_command(0, {0.4, 0, 0});
  double worst = 0;
  for (int n = 0; n < 1500; ++n) {
    hinge.step();
    joint.step();
    worst = std::max(worst, std::abs(hinge.constraint_axis("joint").position -
                                     joint.robot("bar").position()[0]));
  }
  std::printf("FIGURE free_axis.hinge_and_joint = %.1e rad apart\n", worst);
  EXPECT_LT(worst, 5e-3);
  const Sim::AxisReading end = hinge.constraint_axis("joint");
  EXPECT_NEAR(end.position, joint.robot("bar").position()[0], 1e-4);
  EXPECT_NEAR(end.effort, joint.robot("bar").effort(0), 1e-3);
}

}  // namespace
}  // namespace haptos
