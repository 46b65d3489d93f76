#include "haptos/sim/model/pairs.h"

#include <algorithm>

#include "haptos/sim/model/robots.h"

namespace haptos {
namespace {

template <class List>
const std::string* find_group(const List& list, const std::string& body) {
  for (const auto& b : list)
    if (b.name == body) return &b.group;
  return nullptr;
}

// Whether a soft body is glued to a body, or to a link that is fixed to it.
bool glued(const Scene& scene, const std::string& soft, const std::string& carrier) {
  for (const SoftBody& s : scene.soft) {
    if (s.name != soft || s.glue.empty()) continue;
    const LinkName link = find_link(scene, carrier);
    return std::any_of(s.glue.begin(), s.glue.end(), [&](const Glue& g) {
      if (g.body == carrier || link.robot < 0) return g.body == carrier;
      const LinkName other = find_link(scene, g.body);
      return other.robot == link.robot &&
             fixed_together(scene.robots[static_cast<std::size_t>(link.robot)].robot, link.link,
                            other.link);
    });
  }
  return false;
}

// What a pair may name a body by: its own name, a link's robot, its group; "" for none.
struct Names {
  std::string body, robot, group;

  /// How closely `name` means the body; 0: not at all.
  int match(const std::string& name) const {
    if (name == body) return 3;
    if (!robot.empty() && name == robot) return 2;
    return !group.empty() && name == group ? 1 : 0;
  }
};

Names names_of(const Scene& s, const std::string& body) {
  if (const std::string* l = find_group(s.soft, body)) return {body, "", *l};
  if (const std::string* l = find_group(s.affine, body)) return {body, "", *l};
  if (const std::string* l = find_group(s.prescribed, body)) return {body, "", *l};
  if (const std::string* l = find_group(s.robots, body)) return {body, "", *l};
  if (const std::string* l = find_group(s.half_spaces, body)) return {body, "", *l};
  if (const std::string* l = find_group(s.material_points, body)) return {body, "", *l};
  if (const LinkName link = find_link(s, body); link.robot >= 0) {
    const RobotBody& r = s.robots[static_cast<std::size_t>(link.robot)];
    return {body, r.name, r.group};
  }
  return {body, "", ""};
}

}  // namespace

const PairOptions* pair_options(const Scene& scene, const std::string& a, const std::string& b) {
  if (scene.pairs.empty()) return nullptr;
  const Names na = names_of(scene, a), nb = names_of(scene, b);
  const PairOptions* best = nullptr;
  int closest = 0;
  const auto offer = [&](const PairOptions& p, const Names& x, const Names& y) {
    const int i = x.match(p.a), j = y.match(p.b);
    if (i > 0 && j > 0 && i + j > closest) best = &p, closest = i + j;
  };
  for (const PairOptions& p : scene.pairs) {
    offer(p, na, nb);
    offer(p, nb, na);
  }
  return best;
}

bool joined(const Scene& scene, const std::string& a, const std::string& b) {
  return std::any_of(scene.constraints.begin(), scene.constraints.end(), [&](const Constraint& c) {
    return !c.contact && ((c.a == a && c.b == b) || (c.a == b && c.b == a));
  });
}

bool may_touch(const Scene& scene, const std::string& a, const std::string& b) {
  if (glued(scene, a, b) || glued(scene, b, a)) return false;
  if (joined(scene, a, b)) return false;
  const PairOptions* p = pair_options(scene, a, b);
  return !p || p->enabled;
}

}  // namespace haptos
