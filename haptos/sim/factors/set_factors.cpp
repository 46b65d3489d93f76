// What a Sim sets of the factors of its state.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/scene/parts/field_rules.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/sim.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

void check_factor(const std::string& who, double scale, double least, double most) {
  if (!(scale >= least && scale <= most))
    refuse(
        who, internal::format_number(scale),
        "must be from " + internal::format_number(least) + " to " + internal::format_number(most),
        "1 is that of the description");
}

[[noreturn]] void no_body(const std::string& who, const std::string& name,
                          const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  std::string remedy = near.empty() ? "those that have one are" : "did you mean \"" + near + "\"?";
  for (std::size_t k = 0; k < known.size() && near.empty(); ++k) remedy += " \"" + known[k] + "\"";
  refuse(who, "", "is of no body that has one", known.empty() ? "the scene has none" : remedy);
}

template <class... Lists>
std::vector<std::string> names_of(const Lists&... lists) {
  std::vector<std::string> all;
  const auto add = [&](const auto& list) {
    all.reserve(all.size() + list.size());
    for (const auto& b : list) all.push_back(b.name);
  };
  (add(lists), ...);
  return all;
}

std::size_t need_mass_slot(const Model& model, const std::string& name) {
  const std::size_t slot = mass_slot(model, name);
  if (slot == kNoSlot)
    no_body("mass factor of \"" + name + "\"", name,
            names_of(model.scene.soft, model.scene.affine));
  return slot;
}

// The soft body of this name that is elastic.
const SoftParts& elastic(const Model& model, const Workspace& w, const char* what,
                         const std::string& name) {
  const std::string who = std::string(what) + " of \"" + name + "\"";
  for (std::size_t i = 0; i < w.soft.size(); ++i)
    if (model.scene.soft[i].name == name) {
      if (!w.soft[i].elements)
        refuse(who, "", "is that of the scene, as the body is a layer", "take model: elastic");
      return w.soft[i];
    }
  no_body(who, name, names_of(model.scene.soft));
}

// Links have that of their robot.
std::size_t own_friction_slot(const Model& model, const std::string& body) {
  const LinkName link = find_link(model.scene, body);
  const bool of_link = link.robot >= 0 && model.scene.robots[at_index(link.robot)].name != body;
  const std::size_t slot = of_link ? kNoSlot : friction_slot(model, body);
  const Scene& s = model.scene;
  if (slot == kNoSlot)
    no_body("friction factor of \"" + body + "\"", body,
            names_of(s.prescribed, s.soft, s.material_points, s.affine, s.robots, s.half_spaces));
  return slot;
}

}  // namespace

ParticleScale Sim::material_scale(const std::string& body) const {
  return particle_scale(state_.controls.data() + particles(body).factors);
}

void Sim::set_material_scale(const std::string& body, const ParticleScale& scale) {
  double* c = state_.controls.data() + particles(body).factors;
  for (const ParticleFactor& f : kParticleFactors)
    check_factor("factor of the " + std::string(f.name) + " of \"" + body + "\"", scale.*f.value,
                 f.least, kMostParticleFactor);
  for (const ParticleFactor& f : kParticleFactors) *c++ = scale.*f.value;
}

double Sim::stiffness_scale(const std::string& soft) const {
  return state_.controls[elastic(*model_, *work_, "stiffness factor", soft).factor];
}

void Sim::set_stiffness_scale(const std::string& soft, double scale) {
  const SoftParts& s = elastic(*model_, *work_, "stiffness factor", soft);
  check_factor("stiffness factor of \"" + soft + "\"", scale, 1 / kMostSoftFactor, kMostSoftFactor);
  state_.controls[s.factor] = scale;
}

double Sim::friction_scale(const std::string& body) const {
  return state_.controls[own_friction_slot(*model_, body)];
}

void Sim::set_friction_scale(const std::string& body, double scale) {
  const std::size_t slot = own_friction_slot(*model_, body);
  check_factor("friction factor of \"" + body + "\"", scale, 0, kMostFrictionFactor);
  state_.controls[slot] = scale;
}

double Sim::mass_scale(const std::string& body) const {
  return state_.controls[need_mass_slot(*model_, body)];
}

void Sim::set_mass_scale(const std::string& body, double scale) {
  const std::size_t slot = need_mass_slot(*model_, body);
  check_factor("mass factor of \"" + body + "\"", scale, 1 / kMostMassFactor, kMostMassFactor);
  for (const SoftBody& s : scene().soft) {
    if (s.name != body) continue;
    elastic(*model_, *work_, "mass factor", body);
    for (const Glue& g : s.glue)
      if (std::ranges::find(scene().prescribed, g.body, &PrescribedBody::name) ==
          scene().prescribed.end())
        refuse(
            "mass factor of \"" + body + "\"", "",
            "is that of the scene, as the inertia of \"" + g.body + "\" counts what is glued to it",
            "set its density in the scene");
  }
  state_.controls[slot] = scale;
}

Vec3d Sim::gravity() const { return gravity_of(scene(), state_); }

void Sim::set_gravity(const Vec3d& gravity) {
  for (int k = 0; k < 3; ++k)
    check_range("gravity", gravity[k], -kMostGravity, kMostGravity, "m/s2");
  const auto at = state_.controls.end() - kGravitySlots;
  *at = 1;
  std::copy_n(gravity.a, 3, at + 1);
}

}  // namespace haptos
