// Impulses: what a frozen term offers to a Newton iteration whose unknowns are its impulses beside
// the velocities (solve/newton/impulse_newton.h).
#pragma once

#include <vector>

namespace haptos {

/// How an iteration starts, and what it solves.
struct ImpulseStart {
  bool goes_on = false;  ///< from the impulses where the last iteration ended, converged or not
  /// Terms that lag forces take those of each iteration instead; what they lag at the end are the
  /// last ones. Terms that lag nothing have nothing to do.
  bool lags_follow = false;
  const std::vector<double>* trial = nullptr;  ///< velocities, at each refresh() those of the trial
};

class Impulses {
 public:
  virtual ~Impulses() = default;

  /// From now on refresh() linearises the law between impulses and velocities about those at hand,
  /// and evaluate() gives the gradient and the Hessian that eliminate the impulses. Starts from
  /// what the last solution of the step left, or the last step. False where there is nothing to do;
  /// the others then do nothing.
  virtual bool begin_impulses(const ImpulseStart& start) = 0;
  /// Back to impulses that follow from velocities. The trial has to be set anew.
  virtual void end_impulses() = 0;
  /// Part of the way to the impulses of the linearised law that the coming refresh() goes, as the
  /// velocities do. `again`: from where the last refresh() went from, instead of what it did.
  virtual void set_impulse_part(double part, bool again) = 0;
  /// By how much the impulses are not what the law says at these velocities, all together [N].
  virtual double impulses_off() const = 0;
  /// The same by the law at its softness, which says how far the iteration has to go: a stiff law
  /// is far off wherever a contact opens or closes by a hair's breadth [N].
  virtual double impulses_apart() const = 0;
};

}  // namespace haptos
