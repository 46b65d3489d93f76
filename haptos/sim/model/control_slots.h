// What lies in State::controls after the controls of robots: of each body of material points the
// factors of kParticleFactors, of each soft body that of its stiffness, factors of friction of
// prescribed bodies, soft and affine ones and half-spaces, factors of mass of soft and affine
// bodies, of each constraint the numbers of a motor and near which coordinate it counts on, then
// gravity: whether it is other than the scene's, and what it is then.
#pragma once

#include <string>
#include <vector>

#include "haptos/base/math/index.h"
#include "haptos/bodies/particles/particle_grid.h"
#include "haptos/sim/model/model.h"
#include "haptos/sim/model/robots.h"
#include "haptos/system/state.h"

namespace haptos {

constexpr int kGravitySlots = 4;

/// Largest factors of friction and of mass; the least ones are 0, and one over it.
constexpr double kMostFrictionFactor = 1e3, kMostMassFactor = 1e6;

/// @param body  number in scene.material_points
inline std::size_t material_slot(const Model& model, std::size_t body) {
  const int robots = model.robots.empty() ? 0 : model.robots.back().controls.end();
  return at_index(robots) + body * kParticleFactorCount;
}

/// @param body  number in scene.soft
inline std::size_t soft_slot(const Model& model, std::size_t body) {
  return material_slot(model, model.scene.material_points.size()) + body;
}

/// The first of the factors of friction, and of those of mass.
inline std::size_t first_friction_slot(const Model& model) {
  return soft_slot(model, model.scene.soft.size());
}
inline std::size_t first_mass_slot(const Model& model) {
  const Scene& s = model.scene;
  return first_friction_slot(model) + s.prescribed.size() + s.soft.size() + s.affine.size() +
         s.half_spaces.size();
}

/// No factor.
constexpr std::size_t kNoSlot = ~std::size_t{0};
/// The factor of friction of a body of any kind, a link ("robot/link") has that of its robot; and
/// of the mass of a soft or an affine body. kNoSlot for other names.
std::size_t friction_slot(const Model& model, const std::string& name);
std::size_t mass_slot(const Model& model, const std::string& name);

/// Of a constraint: those of a motor, then the coordinate.
constexpr int kAxisNear = kMotorSlots, kAxisSlots = kMotorSlots + 1;
inline std::size_t axis_slot(const Model& model, std::size_t constraint) {
  return first_mass_slot(model) + model.scene.soft.size() + model.scene.affine.size() +
         constraint * kAxisSlots;
}

/// How many numbers State::controls has.
inline std::size_t control_count(const Model& model) {
  return axis_slot(model, model.scene.constraints.size()) + kGravitySlots;
}

/// Gravity of an environment [m/s2].
inline Vec3d gravity_of(const Scene& scene, const State& state) {
  const double* g = state.controls.data() + state.controls.size() - kGravitySlots;
  return g[0] != 0 ? Vec3d{{g[1], g[2], g[3]}} : scene.sim.gravity();
}

/// Of robots and constraints 0, of materials 1, gravity that of the scene.
inline std::vector<double> blank_controls(const Model& model) {
  std::vector<double> all(material_slot(model, 0), 0.0);
  all.resize(axis_slot(model, 0), 1.0);
  all.resize(control_count(model), 0.0);
  return all;
}

}  // namespace haptos
