#include "haptos/solve/newton.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <optional>
#include <utility>

#include "haptos/base/status.h"
#include "haptos/potential/block_room.h"
#include "haptos/solve/anderson.h"
#include "haptos/solve/impulse_newton.h"
#include "haptos/solve/lag_root.h"
#include "haptos/solve/line_search.h"

namespace haptos {

const std::vector<Option<NewtonOptions>>& OptionsOf<NewtonOptions>::table() {
  using O = NewtonOptions;
  static const std::vector<Option<O>> t = {
      {"force_tolerance", "", &O::force_tolerance, 1e-14, 0.1,
       "largest force residual, as a fraction of the applied or contact load"},
      {"force_floor", "N", &O::force_floor, 0, 1, "force residual that always counts as converged"},
      {"velocity_tolerance", "m/s", &O::velocity_tolerance, 1e-12, 10,
       "largest change of a point's velocity in the last iteration"},
      {"max_iterations", "", &O::max_iterations, 1, 100000, "limit of Newton iterations in a step"},
      {"max_line_search", "", &O::max_line_search, 1, 1000,
       "limit of energy evaluations along one direction"},
      {"max_lag_passes", "", &O::max_lag_passes, 0, 1000,
       "limit of minimisations in a step after the first, for friction and quasi-static rest"},
      {"max_cuts", "", &O::max_cuts, 0, 10,
       "how often a step that does not settle is tried again in twice as many parts"},
      {"strict", "", &O::strict, 0, 1, "switch that turns a step's status bits into an error"},
  };
  return t;
}

namespace {

// A path that advances less than this in one iteration is blocked; so many in a row end the
// attempt.
constexpr double kBlocked = 1e-5;
constexpr int kBlockedLimit = 15;
// After an advance shorter than this fraction of its direction, or while the residual is above this
// fraction of the load, the free points settle before driven points go on.
constexpr double kShortAdvance = 0.05;
constexpr double kSettled = 0.1;
// Residual, as a fraction of the load, below which the exact Hessian is tried again.
constexpr double kNearlyThere = 0.02;
// Where all terms are frozen: the share of a direction below which kinks cut it short, that from
// which on it could go on, and how caution then changes.
constexpr double kCutShort = 0.2, kGoesOn = 0.8;
constexpr double kMore = 2, kLess = 0.25, kLeast = 1e-3;
// Halvings of a search after which the next Hessian is projected.
constexpr int kManyHalvings = 2;
// So does a step with the exact Hessian that goes no farther than this part of its direction:
// where friction slips, nothing holds it back.
constexpr double kShortStep = 0.05;
// Relative residual of an iterative linear solve: the loosest, and the part of the step's tolerance
// that the linear residual may use up.
constexpr double kLoosest = 0.01;
constexpr double kShare = 0.1;
// What minimisations after the first may leave, as a part of what the last change of lagged forces
// left; and the least of it, as a part of the step's tolerance. Where the lagged forces are
// sensitive to it, a residual comes back many times larger. All frozen: no more than the tolerance.
constexpr double kAccuracy = 0.2, kFrozenAccuracy = 0.05;
constexpr double kInner = 0.01;
// What the first one may leave where friction lags, times the step's tolerance, and at most, as a
// part of the load: friction of the start of the step is far from that of its end, and what is
// found under it need not be exact. What touches anew is held where it ends, so it follows the
// tolerance.
constexpr double kRough = 100, kRoughest = 0.1;

// Where all is frozen: a part of the step's tolerance below which the last Hessian says whether
// velocities still change.
constexpr double kSure = 0.01;

// What impulses are solved to at best, as a part of the load: nearer than this the search in
// velocities has no kink left in its way.
constexpr double kImpulses = 1e-6;
// Iterations whose lags follow the impulses, before those that hold what is lagged.
constexpr int kFollow = 8;

// Passes between attempts at the balance without lags, and the iterations of one.
constexpr int kRootEvery = 4;
constexpr int kRootIterations = 20;

// Where all is frozen, passes cost next to nothing while little happens. The first ones go on until
// this part of the tolerance is met, so that what is about to slip does not gather speed from step
// to step. Where so many did not get there friction's normal forces may be off by some tolerances;
// forces balance whatever they are. So many passes are tried, and as many iterations in all as some
// times those of the first minimisation; where forces then still chase each other, the step is made
// without lags.
constexpr double kFineFriction = 0.01, kCoarseFriction = 20;
constexpr int kFinePasses = 4;
constexpr int kFrozenPasses = 8;
// Passes before terms look again, for the first time, at what they froze: it may well change.
constexpr int kRoughPasses = 1;
constexpr int kFrozenTimes = 3, kFrozenMore = 20;

class Minimiser {
 public:
  Minimiser(Objective& f, const NewtonOptions& o, std::vector<double>& z)
      : f_(f), o_(o), z_(z), dz_(f.scratch()) {}

  NewtonReport run() {
    predict();
    do {
      for (int look = 0; look == 0 || revise(); ++look) {
        begin_roughly();
        minimise();
        settle_lags(!f_.all_frozen() ? INT_MAX : look == 0 ? kRoughPasses : 0);
      }
      if (f_.all_frozen()) settle_lags(INT_MAX);
      // What is lagged may have made it hard.
      if (f_.all_frozen() && (report_.status & (kNotConverged | kLineSearchStalled)))
        do_without_lags();
    } while (revise());
    report_.path = f_.path();
    if (f_.any_driven() && report_.path < 1.0) report_.status |= kTargetMissed;
    report_.energy = energy_ ? *energy_ : f_.energy().value;
    if (f_.proximal() && !f_.recentres()) look_for_rest();
    return report_;
  }

 private:
  // After the one pass of statics: what is left without what held it where it was.
  void look_for_rest() {
    f_.recentre();
    f_.assemble(false, false, 0);
    measure();
    share_ = 1;
    if (!small_residual() && !(report_.residual <= f_.round_off()))
      report_.status |= kNoEquilibrium;
  }

  // The first of several minimisations.
  void begin_roughly() {
    rough_ = !f_.all_frozen() && !f_.recentres() && o_.max_lag_passes > 0 && f_.lags();
    if (rough_) share_ = std::clamp(kRoughest / o_.force_tolerance, 1.0, kRough);
  }
  // The last one, with what is lagged as it is.
  void end_exactly() {
    rough_ = false;
    share_ = 1;
    last_residual_ = 1e300;
    minimise();
  }

  // Takes what is lagged from where the minimisation arrived and goes on, until the residual with
  // nothing lagged is small. The first time the new forces are lagged as they are; then, where the
  // passes may throw each other back and forth, what Anderson mixing makes of all of them. Leaves
  // it after so many passes, as they are.
  void settle_lags(int enough_passes) {
    std::optional<AndersonMixing> mixing;
    int passes = 0;
    const int enough = kFrozenTimes * report_.iterations + kFrozenMore;
    while (report_.status == 0 && passes < enough_passes) {
      LaggedForces used, now;
      if (!f_.update_lags(used, now)) {
        if (!rough_) return;
        end_exactly();
        continue;
      }
      energy_.reset();
      if (!mixing) mixing.emplace();
      f_.assemble(false, false, 0);
      measure();
      share_ = 1;
      const bool frozen = f_.all_frozen();
      const double part = !frozen ? 1 : passes < kFinePasses ? kFineFriction : kCoarseFriction;
      // What is frozen does not see positions in the step, so their rounding need not end it.
      const bool rounds = !frozen || passes >= kFinePasses;
      if (report_.residual <= std::max(part * o_.force_tolerance * report_.load, o_.force_floor) ||
          (rounds && report_.residual <= f_.round_off())) {
        if (rough_ && !slow()) {
          end_exactly();
          continue;
        }
        return frozen ? keep_lags() : void();
      }
      const int most = frozen ? std::min(kFrozenPasses, o_.max_lag_passes) : o_.max_lag_passes;
      ++report_.lag_passes;
      const bool last = ++passes > most || (frozen && report_.iterations > enough);
      bool nearer = false;
      if (last || passes % kRootEvery == 0) {
        const Root root = find_root();
        if (root == Root::kFound) return;
        if (last && frozen) return do_without_lags();
        if (last) {
          report_.status |= f_.recentres() ? kNoEquilibrium : kLagged;
          return;
        }
        nearer = root == Root::kNearer;
      }
      if (nearer) {
        mixing.emplace();  // goes on from the forces that are lagged there
      } else {
        const LaggedForces next = mixing->next(used, now, report_.residual);
        // Without momentum the centre of the proximal term moves too: another map at every pass.
        if (!f_.recentres()) f_.set_lags(passes > 1 ? next : now);
      }
      blocked_ = f_.path() < 1.0;
      report_.velocity_change = last_residual_ = 1e300;
      rough_ = !frozen && !f_.recentres();
      share_ =
          std::max(kInner, (rough_ ? kAccuracy : kFrozenAccuracy) * report_.residual / needed());
      if (!rough_) share_ = std::min(share_, 1.0);
      minimise();
    }
  }

  // Whether what is frozen had to change for the motion that was solved, so that it is solved
  // again.
  bool revise() {
    if ((report_.status & kNonFinite) || !f_.revise()) return false;
    report_.velocity_change = last_residual_ = 1e300;
    share_ = 1;
    follow_ = !dropped_;
    solved_residual_ = 0;
    blocked_ = f_.path() < 1.0;
    energy_.reset();
    return true;
  }

  // Ends with the forces that the last minimisation was made with.
  void keep_lags() {
    f_.undo_lags();
    f_.assemble(false, false, 0);
    measure();
  }

  void do_without_lags() {
    LaggedForces used, now;
    f_.update_lags(used, now);
    f_.drop_lags();
    follow_ = false, dropped_ = true;
    if (used.empty()) return;  // there were none
    report_.status &= ~std::uint32_t{kNotConverged | kLineSearchStalled};
    spent_ = report_.iterations;
    report_.velocity_change = last_residual_ = 1e300;
    share_ = 1;
    minimise();
  }

  // Newton on the balance without lags, from where the last pass arrived. Stays where it came
  // nearer to it, else goes back.
  enum class Root { kFound, kNearer, kNotFound };
  Root find_root() {
    if (f_.recentres()) return Root::kNotFound;
    const std::vector<double> start = z_;
    const double before = report_.residual;
    const LagRootReport r = find_lag_root(f_, z_, kRootIterations, [&] {
      measure();
      return small_residual() || report_.residual <= f_.round_off();
    });
    report_.iterations += r.iterations;
    report_.line_search_steps += r.evaluations;
    measure();
    if (r.converged) return Root::kFound;
    if (report_.residual < before) return Root::kNearer;
    z_ = start;
    f_.set_trial(z_, f_.path());
    return Root::kNotFound;
  }

  // Where all is frozen and forces do not balance: solves for impulses first, which no kinks hold
  // up. Where contacts are new what is lagged follows for a while, and is then near what it will
  // be. What does not get there is a start as good as what it costs.
  void solve_impulses() {
    if (!f_.all_frozen()) return;
    f_.assemble(false, false, 0);
    measure();
    if (small_residual()) return;
    double* from = internal::thread_room<8>(z_.size());  // a step allocates nothing
    std::copy(z_.begin(), z_.end(), from);
    ImpulseStart start;
    if (std::exchange(follow_, false) && !f_.proximal()) {
      start.lags_follow = true;
      const ImpulseNewtonReport r = iterate_impulses(start, kFollow);
      if (r.converged) return;
      start = {.goes_on = r.iterations > 0};
    }
    const ImpulseNewtonReport r = iterate_impulses(start, INT_MAX);
    if (r.converged || (r.iterations == 0 && !start.goes_on)) return;
    const double there = f_.energy().value;
    dz_.swap(z_);
    std::copy_n(from, z_.size(), z_.begin());
    f_.set_trial(z_, f_.path());
    if (!(there < f_.energy().value)) return;
    dz_.swap(z_);
    f_.set_trial(z_, f_.path());
  }

  ImpulseNewtonReport iterate_impulses(const ImpulseStart& start, int most) {
    const double tolerance = std::max(kImpulses, share_ * o_.force_tolerance);
    const int left = o_.max_iterations - (report_.iterations - spent_);
    const ImpulseNewtonReport r =
        solve_with_impulses(f_, z_, dz_, start, tolerance, std::min(most, left));
    if (r.iterations > 0) report_.velocity_change = 1e300;
    report_.iterations += r.iterations;
    if (r.converged) spent_ += r.iterations;
    return r;
  }

  void minimise() {
    energy_.reset();
    solve_impulses();
    for (;;) {
      if (settled()) break;
      const double ds = advance_path_ ? 1.0 - f_.path() : 0.0;
      // What is frozen is convex: only kinks ask for another Hessian than its own.
      project_ = (f_.all_frozen() ? caution_ > 0 : wary_) ||
                 (project_ && !f_.all_frozen() && !nearly_there() && !went_all_the_way_);
      Energy energy = f_.assemble(true, project_, ds, f_.all_frozen() ? caution_ : project_);
      measure();
      if (!std::isfinite(energy.value) || !std::isfinite(report_.residual)) {
        report_.status |= kNonFinite;
        break;
      }
      const bool arrived = f_.path() >= 1.0 || blocked_;
      if (arrived && small_residual() && (rough_ || slow())) break;
      if (arrived && at_round_off()) break;
      if (report_.iterations - spent_ >= o_.max_iterations) {
        report_.status |= kNotConverged;
        break;
      }
      if (!direction(ds, energy)) {
        report_.status |= kNotConverged;
        break;
      }
      report_.velocity_change = f_.largest_speed(dz_);
      if (arrived && small_residual() && slow()) {
        take_the_last();
        break;
      }
      ++report_.iterations;
      if (!(ds > 0 ? advance(ds) : search(energy))) break;
    }
  }

  // The direction that says that hardly anything moves any more is there: what it leaves is less by
  // far. Without it a velocity guessed within the tolerance would go on from step to step.
  void take_the_last() {
    if (f_.all_frozen() || report_.residual <= f_.round_off() || f_.max_step(dz_, 0.0) < 1.0)
      return;
    const std::vector<double> from = z_;
    const double before = report_.residual;
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] += dz_[i];
    look_at(z_);
    if (!(report_.residual <= before)) look_at(z_ = from);
  }
  void look_at(const std::vector<double>& z) {
    f_.set_trial(z, f_.path());
    f_.assemble(false, false, 0);
    measure();
  }

  // Where all is frozen: whether hardly anything is left after Newton's step, and the Hessian of
  // that step says that it moves nothing. A new one would most often say the same.
  bool settled() {
    if (!f_.all_frozen() || report_.iterations == 0 || project_ || f_.path() < 1.0) return false;
    const Energy energy = f_.assemble(false, false, 0);
    measure();
    if (!(report_.residual <= kSure * needed())) return false;
    const std::vector<double>& g = f_.assembly().gradient();
    for (std::size_t i = 0; i < g.size(); ++i) dz_[i] = f_.fixed(static_cast<int>(i)) ? 0.0 : -g[i];
    if (!f_.solve_again(dz_)) return false;
    const double change = f_.largest_speed(dz_);
    if (!(change <= o_.velocity_tolerance)) return false;
    report_.velocity_change = change;
    energy_ = energy.value;
    return true;
  }

  // First trial: the velocities given or the free motion, whichever costs less. Where a term caps
  // steps, driven points are then on their way to their targets.
  void predict() {
    report_.velocity_change = 1e300;
    const std::vector<double>& free = f_.inertia().z_free;
    if (f_.all_frozen()) {
      f_.set_trial(free, 1.0);
      const double at_free = f_.energy().value;
      f_.set_trial(z_, 1.0);
      if (f_.energy().value < at_free) return;
      z_ = free;
      f_.set_trial(z_, 1.0);
      return;
    }
    const std::vector<double> start = z_;
    const double path = f_.any_driven() ? 1.0 : 0.0;
    // Where driven points stop or turn back, what they took along is better off where it is.
    const std::vector<double> other = path > 0 ? f_.inertia().z_hold : free;
    const double part = go(start, path);
    const double kept = f_.energy().value;
    if (go(other, path) < 1.0 || (part == 1.0 && !(f_.energy().value < kept))) go(start, path);
    advance_path_ = f_.path() < 1.0;
  }

  // Sets the trial to as much of the velocities and of the path as can be covered from the start of
  // the step, which is returned.
  double go(const std::vector<double>& velocities, double path) {
    const std::vector<double>& hold = f_.inertia().z_hold;
    f_.set_trial(hold, 0.0);
    dz_.resize(z_.size());
    for (std::size_t i = 0; i < z_.size(); ++i) dz_[i] = velocities[i] - hold[i];
    const double a = f_.max_step(dz_, path);
    for (std::size_t i = 0; i < z_.size(); ++i)
      z_[i] = a == 1.0 ? velocities[i] : fma(a, dz_[i], hold[i]);
    f_.set_trial(z_, path > 0 ? a : 1.0);
    return a;
  }

  void measure() {
    report_.residual = f_.residual();
    report_.load = f_.load();
    report_.smallest_gap = f_.smallest_gap();
  }

  // Residual of the step's tolerance.
  double needed() const { return std::max(o_.force_tolerance * report_.load, o_.force_floor); }

  bool nearly_there() const { return report_.residual < kNearlyThere * report_.load; }

  bool small_residual() const {
    return report_.residual <= std::max(share_ * o_.force_tolerance * report_.load, o_.force_floor);
  }

  bool slow() const { return report_.velocity_change <= o_.velocity_tolerance; }

  // Rounding of the positions is all that is left, and the last iteration took little of it away.
  bool at_round_off() {
    const bool stuck = report_.residual > 0.5 * last_residual_;
    last_residual_ = report_.residual;
    return stuck && report_.residual <= f_.round_off();
  }

  bool direction(double ds, Energy& energy) {
    const double tolerance = forcing();
    const bool solved = solve(tolerance);
    if (solved || project_) {
      report_.projected += project_;
      return solved;
    }
    ++report_.projected;
    project_ = true;
    energy = f_.assemble(true, true, ds, !nearly_there());
    return solve(tolerance);
  }

  bool solve(double tolerance) {
    const bool solved = f_.solve(dz_, tolerance);
    report_.linear_iterations += f_.linear().iterations();
    return solved;
  }

  double forcing() {
    const double last = std::exchange(solved_residual_, report_.residual);
    if (!(last > 0)) return kLoosest;
    const double progress = report_.residual / last;
    return std::clamp(0.9 * progress * progress,
                      std::min(kShare * needed() / report_.residual, kLoosest), kLoosest);
  }

  // One step with the driven points under way. Their work is not in the objective, so its energy
  // may rise; it must only be finite.
  bool advance(double ds) {
    const double cap = f_.max_step(dz_, ds), start = f_.path();
    const std::vector<double> from = z_;
    double a = cap, s = start;
    for (int i = 0; i < o_.max_line_search; ++i, a *= 0.5) {
      for (std::size_t k = 0; k < z_.size(); ++k) z_[k] = fma(a, dz_[k], from[k]);
      s = a >= 1.0 ? 1.0 : start + a * ds;
      f_.set_trial(z_, s);
      if (std::isfinite(f_.energy().value)) break;
    }
    blocked_count_ = a * ds < kBlocked ? blocked_count_ + 1 : 0;
    if (blocked_count_ >= kBlockedLimit) blocked_ = true;
    advance_path_ = s < 1.0 && !blocked_ && a > kShortAdvance;
    report_.velocity_change = 1e300;
    return true;
  }

  // How cautious the next direction is to be: where kinks cut one short, more, and less where one
  // could go on.
  void watch_kinks(double alpha) {
    if (alpha < kCutShort)
      caution_ = caution_ > 0 ? std::min(1.0, kMore * caution_) : 1.0;
    else if (alpha > kGoesOn)
      caution_ = caution_ > kLeast ? kLess * caution_ : 0;
  }

  bool search(const Energy& energy) {
    const double slope = f_.slope(dz_);
    const LineSearchResult r = f_.all_frozen()
                                   ? exact_search(f_, z_, dz_, slope, o_.max_line_search)
                                   : backtrack(f_, z_, dz_, energy, slope, o_.max_line_search);
    report_.line_search_steps += r.evaluations;
    if (r.alpha == 0) {
      // Nothing was gained: at round-off of the energy the residual decides.
      f_.assemble(true, false, 0);
      measure();
      if (!small_residual() && report_.residual > f_.round_off())
        report_.status |= kLineSearchStalled | kNotConverged;
      return false;
    }
    report_.velocity_change *= r.alpha;
    went_all_the_way_ = r.alpha >= 1.0;
    if (f_.all_frozen())
      watch_kinks(r.alpha);
    else if (r.halvings > kManyHalvings || (r.alpha < kShortStep && !project_))
      wary_ = true;
    else if (r.halvings == 0)
      wary_ = wary_ && !project_;
    advance_path_ = f_.path() < 1.0 && !blocked_ && report_.residual < kSettled * report_.load;
    return true;
  }

  Objective& f_;
  const NewtonOptions& o_;
  std::vector<double>& z_;
  std::vector<double>& dz_;
  NewtonReport report_;
  bool went_all_the_way_ = false;  // the last step along its direction
  bool project_ = false;           // the last direction needed the projected Hessian
  bool wary_ = false;  // the exact Hessian led too far; until a step with the projected one holds
  bool advance_path_ = false, blocked_ = false;
  int blocked_count_ = 0;
  bool follow_ = true;    // lags may follow the coming impulses
  bool dropped_ = false;  // nothing is lagged any more
  double caution_ = 0;
  double last_residual_ = 1e300;
  int spent_ = 0;                 // iterations that led to impulses, and on lags that were dropped
  double share_ = 1;              // of the tolerance that the present minimisation may leave
  bool rough_ = false;            // it is not the last, and velocities may still change
  double solved_residual_ = 0;    // when the last linear system was solved
  std::optional<double> energy_;  // where the last minimisation ended, if known
};

}  // namespace

NewtonReport minimise(Objective& objective, const NewtonOptions& options, std::vector<double>& z) {
  return Minimiser(objective, options, z).run();
}

}  // namespace haptos
