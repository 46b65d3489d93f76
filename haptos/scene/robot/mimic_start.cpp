#include "haptos/scene/robot/mimic_start.h"

#include <utility>

namespace haptos {

void start_mimics(Robot& robot, std::set<std::string> given) {
  for (bool found = true; std::exchange(found, false);)
    for (RobotJoint& j : robot.joints) {
      if (!j.mimic || given.contains(j.name) || !given.contains(j.mimic->joint)) continue;
      for (const RobotJoint& leader : robot.joints)
        if (leader.name == j.mimic->joint) {
          const double q = leader.position.empty() ? 0 : leader.position[0];
          j.position = {j.mimic->multiplier * q + j.mimic->offset};
        }
      found = given.insert(j.name).second;
    }
}

}  // namespace haptos
