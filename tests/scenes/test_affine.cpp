// Affine bodies against closed forms: free fall, rest, stiffness, torque, glue.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/robots.h"
#include "tests/scenes/soft_scenes.h"

namespace haptos {
namespace {

AffineBody cuboid(const Vec3d& size, const Vec3d& p, const char* name = "block") {
  AffineBody b;
  b.name = name;
  b.surface = box(size);
  b.pose.p = p;
  return b;
}

Scene scene_of(std::vector<AffineBody> bodies, double gravity, double dt = 0.01) {
  Scene s;
  s.sim.dt = dt;
  s.sim.gravity_z = gravity;
  s.sim.threads = 1;
  s.affine = std::move(bodies);
  return s;
}

HalfSpace floor_plane() {
  HalfSpace f;
  f.name = "floor";
  return f;
}

TEST(Affine, FreeFallIsTheSameForEveryKindOfBody) {
  const Vec3d v0{{0.1, -0.2, 0.3}};
  AffineBody b = cuboid({{0.1, 0.05, 0.03}}, {{0, 0, 1}});
  b.velocity = v0;
  b.angular_velocity = {{0.5, 0, 0}};
  Scene s = scene_of({b}, -9.81);
  s.soft = test::free_block(0.01, -9.81).soft;
  s.soft[0].velocity = v0;
  s.soft[0].pose.p = {{1, 0, 1}};
  RobotBody ball = test::rigid_ball("ball", 0.01, 0.1, {{2, 0, 1}});
  ball.velocity = {v0[0], v0[1], v0[2], 0, 0, 0};
  s.robots = {ball};
  Sim sim(s);
  const Vec3d gel = sim.soft_positions("gel")[0];
  const int steps = 50;
  for (int n = 0; n < steps; ++n) ASSERT_EQ(sim.step().status(), 0u);
  const double h = 0.01, k = 0.5 * h * h * steps * (steps + 1);
  const Vec3d d = (steps * h) * v0 + Vec3d{{0, 0, -9.81 * k}};
  for (int c = 0; c < 3; ++c) {
    EXPECT_NEAR(sim.affine_pose("block").p[c] - b.pose.p[c], d[c], 1e-12);
    EXPECT_NEAR(sim.soft_positions("gel")[0][c] - gel[c], d[c], 1e-12);
    EXPECT_NEAR(sim.robot("ball").link_pose(0).p[c] - ball.pose.p[c], d[c], 1e-12);
    EXPECT_NEAR(sim.affine_velocity("block")[c], v0[c] + (c == 2 ? -9.81 * h * steps : 0), 1e-12);
  }
}

TEST(Affine, BlockAtRestReadsItsWeight) {
  for (const bool given : {false, true}) {
    AffineBody b = cuboid({{0.1, 0.05, 0.03}}, {{0.02, 0.01, 0.015 + 1e-5}});
    if (given) {
      b.mass = 0.4;
      b.centre = {{0.01, 0, 0.002}};
      b.inertia = 0.4 / 12 * Mat3d{{0.0034, 0, 0, 0, 0.0109, 0, 0, 0, 0.0125}};
    }
    Scene s = scene_of({b}, -9.81, 0.05);
    s.newton.force_tolerance = 1e-9;
    s.half_spaces = {floor_plane()};
    Sim sim(s);
    // Backward Euler is dissipative: what is left of the landing dies out.
    for (int n = 0; n < 60; ++n) ASSERT_EQ(sim.step().status(), 0u) << n;
    const double weight = 9.81 * (given ? 0.4 : 1000 * 0.1 * 0.05 * 0.03);
    const Wrench w = sim.contact_wrench("block", sim.affine_pose("block").p);
    EXPECT_NEAR(w.force[2], weight, 1e-6 * weight);
    EXPECT_NEAR(w.force[0], 0, 1e-6 * weight);
    // The centre of mass decides where the floor pushes.
    EXPECT_NEAR(w.torque[1], given ? -0.01 * weight : 0, 1e-6 * weight * 0.1);
    EXPECT_NEAR(sim.reaction("block").force[2], weight, 1e-6 * weight);
  }
}

TEST(Affine, StrainUnderLoadIsTheStatedStiffness) {
  // A block between two plates, squeezed by a pressure: s = p / (8 kappa) along the load.
  AffineBody b = cuboid({{0.1, 0.1, 0.1}}, {{0, 0, 0.05 + 1e-5}});
  b.stiffness = 1e6;
  AffineBody weight = cuboid({{0.1, 0.1, 0.02}}, {{0, 0, 0.11 + 3e-5}}, "weight");
  weight.stiffness = 1e10;
  weight.force = {{0, 0, -50}};
  Scene s = scene_of({b, weight}, 0, 0.05);
  s.newton.force_tolerance = 1e-9;
  s.half_spaces = {floor_plane()};
  Sim sim(s);
  for (int n = 0; n < 60; ++n) ASSERT_EQ(sim.step().status(), 0u) << n;
  EXPECT_NEAR(sim.contact_wrench("block").force[2], 0, 1e-5);
  EXPECT_NEAR(sim.contact_wrench("weight").force[2], 50, 1e-5);
  // S = 4 kappa (C - 1) / 2 * 2: stress along z is 4 kappa (C_zz - 1) c_z to first order.
  const double pressure = 50 / 0.01;
  EXPECT_NEAR(sim.affine_strain("block"), pressure / (4 * b.stiffness), 0.02 * pressure / 4e6);
  EXPECT_LT(sim.affine_strain("weight"), 1e-6);
}

TEST(Affine, TorqueTurnsTheBodyAtTorqueOverInertia) {
  AffineBody b = cuboid({{0.1, 0.05, 0.03}}, {{0, 0, 0}});
  b.torque = {{0, 0, 2e-4}};
  Scene s = scene_of({b}, 0, 1e-3);
  s.newton.force_tolerance = 1e-10;
  Sim sim(s);
  for (int n = 0; n < 100; ++n) ASSERT_EQ(sim.step().status(), 0u);
  const double inertia = 0.15 / 12 * (0.01 + 0.0025);
  const double rate = 2e-4 / inertia * 0.1;
  // Backward Euler loses a part (w h)^2 of the angular momentum per step, less than 1e-7 of it
  // here.
  EXPECT_NEAR(sim.affine_velocity("block")[5], rate, 2e-5 * rate);
  EXPECT_NEAR(sim.affine_velocity("block")[3], 0, 1e-9);
  EXPECT_LT(sim.affine_strain("block"), 1e-6);
}

TEST(Affine, GelGluedToABodyPullsOnItAndHangs) {
  // A gel hangs from a block that rests on two posts' worth of floor: upside down, the block lies
  // on the floor beside nothing, and the gel stands on it. Both weigh on the floor.
  Scene s = scene_of({cuboid({{0.03, 0.03, 0.01}}, {{0, 0, 0.005 + 1e-5}})}, -9.81, 0.05);
  s.newton.force_tolerance = 1e-9;
  Pad pad;
  s.soft = {test::block({{3, 3, 2}}, &pad)};
  s.soft[0].pose.p = {{0.002, -0.003, 0.01 + 1e-5}};
  s.soft[0].glue = {{"block", pad.base_vertices}};
  s.half_spaces = {floor_plane()};
  s.pairs = {{"gel", "floor", false, 0}};
  Sim sim(s);
  for (int n = 0; n < 60; ++n) {
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u) << n << describe_status(r.status());
  }
  const double block = 9.81 * 1000 * 0.03 * 0.03 * 0.01;
  const double gel = 9.81 * 1000 * test::kBlock[0] * test::kBlock[1] * test::kBlock[2];
  EXPECT_NEAR(sim.contact_wrench("block").force[2], block + gel, 1e-6 * (block + gel));
  // What the scene does to the block: the floor pushes, the gel weighs.
  EXPECT_NEAR(sim.reaction("block").force[2], block, 1e-6 * (block + gel));
  EXPECT_NEAR(sim.inertia_wrench("gel").force[2], gel, 1e-6 * gel);
}

}  // namespace
}  // namespace haptos
