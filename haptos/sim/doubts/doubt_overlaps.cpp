// Rigid bodies that overlap when a run starts.
#include <algorithm>
#include <cmath>
#include <map>

#include "haptos/base/math/index.h"
#include "haptos/base/text/text.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "haptos/geometry/query/broad_phase.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pairs.h"

namespace haptos {
namespace {

struct Placed {
  CollisionShape shape;
  Pose pose;
  int robot, link;  // -1: a half-space
  int body;         // number in records
  bool moves;
};

std::vector<Placed> placed_shapes(const Model& model) {
  std::vector<Placed> all;
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const RobotModel& r = model.robots[i];
    for (std::size_t l = 0; l < r.robot.links.size(); ++l)
      for (std::size_t k = 0; k < r.shapes[l].size(); ++k)
        all.push_back({r.shapes[l][k], compose(r.start[l], r.robot.links[l].collisions[k].frame),
                       static_cast<int>(i), static_cast<int>(l), r.first_body + static_cast<int>(l),
                       r.tree->links[l].body >= 0});
  }
  int body = static_cast<int>(model.body_names.size() - model.scene.half_spaces.size());
  for (const HalfSpace& h : model.scene.half_spaces) {
    Shape plane;
    plane.kind = ShapeKind::kHalfSpace;
    all.push_back({CollisionShape(plane, h.name),
                   {h.normal * h.offset, rotation_to(h.normal)},
                   -1,
                   -1,
                   body++,
                   false});
  }
  return all;
}

bool never(const RobotModel& r, int a, int b) {
  return std::any_of(r.no_contact.begin(), r.no_contact.end(), [&](const auto& p) {
    return (p[0] == a && p[1] == b) || (p[0] == b && p[1] == a);
  });
}

}  // namespace

void doubt_overlaps(const Model& model, std::vector<std::string>& out) {
  const std::vector<Placed> all = placed_shapes(model);
  std::vector<Aabb> boxes;
  boxes.reserve(all.size());
  for (const Placed& p : all) boxes.push_back(p.shape.bounds(p.pose));
  std::vector<std::array<int, 2>> pairs;
  BroadPhase().pairs(
      boxes, 0.0,
      [&](int i, int j) {
        const Placed &a = all[at_index(i)], &b = all[at_index(j)];
        if (!a.moves && !b.moves) return false;
        if (a.robot != b.robot) return true;
        return a.link != b.link && !never(model.robots[at_index(a.robot)], a.link, b.link);
      },
      pairs);
  std::map<std::array<int, 2>, double> depth;  // by the bodies
  std::vector<ContactSample> samples;
  for (const auto& [i, j] : pairs) {
    const Placed &a = all[at_index(i)], &b = all[at_index(j)];
    samples.clear();
    collide(a.shape, a.pose, b.shape, b.pose, 0.0, samples);
    double deepest = 0;
    for (const ContactSample& s : samples) deepest = std::max(deepest, -s.gap);
    if (!parts_overlap(a.shape, b.shape, deepest)) continue;
    double& most = depth[{a.body, b.body}];
    most = std::max(most, deepest);
  }
  for (const auto& [bodies, d] : depth) {
    const std::string &a = model.body_names[at_index(bodies[0])],
                      &b = model.body_names[at_index(bodies[1])];
    if (!may_touch(model.scene, a, b)) continue;
    out.push_back("\"" + printable(a) + "\" and \"" + printable(b) +
                  "\" start with an overlap of " + to_text(std::round(d * 1e6) / 1e3) +
                  " mm, and are parted at " + to_text(model.scene.point_contact.parting_speed) +
                  " m/s (point_contact.parting_speed): move one of them so that there is a gap "
                  "between them, or switch their contact off in pairs.");
  }
}

}  // namespace haptos
