// Inertia from geometry.
#include <cmath>

#include "haptos/base/text/text.h"
#include "haptos/geometry/shape/shape_moments.h"
#include "haptos/scene/robot/robot_check_detail.h"

namespace haptos {

namespace {

// Of the shapes that have a volume; mass 0 where none has. Density 1.
Moments unit_moments(const std::vector<RobotShape>& shapes) {
  Moments sum;
  for (const RobotShape& s : shapes)
    if (const std::optional<Moments> m = shape_moments(s.shape, 1)) {
      const Moments there = moved(*m, s.frame);
      sum.mass += there.mass;
      sum.first += there.first;
      sum.second += there.second;
    }
  return sum;
}

std::string kilograms(double mass) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g kg", mass);
  return text;
}

}  // namespace

std::vector<std::string> repair_inertia(Robot& robot, const InertiaRepair& repair) {
  if (!(repair.density >= 0) || !std::isfinite(repair.density))
    throw InputError(Diagnostic{"", 0, 0, "density", to_text(repair.density),
                                "must be finite and 0 or more",
                                "give kg/m3, or 0 to keep the masses"});
  std::vector<RobotFinding> broken;
  if (!robot_check::check_structure(robot, broken))
    throw InputError(Diagnostic{"", 0, 0, broken[0].element, "", broken[0].sentence, ""});
  std::vector<bool> asked(robot.links.size(), repair.all);
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    bool impossible = false;
    robot_check::check_inertia(robot.links[i], &impossible);
    if (impossible) asked[i] = true;
  }
  const std::vector<bool> moves = robot_check::moves_mass(robot);
  for (std::size_t k = 0; k < robot.joints.size(); ++k)
    if (!moves[k]) asked[static_cast<std::size_t>(robot.joints[k].child)] = true;

  std::vector<std::string> said;
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (!asked[i]) continue;
    RobotLink& link = robot.links[i];
    const std::string name = robot_check::link_name(link);
    Moments m = unit_moments(link.collisions);
    const bool touched = m.mass > 0;
    if (!touched) m = unit_moments(link.visuals);
    if (!(m.mass > 0)) {
      if (!repair.all || link.mass > 0)
        said.push_back(name + " was left: none of its shapes encloses a volume.");
      continue;
    }
    const double keep = std::isfinite(link.mass) && link.mass > 0 ? link.mass : 0;
    if (repair.density == 0 && keep == 0) {
      said.push_back(name + " was left: it has no mass to keep, so a density is needed.");
      continue;
    }
    const double factor = repair.density > 0 ? repair.density : keep / m.mass;
    m.mass *= factor;
    m.first = m.first * factor;
    m.second = m.second * factor;
    link.mass = m.mass;
    link.centre = m.centre();
    const Mat3d inertia = m.inertia();
    link.inertia = (inertia + transpose(inertia)) * 0.5;
    said.push_back(name + " was given the inertia of its " + (touched ? "collision" : "visual") +
                   " shapes: " + kilograms(link.mass) + ", principal moments " +
                   robot_check::show(principal_moments(link.inertia)) + " kg m2.");
  }
  return said;
}

}  // namespace haptos
