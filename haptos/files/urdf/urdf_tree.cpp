// The tree: which link hangs on which, and what is no tree.
#include <algorithm>

#include "haptos/base/text/text.h"
#include "haptos/files/urdf/urdf_reader.h"

namespace haptos::urdf {

namespace {

constexpr std::size_t kShown = 8;  // names in a sentence

struct Tree {
  std::vector<int> parent;                 ///< joint above each link; -1: none
  std::vector<std::vector<int>> children;  ///< joints below each link
  std::vector<int> from, to;               ///< links of each joint
};

void check_names(const Reader& r) {
  const auto twice = [&](int line, int first, const std::string& what) {
    r.fail(line, what, "", "there is another of this name in line " + std::to_string(first),
           "give each its own name");
  };
  std::unordered_map<std::string, int> seen;
  for (const LinkEntry& l : r.links)
    if (const auto [at, added] = seen.emplace(l.link.name, l.line); !added)
      twice(l.line, at->second, "link " + in_quotes(l.link.name));
  seen.clear();
  for (const JointEntry& j : r.joints)
    if (const auto [at, added] = seen.emplace(j.joint.name, j.line); !added)
      twice(j.line, at->second, "joint " + in_quotes(j.joint.name));
}

Tree connect(const Reader& r) {
  Tree t;
  t.parent.assign(r.links.size(), -1);
  t.children.resize(r.links.size());
  std::unordered_map<std::string, int> index;
  std::vector<std::string> names;
  for (const LinkEntry& l : r.links) {
    index[l.link.name] = static_cast<int>(names.size());
    names.push_back(l.link.name);
  }
  const auto find = [&](const std::string& link, const std::string& what, int line) {
    const auto at = index.find(link);
    if (at == index.end())
      r.fail(line, what, in_quotes(link), "there is no such link", suggestion(link, names));
    return at->second;
  };
  for (std::size_t k = 0; k < r.joints.size(); ++k) {
    const JointEntry& j = r.joints[k];
    const std::string what = "joint " + in_quotes(j.joint.name);
    const int a = find(j.parent, what + ", parent", j.parent_line);
    const int b = find(j.child, what + ", child", j.child_line);
    if (a == b)
      r.fail(j.child_line, what, in_quotes(j.child), "ties a link to itself",
             "name two links, parent and child");
    if (const int other = t.parent[static_cast<std::size_t>(b)]; other >= 0) {
      const JointEntry& o = r.joints[static_cast<std::size_t>(other)];
      r.fail(j.child_line, what + ", child", in_quotes(j.child),
             "is already the child of joint " + in_quotes(o.joint.name) + " in line " +
                 std::to_string(o.line) + ", and a link has one parent",
             "URDF describes trees: leave one joint out and close the loop in the scene");
    }
    t.parent[static_cast<std::size_t>(b)] = static_cast<int>(k);
    t.children[static_cast<std::size_t>(a)].push_back(static_cast<int>(k));
    t.from.push_back(a), t.to.push_back(b);
  }
  return t;
}

// Where all links of a part have a parent there is a loop; it is walked upwards.
[[noreturn]] void refuse_loop(const Reader& r, const Tree& t, int start) {
  std::vector<bool> seen(r.links.size(), false);
  int at = start;
  while (!seen[static_cast<std::size_t>(at)]) {
    seen[static_cast<std::size_t>(at)] = true;
    at = t.from[static_cast<std::size_t>(t.parent[static_cast<std::size_t>(at)])];
  }
  std::vector<std::string> loop{r.links[static_cast<std::size_t>(at)].link.name};
  const int first = at;
  int line = 0;
  do {
    const auto joint = static_cast<std::size_t>(t.parent[static_cast<std::size_t>(at)]);
    line = r.joints[joint].line;
    at = t.from[joint];
    loop.push_back(r.links[static_cast<std::size_t>(at)].link.name);
  } while (at != first);
  std::reverse(loop.begin(), loop.end());
  std::string path;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    if (k == kShown && loop.size() > kShown + 1) {
      path += " -> ... (" + std::to_string(loop.size() - 1) + " links)";
      break;
    }
    path += (k ? " -> " : "") + in_quotes(loop[k]);
  }
  r.fail(line, "the links", path, "form a loop, and every link must lead to one root",
         "leave one joint out and close the loop in the scene");
}

int find_root(const Reader& r, const Tree& t) {
  std::vector<std::string> roots;
  int root = -1, second = -1;
  for (std::size_t i = 0; i < r.links.size(); ++i) {
    if (t.parent[i] >= 0) continue;
    roots.push_back(r.links[i].link.name);
    if (root < 0)
      root = static_cast<int>(i);
    else if (second < 0)
      second = static_cast<int>(i);
  }
  if (root < 0) refuse_loop(r, t, 0);
  if (second >= 0) {
    std::string list;
    for (std::size_t k = 0; k < std::min(roots.size(), kShown); ++k)
      list += (k ? ", " : "") + in_quotes(roots[k]);
    if (roots.size() > kShown) list += " and others";
    r.fail(r.links[static_cast<std::size_t>(second)].line, "the links", list,
           "are all without a parent, and a robot has one root",
           "join them with a fixed joint, or make two robots of them");
  }
  return root;
}

std::string unused_joint_name(const Reader& r) {
  std::string name = "base";
  const auto taken = [&] {
    return std::any_of(r.joints.begin(), r.joints.end(),
                       [&](const JointEntry& j) { return j.joint.name == name; });
  };
  while (taken()) name += "_";
  return name;
}

}  // namespace

void build_tree(Reader& r, Robot& robot) {
  if (r.links.empty())
    r.fail(1, "<robot>", "", "has no links", "a robot needs at least one <link name=\"...\"/>");
  check_names(r);
  const Tree t = connect(r);
  const int root = find_root(r, t);
  resolve_mimics(r, r.joints);

  RobotJoint base;
  base.name = unused_joint_name(r);
  base.frame = r.options.base_pose;
  const bool floats = r.options.base == RobotBase::kFloating;
  const RobotLink& first = r.links[static_cast<std::size_t>(root)].link;
  if (floats && first.name == "world" && first.mass == 0)
    r.warn(r.links[static_cast<std::size_t>(root)].line,
           "the root link is called \"world\" and has no mass: it is fixed, not floating.");
  else if (floats)
    base.kind = JointKind::kFree;

  // Depth first: a link, then all below its first joint, then all below its second.
  struct Visit {
    int link, joint, parent;
  };
  std::vector<bool> reached(r.links.size(), false);
  std::vector<Visit> open{{root, -1, -1}};
  while (!open.empty()) {
    const Visit v = open.back();
    open.pop_back();
    const auto link = static_cast<std::size_t>(v.link);
    const int number = static_cast<int>(robot.links.size());
    reached[link] = true;
    RobotJoint j =
        v.joint < 0 ? base : std::move(r.joints[static_cast<std::size_t>(v.joint)].joint);
    j.parent = v.parent, j.child = number;
    robot.joints.push_back(std::move(j));
    robot.links.push_back(std::move(r.links[link].link));
    const std::vector<int>& below = t.children[link];
    for (auto k = below.rbegin(); k != below.rend(); ++k)
      open.push_back({t.to[static_cast<std::size_t>(*k)], *k, number});
  }
  for (std::size_t i = 0; i < reached.size(); ++i)
    if (!reached[i]) refuse_loop(r, t, static_cast<int>(i));
}

}  // namespace haptos::urdf
