#include "haptos/base/text/status.h"

namespace haptos {

const std::vector<StatusText>& status_table() {
  static const std::vector<StatusText> table = {
      {kNotConverged, "not_converged", "Newton stopped above its tolerance",
       "raise max_iterations, shorten the time step, or loosen force_tolerance"},
      {kTargetMissed, "target_missed", "a prescribed body could not reach its target",
       "shorten the time step or the commanded motion; see the step report for the distance "
       "missed"},
      {kLineSearchStalled, "line_search_stalled", "no step along the Newton direction was accepted",
       "shorten the time step; if it persists, report the scene as a bug"},
      {kNonFinite, "non_finite", "a value that is not finite appeared and the step was rolled back",
       "check material values and initial velocities"},
      {kPrescribedCollision, "prescribed_collision",
       "two prescribed bodies would pass through each other", "change one of their trajectories"},
      {kLagged, "lagged", "normal forces of friction still changed after the last pass",
       "raise max_lag_passes or shorten the time step"},
      {kNoEquilibrium, "no_equilibrium", "bodies had not come to rest after the last pass",
       "hold what floats freely, or raise sim.pseudo_step or max_lag_passes"},
      {kRunaway, "runaway",
       "a velocity beyond 1e6 m/s or rad/s was solved for and the step was rolled back",
       "check velocities, forces and torques that were set, masses near zero, and contact that "
       "starts "
       "deep inside; shorten the time step"},
      {kCoresCross, "cores_cross",
       "triangles that have boundary layers cross, where sides are not always known",
       "widen the layers to speed times step, shorten the step, raise newton.max_cuts, or start "
       "the "
       "bodies farther apart"},
      {kPastMiddle, "past_middle",
       "a body is in another one past the middle of one of them, where pressure does not part them",
       "shorten the step, raise the hydroelastic modulus, or start the bodies farther apart"},
  };
  return table;
}

std::string describe_status(std::uint32_t bits) {
  std::string s;
  for (const StatusText& t : status_table())
    if (bits & t.bit) {
      if (!s.empty()) s += " ";
      s += std::string(t.name) + ": " + t.meaning + "; " + t.remedy + ".";
    }
  return s.empty() ? "ok" : s;
}

}  // namespace haptos
