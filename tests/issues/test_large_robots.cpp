// Robots of more than 64 unknowns were refused where a scene was compiled.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/error.h"
#include "haptos/sim/sim.h"
#include "tests/robots.h"

namespace haptos {
namespace {

constexpr double kG = 9.81, kMass = 0.02, kLength = 0.06, kRadius = 0.01;

// Balls of .02 kg on hinges whose axes take turns, on a free base.
RobotBody necklace(int links) {
  RobotBody body;
  body.name = body.robot.name = "necklace";
  for (int i = 0; i < links; ++i) {
    const double inertia = 0.4 * kMass * kRadius * kRadius;
    RobotJoint& j = test::add_link(
        body.robot, i - 1, i == 0 ? JointKind::kFree : JointKind::kRevolute,
        test::make_link(kMass, {{0, 0, 0}}, {{inertia, 0, 0, 0, inertia, 0, 0, 0, inertia}}));
    body.robot.links.back().name = "ball" + std::to_string(i);
    RobotShape s;
    s.name = "ball";
    s.shape.kind = ShapeKind::kSphere;
    s.shape.size[0] = kRadius;
    body.robot.links.back().collisions.push_back(s);
    j.axis = i % 2 ? Vec3d{{0, 1, 0}} : Vec3d{{0, 0, 1}};
    j.damping = 1e-4;
    if (i > 0) j.frame.p = {{kLength, 0, 0}};
  }
  body.self_contact = false;
  body.pose.p = {{0, 0, kRadius + 0.02}};
  return body;
}

TEST(LargeRobots, ANecklaceOfAHundredBallsFallsOnTheGroundWhichCarriesItsWeight) {
  const int links = 100;
  Scene scene;
  scene.sim.dt = 4e-3;
  HalfSpace ground;
  ground.name = "ground";
  scene.half_spaces.push_back(ground);
  scene.robots.push_back(necklace(links));
  Sim sim(scene);
  std::uint32_t status = 0;
  for (int k = 0; k < 250; ++k) status |= sim.step().status();
  EXPECT_EQ(status, 0u);
  double carried = 0;
  for (const ContactPoint& c : sim.contacts()) carried += std::abs(c.force[2]);
  // What it still moves by: rates of a mm/s in a step of 4 ms.
  EXPECT_NEAR(carried, links * kMass * kG, 0.05 * links * kMass * kG);
  for (const Pose& p : sim.robot("necklace").link_poses()) {
    EXPECT_GT(p.p[2], 0.9 * kRadius);
    EXPECT_LT(p.p[2], 1.2 * kRadius);
  }
  printf("%d unknowns: %zu contacts carry %.4f of the weight\n", links + 5, sim.contacts().size(),
         carried / (links * kMass * kG));
}

// One robot of 8 x 12 pendulums has 96 unknowns, and moves as each of them does alone.
TEST(LargeRobots, ManyBranchesOfOneRobotMoveAsEachOfThemAlone) {
  const auto add_branch = [](Robot& robot, double start) {
    int parent = -1;
    for (int i = 0; i < 12; ++i) {
      RobotJoint& j = test::add_link(
          robot, parent, JointKind::kRevolute,
          test::make_link(0.1, {{0, 0, -0.05}}, {{1e-4, 0, 0, 0, 1e-4, 0, 0, 0, 1e-5}}));
      robot.links.back().name = "link" + std::to_string(robot.links.size());
      j.axis = {{0, 1, 0}};
      if (i > 0) j.frame.p = {{0, 0, -0.1}};
      if (i == 0) j.position = {start};
      j.damping = 1e-3;
      parent = static_cast<int>(robot.links.size()) - 1;
    }
  };
  const auto run = [](const Robot& robot) {
    Scene scene;
    scene.sim.dt = 2e-3;
    scene.newton.force_tolerance = 1e-12;
    RobotBody body;
    body.name = "pendulums";
    body.robot = robot;
    scene.robots.push_back(body);
    Sim sim(scene);
    for (int k = 0; k < 100; ++k) EXPECT_EQ(sim.step().status(), 0u);
    return sim.robot("pendulums").position();
  };
  Robot all;
  all.name = "all";
  for (int b = 0; b < 8; ++b) add_branch(all, 0.2 + 0.1 * b);
  const std::vector<double> together = run(all);
  ASSERT_EQ(together.size(), 96u);
  for (int b = 0; b < 8; ++b) {
    Robot one;
    one.name = "one";
    add_branch(one, 0.2 + 0.1 * b);
    const std::vector<double> alone = run(one);
    for (std::size_t k = 0; k < 12; ++k)
      EXPECT_NEAR(together[static_cast<std::size_t>(12 * b) + k], alone[k], 1e-8) << b << " " << k;
  }
}

TEST(LargeRobots, BeyondWhatOneBlockHoldsTheyAreRefusedWithARemedy) {
  RobotBody body = necklace(4100);
  try {
    Articulation a(BodySlots{0, 0, 0, 0, 0, 0}, test::articulation_of(body.robot));
    FAIL() << "taken";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("1 to 4096 unknowns"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("cut it into several robots"), std::string::npos)
        << e.what();
  }
}

}  // namespace
}  // namespace haptos
