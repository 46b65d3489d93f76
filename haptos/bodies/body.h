// What owns unknowns. A body occupies consecutive blocks of velocities z and a slice of coordinates
// q; it sets up the step and carries coordinates over it. Terms know nothing of bodies.
#pragma once

#include <cmath>
#include <vector>

#include "haptos/system/facets/held_range.h"
#include "haptos/system/points.h"
#include "haptos/system/state.h"

namespace haptos {

/// Where a body's parts live; filled by sim/build.
struct BodySlots {
  int body = -1;  ///< id in records
  int env = 0;
  int first_block = 0;            ///< of BlockPattern
  int first_scalar = 0;           ///< of z
  int first_q = 0;                ///< of State::q
  std::ptrdiff_t first_mass = 0;  ///< of the inertia's dense blocks
};

/// Where the unknowns are that a body has in this step alone; filled by sim/step.
struct StepSlots {
  int first_block = 0, first_scalar = 0;
  std::ptrdiff_t first_mass = 0;
};

/// What a body fills in at the start of a step (arrays span all bodies), and the integrator:
///
///   q = q_base + b z,   q_base = q_n + w (q_n - q_n-1),   s M (z - z_free) + b dPsi/dq = 0,
///   z_free = z_past + b / s M^-1 f,   z_past = z_n + w (z_n - z_n-1), or 0 without momentum.
///
/// Implicit Euler: w 0, b h, s 1. BDF2: w 1/3, b 2/3 h, s 1. Quasi-static: w 0, b h, no momentum,
/// s (h / tau)^2, so that s M is a proximal weight of M / tau^2 per displacement.
struct BodyStep {
  double h = 0;              ///< time step [s]
  double b = 0;              ///< dx/du [s]
  double w = 0;              ///< weight of the last difference
  double s = 1;              ///< factor of the inertia
  bool momentum = true;      ///< whether the past's velocities are carried on
  Vec3d gravity{{0, 0, 0}};  ///< [m/s2]
  Points* points = nullptr;
  std::vector<double>* mass = nullptr;    ///< dense block-diagonal inertia, row-major
  std::vector<double>* z_free = nullptr;  ///< velocities without terms
  std::vector<double>* length = nullptr;  ///< per scalar: what a force along it is divided by for N
  std::vector<HeldRange>* held = nullptr;  ///< for bodies that are held, in order, to add theirs
  std::vector<double>* z_past = nullptr;   ///< velocities without forces
  std::vector<double>* z_hold = nullptr;   ///< velocities that leave everything where it is
  std::vector<double>* z_start = nullptr;  ///< velocities at the start, to write of step_blocks()
  double time = 0;                         ///< at the start of the step [s]
  double path = 1;  ///< for advance(): the part of their path that driven points have covered

  /// q_base and z_past of one entry, and its velocity that holds still.
  double base(const State& state, std::size_t k) const {
    return w == 0 ? state.q[k] : fma(w, state.q[k] - state.q_before[k], state.q[k]);
  }
  double past(const State& state, std::size_t k) const {
    if (!momentum) return 0;
    return w == 0 ? state.z[k] : fma(w, state.z[k] - state.z_before[k], state.z[k]);
  }
};

class Body {
 public:
  virtual ~Body() = default;
  explicit Body(const BodySlots& slots) : slots_(slots) {}
  const BodySlots& slots() const { return slots_; }

  /// Sizes of the body's blocks, and the number of its coordinates.
  virtual std::vector<int> block_sizes() const = 0;
  virtual int q_count() const = 0;
  /// Writes the body's coordinates and velocities at the start of a run.
  virtual void initialize(State& state) const = 0;
  /// Blocks of three unknowns that the body has in this step alone (a grid under particles), after
  /// those of all bodies; asked before begin_step().
  virtual int step_blocks(const State&) { return 0; }
  void set_step_slots(const StepSlots& slots) { step_slots_ = slots; }
  /// Sets x_start, x_base of its points, inertia and free velocities.
  virtual void begin_step(const State& state, const BodyStep& step) = 0;
  /// Adds to the diagonal of the inertia, per scalar unknown of the step, b^2 times that of its
  /// stiffness: what frozen contact takes for its resistance. Nothing of a body that is stiff.
  virtual void add_stiffness(double /*b*/, std::vector<double>& /*inertia*/) const {}
  /// q <- q (+) h z with the solved velocities z; may replace the stored velocities (a rigid body
  /// stores those at the end of the step).
  virtual void advance(const std::vector<double>& z, const BodyStep& step, State& state) = 0;

 protected:
  BodySlots slots_;
  StepSlots step_slots_;
};

}  // namespace haptos
