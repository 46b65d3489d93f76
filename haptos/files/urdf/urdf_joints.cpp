// Joints: kinds, axes, limits, dynamics, mimic.
#include <algorithm>
#include <cmath>

#include "haptos/base/text/options.h"
#include "haptos/base/text/text.h"
#include "haptos/files/urdf/urdf_reader.h"

namespace haptos::urdf {

namespace {

constexpr double kNone = RobotJoint::kNone;

struct KindName {
  const char* name;
  JointKind kind;
};
// "ball" and "spherical" are not in the specification but are written by some.
constexpr KindName kKinds[] = {
    {"revolute", JointKind::kRevolute},   {"continuous", JointKind::kRevolute},
    {"prismatic", JointKind::kPrismatic}, {"fixed", JointKind::kFixed},
    {"floating", JointKind::kFree},       {"planar", JointKind::kPlanar},
    {"ball", JointKind::kBall},           {"spherical", JointKind::kBall}};

JointKind kind_of(const Reader& r, const xml::Element& e, const std::string& what,
                  const std::string& type) {
  std::vector<std::string> names;
  for (const KindName& k : kKinds) {
    if (type == k.name) return k.kind;
    names.emplace_back(k.name);
  }
  r.fail(e.find("type")->line, what + ", type", in_quotes(type), "is not a kind of joint",
         suggestion(type, names));
}

void read_axis(Reader& r, const xml::Element& e, const std::string& what, RobotJoint& j) {
  const xml::Element* axis = e.child("axis");
  j.axis = {{1, 0, 0}};
  if (!axis) return;
  r.known(*axis, what, {"xyz"});
  const xml::Attribute& xyz = r.need(*axis, "xyz", what, "for example xyz=\"0 0 1\"");
  const Vec3d a = r.triple(xyz, what + ", axis", -1e6, 1e6);
  const double length = norm(a);
  // Exporters write 0 0 0 where the axis means nothing.
  const bool used = j.kind == JointKind::kRevolute || j.kind == JointKind::kPrismatic ||
                    j.kind == JointKind::kPlanar;
  if (!used) return;
  if (!(length > 1e-6))
    r.fail(xyz.line, what + ", axis xyz", printable(xyz.value), "must not be 0",
           "give the direction of the axis in the joint's frame, for example 0 0 1");
  if (std::fabs(length - 1) > 1e-2)
    r.warn(xyz.line, what + ": the axis " + printable(xyz.value) + " has the length " +
                         to_text(length) + " and was scaled to 1.");
  j.axis = a * (1 / length);
}

void read_limit(Reader& r, const xml::Element& e, const std::string& what, bool continuous,
                RobotJoint& j) {
  const xml::Element* limit = e.child("limit");
  const bool bounded =
      !continuous && (j.kind == JointKind::kRevolute || j.kind == JointKind::kPrismatic);
  const bool turns = j.kind == JointKind::kRevolute;
  if (!limit) {
    if (bounded)
      r.fail(e.line, what, "",
             std::string("a ") + (turns ? "revolute" : "prismatic") + " joint must have a <limit>",
             turns ? "give lower, upper, effort and velocity, or make the type continuous"
                   : "give lower, upper, effort and velocity");
    return;
  }
  const std::string of = what + ", limit";
  r.known(*limit, of,
          {"lower", "upper", "effort", "velocity", "acceleration", "deceleration", "jerk"});
  j.effort = r.number_or(*limit, "effort", of, 0, kNone, kNone);
  j.speed = r.number_or(*limit, "velocity", of, 0, kNone, kNone);
  if (q_size(j.kind) == 1 && !limit->find("effort"))
    r.warn(limit->line, of + " gives no effort: the motor has no bound.");
  if (!bounded) {
    if (limit->find("lower") || limit->find("upper")) {
      const double lower = r.number_or(*limit, "lower", of, -kNone, kNone, 0);
      const double upper = r.number_or(*limit, "upper", of, -kNone, kNone, 0);
      if (lower > upper)
        r.fail(limit->line, of, to_text(lower) + " to " + to_text(upper),
               "lower must not be above upper", "exchange them");
    }
    return;
  }
  j.lower = r.number_or(*limit, "lower", of, -kNone, kNone, 0);
  j.upper = r.number_or(*limit, "upper", of, -kNone, kNone, 0);
  if (j.lower > j.upper)
    r.fail(limit->line, of, to_text(j.lower) + " to " + to_text(j.upper),
           "lower must not be above upper", "exchange them");
  if (j.lower == kNone || j.upper == -kNone)
    r.fail(limit->line, of, to_text(j.lower) + " to " + to_text(j.upper),
           "no position lies between these", "write finite bounds");
  constexpr double kTwoTurns = 4 * 3.14159265358979323846;
  if (!limit->find("lower") && !limit->find("upper"))
    r.warn(limit->line,
           of + " gives neither lower nor upper, which are then 0, so the joint cannot " + "move" +
               (turns ? "; is it meant to be continuous?" : ""));
  else if (j.lower == j.upper)
    r.warn(limit->line,
           of + ": lower and upper are both " + to_text(j.lower) + ", so the joint cannot move.");
  else if (turns && ((std::isfinite(j.lower) && j.lower < -kTwoTurns) ||
                     (std::isfinite(j.upper) && j.upper > kTwoTurns)))
    r.warn(limit->line, of + " from " + to_text(j.lower) + " to " + to_text(j.upper) +
                            " is in radians; is it meant in degrees?");
}

void read_dynamics(Reader& r, const xml::Element& e, const std::string& what, RobotJoint& j) {
  const xml::Element* d = e.child("dynamics");
  if (!d) return;
  const std::string of = what + ", dynamics";
  constexpr double kMost = 1e12;
  r.known(*d, of, {"damping", "friction", "armature", "spring_stiffness", "spring_reference"});
  j.damping = r.number_or(*d, "damping", of, 0, kMost, 0);
  j.friction = r.number_or(*d, "friction", of, 0, kMost, 0);
  j.armature = r.number_or(*d, "armature", of, 0, kMost, 0);
  j.stiffness = r.number_or(*d, "spring_stiffness", of, 0, kMost, 0);
  j.reference = r.number_or(*d, "spring_reference", of, -1e6, 1e6, 0);
}

void read_mimic(Reader& r, const xml::Element& e, const std::string& what, JointEntry& entry) {
  const xml::Element* m = e.child("mimic");
  if (!m) return;
  const std::string of = what + ", mimic";
  r.known(*m, of, {"joint", "multiplier", "offset"});
  if (q_size(entry.joint.kind) != 1)
    r.fail(m->line, what, "", "a joint of this type cannot mimic another",
           "only revolute, continuous and prismatic joints can");
  Mimic mimic;
  mimic.joint = r.name(*m, "joint", of);
  mimic.multiplier = r.number_or(*m, "multiplier", of, -1e6, 1e6, 1);
  mimic.offset = r.number_or(*m, "offset", of, -1e6, 1e6, 0);
  entry.joint.mimic = mimic;
  entry.mimic_line = m->line;
}

}  // namespace

JointEntry read_joint(Reader& r, const xml::Element& e) {
  JointEntry entry;
  RobotJoint& j = entry.joint;
  entry.line = e.line;
  j.name = r.name(e, "name", "a joint");
  const std::string what = "joint " + in_quotes(j.name);
  r.known(e, what, {"name", "type"},
          {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration",
           "safety_controller", "property"},
          {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"});
  const std::string type = r.need(e, "type", what, "for example type=\"revolute\"").value;
  j.kind = kind_of(r, e, what, type);
  const xml::Element& parent =
      r.need_child(e, "parent", what, "name a link: <parent link=\"...\"/>");
  const xml::Element& child = r.need_child(e, "child", what, "name a link: <child link=\"...\"/>");
  r.known(parent, what, {"link"});
  r.known(child, what, {"link"});
  entry.parent = r.name(parent, "link", what + ", parent");
  entry.child = r.name(child, "link", what + ", child");
  entry.parent_line = parent.line, entry.child_line = child.line;
  j.frame = r.origin(e, what);
  read_axis(r, e, what, j);
  read_limit(r, e, what, type == "continuous", j);
  read_dynamics(r, e, what, j);
  read_mimic(r, e, what, entry);
  return entry;
}

void resolve_mimics(Reader& r, std::vector<JointEntry>& joints) {
  std::unordered_map<std::string, std::size_t> index;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    index[joints[i].joint.name] = i;
    names.push_back(joints[i].joint.name);
  }
  // 0: not looked at, 1: on the chain that is walked, 2: follows a joint that follows none.
  std::vector<int> state(joints.size(), 0);
  for (std::size_t start = 0; start < joints.size(); ++start) {
    std::vector<std::size_t> chain;
    for (std::size_t i = start; joints[i].joint.mimic && state[i] != 2;) {
      const JointEntry& e = joints[i];
      const std::string what = "joint " + in_quotes(e.joint.name) + ", mimic";
      if (state[i] == 1) {
        std::string path = in_quotes(e.joint.name);
        for (std::size_t k = 0; k < chain.size(); ++k)
          if (chain[k] == i)
            for (std::size_t n = k + 1; n < std::min(chain.size(), k + 8); ++n)
              path += " -> " + in_quotes(joints[chain[n]].joint.name);
        r.fail(e.mimic_line, what, path + " -> " + in_quotes(e.joint.name),
               "a joint must not follow itself", "let one of them go without mimic");
      }
      const auto other = index.find(e.joint.mimic->joint);
      if (other == index.end())
        r.fail(e.mimic_line, what, in_quotes(e.joint.mimic->joint), "there is no such joint",
               suggestion(e.joint.mimic->joint, names));
      if (q_size(joints[other->second].joint.kind) != 1)
        r.fail(e.mimic_line, what, in_quotes(e.joint.mimic->joint),
               "a joint of this type cannot be mimicked",
               "only revolute, continuous and prismatic joints can");
      state[i] = 1;
      chain.push_back(i);
      i = other->second;
    }
    // From the end of the chain back: what each follows is by then free or follows a free one.
    for (auto i = chain.rbegin(); i != chain.rend(); ++i) {
      Mimic& m = *joints[*i].joint.mimic;
      if (const auto& next = joints[index[m.joint]].joint.mimic) {
        m.offset += m.multiplier * next->offset;
        m.multiplier *= next->multiplier;
        m.joint = next->joint;
      }
      // What follows starts where it follows from 0.
      if (m.offset != 0) joints[*i].joint.position = {m.offset};
      state[*i] = 2;
    }
  }
}

}  // namespace haptos::urdf
