// BDF2 with robots and rigid bodies: they keep their own step, what is soft on them takes BDF2's,
// and both agree on the force between them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/geometry/make/pads.h"
#include "haptos/scene/rigid.h"
#include "haptos/sim/sim.h"
#include "tests/robots.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr int kBdf2 = static_cast<int>(Integrator::kBdf2);
constexpr double kSlide = 0.2;  // mass of the link [kg]

Scene empty(double dt, double gravity, int integrator = kBdf2) {
  Scene s;
  s.sim.dt = dt;
  s.sim.gravity_z = gravity;
  s.sim.threads = 1;
  s.sim.integrator = integrator;
  s.newton.force_tolerance = 1e-10;
  return s;
}

// A pad of 12 x 12 x 6 mm that hangs by its base from what is named.
SoftBody pad_on(const std::string& mount) {
  const Pad pad = box_pad({.width = 0.012, .depth = 0.012, .thickness = 0.006}, 3, 3, 2);
  SoftBody b;
  b.name = "gel";
  b.mesh = pad.mesh;
  b.material.young = 2e5;
  b.material.poisson = 0.45;
  b.pose.q = rotation_by({{M_PI, 0, 0}});
  b.glue = {{mount, pad.base_vertices}};
  return b;
}

// A link of a given mass that slides along z.
RobotBody slide(double mass) {
  RobotBody b;
  b.name = b.robot.name = "ram";
  RobotLink l;
  l.name = "slide";
  l.mass = mass;
  l.inertia = 1e-4 * mass * Mat3d::identity();
  b.robot.links = {l};
  RobotJoint j;
  j.name = "rail";
  j.kind = JointKind::kPrismatic;
  j.child = 0;
  j.axis = {{0, 0, 1}};
  b.robot.joints = {j};
  return b;
}

Scene ram(double dt, double mass, double gravity, int integrator = kBdf2) {
  Scene s = empty(dt, gravity, integrator);
  s.robots = {slide(mass)};
  s.soft = {pad_on("ram")};
  return s;
}

// m dv/dt of the link is what the gel pulls with, less its weight; what the gel's own inertia asks
// for is the same force.
TEST(Bdf2OfRobots, TheLinkFeelsTheForceThatTheGelDoes) {
  Scene s = ram(2e-4, kSlide, 0);
  s.soft[0].velocity = {{0, 0, -0.05}};  // the link stands: it is pulled along
  Sim sim(s);
  double largest = 0, worst = 0;
  for (int k = 0; k < 200; ++k) {
    const double before = sim.robot("ram").velocity()[0];
    ASSERT_EQ(sim.step().status(), 0u);
    const double force = kSlide * (sim.robot("ram").velocity()[0] - before) / 2e-4;
    const double pull = sim.reaction("ram").force[2];
    const double asked = -sim.inertia_wrench("gel").force[2];
    largest = std::max(largest, std::abs(pull));
    worst = std::max({worst, std::abs(force - pull), std::abs(asked - pull)});
  }
  std::printf("FIGURE bdf2: link and gel agree on a force of %.3f N within %.1e N\n", largest,
              worst);
  EXPECT_GT(largest, 0.02);
  EXPECT_LT(worst, 1e-9);
}

// What hangs still weighs what it weighs.
TEST(Bdf2OfRobots, AMotorCarriesTheLinkAndItsGel) {
  Scene s = ram(0.005, kSlide, -9.81);
  s.soft[0].material.stiffness_damping = 0.01;
  RobotMotor m;
  m.joint = "rail";
  m.kp = 2000;
  m.kd = 40;
  s.robots[0].robot.motors = {m};
  Sim sim(s);
  for (int k = 0; k < 400; ++k) ASSERT_EQ(sim.step().status(), 0u) << k;
  const double all = 9.81 * (kSlide + s.soft[0].material.density * 0.012 * 0.012 * 0.006);
  EXPECT_NEAR(2000 * -sim.robot("ram").position()[0], all, 1e-7 * all);
}

// A gel that its own weight pulls at, all at once, and that swings on a link which recoils.
TEST(Bdf2OfRobots, AGelSwingsOnItsLinkAsItDoesWithFinerSteps) {
  const double duration = 0.005;
  const auto end = [&](int integrator, int steps) {
    Scene s = ram(duration / steps, 5, 0, integrator);
    s.soft[0].acceleration = {{0, {{0, 0, -100}}}};
    Sim sim(s);
    for (int k = 0; k < steps; ++k) EXPECT_EQ(sim.step().status(), 0u);
    return sim.soft_positions("gel");
  };
  const std::vector<Vec3d> limit = end(kBdf2, 3200);
  double off[2];
  for (const int integrator : {0, kBdf2}) {
    const std::vector<Vec3d> x = end(integrator, 400);
    off[integrator] = 0;
    for (std::size_t v = 0; v < x.size(); ++v)
      off[integrator] = std::max(off[integrator], norm(x[v] - limit[v]));
  }
  std::printf("FIGURE bdf2: swinging gel off by %.2e m, Euler by %.2e m\n", off[kBdf2], off[0]);
  EXPECT_LT(off[kBdf2], 0.2 * off[0]);
}

// Rigid bodies alone: the same motion as under implicit Euler.
TEST(Bdf2OfRobots, RigidBodiesMoveAsUnderEuler) {
  Pose end[2];
  for (const int integrator : {0, kBdf2}) {
    Scene s = empty(0.002, -9.81, integrator);
    s.half_spaces.push_back({"floor", {}, "", {{0, 0, 1}}, 0});
    s.half_spaces.back().friction = {0.4};
    for (int k = 0; k < 3; ++k) {
      s.robots.push_back(test::rigid_ball("ball" + std::to_string(k), 0.05, 1 + k,
                                          {{0.02 * k, 0, 0.06 + 0.11 * k}}));
    }
    s.robots[0].velocity = {1, 0.5, 0, 0, 0, 3};
    Sim sim(s);
    for (int k = 0; k < 300; ++k) ASSERT_EQ(sim.step().status(), 0u) << k;
    end[integrator] = sim.robot("ball0").link_pose(0);
  }
  EXPECT_GT(norm(end[0].p), 0.1);
  EXPECT_LT(norm(end[0].p - end[1].p), 1e-6);
}

// A link that nothing moves carries its gel as a mount of the same speed does.
TEST(Bdf2OfRobots, AGelOnAHeavyLinkMovesAsOneOnAMount) {
  for (const double speed : {0.0, 0.5}) {
    std::vector<std::vector<Vec3d>> x[2];
    for (const bool on_link : {false, true}) {
      Scene s = ram(5e-4, 1e7, 0);
      if (on_link) {
        s.robots[0].velocity = {speed};
      } else {
        PrescribedBody mount;
        mount.name = "mount";
        mount.trajectory = test::straight({{0, 0, 0}}, {{0, 0, speed}}, 1);
        s.prescribed = {mount};
        s.robots.clear();
        s.soft[0].glue[0].body = "mount";
      }
      s.soft[0].velocity = {{0, 0, speed}};
      Sim sim(s);
      for (int k = 0; k < 100; ++k) {
        ASSERT_EQ(sim.step().status(), 0u);
        x[on_link].push_back(sim.soft_positions("gel"));
      }
    }
    for (std::size_t k = 0; k < x[0].size(); ++k)
      for (std::size_t v = 0; v < x[0][k].size(); ++v)
        EXPECT_LT(norm(x[0][k][v] - x[1][k][v]), 1e-9) << speed << ' ' << k << ' ' << v;
  }
}

}  // namespace
}  // namespace haptos
