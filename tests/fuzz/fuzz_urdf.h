// What the URDF reader owes to any text at all: a robot that the check survives, or one InputError
// of one sentence. Shared by the fuzzer and by the corpus test.
#pragma once

#include "haptos/files/urdf/urdf.h"
#include "haptos/scene/robot/robot_check.h"
#include "tests/fuzz/fuzz_mesh.h"

namespace haptos::fuzz {

/// Returns whether the text was read. It may name no files: it has no folder, and no package is
/// looked for.
inline bool urdf(std::string_view text) {
  UrdfOptions o;
  o.search_packages = false;
  o.xml.max_bytes = 1 << 16;
  Robot robot;
  try {
    robot = parse_urdf(text, "input", {}, o);
  } catch (const InputError& e) {
    demand_sentence(e);
    return false;
  }
  demand(!robot.links.empty(), "a robot has links");
  demand(robot.joints.size() == robot.links.size(), "each link has one joint");
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const RobotJoint& j = robot.joints[i];
    demand(j.child == static_cast<int>(i) && j.parent < j.child, "parents come first");
    demand(std::fabs(norm(j.axis) - 1) < 1e-12, "axes are unit vectors");
    demand(j.lower <= j.upper && j.effort >= 0 && j.damping >= 0 && j.friction >= 0,
           "limits are in order");
    demand(!j.mimic || q_size(j.kind) == 1, "only joints with one coordinate mimic");
  }
  for (const RobotLink& l : robot.links) {
    demand(l.mass >= 0 && l.mass <= 1e12, "masses are within limits");
    demand_finite({l.centre});
  }
  for (const std::string& w : robot.warnings)
    demand(w.find('\n') == w.npos && w.size() > 10, "a warning is one line");
  for (const RobotFinding& f : check_robot(robot))
    demand(!f.sentence.empty() && f.element.find('\n') == f.element.npos, "findings are sentences");
  repair_inertia(robot, {.density = 1000, .all = true});
  check_robot(robot);
  return true;
}

}  // namespace haptos::fuzz
