// Two soft fingers hold a block of 1 kg by friction: what it moves in an hour.
#include <cstdio>

#include "haptos/geometry/pads.h"
#include "haptos/geometry/shapes.h"
#include "tests/scenes/crossing.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kEdge = 0.05, kWeight = 9.81, kFriction = 0.8;  // [m], [N]
constexpr double kSettled = 10;                                  // [s]

// Pads of 20 x 20 x 8 mm on mounts that close by 1 mm in a second; the block hangs on a force that
// goes from 1.5 to 2.5 s.
Scene grip(double dt) {
  Scene s;
  s.sim.dt = dt;
  s.sim.threads = 1;
  s.newton.force_tolerance = 1e-7;
  s.contact.support = 1e-4;
  AffineBody block;
  block.name = "block";
  block.surface = box({{kEdge, kEdge, kEdge}}, {{2, 2, 2}});
  block.density = 1 / (kEdge * kEdge * kEdge);
  block.friction.sticking = kFriction;
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
    gel.friction.sticking = kFriction;
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
  double squeeze = 0;     // [N]
  double iterations = 0;  // of a step, mean
};

Held hold(double duration, double dt) {
  Sim sim(grip(dt));
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
  out.squeeze = -left[0];
  EXPECT_NEAR(left[2] + right[2], -kWeight, 1e-4 * kWeight);
  EXPECT_NEAR(left[0] + right[0], 0, 1e-4 * kWeight);
  std::printf("FIGURE grip.%gs.squeeze = %.2f N\n", duration, out.squeeze);
  std::printf("FIGURE grip.%gs.settling = %.2e m\n", duration, out.settling);
  std::printf("FIGURE grip.%gs.slip = %.2e m\n", duration, out.slip);
  std::printf("FIGURE grip.%gs.creep = %.2e m/s\n", duration, out.creep);
  std::printf("FIGURE grip.%gs.iterations = %.2f\n", duration, out.iterations);
  return out;
}

TEST(Grip, SoftFingersHoldAKilogramForTenSeconds) {
  const Held h = hold(10, 0.1);
  EXPECT_LE(h.slip, 1e-8);
  EXPECT_LE(std::abs(h.creep), 1e-9);
  // The cone would hold 34 N: friction is far from full, and not idle.
  EXPECT_GT(2 * kFriction * h.squeeze, 2 * kWeight);
  EXPECT_LT(2 * kFriction * h.squeeze, 5 * kWeight);
}

TEST(FullGrip, SoftFingersHoldAKilogramForAnHour) {
  const Held h = hold(3600, 0.1);
  EXPECT_LE(h.slip, 1e-6);
  EXPECT_LE(std::abs(h.creep), 1e-6 / 3600);
}

}  // namespace
}  // namespace haptos
