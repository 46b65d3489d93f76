// Where all terms are frozen, and convex: impulses first, and kinks where contacts begin to stick
// (solve/newton/minimiser.h).
#include <algorithm>
#include <climits>
#include <utility>
#include <vector>

#include "haptos/solve/newton/minimiser.h"
#include "haptos/system/block_room.h"

namespace haptos {
namespace {

// Where all is frozen: a part of the step's tolerance below which the last Hessian says whether
// velocities still change.
constexpr double kSure = 0.01;
// What impulses are solved to at best, as a part of the load: nearer than this the search in
// velocities has no kink left in its way.
constexpr double kImpulses = 1e-6;
// Iterations whose lags follow the impulses, before those that hold what is lagged.
constexpr int kFollow = 8;
// Where all terms are frozen: the share of a direction below which kinks cut it short, that from
// which on it could go on, and how caution then changes.
constexpr double kCutShort = 0.2, kGoesOn = 0.8;
constexpr double kMore = 2, kLess = 0.25, kLeast = 1e-3;

}  // namespace

// Where all is frozen and forces do not balance: solves for impulses first, which no kinks hold
// up. Where contacts are new what is lagged follows for a while, and is then near what it will
// be. What does not get there is a start as good as what it costs.
void Minimiser::solve_impulses() {
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

ImpulseNewtonReport Minimiser::iterate_impulses(const ImpulseStart& start, int most) {
  const double tolerance = std::max(kImpulses, share_ * o_.force_tolerance);
  const int left = o_.max_iterations - (report_.iterations - spent_);
  const ImpulseNewtonReport r =
      solve_with_impulses(f_, z_, dz_, start, tolerance, std::min(most, left));
  if (r.iterations > 0) report_.velocity_change = 1e300;
  report_.iterations += r.iterations;
  report_.linear_iterations += r.linear_iterations;
  if (r.converged) spent_ += r.iterations;
  return r;
}

// Where all is frozen: whether hardly anything is left after Newton's step, and the Hessian of
// that step says that it moves nothing. A new one would most often say the same.
bool Minimiser::settled() {
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

// How cautious the next direction is to be: where kinks cut one short, more, and less where one
// could go on.
void Minimiser::watch_kinks(double alpha) {
  if (alpha < kCutShort)
    caution_ = caution_ > 0 ? std::min(1.0, kMore * caution_) : 1.0;
  else if (alpha > kGoesOn)
    caution_ = caution_ > kLeast ? kLess * caution_ : 0;
}

}  // namespace haptos
