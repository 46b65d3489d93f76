// Newton on velocities and impulses of contact together, of an objective whose terms are all
// frozen.
//
// A stiff contact in velocities alone is a force that springs up within a hair's breadth: Newton
// stops at one such kink after the other. With its impulse gamma as an unknown of its own, what is
// open, sticks or slips is told from both, at a softness D of its own choice, while what is solved
// is the law with its own compliance R:
//
//   gamma = P( gamma + D^-1 (v_hat - v - R gamma) ),      M (z - z_free) = J^T gamma
//
// P is the law at compliance D, and any D >= R has the same solution. Each iteration linearises
// both, eliminates gamma, and factors a matrix of the same pattern as Newton's in velocities; after
// it forces balance, and what is left is by how much the law is off. Mostly six to nine lead to
// round-off from anywhere.
//
// Nothing guarantees it: active sets may go round in a circle. Where the law gets no nearer for a
// few iterations the way is shortened; where that does not help either the search in velocities
// goes on from what was reached (newton.h), which needs nothing of this.
//
// What is lagged, the normal impulse that bounds friction, may follow: each iteration takes its
// own. Then nothing is convex, and the way is halved where the law at D gets farther off. |P(..) -
// gamma| tells how far there is to go, where the stiff law is off by hundreds of loads because one
// contact opened. A few such iterations lead near to what will be lagged in the end.
//
// Source: semi-smooth Newton of augmented Lagrangians, Alart and Curnier 1991. With the law's own
// compliance in it, and the matrix symmetric, since what would not be is lagged.
#pragma once

#include <vector>

#include "haptos/solve/objective/objective.h"
#include "haptos/system/facets/impulses.h"

namespace haptos {

struct ImpulseNewtonReport {
  int iterations = 0;
  int linear_iterations = 0;  // of conjugate gradients, all solves
  bool converged = false;
};

/// Starts from z; leaves the objective's trial at z, with impulses that follow from velocities.
/// @param start  where impulses start, and whether lags follow them (impulses.h)
/// @param most  iterations
/// @param tolerance  of the law, as a part of the load
/// @param dz  scratch: the last direction
ImpulseNewtonReport solve_with_impulses(Objective& f, std::vector<double>& z,
                                        std::vector<double>& dz, const ImpulseStart& start,
                                        double tolerance, int most);

}  // namespace haptos
