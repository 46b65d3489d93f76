// What lies in State::controls after the controls of robots: of each body of material points the
// factors of kParticleFactors, of each soft body that of its stiffness, then gravity:
// whether it is other than the scene's, and what it is then.
#pragma once

#include <vector>

#include "haptos/base/math/index.h"
#include "haptos/bodies/particles/particle_grid.h"
#include "haptos/sim/model/model.h"
#include "haptos/system/state.h"

namespace haptos {

constexpr int kGravitySlots = 4;

/// @param body  number in scene.material_points
inline std::size_t material_slot(const Model& model, std::size_t body) {
  const int robots = model.robots.empty() ? 0 : model.robots.back().controls.end();
  return at_index(robots) + body * kParticleFactorCount;
}

/// @param body  number in scene.soft
inline std::size_t soft_slot(const Model& model, std::size_t body) {
  return material_slot(model, model.scene.material_points.size()) + body;
}

/// How many numbers State::controls has.
inline std::size_t control_count(const Model& model) {
  return soft_slot(model, model.scene.soft.size()) + kGravitySlots;
}

/// Gravity of an environment [m/s2].
inline Vec3d gravity_of(const Scene& scene, const State& state) {
  const double* g = state.controls.data() + state.controls.size() - kGravitySlots;
  return g[0] != 0 ? Vec3d{{g[1], g[2], g[3]}} : scene.sim.gravity();
}

/// Of robots 0, of materials 1, gravity that of the scene.
inline std::vector<double> blank_controls(const Model& model) {
  std::vector<double> all(material_slot(model, 0), 0.0);
  all.resize(control_count(model) - kGravitySlots, 1.0);
  all.resize(control_count(model), 0.0);
  return all;
}

}  // namespace haptos
