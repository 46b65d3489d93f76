// Laws and motors on sums of joints against closed forms, and against one joint of the same
// inertia.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/error.h"
#include "haptos/bodies/joints/joint_laws.h"
#include "tests/robots.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

constexpr double kMass[2] = {1, 3}, kWeight[2] = {0.5, -2};

// Two masses that slide along x, each by itself; or one.
struct Sliders {
  FrozenScene scene;
  Articulation* body = nullptr;

  explicit Sliders(double h, const std::vector<double>& masses = {kMass[0], kMass[1]}) {
    Robot robot;
    for (const double m : masses)
      test::add_link(robot, -1, JointKind::kPrismatic,
                     test::make_link(m, {{0, 0, 0}}, Mat3d::identity() * 0.01))
          .axis = {{1, 0, 0}};
    scene.h = h;
    scene.gravity = {{0, 0, 0}};
    body =
        scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
  }
  double q(int k) const { return scene.state.q[static_cast<std::size_t>(k)]; }
  double sum() const { return kWeight[0] * q(0) + kWeight[1] * q(1); }
};

JointPulls both() { return std::vector<JointPull>{{0, kWeight[0]}, {1, kWeight[1]}}; }

// Of the sum, while nothing else acts.
double inertia() {
  return 1 / (kWeight[0] * kWeight[0] / kMass[0] + kWeight[1] * kWeight[1] / kMass[1]);
}

TEST(Tendons, AForceActsOnEachJointByItsWeight) {
  const double force = 1.7, h = 1e-2;
  Sliders s(h);
  auto* motor = s.scene.add_term(std::make_unique<JointMotor>(s.body, both(), MotorGains{0, 0}));
  motor->command.feed_forward = force;
  s.scene.start();
  const int n = 50;
  for (int k = 0; k < n; ++k) s.scene.step();
  for (int k = 0; k < 2; ++k)
    EXPECT_NEAR(s.q(k), kWeight[k] * force / kMass[k] * h * h * n * (n + 1) / 2, 1e-10);
  EXPECT_NEAR(motor->effort(), force, 1e-12);
}

TEST(Tendons, TheSumMovesAsOneJointOfTheSameInertia) {
  const double h = 2e-3;
  Sliders s(h), one(h, {inertia()});
  const MotorGains gains{40, 2, 3, 10, 1};
  auto* a = s.scene.add_term(std::make_unique<JointMotor>(s.body, both(), gains));
  auto* b = one.scene.add_term(std::make_unique<JointMotor>(one.body, 0, gains));
  for (JointMotor* m : {a, b}) m->command.position = 0.3;
  s.scene.start();
  one.scene.start();
  double apart = 0;
  for (int k = 0; k < 1000; ++k) {
    s.scene.step();
    one.scene.step();
    apart = std::max(apart, std::abs(s.sum() - one.q(0)));
  }
  std::printf("FIGURE tendons.like_one_joint = %.1e m apart\n", apart);
  EXPECT_LT(apart, 1e-9);
  EXPECT_GT(s.sum(), 0.2);  // on its way to .3
  // What the sum does not see stays: m_1 x_1 / w_1 = m_2 x_2 / w_2.
  EXPECT_NEAR(kMass[0] * s.q(0) / kWeight[0], kMass[1] * s.q(1) / kWeight[1], 1e-8);
}

TEST(Tendons, ALimitHoldsTheSumAndLetsTheRestGo) {
  const double upper = 0.02, force = 5, h = 2e-3;
  Sliders s(h);
  auto* push = s.scene.add_term(std::make_unique<JointMotor>(s.body, 0, MotorGains{0, 0}));
  auto* limit =
      s.scene.add_term(std::make_unique<JointLimit>(s.body, both(), LimitSide::kUpper, upper));
  push->command.feed_forward = force;
  s.scene.start();
  for (int k = 0; k < 500; ++k) s.scene.step();
  EXPECT_NEAR(s.sum(), upper, 1e-5);
  // Both go on with w_1 x_1 + w_2 x_2 = upper: x_2 = -w_1 / w_2 x_1, of mass m_1 + m_2 (w_1/w_2)^2.
  const double ratio = kWeight[0] / kWeight[1], mass = kMass[0] + kMass[1] * ratio * ratio;
  EXPECT_NEAR(s.scene.state.z[0], force / mass * 1, 0.05 * force / mass);
  EXPECT_NEAR(s.scene.state.z[1], -ratio * s.scene.state.z[0], 1e-4);
  // The lever of the second one: w_2 f = m_2 a_2.
  EXPECT_NEAR(kWeight[1] * limit->effort(), -kMass[1] * ratio * force / mass, 1e-3);
}

TEST(Tendons, DryFrictionHoldsBelowItsBound) {
  for (const double force : {0.9, 1.1}) {  // times what it holds
    const double bound = 0.6, h = 2e-3;
    Sliders s(h);
    auto* pull = s.scene.add_term(std::make_unique<JointMotor>(s.body, both(), MotorGains{0, 0}));
    s.scene.add_term(std::make_unique<JointFriction>(s.body, both(), bound));
    pull->command.feed_forward = force * bound;
    s.scene.start();
    for (int k = 0; k < 500; ++k) s.scene.step();
    const double t = 500 * h, free = 0.5 * std::max(0.0, force - 1) * bound / inertia() * t * t;
    EXPECT_NEAR(s.sum(), free, 0.01 * free + 1e-6) << force;
  }
}

TEST(Tendons, RefuseWhatCannotBe) {
  Sliders s(1e-2);
  const MotorGains g{1, 1};
  EXPECT_THROW(JointMotor(s.body, std::vector<JointPull>{{0, 1}, {7, 1}}, g), InputError);
  EXPECT_THROW(JointMotor(s.body, std::vector<JointPull>{{0, 1}, {1, 0}}, g), InputError);
  EXPECT_THROW(JointMotor(s.body, std::vector<JointPull>{{0, NAN}}, g), InputError);
  EXPECT_THROW(JointMotor(s.body, std::vector<JointPull>{}, g), InputError);
}

}  // namespace
}  // namespace haptos
