// What holds a joint holds it at the velocity that a step ends with. It held the velocity of the
// middle of the step, so what velocity products did in the second half was left over: a follower
// accelerated by up to 8 % too much in the first step from motion, and a joint at rest had a rate.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/bodies/joints/joint_laws.h"
#include "tests/robots.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

constexpr double kBend = -1, kRate = 5;  // of the elbow [rad], of the shoulder [rad/s]

// Two links on hinges about y, without gravity: the shoulder turns, the elbow is bent.
Robot arm() {
  Robot robot;
  for (int i = 0; i < 2; ++i) {
    RobotJoint& j = test::add_link(
        robot, i - 1, JointKind::kRevolute,
        test::make_link(0.5, {{0, 0, -0.1}}, {{2e-3, 0, 0, 0, 2e-3, 0, 0, 0, 1e-4}}));
    j.axis = {{0, 1, 0}};
    if (i == 1) j.frame.p = {{0, 0, -0.2}}, j.position = {kBend};
  }
  return robot;
}

constexpr double kStays[JointCoupler::kTerms] = {kBend, 0, 0, 0, 0};

using Holder = std::unique_ptr<Term> (*)(const Articulation*);

std::unique_ptr<Term> nothing(const Articulation*) { return nullptr; }
std::unique_ptr<Term> coupler(const Articulation* a) {
  return std::make_unique<JointCoupler>(a, 1, -1, kStays);
}
std::unique_ptr<Term> limit(const Articulation* a) {
  return std::make_unique<JointLimit>(a, 1, LimitSide::kUpper, kBend);
}
std::unique_ptr<Term> motor(const Articulation* a) {
  return std::make_unique<JointMotor>(a, 1, MotorGains{0, 1e6});
}
std::unique_ptr<Term> dry_friction(const Articulation* a) {
  return std::make_unique<JointFriction>(a, 1, 100);
}

// Rates after so many steps.
std::array<double, 2> rates(Holder hold, double h, int steps) {
  FrozenScene scene;
  scene.h = h;
  scene.gravity = Vec3d::zero();
  const Articulation* a = scene.add(
      std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(arm(), {kRate, 0})));
  if (auto term = hold(a)) scene.add_term(std::move(term));
  scene.start();
  for (int k = 0; k < steps; ++k) scene.step();
  EXPECT_EQ(scene.status, 0u);
  return {scene.state.z[0], scene.state.z[1]};
}

// Both turn as one body, at the rate of the start. What holds gives by its compliance, 2.5e-4 of
// the inverse inertia or less, and velocity products are those of a middle that is off by the angle
// of a step: such parts of what the free elbow would take on are left. It was a half.
TEST(HeldJoints, DoNotAccelerateInTheFirstStepFromMotionNorHaveARateLater) {
  const struct {
    const char* name;
    Holder hold;
  } holders[] = {
      {"coupler", coupler}, {"limit", limit}, {"motor", motor}, {"friction", dry_friction}};
  for (const double h : {1e-3, 1e-5}) {
    const std::array<double, 2> free = rates(nothing, h, 1);
    ASSERT_GT(free[1] / h, 10);  // rad/s2
    for (const auto& [name, hold] : holders) {
      const std::array<double, 2> first = rates(hold, h, 1), later = rates(hold, h, 50);
      const double left = 1e-3 + kRate * h;
      std::printf("FIGURE held_joints.%s.h%g = %.1e of the free acceleration (at most %.0e)\n",
                  name, h, std::abs(first[1] / free[1]), left);
      EXPECT_LT(std::abs(first[1]), left * free[1]) << name << ' ' << h;
      EXPECT_LT(std::abs(later[1]), left * free[1]) << name << ' ' << h;
      EXPECT_NEAR(first[0], kRate, left * free[1]) << name << ' ' << h;
    }
  }
}

}  // namespace
}  // namespace haptos
