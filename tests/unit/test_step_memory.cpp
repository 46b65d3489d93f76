// A step of robots and rigid bodies allocates nothing once it has run for a while.
#include <gtest/gtest.h>

#include "haptos/scene/rigid.h"
#include "haptos/sim/batch/batch.h"
#include "tests/robots.h"
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

TEST(StepMemory, AStepOfRobotsAllocatesNothing) {
  Sim sim(busy());
  sim.robot("arm").set_command(0, {0.5, 0, 0});
  for (int k = 0; k < 300; ++k) ASSERT_EQ(sim.step().status(), 0u);
  EXPECT_EQ(allocating_steps([&] { sim.step(); }), 0);
}

TEST(StepMemory, NorDoesAStepOfABatch) {
  Batch batch(busy(), 4);
  for (int k = 0; k < 300; ++k) batch.step();
  EXPECT_EQ(allocating_steps([&] { batch.step(); }), 0);
}

}  // namespace
}  // namespace haptos
