// Implicit Euler, BDF2 and the quasi-static pseudo-step: orders, energy, what they share.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/soft_scenes.h"

namespace haptos {
namespace {

constexpr int kBdf2 = static_cast<int>(Integrator::kBdf2);
constexpr int kQuasiStatic = static_cast<int>(Integrator::kQuasiStatic);

// A block that breathes and turns: every node starts with a velocity linear in its position.
Scene breathing(int integrator, double dt, double damping) {
  Scene s = test::free_block(dt, 0, {{2, 2, 1}});
  s.sim.integrator = integrator;
  s.soft[0].element = Element::kLinear;
  s.soft[0].material.poisson = 0.3;
  s.soft[0].material.stiffness_damping = damping;
  s.newton.force_tolerance = 1e-13;
  return s;
}

void set_breathing(Sim& sim) {
  State state = sim.state();
  const std::vector<Vec3d> x = sim.soft_positions("gel");
  for (std::size_t v = 0; v < x.size(); ++v) {
    const Vec3d u{{40 * x[v][0], -15 * x[v][1] + 10 * x[v][0], -15 * x[v][2]}};
    for (int c = 0; c < 3; ++c) state.z[3 * v + static_cast<std::size_t>(c)] = u[c];
  }
  sim.set_state(state);
}

std::vector<Vec3d> after(int integrator, double duration, int steps, double damping) {
  Sim sim(breathing(integrator, duration / steps, damping));
  set_breathing(sim);
  for (int n = 0; n < steps; ++n) EXPECT_EQ(sim.step().status(), 0u);
  return sim.soft_positions("gel");
}

double distance(const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s += squared_norm(a[i] - b[i]);
  return std::sqrt(s / static_cast<double>(a.size()));
}

// The slope of |x_h - x_h/2| over three halvings of the step.
double order(int integrator, double damping) {
  const double duration = 6e-4;
  std::vector<std::vector<Vec3d>> x;
  for (int n = 192; n <= 1536; n *= 2) x.push_back(after(integrator, duration, n, damping));
  std::vector<double> e;
  for (std::size_t i = 1; i < x.size(); ++i) e.push_back(distance(x[i - 1], x[i]));
  return std::log2(e[e.size() - 2] / e.back());
}

TEST(Integrators, EulerIsOfFirstOrderAndBdf2OfSecond) {
  for (const double damping : {0.0, 2e-5}) {
    const double euler = order(0, damping), bdf2 = order(kBdf2, damping);
    std::printf("FIGURE integrator orders, damping %.0e s: euler %.3f, bdf2 %.3f\n", damping, euler,
                bdf2);
    EXPECT_NEAR(euler, 1, 0.15);
    EXPECT_NEAR(bdf2, 2, 0.15);
  }
}

TEST(Integrators, Bdf2LosesLessEnergy) {
  double left[2];
  for (const int integrator : {0, kBdf2}) {
    Sim sim(breathing(integrator, 2e-5, 0));
    set_breathing(sim);
    double start = 0, end = 0;
    for (int n = 0; n < 200; ++n) {
      const StepReport r = sim.step();
      ASSERT_EQ(r.status(), 0u);
      if (n == 0) start = r.kinetic + r.potential;
      end = r.kinetic + r.potential;
      EXPECT_LE(end, start * (1 + 1e-9));
    }
    left[integrator] = end / start;
  }
  std::printf("FIGURE energy left after 4 ms of vibration: euler %.3f, bdf2 %.3f\n", left[0],
              left[1]);
  EXPECT_GT(left[1], left[0] + 0.2);
  EXPECT_GT(left[1], 0.9);
}

TEST(Integrators, Bdf2FallsByItsFormula) {
  Scene s = test::free_block(0.01, -9.81);
  s.sim.integrator = kBdf2;
  AffineBody b;
  b.name = "block";
  b.surface = box({{0.01, 0.01, 0.01}});
  b.pose.p = {{1, 0, 0}};
  s.affine = {b};
  Sim sim(s);
  const Vec3d gel = sim.soft_positions("gel")[0];
  double x[3] = {0, 0, 0}, v[3] = {0, 0, 0};  // now, before
  const double h = 0.01, g = -9.81;
  for (int n = 0; n < 40; ++n) {
    double xn, vn;
    if (n == 0) {  // one step of implicit Euler
      vn = v[0] + h * g;
      xn = x[0] + h * vn;
    } else {
      vn = (4 * v[0] - v[1] + 2 * h * g) / 3;
      xn = (4 * x[0] - x[1] + 2 * h * vn) / 3;
    }
    x[1] = x[0], x[0] = xn, v[1] = v[0], v[0] = vn;
    ASSERT_EQ(sim.step().status(), 0u);
    EXPECT_NEAR(sim.soft_positions("gel")[0][2] - gel[2], x[0], 1e-12);
    EXPECT_NEAR(sim.affine_pose("block").p[2], x[0], 1e-12);
    EXPECT_NEAR(sim.affine_velocity("block")[2], v[0], 1e-12);
  }
}

// A ball on a counterbalanced guide that presses a glued block with a given force.
Scene guided_press(double force, int integrator, double dt) {
  Scene s = test::press(false, 0, {{4, 4, 3}});
  s.sim.dt = dt;
  s.sim.integrator = integrator;
  s.sim.gravity_z = 0;
  s.soft[0].material.stiffness_damping = 0.05;
  AffineBody ball;
  ball.name = "ball";
  ball.surface = s.prescribed[1].surface;
  ball.pose.p = {{1e-3, -5e-4, test::kBlock[2] + 3e-3 + 5e-4}};
  ball.guide = Vec3d{{0, 0, 1}};
  ball.force = {{0, 0, -force}};
  s.prescribed.pop_back();
  s.affine = {ball};
  return s;
}

TEST(Integrators, QuasiStaticsIsTheLimitOfDampedDynamics) {
  const double force = 0.1;
  Sim still(guided_press(force, kQuasiStatic, 0.01));
  const StepReport r = still.step();
  EXPECT_EQ(r.status(), 0u) << describe_status(r.status());
  Sim damped(guided_press(force, 0, 0.01));
  for (int n = 0; n < 400; ++n) ASSERT_EQ(damped.step().status(), 0u);
  const double depth = 5e-4 - (still.affine_pose("ball").p[2] - (test::kBlock[2] + 3e-3));
  const double scale = norm(still.soft_positions("gel")[0] - damped.soft_positions("gel")[0]);
  double largest = 0;
  const auto a = still.soft_positions("gel"), b = damped.soft_positions("gel");
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, norm(a[i] - b[i]));
  const double ball = still.affine_pose("ball").p[2] - damped.affine_pose("ball").p[2];
  const double f = still.contact_wrench("ball").force[2],
               g = damped.contact_wrench("ball").force[2];
  std::printf(
      "FIGURE quasi-static press: %d passes, %d iterations; force %.9f N against %.9f N damped; "
      "ball %.1e m, nodes %.1e m apart, of %.2e m of depth\n",
      r.newton.lag_passes, r.newton.iterations, f, g, ball, largest, depth);
  EXPECT_NEAR(f, force, 1e-6 * force);
  EXPECT_NEAR(g, f, 1e-6 * force);
  EXPECT_LE(std::abs(ball), 1e-6 * 1e-3);
  EXPECT_LE(largest, 1e-6 * 1e-3);
  EXPECT_LE(scale, 1e-6 * 1e-3);
}

TEST(Integrators, WhatIsFreeUntilItTouchesComesToRestInOneQuasiStaticStep) {
  Scene s;
  s.sim.threads = 1;
  s.sim.integrator = kQuasiStatic;
  s.newton.force_tolerance = 1e-8;
  s.newton.max_lag_passes = 200;
  AffineBody b;
  b.name = "block";
  b.surface = box({{0.1, 0.05, 0.03}});
  b.pose.p = {{0, 0, 0.1}};
  b.pose.q = rotation_by({{0.02, 0.01, 0}});
  HalfSpace floor;
  floor.name = "floor";
  s.affine = {b};
  s.half_spaces = {floor};
  Sim sim(s);
  const StepReport r = sim.step();
  EXPECT_EQ(r.status(), 0u) << describe_status(r.status());
  const double weight = 9.81 * 1000 * 0.1 * 0.05 * 0.03;
  EXPECT_NEAR(sim.contact_wrench("block").force[2], weight, 1e-6 * weight);
  EXPECT_NEAR(sim.affine_pose("block").p[2], 0.015, 1e-4);
  EXPECT_EQ(r.kinetic, 0);
  std::printf("FIGURE quasi-static fall of .1 m: %d passes, %d iterations\n", r.newton.lag_passes,
              r.newton.iterations);
}

TEST(Integrators, WhatNeverTouchesIsReported) {
  Scene s = test::free_block(0.01, -9.81, {{2, 2, 1}});
  s.sim.integrator = kQuasiStatic;
  Sim sim(s);
  EXPECT_EQ(sim.step().status(), static_cast<std::uint32_t>(kNoEquilibrium));
}

TEST(Integrators, SaveAndLoadGoOnBitForBit) {
  for (const int integrator : {kBdf2, kQuasiStatic}) {
    Scene s = guided_press(0.1, integrator, 0.002);
    s.affine[0].friction.sticking = s.soft[0].friction.sticking = 0.5;
    Sim a(s), b(s);
    for (int n = 0; n < 4; ++n) a.step();
    const std::string path = testing::TempDir() + "/haptos_integrator_state";
    a.save(path);
    b.load(path);
    for (int n = 0; n < 4; ++n) {
      a.step();
      b.step();
    }
    EXPECT_EQ(a.state().hash(), b.state().hash());
  }
}

TEST(Integrators, Bdf2GoesOnOnlyFromAStepOfItsOwnLength) {
  Scene s = test::free_block(0.01, -9.81, {{2, 2, 1}});
  s.sim.integrator = kBdf2;
  Sim sim(s);
  sim.step();
  sim.step();
  State other = sim.state();
  other.last_dt = 0.02;
  sim.set_state(other);
  const double v = other.z[2];
  sim.step();
  EXPECT_NEAR(sim.state().z[2], v - 9.81 * 0.01, 1e-12);  // one step of implicit Euler
  other.q_before.pop_back();
  EXPECT_THROW(sim.set_state(other), InputError);
}

}  // namespace
}  // namespace haptos
