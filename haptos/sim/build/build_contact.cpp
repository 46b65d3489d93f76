// The contact terms of a model: every pair of surfaces, every surface with every half-space, and
// robots; less what is glued together or switched off.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/boundary_layer/layer_sampler.h"
#include "haptos/contact/live/group/live_group.h"
#include "haptos/contact/live/mortar/mortar_term.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/sim/build/build_robots.h"
#include "haptos/sim/build/frozen_shapes.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/model/pair_models.h"
#include "haptos/sim/model/pairs.h"
#include "haptos/sim/model/pressed_inside.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

// A surface that may touch others.
struct Party {
  enum Kind : std::uint8_t { kPrescribed, kLink, kAffine, kSoft };
  Kind kind = kPrescribed;
  std::string name;
  const ContactSurface* surface = nullptr;
  const SoftBody* soft = nullptr;
  Friction friction;
  double pressure = 0;     // [Pa]; see below. 0 where the other one decides
  FrozenSurface inside{};  // what hydroelastic contact knows of it
  int body = -1;           // in Frictions::bodies
};

// The pressure at which contact stands off by about half the support, h(.4) to h(.5). Of a soft
// body a third of its modulus, to which a tactile gel is pressed. Of a stiff one a hundred times
// its weight over its size, so that it stands off by most of the support on a face and by some of
// it on an edge.
constexpr double kModuli = 0.3, kWeights = 100;

double affine_pressure(const Scene& scene, const AffineParts& a, const AffineBody& spec) {
  const double g = std::hypot(scene.sim.gravity_x, scene.sim.gravity_y, scene.sim.gravity_z);
  const AffineFrameSpec& f = a.frame->spec();
  const double load = f.moments.mass * (g > 0 ? g : 9.81) + norm(spec.force);
  return kWeights * load / std::pow(f.volume, 2.0 / 3.0);
}

// Of a link the robot's weight counts: any link may have to bear it. Only prescribed bodies leave
// it to links.
double link_pressure(const Model& model, std::size_t robot, const ContactSurface& s) {
  double mass = 0, area = 0;
  for (const RobotLink& l : model.robots[robot].robot.links) mass += l.mass;
  for (const double a : s.rest.triangle_area) area += a;
  const double g = norm(model.scene.sim.gravity());
  return kWeights * std::max(mass, 1e-3) * (g > 0 ? g : 9.81) / (area / 6);
}

std::vector<Party> parties(const Model& model, const Workspace& w) {
  const Scene& scene = model.scene;
  std::vector<Party> all;
  for (std::size_t i = 0; i < w.prescribed.size(); ++i) {
    if (!w.prescribed[i].surface) continue;
    all.push_back({Party::kPrescribed, scene.prescribed[i].name, w.prescribed[i].surface.get(),
                   nullptr, scene.prescribed[i].friction, 0});
    all.back().inside = pressed_inside(model, i);
  }
  for (std::size_t i = 0; i < w.soft.size(); ++i)
    if (!w.soft[i].coat && !w.soft[i].cloud)
      all.push_back({Party::kSoft, scene.soft[i].name, w.soft[i].surface.get(), &scene.soft[i],
                     scene.soft[i].friction, kModuli * scene.soft[i].material.young});
  for (std::size_t i = 0; i < w.affine.size(); ++i)
    all.push_back({Party::kAffine, scene.affine[i].name, w.affine[i].surface.get(), nullptr,
                   scene.affine[i].friction, affine_pressure(scene, w.affine[i], scene.affine[i])});
  for (std::size_t i = 0; i < w.robots.size(); ++i)
    for (const LinkParts& l : w.robots[i].links)
      for (std::size_t k = 0; k < l.surfaces.size(); ++k) {
        all.push_back({Party::kLink, model.body_names[at_index(l.body)], l.surfaces[k].get(),
                       nullptr, Friction{l.friction[k]}, link_pressure(model, i, *l.surfaces[k])});
        all.back().inside = pressed_inside(model, i, l.link, l.surfaces[k]->part);
      }
  return all;
}

// Friction that the pair itself has.
const Friction* own_friction(const PairOptions* pair) {
  return pair && pair->friction.sticking >= 0 ? &pair->friction : nullptr;
}

FrictionCone friction_cone(const Scene& scene, const PairOptions* pair, const Friction& a,
                           const Friction& b) {
  FrictionCone cone = live_cone(scene, a, b);
  if (const Friction* own = own_friction(pair)) {
    cone.sticking = own->sticking;
    cone.sliding = sliding(*own);
  }
  return cone;
}

// A group's pair may name a model that only others of its bodies take.
LiveModel live_model(const Scene& scene, const PairOptions* pair) {
  if (pair && pair->model == static_cast<int>(PairModel::kMortar)) return LiveModel::kMortar;
  if (pair && pair->model == static_cast<int>(PairModel::kBarrier)) return LiveModel::kBarrier;
  return static_cast<LiveModel>(scene.contact.model);
}

// Stiffness: the pair's, else the scene's, else from the softer soft body or the heavier stiff one.
LiveSetup live_setup(const Scene& scene, const PairOptions* pair, const Party& a, const Party* b,
                     const Friction& other) {
  LiveSetup s;
  s.support = pair && pair->support > 0 ? pair->support : scene.contact.support;
  s.tangential = scene.contact.tangential;
  s.model = live_model(scene, pair);
  s.order = scene.contact.order;
  s.convex_samples = true;
  s.friction = friction_cone(scene, pair, a.friction, other);
  double pressure = a.pressure;
  if (b && b->kind == a.kind && a.kind == Party::kSoft)
    pressure = std::min(pressure, b->pressure);
  else if (b && b->kind == a.kind)
    pressure = std::max(pressure, b->pressure);
  s.stiffness = pair && pair->stiffness > 0   ? pair->stiffness
                : scene.contact.stiffness > 0 ? scene.contact.stiffness
                                              : pressure / s.support;
  return s;
}

double mean_edge(const ContactSurface& s) {
  double sum = 0;
  for (double l : s.rest_length) sum += l;
  return sum / static_cast<double>(s.rest_length.size());
}

// a carries the quadrature.
void add_pair(const Scene& scene, const Party& a, const Party& b, LiveGroup& group, Frictions& f) {
  if (!may_touch(scene, a.name, b.name)) return;
  const PairOptions* pair = pair_options(scene, a.name, b.name);
  LiveSetup setup = live_setup(scene, pair, a, &b, b.friction);
  setup.divisions = scene.contact.divisions;
  const int first = group.pair_count();
  const bool mortar = setup.model == LiveModel::kMortar;
  if (mortar) group.add(a.surface, b.surface, mortar_shell(setup));
  if (mortar && scene.contact.passes == 2 && b.kind == Party::kSoft) {
    setup.stiffness *= 0.5;
    setup.area_share = 0.5;
    group.add(b.surface, a.surface, setup);
  }
  group.add(a.surface, b.surface, setup);
  if (!own_friction(pair))
    for (int k = first; k < group.pair_count(); ++k) f.live.push_back({&group, k, a.body, b.body});
}

// The surface of a soft body with itself.
void add_self(const Scene& scene, const Party& a, LiveGroup& group, Frictions& f) {
  if (!may_touch(scene, a.name, a.name)) return;
  const PairOptions* pair = pair_options(scene, a.name, a.name);
  LiveSetup setup = live_setup(scene, pair, a, &a, a.friction);
  setup.divisions = std::max(scene.contact.divisions, 1);
  setup.model = LiveModel::kBarrier;
  if (!own_friction(pair)) f.live.push_back({&group, group.pair_count(), a.body, a.body});
  group.add(a.surface, a.surface, setup);
}

FrozenShapes frozen_shapes(const Model& model, Workspace& w) {
  const Scene& scene = model.scene;
  FrozenShapes f;
  std::vector<const std::string*>& owner = f.owner;
  for (std::size_t i = 0; i < scene.robots.size(); ++i) {
    add_robot_shapes(scene.robots[i], model.robots[i], w.robots[i], w, f.shapes, f.excluded);
    for (const auto& link : model.robots[i].layers)
      f.layers.insert(f.layers.end(), link.begin(), link.end());
    for (std::size_t k = owner.size(); k < f.shapes.size(); ++k)
      owner.push_back(&model.body_names[at_index(f.shapes[k].body)]);
  }
  if (f.shapes.empty() && !has_coats(model) && !touches_by_points(scene)) return f;
  for (const HalfSpace& h : scene.half_spaces) {
    Shape plane;
    plane.kind = ShapeKind::kHalfSpace;
    PointShape p{CollisionShape(plane, h.name), {h.normal * h.offset, rotation_to(h.normal)}};
    p.body = body_number(model, h.name);
    p.layer = h.layer;
    if (!f.layers.empty())
      f.layers.push_back(layer_shape(plane, h.name, false, h.shrink ? h.layer : 0));
    if (largest_hydroelastic(scene) > 0 || has_coats(model) || touches_by_points(scene)) {
      p.field = std::make_shared<DistanceField>(plane);
      p.hydroelastic = h.hydroelastic;
    }
    f.shapes.push_back(std::move(p));
    owner.push_back(&h.name);
  }
  const bool any = !scene.pairs.empty() || !scene.constraints.empty();
  for (std::size_t j = 0; j < f.shapes.size() && any; ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const std::array<int, 2> both{static_cast<int>(i), static_cast<int>(j)};
      const PairOptions* p = pair_options(scene, *owner[i], *owner[j]);
      if ((p && !p->enabled) || joined(scene, *owner[i], *owner[j])) f.excluded.push_back(both);
      if (!p) continue;
      if (p->friction.sticking >= 0) f.own.emplace_back(both, sliding(p->friction));
    }
  return f;
}

// Frozen contact of robots with each other and with half-spaces: by layers where one of the two has
// one, else of points.
void add_frozen_contact(const Model& model, Workspace& w) {
  const FrozenShapes f = frozen_shapes(model, w);
  if (has_coats(model)) add_coat_contact(model, f, w);
  if (touches_by_points(model.scene)) add_cloud_contact(model, f, w);
  if (!w.particles.empty()) add_walls(model, f, w);
  if (model.robots.empty()) return;
  add_hydroelastic_contact(model, f, w);
  if (f.shapes.size() < 2) return;
  const PointContactOptions& law = model.scene.point_contact;
  if (std::any_of(f.shapes.begin(), f.shapes.end(),
                  [](const PointShape& s) { return s.layer == 0; }))
    add_frozen(model, f.own, f.owner, std::make_unique<PointContact>(f.shapes, law, f.excluded), w);
  if (f.layers.empty()) return;
  std::vector<LayeredShape> layered;
  for (std::size_t i = 0; i < f.shapes.size(); ++i) {
    LayeredShape s;
    static_cast<FrozenSurface&>(s) = f.shapes[i];
    s.core = f.layers[i];
    s.frame = f.shapes[i].frame;
    s.layer = f.shapes[i].layer;
    layered.push_back(std::move(s));
  }
  add_frozen(model, f.own, f.owner, std::make_unique<LayerContact>(layered, law, f.excluded), w);
}

}  // namespace

CarriedShape carried_shape(const PointShape& s) {
  CarriedShape c;
  static_cast<FrozenSurface&>(c) = s;
  c.frame = s.frame;
  return c;
}

CarriedShape carried_shape(const Model& model, const Workspace& w, std::size_t prescribed) {
  const PrescribedPoints& p = w.prescribed[prescribed];
  CarriedShape c;
  static_cast<FrozenSurface&>(c) = pressed_inside(model, prescribed);
  c.body = p.body;
  c.points = RigidPoints(p.points, p.local);
  if (!c.points.valid()) c.field = nullptr;
  return c;
}

CarriedShapes carried_shapes(const Model& model, const FrozenShapes& f, const Workspace& w) {
  CarriedShapes all;
  all.owner = f.owner;
  all.shapes.reserve(f.shapes.size() + w.prescribed.size());
  for (const PointShape& s : f.shapes) all.shapes.push_back(carried_shape(s));
  for (std::size_t i = 0; i < w.prescribed.size(); ++i) {
    all.shapes.push_back(carried_shape(model, w, i));
    all.owner.push_back(&model.scene.prescribed[i].name);
  }
  return all;
}

void add_contact(Workspace& w, std::unique_ptr<ContactTerm> term) {
  w.contact_terms.push_back(term.get());
  w.terms.push_back(std::move(term));
}

void add_frozen(const Model& model, const PairFrictions& own,
                const std::vector<const std::string*>& owner, std::unique_ptr<FrozenContact> term,
                Workspace& w) {
  for (const auto& [both, friction] : own) term->set_pair_friction(both[0], both[1], friction);
  add_frictions(model, owner, *term, w);
  add_contact(w, std::move(term));
}

void add_contacts(const Model& model, Workspace& w) {
  const Scene& scene = model.scene;
  std::vector<Party> all = parties(model, w);
  const auto factored = [&](const std::string& name, const Friction& described) {
    w.frictions.bodies.push_back({described, friction_slot(model, name)});
    return static_cast<int>(w.frictions.bodies.size()) - 1;
  };
  for (Party& p : all) p.body = factored(p.name, p.friction);
  auto group = make_live_group();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].soft && all[i].soft->self_contact) add_self(scene, all[i], *group, w.frictions);
    for (std::size_t j = 0; j < i; ++j) {
      const Party *a = &all[i], *b = &all[j];
      // Links touch each other in frozen contact, and prescribed bodies too where they may.
      if (a->kind <= Party::kLink && a->kind == b->kind) continue;
      if (meet_by_pressure(scene, a->name, a->inside, b->name, b->inside)) continue;
      if (a->surface->driven && b->surface->driven) continue;
      // The soft one carries the quadrature; of two alike the finer one.
      const bool swap =
          a->kind == b->kind ? mean_edge(*b->surface) < mean_edge(*a->surface) : b->kind > a->kind;
      if (swap) std::swap(a, b);
      add_pair(scene, *a, *b, *group, w.frictions);
    }
  }
  if (group->pair_count() > 0) add_contact(w, std::move(group));
  for (const HalfSpace& h : scene.half_spaces) {
    const int body = factored(h.name, h.friction);
    for (const Party& p : all) {
      if (p.kind <= Party::kLink || !may_touch(scene, p.name, h.name)) continue;
      const PairOptions* pair = pair_options(scene, p.name, h.name);
      auto term = make_half_space_term(p.surface, h.normal, h.offset, body_number(model, h.name),
                                       live_setup(scene, pair, p, nullptr, h.friction));
      if (!own_friction(pair)) w.frictions.live.push_back({term.get(), 0, p.body, body});
      add_contact(w, std::move(term));
    }
  }
  add_frozen_contact(model, w);
}

void fit_supports(const State& state, Workspace& w) {
  std::vector<Vec3d> x = w.points.x_start;
  place_stiff(state, w, x);
  for (ContactTerm* t : w.contact_terms) t->fit_supports(x);
}

}  // namespace haptos
