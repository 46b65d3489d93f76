// Contact of the coats of pads, from the model to its term.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/coat/coat_sampler.h"
#include "haptos/sim/build/frozen_shapes.h"
#include "haptos/sim/build/sides.h"
#include "haptos/sim/model/pairs.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

// What carries a pad: a link of a robot or an affine body, which may move, or a prescribed body.
void carry(const Model& model, std::size_t soft, Workspace& w, PressedCoat& c) {
  const Scene& scene = model.scene;
  const std::string& name = scene.soft[soft].glue.front().body;
  c.body = body_number(model, name);
  if (std::ranges::find(scene.prescribed, name, &PrescribedBody::name) != scene.prescribed.end()) {
    const SoftParts& parts = w.soft[soft];
    c.env = 0;
    c.points = parts.frame;
    for (const int v : parts.coat->vertex) c.node.push_back(parts.points[at_index(v)]);
    return;
  }
  c.frame = model.soft[soft].pose;
  const Side side = side_of(model, w, name);
  if (!side.link) return;  // stands in the world
  w.links.push_back(side.link);
  c.link = side.link.get();
  c.frame = seen_from(start_pose(scene, name), c.frame);
}

PressedCoat coat_of(const Model& model, std::size_t soft, Workspace& w) {
  const SoftBody& spec = model.scene.soft[soft];
  PressedCoat c;
  c.coat = model.coats[soft];
  c.pad = w.soft[soft].body;
  c.friction = spec.friction.sticking;
  c.relaxation_time = spec.material.stiffness_damping;
  carry(model, soft, w, c);
  return c;
}

// Whether links of a robot never touch, of which one carries the pad.
bool never_touch(const Model& model, int carrier, int body) {
  for (const RobotModel& r : model.robots) {
    const int a = carrier - r.first_body, b = body - r.first_body;
    for (const auto& [i, j] : r.no_contact)
      if ((i == a && j == b) || (i == b && j == a)) return true;
  }
  return false;
}

}  // namespace

void add_coat_contact(const Model& model, const FrozenShapes& f, Workspace& w) {
  const Scene& scene = model.scene;
  auto [others, owner] = carried_shapes(model, f, w);
  for (std::size_t i = 0; i < w.prescribed.size(); ++i)
    others[f.shapes.size() + i].friction = scene.prescribed[i].friction.sticking;
  std::vector<PressedCoat> coats;
  std::vector<std::array<int, 2>> excluded;
  PairFrictions own;
  for (std::size_t i = 0; i < w.soft.size(); ++i) {
    if (!w.soft[i].coat) continue;
    const int c = static_cast<int>(coats.size());
    coats.push_back(coat_of(model, i, w));
    owner.push_back(&scene.soft[i].name);
    for (int o = 0; o < static_cast<int>(others.size()); ++o) {
      const PairOptions* p = pair_options(scene, scene.soft[i].name, *owner[at_index(o)]);
      if ((p && !p->enabled) || never_touch(model, coats.back().body, others[at_index(o)].body))
        excluded.push_back({o, c});
      if (p && p->friction.sticking >= 0)
        own.push_back({{o, static_cast<int>(others.size()) + c}, p->friction.sticking});
    }
  }
  auto term =
      std::make_unique<CoatContact>(others, coats, scene.point_contact, std::move(excluded));
  add_frozen(model, own, owner, std::move(term), w);
}

}  // namespace haptos
