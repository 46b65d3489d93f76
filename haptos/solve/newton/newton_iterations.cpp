// One minimisation, with what is lagged and frozen as it is (solve/newton/minimiser.h).
#include <algorithm>
#include <cmath>
#include <utility>

#include "haptos/base/borrowed.h"
#include "haptos/base/text/status.h"
#include "haptos/solve/newton/line_search.h"
#include "haptos/solve/newton/minimiser.h"

namespace haptos {
namespace {

// While the residual is above this fraction of the load, the free points settle before driven
// points go on.
constexpr double kSettled = 0.1;
// Residual, as a fraction of the load, below which the exact Hessian is tried again.
constexpr double kNearlyThere = 0.02;
// Halvings of a search after which the next Hessian is projected.
constexpr int kManyHalvings = 2;
// So does a step with the exact Hessian that goes no farther than this part of its direction:
// where friction slips, nothing holds it back.
constexpr double kShortStep = 0.05;
// Relative residual of an iterative linear solve: the loosest, and the part of the step's tolerance
// that the linear residual may use up.
constexpr double kLoosest = 0.01;
constexpr double kShare = 0.1;
// A residual that one iteration may bring below what is asked for, as a multiple of that.
constexpr double kOneMore = 1e3;

}  // namespace

void Minimiser::minimise() {
  energy_.reset();
  before_ = 1e300;
  solve_impulses();
  for (bool again = false, look = false;; look = !again) {
    if (settled() || (look && ended())) break;
    const double ds = advance_path_ ? 1.0 - f_.path() : 0.0;
    // What is frozen is convex: only kinks ask for another Hessian than its own.
    project_ = (f_.all_frozen() ? caution_ > 0 : wary_) ||
               (project_ && !f_.all_frozen() && !nearly_there() && !went_all_the_way_);
    Energy energy = assemble(ds);
    if (!std::isfinite(energy.value) || !std::isfinite(report_.residual)) {
      report_.status |= kNonFinite;
      break;
    }
    const bool arrived = f_.path() >= 1.0 || blocked_;
    if (arrived && small_residual() && (rough_ || slow()) && !again) break;
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
    before_ = report_.residual;
    if (arrived && small_residual() && slow() && (take_the_last() || std::exchange(again, true)))
      break;
    ++report_.iterations;
    if (!(ds > 0 ? advance(ds) : search(energy))) break;
  }
}

// Gradient and Hessian. After an iteration that went all the way Hessians that change slowly stay
// as they were, where as much of the residual less once more is enough.
Energy Minimiser::assemble(double ds) {
  const double caution = f_.all_frozen() ? caution_ : project_;
  const bool follows = went_all_the_way_ && !project_ && ds == 0 && f_.keeps_slow();
  const auto slow = follows ? Objective::Slow::kKept : Objective::Slow::kAnew;
  Energy energy = f_.assemble(true, project_, ds, caution, slow);
  measure();
  const bool one_more = report_.residual * (report_.residual / before_) <= allowed();
  if (follows && !one_more) energy = f_.assemble(true, false, ds);
  return energy;
}

// Whether the last iteration was enough, where it may have been: told by the gradient, at a tenth
// of the cost of a Hessian.
bool Minimiser::ended() {
  if (f_.all_frozen() || !(f_.path() >= 1.0 || blocked_) ||
      !(report_.residual <= kOneMore * allowed()))
    return false;
  f_.assemble(false, false, 0);
  measure();
  return small_residual() && (rough_ || slow() || still_settled());
}

// The direction that says that hardly anything moves any more is there: what it leaves is less by
// far. Without it a velocity guessed within the tolerance would go on from step to step.
bool Minimiser::take_the_last() {
  if (report_.residual <= f_.round_off()) return true;
  f_.retract(z_, dz_);
  if (f_.max_step(dz_, 0.0) < 1.0) return true;
  Borrowed<std::vector<double>> room;
  std::vector<double>& from = *room;
  from = z_;
  const double before = report_.residual;
  for (std::size_t i = 0; i < z_.size(); ++i) z_[i] += dz_[i];
  look_at(z_);
  if (report_.residual <= before) return true;
  look_at(z_ = from);
  return f_.all_frozen();
}

void Minimiser::look_at(const std::vector<double>& z) {
  f_.set_trial(z, f_.path());
  f_.assemble(false, false, 0);
  measure();
}

bool Minimiser::nearly_there() const { return report_.residual < kNearlyThere * report_.load; }

// Rounding of the positions is all that is left, and the last iteration took little of it away.
bool Minimiser::at_round_off() {
  const bool stuck = report_.residual > 0.5 * last_residual_;
  last_residual_ = report_.residual;
  return stuck && report_.residual <= f_.round_off();
}

bool Minimiser::direction(double ds, Energy& energy) {
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

bool Minimiser::solve(double tolerance) {
  const bool solved = f_.solve(dz_, tolerance);
  report_.linear_iterations += f_.linear().iterations();
  return solved;
}

double Minimiser::forcing() {
  const double last = std::exchange(solved_residual_, report_.residual);
  if (!(last > 0)) return kLoosest;
  const double progress = report_.residual / last;
  return std::clamp(0.9 * progress * progress,
                    std::min(kShare * needed() / report_.residual, kLoosest), kLoosest);
}

bool Minimiser::search(const Energy& energy) {
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

}  // namespace haptos
