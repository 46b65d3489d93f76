// Reading the sensors of a robot allocates nothing after the first time.
#include <gtest/gtest.h>

#include "haptos/sensors/robot/robot_sensors.h"
#include "tests/robots.h"
#include "tests/unit/allocation_count.h"

namespace haptos {
namespace {

TEST(RobotSensorsMemory, ReadingAllocatesNothingAfterTheFirstTime) {
  const Robot robot = test::random_robot(4, 12, JointKind::kFree);
  const auto tree = std::make_shared<Tree>(compile_tree(robot));
  std::vector<Sensor> list;
  const auto add = [&](SensorKind kind, const std::string& target) {
    Sensor s;
    s.name = std::to_string(list.size());
    s.kind = kind;
    s.target = target;
    s.delay = 0.01;
    s.noise.std = 0.1;
    list.push_back(s);
  };
  for (const SensorKind kind :
       {SensorKind::kImu, SensorKind::kTilt, SensorKind::kContact, SensorKind::kFramePose,
        SensorKind::kFrameVelocity, SensorKind::kFrameAcceleration})
    add(kind, robot.links.back().name);
  for (const SensorKind kind :
       {SensorKind::kJointPosition, SensorKind::kJointVelocity, SensorKind::kJointTorque})
    add(kind, "");
  for (const RobotJoint& j : robot.joints) add(SensorKind::kForceTorque, j.name);
  RobotSensors sensors(robot, tree, list, 0);
  std::vector<SensorSignal> signals;
  signals.reserve(static_cast<std::size_t>(sensors.size()));
  for (int i = 0; i < sensors.size(); ++i) signals.push_back(sensors.signal(i));
  const SensorPipeline pipeline(signals, 1e-3);

  std::vector<double> q = tree->start, next = q, v(static_cast<std::size_t>(tree->v_count), 0.3);
  ContactPoint contact;
  contact.body_a = 2;
  contact.force = {{1, 2, 3}};
  const std::vector<LinkForce> forces = {{2, {{0.1, 0, 0}}, contact.force, {{0, 0, 0}}}};
  SensorState state;
  double out[100] = {};
  const auto read = [&](int n) {
    integrate(*tree, q.data(), v.data(), 1e-3, next.data());
    RobotStep s;
    s.tree = {q.data(), v.data(), next.data(), v.data(), 1e-3, {{0, 0, -9.81}}, forces};
    s.contacts = {&contact, 1};
    sensors.update(s);
    for (int i = 0; i < sensors.size(); ++i) {
      sensors.measure(i, out);
      if (n == 0)
        pipeline.start_sensor(i, 0, out, state);
      else
        pipeline.advance(i, n * 1e-3, out, state);
    }
    q.swap(next);
  };
  pipeline.start(1, 0, state);
  read(0);
  const std::int64_t before = test::allocation_count();
  for (int n = 1; n < 50; ++n) read(n);
  EXPECT_EQ(test::allocation_count(), before);
}

}  // namespace
}  // namespace haptos
