// Stiffness-proportional Rayleigh damping of a soft body, as a dissipation rate [W]:
//
//   D(u) = tau/2 sum_t V_t 2 mu |Edot_t|^2  +  tau/2 sum_patches lambda V (sum_t V_t tr Edot_t / V)^2,
//   Edot = sym(F_n^T grad u),
//
// with F_n the deformation at the start of the step. Edot is the rate of Green's strain, so a rigid
// motion dissipates nothing in any deformed state; at rest D = tau/2 u^T K u with K the linear
// stiffness, which is Rayleigh's term. Quadratic and convex in u: its matrix is constant in a step.
#pragma once

#include <memory>

#include "haptos/dynamics/soft_element.h"
#include "haptos/potential/term.h"

namespace haptos {

/// tau is elements->material.stiffness_damping [s].
std::unique_ptr<Term> make_damping_term(std::shared_ptr<const SoftElements> elements);

}  // namespace haptos
