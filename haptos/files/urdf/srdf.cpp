#include "haptos/files/urdf/srdf.h"

#include <algorithm>
#include <set>
#include <utility>

#include "haptos/base/text/text.h"
#include "haptos/files/urdf/urdf_reader.h"
#include "haptos/scene/robot/mimic_start.h"

namespace haptos {

namespace {

using urdf::in_quotes;
using urdf::Reader;

struct Names {
  std::unordered_map<std::string, int> links;
  std::unordered_map<std::string, RobotJoint*> joints;
};

void read_pair(Reader& r, const xml::Element& e, const Names& names,
               std::set<std::pair<int, int>>& pairs) {
  const std::string what = "<disable_collisions>";
  r.known(e, what, {"link1", "link2", "reason"});
  int found[2] = {-1, -1};
  for (const int k : {0, 1}) {
    const std::string link = r.name(e, k == 0 ? "link1" : "link2", what);
    const auto at = names.links.find(link);
    if (at == names.links.end()) {
      r.warn(e.line, what + ": the robot has no link " + in_quotes(link), "disabled link");
      return;
    }
    found[k] = at->second;
  }
  if (found[0] != found[1]) pairs.insert(std::minmax(found[0], found[1]));
}

// Numbers of the file, whose quaternions are x y z w, as coordinates of the joint.
std::vector<double> coordinates(Reader& r, const xml::Element& e, const std::string& what,
                                const RobotJoint& j) {
  const auto n = static_cast<std::size_t>(q_size(j.kind));
  std::vector<double> q =
      r.numbers(r.need(e, "value", what, "give its coordinates"), what, n, -1e5, 1e5);
  if (j.kind != JointKind::kBall && j.kind != JointKind::kFree) return q;
  double* turn = q.data() + n - 4;
  const Quat unit{turn[3], turn[0], turn[1], turn[2]};
  if (!(unit.w * unit.w + unit.x * unit.x + unit.y * unit.y + unit.z * unit.z > 1e-12))
    r.fail(e.line, what, "", "the quaternion must not be 0", "no turn is 0 0 0 1");
  const Quat s = normalized(unit);
  turn[0] = s.w, turn[1] = s.x, turn[2] = s.y, turn[3] = s.z;
  return q;
}

void read_state(Reader& r, const xml::Element& e, const std::string& state, const Names& names) {
  const std::string what = "state " + in_quotes(state);
  for (const xml::Element* c : e.children) {
    if (c->name != "joint") continue;
    r.known(*c, what, {"name", "value"});
    const std::string joint = r.name(*c, "name", what);
    const auto at = names.joints.find(joint);
    if (at == names.joints.end()) {
      r.warn(c->line, what + ": the robot has no joint " + in_quotes(joint), "joint of a state");
      continue;
    }
    RobotJoint& j = *at->second;
    if (j.kind == JointKind::kFixed) continue;  // a base that is fixed here
    j.position = coordinates(r, *c, what + ", joint " + in_quotes(joint), j);
  }
}

}  // namespace

void parse_srdf(std::string_view text, const std::string& name, Robot& robot,
                const std::string& state) {
  const xml::Document document(text, name);
  const UrdfOptions options;
  Reader r(name, {}, options);
  const xml::Element& root = document.root();
  if (root.name != "robot")
    r.fail(root.line, "<" + printable(root.name) + ">", "", "an SRDF file holds one <robot>",
           "give an SRDF file");
  Names names;
  for (std::size_t i = 0; i < robot.links.size(); ++i)
    names.links[robot.links[i].name] = static_cast<int>(i);
  for (RobotJoint& j : robot.joints) names.joints[j.name] = &j;
  // The joint of the root to the world has a name of its own there.
  if (const xml::Element* base = root.child("virtual_joint"); base && !robot.joints.empty())
    names.joints.emplace(r.name(*base, "name", "<virtual_joint>"), &robot.joints[0]);

  std::set<std::pair<int, int>> pairs(robot.no_contact.begin(), robot.no_contact.end());
  std::vector<std::string> states;
  bool found = state.empty();
  for (const xml::Element* e : root.children) {
    if (e->name == "disable_collisions") read_pair(r, *e, names, pairs);
    if (e->name != "group_state") continue;
    states.push_back(r.name(*e, "name", "<group_state>"));
    if (states.back() != state) continue;
    read_state(r, *e, state, names);
    found = true;
  }
  if (!found)
    r.fail(0, "state", in_quotes(state), "is not in this file", urdf::suggestion(state, states));
  robot.no_contact.assign(pairs.begin(), pairs.end());
  std::set<std::string> given;
  for (const RobotJoint& j : robot.joints)
    if (!j.mimic && !state.empty()) given.insert(j.name);
  start_mimics(robot, given);
  for (std::string& w : r.take_warnings()) robot.warnings.push_back(std::move(w));
}

void read_srdf(const std::filesystem::path& path, Robot& robot, const std::string& state) {
  parse_srdf(read_regular_file(path, xml::Limits().max_bytes), path.string(), robot, state);
}

}  // namespace haptos
