// Frozen contact of material points and of soft bodies, from the model to its term.
#include <cmath>
#include <utility>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/cloud/cloud_pairs.h"
#include "haptos/contact/frozen/cloud/cloud_sampler.h"
#include "haptos/contact/frozen/hydroelastic/soft_pressure.h"
#include "haptos/sim/build/frozen_shapes.h"
#include "haptos/sim/model/pairs.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

// By default a modulus by which a body gives way a hundred times less than by its elements or
// cells, thirty times by a pressure inside its elements, and that of a liquid [Pa/m].
constexpr double kStiffer = 100, kStifferInside = 30, kOfLiquid = 1e8;

CloudSurface cloud_surface(const MaterialPoints& b, const ParticleParts& p) {
  CloudSurface s;
  s.cloud = &p.grid->cloud(p.seed);
  s.body = p.grid->seeds()[at_index(p.seed)].body;
  s.env = 0;
  const bool liquid = b.law == static_cast<int>(ParticleLaw::kLiquid);
  s.nodes = liquid              ? CloudSurface::kBehind
            : b.contact_at == 1 ? CloudSurface::kSummed
                                : CloudSurface::kNone;
  s.yields = !liquid;
  s.modulus = b.modulus > 0 ? b.modulus : liquid ? kOfLiquid : kStiffer * b.young / b.cell;
  const double side = std::cbrt(p.grid->seeds()[at_index(p.seed)].volume);
  s.stiffness = s.modulus * side * side;
  s.relaxation_time = b.relaxation_time;
  s.dissipation = b.dissipation;
  s.friction = b.friction;
  return s;
}

CloudSurface cloud_surface(const SoftBody& b, const SoftParts& p) {
  CloudSurface s;
  s.cloud = p.cloud.get();
  s.body = p.body;
  s.env = 0;
  const double times = b.has_pressure() ? kStifferInside : kStiffer;
  s.modulus = b.modulus > 0 ? b.modulus : times * b.material.young / p.cloud->edge();
  s.stiffness = s.modulus * p.cloud->mean_area();
  s.relaxation_time = b.relaxation_time;
  s.dissipation = b.dissipation;
  s.friction = sliding(b.friction);
  s.yields = s.soft = true;
  return s;
}

// A cloud of the scene, and what it is of.
struct NamedCloud {
  const std::string* name;
  CloudSurface surface;
  std::shared_ptr<const RestDepth> depth = nullptr;  // of a soft one that has a pressure inside
  const std::vector<int>* points = nullptr;          // of its vertices
  ParticleParts* particles = nullptr;                // of material points
};

std::vector<NamedCloud> clouds_of(const Model& model, Workspace& w) {
  const Scene& scene = model.scene;
  std::vector<NamedCloud> all;
  for (std::size_t i = 0; i < w.particles.size(); ++i) {
    const MaterialPoints& b = scene.material_points[i];
    ParticleParts& p = w.particles[i];
    const CloudSurface s = cloud_surface(b, p);
    p.modulus = s.modulus, p.stiffness = s.stiffness;
    p.follows = !(b.modulus > 0) && b.law != static_cast<int>(ParticleLaw::kLiquid);
    all.push_back({&b.name, s, nullptr, nullptr, &p});
  }
  for (std::size_t i = 0; i < w.soft.size(); ++i)
    if (w.soft[i].cloud)
      all.push_back({&scene.soft[i].name, cloud_surface(scene.soft[i], w.soft[i]),
                     model.soft_depths[i], &w.soft[i].points});
  return all;
}

// Of soft bodies and material points with each other.
void add_cloud_pairs(const Model& model, const std::vector<NamedCloud>& all, Workspace& w) {
  const Scene& scene = model.scene;
  std::vector<CloudSurface> clouds;
  std::vector<const std::string*> owner;
  std::vector<std::array<int, 2>> pairs;
  PairFrictions own;
  for (std::size_t i = 0; i < all.size(); ++i) {
    clouds.push_back(all[i].surface);
    owner.push_back(all[i].name);
    for (std::size_t j = 0; j < i; ++j) {
      // Soft ones come after material points, of which those on one grid meet there.
      if (all[i].particles && all[i].particles->grid == all[j].particles->grid) continue;
      if (!may_touch(scene, *all[i].name, *all[j].name)) continue;
      const std::array<int, 2> both{static_cast<int>(j), static_cast<int>(i)};
      pairs.push_back(both);
      const PairOptions* p = pair_options(scene, *all[j].name, *all[i].name);
      if (p && p->friction.sticking >= 0) own.emplace_back(both, sliding(p->friction));
    }
  }
  if (pairs.empty()) return;
  const std::vector<FrozenSurface> surfaces(clouds.begin(), clouds.end());
  auto term = std::make_unique<FrozenContact>(
      surfaces, scene.point_contact,
      std::make_unique<CloudPairSampler>(std::move(clouds), std::move(pairs)));
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].particles) all[i].particles->contacts.emplace_back(term.get(), static_cast<int>(i));
  add_frozen(model, own, owner, std::move(term), w);
}

// Of bodies whose surfaces come after those of the shapes: what they never touch, and frictions
// that pairs set.
struct Meetings {
  std::vector<std::array<int, 2>> excluded;
  PairFrictions own;
  void add(const Scene& scene, const CarriedShapes& shapes, const std::string& name, int number) {
    for (std::size_t k = 0; k < shapes.shapes.size(); ++k) {
      const int shape = static_cast<int>(k), all = static_cast<int>(shapes.shapes.size());
      if (!may_touch(scene, name, *shapes.owner[k])) excluded.push_back({shape, number});
      const PairOptions* p = pair_options(scene, name, *shapes.owner[k]);
      if (p && p->friction.sticking >= 0)
        own.push_back({{shape, all + number}, sliding(p->friction)});
    }
  }
};

// Of those whose points touch shapes.
void add_points(const Model& model, const std::vector<NamedCloud>& all, const CarriedShapes& shapes,
                const PairFrictions& own, Workspace& w) {
  const Scene& scene = model.scene;
  std::vector<const std::string*> owner = shapes.owner;
  std::vector<CloudSurface> clouds;
  Meetings m{{}, own};
  const int first = static_cast<int>(shapes.shapes.size());
  std::vector<std::pair<ParticleParts*, int>> particles;
  for (const NamedCloud& c : all) {
    if (c.depth) continue;
    if (c.particles) particles.emplace_back(c.particles, first + static_cast<int>(clouds.size()));
    m.add(scene, shapes, *c.name, static_cast<int>(clouds.size()));
    clouds.push_back(c.surface);
    owner.push_back(c.name);
  }
  if (clouds.empty()) return;
  auto term =
      std::make_unique<CloudContact>(shapes.shapes, clouds, m.excluded, scene.point_contact);
  for (const auto& [parts, surface] : particles) parts->contacts.emplace_back(term.get(), surface);
  add_frozen(model, m.own, owner, std::move(term), w);
}

// Of those that a pressure inside holds off.
void add_pressed(const Model& model, const std::vector<NamedCloud>& all,
                 const CarriedShapes& shapes, const PairFrictions& own, Workspace& w) {
  const Scene& scene = model.scene;
  std::vector<const std::string*> owner = shapes.owner;
  std::vector<PressedBody> bodies;
  Meetings m{{}, own};
  for (const NamedCloud& c : all) {
    if (!c.depth) continue;
    m.add(scene, shapes, *c.name, static_cast<int>(bodies.size()));
    PressedBody& b = bodies.emplace_back(PressedBody{c.surface, c.depth, *c.points});
    b.hydroelastic = c.surface.modulus;
    owner.push_back(c.name);
  }
  if (bodies.empty()) return;
  add_frozen(
      model, m.own, owner,
      std::make_unique<SoftPressureContact>(shapes.shapes, bodies, m.excluded, scene.point_contact),
      w);
}

}  // namespace

void add_cloud_contact(const Model& model, const FrozenShapes& f, Workspace& w) {
  const std::vector<NamedCloud> all = clouds_of(model, w);
  add_cloud_pairs(model, all, w);
  const CarriedShapes shapes = carried_shapes(model, f, w);
  if (shapes.shapes.empty()) return;
  add_points(model, all, shapes, f.own, w);
  add_pressed(model, all, shapes, f.own, w);
}

}  // namespace haptos
