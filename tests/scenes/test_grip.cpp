// Two soft fingers hold a block of 1 kg by friction: what it moves in an hour.
#include <cstdio>

#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/crossing.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kEdge = 0.05, kWeight = 9.81;  // [m], [N]
constexpr double kSettled = 10;                 // [s]

// Pads of 20 x 20 x 8 mm on mounts that close by 1 mm in a second; the block hangs on a force that
// goes from 1.5 to 2.5 s.
Scene grip(double friction, double dt) {
  Scene s;
  s.sim.dt = dt;
  s.sim.threads = 1;
  s.newton.force_tolerance = 1e-7;
  s.contact.support = 1e-4;
  AffineBody block;
  block.name = "block";
  block.surface = box({{kEdge, kEdge, kEdge}}, {{2, 2, 2}});
  block.density = 1 / (kEdge * kEdge * kEdge);
  block.friction.sticking = friction;
  block.force = {{0, 0, kWeight}};
  s.affine = {block};
  for (const double side : {-1.0, 1.0}) {
    const std::string name = side < 0 ? "left" : "right";
    const Pad pad = box_pad({.width = 0.02, .depth = 0.02, .thickness = 0.008}, 2, 2, 1);
    SoftBody gel;
    gel.name = name;
    gel.mesh = pad.mesh;
    gel.material.young = 2e5;
    gel.material.stiffness_damping = 0.01;
    gel.friction.sticking = friction;
    gel.pose.q = rotation_by({{0, -side * M_PI / 2, 0}});
    gel.pose.p = {{side * (0.5 * kEdge + 1.2 * s.contact.support), 0, 0}};
    gel.glue = {{name + " mount", pad.base_vertices}};
    PrescribedBody mount = test::mount(name + " mount");
    mount.trajectory = test::straight({{0, 0, 0}}, {{-side * 1e-3, 0, 0}}, 1.0);
    s.soft.push_back(gel);
    s.prescribed.push_back(mount);
  }
  return s;
}

struct Held {
  double settling = 0;    // from when the weight is on to when it counts [m]
  double slip = 0;        // largest distance from where the block was at kSettled [m]
  double creep = 0;       // downwards over the second half, per time [m/s]
  double used = 0;        // weight as a part of what friction can hold
  double iterations = 0;  // of a step, mean
};

Held hold(double friction, double duration, double dt) {
  Sim sim(grip(friction, dt));
  Held out;
  Vec3d start = Vec3d::zero(), loaded = Vec3d::zero();
  double middle = 0;
  const long steps = std::lround((kSettled + duration) / dt), settled = std::lround(kSettled / dt);
  for (long k = 1; k <= steps; ++k) {
    const double t = static_cast<double>(k - 1) * dt;
    sim.set_wrench("block", {{0, 0, kWeight * std::clamp(2.5 - t, 0.0, 1.0)}}, Vec3d::zero());
    const StepReport r = sim.step();
    EXPECT_EQ(r.status(), 0u) << k;
    EXPECT_GT(r.smallest_volume_ratio, 0) << k;
    for (const char* finger : {"left", "right"})
      EXPECT_EQ(test::crossings(sim, finger, "block"), 0u) << k;
    if (testing::Test::HasFailure()) return out;
    const Vec3d p = sim.affine_pose("block").p;
    if (k == std::lround(2.5 / dt)) loaded = p;
    if (k == settled) {
      start = p;
      out.settling = norm(p - loaded);
    }
    if (k <= settled) continue;
    out.slip = std::max(out.slip, norm(p - start));
    out.iterations +=
        static_cast<double>(r.newton.iterations) / static_cast<double>(steps - settled);
    if (k == settled + (steps - settled) / 2) middle = p[2];
    if (k == steps) out.creep = (middle - p[2]) / (0.5 * duration);
  }
  const Vec3d left = sim.contact_wrench("left").force, right = sim.contact_wrench("right").force;
  out.used = kWeight / (friction * (right[0] - left[0]));
  const auto print = [&](const char* what, double value, const char* unit) {
    std::printf("FIGURE grip.mu%.2f.%gs.%s = %.3g %s\n", friction, duration, what, value, unit);
  };
  print("used", out.used, "");
  print("settling", out.settling, "m");
  print("slip", out.slip, "m");
  print("creep", out.creep, "m/s");
  print("iterations", out.iterations, "");
  return out;
}

TEST(Grip, SoftFingersHoldAKilogramForTenSeconds) {
  const Held h = hold(0.8, 10, 0.1);
  EXPECT_NEAR(h.used, 0.29, 0.02);
  EXPECT_LE(h.slip, 1e-8);
  EXPECT_LE(std::abs(h.creep), 1e-9);
}

TEST(FullGrip, SoftFingersHoldAKilogramForAnHour) {
  const Held h = hold(0.8, 3600, 0.1);
  EXPECT_LE(h.slip, 1e-6);
  EXPECT_LE(std::abs(h.creep), 1e-6 / 3600);
}

TEST(FullGrip, SoftFingersHoldAKilogramWithNineTenthsOfTheirFriction) {
  const Held h = hold(0.33, 600, 0.1);
  EXPECT_NEAR(h.used, 0.9, 0.02);
  EXPECT_LE(h.slip, 1e-8);
  EXPECT_LE(std::abs(h.creep), 1e-6 / 3600);
}

TEST(Grip, FingersLetGoOfWhatExceedsTheirFriction) {
  // The same with less friction: the squeeze gives way to shear, and 2 mu N falls below the weight.
  Sim sim(grip(0.3, 0.1));
  for (int k = 0; k < 40; ++k) {
    const double t = 0.1 * k;
    sim.set_wrench("block", {{0, 0, kWeight * std::clamp(2.5 - t, 0.0, 1.0)}}, Vec3d::zero());
    ASSERT_EQ(sim.step().status(), 0u) << k;
    const Vec3d left = sim.contact_wrench("left").force;
    EXPECT_LE(std::hypot(left[1], left[2]), 0.3 * -left[0] * (1 + 1e-3) + 1e-9) << k;
  }
  EXPECT_LT(sim.affine_pose("block").p[2], -1.0);
}

}  // namespace
}  // namespace haptos
