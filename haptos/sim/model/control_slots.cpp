#include "haptos/sim/model/control_slots.h"

#include <algorithm>

#include "haptos/sim/model/robots.h"

namespace haptos {
namespace {

// Number of the body of this name in a list, or how many it has.
template <class List>
std::size_t place_in(const List& list, const std::string& name) {
  const auto at = std::ranges::find_if(list, [&](const auto& b) { return b.name == name; });
  return at_index(at - list.begin());
}

// The slot of a name in lists that follow each other from `first` on.
template <class... Lists>
std::size_t find_slot(std::size_t first, const std::string& name, const Lists&... lists) {
  std::size_t found = kNoSlot;
  const auto look = [&](const auto& list) {
    const std::size_t k = place_in(list, name);
    if (k < list.size() && found == kNoSlot) found = first + k;
    first += list.size();
  };
  (look(lists), ...);
  return found;
}

}  // namespace

std::size_t friction_slot(const Model& model, const std::string& name) {
  const Scene& s = model.scene;
  if (const std::size_t r = place_in(s.robots, name); r < s.robots.size())
    return at_index(model.robots[r].controls.friction());
  if (const LinkName link = find_link(s, name); link.robot >= 0)
    return at_index(model.robots[at_index(link.robot)].controls.friction());
  if (const std::size_t i = place_in(s.material_points, name); i < s.material_points.size()) {
    const auto* const f =
        std::ranges::find(kParticleFactors, &ParticleScale::friction, &ParticleFactor::value);
    return material_slot(model, i) + at_index(f - kParticleFactors);
  }
  return find_slot(first_friction_slot(model), name, s.prescribed, s.soft, s.affine, s.half_spaces);
}

std::size_t mass_slot(const Model& model, const std::string& name) {
  return find_slot(first_mass_slot(model), name, model.scene.soft, model.scene.affine);
}

}  // namespace haptos
