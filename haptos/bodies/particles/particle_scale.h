// What of the material of a body of material points may differ from one environment to another.
#pragma once

#include <cstddef>
#include <iterator>

namespace haptos {

/// Factors of what a seed is made of, 1 as described.
struct ParticleScale {
  double stiffness = 1;  ///< Young's modulus, of a liquid K; what of contact follows from it
  double yield_stress = 1, viscosity = 1, density = 1, friction = 1;
};

/// One of them, and the least that it may be.
struct ParticleFactor {
  const char* name;
  double ParticleScale::*value;
  double least;
};
/// In the order in which a state holds them.
inline constexpr ParticleFactor kParticleFactors[] = {
    {"stiffness", &ParticleScale::stiffness, 1e-6},
    {"yield_stress", &ParticleScale::yield_stress, 1e-6},
    {"viscosity", &ParticleScale::viscosity, 0},
    {"density", &ParticleScale::density, 1e-6},
    {"friction", &ParticleScale::friction, 0}};
inline constexpr std::size_t kParticleFactorCount = std::size(kParticleFactors);
inline constexpr double kMostParticleFactor = 1e6;

/// Those that begin at c.
inline ParticleScale particle_scale(const double* c) {
  ParticleScale scale;
  for (const ParticleFactor& f : kParticleFactors) scale.*f.value = *c++;
  return scale;
}

}  // namespace haptos
