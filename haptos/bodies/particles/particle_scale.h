// What of the material of a body of material points may differ from one environment to another.
#pragma once

namespace haptos {

/// Factors of what a seed is made of, 1 as described.
struct ParticleScale {
  static constexpr int kCount = 5;
  static constexpr double kLeast = 1e-6, kMost = 1e6;  ///< that stiffness and density may be
  double stiffness = 1;  ///< Young's modulus, of a liquid K; what of contact follows from it
  double yield_stress = 1, viscosity = 1, density = 1, friction = 1;
};

}  // namespace haptos
