// The objective of one step: inertia, terms, points and unknowns, with no knowledge of physics.
//
//   Phi(z) = 1/2 |z - z_free|_M^2 + sum over terms of f_k E_k,
//   f_k = 1 for Psi, b for D (0 in statics), b / h for l
//
// The state of a trial is (z, s): the velocities of the unknowns and the fraction s of the path
// that driven points have covered.
#pragma once

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "haptos/solve/multilevel/linear_solver.h"
#include "haptos/system/facets/held_range.h"
#include "haptos/system/facets/lag.h"
#include "haptos/system/facets/retraction.h"
#include "haptos/system/facets/revised.h"
#include "haptos/system/term.h"

namespace haptos {

class Impulses;

/// Block-diagonal inertia about the free motion.
struct Inertia {
  std::vector<double> mass;    ///< dense size x size per block, row-major, one after the other
  std::vector<double> z_free;  ///< velocities without terms (scalars)
  std::vector<double> z_past;  ///< velocities without terms and without forces (scalars)
  std::vector<double> z_hold;  ///< velocities that leave every point at x_start (scalars)
  /// Per scalar: what a force along it is divided by to read newtons (1 for translation, the body's
  /// radius [m] for rotation).
  std::vector<double> length;
  std::vector<HeldRange> held;  ///< in order
};

class Objective {
 public:
  /// @param fixed  per scalar unknown, 1 where it is held at its start value (Dirichlet)
  /// @param retractions  of the bodies that have one
  /// Call set_solver() before, if not for the defaults.
  void build(std::vector<int> block_sizes, std::vector<char> fixed, Points* points,
             std::vector<Term*> terms, std::vector<const Retraction*> retractions = {});

  void set_solver(const SolverOptions& options) { linear_.configure(options); }

  /// Lets unknowns that are held stand still, whatever their bodies would do freely, and with which
  /// velocity they start in z. Once inertia() is that of the step.
  void hold_still(std::vector<double>& z);
  void begin_step(const StepContext& context) {
    context_ = context;
    context_.pattern = pattern_.get();
    linear_.begin_step();
  }
  /// Blocks of three unknowns that are there in this step alone, after those of build().
  void set_step_blocks(int count);
  /// Prepares the terms, and the pattern for what they may couple in this step.
  void prepare();
  Inertia& inertia() { return inertia_; }
  const Inertia& inertia() const { return inertia_; }
  Points& points() { return *points_; }
  const std::vector<Term*>& terms() const { return terms_; }
  /// Those of the terms that offer their impulses as unknowns.
  const std::vector<Impulses*>& impulses() const { return impulses_; }
  bool all_frozen() const { return all_frozen_; }
  bool any_driven() const { return any_driven_; }
  int scalar_count() const { return pattern_->scalar_count(); }
  const BlockPattern& pattern() const { return *pattern_; }
  int env_count() const { return 1; }

  /// Moves points to the trial (z, s) and refreshes every term.
  void set_trial(const std::vector<double>& z, double s, Sampling sampling = Sampling::kAnew);
  /// Where a term read samples that it kept: reads the trial point anew.
  void sample_anew() {
    if (kept_) set_trial(z_, s_);
  }
  double path() const { return s_; }
  Energy energy();
  /// Gradient, and with `hessian` the matrix too. `ds` is the path that driven points will cover
  /// along the coming direction; its effect is in assembly().driven_rhs().
  /// `caution` as in Evaluation. What is kept is the Hessian of slow terms, as it was last found.
  enum class Slow { kAnew, kKept };
  Energy assemble(bool hessian, bool project, double ds, double caution = 0,
                  Slow slow = Slow::kAnew);
  /// What slow terms have added to an assembly.
  struct SlowParts {
    std::vector<double> matrix;   ///< values, of an earlier trial; empty: unknown
    std::vector<Vec3d> gradient;  ///< of points, at the trial; empty: unknown
    Energy energy;                ///< there
  };
  /// Keeps that in a room; nullptr: no more.
  void keep_slow(SlowParts* room) {
    slow_ = room;
    if (room == nullptr) return;
    room->matrix.clear();
    room->gradient.clear();
  }
  /// Whether their Hessian is kept.
  bool keeps_slow() const { return slow_ != nullptr && !slow_->matrix.empty(); }
  const Assembly& assembly() const { return assembly_; }
  /// Solves for the Newton direction dz; false when the matrix is not positive definite.
  /// An iterative solver stops at this relative residual of the right-hand side.
  bool solve(std::vector<double>& dz, double tolerance = 0);
  const LinearSolver& linear() const { return linear_; }
  /// d <- H^-1 d with the matrix that solve() last factored; direct solver only.
  bool solve_again(std::vector<double>& d) { return linear_.solve_again(d.data()); }
  bool fixed(int scalar) const { return fixed_[static_cast<std::size_t>(scalar)]; }
  /// dx/du of the step [s].
  double step_factor() const { return context_.b; }
  /// Lets every body bend the direction dz; see Retraction. Returns whether one may.
  bool retract(const std::vector<double>& z, std::vector<double>& dz) const {
    bool bent = false;
    for (const Retraction* r : retractions_) bent |= r->retract(z, dz);
    return bent;
  }
  /// Largest admissible fraction of (dz, ds) from the trial point.
  double max_step(const std::vector<double>& dz, double ds);

  /// Renews what terms lag, at the trial point, and without momentum the centre of the proximal
  /// term. False when nothing changed.
  bool renew_lags();
  /// What the last renew_lags() found; whoever mixes passes writes `next`.
  std::vector<LagRow>& lag_rows() { return lag_rows_; }
  /// Whether a term lags anything.
  bool lags() const {
    for (Term* t : terms_)
      if (t->lagged()) return true;
    return false;
  }
  /// Lets terms look again at what they froze, from the trial point; see Revised. Where one
  /// changed something the trial is set anew.
  bool revise();
  /// Lags `next` of the rows instead.
  void set_lags();
  /// Lags again what the last renew_lags() replaced; nothing more. Where all is frozen.
  void undo_lags();
  void drop_lags();
  /// Whether inertia is only that of a proximal term.
  bool proximal() const { return context_.proximal; }
  /// Whether renew_lags() moves that centre; else a step is one pass of statics.
  bool recentres() const { return context_.proximal && !context_.one_pass; }
  /// Moves the centre of the proximal term to the trial point: what it pulled with is gone, and
  /// what is left of the residual is the imbalance of static forces. Returns whether it moved.
  bool recentre();

  /// Gradient in newtons, one-norm over free unknowns: no sum of forces is off by more.
  double residual() const;
  /// Energy [J] that rounding of the positions makes of the load.
  double energy_noise() const;
  /// Residual [N] that rounding of the positions leaves, from the assembled diagonal.
  double round_off() const;
  /// The load that the residual is compared with [N].
  double load() const;
  double smallest_gap() const;
  /// Velocity of a free point under the unknowns z [m/s].
  Vec3d velocity_of(int point, const std::vector<double>& z) const;
  /// Largest speed of a point under the velocities dz [m/s].
  double largest_speed(const std::vector<double>& dz) const;
  /// Sets off from the trial point along dz, which must stay as it is; for terms that are all
  /// frozen.
  void set_off(const std::vector<double>& dz);
  /// Goes a times dz from there: slope and curvature of the objective along dz, without a matrix.
  /// Leaves the assembled gradient as it was.
  struct Along {
    double slope, curvature;
  };
  Along along(double a);
  /// Velocities of the trial point.
  const std::vector<double>& trial() const { return z_; }
  /// Assembled gradient along dz.
  double slope(const std::vector<double>& dz) const;

  /// Room for whoever works on the objective, so that no step has to allocate.
  std::vector<double>& scratch() const { return scratch_; }

  /// Symbolic factorisations done so far.
  int analyses() const { return analyses_; }

 private:
  /// Of the inertia; adds its gradient and Hessian to the assembly on request.
  Energy inertia(bool add);
  void find_applied();
  Energy evaluate(Term& t, Evaluation& e);
  Energy evaluate_slow(Evaluation& e, Slow slow);
  /// Factor of dissipation rates.
  double dissipation() const { return context_.proximal ? 0.0 : context_.b; }
  /// Largest coordinate of a point [m].
  double reach() const;
  /// Factor of a term's energy.
  double weight(TermKind kind) const;
  void set_factors(const Term& t);
  void hold_fixed();
  void extend_pattern();
  std::vector<int> block_sizes() const;
  void set_pattern(std::vector<int> sizes);
  void find_fixed_entries();
  NearNullSpace rigid_motions_of_nodes() const;

  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<std::array<int, 2>> couplings_;       // of every step
  std::vector<std::array<int, 2>> step_couplings_;  // of this one: row >= column, sorted
  std::vector<std::array<int, 2>> found_couplings_;
  std::vector<char> fixed_;
  std::vector<int> fixed_entries_;  // block entries that touch a fixed scalar
  Points* points_ = nullptr;
  std::vector<Term*> terms_, slow_terms_;
  std::vector<Impulses*> impulses_;
  std::vector<Revised*> revised_;
  std::vector<const Retraction*> retractions_;
  std::vector<LagRow> lag_rows_;
  std::vector<std::pair<Lagged*, std::size_t>> lagged_;  // whose rows they are, and how many
  StepContext context_;
  Inertia inertia_;
  Assembly assembly_;
  LinearSolver linear_;
  std::vector<double> z_, weight_;
  mutable std::vector<double> scratch_;
  // Where set_off() set off from, and slope and curvature of the inertia there.
  struct Ray {
    std::vector<double> z;
    std::vector<Vec3d> u;
    const std::vector<double>* dz = nullptr;
    double slope = 0, curvature = 0;
  } ray_;
  std::vector<Vec3d> dx_, du_, driven_motion_;
  std::vector<std::ptrdiff_t> mass_offset_;
  SlowParts* slow_ = nullptr;
  double s_ = 0;
  double applied_ = 0;  // load of what is no term, times b
  // What revise() last let stand.
  std::vector<double> seen_z_;
  double seen_s_ = -1;
  int analyses_ = 0;
  std::vector<int> own_blocks_;  // sizes of build()
  bool stale_ = false;           // the pattern knows blocks, and no couplings yet
  bool any_driven_ = false, all_frozen_ = false;
  bool kept_ = false;  // a term read samples that it kept
};

}  // namespace haptos
