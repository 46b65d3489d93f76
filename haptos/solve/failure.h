// Why a step did not converge, for a person: when, whose balance is worst, which term carries most,
// and the likeliest cause with its remedy.
//
// The causes are looked for in this order, since each hides those after it:
//
//   numbers that are not finite; a free motion of more than 10 m in the step (loads that have
//   diverged); coupled blocks whose inertias differ by more than 1e8; a Hessian more than 1e13
//   times as stiff as the inertia; too few iterations
#pragma once

#include <functional>
#include <string>

#include "haptos/solve/newton/newton.h"

namespace haptos {

struct Failure {
  enum Cause { kNone, kNotFinite, kRunaway, kMassRatio, kStiffness, kIterations };
  Cause cause = kNone;
  int block = -1;         ///< with the largest residual, or that the cause lies in
  int other = -1;         ///< coupled block of a mass ratio
  double residual = 0;    ///< of that block [N]
  double value = 0;       ///< what the cause is read from: distance [m] or ratio
  const char* term = "";  ///< that carries most
  double load = 0;        ///< its load [N]
};

/// What went wrong in a minimisation that ended with `report`, from where it ended.
Failure find_failure(const Objective& objective, const NewtonReport& report);

/// The failure in words; "" where there is none.
/// @param time  at the start of the step [s]
/// @param name  of the body that owns a block
std::string explain(const Failure& failure, const NewtonReport& report, double time,
                    const std::function<std::string(int block)>& name);

}  // namespace haptos
