#include "haptos/sim/robots.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/error.h"
#include "haptos/base/options.h"
#include "haptos/base/text.h"
#include "haptos/dynamics/tree_kinematics.h"
#include "haptos/model/robot_check.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// Links that overlap by more than this at the start are left out of contact with each other [m].
constexpr double kOverlap = 1e-4;

// Base joints moved by the pose; a free one starts there and counts from the world's frame, so that
// its coordinates are the pose of its link.
Robot placed(const RobotBody& spec) {
  Robot r = spec.robot;
  for (RobotJoint& j : r.joints) {
    if (j.parent >= 0) continue;
    j.frame = compose(spec.pose, j.frame);
    if (j.kind != JointKind::kFree) continue;
    if (!j.position.empty() && j.position.size() != 7) continue;  // compile_tree refuses it
    Pose start;
    if (!j.position.empty()) {
      const double* q = j.position.data();
      start = {{{q[0], q[1], q[2]}}, {q[3], q[4], q[5], q[6]}};
    }
    const Pose p = compose(j.frame, start);
    j.position = {p.p[0], p.p[1], p.p[2], p.q.w, p.q.x, p.q.y, p.q.z};
    j.frame = {};
  }
  return r;
}

// Joints that move the body of link a against that of link b, or carry both: 0 or 1 connect them.
bool connected(const Tree& t, int a, int b) {
  const int i = t.links[at_index(a)].body, j = t.links[at_index(b)].body;
  const auto parent = [&](int body) { return body < 0 ? -2 : t.bodies[at_index(body)].parent; };
  return i == j || parent(i) == j || parent(j) == i;
}

void find_no_contact(const RobotBody& spec, RobotModel& m) {
  const int n = static_cast<int>(m.robot.links.size());
  const auto listed = [&](int a, int b) {
    return std::any_of(m.robot.no_contact.begin(), m.robot.no_contact.end(), [&](const auto& p) {
      return (p.first == a && p.second == b) || (p.first == b && p.second == a);
    });
  };
  TreeData<double> data(*m.tree);
  forward_kinematics(*m.tree, m.position.data(), data);
  std::vector<std::vector<Pose>> poses(at_index(n));
  for (int a = 0; a < n; ++a) {
    const Frame<double> x = link_frame(*m.tree, data, a);
    const RobotLink& l = m.robot.links[at_index(a)];
    for (const RobotShape& s : l.collisions)
      poses[at_index(a)].push_back(compose(Pose{x.p, quaternion(x.r)}, s.frame));
  }
  std::vector<ContactSample> samples;
  const auto overlap = [&](int a, int b) {
    double deepest = 0;
    const auto &sa = m.shapes[at_index(a)], &sb = m.shapes[at_index(b)];
    for (std::size_t i = 0; i < sa.size(); ++i)
      for (std::size_t j = 0; j < sb.size(); ++j) {
        samples.clear();
        collide(sa[i], poses[at_index(a)][i], sb[j], poses[at_index(b)][j], 0.0, samples);
        for (const ContactSample& c : samples) deepest = std::max(deepest, -c.gap);
      }
    return deepest;
  };
  for (int b = 0; b < n; ++b)
    for (int a = 0; a < b; ++a) {
      bool never = !spec.self_contact || connected(*m.tree, a, b) || listed(a, b);
      if (const double depth = never ? 0 : overlap(a, b); depth > kOverlap) {
        never = true;
        m.warnings.push_back("Robot \"" + printable(spec.name) + "\": links \"" +
                             printable(m.robot.links[at_index(a)].name) + "\" and \"" +
                             printable(m.robot.links[at_index(b)].name) + "\" overlap by " +
                             to_text(std::round(depth * 1e6) / 1e3) +
                             " mm at the start, so they never touch each other.");
      }
      if (never) m.no_contact.push_back({a, b});
    }
}

RobotModel compiled(const RobotBody& spec, int first_body, int first_control) {
  require_robot(spec.robot, "");
  RobotModel m;
  m.name = spec.name;
  m.pose = spec.pose;
  m.robot = placed(spec);
  m.tree = std::make_shared<const Tree>(compile_tree(m.robot));
  m.position = spec.position.empty() ? m.tree->start : spec.position;
  m.velocity = spec.velocity;
  if (m.velocity.empty()) m.velocity.assign(at_index(m.tree->v_count), 0.0);
  for (const RobotMotor& motor : m.robot.motors) m.motor_unknown.push_back(m.unknown(motor.joint));
  for (const RobotJoint& j : m.robot.joints)
    if (j.friction > 0 && (j.kind == JointKind::kBall || j.kind == JointKind::kFree))
      m.warnings.push_back("Robot \"" + printable(spec.name) + "\": dry friction of joint \"" +
                           printable(j.name) +
                           "\" is left out: only joints with one coordinate have it.");
  m.first_body = first_body;
  m.controls = {first_control, static_cast<int>(m.robot.motors.size()), m.tree->v_count,
                static_cast<int>(m.robot.links.size()), static_cast<int>(m.tree->bodies.size())};
  for (const RobotLink& l : m.robot.links) {
    m.shapes.emplace_back();
    for (const RobotShape& s : l.collisions)
      m.shapes.back().emplace_back(s.shape, "link \"" + l.name + "\", collision " + s.name);
  }
  find_no_contact(spec, m);
  return m;
}

}  // namespace

int RobotModel::unknown(const std::string& joint) const {
  std::vector<std::string> known;
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const RobotJoint& s = robot.joints[j];
    if (v_size(s.kind) == 1) known.push_back(s.name);
    if (s.name != joint) continue;
    if (v_size(s.kind) != 1)
      throw InputError({"", 0, 0, "joint \"" + joint + "\"", "",
                        "must have one coordinate to be driven",
                        "name a joint that turns about an "
                        "axis or slides along one"});
    return tree->bodies[at_index(tree->joint_body[j])].first_v;
  }
  const std::string near = nearest_name(joint, known);
  throw InputError({"", 0, 0, "joint \"" + joint + "\"", "", "does not exist in this robot",
                    near.empty() ? "name one of its joints" : "did you mean \"" + near + "\"?"});
}

RobotModel compile_robot(const RobotBody& spec, int first_body, int first_control) {
  try {
    return compiled(spec, first_body, first_control);
  } catch (const InputError& e) {
    Diagnostic d = e.diagnostic;
    const std::string name = "robot \"" + spec.name + "\"";
    if (d.element.find(name) == std::string::npos) d.element = name + ", " + d.element;
    throw InputError(d);
  }
}

std::vector<std::string> link_body_names(const RobotBody& spec) {
  if (spec.robot.links.size() == 1) return {spec.name};
  std::vector<std::string> names;
  for (const RobotLink& l : spec.robot.links) names.push_back(spec.name + "/" + l.name);
  return names;
}

}  // namespace haptos
