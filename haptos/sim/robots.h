// Robots of a scene: what compile() makes of their description, and where their controls lie.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "haptos/dynamics/tree.h"
#include "haptos/model/spec.h"

namespace haptos {

/// Where the controls of a robot lie in State::controls: four numbers a motor (position, velocity,
/// feed-forward, integral), a torque an unknown, then force and torque a link.
struct ControlSlots {
  int first = 0, motors = 0, unknowns = 0, links = 0;
  int motor(int k) const { return first + 4 * k; }
  int torque(int unknown) const { return first + 4 * motors + unknown; }
  int wrench(int link) const { return first + 4 * motors + unknowns + 6 * link; }
  int end() const { return wrench(links); }
};

struct RobotModel {
  std::string name;  ///< of the entry
  Robot robot;       ///< as described, its base joints where the entry's pose puts them
  std::shared_ptr<const Tree> tree;
  std::vector<double> position, velocity;      ///< at the start (q_count), (v_count)
  std::vector<int> motor_unknown;              ///< that each motor drives
  std::vector<std::array<int, 2>> no_contact;  ///< links that never touch, in order
  int first_body = 0;                          ///< number of link 0 in contact records
  ControlSlots controls;
  std::vector<std::string> warnings;  ///< what is odd but can be simulated, a sentence each

  /// The unknown of the joint of this name; throws InputError where it has not just one.
  int unknown(const std::string& joint) const;
};

/// @param first_body, first_control  numbers that the robot may use from
/// @throws InputError naming robot and part
RobotModel compile_robot(const RobotBody& spec, int first_body, int first_control);

/// Names of the links in contact records: the robot's, a slash, the link's; of a robot of one link
/// the robot's.
std::vector<std::string> link_body_names(const RobotBody& spec);

}  // namespace haptos
