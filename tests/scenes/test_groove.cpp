// A ridge in a V groove: one edge that touches two walls, each with friction of its own. The walls
// press with N = W / (2 sin(a)) each, a the half-angle of the groove, so along the groove it holds
// up to mu W / sin(a), more than on a plane.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/math/rotation.h"
#include "haptos/geometry/mesh/mass_properties.h"
#include "tests/scenes/degenerate_shapes.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kG = 9.81, kWidth = 1.6, kMu = 0.2;
const double kHalfAngle = std::atan(kWidth / 2);  // the groove is 1 deep

// Gravity across the groove as on this slope; along it only if `tilted`. Which of the two moves:
// the ridge, or the groove, turned over on a ridge that stands (it hangs: its centre of mass is
// lower than the edge). Then the corners of the other body touch two walls. Or the ridge moves and
// each wall is a shape of its own of one link.
enum class Moves { kRidge, kGroove, kRidgeOnLink };

RobotBody walls_of_link() {
  RobotBody r;
  r.name = r.robot.name = "stands";
  RobotLink link;
  link.name = "base";
  const double length = std::hypot(kWidth / 2, 1), thick = 0.1;
  for (const double side : {-1.0, 1.0}) {
    const Vec3d up = Vec3d{{side * kWidth / 2, 0, 1}} * (1 / length);
    const Vec3d n{{-side * up[2], 0, side * up[0]}};
    RobotShape wall;
    wall.name = side < 0 ? "left" : "right";
    wall.shape.kind = ShapeKind::kBox;
    wall.shape.size = {{length / 2, 2, thick}};
    wall.frame = {up * (length / 2) - n * thick, rotation_to(n)};
    link.collisions.push_back(wall);
  }
  r.robot.links = {link};
  RobotJoint fixed;
  fixed.name = "mount";
  fixed.kind = JointKind::kFixed;
  fixed.parent = -1;
  fixed.child = 0;
  r.robot.joints = {fixed};
  return r;
}

Scene ridge_in_groove(Moves moves, double mu, double slope, bool tilted) {
  Scene s;
  s.sim.threads = 1;
  s.sim.gravity_y = tilted ? kG * std::sin(slope) : 0;
  s.sim.gravity_z = -kG * std::cos(slope);
  s.contact.support = 1e-3;
  s.contact.tangential = 100;
  s.newton.force_tolerance = 1e-8;
  AffineBody b;
  b.name = "moves";
  PrescribedBody p;
  p.name = "stands";
  const Vec3d stand_off{{0, 0, 5e-4 / std::sin(kHalfAngle)}};
  if (moves != Moves::kGroove) {
    b.surface = test::surface_of(test::upside_down(test::wedge_roof()));
    for (Vec3d& x : b.surface.vertices) x = x * 0.1;
    b.pose = test::at_position(stand_off);
    p.surface = test::crack(kWidth);
  } else {
    p.surface = test::surface_of(test::wedge_roof());
    for (Vec3d& x : p.surface.vertices) x = x * 0.1 - Vec3d{{0, 0, 0.3}};
    b.surface = test::crack(kWidth);
    for (Vec3d& x : b.surface.vertices) x = Vec3d{{x[0], -x[1], -x[2]}} * 0.2;
    b.pose = test::at_position(stand_off);
  }
  p.trajectory = {{0.0, Pose{}}};
  s.affine = {b};
  if (moves == Moves::kRidgeOnLink)
    s.robots = {walls_of_link()};
  else
    s.prescribed = {p};
  s.pairs = {{"moves", "stands", true, 0, {mu, mu}}};
  return s;
}

void hold_and_slide(Moves moves, const char* name) {
  const double limit = std::atan(kMu / std::sin(kHalfAngle)), T = 0.2;
  for (const double part : {0.98, 1.02}) {
    const double slope = std::atan(part * std::tan(limit));
    // Settles without friction, so that none of it carries weight, and sticks.
    Sim smooth(ridge_in_groove(moves, 0, slope, false)),
        rough(ridge_in_groove(moves, kMu, slope, false));
    Sim sim(ridge_in_groove(moves, kMu, slope, true));
    test::Watch settle(smooth), stick(rough);
    ASSERT_TRUE(settle.run_until(0.5));
    rough.set_state(smooth.state());
    ASSERT_TRUE(stick.run_until(0.52));
    sim.set_state(rough.state());
    test::Watch watch(sim);
    // A tenth of a second for the load to move towards the lower end, which takes its part of the
    // friction.
    const auto speed = [&] { return sim.affine_velocity("moves")[1]; };
    ASSERT_TRUE(watch.run_until(0.62));
    const double v = speed(), y = watch.centre("moves")[1];
    ASSERT_TRUE(watch.run_until(0.62 + T));
    const double gained = (speed() - v) / T, moved = watch.centre("moves")[1] - y;
    const double a = kG * (std::sin(slope) - kMu * std::cos(slope) / std::sin(kHalfAngle));
    std::printf("FIGURE groove.%s.%.2f.moved = %.3e m\n", name, part, moved);
    std::printf("FIGURE groove.%s.%.2f.acceleration = %.5f m/s2, free %.5f\n", name, part, gained,
                a);
    if (part < 1)
      EXPECT_LE(std::abs(moved), 1e-6);
    else
      EXPECT_NEAR(gained, a, 0.01 * a);
    double along = 0, pressing = 0;
    for (const ContactPoint& p : sim.contacts()) along += p.force[1], pressing += p.normal_force;
    const double weight =
        solid_moments(sim.scene().affine[0].surface, sim.scene().affine[0].density).mass * kG;
    const double walls = weight * std::cos(slope) / std::sin(kHalfAngle);
    // What hangs from both walls may also squeeze the ridge, held by friction, until it slides.
    if (moves != Moves::kGroove || part > 1) {
      EXPECT_NEAR(pressing, walls, 1e-3 * weight);
    }
    EXPECT_NEAR(along, part < 1 ? -weight * std::sin(slope) : -kMu * walls, 1e-3 * weight);
  }
}

TEST(Groove, ARidgeHoldsAndSlidesByTheFrictionOfBothWalls) {
  hold_and_slide(Moves::kRidge, "ridge");
}
TEST(Groove, SoItDoesWhereTheWallsAreTwoShapesOfOneLink) {
  hold_and_slide(Moves::kRidgeOnLink, "link");
}
TEST(Groove, SoDoesAGrooveThatHangsOnARidge) { hold_and_slide(Moves::kGroove, "hangs"); }

}  // namespace
}  // namespace haptos
