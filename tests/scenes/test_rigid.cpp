// Free rigid bodies through the whole step: conservation over seconds, the intermediate axis, fall.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/bodies/stiff/rigid_body.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

struct Drift {
  double energy = 0, momentum = 0, momentum_per_step = 0;
  int flips = 0;  // changes of sign of the body axis that started along the angular velocity
};

// Ten seconds of free rotation with initial angular velocity `omega` in body axes.
Drift rotate(const Vec3d& moments, const Vec3d& omega, double h, double seconds = 10) {
  RigidBodySpec spec;
  spec.mass = 0.3;
  for (int i = 0; i < 3; ++i) spec.inertia(i, i) = moments[i];
  spec.pose.q = normalized(Quat{0.8, 0.2, -0.4, 0.3});
  const Mat3d r0 = to_matrix(spec.pose.q);
  spec.angular_velocity = r0 * omega;
  FrozenScene scene;
  scene.h = h;
  scene.gravity = {{0, 0, 0}};
  const RigidBody* body = scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec));
  scene.start();

  int axis = 0;
  for (int i = 1; i < 3; ++i)
    if (std::abs(omega[i]) > std::abs(omega[axis])) axis = i;
  const double e0 = body->kinetic_energy(scene.state);
  const Vec3d l0 = body->angular_momentum(scene.state);
  Drift d;
  Vec3d last = l0;
  double sign = 1;
  for (int k = 0; k < std::lround(seconds / h); ++k) {
    scene.step();
    const Vec3d l = body->angular_momentum(scene.state);
    d.energy = std::max(d.energy, std::abs(body->kinetic_energy(scene.state) / e0 - 1));
    d.momentum = std::max(d.momentum, norm(l - l0) / norm(l0));
    d.momentum_per_step = std::max(d.momentum_per_step, norm(l - last) / norm(l0));
    last = l;
    // The angular momentum along the body's axis, in body coordinates.
    const double c = dot(column(to_matrix(body->pose(scene.state).q), axis), l) / norm(l);
    if (c * sign < -0.5) {
      ++d.flips;
      sign = -sign;
    }
  }
  EXPECT_EQ(scene.status, 0u);
  return d;
}

TEST(RigidScene, FreeRotationKeepsEnergyAndAngularMomentumForTenSeconds) {
  const Vec3d inertias[] = {{{4e-5, 4e-5, 4e-5}},
                            {{1e-4, 2e-4, 2.5e-4}},
                            {{1e-4, 1e-4, 2e-4}},
                            {{2e-4, 2e-4, 1e-5}},
                            {{1e-4, 2e-4, 2.9e-4}}};
  for (double h : {1e-3, 5e-3})
    for (const Vec3d& m : inertias) {
      const Drift d = rotate(m, 5.0 * normalized(Vec3d{{0.3, 1, 0.4}}), h);
      printf(
          "h %g s, moments %.1e %.1e %.1e kg m2: energy %.2e, angular momentum %.2e, "
          "per step %.1e\n",
          h, m[0], m[1], m[2], d.energy, d.momentum, d.momentum_per_step);
      EXPECT_LT(d.energy, 1e-3);
      EXPECT_LT(d.momentum, 1e-11);
      EXPECT_LT(d.momentum_per_step, 1e-14);
    }
}

TEST(RigidScene, OnlyRotationAboutTheIntermediateAxisFlips) {
  const Vec3d moments{{1e-4, 2e-4, 2.8e-4}};
  for (double h : {1e-3, 5e-3}) {
    Vec3d omega{{5, 0.05, 0.05}};
    EXPECT_EQ(rotate(moments, omega, h).flips, 0);
    omega = {{0.05, 0.05, 5}};
    EXPECT_EQ(rotate(moments, omega, h).flips, 0);
    omega = {{0.05, 5, 0.05}};
    const Drift d = rotate(moments, omega, h, 20);
    EXPECT_GE(d.flips, 3);
    EXPECT_LT(d.energy, 1e-3);
    printf("h %g s: %d flips, energy %.2e\n", h, d.flips, d.energy);
  }
}

// A minute of flips: neither energy nor momentum drifts away.
TEST(RigidScene, AMinuteOfFlipsKeepsEnergyAndMomentum) {
  const Drift d = rotate({{1e-4, 2e-4, 2.8e-4}}, {{0.05, 5, 0.05}}, 1e-3, 60);
  std::printf("FIGURE rigid.minute.energy = %.2e, momentum %.2e, %d flips\n", d.energy, d.momentum,
              d.flips);
  EXPECT_GE(d.flips, 10);
  EXPECT_LT(d.energy, 1e-6);
  EXPECT_LT(d.momentum, 1e-9);
}

TEST(RigidScene, FlipsComeWithThePeriodOfTheExactSolution) {
  // Euler's equations: half the tumbling period is 2 K(k) / rate (Landau and Lifshitz, Mechanics,
  // section 37), K by the arithmetic-geometric mean.
  const double a = 1e-4, b = 2e-4, c = 2.8e-4, h = 1e-3;
  const Vec3d w{{0.05, 5, 0.05}};
  const double e2 = a * w[0] * w[0] + b * w[1] * w[1] + c * w[2] * w[2];
  const double l2 = square(a * w[0]) + square(b * w[1]) + square(c * w[2]);
  // For l2 > e2 b, exchange the roles of the extreme axes.
  double i1 = a, i3 = c;
  if (l2 < e2 * b) std::swap(i1, i3);
  const double rate = std::sqrt((i3 - b) * (l2 - e2 * i1) / (a * b * c));
  const double k2 = (b - i1) * (e2 * i3 - l2) / ((i3 - b) * (l2 - e2 * i1));
  double x = 1, y = std::sqrt(1 - k2);
  for (int i = 0; i < 60; ++i) {
    const double m = 0.5 * (x + y);
    y = std::sqrt(x * y);
    x = m;
  }
  const double half_period = 2 * (M_PI / (2 * x)) / rate;

  RigidBodySpec spec;
  spec.mass = 0.3;
  spec.inertia = {{a, 0, 0, 0, b, 0, 0, 0, c}};
  spec.angular_velocity = w;
  FrozenScene scene;
  scene.h = h;
  scene.gravity = {{0, 0, 0}};
  const RigidBody* body = scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec));
  scene.start();
  std::vector<double> crossings;
  double last = 1;
  for (int k = 0; k < 20000; ++k) {
    scene.step();
    const double now =
        dot(column(to_matrix(body->pose(scene.state).q), 1), body->angular_momentum(scene.state));
    if (k > 0 && now * last < 0) crossings.push_back(h * (k + 1 - now / (now - last)));
    last = now;
  }
  ASSERT_GE(crossings.size(), 4u);
  for (std::size_t i = 1; i < crossings.size(); ++i)
    EXPECT_NEAR(crossings[i] - crossings[i - 1], half_period, 1e-3 * half_period);
  printf("half period %.6f s, exact %.6f s\n", crossings[1] - crossings[0], half_period);
}

TEST(RigidScene, FreeFallIsExactAndKeepsLinearMomentumToRoundOff) {
  for (double h : {1e-3, 5e-3}) {
    RigidBodySpec spec;
    spec.mass = 2.5;
    spec.inertia = solid_box_inertia(2.5, {{0.1, 0.2, 0.3}});
    spec.velocity = {{0.3, -0.2, 4}};
    spec.angular_velocity = {{1, 5, -2}};
    FrozenScene scene;
    scene.h = h;
    const RigidBody* body = scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec));
    scene.start();
    Vec3d v = spec.velocity, x{{0, 0, 0}};
    double worst = 0;
    for (int k = 0; k < std::lround(1 / h); ++k) {
      const Vec3d expected = body->velocity(scene.state) + h * scene.gravity;
      scene.step();
      worst = std::max(worst, norm(body->velocity(scene.state) - expected));
      v += h * scene.gravity;
      x += h * v;
    }
    EXPECT_EQ(scene.status, 0u);
    EXPECT_LT(worst, 5e-15);  // m/s: 1e-15 of a speed of 6 m/s
    EXPECT_LT(norm(body->velocity(scene.state) - v), 1e-12);
    EXPECT_LT(norm(body->pose(scene.state).p - x), 1e-12);
    printf("h %g s: velocity off by at most %.1e m/s in a step\n", h, worst);
  }
}

}  // namespace
}  // namespace haptos
