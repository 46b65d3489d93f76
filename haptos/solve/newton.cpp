#include "haptos/solve/newton.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/status.h"
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
      {"strict", "", &O::strict, 0, 1, "switch that turns a step's status bits into an error"},
  };
  return t;
}

namespace {

// A path that advances less than this in one iteration is blocked; so many in a row end the attempt.
constexpr double kBlocked = 1e-5;
constexpr int kBlockedLimit = 15;

class Minimiser {
 public:
  Minimiser(Objective& f, const NewtonOptions& o, std::vector<double>& z) : f_(f), o_(o), z_(z) {}

  NewtonReport run() {
    predict();
    for (;;) {
      const double ds = advance_path_ ? 1.0 - f_.path() : 0.0;
      Energy energy = f_.assemble(true, false, ds);
      measure();
      if (!std::isfinite(energy.value) || !std::isfinite(report_.residual)) {
        report_.status |= kNonFinite;
        break;
      }
      const bool arrived = f_.path() >= 1.0 || blocked_;
      if (arrived && small_residual() && report_.velocity_change <= o_.velocity_tolerance) break;
      if (report_.iterations >= o_.max_iterations) {
        report_.status |= kNotConverged;
        break;
      }
      if (!direction(ds, energy)) {
        report_.status |= kNotConverged;
        break;
      }
      report_.velocity_change = f_.largest_speed(dz_);
      if (arrived && small_residual() && report_.velocity_change <= o_.velocity_tolerance) break;
      ++report_.iterations;
      if (!(ds > 0 ? advance(ds) : search(energy))) break;
    }
    report_.path = f_.path();
    if (f_.any_driven() && report_.path < 1.0) report_.status |= kTargetMissed;
    return report_;
  }

 private:
  // First trial: keep the velocities of the last step and send driven points to their targets. Where
  // nothing caps the step, the free motion is nearer.
  void predict() {
    report_.velocity_change = 1e300;
    if (f_.all_frozen()) {
      z_ = f_.inertia().z_free;
      f_.set_trial(z_, 1.0);
      return;
    }
    const std::vector<double> start = z_;
    std::fill(z_.begin(), z_.end(), 0.0);
    f_.set_trial(z_, 0.0);
    const double path = f_.any_driven() ? 1.0 : 0.0;
    const double a = f_.max_step(start, path);
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = a * start[i];
    f_.set_trial(z_, f_.any_driven() ? a : 1.0);
    advance_path_ = f_.path() < 1.0;
  }

  void measure() {
    report_.residual = f_.residual();
    report_.load = f_.load();
    report_.smallest_gap = f_.smallest_gap();
  }

  bool small_residual() const {
    return report_.residual <= std::max(o_.force_tolerance * report_.load, o_.force_floor);
  }

  bool direction(double ds, Energy& energy) {
    if (f_.solve(dz_)) return true;
    ++report_.projected;
    energy = f_.assemble(true, true, ds);
    return f_.solve(dz_);
  }

  // One step with the driven points under way. No energy test: their work is not in the objective.
  bool advance(double ds) {
    const double a = f_.max_step(dz_, ds);
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = fma(a, dz_[i], z_[i]);
    const double s = a >= 1.0 ? 1.0 : f_.path() + a * ds;
    f_.set_trial(z_, s);
    blocked_count_ = a * ds < kBlocked ? blocked_count_ + 1 : 0;
    if (blocked_count_ >= kBlockedLimit) blocked_ = true;
    // After a short advance let the free points settle for one iteration before the next one.
    advance_path_ = s < 1.0 && !blocked_ && a > 0.3;
    report_.velocity_change = 1e300;
    return true;
  }

  bool search(const Energy& energy) {
    double slope = 0;
    for (std::size_t i = 0; i < dz_.size(); ++i)
      slope = fma(f_.assembly().gradient()[i], dz_[i], slope);
    LineSearchResult r;
    if (f_.all_frozen()) {
      r = exact_search(f_, z_, dz_, slope, o_.max_line_search);
    } else {
      const double cap = f_.max_step(dz_, 0.0);
      r = backtrack(f_, z_, dz_, cap, energy, slope, o_.max_line_search);
    }
    report_.line_search_steps += r.evaluations;
    if (r.alpha == 0) {
      // Nothing was gained: at round-off of the energy the residual decides.
      f_.assemble(true, false, 0);
      measure();
      if (!small_residual()) report_.status |= kLineSearchStalled | kNotConverged;
      return false;
    }
    for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = fma(r.alpha, dz_[i], z_[i]);
    report_.velocity_change *= r.alpha;
    advance_path_ = f_.path() < 1.0 && !blocked_;
    return true;
  }

  Objective& f_;
  const NewtonOptions& o_;
  std::vector<double>& z_;
  std::vector<double> dz_;
  NewtonReport report_;
  bool advance_path_ = false, blocked_ = false;
  int blocked_count_ = 0;
};

}  // namespace

NewtonReport minimise(Objective& objective, const NewtonOptions& options, std::vector<double>& z) {
  NewtonReport r = Minimiser(objective, options, z).run();
  r.energy = objective.energy().value;
  return r;
}

}  // namespace haptos
