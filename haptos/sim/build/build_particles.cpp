// Contact of material points, from the model to its term.
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/particles/particle_sampler.h"
#include "haptos/sim/build/frozen_shapes.h"
#include "haptos/sim/model/pairs.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

CloudSurface cloud_surface(const MaterialPoints& b, const ParticleParts& p) {
  CloudSurface s;
  s.cloud = &p.grid->cloud(p.seed);
  s.body = p.grid->seeds()[at_index(p.seed)].body;
  s.env = 0;
  s.nodes = b.law == static_cast<int>(ParticleLaw::kLiquid);
  s.modulus = b.modulus;
  const double side = std::cbrt(p.grid->seeds()[at_index(p.seed)].volume);
  s.stiffness = b.modulus * side * side;
  s.relaxation_time = b.relaxation_time;
  s.dissipation = b.dissipation;
  s.friction = b.friction;
  return s;
}

}  // namespace

void add_particle_contact(const Model& model, const FrozenShapes& f, Workspace& w) {
  const Scene& scene = model.scene;
  std::vector<CarriedShape> shapes;
  std::vector<const std::string*> owner = f.owner;
  for (const PointShape& s : f.shapes) shapes.push_back(carried_shape(s));
  for (std::size_t i = 0; i < scene.prescribed.size(); ++i) {
    shapes.push_back(carried_shape(model, w, i));
    owner.push_back(&scene.prescribed[i].name);
  }
  if (shapes.empty()) return;
  std::vector<CloudSurface> clouds;
  std::vector<std::array<int, 2>> excluded;
  PairFrictions own = f.own;
  for (std::size_t i = 0; i < w.particles.size(); ++i) {
    const MaterialPoints& b = scene.material_points[i];
    for (std::size_t k = 0; k < shapes.size(); ++k) {
      if (!may_touch(scene, b.name, *owner[k]))
        excluded.push_back({static_cast<int>(k), static_cast<int>(i)});
      const PairOptions* p = pair_options(scene, b.name, *owner[k]);
      if (p && p->friction.sticking >= 0)
        own.push_back(
            {{static_cast<int>(k), static_cast<int>(shapes.size() + i)}, sliding(p->friction)});
    }
    clouds.push_back(cloud_surface(b, w.particles[i]));
  }
  add_frozen(own, std::make_unique<ParticleContact>(shapes, clouds, excluded, scene.point_contact),
             w);
}

}  // namespace haptos
