#include "haptos/solve/newton.h"

#include <climits>

#include "haptos/base/status.h"
#include "haptos/solve/minimiser.h"

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

// Passes before terms look again, for the first time, at what they froze: it may well change.
constexpr int kRoughPasses = 1;
constexpr int kFrozenTimes = 3, kFrozenMore = 20;

}  // namespace

NewtonReport Minimiser::run() {
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

// After the one pass of statics: what is left without what held it where it was.
void Minimiser::look_for_rest() {
  f_.recentre();
  f_.assemble(false, false, 0);
  measure();
  share_ = 1;
  if (!small_residual() && !(report_.residual <= f_.round_off())) report_.status |= kNoEquilibrium;
}

// Whether what is frozen had to change for the motion that was solved, so that it is solved
// again.
bool Minimiser::revise() {
  if ((report_.status & kNonFinite) || !f_.revise()) return false;
  report_.velocity_change = last_residual_ = 1e300;
  share_ = 1;
  follow_ = !dropped_;
  solved_residual_ = 0;
  blocked_ = f_.path() < 1.0;
  energy_.reset();
  return true;
}

NewtonReport minimise(Objective& objective, const NewtonOptions& options, std::vector<double>& z) {
  return Minimiser(objective, options, z).run();
}

}  // namespace haptos
