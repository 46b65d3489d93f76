// Kinematic loops closed by points: a four-bar linkage against Freudenstein's equation, a bar that
// hangs from two points.
#include "haptos/dynamics/loop_closure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/error.h"
#include "haptos/dynamics/joint_laws.h"
#include "tests/robots.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

// A bar along x from its hinge about -y: a positive angle lifts it towards +z.
RobotJoint& add_bar(Robot& robot, int parent, const Vec3d& hinge, double length, double angle) {
  RobotJoint& j = test::add_link(
      robot, parent, JointKind::kRevolute,
      test::make_link(1, {{0.5 * length, 0, 0}}, Mat3d::identity() * (length * length / 12)));
  j.frame.p = hinge;
  j.axis = {{0, -1, 0}};
  j.position = {angle};
  return j;
}

TEST(LoopClosure, AFourBarLinkageObeysFreudensteinsEquation) {
  // Crank a, coupler b, rocker c, ground d; a turns all the way round.
  const double a = 0.1, b = 0.35, c = 0.3, d = 0.4;
  // At crank angle 0: coupler and rocker meet above the ground.
  const double s = d - a, cos4 = (b * b - c * c - s * s) / (2 * c * s), t4 = std::acos(cos4);
  const Vec3d top{{d + c * std::cos(t4), 0, c * std::sin(t4)}};
  const double t3 = std::atan2(top[2], top[0] - a);
  Robot robot;
  add_bar(robot, -1, {{0, 0, 0}}, a, 0);
  add_bar(robot, 0, {{a, 0, 0}}, b, t3);
  add_bar(robot, -1, {{d, 0, 0}}, c, t4);
  double worst_before = 0;
  for (const double h : {2e-3, 1e-3}) {
    FrozenScene scene;
    scene.h = h;
    Articulation* body =
        scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
    auto* loop = scene.add_term(std::make_unique<LoopClosureTerm>(LinkPoint{body, 1, {{b, 0, 0}}},
                                                                  LinkPoint{body, 2, {{c, 0, 0}}}));
    auto* motor = scene.add_term(std::make_unique<JointMotor>(body, 0, MotorGains{0, 500}));
    motor->command.velocity = 2 * M_PI;
    scene.start();
    double worst = 0, open = 0, turned = 0;
    for (int n = 0; n < static_cast<int>(std::lround(2 / h)); ++n) {
      scene.step();
      if (n * h < 0.2) continue;
      open = std::max(open, norm(loop->gap()));
      const double t2 = scene.state.q[0], rocker = scene.state.q[2];
      const double k1 = d / a, k2 = d / c, k3 = (a * a - b * b + c * c + d * d) / (2 * a * c);
      worst = std::max(
          worst, std::abs(k1 * std::cos(rocker) - k2 * std::cos(t2) + k3 - std::cos(t2 - rocker)));
      turned = t2;
    }
    EXPECT_EQ(scene.status, 0u);
    EXPECT_GT(turned, 3.5 * M_PI);
    std::printf("FIGURE loop.four_bar.h%g.freudenstein = %.1e\n", h, worst);
    std::printf("FIGURE loop.four_bar.h%g.open = %.1e m\n", h, open);
    // The gap is of second order in h.
    EXPECT_LT(worst, 3e-4 * (h / 2e-3) * (h / 2e-3));
    if (worst_before > 0) EXPECT_NEAR(worst_before / worst, 4, 0.6);
    worst_before = worst;
  }
}

TEST(LoopClosure, ABarThatHangsFromTwoPointsSharesItsWeight) {
  // Free, of 2 kg, its centre a third of the way from the second point: the lever rule.
  Robot robot;
  test::add_link(robot, -1, JointKind::kFree,
                 test::make_link(2, {{0.1, 0, 0}}, Mat3d::identity() * 0.02));
  FrozenScene scene;
  Articulation* body =
      scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
  auto* left = scene.add_term(std::make_unique<LoopClosureTerm>(
      LinkPoint{body, 0, {{-0.3, 0, 0}}}, LinkPoint{nullptr, 0, {{-0.3, 0, 0}}}));
  auto* right = scene.add_term(std::make_unique<LoopClosureTerm>(
      LinkPoint{nullptr, 0, {{0.3, 0, 0}}}, LinkPoint{body, 0, {{0.3, 0, 0}}}));
  scene.start();
  for (int n = 0; n < 3000; ++n) scene.step();
  EXPECT_EQ(scene.status, 0u);
  const double weight = 2 * 9.81;
  EXPECT_NEAR(left->force()[2], weight / 3, 1e-6 * weight);
  EXPECT_NEAR(-right->force()[2], weight * 2 / 3, 1e-6 * weight);
  EXPECT_LT(norm(left->gap()), 1e-6);
}

TEST(LoopClosure, RefusesWhatJoinsNothing) { EXPECT_THROW(LoopClosureTerm({}, {}), InputError); }

}  // namespace
}  // namespace haptos
