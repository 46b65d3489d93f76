// Factors that the state holds of what bodies are made of (sim/model/control_slots.h), and how they
// reach bodies and contact.
#include <algorithm>
#include <cmath>
#include <utility>

#include "haptos/base/math/index.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

double combine(int rule, double a, double b) {
  switch (static_cast<Combine>(rule)) {
    case Combine::kMultiply:
      return a * b;
    case Combine::kMin:
      return std::min(a, b);
    case Combine::kMax:
      return std::max(a, b);
    case Combine::kAverage:
      return 0.5 * (a + b);
    case Combine::kGeometric:
      break;
  }
  return sqrt(a * b);
}

void apply_materials(const std::vector<double>& c, Workspace& w) {
  for (SoftParts& s : w.soft) {
    const double by = c[s.factor];
    if (!s.elements || std::exchange(s.stiffer, by) == by) continue;
    const Material& m = s.elements->material;
    *s.moduli = lame(by * m.young, m.poisson);
    s.nodes->set_stiffer(by);
    if (s.cloud) s.nodes->set_stiffness(stiffness_diagonal(*s.elements, *s.moduli));
  }
  for (ParticleParts& p : w.particles) {
    const ParticleScale scale = particle_scale(c.data() + p.factors);
    p.grid->set_scale(p.seed, scale);
    const double by = p.follows ? scale.stiffness : 1;
    for (const auto& [contact, surface] : p.contacts)
      contact->set_modulus(surface, by * p.modulus, by * p.stiffness);
  }
}

// Of what a soft body has glued to prescribed bodies, which carry its mass.
void carry(const SoftParts& s, std::vector<PrescribedPoints>& prescribed) {
  for (PrescribedPoints& p : prescribed)
    for (std::size_t k = 0; k < p.points.size(); ++k) {
      const int vertex = p.points[k] - s.points.front();
      if (p.glued_mass[k] > 0 && vertex >= 0 && vertex < static_cast<int>(s.points.size()))
        p.glued_mass[k] = s.nodes->mass()[at_index(vertex)];
    }
}

void apply_masses(const std::vector<double>& c, Workspace& w) {
  for (SoftParts& s : w.soft)
    if (s.nodes->scale_mass(c[s.mass_factor])) carry(s, w.prescribed);
  for (AffineParts& a : w.affine) a.frame->scale_mass(c[a.mass_factor]);
}

void apply_frictions(const Scene& scene, const std::vector<double>& c, Frictions& f) {
  for (const FrozenFriction& s : f.frozen) s.term->set_friction(s.surface, c[s.slot] * s.described);
  if (f.applied.empty()) f.applied.assign(f.bodies.size(), 1.0);
  bool changed = false;
  for (std::size_t i = 0; i < f.bodies.size(); ++i)
    changed |= std::exchange(f.applied[i], c[f.bodies[i].slot]) != f.applied[i];
  if (!changed) return;
  for (const LiveFriction& p : f.live) {
    const auto a = at_index(p.a), b = at_index(p.b);
    p.term->set_cone(p.pair, live_cone(scene, f.bodies[a].described, f.bodies[b].described,
                                       f.applied[a], f.applied[b]));
  }
}

}  // namespace

FrictionCone live_cone(const Scene& scene, const Friction& a, const Friction& b, double factor_a,
                       double factor_b) {
  const int rule = scene.contact.combine;
  FrictionCone cone{combine(rule, factor_a * a.sticking, factor_b * b.sticking),
                    combine(rule, factor_a * sliding(a), factor_b * sliding(b))};
  if (scene.contact.friction_law == 1) cone.slip_speed = scene.contact.slip_speed;
  return cone;
}

void add_frictions(const Model& model, const std::vector<const std::string*>& owner,
                   FrozenContact& term, Workspace& w) {
  for (std::size_t i = 0; i < owner.size(); ++i) {
    const double described = term.surface(static_cast<int>(i)).friction;
    const std::size_t slot = friction_slot(model, *owner[i]);
    if (described >= 0 && slot != kNoSlot)
      w.frictions.frozen.push_back({&term, static_cast<int>(i), described, slot});
  }
}

void apply_factors(const Scene& scene, const State& state, Workspace& w) {
  apply_materials(state.controls, w);
  apply_masses(state.controls, w);
  apply_frictions(scene, state.controls, w.frictions);
}

}  // namespace haptos
