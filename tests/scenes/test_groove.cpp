// A ridge in a V groove: one edge that touches two walls, each with friction of its own. The walls
// press with N = W / (2 sin(a)) each, a the half-angle of the groove, so along the groove it holds
// up to mu W / sin(a), more than on a plane.
#include <cmath>
#include <cstdio>

#include "tests/scenes/degenerate_shapes.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kG = 9.81, kWidth = 1.6, kMu = 0.2;
const double kHalfAngle = std::atan(kWidth / 2);  // the groove is 1 deep

// Gravity across the groove as on this slope; along it only if `tilted`.
Scene ridge_in_groove(double mu, double slope, bool tilted) {
  Scene s;
  s.sim.threads = 1;
  s.sim.gravity_y = tilted ? kG * std::sin(slope) : 0;
  s.sim.gravity_z = -kG * std::cos(slope);
  s.contact.support = 1e-3;
  s.contact.tangential = 100;
  s.newton.force_tolerance = 1e-8;
  AffineBody b;
  b.name = "ridge";
  b.surface = test::surface_of(test::upside_down(test::wedge_roof()));
  for (Vec3d& x : b.surface.vertices) x = x * 0.1;
  b.pose = test::at_position({{0, 0, 5e-4 / std::sin(kHalfAngle)}});
  s.affine = {b};
  PrescribedBody groove;
  groove.name = "groove";
  groove.surface = test::crack(kWidth);
  groove.trajectory = {{0.0, Pose{}}};
  s.prescribed = {groove};
  s.pairs = {{"ridge", "groove", true, 0, {mu, mu}}};
  return s;
}

TEST(Groove, ARidgeHoldsAndSlidesByTheFrictionOfBothWalls) {
  const double limit = std::atan(kMu / std::sin(kHalfAngle)), T = 0.2;
  for (const double part : {0.98, 1.02}) {
    const double slope = std::atan(part * std::tan(limit));
    // Settles without friction, so that none of it carries weight, and sticks.
    Sim smooth(ridge_in_groove(0, slope, false)), rough(ridge_in_groove(kMu, slope, false));
    Sim sim(ridge_in_groove(kMu, slope, true));
    test::Watch settle(smooth), stick(rough);
    ASSERT_TRUE(settle.run_until(0.5));
    rough.set_state(smooth.state());
    ASSERT_TRUE(stick.run_until(0.52));
    sim.set_state(rough.state());
    test::Watch watch(sim);
    // A tenth of a second for the load to move towards the lower end, which takes its part of the
    // friction.
    const auto speed = [&] { return sim.affine_velocity("ridge")[1]; };
    ASSERT_TRUE(watch.run_until(0.62));
    const double v = speed(), y = watch.centre("ridge")[1];
    ASSERT_TRUE(watch.run_until(0.62 + T));
    const double gained = (speed() - v) / T, moved = watch.centre("ridge")[1] - y;
    const double a = kG * (std::sin(slope) - kMu * std::cos(slope) / std::sin(kHalfAngle));
    std::printf("FIGURE groove.%.2f.moved = %.3e m\n", part, moved);
    std::printf("FIGURE groove.%.2f.acceleration = %.5f m/s2, free %.5f\n", part, gained, a);
    if (part < 1)
      EXPECT_LE(std::abs(moved), 1e-6);
    else
      EXPECT_NEAR(gained, a, 0.01 * a);
    double along = 0, pressing = 0;
    for (const ContactPoint& p : sim.contacts()) along += p.force[1], pressing += p.normal_force;
    const double weight = 3 * kG;  // 3 kg
    const double walls = weight * std::cos(slope) / std::sin(kHalfAngle);
    EXPECT_NEAR(pressing, walls, 1e-3 * weight);
    EXPECT_NEAR(along, part < 1 ? -weight * std::sin(slope) : -kMu * walls, 1e-3 * weight);
  }
}

}  // namespace
}  // namespace haptos
