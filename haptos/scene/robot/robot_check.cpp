#include "haptos/scene/robot/robot_check.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "haptos/base/math/turn.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/shape/shape_moments.h"
#include "haptos/scene/robot/robot_check_detail.h"

namespace haptos {

namespace robot_check {

std::string link_name(const RobotLink& link) { return "link \"" + printable(link.name) + "\""; }
std::string joint_name(const RobotJoint& joint) {
  return "joint \"" + printable(joint.name) + "\"";
}

std::string show(const Vec3d& v) {
  // Six digits say enough, and rounding of the last ones is no news.
  std::string s;
  for (int k = 0; k < 3; ++k) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", v[k] + 0.0);
    s += (k ? ", " : "") + std::string(text);
  }
  return s;
}

bool check_structure(const Robot& robot, std::vector<RobotFinding>& out) {
  const auto error = [&](const std::string& element, const std::string& sentence) {
    out.push_back({Severity::kError, element, sentence});
  };
  const int n = static_cast<int>(robot.links.size());
  if (n == 0) error("the robot", "It has no links.");
  std::vector<int> carriers(robot.links.size(), 0);
  std::vector<bool> placed(robot.links.size(), false);
  for (const RobotJoint& j : robot.joints) {
    if (j.child < 0 || j.child >= n || j.parent < -1 || j.parent >= n) {
      error(joint_name(j), "It names a link that there is not.");
      continue;
    }
    if (j.parent >= 0 && !placed[static_cast<std::size_t>(j.parent)])
      error(joint_name(j), "It comes before the joint that carries its parent.");
    ++carriers[static_cast<std::size_t>(j.child)];
    placed[static_cast<std::size_t>(j.child)] = true;
    if (!j.position.empty() && static_cast<int>(j.position.size()) != q_size(j.kind))
      error(joint_name(j), "Its start position has " + std::to_string(j.position.size()) +
                               " numbers and it has " + std::to_string(q_size(j.kind)) +
                               " coordinates.");
  }
  for (std::size_t i = 0; i < carriers.size(); ++i)
    if (carriers[i] != 1)
      error(link_name(robot.links[i]),
            carriers[i] == 0 ? "No joint carries it." : "More than one joint carries it.");
  return out.empty();
}

Pose start_motion(const RobotJoint& j) {
  const std::vector<double>& q = j.position;
  if (static_cast<int>(q.size()) != q_size(j.kind) || q.empty()) return {};
  switch (j.kind) {
    case JointKind::kFixed:
      return {};
    case JointKind::kRevolute:
      return {Vec3d::zero(), rotation_by(j.axis * q[0])};
    case JointKind::kPrismatic:
      return {j.axis * q[0], {}};
    case JointKind::kBall:
      return {Vec3d::zero(), normalized({q[0], q[1], q[2], q[3]})};
    case JointKind::kPlanar: {
      // The two directions: what the shortest turn from z to the axis makes of x and y.
      const Vec3d n = j.axis, z{{0, 0, 1}};
      const double angle = std::atan2(norm(cross(z, n)), n[2]);
      const Vec3d about = cross(z, n);
      const Quat turn = norm(about) > 1e-9 ? rotation_by(about * (angle / norm(about)))
                        : n[2] > 0         ? Quat{}
                                           : Quat{0, 1, 0, 0};
      const Mat3d m = to_matrix(turn);
      const Vec3d x = column(m, 0), y = column(m, 1);
      return {x * q[0] + y * q[1], rotation_by(n * q[2])};
    }
    case JointKind::kFree:
      return {{{q[0], q[1], q[2]}}, normalized({q[3], q[4], q[5], q[6]})};
  }
  return {};
}

namespace {

// The tensor of inertia about a point o, of moments about the origin.
Mat3d inertia_about(const Moments& m, const Vec3d& o) {
  const Mat3d s = m.second - outer(m.first, o) - outer(o, m.first) + outer(o, o) * m.mass;
  return Mat3d::identity() * trace(s) - s;
}

}  // namespace

std::vector<bool> moves_mass(const Robot& robot) {
  const std::vector<Pose> pose = start_poses(robot);
  // What hangs on each link, itself included, about the origin of the world.
  std::vector<Moments> below(robot.links.size());
  for (std::size_t i = 0; i < robot.links.size(); ++i)
    below[i] = moved(
        moments_from(robot.links[i].mass, robot.links[i].centre, robot.links[i].inertia), pose[i]);
  for (auto j = robot.joints.rbegin(); j != robot.joints.rend(); ++j) {
    if (j->parent < 0) continue;
    const Moments& from = below[static_cast<std::size_t>(j->child)];
    Moments& to = below[static_cast<std::size_t>(j->parent)];
    to.mass += from.mass;
    to.first += from.first;
    to.second += from.second;
  }
  std::vector<bool> moves;
  for (const RobotJoint& j : robot.joints) {
    const auto child = static_cast<std::size_t>(j.child);
    const Pose& x = pose[child];
    const Moments& m = below[child];
    const Mat3d inertia = inertia_about(m, x.p);
    // What rounding leaves of an inertia that is 0.
    const double least = 1e-14 * (m.mass * dot(x.p, x.p) + std::fabs(trace(m.second)));
    // A turn about the axis leaves the axis where it is, so the link's frame will do.
    const Vec3d axis = to_matrix(x.q) * j.axis;
    const double about_axis = dot(axis, inertia * axis) + j.armature;
    const double about_any = principal_moments(inertia)[0];
    bool ok = true;
    if (j.kind == JointKind::kRevolute) ok = about_axis > least;
    if (j.kind == JointKind::kPrismatic) ok = m.mass + j.armature > 0;
    if (j.kind == JointKind::kPlanar) ok = m.mass > 0 && about_axis > least;
    if (j.kind == JointKind::kBall) ok = about_any + j.armature > least;
    if (j.kind == JointKind::kFree)
      ok = m.mass > 0 && principal_moments(inertia_about(m, m.centre()))[0] > least;
    moves.push_back(ok);
  }
  return moves;
}

namespace {

using JointIndex = std::unordered_map<std::string, const RobotJoint*>;

void check_joint(const Robot& robot, const JointIndex& by_name, const RobotJoint& j, bool moves,
                 std::vector<RobotFinding>& out) {
  const auto say = [&](Severity s, std::string sentence) {
    out.push_back({s, joint_name(j), std::move(sentence)});
  };
  if (!moves) {
    const RobotLink& link = robot.links[static_cast<std::size_t>(j.child)];
    say(Severity::kError,
        "It moves without inertia: " + link_name(link) + " and all that hangs on it have " +
            (j.kind == JointKind::kPrismatic ? "no mass" : "no mass or no inertia about the axis") +
            "; give it an inertial, an armature, or make the joint fixed.");
  }
  if (j.kind == JointKind::kBall && std::isfinite(j.upper)) {
    const double angle = norm(turn_between({}, start_motion(j).q));
    if (angle > j.upper)
      say(Severity::kWarning, "It starts turned by " + to_text(std::round(angle * 1e6) / 1e6) +
                                  " rad, beyond its limit " + to_text(j.upper) + ".");
  }
  if (q_size(j.kind) != 1) return;
  const double q = j.position.empty() ? 0 : j.position[0];
  if (q < j.lower || q > j.upper)
    say(Severity::kWarning, "It starts at " + to_text(q) + ", outside its limits " +
                                to_text(j.lower) + " to " + to_text(j.upper) + ".");
  if (!j.mimic) return;
  const auto found = by_name.find(j.mimic->joint);
  if (found == by_name.end()) {
    say(Severity::kError, "It mimics \"" + printable(j.mimic->joint) + "\", which there is not.");
    return;
  }
  const RobotJoint* other = found->second;
  const double a = j.mimic->multiplier * other->lower + j.mimic->offset;
  const double b = j.mimic->multiplier * other->upper + j.mimic->offset;
  const double slack = 1e-6 * (1 + std::fabs(j.lower) + std::fabs(j.upper));
  if (std::isfinite(a) && std::isfinite(b) &&
      (std::min(a, b) < j.lower - slack || std::max(a, b) > j.upper + slack))
    say(Severity::kWarning, "It follows \"" + printable(other->name) + "\" from " +
                                to_text(std::min(a, b)) + " to " + to_text(std::max(a, b)) +
                                ", beyond its limits " + to_text(j.lower) + " to " +
                                to_text(j.upper) + ".");
}

}  // namespace

}  // namespace robot_check

std::vector<RobotFinding> check_robot(const Robot& robot) {
  std::vector<RobotFinding> out;
  if (!robot_check::check_structure(robot, out) || !robot_check::check_parts(robot, out))
    return out;
  bool touches = false;
  for (const RobotLink& link : robot.links) {
    if (std::optional<RobotFinding> f = robot_check::check_inertia(link)) out.push_back(*f);
    robot_check::check_geometry(link, out);
    touches = touches || !link.collisions.empty();
  }
  const std::vector<bool> moves = robot_check::moves_mass(robot);
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const RobotJoint& j = robot.joints[i];
    const RobotLink& link = robot.links[static_cast<std::size_t>(j.child)];
    if (j.kind != JointKind::kFixed && link.mass == 0 && moves[i])
      out.push_back(
          {Severity::kNote, robot_check::link_name(link), "It moves and has no mass of its own."});
  }
  robot_check::JointIndex by_name;
  for (const RobotJoint& j : robot.joints) by_name[j.name] = &j;
  for (std::size_t i = 0; i < robot.joints.size(); ++i)
    robot_check::check_joint(robot, by_name, robot.joints[i], moves[i], out);
  if (!touches)
    out.push_back(
        {Severity::kNote, "the robot", "It has no collision shapes: nothing touches it."});
  return out;
}

void require_robot(const Robot& robot, const std::string& name) {
  for (const RobotFinding& f : check_robot(robot))
    if (f.severity == Severity::kError)
      throw InputError(Diagnostic{name, 0, 0, f.element, "", f.sentence, ""});
}

double total_mass(const Robot& robot) {
  double m = 0;
  for (const RobotLink& link : robot.links) m += link.mass;
  return m;
}

int degrees_of_freedom(const Robot& robot) {
  int n = 0;
  for (const RobotJoint& j : robot.joints) n += j.mimic ? 0 : v_size(j.kind);
  return n;
}

std::vector<Pose> start_poses(const Robot& robot) {
  std::vector<Pose> pose(robot.links.size());
  for (const RobotJoint& j : robot.joints) {
    const Pose x = compose(j.frame, robot_check::start_motion(j));
    pose[static_cast<std::size_t>(j.child)] =
        j.parent < 0 ? x : compose(pose[static_cast<std::size_t>(j.parent)], x);
  }
  return pose;
}

}  // namespace haptos
