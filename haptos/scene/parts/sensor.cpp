#include "haptos/scene/parts/sensor.h"

#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"

namespace haptos {
namespace {

constexpr double kLargest = 1e12;
constexpr std::size_t kMostTaxels = 10'000;

using haptos::refuse;

[[noreturn]] void refuse(const std::string& element, double value, const char* rule,
                         const char* remedy) {
  haptos::refuse(element, internal::format_number(value), rule, remedy);
}

void check_noise(const SensorNoise& n, const std::string& element) {
  const auto size = [&](const char* what, double value) {
    if (!(value >= 0 && value < kLargest))
      refuse(element + what, value, "must be 0 or more and below 1e12",
             "give it in the unit of the reading");
  };
  size(".std", n.std);
  size(".bias_std", n.bias_std);
  size(".walk", n.walk);
  size(".quantum", n.quantum);
  if (!(std::abs(n.bias) < kLargest))
    refuse(element + ".bias", n.bias, "must be a finite number below 1e12",
           "give it in the unit of the reading");
  if (std::isnan(n.lower) || std::isnan(n.upper) || !(n.lower < n.upper))
    refuse(element + ".lower", n.lower, "must be below the upper end of the range",
           "swap the two ends, or leave them out");
}

bool is_set(const SensorNoise& n) {
  return n.std > 0 || n.bias != 0 || n.bias_std > 0 || n.walk > 0 || n.quantum > 0 ||
         std::isfinite(n.lower) || std::isfinite(n.upper);
}

void check_taxels(const Sensor& s, const std::string& element) {
  const bool taxels = s.kind == SensorKind::kTaxels;
  const std::string count = std::to_string(s.places.size()) + " places";
  if (taxels && (s.places.empty() || s.places.size() > kMostTaxels))
    refuse(element, count, "must have 1 to 10000 places",
           "give a grid with a pitch, or a list of places");
  if (!taxels && !s.places.empty())
    refuse(element, count, "are only for sensors of the kind taxels", "leave them out");
  if (s.areas.size() != s.places.size())
    refuse(element, std::to_string(s.areas.size()) + " areas", "must be one for each place",
           "give one area for all, or one each");
  for (const Vec3d& x : s.places)
    for (const double c : x.a)
      if (!(std::abs(c) < 1e5))
        refuse(element + ".places", c, "must be finite numbers below 1e5", "give them in m");
  for (const double a : s.areas)
    if (!(a > 0 && a < 1e5)) refuse(element + ".area", a, "must be above 0", "give it in m2");
}

}  // namespace

const char* sensor_kind_name(SensorKind kind) {
  constexpr const char* names[kSensorKinds] = {"joint_position",
                                               "joint_velocity",
                                               "joint_torque",
                                               "motor_effort",
                                               "motor_current",
                                               "force_torque",
                                               "imu",
                                               "tilt",
                                               "contact",
                                               "frame_pose",
                                               "frame_velocity",
                                               "frame_acceleration",
                                               "taxels"};
  return names[static_cast<int>(kind)];
}

std::vector<Vec3d> taxel_grid(int rows, int columns, double pitch) {
  std::vector<Vec3d> places;
  places.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      places.push_back({{(j - 0.5 * (columns - 1)) * pitch, (0.5 * (rows - 1) - i) * pitch, 0}});
  return places;
}

void check_sensor(const Sensor& s, const std::string& element) {
  if (s.name.empty() || s.name.size() > 100)
    throw InputError({"", 0, 0, element + ".name", printable(s.name),
                      "must have 1 to 100 characters", "give it a short name"});
  if (!(s.rate >= 0 && s.rate <= 1e6))
    refuse(element + ".rate", s.rate, "must lie between 0 and 1e6",
           "give samples per second in Hz, 0 for one at every step");
  if (!(s.delay >= 0 && s.delay <= 100))
    refuse(element + ".delay", s.delay, "must lie between 0 and 100", "give it in s");
  if (!(std::abs(s.torque_constant) > 1e-12 && std::abs(s.torque_constant) < kLargest))
    refuse(element + ".torque_constant", s.torque_constant, "must not be 0",
           "give the torque per current in N m/A, gears included");
  const Quat& q = s.frame.q;
  const double size = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  if (!(std::abs(size - 1) < 1e-6))
    refuse(element + ".frame", size, "must have a quaternion w x y z whose squared norm is 1",
           "normalise it");
  for (const double x : s.frame.p.a)
    if (!(std::abs(x) < 1e5))
      refuse(element + ".frame", x, "must be a position of finite numbers below 1e5",
             "give it in m");
  check_taxels(s, element);
  check_noise(s.noise, element + ".noise");
  check_noise(s.angular_noise, element + ".angular_noise");
  const bool angular = s.kind == SensorKind::kForceTorque || s.kind == SensorKind::kImu ||
                       s.kind == SensorKind::kContact || s.kind == SensorKind::kFramePose ||
                       s.kind == SensorKind::kFrameVelocity ||
                       s.kind == SensorKind::kFrameAcceleration;
  if (!angular && is_set(s.angular_noise))
    throw InputError(
        {"", 0, 0, element + ".angular_noise", "",
         std::string("is not there for a sensor of the kind ") + sensor_kind_name(s.kind),
         "use noise"});
  const SensorNoise& a = s.angular_noise;
  if (s.kind == SensorKind::kFramePose &&
      (a.quantum > 0 || std::isfinite(a.lower) || std::isfinite(a.upper)))
    throw InputError({"", 0, 0, element + ".angular_noise", "",
                      "must have no quantum and no range for a pose, whose orientation is a "
                      "quaternion",
                      "leave them out"});
}

}  // namespace haptos
