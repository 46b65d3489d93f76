// The two searches along a Newton direction.
#pragma once

#include "haptos/solve/objective.h"

namespace haptos {

struct LineSearchResult {
  double alpha = 0;  ///< accepted fraction of the direction; 0 when nothing was accepted
  int evaluations = 0;
};

/// Halves alpha from `cap` until the energy falls by 1e-4 of the slope (Armijo). Near convergence
/// an energy difference drowns in round-off, so a step is also accepted when the energy stays
/// within `slack` (64 units in the last place of what was added up). Leaves the objective at the
/// accepted trial, or at z when none was.
LineSearchResult backtrack(Objective& objective, const std::vector<double>& z,
                           const std::vector<double>& dz, double cap, const Energy& start,
                           double slope, int max_evaluations);

/// Root of the slope phi'(alpha) = g(z + alpha dz) . dz in (0, 1.5] by safeguarded Newton, to 1e-8
/// of the initial slope. For convex objectives without a step cap.
LineSearchResult exact_search(Objective& objective, const std::vector<double>& z,
                              const std::vector<double>& dz, double slope, int max_evaluations);

}  // namespace haptos
