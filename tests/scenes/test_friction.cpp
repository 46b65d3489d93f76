// Friction against closed forms: slopes, stopping distances, hand-over between features.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
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
Slide slide(const Scene& s, double slope, double duration, bool settled = false) {
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

TEST(Friction, SmoothedLawCreepsBelowTheConeAsItsFormulaSays) {
  const double slope = 30 * M_PI / 180;
  for (const double mu : {0.7, 1.0}) {
    Scene scene = ramp(slope, mu, 0.01);
    scene.contact.friction_law = 1;
    scene.contact.slip_speed = 1e-3;
    scene.newton.force_tolerance = 1e-9;
    const Slide s = slide(scene, slope, 1.0);
    const double creep = (1 - std::sqrt(1 - std::tan(slope) / mu)) * scene.contact.slip_speed;
    std::printf("FIGURE friction.smoothed.mu%.1f = %.6e m/s, formula %.6e\n", mu, s.speed, creep);
    EXPECT_NEAR(s.speed, creep, 1e-4 * creep);
  }
  Scene scene = ramp(slope, 0.3, 0.01);
  scene.contact.friction_law = 1;
  const double a = kG * (std::sin(slope) - 0.3 * std::cos(slope));
  EXPECT_NEAR(slide(scene, slope, 1.0).speed, a, 1e-3 * a);
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

// A flat floor of n x n squares.
PrescribedBody meshed_floor(int n, double mu) {
  PrescribedBody f;
  f.name = "floor";
  f.surface = box({{0.6, 0.4, 0.02}}, {{n, n, 1}});
  f.friction.sticking = mu;
  f.trajectory = {{0.0, test::at_position({{0, 0, -0.01}})}};
  return f;
}

TEST(Friction, WhatStrikesTheFloorAtASlantLosesItsPartOfTheNormalMomentumAtEveryTimeStep) {
  // Thrown at the floor with (v, -2) m/s it loses mu (2 + g t) of v by the time t, wherever in a
  // step it arrives; below that it is stopped. Bodies on a plane and on triangles.
  const double mu = 0.3, down = 2, time = 0.06;
  double worst = 0;
  for (const bool meshed : {false, true})
    for (const double dt : {0.01, 0.005, 0.001})
      for (const double offset : {0.0, 0.3, 0.7})
        for (const double v : {1.0, 0.4}) {
          Scene s = ramp(0, mu, dt);
          if (meshed) {
            s.half_spaces.clear();
            s.prescribed = {meshed_floor(7, mu * mu)};
          }
          AffineBody& b = s.affine[0];
          b.surface = box({{0.1, 0.1, 0.02}});
          b.pose.p = {{-0.05, 0.003, 0.01 + 0.01 + offset * down * dt}};
          b.velocity = {{v, 0, -down}};
          Sim sim(s);
          while (sim.state().time < time - 0.5 * dt) ASSERT_EQ(sim.step().status(), 0u);
          const double expected = std::max(0.0, v - mu * (down + kG * time));
          const double left = sim.affine_velocity("cube")[0];
          EXPECT_NEAR(left, expected, 1e-3 * v) << meshed << " " << dt << " " << offset;
          worst = std::max(worst, std::abs(left - expected) / v);
        }
  std::printf("FIGURE friction.strike.worst = %.1e of the speed\n", worst);
}

// Pyramids that stand side by side, their tips in one plane.
PrescribedBody bed_of_tips(int n, double pitch, double mu) {
  PrescribedBody f;
  f.name = "tips";
  TriMesh& m = f.surface;
  for (int k = 0; k < n * n; ++k) {
    const int first = static_cast<int>(m.vertices.size());
    const int row = k / n, column = k % n;
    const Vec3d c{{(column - 0.5 * (n - 1)) * pitch, (row - 0.5 * (n - 1)) * pitch, 0}};
    const double r = 0.3 * pitch;
    for (const Vec3d& x : {Vec3d{{-r, -r, -0.02}}, Vec3d{{r, -r, -0.02}}, Vec3d{{r, r, -0.02}},
                           Vec3d{{-r, r, -0.02}}, Vec3d{{0, 0, 0}}})
      m.vertices.push_back(c + x);
    for (const auto& t : {Vec3i{{0, 2, 1}}, Vec3i{{0, 3, 2}}, Vec3i{{0, 1, 4}}, Vec3i{{1, 2, 4}},
                          Vec3i{{2, 3, 4}}, Vec3i{{3, 0, 4}}})
      m.triangles.push_back({{first + t[0], first + t[1], first + t[2]}});
  }
  f.friction.sticking = mu;
  f.trajectory = {{0.0, Pose{}}};
  return f;
}

TEST(Friction, WhatStrikesABedOfTipsDoesSoToo) {
  // Here the corners of the other body are what touches.
  const double mu = 0.3, down = 2, time = 0.03;
  double worst = 0;
  for (const double dt : {0.005, 0.001})
    for (const double offset : {0.0, 0.3, 0.7})
      for (const double v : {1.0, 0.4}) {
        Scene s = ramp(0, mu, dt);
        s.half_spaces.clear();
        s.contact.divisions = 1;
        s.prescribed = {bed_of_tips(9, 0.02, mu * mu)};
        AffineBody& b = s.affine[0];
        b.surface = box({{0.1, 0.1, 0.02}});
        b.pose.p = {{-0.011, 0.003, 0.01 + 0.01 + offset * down * dt}};
        b.velocity = {{v, 0, -down}};
        Sim sim(s);
        while (sim.state().time < time - 0.5 * dt) ASSERT_EQ(sim.step().status(), 0u);
        const double expected = std::max(0.0, v - mu * (down + kG * time));
        const double left = sim.affine_velocity("cube")[0];
        EXPECT_NEAR(left, expected, 1e-3 * v) << dt << " " << offset;
        worst = std::max(worst, std::abs(left - expected) / v);
      }
  std::printf("FIGURE friction.strike_tips.worst = %.1e of the speed\n", worst);
}

TEST(Friction, SlidingOverAMeshedFloorFeelsCoulombsForceAndNotTheMesh) {
  // 37 squares across, none of them in step with the cube's own eight.
  // With three divisions most samples of the cube lie on edges and inside triangles.
  for (const auto& [mu, divisions] : {std::pair{0.0, 0}, {0.3, 0}, {0.3, 3}}) {
    Scene s;
    s.sim.dt = 0.002;
    s.sim.threads = 1;
    s.newton.force_tolerance = 1e-5;
    s.contact.support = 1e-4;
    s.contact.divisions = divisions;
    AffineBody b = cube(0.05, 1.0, divisions > 1 ? 4 : 8);
    b.pose.p = {{-0.1013, 0.0021, 0.025 + 0.7e-4}};
    b.pose.q = rotation_by({{0, 0, 0.21}});
    b.velocity = {{0.6, 0.05, 0}};
    s.affine = {b};
    s.prescribed = {meshed_floor(37, mu * mu)};
    Sim sim(s);
    const double weight = kG * 1000 * 0.05 * 0.05 * 0.05;
    double worst = 0;
    for (int n = 0; n < 100; ++n) {
      ASSERT_EQ(sim.step().status(), 0u) << n;
      if (n < 20) continue;  // the landing
      const Vec3d f = sim.contact_wrench("cube").force;
      const Vec6d v = sim.affine_velocity("cube");
      const double speed = std::hypot(v[0], v[1]);
      const Vec3d expected = {{-mu * weight * v[0] / speed, -mu * weight * v[1] / speed, weight}};
      worst = std::max(worst, norm(f - expected) / weight);
    }
    std::printf("FIGURE friction.meshed_floor.mu%.1f.divisions%d = %.2e of the weight\n", mu,
                divisions, worst);
    EXPECT_LE(worst, mu > 0 ? 1e-3 : 1e-4);
  }
}

TEST(Friction, KineticCoefficientIsLessThanTheStaticOne) {
  // A force that the static coefficient holds and the kinetic one does not.
  for (const bool pushed : {false, true}) {
    Scene s = ramp(0, 1, 0.005);
    s.half_spaces[0].friction = {0.5 * 0.5, 0.3 * 0.3};
    s.affine[0].force = {{0.4 * kG, 0, 0}};
    if (pushed) s.affine[0].velocity = {{0.1, 0, 0}};
    Sim sim(s);
    for (int n = 0; n < 100; ++n) ASSERT_EQ(sim.step().status(), 0u) << n;
    const double speed = sim.affine_velocity("cube")[0];
    if (pushed)
      EXPECT_NEAR(speed, 0.1 + (0.4 - 0.3) * kG * 0.5, 2e-2 * speed);
    else
      EXPECT_LE(std::abs(speed), 1e-6);
  }
}

TEST(Friction, SoftFingersHoldAStiffBlock) {
  // Two gels on mounts close on a block from both sides and carry it when the floor is not there.
  Scene s;
  s.sim.dt = 0.01;
  s.sim.threads = 1;
  s.newton.force_tolerance = 1e-7;
  s.contact.support = 1e-4;
  AffineBody b = cube(0.02, 0.8, 4);
  s.affine = {b};
  const double gap = 1.2e-4, squeeze = 1e-3;
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "left" : "right";
    const Pad pad = box_pad({.width = 0.012, .depth = 0.012, .thickness = 0.006}, 3, 3, 2);
    SoftBody gel;
    gel.name = name;
    gel.mesh = pad.mesh;
    gel.material.young = 1e5;
    gel.material.stiffness_damping = 0.01;
    gel.friction.sticking = 0.8;
    // The pad's top faces +z; turn it towards the block.
    gel.pose.q = rotation_by({{0, -side * M_PI / 2, 0}});
    gel.pose.p = {{side * (0.01 + gap), 0, 0}};
    gel.glue = {{name + " mount", pad.base_vertices}};
    PrescribedBody mount = test::mount(name + " mount");
    mount.trajectory = test::straight({{0, 0, 0}}, {{-side * squeeze, 0, 0}}, 0.1);
    s.soft.push_back(gel);
    s.prescribed.push_back(mount);
  }
  s.sim.gravity_z = -9.81;
  // Held until the fingers have closed.
  s.affine[0].force = {{0, 0, 9.81 * 1000 * 8e-6}};
  Sim sim(s);
  for (int n = 0; n < 12; ++n) ASSERT_EQ(sim.step().status(), 0u) << n;
  sim.set_wrench("cube", Vec3d::zero(), Vec3d::zero());
  for (int n = 0; n < 60; ++n) ASSERT_EQ(sim.step().status(), 0u) << n;
  const double z = sim.affine_pose("cube").p[2];
  for (int n = 0; n < 40; ++n) ASSERT_EQ(sim.step().status(), 0u) << n;
  const double weight = 9.81 * 1000 * 8e-6;
  const Wrench left = sim.contact_wrench("left"), right = sim.contact_wrench("right");
  EXPECT_NEAR(left.force[2] + right.force[2], -weight, 1e-4 * weight);
  EXPECT_GT(-left.force[0], 0.5 * weight);
  EXPECT_LE(std::abs(sim.affine_pose("cube").p[2] - z), 1e-8);
  EXPECT_LE(std::abs(sim.affine_velocity("cube")[2]), 1e-6);
  std::printf("FIGURE friction.fingers = squeeze %.3f N, weight %.4f N, creep %.1e m in .4 s\n",
              -left.force[0], weight, sim.affine_pose("cube").p[2] - z);
}

}  // namespace
}  // namespace haptos
