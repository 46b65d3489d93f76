// What sensors refer to, found by name when a robot's sensors are set up.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/sensors/robot/robot_sensors.h"

namespace haptos {
namespace {

// Number of the entry of this name; refuses one that is not there.
template <class List, class Name>
int find_named(const List& list, const std::string& wanted, const std::string& element,
               const char* what, const Name& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (name(list[i]) == wanted) return static_cast<int>(i);
    names.push_back(name(list[i]));
  }
  const std::string near = nearest_name(wanted, names);
  refuse(element, wanted, std::string("must be the name of a ") + what + " of the robot",
         near.empty() ? std::string("look for it among its ") + what + "s"
                      : "did you mean " + near + "?");
}

constexpr auto kName = [](const auto& x) { return x.name; };
constexpr auto kMotorName = [](const RobotMotor& m) { return m.label(); };

}  // namespace

RobotSensors::RobotSensors(const Robot& robot, std::shared_ptr<const Tree> tree,
                           std::vector<Sensor> sensors, int first_number,
                           const BodyNumbers& numbers)
    : robot_(robot),
      tree_(std::move(tree)),
      sensors_(std::move(sensors)),
      loads_(*tree_),
      end_(*tree_) {
  for (RobotLink& l : robot_.links) l.visuals.clear(), l.collisions.clear();
  for (std::size_t i = 0; i < sensors_.size(); ++i) {
    const Sensor& s = sensors_[i];
    const std::string element =
        robot_.name + ".sensors[" + std::to_string(i) + "] '" + s.name + "'";
    for (std::size_t j = 0; j < i; ++j)
      if (sensors_[j].name == s.name)
        refuse(element, "", "must have a name of its own", "rename one of the two");
    check_sensor(s, element);
    parts_.push_back(resolve(s, element, first_number, numbers));
  }
}

void RobotSensors::resolve_joints(const Sensor& s, const std::string& element, Sensed& p) const {
  const auto add = [&](std::size_t j) {
    const int body = tree_->joint_body[j];
    if (body < 0 || v_size(robot_.joints[j].kind) != 1) return false;
    const TreeBody& b = tree_->bodies[at_index(body)];
    p.index.push_back(s.kind == SensorKind::kJointPosition ? b.first_q : b.first_v);
    p.joints.push_back(static_cast<int>(j));
    return true;
  };
  if (s.target.empty()) {
    for (std::size_t j = 0; j < robot_.joints.size(); ++j) add(j);
    return;
  }
  const int j = find_named(robot_.joints, s.target, element + ".target", "joint", kName);
  if (!add(at_index(j)))
    refuse(element + ".target", s.target, "must be a joint with one coordinate",
           "measure others with sensors of frames and of force and torque");
}

void RobotSensors::resolve_motors(const Sensor& s, const std::string& element, Sensed& p) const {
  const int wanted = s.target.empty() ? -1
                                      : find_named(robot_.motors, s.target, element + ".target",
                                                   "motor", kMotorName);
  for (std::size_t m = 0; m < robot_.motors.size(); ++m) {
    if (wanted >= 0 && wanted != static_cast<int>(m)) continue;
    p.index.push_back(static_cast<int>(m));
    p.joints.push_back(find_named(robot_.joints, robot_.joint_of(robot_.motors[m]),
                                  element + ".target", "joint", kName));
  }
}

RobotSensors::Sensed RobotSensors::resolve(const Sensor& s, const std::string& element,
                                           int first_number, const BodyNumbers& numbers) const {
  Sensed p;
  const auto link = [&](const std::string& name, const char* what) {
    if (name.empty() && robot_.links.size() == 1) return 0;
    return find_named(robot_.links, name, element + what, "link", kName);
  };
  switch (s.kind) {
    case SensorKind::kJointPosition:
    case SensorKind::kJointVelocity:
    case SensorKind::kJointTorque:
      resolve_joints(s, element, p);
      p.width = static_cast<int>(p.index.size());
      break;
    case SensorKind::kMotorEffort:
    case SensorKind::kMotorCurrent:
      resolve_motors(s, element, p);
      p.width = static_cast<int>(p.index.size());
      break;
    case SensorKind::kForceTorque: {
      const bool only = s.target.empty() && robot_.joints.size() == 1;
      const int j =
          only ? 0 : find_named(robot_.joints, s.target, element + ".target", "joint", kName);
      p.link = robot_.joints[at_index(j)].child;
      p.body = tree_->joint_body[at_index(j)];
      if (p.body < 0) p.part = part_behind(j);
      p.width = 6;
      break;
    }
    case SensorKind::kContact:
      p.link = link(s.target, ".target");
      p.number = first_number + p.link;
      p.width = 9;
      if (first_number < 0)
        refuse(element, "", "measures contact, which this robot's scene has none of",
               "leave the sensor out");
      if (s.reference.empty()) break;
      p.other = numbers ? numbers(s.reference) : -1;
      if (p.other < 0)
        refuse(element + ".reference", s.reference, "must be the name of a body of the scene",
               "name a link as robot/link, or leave it out for contact with any body");
      break;
    case SensorKind::kTaxels:
      p.link = link(s.target, ".target");
      p.width = kTaxelChannels * static_cast<int>(s.places.size());
      break;
    default:
      p.link = link(s.target, ".target");
      if (!s.reference.empty()) p.reference = link(s.reference, ".reference");
      p.width = s.kind == SensorKind::kTilt ? 2 : s.kind == SensorKind::kFramePose ? 7 : 6;
  }
  if (p.width == 0)
    refuse(element, "", "must have something to measure",
           "give the robot a motor, or leave it out");
  return p;
}

// The links that a merged joint carries within their body, and the bodies that hang from them.
RobotSensors::Part RobotSensors::part_behind(int joint) const {
  const int child = robot_.joints[at_index(joint)].child;
  Part part;
  part.body = tree_->links[at_index(child)].body;
  part.has.assign(robot_.links.size(), 0);
  part.has[at_index(child)] = 1;
  for (std::size_t j = 0; j < robot_.joints.size(); ++j) {  // parents come first
    const RobotJoint& x = robot_.joints[j];
    if (x.parent < 0 || !part.has[at_index(x.parent)]) continue;
    if (const int body = tree_->joint_body[j]; body >= 0)
      part.hangs.push_back(body);
    else
      part.has[at_index(x.child)] = 1;
  }
  for (std::size_t i = 0; i < part.has.size(); ++i) {
    const RobotLink& l = robot_.links[i];
    if (!part.has[i] || l.mass == 0) continue;
    part.mass += l.mass;
    part.centre += l.mass * (tree_->links[i].pose * l.centre);
  }
  if (part.mass > 0) part.centre *= 1 / part.mass;
  for (std::size_t i = 0; i < part.has.size(); ++i) {
    if (!part.has[i]) continue;
    const RobotLink& l = robot_.links[i];
    const Mat3d r = to_matrix(tree_->links[i].pose.q);
    const Vec3d d = tree_->links[i].pose * l.centre - part.centre;
    part.inertia +=
        r * l.inertia * transpose(r) + l.mass * (squared_norm(d) * Mat3d::identity() - outer(d, d));
  }
  return part;
}

std::vector<std::string> RobotSensors::channels(int i) const {
  const Sensed& p = parts_[at_index(i)];
  std::vector<std::string> names;
  switch (sensor(i).kind) {
    case SensorKind::kJointPosition:
    case SensorKind::kJointVelocity:
    case SensorKind::kJointTorque:
      for (const int j : p.joints) names.push_back(robot_.joints[at_index(j)].name);
      return names;
    case SensorKind::kMotorEffort:
    case SensorKind::kMotorCurrent:
      for (const int m : p.index) names.push_back(kMotorName(robot_.motors[at_index(m)]));
      return names;
    case SensorKind::kForceTorque:
      return {"force_x", "force_y", "force_z", "torque_x", "torque_y", "torque_z"};
    case SensorKind::kImu:
      return {"specific_force_x",   "specific_force_y",   "specific_force_z",
              "angular_velocity_x", "angular_velocity_y", "angular_velocity_z"};
    case SensorKind::kTilt:
      return {"roll", "pitch"};
    case SensorKind::kContact:
      return {"force_x",  "force_y",      "force_z", "torque_x", "torque_y",
              "torque_z", "normal_force", "area",    "points"};
    case SensorKind::kFramePose:
      return {"x", "y", "z", "quaternion_w", "quaternion_x", "quaternion_y", "quaternion_z"};
    case SensorKind::kFrameVelocity:
    case SensorKind::kFrameAcceleration:
      return {"linear_x", "linear_y", "linear_z", "angular_x", "angular_y", "angular_z"};
    case SensorKind::kTaxels:
      for (std::size_t k = 0; k < sensor(i).places.size(); ++k)
        for (const char* what : {"pressure", "shear_x", "shear_y", "shear_z", "displacement",
                                 "normal_x", "normal_y", "normal_z"})
          names.push_back(what + ("_" + std::to_string(k)));
      return names;
  }
  return names;
}

std::vector<std::string> RobotSensors::units(int i) const {
  const auto twice = [](const char* a, const char* b) {
    return std::vector<std::string>{a, a, a, b, b, b};
  };
  const auto by_joint = [&](const char* turn, const char* slide) {
    std::vector<std::string> names;
    for (const int j : parts_[at_index(i)].joints)
      names.emplace_back(robot_.joints[at_index(j)].kind == JointKind::kPrismatic ? slide : turn);
    return names;
  };
  switch (sensor(i).kind) {
    case SensorKind::kJointPosition:
      return by_joint("rad", "m");
    case SensorKind::kJointVelocity:
      return by_joint("rad/s", "m/s");
    case SensorKind::kJointTorque:
    case SensorKind::kMotorEffort:
      return by_joint("N m", "N");
    case SensorKind::kMotorCurrent:
      return by_joint("A", "A");
    case SensorKind::kForceTorque:
      return twice("N", "N m");
    case SensorKind::kImu:
      return twice("m/s2", "rad/s");
    case SensorKind::kTilt:
      return {"rad", "rad"};
    case SensorKind::kContact:
      return {"N", "N", "N", "N m", "N m", "N m", "N", "m2", ""};
    case SensorKind::kFramePose:
      return {"m", "m", "m", "", "", "", ""};
    case SensorKind::kFrameVelocity:
      return twice("m/s", "rad/s");
    case SensorKind::kFrameAcceleration:
      return twice("m/s2", "rad/s2");
    case SensorKind::kTaxels: {
      std::vector<std::string> all;
      for (std::size_t k = 0; k < sensor(i).places.size(); ++k)
        all.insert(all.end(), {"Pa", "Pa", "Pa", "Pa", "m", "", "", ""});
      return all;
    }
  }
  return {};
}

SensorSignal RobotSensors::signal(int i) const {
  const Sensor& s = sensor(i);
  SensorSignal signal{robot_.name + "/" + s.name, width(i), s.rate, s.delay, {}};
  switch (s.kind) {
    case SensorKind::kForceTorque:
    case SensorKind::kImu:
    case SensorKind::kContact:
    case SensorKind::kFrameVelocity:
    case SensorKind::kFrameAcceleration:
      signal.groups = {{0, 3, false, s.noise}, {3, 3, false, s.angular_noise}};
      break;
    case SensorKind::kFramePose:
      signal.groups = {{0, 3, false, s.noise}, {3, 4, true, s.angular_noise}};
      break;
    case SensorKind::kTaxels:
      for (int k = 0; k < width(i); k += kTaxelChannels)
        signal.groups.push_back({k, 4, false, s.noise});
      break;
    default:
      signal.groups = {{0, width(i), false, s.noise}};
  }
  return signal;
}

}  // namespace haptos
