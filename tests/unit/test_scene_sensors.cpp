// Sensors in scene files.
#include <gtest/gtest.h>

#include "haptos/sim/sim.h"
#include "tests/unit/bad_input.h"

namespace haptos {
namespace {

using test::parse;

std::string ball(const std::string& sensors) {
  return "rigid:\n  - name: ball\n    shape: {sphere: {radius: 1 cm}}\n    mass: 1\n"
         "    pose: {position: [0, 0, 0.5]}\n    sensors:\n" +
         sensors + "half_spaces: [{name: ground}]\n";
}

TEST(SceneSensors, AreReadWithTheirUnitsAndBecomeSensorsOfTheSim) {
  const Scene s = parse(
      "sim: {seed: 7}\n" +
      ball("      - {name: imu, kind: imu, pose: {position: [1 mm, 0, 0]}, rate: 2e2 Hz, delay: 5 "
           "ms, noise: {std: 0.1, bias: -2, bias_std: 3, walk: 4, quantum: 0.5, range: [-9, 8]}, "
           "angular_noise: {std: 6}}\n"
           "      - {name: touch, kind: contact, against: ground}\n"
           "      - {name: load, kind: force_torque, acts_on: parent}\n"));
  EXPECT_EQ(s.sim.seed, 7);
  ASSERT_EQ(s.robots.at(0).sensors.size(), 3u);
  const Sensor& imu = s.robots[0].sensors[0];
  EXPECT_EQ(imu.name, "imu");
  EXPECT_EQ(imu.kind, SensorKind::kImu);
  EXPECT_EQ(imu.frame.p[0], 1e-3);
  EXPECT_EQ(imu.rate, 200);
  EXPECT_EQ(imu.delay, 5e-3);
  EXPECT_EQ(imu.noise.std, 0.1);
  EXPECT_EQ(imu.noise.bias, -2);
  EXPECT_EQ(imu.noise.bias_std, 3);
  EXPECT_EQ(imu.noise.walk, 4);
  EXPECT_EQ(imu.noise.quantum, 0.5);
  EXPECT_EQ(imu.noise.lower, -9);
  EXPECT_EQ(imu.noise.upper, 8);
  EXPECT_EQ(imu.angular_noise.std, 6);
  EXPECT_EQ(s.robots[0].sensors[1].reference, "ground");
  EXPECT_TRUE(s.robots[0].sensors[2].child_on_parent);
  Sim sim(s);
  for (int n = 0; n < 10; ++n) sim.step();
  EXPECT_EQ(sim.robot("ball").read(1).values.size(), 9u);
  EXPECT_EQ(sim.robot("ball").sensor("load"), 2);
}

TEST(SceneSensors, EveryKindHasTheNameThatItsEnumerationHas) {
  for (int k = 0; k < kSensorKinds; ++k) {
    const auto kind = static_cast<SensorKind>(k);
    const std::string places = kind == SensorKind::kTaxels ? ", places: [[0, 0, 1 cm]]" : "";
    const Scene s = parse(
        ball("      - {name: a, kind: " + std::string(sensor_kind_name(kind)) + places + "}\n"));
    EXPECT_EQ(s.robots.at(0).sensors.at(0).kind, kind);
  }
}

TEST(SceneSensors, WhatIsWrongIsRefusedWithItsPlace) {
  const auto expect = [](const std::string& sensor, int line, const std::string& part) {
    const InputError e = test::refused([&] { Sim sim(parse(ball("      - " + sensor + "\n"))); });
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    EXPECT_EQ(e.diagnostic.line, line) << e.what();
  };
  expect("{kind: imu}", 7, "name");
  expect("{name: a}", 7, "kind");
  expect("{name: a, kind: inu}", 7, "imu");
  expect("{name: a, kind: imu, rat: 5}", 7, "rate");
  expect("{name: a, kind: imu, rate: -5}", 7, "rate");
  expect("{name: a, kind: imu, delay: 5 N}", 7, "delay");
  expect("{name: a, kind: imu, noise: {std: -1}}", 7, "std");
  expect("{name: a, kind: imu, noise: {range: [3, 1]}}", 7, "noise.lower");
  expect("{name: a, kind: tilt, angular_noise: {std: 1}}", 7, "angular_noise");
  expect("{name: a, kind: motor_current, torque_constant: 0}", 7, "torque_constant");
  // What needs the robot is found when it is compiled.
  expect("{name: a, kind: imu, target: bal}", 0, "name of a link");
  expect("{name: a, kind: joint_position}", 0, "something to measure");
  expect("{name: a, kind: contact, against: moon}", 0, "moon");
}

}  // namespace
}  // namespace haptos
