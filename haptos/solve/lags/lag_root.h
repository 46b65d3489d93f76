// LagRoot: Newton on the balance of forces with nothing lagged, where passes of minimisations do
// not settle.
//
//   F(z) = gradient at z with the lagged forces that follow from z,     J d = -F,     z <- z + a d
//
// A pass of the fixed-point iteration answers a lagged force with the minimum under it. Where that
// answer jumps (a body that may rest in two ways), no lagged force answers itself, but F, which is
// continuous, still has a zero: it is no minimum under its own lagged forces. J is not symmetric
// and is never formed: GMRES (Saad and Schultz 1986) multiplies by differences of F, and the
// factored Hessian with lagged forces is its right preconditioner, so J H^-1 is the identity plus
// what friction's dependence on normal forces adds. Steps are capped as all are, and end where F no
// longer has a large part against the direction: along it |F| may rise on the way, across a kink.
//
// Limits: direct linear solver only; F has kinks (stick to slip, contact that opens), where |F| may
// stop falling: then the attempt has failed, and z is where |F| was smallest.
#pragma once

#include <functional>
#include <vector>

#include "haptos/solve/objective/objective.h"

namespace haptos {

struct LagRootReport {
  int iterations = 0;   ///< of Newton
  int evaluations = 0;  ///< of F
  bool converged = false;
};

/// Starts from z and what is lagged now; leaves the objective's trial, lags and gradient at z.
/// @param arrived  asked with the gradient of F assembled: whether it is small enough
LagRootReport find_lag_root(Objective& f, std::vector<double>& z, int max_iterations,
                            const std::function<bool()>& arrived);

}  // namespace haptos
