#include "haptos/solve/newton/line_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "haptos/base/borrowed.h"

namespace haptos {
namespace {

void along(const std::vector<double>& z, const std::vector<double>& dz, double a,
           std::vector<double>& end) {
  end.resize(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) end[i] = fma(a, dz[i], z[i]);
}

// An exact search ends where this part of the slope is left: a closer one costs evaluations and
// saves no iterations.
constexpr double kEnough = 0.1;

// A whole step that gains this part of what its slope promises, of which a quadratic keeps half,
// goes on, and so does one twice as long, as far as kFarthestOn.
constexpr double kStraight = 0.75;
constexpr double kFarthestOn = 8;

// A capped step shorter than this part of its chord is bent again.
constexpr double kLongCap = 0.9;

// The way from z along a direction that bodies may bend.
class Way {
 public:
  Way(Objective& objective, const std::vector<double>& z, const std::vector<double>& straight)
      : objective_(objective), z_(z), straight_(straight) {}

  // The end of a share of the way, or of what the terms admit of it; returns the share.
  double go(double share, std::vector<double>& end) {
    double part = 1;
    if (straight_on_ && share <= known_) {
      take(share);
    } else {
      if (left_) objective_.set_trial(z_, objective_.path(), Sampling::kKept);
      left_ = true;
      straight_on_ = !objective_.retract(z_, take(share));
      part = objective_.max_step(*chord_, 0.0);
      // A part of the way along a chord leaves the curve again: a shorter one is bent for itself.
      if (!straight_on_ && part < kLongCap) {
        share *= part;
        objective_.retract(z_, take(share));
        part = objective_.max_step(*chord_, 0.0);
      }
    }
    known_ = std::max(known_, part * share);
    along(z_, *chord_, part, end);
    return part * share;
  }

 private:
  std::vector<double>& take(double share) {
    chord_->resize(straight_.size());
    for (std::size_t i = 0; i < straight_.size(); ++i) (*chord_)[i] = share * straight_[i];
    return *chord_;
  }

  Objective& objective_;
  const std::vector<double>&z_, &straight_;
  Borrowed<std::vector<double>> chord_;
  bool left_ = false;         // the trial is no longer at z
  bool straight_on_ = false;  // nothing bends
  double known_ = 0;          // how far the terms admit it
};

// Doubles a step that was accepted, from `energy`, while the energy falls as straight as it did.
void go_on(Objective& objective, Way& way, double energy, double slope, int max_evaluations,
           std::vector<double>& trial, LineSearchResult& r) {
  Borrowed<std::vector<double>> room;
  std::vector<double>& farther = *room;
  for (double a = 2; a <= kFarthestOn && r.evaluations < max_evaluations; a *= 2) {
    const double reached = way.go(a, farther);
    if (!(reached > r.alpha)) break;
    objective.set_trial(farther, objective.path(), Sampling::kKept);
    const double there = objective.energy().value, gain = energy - there;
    ++r.evaluations;
    if (!(gain > 0)) break;  // not finite, neither
    const bool straight = gain >= 0.5 * kStraight * (reached - r.alpha) * -slope;
    trial.swap(farther);
    energy = there;
    r.alpha = reached;
    if (reached < a || !straight) return;
  }
  objective.set_trial(trial, objective.path(), Sampling::kKept);
}

// The search, which reads the samples that the gradient was taken with.
LineSearchResult search_kept(Objective& objective, std::vector<double>& z,
                             const std::vector<double>& dz, const Energy& start, double slope,
                             int max_evaluations) {
  constexpr double kArmijo = 1e-4;
  constexpr double kUlps = 64 * 2.2e-16;
  LineSearchResult r;
  const double slack = kUlps * (start.magnitude + std::abs(start.value));
  // Positions are rounded, and the load makes energy of that: what a step gains below this drowns.
  const double noise = 8 * objective.energy_noise();
  // Past the minimum by half of the way at most: where curvature jumps, as between stick and slip,
  // full steps may go back and forth over it for ever.
  const auto not_past = [&] {
    objective.assemble(false, false, 0);
    return objective.slope(dz) < -0.5 * slope;
  };
  Way way(objective, z, dz);
  Borrowed<std::vector<double>> room;
  std::vector<double>& trial = *room;
  for (double a = 1; r.evaluations < max_evaluations; a *= 0.5) {
    a = way.go(a, trial);
    objective.set_trial(trial, objective.path(), Sampling::kKept);
    const Energy e = objective.energy();
    ++r.evaluations;
    if (!std::isfinite(e.value)) {
      ++r.halvings;
      continue;
    }
    const double gain = std::abs(a * slope), wanted = start.value + kArmijo * a * slope;
    const double unseen = std::max(slack, gain < noise ? noise : 0.0);
    if ((gain > slack && e.value <= wanted) || (e.value <= wanted + unseen && not_past())) {
      r.alpha = a;
      if (a == 1 && gain > unseen && start.value - e.value >= kStraight * gain)
        go_on(objective, way, e.value, slope, max_evaluations, trial, r);
      z = trial;
      return r;
    }
    ++r.halvings;
  }
  objective.set_trial(z, objective.path(), Sampling::kKept);
  return r;
}

}  // namespace

LineSearchResult backtrack(Objective& objective, std::vector<double>& z,
                           const std::vector<double>& dz, const Energy& start, double slope,
                           int max_evaluations) {
  const LineSearchResult r = search_kept(objective, z, dz, start, slope, max_evaluations);
  objective.sample_anew();
  return r;
}

LineSearchResult exact_search(Objective& objective, std::vector<double>& z,
                              const std::vector<double>& dz, double slope, int max_evaluations) {
  constexpr double kFarthest = 1.5;
  LineSearchResult r;
  objective.set_off(dz);
  const double tolerance = kEnough * std::abs(slope);
  double lo = 0, hi = kFarthest, a = 1, f = 0, newton = 0;
  // The slope at a, and where it would be zero if it went on evenly.
  const auto look = [&](double at) {
    r.alpha = a = at;
    const Objective::Along along = objective.along(at);
    ++r.evaluations;
    f = along.slope;
    newton = along.curvature > 0 ? a - f / along.curvature : -1.0;
    (f > 0 ? hi : lo) = a;
  };
  look(1);  // Newton's own step is nearly always the minimum, or beyond it
  if (f < -tolerance) look(kFarthest);
  const bool inside = a < kFarthest || f > 0;
  while (inside && std::abs(f) > tolerance && hi - lo >= 1e-14 && r.evaluations < max_evaluations)
    look(newton > lo && newton < hi ? newton : 0.5 * (lo + hi));
  z = objective.trial();
  return r;
}

}  // namespace haptos
