// A step allocates nothing once it has run for a while: robots and rigid bodies, gels, affine and
// prescribed bodies, material points.
#include <gtest/gtest.h>

#include <algorithm>

#include "haptos/scene/rigid.h"
#include "haptos/sim/batch/batch.h"
#include "tests/robots.h"
#include "tests/scenes/soft_scenes.h"
#include "tests/unit/allocation_count.h"

namespace haptos {
namespace {

RobotShape shape(ShapeKind kind, const Vec3d& size) {
  RobotShape s;
  s.name = "shape";
  s.shape.kind = kind;
  s.shape.size = size;
  return s;
}

// A stack of boxes, a cylinder, a driven pendulum that stirs the air, and a ball on a slope.
Scene busy() {
  Scene s;
  s.sim.dt = 2e-3;
  s.sim.threads = 1;
  s.half_spaces.push_back({"floor", {}, "", {{0, 0, 1}}, 0});
  for (int k = 0; k < 3; ++k) {
    RobotBody b;
    b.name = "box " + std::to_string(k);
    b.robot = rigid_robot(b.name, {shape(ShapeKind::kBox, {{0.1, 0.1, 0.05}})});
    b.pose.p = {{0.01 * k, 0, 0.05 + 0.1 * k}};
    s.robots.push_back(b);
  }
  RobotBody can;
  can.name = "can";
  can.robot = rigid_robot("can", {shape(ShapeKind::kCylinder, {{0.05, 0.1, 0}})});
  can.pose.p = {{1, 0, 0.1}};
  s.robots.push_back(can);
  s.robots.push_back(test::driven_arm());
  s.robots.push_back(test::rigid_ball("ball", 0.05, 0.3, {{2, 0, 0.05}}));
  return s;
}

// Of 100 steps, those that allocate.
template <class Step>
int allocating_steps(const Step& step) {
  int count = 0;
  for (int k = 0; k < 100; ++k) {
    const std::int64_t before = test::allocation_count();
    step();
    count += test::allocation_count() != before;
  }
  return count;
}

// The same of the best of ten hundreds: on several threads some may first be met late, and each has
// room of its own.
template <class Step>
int fewest_allocating_steps(const Step& step) {
  int fewest = 100;
  for (int k = 0; k < 10 && fewest > 0; ++k) fewest = std::min(fewest, allocating_steps(step));
  return fewest;
}

TEST(StepMemory, AStepOfRobotsAllocatesNothing) {
  Sim sim(busy());
  sim.robot("arm").set_command(0, {0.5, 0, 0});
  for (int k = 0; k < 300; ++k) ASSERT_EQ(sim.step().status(), 0u);
  EXPECT_EQ(allocating_steps([&] { sim.step(); }), 0);
}

// A gel on a mount carries an affine block, beside a gel that stands on the floor, with friction.
Scene gels(Element element, int threads, double damping) {
  Scene s = test::free_block(5e-3, -9.81);
  s.newton = {};
  s.sim.threads = threads;
  Pad pad;
  s.soft = {test::block({{4, 4, 3}}, &pad)};
  s.soft[0].glue = {{"mount", pad.base_vertices}};
  s.soft.push_back(test::block({{3, 3, 2}}));
  s.soft[1].name = "free";
  s.soft[1].pose.p = {{0.05, 0, -1e-3 + 1e-5}};
  for (SoftBody& b : s.soft) {
    b.element = element;
    b.friction.sticking = 0.6;
    b.material.stiffness_damping = damping;
  }
  s.prescribed = {test::mount("mount")};
  AffineBody block;
  block.name = "block";
  block.surface = box({{2e-3, 2e-3, 1e-3}});
  block.pose.p = {{0, 0, test::kBlock[2] + 1e-3 + 1.5e-5}};
  block.friction.sticking = 0.6;
  s.affine = {block};
  s.half_spaces.push_back({"floor", {0.5}, "", {{0, 0, 1}}, -1e-3});
  return s;
}

TEST(StepMemory, NorDoesOneOfGelsAndAffineBodies) {
  for (const Element element : {Element::kLinear, Element::kComposite})
    for (const int threads : {1, 2})
      for (const double damping : {0.0, 5e-3}) {
        Sim sim(gels(element, threads, damping));
        for (int k = 0; k < 300; ++k) ASSERT_EQ(sim.step().status(), 0u);
        ASSERT_GT(sim.contacts().size(), 20u);
        const auto step = [&] { sim.step(); };
        EXPECT_EQ(threads == 1 ? allocating_steps(step) : fewest_allocating_steps(step), 0)
            << "element " << static_cast<int>(element) << ", " << threads << " threads, damping "
            << damping;
      }
}

TEST(StepMemory, NorDoesOneOfManyEnvironmentsOfThem) {
  Batch batch(gels(Element::kLinear, 2, 5e-3), 6);
  for (int k = 0; k < 300; ++k) batch.step();
  EXPECT_EQ(fewest_allocating_steps([&] { batch.step(); }), 0);
}

TEST(StepMemory, NorDoesOneOfSoftBodiesInFrozenContact) {
  Scene s = test::free_block(5e-3, -9.81);
  s.newton = {};
  s.soft = {test::block({{3, 3, 2}})};
  s.soft[0].contact = static_cast<int>(SoftContact::kFrozen);
  s.soft[0].material.stiffness_damping = 0.01;
  s.half_spaces.push_back({"floor", {}, "", {{0, 0, 1}}, 0});
  s.robots.push_back(test::rigid_ball("ball", 0.05, 0.3, {{2, 0, 0.05}}));
  Sim sim(s);
  for (int k = 0; k < 300; ++k) ASSERT_EQ(sim.step().status(), 0u);
  ASSERT_GT(sim.contacts().size(), 4u);
  EXPECT_EQ(allocating_steps([&] { sim.step(); }), 0);
}

TEST(StepMemory, NorDoesAStepOfABatch) {
  Batch batch(busy(), 4);
  for (int k = 0; k < 300; ++k) batch.step();
  EXPECT_EQ(allocating_steps([&] { batch.step(); }), 0);
}

}  // namespace
}  // namespace haptos
