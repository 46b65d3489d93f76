// Many environments over one model.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/sim/batch/batch.h"
#include "tests/robots.h"

namespace haptos {
namespace {

// A block on a table that an arm with a motor pushes, and a ball.
Scene pushing(double dt = 2e-3) {
  Scene s;
  s.sim.dt = dt;
  s.newton.force_tolerance = 1e-8;
  s.half_spaces.push_back({"floor", {}, "", {{0, 0, 1}}, 0});
  RobotBody arm;
  arm.name = arm.robot.name = "arm";
  RobotLink bar;
  bar.name = "bar";
  bar.mass = 1;
  bar.centre = {{0, 0, -0.2}};
  bar.inertia = Mat3d::identity() * 0.02;
  RobotShape shape;
  shape.shape.kind = ShapeKind::kCapsule;
  shape.shape.size = {{0.02, 0.15, 0}};
  shape.frame.p = {{0, 0, -0.2}};
  bar.collisions.push_back(shape);
  arm.robot.links.push_back(bar);
  RobotJoint j;
  j.name = "hinge";
  j.kind = JointKind::kRevolute;
  j.axis = {{0, 1, 0}};
  j.frame.p = {{0, 0, 0.45}};
  arm.robot.joints.push_back(j);
  arm.robot.motors.push_back({"", "hinge", 40, 4, 5});
  s.robots.push_back(arm);
  RobotBody block;
  block.name = block.robot.name = "block";
  RobotLink l;
  l.name = "block";
  l.mass = 0.5;
  l.inertia = Mat3d::identity() * 0.001;
  RobotShape box;
  box.shape.kind = ShapeKind::kBox;
  box.shape.size = {{0.05, 0.05, 0.05}};
  l.collisions.push_back(box);
  block.robot.links.push_back(l);
  RobotJoint free;
  free.name = "base";
  free.kind = JointKind::kFree;
  block.robot.joints.push_back(free);
  block.pose.p = {{-0.1, 0, 0.05}};
  s.robots.push_back(block);
  s.robots.push_back(test::rigid_ball("ball", 0.03, 0.1, {{-0.3, 0.01, 0.03}}));
  return s;
}

// Commands, gains, masses and friction that differ from environment to environment.
void vary(Sim& sim, int k) {
  RobotView arm = sim.robot("arm");
  arm.set_command(0, {0.2 + 0.003 * k, 0, 0});
  arm.set_gains(0, 30 + k % 7, 3, 0.1 * k);
  sim.robot("block").set_mass_scale(0, 0.5 + 0.01 * k);
  sim.robot("block").set_friction_scale(0.2 + 0.01 * k);
}

TEST(Batch, AnEnvironmentOfManyHasTheBitsOfTheSameRunAlone) {
  const auto model = compile(pushing());
  Batch batch(model, 256);
  for (int k = 0; k < batch.envs(); ++k) vary(batch.env(k), k);
  for (int n = 0; n < 100; ++n)
    for (const StepReport& r : batch.step()) ASSERT_EQ(r.status(), 0u);
  for (const int k : {0, 1, 100, 255}) {
    Sim alone(model);
    vary(alone, k);
    for (int n = 0; n < 100; ++n) alone.step();
    EXPECT_EQ(alone.state().hash(), batch.env(k).state().hash()) << k;
  }
  EXPECT_NE(batch.env(0).state().hash(), batch.env(1).state().hash());
}

TEST(Batch, TheBitsDoNotDependOnThreads) {
  std::vector<std::uint64_t> first;
  for (const int threads : {1, 2, 3, 8}) {
    Scene s = pushing();
    s.sim.threads = threads;
    Batch batch(s, 5);
    for (int k = 0; k < 5; ++k) vary(batch.env(k), 10 * k);
    for (int n = 0; n < 60; ++n) batch.step();
    std::vector<std::uint64_t> bits;
    bits.reserve(5);
    for (int k = 0; k < 5; ++k) bits.push_back(batch.env(k).state().hash());
    if (first.empty()) first = bits;
    EXPECT_EQ(bits, first) << threads;
  }
  set_thread_count(0);
}

TEST(Batch, SaveLoadAndSelectiveResetLeaveNoTrace) {
  const auto model = compile(pushing());
  const std::string path = testing::TempDir() + "batch.states";
  Batch a(model, 4), b(model, 4);
  for (int k = 0; k < 4; ++k) vary(a.env(k), 20 * k);
  for (int n = 0; n < 50; ++n) a.step();
  a.save(path);
  b.load(path);
  for (int n = 0; n < 50; ++n) a.step(), b.step();
  for (int k = 0; k < 4; ++k) EXPECT_EQ(a.env(k).state().hash(), b.env(k).state().hash()) << k;

  const bool mask[4] = {false, true, false, true};
  const std::uint64_t kept = a.env(0).state().hash();
  a.reset(mask);
  EXPECT_EQ(a.env(0).state().hash(), kept);
  const std::uint64_t start = Sim(model).state().hash();
  EXPECT_EQ(a.env(1).state().hash(), start);
  EXPECT_EQ(a.env(3).state().hash(), start);
  vary(a.env(1), 20);
  for (int n = 0; n < 100; ++n) a.env(1).step();
  EXPECT_EQ(a.env(1).state().hash(), b.env(1).state().hash());

  EXPECT_THROW(Batch(model, 3).load(path), InputError);
  EXPECT_THROW(Batch(pushing(), 4).load(path + ".not"), InputError);
  EXPECT_THROW(Batch(model, 0), InputError);
  EXPECT_THROW(a.reset(std::span<const bool>(mask, 3)), InputError);
  std::remove(path.c_str());
}

TEST(Batch, MassesFrictionAndGainsActAsTheyShould) {
  const auto model = compile(pushing());
  Batch batch(model, 3);
  for (int k = 0; k < 3; ++k) {
    RobotView block = batch.env(k).robot("block");
    block.set_mass_scale(0, 1 + k);
    block.set_friction_scale(0.5 * k);
    block.set_wrench(0, {{0, 0.9, 0}}, {{0, 0, 0}});
    batch.env(k).robot("arm").set_gains(0, 0, 0, 0);
  }
  for (int n = 0; n < 400; ++n) batch.step();
  for (int k = 0; k < 3; ++k) {
    const Sim& sim = batch.env(k);
    const double mass = 0.5 * (1 + k), mu = 0.5 * 0.5 * k;
    EXPECT_NEAR(sim.contact_wrench("block").force[2], mass * 9.81, 1e-4 * mass * 9.81) << k;
    // Slides where .9 N is more than friction holds.
    const double a = std::max(0.0, 0.9 / mass - mu * 9.81);
    EXPECT_NEAR(batch.env(k).robot("block").velocity()[1], 0.8 * a, 5e-3) << k;
  }
}

TEST(Batch, AnErrorOfOneEnvironmentIsReportedAfterTheOthersHaveMoved) {
  Scene s = pushing();
  s.newton.strict = true;
  s.newton.max_iterations = 1;
  s.newton.force_tolerance = 1e-13;
  Batch batch(s, 2);
  batch.env(1).robot("block").set_wrench(0, {{20, 10, -50}}, {{0.5, 0, 0.1}});
  bool thrown = false;
  for (int n = 0; n < 50 && !thrown; ++n) {
    try {
      batch.step();
    } catch (const StepError& e) {
      thrown = true;
      EXPECT_NE(e.report.status(), 0u);
    }
  }
  EXPECT_TRUE(thrown);
}

}  // namespace
}  // namespace haptos
