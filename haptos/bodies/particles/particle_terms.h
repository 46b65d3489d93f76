// Terms of material points: what is stored in their deformation, and what a viscous one costs.
//
//   Psi(x) = sum_p V_p psi(F_p(x)),     D(u) = sum_p V_p eta |dev sym L_p(u)|^2
//
// with F_p and psi of particle_law.h and L_p = sum_i u_i grad w_ip^T; D is half of what is
// dissipated, so the stress is 2 eta dev sym L. Weights are those of the places where the step
// starts. Frozen and convex, but for points of the neo-Hookean law, which have a term of their own:
// live, with a cap so that no point inverts.
#pragma once

#include <memory>
#include <vector>

#include "haptos/bodies/particles/particle_grid.h"
#include "haptos/system/term.h"

namespace haptos {

/// One term, or one for the points of each kind of law. The grid must outlive them.
std::vector<std::unique_ptr<Term>> make_particle_energies(const ParticleGrid& grid);
std::unique_ptr<Term> make_particle_viscosity(const ParticleGrid& grid);

}  // namespace haptos
