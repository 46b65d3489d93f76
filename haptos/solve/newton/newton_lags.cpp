// Passes over what is lagged, friction's normal forces, until the balance with nothing lagged
// holds (solve/newton/minimiser.h).
#include <algorithm>
#include <cmath>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"
#include "haptos/base/text/status.h"
#include "haptos/solve/lags/anderson.h"
#include "haptos/solve/lags/lag_root.h"
#include "haptos/solve/newton/minimiser.h"

namespace haptos {
namespace {

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
// Passes between attempts at the balance without lags, and the iterations of one.
constexpr int kRootEvery = 8;
// Part of the tolerance of force below which a step that began well is left as it is.
constexpr double kStill = 0.1;
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
constexpr int kFrozenTimes = 3, kFrozenMore = 20;

// Anderson mixing of the rows of the passes.
class LagMixing {
 public:
  void clear() {
    slots_.clear();
    anderson_.clear();
  }
  // Takes the rows of a pass.
  void take(const std::vector<LagRow>& rows) {
    if (slots_.take(rows)) anderson_.move(slots_.moved(), slots_.size());
    slots_.gather(rows, used_, now_);
  }
  // Makes of that pass and the others what the next one is to lag.
  void mix(double merit) { anderson_.next(used_, now_, merit, next_); }
  void write(std::vector<LagRow>& rows) const { slots_.scatter(next_, rows); }

 private:
  LagSlots slots_;
  AndersonMixing anderson_;
  LagVector used_, now_, next_;
};

}  // namespace

// The first of several minimisations.
void Minimiser::begin_roughly() {
  rough_ = !f_.all_frozen() && !f_.recentres() && o_.max_lag_passes > 0 && f_.lags();
  if (rough_) share_ = std::clamp(kRoughest / o_.force_tolerance, 1.0, kRough);
}

// Whether the trial does for the first of several minimisations: told by the gradient alone.
bool Minimiser::rough_enough() {
  if (!rough_ || f_.path() < 1.0) return false;
  f_.assemble(false, false, 0);
  measure();
  return small_residual();
}

// Whether so little is left that nothing would change its velocity by more than the tolerance,
// were it alone: contact and elasticity hold back what they join, so that the mean change of all,
// by mass, is less. Of a soft body that is held it is the root mean square over its
// mass, sum g^2 / m = |M^-1 g|_M^2, were all of it held back as little as its slowest mode; what
// moves a single node is held back more. A Hessian would say the same.
bool Minimiser::still_settled() {
  if (f_.proximal() || !(report_.residual <= kStill * needed())) return false;
  const BlockPattern& pattern = f_.pattern();
  const Inertia& inertia = f_.inertia();
  const std::vector<double>& g = f_.assembly().gradient();
  const double* mass = inertia.mass.data();
  auto held = inertia.held.begin();
  double change = 0, squares = 0, moved = 0;
  for (int b = 0; b < pattern.block_count(); ++b) {
    const int n = pattern.size(b), o = pattern.offset(b);
    const bool is_held = held != inertia.held.end() && o >= held->begin;
    for (int i = 0; i < n; ++i) {
      const auto at = at_index(o + i);
      if (f_.fixed(o + i)) continue;
      const double m = mass[i * n + i];
      if (is_held)
        squares += g[at] * g[at] / m, moved += m / 3;
      else
        change = std::max(change, std::abs(g[at] / m) * inertia.length[at]);
    }
    mass += std::ptrdiff_t{n} * n;
    if (!is_held || o + n < held->end) continue;
    if (moved > 0) change = std::max(change, std::sqrt(squares / moved) / held->firmness);
    squares = moved = 0;
    ++held;
  }
  if (!(change <= o_.velocity_tolerance)) return false;
  report_.velocity_change = change;
  return true;
}

// The last one, with what is lagged as it is.
void Minimiser::end_exactly() {
  rough_ = false;
  share_ = 1;
  last_residual_ = 1e300;
  minimise();
}

// Takes what is lagged from where the minimisation arrived and goes on, until the residual with
// nothing lagged is small. The first time the new forces are lagged as they are; then, where the
// passes may throw each other back and forth, what Anderson mixing makes of all of them. Leaves
// it after so many passes, as they are.
void Minimiser::settle_lags(int enough_passes) {
  Borrowed<LagMixing> mixing;
  mixing->clear();
  int passes = 0;
  const int enough = kFrozenTimes * report_.iterations + kFrozenMore;
  while (report_.status == 0 && passes < enough_passes) {
    if (!f_.renew_lags()) {
      if (!rough_) return;
      end_exactly();
      continue;
    }
    energy_.reset();
    f_.assemble(false, false, 0);
    measure();
    share_ = 1;
    const bool frozen = f_.all_frozen();
    const double part = !frozen ? 1 : passes < kFinePasses ? kFineFriction : kCoarseFriction;
    // What is frozen does not see positions in the step, so their rounding need not end it.
    const bool rounds = !frozen || passes >= kFinePasses;
    if (report_.residual <= std::max(part * o_.force_tolerance * report_.load, o_.force_floor) ||
        (rounds && report_.residual <= f_.round_off())) {
      if (rough_ && !slow() && !still_settled()) {
        end_exactly();
        continue;
      }
      return frozen ? keep_lags() : void();
    }
    const int most = frozen ? std::min(kFrozenPasses, o_.max_lag_passes) : o_.max_lag_passes;
    ++report_.lag_passes;
    const bool last = ++passes > most || (frozen && report_.iterations > enough);
    mixing->take(f_.lag_rows());
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
      mixing->clear();  // goes on from the forces that are lagged there
    } else {
      mixing->mix(report_.residual);
      // Without momentum the centre of the proximal term moves too: another map at every pass.
      if (passes > 1) mixing->write(f_.lag_rows());
      if (!f_.recentres()) f_.set_lags();
    }
    blocked_ = f_.path() < 1.0;
    report_.velocity_change = last_residual_ = 1e300;
    rough_ = !frozen && !f_.recentres();
    share_ = std::max(kInner, (rough_ ? kAccuracy : kFrozenAccuracy) * report_.residual / needed());
    if (!rough_) share_ = std::min(share_, 1.0);
    minimise();
  }
}

// Ends with the forces that the last minimisation was made with.
void Minimiser::keep_lags() {
  f_.undo_lags();
  f_.assemble(false, false, 0);
  measure();
}

void Minimiser::do_without_lags() {
  f_.renew_lags();
  f_.drop_lags();
  follow_ = false, dropped_ = true;
  const std::vector<LagRow>& rows = f_.lag_rows();
  if (std::none_of(rows.begin(), rows.end(), [](const LagRow& r) { return r.was; })) return;
  report_.status &= ~std::uint32_t{kNotConverged | kLineSearchStalled};
  spent_ = report_.iterations;
  report_.velocity_change = last_residual_ = 1e300;
  share_ = 1;
  minimise();
}

Minimiser::Root Minimiser::find_root() {
  if (f_.recentres()) return Root::kNotFound;
  Borrowed<std::vector<double>> room;
  std::vector<double>& start = *room;
  start = z_;
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

}  // namespace haptos
