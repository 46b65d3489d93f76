// Constraints whose one side follows a path: what hangs from, turns with or is driven by a
// prescribed body, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "haptos/base/text/error.h"
#include "tests/scenes/brick_scenes.h"

namespace haptos {
namespace {

using test::brick, test::empty, test::joined, test::kG, test::rigid_brick;

PrescribedBody hand(const Pose& at) {
  PrescribedBody b;
  b.name = "hand";
  b.trajectory.push_back({0, at});
  return b;
}

Pose pose_of(const Sim& sim, const char* name) { return sim.carrier_pose(name); }

// Sends the hand where `path` of the time says.
template <class Path>
void drive(Sim& sim, double seconds, Path path) {
  const double h = sim.scene().sim.dt;
  const int steps = static_cast<int>(std::lround(seconds / h));
  for (int n = 0; n < steps; ++n) {
    sim.set_target("hand", path(sim.state().time + h));
    ASSERT_EQ(sim.step().status(), 0u) << n;
  }
}

TEST(DrivenConstraints, AWeldWhirlsALoadRound) {
  const double spin = 4, arm = 0.3, h = 2e-3;
  const Vec3d size{{0.05, 0.05, 0.05}}, at{{arm, 0, 1}};
  const double mass = 1000 * 0.05 * 0.05 * 0.05;
  const auto path = [&](double t) { return Pose{{{0, 0, 1}}, rotation_by({{0, 0, spin * t}})}; };
  for (const bool affine : {true, false})
    for (const bool first : {true, false}) {
      Scene s = empty(h);
      s.prescribed.push_back(hand(path(0)));
      if (affine)
        s.affine.push_back(brick("load", size, at));
      else
        s.robots.push_back(rigid_brick("load", size, at));
      s.constraints.push_back(
          first ? joined(ConstraintKind::kWeld, "load", "hand")
                : joined(ConstraintKind::kWeld, "hand", "load", Pose{{{arm, 0, 0}}, {}}));
      Sim sim(s);
      drive(sim, 1, path);
      const Pose now = pose_of(sim, "load"), meant = path(sim.state().time);
      const Vec3d out = to_matrix(meant.q) * Vec3d{{1, 0, 0}};
      const Vec3d force = sim.constraint_wrench("joint").force * (first ? 1.0 : -1.0);
      std::printf("FIGURE driven.whirl.%s = %.2e m off, pull %.5f N (exact %.5f)\n",
                  affine ? "affine" : "rigid", norm(now.p - meant * Vec3d{{arm, 0, 0}}),
                  -dot(force, out), mass * spin * spin * arm);
      EXPECT_LT(norm(now.p - meant * Vec3d{{arm, 0, 0}}), 2e-6);
      EXPECT_LT(std::abs((conjugate(meant.q) * now.q).z), 1e-5);
      EXPECT_NEAR(-dot(force, out), mass * spin * spin * arm, 0.005 * mass * spin * spin * arm);
      EXPECT_NEAR(force[2], mass * kG, 1e-4 * mass * kG);
      EXPECT_LT(sim.constraint_error("joint")[0], 2e-6);
      // What the hand feels is the opposite.
      const Wrench felt = sim.reaction("hand", meant.p);
      const Wrench done = sim.constraint_wrench("joint", meant.p);
      for (int c = 0; c < 3; ++c) {
        EXPECT_NEAR(felt.force[c], first ? -done.force[c] : done.force[c], 1e-9);
        EXPECT_NEAR(felt.torque[c], first ? -done.torque[c] : done.torque[c], 1e-9);
      }
      EXPECT_NEAR(felt.torque[1] * out[0] - felt.torque[0] * out[1], mass * kG * arm,
                  1e-3 * mass * kG * arm);
    }
}

TEST(DrivenConstraints, APendulumOnACartThatSpeedsUpHangsAskew) {
  const double a = 3;
  for (const bool affine : {true, false}) {
    Scene s = empty(2e-3);
    const Vec3d size{{0.02, 0.02, 0.4}}, at{{0, 0, 0.8}};
    s.prescribed.push_back(hand({{{0, 0, 1}}, {}}));
    if (affine)
      s.affine.push_back(brick("bar", size, at));
    else
      s.robots.push_back(rigid_brick("bar", size, at));
    Constraint pin = joined(ConstraintKind::kHinge, "bar", "hand",
                            {{{0, 0, 0.2}}, rotation_by({{-M_PI / 2, 0, 0}})});
    pin.damping = 0.1;
    s.constraints.push_back(pin);
    Sim sim(s);
    drive(sim, 4, [&](double t) { return Pose{{{0.5 * a * t * t, 0, 1}}, {}}; });
    const Sim::AxisReading q = sim.constraint_axis("joint");
    std::printf("FIGURE driven.cart.%s = %.6f rad (exact %.6f)\n", affine ? "affine" : "rigid",
                q.position, std::atan(a / kG));
    EXPECT_NEAR(std::abs(q.position), std::atan(a / kG), 1e-5) << affine;
    EXPECT_NEAR(q.velocity, 0, 1e-5) << affine;
  }
}

TEST(DrivenConstraints, ARopeLiftsAtConstantSpeed) {
  Scene s = empty(2e-3);
  s.prescribed.push_back(hand({{{0, 0, 0.8}}, {}}));
  s.robots.push_back(rigid_brick("bob", {{0.1, 0.1, 0.1}}, {{0, 0, 0}}));
  Constraint rope = joined(ConstraintKind::kDistance, "bob", "hand");
  rope.other = Pose{};
  s.constraints.push_back(rope);
  Sim sim(s);
  drive(sim, 1, [](double t) { return Pose{{{0, 0, 0.8 + 0.5 * t}}, {}}; });
  EXPECT_NEAR(sim.constraint_wrench("joint").force[2], kG, 1e-6);
  EXPECT_NEAR(pose_of(sim, "bob").p[2], 0.5, 1e-6);
}

TEST(DrivenConstraints, AMotorTurnsAWheelAgainstItsTable) {
  const double table = 2, motor = 5;
  for (const bool affine : {true, false}) {
    Scene s = empty(1e-3, 0);
    const Vec3d size{{0.1, 0.1, 0.02}}, at{{0.2, 0, 0}};
    s.prescribed.push_back(hand({}));
    if (affine)
      s.affine.push_back(brick("wheel", size, at));
    else
      s.robots.push_back(rigid_brick("wheel", size, at));
    Constraint axle = joined(ConstraintKind::kHinge, "wheel", "hand");
    axle.motor = ConstraintMotor{};
    axle.motor->kd = 0.1;
    axle.motor->velocity = motor;
    s.constraints.push_back(axle);
    Sim sim(s);
    drive(sim, 3, [&](double t) { return Pose{{{0, 0, 0}}, rotation_by({{0, 0, table * t}})}; });
    const Sim::AxisReading q = sim.constraint_axis("joint");
    std::printf("FIGURE driven.table.%s = %.4f rad, %.5f rad/s (exact %.1f)\n",
                affine ? "affine" : "rigid", q.position, q.velocity, motor);
    EXPECT_NEAR(q.velocity, motor, 1e-3 * motor) << affine;
    EXPECT_NEAR(q.position, motor * 3, 0.01 * motor * 3) << affine;  // over two full turns
    EXPECT_LT(sim.constraint_error("joint")[0], 1e-5) << affine;
  }
}

TEST(DrivenConstraints, InStaticsALoadIsWhereItIsHeld) {
  Scene s = empty(0.05);
  s.sim.integrator = static_cast<int>(Integrator::kQuasiStatic);
  s.prescribed.push_back(hand({{{0, 0, 1}}, {}}));
  s.affine.push_back(brick("load", {{0.05, 0.05, 0.05}}, {{0.1, 0, 1}}));
  s.constraints.push_back(joined(ConstraintKind::kWeld, "load", "hand"));
  Sim sim(s);
  drive(sim, 0.5, [](double t) { return Pose{{{t, 0, 1}}, rotation_by({{0, 0.4 * t, 0}})}; });
  const Pose meant{{{0.5, 0, 1}}, rotation_by({{0, 0.2, 0}})};
  EXPECT_LT(norm(pose_of(sim, "load").p - meant * Vec3d{{0.1, 0, 0}}), 1e-4);
}

TEST(DrivenConstraints, SomethingMustBeFreeToMove) {
  for (const char* other : {"", "rail"}) {
    Scene s = empty(1e-3);
    s.prescribed.push_back(hand({}));
    s.prescribed.push_back(hand({{{0, 0, 1}}, {}}));
    s.prescribed.back().name = "rail";
    s.constraints.push_back(joined(ConstraintKind::kWeld, "hand", other));
    try {
      Sim sim(s);
      FAIL() << other;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("free to move"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace haptos
