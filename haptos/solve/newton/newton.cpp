#include "haptos/solve/newton/newton.h"

#include <climits>
#include <utility>

#include "haptos/base/text/status.h"
#include "haptos/solve/newton/minimiser.h"

namespace haptos {
namespace {

// Passes before terms look again, for the first time, at what they froze: it may well change.
constexpr int kRoughPasses = 1;

}  // namespace

NewtonReport Minimiser::run() {
  begin_roughly();
  predict();
  do {
    for (int look = 0; look == 0 || revise(); ++look) {
      begin_roughly();
      if (!std::exchange(predicted_, false)) minimise();
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
