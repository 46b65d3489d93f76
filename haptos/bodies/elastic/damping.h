// Stiffness-proportional damping of a soft body, as a dissipation rate [W]:
//
//   D(u) = tau/2 sum_elements V [ 1/m sum_q 2 mu |Edot_q|^2 + lambda (1/m sum_q tr Edot_q)^2 ],
//   Edot_q = (E_q(x_base + b u) - E_q,base) / b,   E_base = E_n + w (E_n - E_n-1),
//
// with E = (F^T F - I)/2 Green's strain and w, b of the integrator (bodies/body.h): for implicit
// Euler the mean rate over the step, sym(F_q,n^T L_q) + h/2 L_q^T L_q with L_q = grad u. So a rigid
// motion, however far it turns in a step, dissipates nothing, and the forces F_n+1 S_q g_aq have no
// moment about the positions at the step's end, where contact and glue are balanced. For small
// strain D is tau/2 u^T K u with K the linear stiffness: Rayleigh's term.
// Live: quartic in u; convex only where S is positive, as when strain grows.
// docs/laws/elasticity.md.
#pragma once

#include <memory>

#include "haptos/bodies/elastic/soft_element.h"
#include "haptos/system/term.h"

namespace haptos {

/// tau is elements->material.stiffness_damping [s].
/// @param moduli  null: those of the material
std::unique_ptr<Term> make_damping_term(std::shared_ptr<const SoftElements> elements,
                                        SharedLame moduli = nullptr);

}  // namespace haptos
