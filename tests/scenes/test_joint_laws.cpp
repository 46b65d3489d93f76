// Limits, motors and dry friction of joints against closed forms.
#include "haptos/bodies/joints/joint_laws.h"

#include <gtest/gtest.h>

#include <cmath>

#include "haptos/base/text/error.h"
#include "tests/robots.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

constexpr double kG = 9.81, kMass = 2, kLength = 0.4;

// An arm on a hinge about y whose centre of mass is at kLength along x: gravity pulls it with
// m g l cos q about +y (down for q > 0).
struct Arm {
  FrozenScene scene;
  Articulation* body = nullptr;
  double inertia = 0.05 + kMass * kLength * kLength;

  explicit Arm(double h, bool gravity, double start = 0) {
    Robot robot;
    RobotJoint& j =
        test::add_link(robot, -1, JointKind::kRevolute,
                       test::make_link(kMass, {{kLength, 0, 0}}, Mat3d::identity() * 0.05));
    j.axis = {{0, 1, 0}};
    j.position = {start};
    scene.h = h;
    if (!gravity) scene.gravity = {{0, 0, 0}};
    body =
        scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
  }
  double q() const { return scene.state.q[0]; }
  double v() const { return scene.state.z[0]; }
};

TEST(JointLaws, ImpulseIsTheSlopeOfTheCostInsideAndBeyondTheBounds) {
  const double inf = std::numeric_limits<double>::infinity();
  for (const BoundedImpulse& law :
       {BoundedImpulse{0.3, 0.7, -1, 2}, BoundedImpulse{2, -0.4, 0, inf},
        BoundedImpulse{2, -0.4, -inf, 0}, BoundedImpulse{1e-3, 0, -0.5, 0.5}})
    for (double v = -3; v < 3; v += 0.37) {
      const double e = 1e-6 * law.r;
      const auto lo = law.at(v - e), hi = law.at(v + e), at = law.at(v);
      const double size = 1 + std::abs(at.impulse);
      EXPECT_NEAR(at.impulse, -(hi.cost - lo.cost) / (2 * e), 1e-5 * size) << v;
      EXPECT_NEAR(at.hessian, -(hi.impulse - lo.impulse) / (2 * e), 1e-4 / law.r) << v;
      EXPECT_GE(at.cost, -1e-15);
    }
}

TEST(JointLaws, AMotorMovesAsItsClosedFormSays) {
  // I q'' = kp (q_ref - q) - kd q', underdamped, from rest.
  const double kp = 40, kd = 2, target = 0.3, T = 0.5;
  double last = 0;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    Arm arm(h, false);
    auto* motor = arm.scene.add_term(std::make_unique<JointMotor>(arm.body, 0, MotorGains{kp, kd}));
    motor->command.position = target;
    arm.scene.start();
    // Backward Euler by hand.
    double q = 0, v = 0;
    for (int n = 0; n < static_cast<int>(std::lround(T / h)); ++n) {
      arm.scene.step();
      v = (arm.inertia * v + h * kp * (target - q)) / (arm.inertia + h * (h * kp + kd));
      q += h * v;
      ASSERT_NEAR(arm.q(), q, 1e-12);
      ASSERT_NEAR(motor->effort(), kp * (target - q) - kd * v, 1e-9);
    }
    const double decay = kd / (2 * arm.inertia), w = std::sqrt(kp / arm.inertia - decay * decay);
    const double exact =
        target * (1 - std::exp(-decay * T) * (std::cos(w * T) + decay / w * std::sin(w * T)));
    const double error = std::abs(arm.q() - exact);
    if (last > 0) EXPECT_NEAR(last / error, 2, 0.1) << h;
    last = error;
  }
}

TEST(JointLaws, AMotorOfAMillionTimesTheGainIsStable) {
  for (const double h : {1e-2, 1e-3}) {
    Arm arm(h, true);
    auto* motor =
        arm.scene.add_term(std::make_unique<JointMotor>(arm.body, 0, MotorGains{1e6, 1e3}));
    motor->command.position = 0.2;
    arm.scene.start();
    for (int n = 0; n < 200; ++n) arm.scene.step();
    EXPECT_EQ(arm.scene.status, 0u);
    // Gravity over the gain is all that is left.
    EXPECT_NEAR(arm.q() - 0.2, kMass * kG * kLength * std::cos(0.2) / 1e6, 1e-9);
    EXPECT_NEAR(arm.v(), 0, 1e-9);
  }
}

TEST(JointLaws, AMotorNeverExceedsItsEffort) {
  const double effort = 1.5, h = 1e-3;
  Arm arm(h, false);
  auto* motor =
      arm.scene.add_term(std::make_unique<JointMotor>(arm.body, 0, MotorGains{1e4, 100, effort}));
  motor->command.position = 1;
  arm.scene.start();
  for (int n = 1; n <= 2000; ++n) {
    arm.scene.step();
    ASSERT_LE(std::abs(motor->effort()), effort * (1 + 1e-12));
    // At first it pulls with all it has.
    if (n == 100) EXPECT_NEAR(arm.v(), effort / arm.inertia * n * h, 1e-12);
  }
  EXPECT_EQ(arm.scene.status, 0u);
  // Torque control and a bound on it.
  Arm other(h, false);
  auto* direct =
      other.scene.add_term(std::make_unique<JointMotor>(other.body, 0, MotorGains{0, 0, effort}));
  direct->command.feed_forward = -4;
  other.scene.start();
  for (int n = 0; n < 100; ++n) other.scene.step();
  EXPECT_NEAR(other.v(), -effort / other.inertia * 0.1, 1e-12);
  EXPECT_NEAR(direct->effort(), -effort, 1e-12);
}

TEST(JointLaws, VelocityControlReachesItsSpeed) {
  Arm arm(1e-3, false);
  auto* motor = arm.scene.add_term(std::make_unique<JointMotor>(arm.body, 0, MotorGains{0, 50}));
  motor->command.velocity = 2;
  arm.scene.start();
  for (int n = 0; n < 500; ++n) arm.scene.step();
  EXPECT_NEAR(arm.v(), 2, 1e-9);
}

TEST(JointLaws, DryFrictionHoldsBelowItsBoundAndSlipsWithIt) {
  const double h = 1e-3, friction = 0.8;
  for (const double part : {0.99, 1.01, 2.0}) {
    Arm arm(h, false);
    auto* dry = arm.scene.add_term(std::make_unique<JointFriction>(arm.body, 0, friction));
    auto* motor = arm.scene.add_term(std::make_unique<JointMotor>(arm.body, 0, MotorGains{0, 0}));
    motor->command.feed_forward = part * friction;
    arm.scene.start();
    for (int n = 0; n < 1000; ++n) arm.scene.step();
    EXPECT_EQ(arm.scene.status, 0u);
    if (part < 1) {
      EXPECT_LT(std::abs(arm.v()), 1e-8);
      EXPECT_NEAR(dry->effort(), -part * friction, 1e-9);
    } else {
      EXPECT_NEAR(arm.v(), (part - 1) * friction / arm.inertia, 1e-9);
      EXPECT_NEAR(dry->effort(), -friction, 1e-12);
    }
  }
  // What moves is braked and stays.
  Arm arm(h, false);
  arm.scene.add_term(std::make_unique<JointFriction>(arm.body, 0, friction));
  arm.scene.start();
  arm.scene.state.z[0] = 1;
  const double stop = arm.inertia / friction;  // [s]
  for (int n = 0; n < static_cast<int>(1.2 * stop / h); ++n) arm.scene.step();
  EXPECT_NEAR(arm.q(), 0.5 * stop, h);
  EXPECT_LT(std::abs(arm.v()), 1e-12);
}

TEST(JointLaws, ALimitCarriesTheArmThatFallsOntoIt) {
  for (const double h : {5e-3, 1e-3})
    for (const bool upper : {true, false}) {
      Arm arm(h, true, upper ? 0.0 : M_PI);
      const double at = upper ? 0.5 : M_PI - 0.5;
      auto* limit = arm.scene.add_term(std::make_unique<JointLimit>(
          arm.body, 0, upper ? LimitSide::kUpper : LimitSide::kLower, at));
      arm.scene.start();
      double beyond = 0;
      for (int n = 0; n < static_cast<int>(2 / h); ++n) {
        arm.scene.step();
        beyond = std::max(beyond, upper ? arm.q() - at : at - arm.q());
      }
      EXPECT_EQ(arm.scene.status, 0u);
      EXPECT_LT(beyond, 1e-4);
      EXPECT_NEAR(arm.v(), 0, 1e-9);
      const double moment = kMass * kG * kLength * std::cos(0.5);
      EXPECT_NEAR(limit->effort(), upper ? -moment : moment, 1e-6 * moment);
    }
}

TEST(JointLaws, AMimicFollowsItsJointUnderLoad) {
  // Two fingers on slides, the second goes the other way; only the first has a motor, and 3 N pull
  // on the second.
  Robot robot;
  for (int i = 0; i < 2; ++i) {
    RobotJoint& j = test::add_link(robot, -1, JointKind::kPrismatic,
                                   test::make_link(0.2, {{0, 0, 0}}, Mat3d::identity() * 1e-4));
    j.axis = {{1, 0, 0}};
  }
  FrozenScene scene;
  scene.h = 1e-3;
  scene.gravity = {{0, 0, 0}};
  Articulation* body =
      scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
  body->torque = {0, 3};
  auto* motor = scene.add_term(std::make_unique<JointMotor>(body, 0, MotorGains{500, 20}));
  motor->command.position = 0.02;
  const double m = -1, offset = 0.001;
  auto* mimic = scene.add_term(std::make_unique<JointMimic>(body, 1, 0, m, offset));
  scene.start();
  for (int n = 0; n < 2000; ++n) {
    scene.step();
    if (n > 20) ASSERT_NEAR(scene.state.q[1], m * scene.state.q[0] + offset, 1e-7) << n;
  }
  EXPECT_EQ(scene.status, 0u);
  // At rest the mimic carries the 3 N, and the motor what it passes on.
  EXPECT_NEAR(mimic->effort(), -3, 1e-6);
  EXPECT_NEAR(motor->effort(), 3, 1e-6 * 3);
  EXPECT_NEAR(scene.state.q[0], 0.02 - motor->effort() / 500, 1e-9);
}

TEST(JointLaws, RefuseNumbersThatCannotBe) {
  Arm arm(1e-3, false);
  EXPECT_THROW(JointMotor(arm.body, 1, MotorGains{1, 1}), InputError);
  EXPECT_THROW(JointMotor(arm.body, 0, MotorGains{-1, 1}), InputError);
  EXPECT_THROW(JointMotor(arm.body, 0, MotorGains{1, NAN}), InputError);
  EXPECT_THROW(JointFriction(arm.body, 0, -0.1), InputError);
  EXPECT_THROW(JointLimit(arm.body, 0, LimitSide::kLower, INFINITY), InputError);
  Robot robot;
  test::add_link(robot, -1, JointKind::kFree, test::make_link(1, {{0, 0, 0}}, Mat3d::identity()));
  const Articulation floating({0, 0, 0, 0, 0, 0}, test::articulation_of(robot));
  EXPECT_THROW(JointMotor(&floating, 0, MotorGains{1, 1}), InputError);
  EXPECT_THROW(JointMimic(arm.body, 0, 0, 1, 0), InputError);
}

}  // namespace
}  // namespace haptos
