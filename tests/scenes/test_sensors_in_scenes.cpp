// Sensors of robots read from a Sim: what reaches them, delays, noise, state.
#include <gtest/gtest.h>

#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/sim/batch/batch.h"
#include "haptos/sim/player.h"
#include "haptos/sim/sim.h"

namespace haptos {
namespace {

constexpr double kG = 9.81;

RobotLink link(const std::string& name, double mass, const Vec3d& centre) {
  RobotLink l;
  l.name = name;
  l.mass = mass;
  l.centre = centre;
  l.inertia = 0.02 * mass * Mat3d::identity();
  return l;
}

RobotJoint joint(const std::string& name, JointKind kind, int parent, int child,
                 const Vec3d& at = {{0, 0, 0}}) {
  RobotJoint j;
  j.name = name;
  j.kind = kind;
  j.parent = parent;
  j.child = child;
  j.frame.p = at;
  j.axis = {{0, 1, 0}};
  return j;
}

Sensor sensor(const std::string& name, SensorKind kind, const std::string& target) {
  Sensor s;
  s.name = name;
  s.kind = kind;
  s.target = target;
  return s;
}

// An arm of two hinges about y with a tool on a fixed joint, and motors that hold it.
RobotBody arm() {
  RobotBody b;
  b.name = b.robot.name = "arm";
  b.robot.links = {link("upper", 2, {{0.2, 0, 0}}), link("lower", 1, {{0.15, 0, 0}}),
                   link("tool", 0.5, {{0.05, 0.02, 0}})};
  b.robot.joints = {joint("shoulder", JointKind::kRevolute, -1, 0),
                    joint("elbow", JointKind::kRevolute, 0, 1, {{0.4, 0, 0}}),
                    joint("wrist", JointKind::kFixed, 1, 2, {{0.3, 0, 0}})};
  for (const char* name : {"shoulder", "elbow"}) {
    RobotMotor m;
    m.joint = name;
    m.kp = 1000;
    m.kd = 100;
    b.robot.motors.push_back(m);
  }
  b.pose.p = {{0, 0, 1}};
  return b;
}

// A box of 1.5 kg on the floor.
RobotBody block() {
  RobotBody b;
  b.name = b.robot.name = "block";
  b.robot.links = {link("box", 1.5, {{0, 0, 0}})};
  RobotShape s;
  s.shape.kind = ShapeKind::kBox;
  s.shape.size = {{0.1, 0.1, 0.05}};
  b.robot.links[0].collisions.push_back(s);
  b.robot.joints = {joint("base", JointKind::kFree, -1, 0)};
  b.pose.p = {{1, 0, 0.05}};
  return b;
}

Scene scene(std::vector<RobotBody> robots) {
  Scene s;
  s.sim.dt = 2e-3;
  s.newton.force_tolerance = 1e-10;
  s.half_spaces.push_back({"floor", {}, "", {{0, 0, 1}}, 0});
  s.robots = std::move(robots);
  return s;
}

std::vector<double> read(Sim& sim, const std::string& robot, const std::string& name) {
  const RobotView r = sim.robot(robot);
  const auto x = r.read(r.sensor(name)).values;
  return {x.begin(), x.end()};
}
Vec3d three(const std::vector<double>& x, std::size_t first = 0) {
  return {{x[first], x[first + 1], x[first + 2]}};
}

TEST(SensorsInScenes, AtRestLoadsAreWeightsAndWhatIsHungOnALinkIsFelt) {
  RobotBody a = arm(), b = block();
  a.sensors = {sensor("wrist", SensorKind::kForceTorque, "wrist"),
               sensor("torque", SensorKind::kJointTorque, ""),
               sensor("effort", SensorKind::kMotorEffort, ""),
               sensor("imu", SensorKind::kImu, "tool")};
  b.sensors = {sensor("floor", SensorKind::kContact, "box"),
               sensor("imu", SensorKind::kImu, "box")};
  b.sensors[0].reference = "floor";
  Sim sim(scene({a, b}));
  // Before the first step joints count as still: the wrist already carries the tool.
  EXPECT_LT(norm(three(read(sim, "arm", "wrist")) - Vec3d{{0, 0, 0.5 * kG}}), 1e-12);
  std::uint32_t status = 0;
  for (int n = 0; n < 2000; ++n) status |= sim.step().status();
  for (const double hung : {0.0, 3.0}) {
    sim.robot("arm").set_wrench(2, {{0, 0, -hung}}, {{0, 0, 0}});
    for (int n = 0; n < 2000; ++n) status |= sim.step().status();
    ASSERT_EQ(status, 0u);
    const Pose tool = sim.robot("arm").link_pose(2);
    const Mat3d r = to_matrix(tool.q);
    const Vec3d load{{0, 0, 0.5 * kG + hung}};
    const std::vector<double> wrist = read(sim, "arm", "wrist");
    EXPECT_LT(norm(r * three(wrist) - load), 1e-6 * norm(load));
    EXPECT_LT(norm(r * three(wrist, 3) - cross(r * Vec3d{{0.05, 0.02, 0}}, load)), 1e-6);
    EXPECT_LT(norm(r * three(read(sim, "arm", "imu")) - Vec3d{{0, 0, kG}}), 1e-6 * kG);
    const std::vector<double> torque = read(sim, "arm", "torque"),
                              effort = read(sim, "arm", "effort");
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(torque[k], effort[k], 1e-8);
    EXPECT_LT(effort[0], -1);
  }
  EXPECT_LT(norm(three(read(sim, "block", "floor")) - Vec3d{{0, 0, 1.5 * kG}}), 1e-6 * 1.5 * kG);
  EXPECT_LT(norm(three(read(sim, "block", "imu")) - Vec3d{{0, 0, kG}}), 1e-6 * kG);
}

TEST(SensorsInScenes, AFixedJointOfARobotThatDoesNotMoveCarriesWhatStandsOnIt) {
  RobotBody table = block(), cup = block();
  table.name = "table";
  table.robot.joints[0].kind = JointKind::kFixed;
  table.sensors = {sensor("base", SensorKind::kForceTorque, "base")};
  cup.name = "cup";
  cup.pose.p = {{1.02, 0.03, 0.15}};
  Sim sim(scene({table, cup}));
  for (int n = 0; n < 1500; ++n) sim.step();
  const std::vector<double> x = read(sim, "table", "base");
  const Vec3d arm = sim.robot("cup").link_pose(0).p - sim.robot("table").link_pose(0).p;
  EXPECT_LT(norm(three(x) - Vec3d{{0, 0, 3 * kG}}), 1e-6 * 3 * kG);
  EXPECT_LT(norm(three(x, 3) - cross(arm, Vec3d{{0, 0, 1.5 * kG}})), 1e-5);
}

// A bar of 1 kg hangs from a hinge at its left end; at its right end, by way of a sleeve of 0.25 kg
// on a fixed joint, something closes a loop with the world.
TEST(SensorsInScenes, ForcesThatCloseLoopsArePartOfTheLoad) {
  for (const ClosureKind kind : {ClosureKind::kBall, ClosureKind::kWeld, ClosureKind::kDistance}) {
    RobotBody b;
    b.name = b.robot.name = "bar";
    b.robot.links = {link("bar", 1, {{0.5, 0, 0}}), link("sleeve", 0.25, {{0, 0, 0}})};
    b.robot.joints = {joint("hinge", JointKind::kRevolute, -1, 0),
                      joint("glue", JointKind::kFixed, 0, 1, {{1, 0, 0}})};
    LoopClosure c;
    c.kind = kind;
    c.a = 1;
    c.frame_b.p = {{1, 0, kind == ClosureKind::kDistance ? 0.3 : 0}};
    c.distance = 0.3;
    b.robot.closures.push_back(c);
    b.sensors = {sensor("hinge", SensorKind::kForceTorque, "hinge"),
                 sensor("glue", SensorKind::kForceTorque, "glue")};
    Scene s = scene({b});
    s.half_spaces.clear();
    Sim sim(s);
    for (int n = 0; n < 500; ++n) ASSERT_EQ(sim.step().status(), 0u);
    const std::vector<double> hinge = read(sim, "bar", "hinge"), glue = read(sim, "bar", "glue");
    // Forces on the bar, and moments about the hinge, which passes on none about its axis.
    EXPECT_NEAR(hinge[2] - glue[2], kG, 1e-5 * kG);
    EXPECT_NEAR(0.5 * kG + glue[2] - glue[4], 0, 1e-5 * kG);
    EXPECT_NEAR(hinge[4], 0, 1e-5 * kG);
    if (kind == ClosureKind::kWeld) {
      EXPECT_GT(std::abs(glue[4]), 0.1);
    } else {  // half of the bar each
      EXPECT_NEAR(hinge[2], 0.5 * kG, 1e-5 * kG);
      EXPECT_NEAR(glue[4], 0, 1e-5 * kG);
    }
  }
}

TEST(SensorsInScenes, ScaledMassesAreFelt) {
  RobotBody a = arm();
  a.sensors = {sensor("wrist", SensorKind::kForceTorque, "wrist"),
               sensor("elbow", SensorKind::kForceTorque, "elbow")};
  Sim sim(scene({a}));
  sim.robot("arm").set_mass_scale(2, 1.6);
  for (int n = 0; n < 3000; ++n) sim.step();
  EXPECT_NEAR(norm(three(read(sim, "arm", "wrist"))), 1.6 * 0.5 * kG, 1e-5);
  EXPECT_NEAR(norm(three(read(sim, "arm", "elbow"))), 1.6 * 1.5 * kG, 1e-5);
}

// Everything on, in motion.
Scene noisy_scene() {
  RobotBody a = arm(), b = block();
  SensorNoise noise;
  noise.std = noise.bias_std = noise.walk = 0.05;
  a.sensors = {sensor("q", SensorKind::kJointPosition, ""),
               sensor("wrist", SensorKind::kForceTorque, "wrist"),
               sensor("pose", SensorKind::kFramePose, "tool")};
  a.sensors[1].delay = 0.011;
  a.sensors[1].rate = 90;
  b.sensors = {sensor("imu", SensorKind::kImu, "box"), sensor("box", SensorKind::kContact, "box")};
  for (RobotBody* r : {&a, &b})
    for (Sensor& s : r->sensors) s.noise = noise;
  b.sensors[0].angular_noise = noise;
  b.pose.p[2] = 0.2;
  b.velocity = {0.5, 0, 0, 1, 2, 3};
  return scene({a, b});
}

std::vector<double> read_all(Sim& sim) {
  std::vector<double> all;
  for (const char* robot : {"arm", "block"}) {
    const RobotView r = sim.robot(robot);
    for (int i = 0; i < r.sensors().size(); ++i)
      for (const double v : r.read(i).values) all.push_back(v);
  }
  return all;
}

TEST(SensorsInScenes, SaveLoadResetAndSeedsLeaveNoTrace) {
  const std::string path = testing::TempDir() + "sensors.state";
  Sim first(noisy_scene());
  const std::vector<double> start = read_all(first);
  for (int n = 0; n < 80; ++n) first.step();
  first.save(path);
  for (int n = 0; n < 80; ++n) first.step();
  const std::uint64_t end = first.state().hash();
  const std::vector<double> readings = read_all(first);

  Sim second(noisy_scene());
  second.load(path);
  for (int n = 0; n < 80; ++n) second.step();
  EXPECT_EQ(second.state().hash(), end);
  EXPECT_EQ(read_all(second), readings);

  first.reset();
  EXPECT_EQ(read_all(first), start);
  for (int n = 0; n < 160; ++n) first.step();
  EXPECT_EQ(read_all(first), readings);

  // Another seed is another noise on the same motion.
  first.reset(5);
  EXPECT_NE(read_all(first), start);
  Scene other = noisy_scene();
  other.sim.seed = 5;
  Sim third(other);
  EXPECT_EQ(read_all(third), read_all(first));
  for (int n = 0; n < 160; ++n) third.step();
  EXPECT_NE(read_all(third), readings);
  EXPECT_EQ(third.state().q, second.state().q);
  std::remove(path.c_str());

  Scene without = noisy_scene();
  without.robots[0].sensors.pop_back();
  Sim fewer(without);
  EXPECT_THROW(fewer.set_state(first.state()), InputError);
}

TEST(SensorsInScenes, EnvironmentsHaveNoiseOfTheirOwnAndEachItsOwnAlone) {
  const auto model = compile(noisy_scene());
  Batch batch(model, 3);
  Sim alone(model, 2);
  for (int n = 0; n < 30; ++n) {
    batch.step();
    alone.step();
  }
  EXPECT_EQ(read_all(batch.env(2)), read_all(alone));
  EXPECT_NE(read_all(batch.env(1)), read_all(alone));
  EXPECT_EQ(batch.env(1).state().q, alone.state().q);
}

TEST(SensorsInScenes, ATrajectoryIsPlayedByTheMotorsOfItsNames) {
  RobotBody a = arm();
  for (RobotMotor& m : a.robot.motors) m.kp = 1e6, m.kd = 1e3;
  a.sensors = {sensor("q", SensorKind::kJointPosition, "")};
  Scene s = scene({a});
  s.sim.gravity_z = 0;
  Sim sim(s);
  const Trajectory t =
      parse_trajectory("time,elbow,shoulder\n5,0,0\n5.1,0.1,-0.05\n5.2,0,-0.2\n5.4,-0.3,0\n",
                       "t.csv", Interpolation::kCubic);
  TrajectoryPlayer player(t, sim.robot("arm"), 0.1);
  sim.controller = [&](Sim& now) { player.command(now.state().time + now.scene().sim.dt); };
  for (int n = 1; n <= 300; ++n) {
    sim.step();
    const double at = 5 + sim.state().time - 0.1;
    const std::vector<double> q = read(sim, "arm", "q");
    ASSERT_NEAR(q[0], t.at(t.column("shoulder"), at).value, 2e-3) << n;
    ASSERT_NEAR(q[1], t.at(t.column("elbow"), at).value, 2e-3) << n;
  }
  EXPECT_TRUE(player.over(sim.state().time));
  const Trajectory wrong = parse_trajectory("time,wrist\n0,1\n", "w.csv");
  EXPECT_THROW(TrajectoryPlayer(wrong, sim.robot("arm")), InputError);
}

TEST(SensorsInScenes, ADelayedSensorReadsWhatAnotherOneReadBefore) {
  RobotBody b = block();
  b.pose.p[2] = 0.5;
  b.velocity = {1, 0, 0, 1, 2, 3};
  b.sensors = {sensor("now", SensorKind::kFrameVelocity, "box"),
               sensor("late", SensorKind::kFrameVelocity, "box")};
  b.sensors[1].delay = 7 * 2e-3;
  Sim sim(scene({b}));
  std::vector<std::vector<double>> past = {read(sim, "block", "now")};
  for (int n = 1; n < 200; ++n) {
    sim.step();
    past.push_back(read(sim, "block", "now"));
    ASSERT_EQ(read(sim, "block", "late"), past[static_cast<std::size_t>(std::max(n - 7, 0))]);
    const RobotView r = sim.robot("block");
    ASSERT_NEAR(r.read(1).time, std::max(n - 7, 0) * 2e-3, 1e-12);
  }
}

TEST(SensorsInScenes, AControllerThatReadsASensorWithDelayStillHolds) {
  RobotBody a = arm();
  for (RobotMotor& m : a.robot.motors) m.kp = 0, m.kd = 5;
  a.sensors = {sensor("q", SensorKind::kJointPosition, "")};
  a.sensors[0].delay = 4e-3;
  Sim sim(scene({a}));
  sim.controller = [](Sim& s) {
    RobotView r = s.robot("arm");
    const auto q = r.read(0).values;
    for (int k = 0; k < 2; ++k)
      r.set_command(k, {0, 0, -200 * q[static_cast<std::size_t>(k)] - (k == 0 ? 25 : 8)});
  };
  for (int n = 0; n < 3000; ++n) sim.step();
  for (const double v : sim.robot("arm").velocity()) EXPECT_NEAR(v, 0, 1e-6);
}

TEST(SensorsInScenes, WrongNamesAreRefusedWithRobotAndSensor) {
  const auto sentence = [](const Scene& s) -> std::string {
    try {
      Sim sim(s);
    } catch (const InputError& e) {
      return e.what();
    }
    return "was not refused";
  };
  RobotBody a = arm();
  a.sensors = {sensor("imu", SensorKind::kImu, "tol")};
  EXPECT_EQ(sentence(scene({a})),
            "arm.sensors[0] 'imu'.target = tol: must be the name of a link of the robot; did you "
            "mean tool?");
  a.sensors = {sensor("touch", SensorKind::kContact, "tool")};
  a.sensors[0].reference = "flor";
  EXPECT_NE(sentence(scene({a})).find("flor"), std::string::npos);
  a.sensors = {sensor("imu", SensorKind::kImu, "tool")};
  a.sensors[0].noise.std = -1;
  EXPECT_NE(sentence(scene({a})).find("arm.sensors[0] 'imu'.noise.std"), std::string::npos);
  a.sensors[0].noise.std = 0;
  Sim sim(scene({a}));
  EXPECT_THROW(sim.robot("arm").sensor("imo"), InputError);
}

}  // namespace
}  // namespace haptos
