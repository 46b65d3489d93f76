// Findings about numbers and names that only a robot made by hand can have wrong: readers of files
// refuse them with a line.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_set>

#include "haptos/base/text/text.h"
#include "haptos/base/text/utf8.h"
#include "haptos/scene/robot/robot_check_detail.h"

namespace haptos::robot_check {

namespace {

struct Say {
  std::vector<RobotFinding>& out;
  std::string element;
  void operator()(std::string sentence) const {
    out.push_back({Severity::kError, element, std::move(sentence)});
  }
};

bool is_pose(const Pose& x) {
  const double n = x.q.w * x.q.w + x.q.x * x.q.x + x.q.y * x.q.y + x.q.z * x.q.z;
  return std::isfinite(x.p[0]) && std::isfinite(x.p[1]) && std::isfinite(x.p[2]) &&
         std::fabs(n - 1) < 1e-6;
}

constexpr const char* kNoPose =
    " has a position that is not finite, or a quaternion whose length is not 1.";

// 0 or more; infinite where that means no bound.
void require(const Say& say, const char* what, double value, bool may_be_infinite = false) {
  if (!(value >= 0) || (!may_be_infinite && !std::isfinite(value)))
    say("Its " + std::string(what) + " is " + to_text(value) + " and must be 0 or more" +
        (may_be_infinite ? "." : " and finite."));
}

template <class List>
void check_names(const char* what, const List& items, std::vector<RobotFinding>& out) {
  std::unordered_set<std::string> seen;
  for (const auto& item : items) {
    const Say say{out, std::string(what) + " \"" + printable(item.name) + "\""};
    if (!is_plain_text(item.name)) say("Its name must be of printable characters in UTF-8.");
    if (!item.name.empty() && !seen.insert(item.name).second)
      say("There are several of this name.");
  }
}

void check_joint(const RobotJoint& j, std::vector<RobotFinding>& out) {
  const Say say{out, joint_name(j)};
  if (!is_pose(j.frame)) say("Its frame" + std::string(kNoPose));
  const bool has_axis = j.kind == JointKind::kRevolute || j.kind == JointKind::kPrismatic ||
                        j.kind == JointKind::kPlanar;
  if (has_axis && !(std::fabs(norm(j.axis) - 1) < 1e-6))
    say("Its axis has length " + to_text(norm(j.axis)) + " and must have length 1.");
  if (!(j.lower <= j.upper))
    say("Its limits are " + to_text(j.lower) + " to " + to_text(j.upper) +
        "; the lower one must not be above the upper one.");
  if (j.kind == JointKind::kBall && (std::isfinite(j.lower) || j.upper <= 0 ||
                                     (std::isfinite(j.upper) && j.upper >= std::numbers::pi)))
    say("Its limits are " + to_text(j.lower) + " to " + to_text(j.upper) +
        "; a ball joint has an upper one alone, the largest angle of its turn, above 0 and below "
        "pi.");
  require(say, "effort", j.effort, true);
  require(say, "damping", j.damping);
  require(say, "friction", j.friction);
  require(say, "armature", j.armature);
  require(say, "stiffness", j.stiffness);
  if (!std::isfinite(j.reference)) say("The reference of its spring is not finite.");
  for (double q : j.position)
    if (!std::isfinite(q)) {
      say("Its start position is not finite.");
      break;
    }
}

void check_motor(const Robot& robot, const RobotMotor& m, std::vector<RobotFinding>& out) {
  const Say say{out, "motor \"" + printable(m.label()) + "\""};
  const RobotJoint* joint = nullptr;
  for (const RobotJoint& j : robot.joints)
    if (j.name == m.joint) joint = &j;
  if (const RobotTendon* tendon = robot.tendon(m.joint); tendon && joint)
    say("It drives \"" + printable(m.joint) + "\", which is a joint and a tendon.");
  else if (!joint && !tendon)
    say("It drives \"" + printable(m.joint) + "\", which there is not.");
  else if (joint && q_size(joint->kind) != 1)
    say("It drives \"" + printable(m.joint) + "\", which has not one coordinate.");
  require(say, "kp", m.kp);
  require(say, "kd", m.kd);
  require(say, "ki", m.ki);
  require(say, "integral limit", m.integral_limit, true);
  require(say, "effort", m.effort, true);
}

void check_tendon(const Robot& robot, const RobotTendon& t, std::vector<RobotFinding>& out) {
  const Say say{out, "tendon \"" + printable(t.name) + "\""};
  if (t.name.empty()) say("It must have a name.");
  if (t.joints.empty()) say("It runs over no joint.");
  std::unordered_set<std::string> seen;
  for (const TendonPart& p : t.joints) {
    const auto joint = std::find_if(robot.joints.begin(), robot.joints.end(),
                                    [&](const RobotJoint& j) { return j.name == p.joint; });
    const std::string over = "It runs over \"" + printable(p.joint) + "\"";
    if (joint == robot.joints.end())
      say(over + ", which there is not.");
    else if (q_size(joint->kind) != 1)
      say(over + ", which has not one coordinate.");
    if (!seen.insert(p.joint).second) say(over + " twice.");
    if (!std::isfinite(p.weight) || p.weight == 0)
      say(over + " with weight " + to_text(p.weight) + ", which must be finite and not 0.");
  }
  if (!(t.lower <= t.upper))
    say("Its limits are " + to_text(t.lower) + " to " + to_text(t.upper) +
        "; the lower one must not be above the upper one.");
  require(say, "stiffness", t.stiffness);
  require(say, "damping", t.damping);
  require(say, "friction", t.friction);
  if (!std::isfinite(t.reference)) say("The reference of its spring is not finite.");
}

void check_closure(const Robot& robot, const LoopClosure& c, std::size_t index,
                   std::vector<RobotFinding>& out) {
  const Say say{out, c.name.empty() ? "closure " + std::to_string(index)
                                    : "closure \"" + printable(c.name) + "\""};
  const bool couples = c.kind == ClosureKind::kCoupler;
  const auto n = static_cast<int>(couples ? robot.joints.size() : robot.links.size());
  if (c.a < (couples ? 0 : -1) || c.a >= n || c.b < -1 || c.b >= n) {
    say(couples ? "It names a joint that there is not." : "It names a link that there is not.");
    return;
  }
  if (c.a == c.b) say(couples ? "It couples a joint with itself." : "It ties a link to itself.");
  if (couples) {
    for (int j : {c.a, c.b})
      if (j >= 0 && q_size(robot.joints[static_cast<std::size_t>(j)].kind) != 1)
        say("It couples " + joint_name(robot.joints[static_cast<std::size_t>(j)]) +
            ", which has not one coordinate.");
    for (double k : c.polynomial)
      if (!std::isfinite(k)) {
        say("Its polynomial is not finite.");
        break;
      }
    return;
  }
  if (!is_pose(c.frame_a)) say("Its frame a" + std::string(kNoPose));
  if (!is_pose(c.frame_b)) say("Its frame b" + std::string(kNoPose));
  if (c.kind == ClosureKind::kDistance) require(say, "distance", c.distance);
}

}  // namespace

bool check_parts(const Robot& robot, std::vector<RobotFinding>& out) {
  const std::size_t before = out.size();
  check_names("link", robot.links, out);
  check_names("joint", robot.joints, out);
  for (const RobotJoint& j : robot.joints) check_joint(j, out);
  for (const RobotLink& link : robot.links)
    for (const auto* list : {&link.collisions, &link.visuals})
      for (const RobotShape& s : *list)
        if (!is_pose(s.frame))
          Say{out, link_name(link)}("The frame of a shape" + std::string(kNoPose));
  check_names("tendon", robot.tendons, out);
  for (const RobotTendon& t : robot.tendons) check_tendon(robot, t, out);
  for (const RobotMotor& m : robot.motors) check_motor(robot, m, out);
  for (std::size_t i = 0; i < robot.closures.size(); ++i)
    check_closure(robot, robot.closures[i], i, out);
  const auto n = static_cast<int>(robot.links.size());
  for (const auto& [a, b] : robot.no_contact)
    if (a < 0 || b < 0 || a >= n || b >= n) {
      Say{out, "the robot"}("A pair of links that never touch names a link that there is not.");
      break;
    }
  return out.size() == before;
}

}  // namespace haptos::robot_check
