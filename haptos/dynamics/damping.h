// Stiffness-proportional Rayleigh damping of a soft body, as a dissipation rate [W]:
//
//   D(u) = tau/2 sum_elements V [ 1/m sum_q 2 mu |Edot_q|^2 + lambda (1/m sum_q tr Edot_q)^2 ],
//   Edot_q = sym(F_q,n^T grad u),
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
