// Robots and rigid bodies as entries of a scene: motors, wrenches, contact, state.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/error.h"
#include "haptos/files/urdf/urdf.h"
#include "haptos/sim/sim.h"
#include "tests/outside_data.h"

namespace haptos {
namespace {

RobotLink link(const std::string& name, double mass, const Vec3d& half) {
  RobotLink l;
  l.name = name;
  l.mass = mass;
  for (int k = 0; k < 3; ++k)
    l.inertia(k, k) =
        mass / 3 * (half[(k + 1) % 3] * half[(k + 1) % 3] + half[(k + 2) % 3] * half[(k + 2) % 3]);
  RobotShape s;
  s.name = name;
  s.shape.kind = ShapeKind::kBox;
  s.shape.size = half;
  l.collisions.push_back(s);
  return l;
}

RobotJoint joint(const std::string& name, JointKind kind, int parent, int child) {
  RobotJoint j;
  j.name = name;
  j.kind = kind;
  j.parent = parent;
  j.child = child;
  j.axis = {{0, 1, 0}};
  return j;
}

// A rigid box, free or fixed.
RobotBody box(const std::string& name, double mass, const Vec3d& half, const Vec3d& at,
              JointKind kind = JointKind::kFree) {
  RobotBody b;
  b.name = name;
  b.robot.name = name;
  b.robot.links.push_back(link("box", mass, half));
  b.robot.joints.push_back(joint("base", kind, -1, 0));
  b.pose.p = at;
  return b;
}

// A bar of one metre that hangs from the world by a hinge about y, with a motor.
constexpr double kMass = 2, kLength = 1, kInertia = kMass * kLength * kLength / 3;
RobotBody arm(const RobotMotor& motor) {
  RobotBody b;
  b.name = b.robot.name = "arm";
  RobotLink l;
  l.name = "bar";
  l.mass = kMass;
  l.centre = {{0, 0, -0.5 * kLength}};
  l.inertia(0, 0) = l.inertia(1, 1) = kMass * kLength * kLength / 12;
  l.inertia(2, 2) = 1e-4;
  b.robot.links.push_back(l);
  b.robot.joints.push_back(joint("hinge", JointKind::kRevolute, -1, 0));
  b.robot.motors.push_back(motor);
  b.robot.motors.back().joint = "hinge";
  return b;
}

Scene scene(double dt) {
  Scene s;
  s.sim.dt = dt;
  s.newton.force_tolerance = 1e-10;
  return s;
}

void add_floor(Scene& s) { s.half_spaces.push_back({"floor", {}, "", {{0, 0, 1}}, 0}); }

TEST(RobotsInScenes, ABoxFallsOntoTheFloorAndItsContactsCarryItsWeight) {
  Scene s = scene(2e-3);
  add_floor(s);
  s.robots.push_back(box("block", 1.5, {{0.1, 0.05, 0.02}}, {{0.3, 0, 0.05}}));
  Sim sim(s);
  RobotView block = sim.robot("block");
  // A free base counts from the world.
  EXPECT_NEAR(block.position()[0], 0.3, 1e-15);
  EXPECT_NEAR(block.position()[2], 0.05, 1e-15);
  std::uint32_t status = 0;
  for (int k = 0; k < 1000; ++k) status |= sim.step().status();
  EXPECT_EQ(status, 0u);
  Vec3d force = Vec3d::zero();
  for (const ContactPoint& c : sim.contacts()) {
    EXPECT_EQ(sim.body_name(c.body_a == sim.body_id("floor") ? c.body_b : c.body_a), "block");
    force += c.body_a == sim.body_id("block") ? c.force : c.force * -1.0;
  }
  EXPECT_NEAR(force[2], 1.5 * 9.81, 1e-6 * 1.5 * 9.81);
  const Wrench w = sim.contact_wrench("block", block.link_pose(0).p);
  EXPECT_NEAR(w.force[2], 1.5 * 9.81, 1e-6 * 1.5 * 9.81);
  EXPECT_LT(norm(w.torque), 1e-6);
  EXPECT_NEAR(block.link_pose(0).p[2], 0.02 - s.point_contact.sag, 1e-8);  // its spring
}

TEST(RobotsInScenes, APairSetsTheFrictionOfTwoBodies) {
  // Two boxes slide side by side on a slope of tan 0.3; their own friction would hold both.
  const double slope = std::atan(0.3);
  Scene s = scene(2e-3);
  s.sim.gravity_x = 9.81 * std::sin(slope);
  s.sim.gravity_z = -9.81 * std::cos(slope);
  add_floor(s);
  s.robots.push_back(box("holds", 1, {{0.05, 0.05, 0.02}}, {{0, 0, 0.02}}));
  s.robots.push_back(box("slides", 1, {{0.05, 0.05, 0.02}}, {{0, 0.3, 0.02}}));
  for (RobotBody& b : s.robots) b.friction = 0.5;
  s.pairs = {{"slides", "floor"}};
  s.pairs[0].friction = {0.2, 0.1};
  Sim sim(s);
  for (int k = 0; k < 250; ++k) ASSERT_EQ(sim.step().status(), 0u);
  const double a = 9.81 * (std::sin(slope) - 0.1 * std::cos(slope));
  EXPECT_NEAR(sim.robot("slides").velocity()[0], 0.5 * a, 0.01 * a);
  EXPECT_LT(std::abs(sim.robot("holds").velocity()[0]), 1e-3);
}

TEST(RobotsInScenes, AFixedRobotIsATableThatOtherRobotsStandOn) {
  Scene s = scene(2e-3);
  s.robots.push_back(box("table", 0, {{0.5, 0.5, 0.05}}, {{0, 0, 1}}, JointKind::kFixed));
  s.robots.push_back(box("cup", 0.2, {{0.03, 0.03, 0.05}}, {{0.1, 0.2, 1.1001}}));
  Sim sim(s);
  EXPECT_EQ(sim.robot("table").tree().v_count, 0);
  EXPECT_TRUE(sim.robot("table").position().empty());
  EXPECT_NEAR(sim.robot("table").link_pose(0).p[2], 1, 1e-15);
  for (int k = 0; k < 500; ++k) EXPECT_EQ(sim.step().status(), 0u);
  EXPECT_NEAR(sim.robot("cup").link_pose(0).p[2], 1.1, 1e-4);
  EXPECT_NEAR(sim.contact_wrench("cup").force[2], 0.2 * 9.81, 1e-6);
  EXPECT_NEAR(sim.contact_wrench("table").force[2], -0.2 * 9.81, 1e-6);
}

TEST(RobotsInScenes, AMotorWithAnIntegralLeavesNoErrorUnderGravity) {
  for (const double ki : {0.0, 400.0}) {
    Scene s = scene(1e-3);
    RobotMotor m;
    m.kp = 100;
    m.kd = 20;
    m.ki = ki;
    s.robots.push_back(arm(m));
    Sim sim(s);
    RobotView a = sim.robot("arm");
    a.set_command(0, {0.5, 0, 0});
    for (int k = 0; k < 6000; ++k) EXPECT_EQ(sim.step().status(), 0u);
    // At rest the motor carries m g l/2 sin q.
    const double q = a.position()[0], load = kMass * 9.81 * 0.5 * kLength * std::sin(q);
    EXPECT_NEAR(a.effort(0), load, 1e-4 * load) << ki;
    EXPECT_NEAR(q, ki > 0 ? 0.5 : 0.5 - load / 100, 1e-4) << ki;
    if (ki > 0) {
      EXPECT_NEAR(ki * a.integral(0), load, 1e-3 * load);
    }
  }
}

// Without gravity I q'' = -kp (q - r) - ki int (q - r) - kd q': three poles.
TEST(RobotsInScenes, AStepOfAPidMotorFollowsItsClosedFormToFirstOrder) {
  // Poles at -2, -5, -8 per second.
  const double kd = kInertia * 15, kp = kInertia * 66, ki = kInertia * 80;
  const double p[3] = {-2, -5, -8}, r = 0.3;
  const auto exact = [&](double t) {
    // e = q - r with e(0) = -r, e' = 0, e'' = -(kp e(0)) / I, so that the integral starts at zero.
    const double e0 = -r, e1 = 0, e2 = -kp / kInertia * e0;
    double e = 0;
    for (int i = 0; i < 3; ++i) {
      const double a = p[(i + 1) % 3], b = p[(i + 2) % 3];
      e += (e2 - (a + b) * e1 + a * b * e0) / ((p[i] - a) * (p[i] - b)) * std::exp(p[i] * t);
    }
    return r + e;
  };
  double last = 0;
  for (const double h : {4e-3, 2e-3, 1e-3}) {
    Scene s = scene(h);
    s.sim.gravity_z = 0;
    RobotMotor m;
    m.kp = kp, m.kd = kd, m.ki = ki;
    s.robots.push_back(arm(m));
    Sim sim(s);
    sim.robot("arm").set_command(0, {r, 0, 0});
    double worst = 0;
    while (sim.state().time < 2 - 0.5 * h) {
      sim.step();
      worst = std::max(worst, std::abs(sim.robot("arm").position()[0] - exact(sim.state().time)));
    }
    std::printf("FIGURE robots.pid.error_%.0fms = %.2e rad\n", 1e3 * h, worst);
    if (last > 0) {
      EXPECT_NEAR(last / worst, 2, 0.15);
    }
    last = worst;
  }
  EXPECT_LT(last, 1e-3);
}

TEST(RobotsInScenes, TheIntegralStaysWithinItsBoundAndTheEffortToo) {
  Scene s = scene(1e-3);
  RobotMotor m;
  m.kp = 10, m.kd = 5, m.ki = 100, m.integral_limit = 2, m.effort = 4;
  s.robots.push_back(arm(m));
  Sim sim(s);
  RobotView a = sim.robot("arm");
  a.set_command(0, {1.5, 0, 0});
  for (int k = 0; k < 3000; ++k) {
    sim.step();
    ASSERT_LE(std::abs(100 * a.integral(0)), 2 * (1 + 1e-12));
    ASSERT_LE(std::abs(a.effort(0)), 4 * (1 + 1e-9));
  }
  EXPECT_NEAR(100 * a.integral(0), 2, 1e-12);
}

TEST(RobotsInScenes, WrenchesAndTorquesAccelerateAsNewtonSays) {
  Scene s = scene(1e-3);
  s.sim.gravity_z = 0;
  s.robots.push_back(box("block", 1.5, {{0.1, 0.05, 0.02}}, {{0, 0, 1}}));
  s.robots.push_back(arm({}));
  Sim sim(s);
  sim.robot("block").set_wrench(0, {{3, 0, 0}}, {{0, 0, 0.01}});
  sim.robot("arm").set_torque({0.2});
  sim.step();
  const Vec6d v = sim.robot("block").link_velocity(0);
  EXPECT_NEAR(v[0], 3 / 1.5 * 1e-3, 1e-14);
  EXPECT_NEAR(v[5], 0.01 / (0.5 * (0.01 + 0.0025)) * 1e-3, 1e-14);
  EXPECT_NEAR(sim.robot("block").acceleration()[0], 2, 1e-10);
  EXPECT_NEAR(sim.robot("arm").velocity()[0], 0.2 / kInertia * 1e-3, 1e-14);
  // It goes on until it is changed, and a reset takes it back.
  for (int k = 1; k < 100; ++k) sim.step();
  EXPECT_NEAR(sim.robot("block").velocity()[0], 0.2, 1e-10);
  sim.reset();
  sim.step();
  EXPECT_EQ(sim.robot("block").velocity()[0], 0);
}

TEST(RobotsInScenes, AControllerSeesTheSimBeforeEveryStep) {
  Scene s = scene(1e-3);
  s.robots.push_back(arm({"", "", 200, 20}));
  Sim sim(s);
  int calls = 0;
  sim.controller = [&](Sim& now) {
    ++calls;
    RobotView a = now.robot("arm");
    // Gravity compensation and a spring to 0.4 rad of its own.
    const double q = a.position()[0], v = a.velocity()[0];
    a.set_command(0, {q, v, kMass * 9.81 * 0.5 * std::sin(q) - 40 * (q - 0.4) - 10 * v});
  };
  for (int k = 0; k < 3000; ++k) sim.step();
  EXPECT_EQ(calls, 3000);
  EXPECT_NEAR(sim.robot("arm").position()[0], 0.4, 1e-6);
}

// Motors with integrals, contact, a wrench: everything that a state must hold.
Scene busy_scene() {
  Scene s = scene(2e-3);
  s.newton.force_tolerance = 1e-8;
  add_floor(s);
  RobotMotor m;
  m.kp = 100, m.kd = 10, m.ki = 50;
  s.robots.push_back(arm(m));
  s.robots.back().pose.p = {{0, 0, 1.2}};
  s.robots.push_back(box("a", 1, {{0.1, 0.1, 0.1}}, {{2, 0, 0.1}}));
  s.robots.push_back(box("b", 0.5, {{0.05, 0.05, 0.05}}, {{2.03, 0.02, 0.26}}));
  return s;
}

TEST(RobotsInScenes, SaveLoadAndResetLeaveNoTrace) {
  const std::string path = testing::TempDir() + "robots.state";
  Sim first(busy_scene());
  const auto command = [](Sim& s) {
    s.robot("arm").set_command(0, {0.8, 0, 1});
    s.robot("b").set_wrench(0, {{0.5, 0, 0}}, {{0, 0, 0}});
  };
  command(first);
  for (int k = 0; k < 60; ++k) first.step();
  first.save(path);
  for (int k = 0; k < 60; ++k) first.step();
  const std::uint64_t end = first.state().hash();

  Sim second(busy_scene());
  second.load(path);
  for (int k = 0; k < 60; ++k) second.step();
  EXPECT_EQ(second.state().hash(), end);

  first.reset();
  EXPECT_EQ(first.state().hash(), Sim(busy_scene()).state().hash());
  command(first);
  for (int k = 0; k < 120; ++k) first.step();
  EXPECT_EQ(first.state().hash(), end);
  std::remove(path.c_str());
}

TEST(RobotsInScenes, TheOrderOfTheEntriesDoesNotMatter) {
  Scene s = busy_scene(), r = busy_scene();
  std::swap(r.robots[0], r.robots[2]);
  Sim a(s), b(r);
  for (int k = 0; k < 150; ++k) a.step(), b.step();
  for (const char* name : {"arm", "a", "b"}) {
    const auto x = a.robot(name).position(), y = b.robot(name).position();
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-10) << name;
  }
}

TEST(RobotsInScenes, PairsAndLayersSwitchContactOff) {
  Scene s = scene(2e-3);
  add_floor(s);
  s.robots.push_back(box("ghost", 1, {{0.1, 0.1, 0.1}}, {{0, 0, 0.1}}));
  s.pairs.push_back({"ghost", "floor", false});
  Sim sim(s);
  for (int k = 0; k < 50; ++k) sim.step();
  EXPECT_NEAR(sim.robot("ghost").velocity()[2], -9.81 * 0.1, 1e-10);
  EXPECT_TRUE(sim.contacts().empty());
}

std::string sentence(const Scene& s) {
  try {
    Sim sim(s);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(RobotsInScenes, BadRobotsAreRefusedWithASentence) {
  const auto expect = [](const Scene& s, const std::string& part) {
    EXPECT_NE(sentence(s).find(part), std::string::npos) << sentence(s);
  };
  Scene s = scene(1e-3);
  RobotBody bad = arm({});
  bad.robot.motors[0].joint = "hinje";
  s.robots = {bad};
  expect(s, "robot \"arm\", motor \"hinje\"");
  bad = arm({});
  bad.robot.motors[0].kp = -1;
  s.robots = {bad};
  expect(s, "kp");
  bad = arm({});
  bad.robot.links[0].mass = bad.robot.links[0].inertia(1, 1) = 0;
  s.robots = {bad};
  EXPECT_NE(sentence(s), "");
  bad = arm({});
  bad.position = {1, 2};
  s.robots = {bad};
  expect(s, "arm");
  s.robots = {arm({}), arm({})};
  expect(s, "has the name of");
  s.robots = {arm({})};
  s.robots[0].stiffness = -1;
  expect(s, "stiffness");
  s.robots = {arm({})};
  Sim sim(s);
  EXPECT_THROW(sim.robot("amr"), InputError);
  RobotView a = sim.robot("arm");
  EXPECT_THROW(a.set_command(0, {NAN, 0, 0}), InputError);
  EXPECT_THROW(a.set_torque({1, 2}), InputError);
  EXPECT_THROW(a.set_state({0}, {}), InputError);
  EXPECT_THROW(a.link("bra"), InputError);
}

TEST(RobotsInScenes, LinksThatOverlapAtTheStartAreNamedAndLetThrough) {
  // Three boxes on two slides: the first and the last overlap.
  RobotBody r;
  r.name = r.robot.name = "stack";
  for (int k = 0; k < 3; ++k) {
    r.robot.links.push_back(link("l" + std::to_string(k), 1, {{0.1, 0.1, 0.1}}));
    r.robot.joints.push_back(
        joint("j" + std::to_string(k), k ? JointKind::kPrismatic : JointKind::kFixed, k - 1, k));
    r.robot.joints.back().frame.p = {{0, k ? 0.15 : 0, 0}};
    r.robot.joints.back().axis = {{0, 0, 1}};
  }
  r.robot.joints[2].frame.p = {{0, -0.12, 0}};  // 0.03 from the first
  Scene s = scene(1e-3);
  s.robots = {r};
  Sim sim(s);
  ASSERT_EQ(sim.model()->robots[0].warnings.size(), 1u);
  EXPECT_NE(sim.model()->robots[0].warnings[0].find("\"l0\" and \"l2\" overlap"),
            std::string::npos);
  for (int k = 0; k < 100; ++k) sim.step();
  EXPECT_NEAR(sim.robot("stack").velocity()[1], 0, 1e-9);
  EXPECT_NEAR(sim.robot("stack").velocity()[0], -0.981, 1e-9);
}

TEST(RobotsInScenes, TheQuadrupedOfTheSharedDataStandsInAScene) {
  HAPTOS_OUTSIDE_FILE(path, "robots/go2_description/urdf/go2.urdf");
  UrdfOptions options;
  options.base = RobotBase::kFloating;
  options.read_visuals = false;
  RobotBody go2;
  go2.name = "go2";
  go2.robot = read_urdf(path, options);
  go2.pose.p = {{0, 0, 0.36}};
  go2.friction = 0.8;
  go2.relaxation_time = 0.02;
  double mass = 0;
  for (const RobotLink& l : go2.robot.links) mass += l.mass;
  for (RobotJoint& j : go2.robot.joints) {
    if (j.kind != JointKind::kRevolute) continue;
    if (j.name.find("thigh") != std::string::npos) j.position = {0.8};
    if (j.name.find("calf") != std::string::npos) j.position = {-1.5};
    RobotMotor m;
    m.joint = j.name;
    m.kp = 200, m.kd = 5, m.effort = j.effort;
    go2.robot.motors.push_back(m);
  }
  Scene s = scene(2e-3);
  s.newton.force_tolerance = 1e-9;
  add_floor(s);
  s.half_spaces[0].friction = {1, 1};
  s.robots.push_back(go2);
  Sim sim(s);
  for (const std::string& w : sim.model()->robots[0].warnings) std::printf("%s\n", w.c_str());
  int iterations = 0;
  for (int k = 0; k < 1500; ++k) {
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u) << k;
    iterations += r.newton.iterations;
  }
  RobotView robot = sim.robot("go2");
  double foot = 0;
  for (const char* name : {"FL_foot", "FR_foot", "RL_foot", "RR_foot"})
    foot += sim.contact_wrench(std::string("go2/") + name).force[2];
  EXPECT_NEAR(foot, mass * 9.81, 1e-6 * mass * 9.81);
  EXPECT_GT(robot.position()[2], 0.25);
  for (const double v : robot.velocity()) EXPECT_LT(std::abs(v), 1e-3);
  std::printf("FIGURE robots.go2.iterations_per_step = %.2f\n", iterations / 1500.0);
}

}  // namespace
}  // namespace haptos
