// Undamped articulations gained energy without bound: five hinges at 10 ms fifteen times what they
// had, then rates of 1e22 rad/s in steps reported as ok. Their free motion cannot gain any now.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/bodies/joints/joint_terms.h"
#include "haptos/sim/sim.h"
#include "tests/robots.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

constexpr double kG = 9.81, kMass = 0.1, kLength = 0.1;

// Hinges about y, links that hang; the first at 1.2 rad.
Robot chain(int links, JointKind base = JointKind::kRevolute) {
  Robot robot;
  for (int i = 0; i < links; ++i) {
    RobotJoint& j = test::add_link(robot, i - 1, i == 0 ? base : JointKind::kRevolute,
                                   test::make_link(kMass, {{0, 0, -0.5 * kLength}},
                                                   {{8.6e-5, 0, 0, 0, 8.6e-5, 0, 0, 0, 5e-6}}));
    robot.links.back().name = "link" + std::to_string(i);
    j.axis = {{0, 1, 0}};
    if (i > 0) j.frame.p = {{0, 0, -kLength}};
    if (i == 0 && base == JointKind::kRevolute) j.position = {1.2};
  }
  return robot;
}

// Of the weight of a chain that hangs.
double lowest(int links) { return -0.5 * kMass * kG * kLength * links * links; }

struct Swing {
  double start = 0, highest = 0, end = 0;
  std::uint32_t status = 0;
};

Swing swing(FrozenScene& scene, const Articulation* a, double zero, double seconds) {
  const auto energy = [&] {
    const MechanicalEnergy e = a->energy(scene.state.q.data(), scene.state.z.data(), scene.gravity);
    return e.kinetic + e.potential - zero;
  };
  Swing s;
  s.start = s.highest = energy();
  for (long k = std::lround(seconds / scene.h); k > 0; --k) {
    scene.step();
    s.highest = std::max(s.highest, energy());
  }
  s.end = energy();
  s.status = scene.status;
  return s;
}

Swing swing_chain(int links, double h, double seconds, double damping = 0) {
  const ArticulationSpec spec = test::articulation_of(chain(links));
  FrozenScene scene;
  scene.h = h;
  const Articulation* a = scene.add(std::make_unique<Articulation>(scene.next_slots(), spec));
  for (int k = 0; k < links && damping > 0; ++k)
    scene.add_term(std::make_unique<JointDamping>(a, k, damping));
  scene.start();
  const Swing s = swing(scene, a, lowest(links), seconds);
  printf("%d hinges, h %g s, damping %g: energy %.3e above the start at most, %.6f of it at %g s\n",
         links, h, damping, s.highest / s.start - 1, s.end / s.start, seconds);
  return s;
}

class Chains : public testing::TestWithParam<int> {};
TEST_P(Chains, WithoutDampingNeverHaveMoreEnergyThanAtTheStart) {
  for (const double h : {2e-3, 1e-2}) {
    // Five thousand roundings of the sum of some hundred energies.
    const Swing s = swing_chain(GetParam(), h, 10);
    EXPECT_LE(s.highest, s.start * (1 + 1e-9)) << h;
    EXPECT_TRUE(std::isfinite(s.end));
    EXPECT_EQ(s.status, 0u);
  }
}
INSTANTIATE_TEST_SUITE_P(Of, Chains, testing::Values(5, 20, 64, 200));

TEST(EnergyOfTrees, FiveHingesAtTwoMillisecondsLoseLessThanATwentiethInTenSeconds) {
  const Swing s = swing_chain(5, 2e-3, 10);
  EXPECT_GT(s.end, 0.95 * s.start);
}

TEST(EnergyOfTrees, DampingOnlyTakesEnergyAway) {
  const Swing s = swing_chain(5, 5e-3, 10, 0.01);
  EXPECT_LE(s.highest, s.start * (1 + 1e-9));
  EXPECT_LT(s.end, s.start);
}

// In free space, with rates of some 5 rad/s against each other. Where a step folds the chain into
// less inertia than its angular momentum leaves room for, it turns slower than that asks: 64 links
// had 700 times their energy for some steps.
TEST(EnergyOfTrees, AChainThatFloatsDoesNotGain) {
  struct Case {
    int links;
    double h, rate, left;  // left: of the energy after 10 s, where the step resolves the motion
  };
  for (const auto& [links, h, rate, left] :
       {Case{20, 2e-3, 5, 0.999}, Case{20, 5e-3, 5, 0.99}, Case{20, 1e-2, 5, 0.5},
        Case{64, 5e-3, 5, 0.3}, Case{64, 2e-3, 10, 0.3}}) {
    std::vector<double> velocity(static_cast<std::size_t>(links + 5));
    for (std::size_t k = 0; k < velocity.size(); ++k)
      velocity[k] = k < 3 ? 0.3 : rate * std::sin(2.0 * static_cast<double>(k));
    const ArticulationSpec spec = test::articulation_of(chain(links, JointKind::kFree), velocity);
    FrozenScene scene;
    scene.h = h;
    scene.gravity = Vec3d::zero();
    const Articulation* a = scene.add(std::make_unique<Articulation>(scene.next_slots(), spec));
    scene.start();
    const Swing s = swing(scene, a, 0, 10);
    printf("%d links float, h %g s: energy %.3e above the start at most, %.6f of it after 10 s\n",
           links, h, s.highest / s.start - 1, s.end / s.start);
    EXPECT_LE(s.highest, s.start * (1 + 1e-9)) << links << " " << h;
    EXPECT_GE(s.end, left * s.start) << links << " " << h;
    EXPECT_EQ(s.status, 0u);
  }
}

// Errors at 1 s of the joint angles of three hinges from .6 rad, and of the pose of a fast top, by
// halving the step: each a quarter of the last.
double order(const std::function<std::vector<double>(double)>& end, double h) {
  const std::vector<double> a = end(h), b = end(0.5 * h), c = end(0.25 * h);
  double ab = 0, bc = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    ab = std::max(ab, std::abs(a[k] - b[k]));
    bc = std::max(bc, std::abs(b[k] - c[k]));
  }
  printf("changes by halving: %.3e, %.3e; order %.3f\n", ab, bc, std::log2(ab / bc));
  return std::log2(ab / bc);
}

TEST(EnergyOfTrees, ASmoothChainConvergesWithTheSecondOrderOfTheStep) {
  const auto end = [](double h) {
    Robot robot = chain(3);
    robot.joints[0].position = {0.6};
    FrozenScene scene;
    scene.h = h;
    scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
    scene.start();
    for (long k = std::lround(1 / h); k > 0; --k) scene.step();
    return scene.state.q;
  };
  EXPECT_NEAR(order(end, 2e-3), 2, 0.1);
}

TEST(EnergyOfTrees, AGyroscopeConvergesWithTheSecondOrderOfTheStep) {
  const auto end = [](double h) {
    Robot robot;
    RobotJoint& j = test::add_link(
        robot, -1, JointKind::kBall,
        test::make_link(0.5, {{0, 0, 0.04}}, {{3e-4, 0, 0, 0, 3e-4, 0, 0, 0, 4e-4}}));
    j.position = {std::cos(0.3), 0, std::sin(0.3), 0};
    const Vec3d axis{{std::sin(0.6), 0, std::cos(0.6)}};
    FrozenScene scene;
    scene.h = h;
    scene.add(std::make_unique<Articulation>(
        scene.next_slots(),
        test::articulation_of(robot, {60 * axis[0], 60 * axis[1], 60 * axis[2]})));
    scene.start();
    for (long k = std::lround(1 / h); k > 0; --k) scene.step();
    return scene.state.q;
  };
  // What the wobble of a fast top loses is of third order, and more than the rest at these steps.
  EXPECT_GT(order(end, 1e-3), 1.9);
}

TEST(EnergyOfTrees, AGyroscopeDoesNotGain) {
  Robot robot;
  test::add_link(robot, -1, JointKind::kBall,
                 test::make_link(0.5, {{0, 0, 0.04}}, {{3e-4, 0, 0, 0, 3e-4, 0, 0, 0, 4e-4}}))
      .position = {std::cos(0.3), 0, std::sin(0.3), 0};
  for (const double h : {1e-3, 2e-3}) {
    FrozenScene scene;
    scene.h = h;
    const Articulation* a = scene.add(std::make_unique<Articulation>(
        scene.next_slots(),
        test::articulation_of(robot, {60 * std::sin(0.6), 0, 60 * std::cos(0.6)})));
    scene.start();
    const Swing s = swing(scene, a, -0.5 * kG * 0.04, 10);
    printf("gyroscope, h %g s: energy %.3e above the start at most, %.6f of it after 10 s\n", h,
           s.highest / s.start - 1, s.end / s.start);
    EXPECT_LE(s.highest, 1.001 * s.start);
  }
}

// Rates that no robot has are reported, and the state stays where it was.
TEST(EnergyOfTrees, ASpeedThatRunsAwayIsReportedAndTheStateIsLeftAlone) {
  Scene scene;
  scene.sim.dt = 2e-3;
  RobotBody body;
  body.name = body.robot.name = "chain";
  body.robot = chain(3);
  scene.robots.push_back(body);
  Sim sim(scene);
  RobotView robot = sim.robot("chain");
  robot.set_state({1.2, 0, 0}, {1e22, 0, 0});
  const StepReport r = sim.step();
  EXPECT_TRUE(r.status() & kRunaway) << describe_status(r.status());
  EXPECT_EQ(sim.robot("chain").position()[0], 1.2);
  sim.robot("chain").set_state({1.2, 0, 0}, {0, 0, 0});
  EXPECT_EQ(sim.step().status(), 0u);
}

}  // namespace
}  // namespace haptos
