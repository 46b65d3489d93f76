// Friction against closed forms: slopes, stopping distances, hand-over between features.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/status.h"
#include "haptos/geometry/shapes.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kG = 9.81;

AffineBody cube(double edge, double mu, int n = 1) {
  AffineBody b;
  b.name = "cube";
  b.surface = box({{edge, edge, edge}}, {{n, n, n}});
  b.friction.sticking = mu;
  return b;
}

// The gap at which a barrier of stiffness kappa [Pa/m] carries the pressure.
double resting_gap(double kappa, double support, double pressure) {
  double lo = 1e-6, hi = 1;
  for (int i = 0; i < 100; ++i) {
    const double t = 0.5 * (lo + hi);
    const double h = 2 * (t - 1) * std::log(t) + (1 - t) * (1 - t) / t;
    (kappa * support * h > pressure ? lo : hi) = t;
  }
  return lo * support;
}

// A cube at rest on a half-space through the origin that is tilted by `slope` about y: downhill is
// +x in the slope's frame.
Scene ramp(double slope, double mu, double dt) {
  Scene s;
  s.sim.dt = dt;
  s.sim.threads = 1;
  s.newton.force_tolerance = 1e-6;
  s.contact.support = 1e-4;
  AffineBody b = cube(0.1, 1.0);
  b.pose.q = rotation_by({{0, slope, 0}});
  HalfSpace plane;
  plane.name = "ramp";
  plane.friction.sticking = mu * mu;  // the geometric mean with 1 is mu
  plane.normal = {{std::sin(slope), 0, std::cos(slope)}};
  // Eight vertices share the surface of the cube, four of them below.
  const double kappa = 1e9, area = 0.01 * 3;
  s.contact.stiffness = kappa;
  b.pose.p =
      plane.normal * (0.05 + resting_gap(kappa, s.contact.support, kG * std::cos(slope) / area));
  s.affine = {b};
  s.half_spaces = {plane};
  return s;
}

Vec3d downhill(double slope) { return {{std::cos(slope), 0, -std::sin(slope)}}; }

struct Slide {
  double distance = 0, speed = 0;
};

// `settled`: starts from rest, where a coefficient of 10 holds the cube.
Slide slide(Scene s, double slope, double duration, bool settled = false) {
  Sim sim(s);
  if (settled) {
    Scene holding = s;
    holding.half_spaces[0].friction.sticking = 100;
    Sim before(holding);
    for (int n = 0; n < 200; ++n) EXPECT_EQ(before.step().status(), 0u);
    sim.set_state(before.state());
  }
  const Vec3d start = sim.affine_pose("cube").p, d = downhill(slope);
  const int steps = static_cast<int>(std::lround(duration / s.sim.dt));
  for (int n = 0; n < steps; ++n) {
    const StepReport r = sim.step();
    EXPECT_EQ(r.status(), 0u) << n << ": " << describe_status(r.status());
    if (r.status()) break;
  }
  Slide out;
  out.distance = dot(sim.affine_pose("cube").p - start, d);
  const Vec6d v = sim.affine_velocity("cube");
  out.speed = dot(Vec3d{{v[0], v[1], v[2]}}, d);
  return out;
}

TEST(Friction, SlopeOfThirtyDegreesHoldsOrLetsGoAsCoulombSays) {
  const double slope = 30 * M_PI / 180, dt = 0.01, T = 1.0;
  for (const double mu : {0.0, 1 / 7.0, 2 / 7.0, 3 / 7.0, 4 / 7.0, 5 / 7.0, 6 / 7.0, 1.0}) {
    const Slide s = slide(ramp(slope, mu, dt), slope, T);
    if (mu > std::tan(slope)) {
      EXPECT_LE(std::abs(s.speed), 1e-6) << mu;
      EXPECT_LE(s.distance, 1e-5) << mu;
    } else {
      const double a = kG * (std::sin(slope) - mu * std::cos(slope));
      EXPECT_NEAR(s.speed, a * T, 1e-3 * a * T) << mu;
      EXPECT_NEAR(s.distance, 0.5 * a * T * (T + dt), 1e-3 * 0.5 * a * T * T) << mu;
    }
    std::printf("FIGURE friction.slope30.mu%.3f = %.3e m/s, %.3e m\n", mu, s.speed, s.distance);
  }
}

TEST(Friction, SlopeOfOneHalfIsToldFromItsNeighboursForTwentyFiveSeconds) {
  const double slope = std::atan(0.5);
  for (const double mu : {0.49, 0.50, 0.51}) {
    const double T = 25;
    // On the edge of the cone nothing slows the block: it must start from rest to stay there.
    // Springs that the weight stretches unevenly still give some as it is shared out, by mu N / k.
    Scene scene = ramp(slope, mu, 0.02);
    scene.contact.tangential = 200;
    const Slide s = slide(scene, slope, T, true);
    std::printf("FIGURE friction.slope_half.mu%.2f = %.3e m/s, %.3e m\n", mu, s.speed, s.distance);
    if (mu >= 0.5) {
      EXPECT_LE(std::abs(s.speed), 1e-6) << mu;
    } else {
      const double a = kG * (std::sin(slope) - mu * std::cos(slope));
      EXPECT_NEAR(s.distance, 0.5 * a * T * T, 1e-3 * 0.5 * a * T * T);
    }
  }
}

TEST(Friction, SlidingBlockStopsAfterTheDistanceOfItsEnergyInEveryDirection) {
  const double mu = 0.4, v = 0.5, dt = 0.001;
  for (const double angle : {0.0, 0.5, 2.1}) {
    Scene s = ramp(0, mu, dt);
    s.affine[0].velocity = {{v * std::cos(angle), v * std::sin(angle), 0}};
    Sim sim(s);
    const Vec3d start = sim.affine_pose("cube").p;
    for (int n = 0; n < 200; ++n) ASSERT_EQ(sim.step().status(), 0u) << n;
    const Vec3d d = sim.affine_pose("cube").p - start;
    const double expected = v * v / (2 * mu * kG);
    // Backward Euler moves with the velocity of the end of each step: short by v h / 2.
    EXPECT_NEAR(std::hypot(d[0], d[1]), expected - 0.5 * v * dt, 1e-3 * expected) << angle;
    EXPECT_NEAR(std::atan2(d[1], d[0]), angle, 1e-3);
    EXPECT_LE(std::abs(sim.affine_velocity("cube")[0]), 1e-6);
  }
}

}  // namespace
}  // namespace haptos
