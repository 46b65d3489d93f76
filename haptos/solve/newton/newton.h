// minimise: Newton over velocities, for live and for frozen terms alike.
//
// Frozen terms have kinks, where contacts begin to stick: where one cuts Newton's direction short,
// the next directions are cautious ones, whose Hessian lies above the energy, and less so with
// every one that could go on. The last check of velocities is made with the Hessian of the step
// before.
//
// Each iteration assembles gradient and Hessian, factors, caps the direction (collision, inversion,
// candidates' margin), and searches along it: an exact search on the slope when every term is
// frozen, backtracking on the energy otherwise. Driven points advance along their paths with the
// first directions, whose right-hand side holds the Hessian times their motion, and stand still
// once they have arrived.
//
// The Hessian is used as it is while it is positive definite, so that convergence is quadratic;
// when a pivot fails, it is assembled again projected on the positive semi-definite matrices. The
// next iterations then start with the projected one, until the residual is small.
//
// What terms lag is constant in a minimisation. Afterwards it is renewed, and the minimisation goes
// on from where it is; each such pass is a step of a fixed-point iteration, relaxed where it does
// not settle.
//
// An iterative solver is asked for a residual that falls with the square of Newton's own progress
// (Eisenstat and Walker 1996, choice 2), and for no more than the step's tolerance needs.
//
// Stops when the one-norm of the gradient, in newtons, is at most force_tolerance times the load
// and the last velocity change of any point is at most velocity_tolerance. Where a step begins
// well, what the gradient left would do to each block alone, by its mass, may say so in place of a
// Hessian: then both are met several times over. The one-norm bounds the sum over any set of
// points, so forces and reactions balance to the tolerance as well. A residual that is no more than
// the rounding of positions, and no longer falls, is the best that double precision gives: it
// counts as converged whatever the tolerance says.
#pragma once

#include <cstdint>

#include "haptos/options/newton_options.h"
#include "haptos/solve/objective/objective.h"

namespace haptos {

struct NewtonReport {
  int iterations = 0;
  int line_search_steps = 0;
  int lag_passes = 0;  ///< minimisations after the first, for what is lagged
  int projected = 0;   ///< iterations that needed the projected Hessian
  int linear_iterations =
      0;                ///< of conjugate gradients, all solves; 0 with factors in double precision
  double residual = 0;  ///< [N]
  double load = 0;      ///< [N]
  double energy = 0;    ///< objective at the end [J]
  double velocity_change = 0;  ///< largest point velocity change of the last iteration [m/s]
  double smallest_gap = 0;     ///< [m]
  double path = 1;             ///< fraction of the driven points' path that was covered
  std::uint32_t status = 0;
};

/// Minimises the objective from z or from the free motion, whichever costs less, then takes what
/// terms lag (friction's normal forces) from the result and goes on, until the residual with
/// nothing lagged is within the tolerance. On return z holds the velocities, and the objective's
/// trial and assembled gradient are those of z.
NewtonReport minimise(Objective& objective, const NewtonOptions& options, std::vector<double>& z);

}  // namespace haptos
