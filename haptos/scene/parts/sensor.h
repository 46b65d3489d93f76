// Sensors of a robot as a person describes them: what is measured and where, how often, how late,
// and how badly. What each one reads is defined in sensors/robot/robot_sensors.h, what becomes of
// it on the way to the reader in sensors/tactile/sensor_pipeline.h, both in words in
// docs/sensors/robots.md.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "haptos/base/math/rotation.h"

namespace haptos {

enum class SensorKind : std::uint8_t {
  kJointPosition,
  kJointVelocity,
  kJointTorque,
  kMotorEffort,
  kMotorCurrent,
  kForceTorque,
  kImu,
  kTilt,
  kContact,
  kFramePose,
  kFrameVelocity,
  kFrameAcceleration,
  kTaxels,
};
constexpr int kSensorKinds = 13;

/// As in scene files: "joint_position", "imu", ...
const char* sensor_kind_name(SensorKind kind);

/// What is added to the channels of one unit, and how they are cut. All zero: nothing.
struct SensorNoise {
  double std = 0;       ///< of white Gaussian noise, drawn for every sample
  double bias = 0;      ///< constant
  double bias_std = 0;  ///< of a constant drawn for each channel when a run starts
  double walk = 0;      ///< the bias walks by this times sqrt(t) [unit / sqrt(s)]
  double quantum = 0;   ///< readings are multiples of it; 0: not quantised
  double lower = -std::numeric_limits<double>::infinity();  ///< readings end here
  double upper = std::numeric_limits<double>::infinity();
};

struct Sensor {
  std::string name;
  SensorKind kind = SensorKind::kImu;
  /// A joint for joint sensors and force-torque, a motor for motor sensors, a link for the others.
  /// Empty: every joint with one coordinate, or every motor, a channel each in their order; the
  /// link or the joint of a robot that has just one.
  std::string target;
  Pose frame;  ///< of IMU, tilt, contact, frame sensors and taxels, in the link's frame
  /// Taxels: where they are, in that frame [m], and the area that each stands for [m2].
  std::vector<Vec3d> places;
  std::vector<double> areas;
  /// Frame sensors: link against which is measured; empty: the world. Contact: the other body;
  /// empty: any.
  std::string reference;
  double torque_constant = 1;    ///< of motor current [N m/A] or [N/A], seen at the joint
  bool child_on_parent = false;  ///< force-torque: what the child exerts, not what it feels
  double rate = 0;               ///< samples per second [Hz]; 0: at every step
  double delay = 0;              ///< from sample to reader [s]
  SensorNoise noise;             ///< of the first group of channels
  SensorNoise angular_noise;     ///< of the second: torque, angular velocity, orientation [rad]
};

/// What a run changes of its sensors (sensors/tactile/sensor_pipeline.h): part of State.
struct SensorState {
  std::uint64_t key = 0;             ///< of the random numbers
  std::vector<double> values;        ///< readings, walks, samples under way
  std::vector<std::int64_t> counts;  ///< of samples

  bool operator==(const SensorState&) const = default;
};

/// Places of a grid of taxels, centred on the origin in its plane z = 0 [m]: row 0 at the top
/// (largest y), column 0 at the left (smallest x).
std::vector<Vec3d> taxel_grid(int rows, int columns, double pitch);

/// Numbers that can be checked without a robot.
/// @throws InputError naming the sensor (as `element`) and the number
void check_sensor(const Sensor& sensor, const std::string& element);

}  // namespace haptos
