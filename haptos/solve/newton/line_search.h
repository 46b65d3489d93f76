// The two searches along a Newton direction.
#pragma once

#include "haptos/solve/objective/objective.h"

namespace haptos {

struct LineSearchResult {
  double alpha = 0;  ///< accepted part of the direction; 0 when nothing was accepted
  int evaluations = 0;
  int halvings = 0;  ///< of the direction, until it was accepted
};

/// Halves alpha from 1, or from what the terms admit, until the energy falls by 1e-4 of the slope
/// (Armijo). Bodies may bend the way (Retraction): every trial is bent for itself and goes as far
/// along its chord as they admit. Near convergence an energy difference drowns in round-off, so a
/// step that does not raise the energy by more than rounding (64 units in the last place of what
/// was added up) is accepted too, if the slope there is not more than half as steep the other way.
/// Where the whole direction takes nearly as much away as its slope promised, the energy is all but
/// straight along it, and the Hessian, projected perhaps, too stiff: alpha then doubles, up to 8,
/// while that goes on.
/// Leaves z and the objective at the accepted trial, or where they were when none was.
LineSearchResult backtrack(Objective& objective, std::vector<double>& z,
                           const std::vector<double>& dz, const Energy& start, double slope,
                           int max_evaluations);

/// Root of the slope phi'(alpha) = g(z + alpha dz) . dz in (0, 1.5] by safeguarded Newton, to a
/// tenth of the initial slope. For convex objectives without a step cap. z as above.
LineSearchResult exact_search(Objective& objective, std::vector<double>& z,
                              const std::vector<double>& dz, double slope, int max_evaluations);

}  // namespace haptos
