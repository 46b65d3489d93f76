// Quasi-statics with robots and rigid bodies: where they rest, what carries them, and what cannot.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/scene/rigid.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/sim.h"

namespace haptos {
namespace {

constexpr double kWeight = 9.81;

Scene still(double dt = 0.01) {
  Scene s;
  s.sim.dt = dt;
  s.sim.threads = 1;
  s.sim.integrator = static_cast<int>(Integrator::kQuasiStatic);
  s.newton.force_tolerance = 1e-9;
  s.newton.max_lag_passes = 300;
  return s;
}

RobotLink bar(const std::string& name, double mass, double length) {
  RobotLink l;
  l.name = name;
  l.mass = mass;
  l.centre = {{0, 0, -0.5 * length}};
  l.inertia(0, 0) = l.inertia(1, 1) = mass * length * length / 12;
  l.inertia(2, 2) = 1e-4 * mass;
  return l;
}

// Two bars of one and a half metre on hinges about y, with motors.
RobotBody arm(double kp, double kd) {
  RobotBody b;
  b.name = b.robot.name = "arm";
  for (int k = 0; k < 2; ++k) {
    b.robot.links.push_back(bar("bar" + std::to_string(k), 2 - k, 1 - 0.5 * k));
    RobotJoint j;
    j.name = "hinge" + std::to_string(k);
    j.kind = JointKind::kRevolute;
    j.parent = k - 1;
    j.child = k;
    j.axis = {{0, 1, 0}};
    j.frame.p = {{0, 0, k == 0 ? 0.0 : -1.0}};
    j.damping = 5;
    b.robot.joints.push_back(j);
    RobotMotor m;
    m.joint = j.name;
    m.kp = kp;
    m.kd = kd;
    b.robot.motors.push_back(m);
  }
  return b;
}

RobotBody box(const std::string& name, double mass, const Vec3d& half, const Vec3d& at) {
  RobotShape s;
  s.name = name;
  s.shape.kind = ShapeKind::kBox;
  s.shape.size = half;
  RobotBody b;
  b.name = name;
  b.robot = rigid_robot(name, {s}, {.mass = mass});
  b.pose.p = at;
  return b;
}

void add_floor(Scene& s, double friction = 0) {
  s.half_spaces.push_back({"floor", {}, "", {{0, 0, 1}}, 0});
  s.half_spaces.back().friction = {friction};
}

// At rest each motor carries the moment of what hangs on it, whatever it damps.
TEST(StaticsOfRobots, AnArmHangsWhereItsMotorsCarryIt) {
  Scene s = still();
  s.robots.push_back(arm(200, 30));
  Sim sim(s);
  RobotView a = sim.robot("arm");
  a.set_command(0, {0.8, 0, 0});
  a.set_command(1, {-0.3, 0, 0});
  for (int k = 0; k < 30; ++k) {
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u) << describe_status(r.status());
    EXPECT_EQ(r.kinetic, 0);
  }
  const double q = a.position()[0], p = q + a.position()[1];
  const double lower = 1 * kWeight * 0.25 * std::sin(p);
  const double upper = (2 * 0.5 + 1 * 1.0) * kWeight * std::sin(q) + lower;
  EXPECT_NEAR(200 * (0.8 - q), upper, 1e-8 * upper);
  EXPECT_NEAR(200 * (-0.3 - a.position()[1]), lower, 1e-8 * upper);
  EXPECT_NEAR(a.effort(0), upper, 1e-8 * upper);
  EXPECT_NEAR(a.effort(1), lower, 1e-8 * upper);

  Scene damped = s;
  damped.sim.integrator = 0;
  Sim moving(damped);
  RobotView b = moving.robot("arm");
  b.set_command(0, {0.8, 0, 0});
  b.set_command(1, {-0.3, 0, 0});
  for (int k = 0; k < 2000; ++k) moving.step();
  EXPECT_NEAR(b.position()[0], q, 1e-8);
  EXPECT_NEAR(b.position()[1], a.position()[1], 1e-8);
}

TEST(StaticsOfRobots, AnArmWithoutMotorsEndsStraightDown) {
  Scene s = still();
  s.robots.push_back(arm(0, 0));
  s.robots[0].robot.motors.clear();
  Sim sim(s);
  RobotView a = sim.robot("arm");
  a.set_state({{0.9, 0.4}}, {{0, 0}});
  StepReport r;
  int steps = 0;
  do {
    r = sim.step();
  } while (r.status() != 0 && ++steps < 200);
  EXPECT_EQ(r.status(), 0u) << describe_status(r.status());
  std::printf("FIGURE quasi-static pendulum: %d steps; %.1e, %.1e rad\n", steps, a.position()[0],
              a.position()[1]);
  for (int k = 0; k < 20; ++k) sim.step();
  EXPECT_NEAR(a.position()[0], 0, 1e-6);
  EXPECT_NEAR(a.position()[1], 0, 1e-6);
}

TEST(StaticsOfRobots, ATiltedBoxFallsAndLiesFlat) {
  Scene s = still();
  add_floor(s, 0.5);
  s.robots.push_back(box("block", 1.5, {{0.1, 0.05, 0.02}}, {{0, 0, 0.1}}));
  s.robots[0].pose.q = rotation_by({{0.02, 0.01, 0}});
  s.robots[0].friction = 0.5;
  Sim sim(s);
  StepReport r;
  int steps = 0;
  for (int k = 0; k < 20; ++k) {
    r = sim.step();
    if (r.status() != 0) ++steps;
  }
  std::printf(
      "FIGURE quasi-static fall of a rigid box: %d steps on the way, %d passes in the last\n",
      steps, r.newton.lag_passes);
  EXPECT_EQ(r.status(), 0u) << describe_status(r.status());
  const Pose at = sim.robot("block").link_pose(0);
  EXPECT_NEAR(at.p[2], 0.02, 1e-6);
  const Vec3d up = to_matrix(at.q) * Vec3d{{0, 0, 1}};
  EXPECT_NEAR(up[2], 1, 1e-10);
  EXPECT_NEAR(sim.contact_wrench("block").force[2], 1.5 * kWeight, 1e-6 * 1.5 * kWeight);
}

// mu .5: a slope of .49 holds a box, one of .51 does not.
TEST(StaticsOfRobots, ABoxRestsBelowTheConeAndIsReportedAboveIt) {
  for (const double slope : {0.3, 0.49, 0.51, 0.8}) {
    Scene s = still();
    const double a = std::atan(slope);
    s.sim.gravity_x = kWeight * std::sin(a);
    s.sim.gravity_z = -kWeight * std::cos(a);
    add_floor(s, 0.5);
    s.robots.push_back(box("block", 1, {{0.05, 0.05, 0.02}}, {{0, 0, 0.02}}));
    s.robots[0].friction = 0.5;
    s.newton.max_lag_passes = 30;
    Sim sim(s);
    StepReport r;
    for (int k = 0; k < 10; ++k) r = sim.step();
    const double x = sim.robot("block").link_pose(0).p[0];
    std::printf("slope %.2f: status %u, x %.2e m, %d passes, force %.6f %.6f\n", slope, r.status(),
                x, r.newton.lag_passes, sim.contact_wrench("block").force[0],
                sim.contact_wrench("block").force[2]);
    if (slope < 0.5) {
      EXPECT_EQ(r.status(), 0u) << describe_status(r.status());
      EXPECT_LT(std::abs(x), 1e-5);
      EXPECT_NEAR(sim.contact_wrench("block").force[0], -kWeight * std::sin(a), 1e-5);
    } else {
      EXPECT_EQ(r.status(), static_cast<std::uint32_t>(kNoEquilibrium));
      EXPECT_GT(x, 1e-3);
    }
  }
}

TEST(StaticsOfRobots, AStackCarriesWhatLiesOnIt) {
  Scene s = still();
  add_floor(s);
  for (int k = 0; k < 5; ++k)
    s.robots.push_back(
        box("b" + std::to_string(k), 1, {{0.05, 0.05, 0.05}}, {{0, 0, 0.05 + 0.1001 * k}}));
  Sim sim(s);
  StepReport r;
  for (int k = 0; k < 10; ++k) r = sim.step();
  EXPECT_EQ(r.status(), 0u) << describe_status(r.status());
  EXPECT_NEAR(sim.contact_wrench("floor").force[2], -5 * kWeight, 1e-5 * kWeight);
  for (int k = 0; k < 5; ++k)
    EXPECT_NEAR(sim.robot("b" + std::to_string(k)).link_pose(0).p[2], 0.05 + 0.1 * k, 1e-5);
}

// Strictness is for what a step ends with, not for its passes; what never rests leaves no trace.
TEST(StaticsOfRobots, StrictStepsTakeAsManyPassesAsTheyNeedAndRefuseWhatNeverRests) {
  Scene s = still();
  s.newton.strict = 1;
  add_floor(s, 0.5);
  s.robots.push_back(box("block", 1.5, {{0.1, 0.05, 0.02}}, {{0, 0, 0.1}}));
  Sim sim(s);
  EXPECT_EQ(sim.step().status(), 0u);
  EXPECT_NEAR(sim.robot("block").link_pose(0).p[2], 0.02, 1e-6);

  s.half_spaces.clear();
  s.newton.max_lag_passes = 5;
  Sim falls(s);
  const std::uint64_t before = falls.state().hash();
  EXPECT_THROW(falls.step(), StepError);
  EXPECT_EQ(falls.state().hash(), before);
}

TEST(StaticsOfRobots, AMotorThatOnlyDampsHoldsNothingAndIsTold) {
  Scene s = still();
  s.robots.push_back(arm(0, 30));
  Sim sim(s);
  RobotView a = sim.robot("arm");
  a.set_state({{0.9, 0.4}}, {{0, 0}});
  for (int k = 0; k < 20; ++k) sim.step();
  EXPECT_NEAR(a.position()[0], 0, 1e-6);
  const auto told = [](const Scene& scene) {
    const std::vector<std::string> all = find_doubts(*compile(scene));
    return std::count_if(all.begin(), all.end(), [](const std::string& w) {
      return w.find("holds nothing") != std::string::npos;
    });
  };
  EXPECT_EQ(told(s), 1);
  s.robots = {arm(200, 30)};
  EXPECT_EQ(told(s), 0);
}

TEST(StaticsOfRobots, SaveAndLoadGoOnBitForBit) {
  Scene s = still();
  add_floor(s, 0.5);
  s.robots.push_back(arm(200, 30));
  s.robots[0].pose.p = {{0, 0, 2}};
  s.robots.push_back(box("block", 1, {{0.05, 0.05, 0.02}}, {{1, 0, 0.03}}));
  Sim a(s), b(s);
  const auto command = [](Sim& sim) { sim.robot("arm").set_command(0, {0.8, 0, 0}); };
  command(a);
  command(b);
  for (int n = 0; n < 3; ++n) a.step();
  const std::string path = testing::TempDir() + "/haptos_statics_state";
  a.save(path);
  b.load(path);
  for (int n = 0; n < 3; ++n) a.step(), b.step();
  EXPECT_EQ(a.state().hash(), b.state().hash());
}

}  // namespace
}  // namespace haptos
