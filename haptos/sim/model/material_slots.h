// Where the factors of materials lie in State::controls: of each body of material points those of
// kParticleFactors, after the controls of robots.
#pragma once

#include <vector>

#include "haptos/base/math/index.h"
#include "haptos/bodies/particles/particle_grid.h"
#include "haptos/sim/model/model.h"

namespace haptos {

/// @param body  number in scene.material_points
inline std::size_t material_slot(const Model& model, std::size_t body) {
  const int robots = model.robots.empty() ? 0 : model.robots.back().controls.end();
  return at_index(robots) + body * kParticleFactorCount;
}

/// How many numbers State::controls has.
inline std::size_t control_count(const Model& model) {
  return material_slot(model, model.scene.material_points.size());
}

/// Of robots 0, of materials 1.
inline std::vector<double> blank_controls(const Model& model) {
  std::vector<double> all(material_slot(model, 0), 0.0);
  all.resize(control_count(model), 1.0);
  return all;
}

}  // namespace haptos
