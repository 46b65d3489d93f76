// Pendulums in joint coordinates through the whole step, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <functional>

#include "haptos/bodies/joints/joint_terms.h"
#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/bodies/tree/articulation.h"
#include "tests/robots.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

constexpr double kG = 9.81;

// Adds a rod of length l that hangs from its joint and turns about the world's y axis.
RobotJoint& add_rod(Robot& robot, int parent, double l, double mass, double parent_length) {
  RobotJoint& j =
      test::add_link(robot, parent, JointKind::kRevolute,
                     test::make_link(mass, {{0, 0, -0.5 * l}}, slender_rod_inertia(mass, l)));
  j.frame.p = {{0, 0, -parent_length}};
  j.axis = {{0, 1, 0}};
  return j;
}

Robot one_rod() {
  Robot robot;
  add_rod(robot, -1, 0.5, 1, 0);
  return robot;
}

// Mean period from the upward zero crossings of joint 0 over `seconds`.
double period(FrozenScene& scene, double seconds) {
  double first = -1, latest = -1, last = scene.state.q[0];
  int count = 0;
  while (scene.state.time < seconds) {
    scene.step();
    const double now = scene.state.q[0];
    if (last < 0 && now >= 0) {
      latest = scene.state.time - scene.h * now / (now - last);
      if (first < 0)
        first = latest;
      else
        ++count;
    }
    last = now;
  }
  EXPECT_EQ(scene.status, 0u);
  return (latest - first) / count;
}

struct TwoLinks {
  double m1 = 1.2, m2 = 0.7, l1 = 0.6, l2 = 0.4;
  // At angles q1, q2.
  ArticulationSpec spec(double q1, double q2) const {
    Robot robot;
    add_rod(robot, -1, l1, m1, 0).position = {q1};
    add_rod(robot, 0, l2, m2, l1).position = {q2};
    return test::articulation_of(robot);
  }
};

TEST(Pendulum, TwoLinksSwingInTheirNormalModes) {
  const TwoLinks t;
  const double c1 = t.l1 / 2, c2 = t.l2 / 2;
  const double i1 = t.m1 * t.l1 * t.l1 / 12, i2 = t.m2 * t.l2 * t.l2 / 12;
  // Relative angles; M and K at rest.
  const double m22 = i2 + t.m2 * c2 * c2, m12 = m22 + t.m2 * t.l1 * c2;
  const double m11 = i1 + t.m1 * c1 * c1 + i2 + t.m2 * (t.l1 * t.l1 + c2 * c2 + 2 * t.l1 * c2);
  const double k12 = t.m2 * kG * c2, k11 = k12 + kG * (t.m1 * c1 + t.m2 * t.l1);
  const double a = m11 * m22 - m12 * m12, b = -(m11 * k12 + m22 * k11 - 2 * m12 * k12),
               c = k11 * k12 - k12 * k12;
  for (double sign : {-1.0, 1.0}) {
    const double w2 = (-b + sign * std::sqrt(b * b - 4 * a * c)) / (2 * a);
    // (K - w2 M) (1, r) = 0
    const double r = -(k11 - w2 * m11) / (k12 - w2 * m12);
    const ArticulationSpec spec = t.spec(1e-3, 1e-3 * r);
    FrozenScene scene;
    scene.add(std::make_unique<Articulation>(scene.next_slots(), spec));
    scene.start();
    const double measured = period(scene, 10), exact = 2 * M_PI / std::sqrt(w2);
    // The midpoint rule lengthens a period by (w h)^2 / 12, here up to 8e-6; that crossings are
    // found on straight lines adds as much.
    EXPECT_NEAR(measured, exact, 2e-5 * exact);
    printf("mode: period %.6f s, exact %.6f s, relative error %.1e\n", measured, exact,
           measured / exact - 1);
  }
}

TEST(Pendulum, EnergyErrorIsOfSecondOrderInTheTimeStep) {
  const TwoLinks t;
  auto error = [&](double h) {
    const ArticulationSpec spec = t.spec(1.5, -0.5);
    FrozenScene scene;
    scene.h = h;
    const Articulation* a = scene.add(std::make_unique<Articulation>(scene.next_slots(), spec));
    scene.start();
    auto energy = [&] {
      const MechanicalEnergy e =
          a->energy(scene.state.q.data(), scene.state.z.data(), scene.gravity);
      return e.kinetic + e.potential;
    };
    const double e0 = energy();
    double worst = 0;
    for (int k = 0; k < std::lround(1 / h); ++k) {
      scene.step();
      worst = std::max(worst, std::abs(energy() - e0));
    }
    EXPECT_EQ(scene.status, 0u);
    return worst;
  };
  double last = error(2e-3);
  for (double h : {1e-3, 5e-4, 2.5e-4}) {
    const double e = error(h), order = std::log2(last / e);
    EXPECT_NEAR(order, 2, 0.15);
    printf("h %g s: energy error %.3e J, order %.3f\n", h, e, order);
    last = e;
  }
}

TEST(Pendulum, LargeSwingsHaveThePeriodOfTheEllipticIntegral) {
  for (double amplitude : {0.5, 1.5, 2.8}) {
    Robot robot = one_rod();
    robot.joints[0].position = {amplitude};
    FrozenScene scene;
    scene.h = 2e-4;
    scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
    scene.start();
    const double inertia = 0.25 / 3, torque = kG * 0.25;
    double x = 1, y = std::cos(amplitude / 2);
    for (int i = 0; i < 40; ++i) {
      const double mean = 0.5 * (x + y);
      y = std::sqrt(x * y);
      x = mean;
    }
    const double exact = 2 * M_PI * std::sqrt(inertia / torque) / x;
    const double measured = period(scene, 8);
    EXPECT_NEAR(measured, exact, 1e-5 * exact) << amplitude;
    printf("amplitude %.1f rad: period %.6f s, exact %.6f s\n", amplitude, measured, exact);
  }
}

TEST(Pendulum, ASpringAndADamperActImplicitlyOnTheirJoint) {
  // A rod on a vertical axis, so gravity has no part; backward Euler written out by hand.
  Robot robot = one_rod();
  robot.joints[0].frame.q = rotation_by({{M_PI / 2, 0, 0}});
  robot.joints[0].position = {0.4};
  const ArticulationSpec spec = test::articulation_of(robot, {3});
  const double inertia = 0.25 / 3, k = 50, d = 0.2, reference = 0.1, torque = 0.3;
  FrozenScene scene;
  scene.h = 5e-3;
  Articulation* a = scene.add(std::make_unique<Articulation>(scene.next_slots(), spec));
  a->torque = {torque};
  scene.add_term(std::make_unique<JointSpring>(a, 0, k, reference));
  scene.add_term(std::make_unique<JointDamping>(a, 0, d));
  scene.start();
  double q = 0.4, z = 3;
  for (int n = 0; n < 4000; ++n) {
    scene.step();
    z = (inertia * z + scene.h * (torque - k * (q - reference))) /
        (inertia + scene.h * d + scene.h * scene.h * k);
    q += scene.h * z;
    ASSERT_NEAR(scene.state.q[0], q, 1e-11);
    ASSERT_NEAR(scene.state.z[0], z, 1e-9);
  }
  EXPECT_EQ(scene.status, 0u);
  EXPECT_NEAR(scene.state.q[0], reference + torque / k, 1e-9);
}

TEST(Pendulum, AnImplicitSpringIsStableAtAnyStiffness) {
  const ArticulationSpec spec = TwoLinks().spec(1, 0);
  FrozenScene scene;
  scene.h = 1e-2;
  Articulation* a = scene.add(std::make_unique<Articulation>(scene.next_slots(), spec));
  for (int j : {0, 1}) scene.add_term(std::make_unique<JointSpring>(a, j, 1e7, 0.3));
  scene.start();
  for (int n = 0; n < 500; ++n) scene.step();
  EXPECT_EQ(scene.status, 0u);
  // Held at the reference but for the gravity torque over the stiffness, below 1e-6 rad.
  EXPECT_NEAR(scene.state.q[0], 0.3, 1e-6);
  EXPECT_NEAR(scene.state.q[1], 0.3, 1e-6);
}

}  // namespace
}  // namespace haptos
