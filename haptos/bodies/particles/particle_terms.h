// Terms of material points: what is stored in their deformation, and what a viscous one costs.
//
//   Psi(x) = sum_p V_p psi(F_p(x)),     D(u) = sum_p V_p eta |dev sym L_p(u)|^2
//
// with F_p and psi of particle_law.h and L_p = sum_i u_i grad w_ip^T; D is half of what is
// dissipated, so the stress is 2 eta dev sym L. Frozen and convex: weights are those of the places
// where the step starts, and laws are convex in x.
//
// Gradients and Hessians are summed cell by cell, then from cells to nodes: the same bits for any
// number of threads. Where all tangents are constant, the Hessian is summed once a step.
#pragma once

#include <memory>

#include "haptos/bodies/particles/particle_grid.h"
#include "haptos/system/term.h"

namespace haptos {

/// The grid must outlive the term.
std::unique_ptr<Term> make_particle_energy(const ParticleGrid& grid);
std::unique_ptr<Term> make_particle_viscosity(const ParticleGrid& grid);

}  // namespace haptos
