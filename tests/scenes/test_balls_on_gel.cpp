// Rigid balls, entries of one shape, meet soft, affine and prescribed bodies as links do.
#include <cmath>
#include <cstdio>

#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/robots.h"
#include "tests/scenes/crossing.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kRadius = 4e-3, kMass = 0.05, kThick = 4e-3, kGravity = 9.81;

// A pad of 16 x 16 x 4 mm that stands on its glued base; its free face is z = 0.
Scene pad_scene(double dt, int cells = 5) {
  Scene s;
  s.sim.dt = dt;
  s.sim.threads = 1;
  s.newton.force_tolerance = 1e-9;
  Pad pad = box_pad({.width = 0.016, .depth = 0.016, .thickness = kThick}, cells, cells, 2);
  SoftBody gel;
  gel.name = "gel";
  gel.mesh = pad.mesh;
  gel.element = Element::kLinear;
  gel.material.young = 2e5;
  gel.material.poisson = 0.45;
  gel.material.stiffness_damping = 0.01;
  gel.friction.sticking = 1;
  gel.glue = {{"mount", pad.base_vertices}};
  s.soft = {gel};
  s.prescribed = {test::mount("mount")};
  return s;
}

AffineBody affine_ball(const Vec3d& at) {
  AffineBody b;
  b.name = "ball";
  b.surface = icosphere(kRadius, kRadius / 8);
  b.mass = kMass;
  b.inertia = (0.4 * kMass * kRadius * kRadius) * Mat3d::identity();
  b.pose.p = at;
  b.stiffness = 1e10;
  b.friction.sticking = 0.5;
  return b;
}

TEST(BallsOnGel, ARigidBallLiesOnAGelWhereAnAffineOneOfTheSameFacetsDoes) {
  const double weight = kGravity * kMass;
  Vec3d rest[2];
  for (const bool rigid : {false, true}) {
    Scene s = pad_scene(0.02, 6);
    const Vec3d at{{0, 0, kRadius + 5e-5}};
    if (rigid)
      s.robots = {test::rigid_ball("ball", kRadius, kMass, at)};
    else
      s.affine = {affine_ball(at)};
    Sim sim(s);
    for (int k = 0; k < 120; ++k) ASSERT_EQ(sim.step().status(), 0u) << rigid << " step " << k;
    EXPECT_NEAR(sim.contact_wrench("ball").force[2], weight, 1e-6 * weight) << rigid;
    EXPECT_NEAR(sim.contact_wrench("gel").force[2], -weight, 1e-6 * weight) << rigid;
    rest[rigid] = rigid ? sim.robot("ball").link_pose(0).p : sim.affine_pose("ball").p;
    EXPECT_EQ(test::crossings(sim, "gel", "ball"), 0u);
  }
  const double depth = kRadius - rest[0][2];
  EXPECT_GT(depth, 2e-4);
  // Both roll by some micrometres, for the mesh is no mirror image of itself; where friction stops
  // them depends on the way there.
  EXPECT_NEAR(rest[1][2], rest[0][2], 5e-3 * depth);
  for (const Vec3d& x : rest) printf("at %.9e %.9e, depth %.9e m\n", x[0], x[1], kRadius - x[2]);
}

// At 5 m/s, more than a radius a step, half of it beside the gel.
TEST(BallsOnGel, AFastBallIsThrownBackAndNothingIsCut) {
  Scene s = pad_scene(1e-3, 4);
  s.newton.force_tolerance = 1e-4;
  s.soft[0].material.stiffness_damping = 1e-3;
  s.robots = {test::rigid_ball("ball", kRadius, 2e-3, {{6e-3, 1e-3, 0.02}})};
  s.robots[0].velocity = {0, 0, -5, 0, 40, 0};
  HalfSpace floor;
  floor.name = "floor";
  floor.offset = -kThick - 1e-3;
  s.half_spaces = {floor};
  Sim sim(s);
  double lowest = 1, fastest = -5;
  for (int k = 0; k < 25; ++k) {
    ASSERT_EQ(sim.step().status(), 0u) << k;
    ASSERT_EQ(test::crossings(sim, "gel", "ball"), 0u) << k;
    lowest = std::min(lowest, sim.robot("ball").link_pose(0).p[2]);
    fastest = std::max(fastest, sim.robot("ball").link_velocity(0)[2]);
  }
  EXPECT_LT(lowest, kRadius - 5e-4);
  EXPECT_GT(lowest, -kThick);
  EXPECT_GT(fastest, 0.3);
}

// Two bodies in empty space: what one loses the other has.
TEST(BallsOnGel, ABallThatStrikesAnAffineBodyGivesItItsMomentum) {
  Scene s;
  s.sim.dt = 1e-3;
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.newton.force_tolerance = 1e-10;
  s.affine = {affine_ball({{0.01, 1e-3, 0}})};
  s.affine[0].name = "other";
  s.robots = {test::rigid_ball("ball", kRadius, 2 * kMass, {{0, 0, 0}})};
  s.robots[0].velocity = {0.5, 0, 0, 0, 0, 30};
  Sim sim(s);
  for (int k = 0; k < 20; ++k) ASSERT_EQ(sim.step().status(), 0u) << k;
  const Vec6d ball = sim.robot("ball").link_velocity(0), other = sim.affine_velocity("other");
  EXPECT_GT(other[0], 0.1);
  EXPECT_GT(std::abs(other[1]), 1e-3);
  for (int c = 0; c < 3; ++c) EXPECT_NEAR(2 * ball[c] + other[c], c == 0 ? 1.0 : 0.0, 1e-8) << c;
}

}  // namespace
}  // namespace haptos
