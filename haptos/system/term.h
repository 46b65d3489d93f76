// A term of the step's objective, and its five verbs.
//
//   min_z 1/2 |z - z_free|_M^2  +  sum Psi(x)  +  b sum D(u)  +  b / h sum l(u; step)
//
// What only some terms need is a class of its own that the term hands out (system/facets/: lag.h,
// impulses.h, revised.h).
//
// A term declares its kind and whether its contact geometry is frozen (built at the start of the
// step, linear in z, no step cap) or live (read again at every trial position, with a step cap).
#pragma once

#include <cstdint>
#include <vector>

#include "haptos/system/assembly.h"
#include "haptos/system/points.h"

namespace haptos {

class ContactHistory;
class Impulses;
class Lagged;
class Revised;

enum class TermKind : std::uint8_t {
  kPosition,      ///< Psi(x) [J]
  kDissipation,   ///< D(u) [W]
  kVelocityCost,  ///< l(u) [J], constants frozen at the start of the step
};

/// What the step knows when it starts.
struct StepContext {
  double time = 0;                         ///< at the start of the step [s]
  double h = 0;                            ///< time step [s]
  double b = 0;                            ///< dx/du = b = beta h of the integrator [s]
  Points* points = nullptr;                ///< terms of frozen contact add their link points here
  const std::vector<double>* z = nullptr;  ///< velocities at the start of the step (scalars)
  /// Delassus estimate: inverse of the diagonal of the inertia, per scalar unknown.
  const std::vector<double>* inverse_mass = nullptr;
  std::int64_t step = 0;                    ///< number of the step
  const ContactHistory* history = nullptr;  ///< what contact remembers
  double w = 0;           ///< x_base = x_start + w (x_start - x_before) of the integrator
  bool proximal = false;  ///< quasi-static: no momentum, rates mean nothing
  /// Of that: only one pass, for what turns is linear within one; the next is a step of its own.
  bool one_pass = false;
  double free_time =
      0;  ///< in which a free body accelerates within the step: h, of statics tau [s]
  /// Velocities at the end of the step without any term (scalars).
  const std::vector<double>* z_free = nullptr;
  /// Where the scalars of a block are; the optimiser's.
  const BlockPattern* pattern = nullptr;
};

/// What refresh() does about samples: the points of quadrature that a term chooses by where
/// surfaces are, with their weights and sides.
enum class Sampling : std::uint8_t {
  kAnew,  ///< chooses them
  kKept,  ///< reads those of the last time, so that the energy along a search is one function
};

/// What evaluate() is asked for.
struct Evaluation {
  const Points* points = nullptr;
  const std::vector<double>* z = nullptr;  ///< trial velocities, for coordinate terms (scalars)
  Assembly* assembly = nullptr;            ///< nullptr: energy only
  bool project = false;                    ///< make the Hessian positive semi-definite
  /// 0 to 1, above 0 far from the minimum: how much of what kinks hide the Hessian is to hold, so
  /// that the model lies above the energy.
  double caution = 0;
};

/// Energy [J or W] and the sum of the absolute values that were added up: the scale of its
/// rounding.
struct Energy {
  double value = 0;
  double magnitude = 0;
  Energy& operator+=(const Energy& e) {
    value += e.value;
    magnitude += e.magnitude;
    return *this;
  }
};

/// Which pairs of blocks couplings() is asked for.
enum class Coupled : std::uint8_t { kAlways, kInThisStep };

/// A term at the refreshed point.
struct TermReport {
  double load = 0;  ///< magnitude of the load that it carries [N]: scale of the residual
  double smallest_gap = 1e300;  ///< that it sees [m]
  /// Whether the energy of a position term is a function of the state alone, so that it counts as
  /// potential energy; if not, it is that of one step.
  bool conservative = true;
  /// Contacts of boundary layers whose triangles will have crossed at the end of the step, and
  /// those of them that had not at its start.
  int crossed = 0, crossing = 0;
  /// Pairs in hydroelastic contact that were in each other past the middle where the step started.
  int past_middle = 0;
  /// Pairs of surfaces whose samples were merged.
  int merged = 0;
};

class Term {
 public:
  virtual ~Term() = default;
  virtual const char* name() const = 0;
  virtual TermKind kind() const = 0;
  /// True when the term is convex in z and sets no step cap.
  virtual bool frozen() const = 0;
  /// True when the Hessian at one trial of a step nearly holds at the others: that of elements,
  /// which strain little within a step. It adds its gradient to points.
  virtual bool slow() const { return false; }

  /// Verb 1: freezes lagged data, candidates and constants of the step.
  virtual void prepare(const StepContext&) {}
  /// Verb 2: finds what is active at the trial positions. Returns whether it read samples that it
  /// kept, so that anew it may find something else; terms that choose none have nothing to keep.
  virtual bool refresh(const Points&, Sampling) { return false; }
  /// Verb 3: energy, and with an assembly also gradient and Hessian, at the refreshed point.
  virtual Energy evaluate(const Evaluation&) = 0;
  /// Verb 4: the largest a in (0, limit] such that x + a (x_to - x) is admissible. dx is (P).
  virtual double max_step(const Points&, const std::vector<Vec3d>& /*dx*/, double limit) {
    return limit;
  }
  /// Verb 5: stores history and forces of the accepted step.
  virtual void commit(const StepContext&, const Points&) {}

  /// Adds the pairs of blocks that the term couples: always, asked once, when the pattern is built,
  /// or in this step, asked after prepare(). Those of a step are a function of the state alone: the
  /// order of elimination, and with it every last bit, follows from the pattern.
  virtual void couplings(const Points&, Coupled, std::vector<std::array<int, 2>>&) const {}
  /// What it is like at the refreshed point.
  virtual TermReport report() const { return {}; }

  // What only some terms have.

  /// What the term lags between minimisations; nullptr where it lags nothing in this step.
  virtual Lagged* lagged() { return nullptr; }
  /// Its impulses as unknowns, for a term that is frozen; nullptr: it offers none.
  virtual Impulses* impulses() { return nullptr; }
  /// What it may have frozen wrongly; nullptr: nothing.
  virtual Revised* revised() { return nullptr; }
};

}  // namespace haptos
