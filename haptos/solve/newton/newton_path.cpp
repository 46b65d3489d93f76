// The first trial, and driven points on their way to their targets (solve/newton/minimiser.h).
#include <cmath>

#include "haptos/base/borrowed.h"
#include "haptos/base/text/status.h"
#include "haptos/solve/newton/minimiser.h"

namespace haptos {
namespace {

// A path that advances less than this in one iteration is blocked; so many in a row end the
// attempt.
constexpr double kBlocked = 1e-5;
constexpr int kBlockedLimit = 15;
// After an advance shorter than this fraction of its direction the free points settle before driven
// points go on.
constexpr double kShortAdvance = 0.05;

}  // namespace

// First trial: the velocities given, where these do, or else they or the free motion, whichever
// costs less. Where a term caps steps, driven points are then on their way to their targets.
void Minimiser::predict() {
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
  Borrowed<std::vector<double>> room;
  std::vector<double>& start = *room;
  start = z_;
  const double path = f_.any_driven() ? 1.0 : 0.0;
  // Where driven points stop or turn back, what they took along is better off where it is.
  const std::vector<double>& other = path > 0 ? f_.inertia().z_hold : free;
  const double part = go(start, path);
  // What hardly moves is better off still, or it would go on for ever within the tolerance.
  if (part == 1.0 && f_.largest_speed(dz_) > o_.velocity_tolerance && rough_enough()) {
    predicted_ = true;
    return;
  }
  const double kept = f_.energy().value;
  if (go(other, path) < 1.0 || (part == 1.0 && !(f_.energy().value < kept))) go(start, path);
  advance_path_ = f_.path() < 1.0;
}

// Sets the trial to as much of the velocities and of the path as can be covered from the start of
// the step, which is returned.
double Minimiser::go(const std::vector<double>& velocities, double path) {
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

// One step with the driven points under way. Their work is not in the objective, so its energy
// may rise; it must only be finite.
bool Minimiser::advance(double ds) {
  const double cap = f_.max_step(dz_, ds), start = f_.path();
  Borrowed<std::vector<double>> room;
  std::vector<double>& from = *room;
  from = z_;
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

}  // namespace haptos
