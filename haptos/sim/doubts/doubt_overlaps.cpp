// Rigid bodies that overlap when a run starts.
#include <algorithm>
#include <cmath>
#include <map>

#include "haptos/base/math/index.h"
#include "haptos/base/text/text.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/geometry/query/broad_phase.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pair_models.h"
#include "haptos/sim/model/pairs.h"

namespace haptos {
namespace {

struct Placed {
  CollisionShape shape;
  Pose pose;
  int robot, link;  // -1: a half-space
  int body;         // number in records
  bool moves;
  double layer = 0;
  LayerShape core;  // where something of the scene has a layer
  bool shrunk = false;
  bool field = false;       // takes part in hydroelastic contact
  double hydroelastic = 0;  // [Pa/m]
};

std::vector<Placed> placed_shapes(const Model& model) {
  std::vector<Placed> all;
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const RobotModel& r = model.robots[i];
    for (std::size_t l = 0; l < r.robot.links.size(); ++l)
      for (std::size_t k = 0; k < r.shapes[l].size(); ++k) {
        const RobotShape& c = r.robot.links[l].collisions[k];
        all.push_back({r.shapes[l][k],
                       compose(r.start[l], c.frame),
                       static_cast<int>(i),
                       static_cast<int>(l),
                       r.first_body + static_cast<int>(l),
                       r.tree->links[l].body >= 0,
                       layer_of(model.scene.robots[i], c),
                       {},
                       model.scene.robots[i].shrink});
        if (!r.layers.empty()) all.back().core = r.layers[l][k];
        if (r.fields.empty()) continue;
        all.back().field = r.fields[l][k] != nullptr;
        all.back().hydroelastic = hydroelastic_of(model.scene.robots[i], c).modulus();
      }
  }
  const bool layered =
      std::any_of(all.begin(), all.end(), [](const Placed& p) { return p.core.soup != nullptr; });
  int body = static_cast<int>(model.body_names.size() - model.scene.half_spaces.size());
  for (const HalfSpace& h : model.scene.half_spaces) {
    Shape plane;
    plane.kind = ShapeKind::kHalfSpace;
    all.push_back(
        {CollisionShape(plane, h.name),
         {h.normal * h.offset, rotation_to(h.normal)},
         -1,
         -1,
         body++,
         false,
         h.layer,
         layered ? layer_shape(plane, h.name, false, h.shrink ? h.layer : 0) : LayerShape{},
         h.shrink,
         true,
         h.hydroelastic.modulus()});
  }
  return all;
}

bool never(const RobotModel& r, int a, int b) {
  return std::any_of(r.no_contact.begin(), r.no_contact.end(), [&](const auto& p) {
    return (p[0] == a && p[1] == b) || (p[0] == b && p[1] == a);
  });
}

// Two bodies that start in each other: by how much [m], or 0 where that is not known.
struct Overlap {
  double depth = 0;
  bool layers = false;  // one of them has a layer
};

class OverlapFinder {
 public:
  /// False where the two are apart, or in each other by no more than contact makes of itself.
  bool find(const Placed& a, const Placed& b, Overlap& o) {
    samples_.clear();
    o.layers = a.layer + b.layer > 0;
    o.depth = 0;
    const bool soups = a.shape.has_field() || b.shape.has_field() || a.shrunk || b.shrunk;
    if (!o.layers || !soups) {
      collide(a.shape, a.pose, b.shape, b.pose, 0.0, samples_);
      for (const ContactSample& s : samples_) o.depth = std::max(o.depth, -s.gap);
      return parts_overlap(a.shape, b.shape, o.depth);
    }
    // Within the layers is where contact is; a ball or a capsule of a mesh's overlap is beyond
    // both.
    const LayerSurface x = surface(a), y = surface(b);
    if (contacts_.crosses(x, y)) return true;
    contacts_.find(x, y, 0.0, samples_);
    for (const ContactSample& s : samples_) o.depth = std::max(o.depth, -s.gap - a.layer - b.layer);
    return parts_overlap(a.shape, b.shape, o.depth);
  }

 private:
  static LayerSurface surface(const Placed& p) {
    return {p.core.soup.get(), p.pose, p.layer + p.core.radius};
  }
  LayerContacts contacts_;
  std::vector<ContactSample> samples_;
};

std::string tell(const Model& model, const std::string& a, const std::string& b, const Overlap& o) {
  const std::string how = o.depth > 0
                              ? "an overlap of " + to_text(std::round(o.depth * 1e6) / 1e3) +
                                    " mm" + (o.layers ? " beyond their layers" : "")
                              : "surfaces that cross";
  return "\"" + printable(a) + "\" and \"" + printable(b) + "\" start with " + how +
         ", and are parted at " + to_text(model.scene.point_contact.parting_speed) +
         " m/s (point_contact.parting_speed): move one of them so that there is a gap between "
         "them, or switch their contact off in pairs.";
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
        // These push each other apart by their pressure, however deep they are.
        if (a.field && b.field && a.hydroelastic + b.hydroelastic > 0) return false;
        if (a.robot != b.robot) return true;
        return a.link != b.link && !never(model.robots[at_index(a.robot)], a.link, b.link);
      },
      pairs);
  std::map<std::array<int, 2>, Overlap> deepest;  // by the bodies
  OverlapFinder finder;
  for (const auto& [i, j] : pairs) {
    const Placed &a = all[at_index(i)], &b = all[at_index(j)];
    Overlap o;
    if (!finder.find(a, b, o)) continue;
    const auto [most, first] = deepest.try_emplace({a.body, b.body}, o);
    if (!first && o.depth > most->second.depth) most->second = o;
  }
  for (const auto& [bodies, o] : deepest) {
    const std::string &a = model.body_names[at_index(bodies[0])],
                      &b = model.body_names[at_index(bodies[1])];
    if (may_touch(model.scene, a, b)) out.push_back(tell(model, a, b, o));
  }
}

}  // namespace haptos
