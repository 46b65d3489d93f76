#include "haptos/solve/line_search.h"

#include <algorithm>
#include <cmath>

namespace haptos {
namespace {

std::vector<double> along(const std::vector<double>& z, const std::vector<double>& dz, double a) {
  std::vector<double> r(z.size());
  for (std::size_t i = 0; i < z.size(); ++i) r[i] = fma(a, dz[i], z[i]);
  return r;
}

}  // namespace

LineSearchResult backtrack(Objective& objective, const std::vector<double>& z,
                           const std::vector<double>& dz, double cap, const Energy& start,
                           double slope, int max_evaluations) {
  constexpr double kArmijo = 1e-4;
  constexpr double kUlps = 64 * 2.2e-16;
  LineSearchResult r;
  // Positions are rounded, and the load makes energy of that: what a step gains below this drowns.
  const double noise = 8 * objective.energy_noise();
  // Past the minimum by half of the way at most: where curvature jumps, as between stick and slip,
  // full steps may go back and forth over it for ever.
  auto slope_falls = [&] {
    objective.assemble(false, false, 0);
    double s = 0;
    for (std::size_t i = 0; i < dz.size(); ++i)
      s = fma(objective.assembly().gradient()[i], dz[i], s);
    return s > slope && s < -0.5 * slope;
  };
  for (double a = cap; r.evaluations < max_evaluations; a *= 0.5) {
    objective.set_trial(along(z, dz, a), objective.path());
    const Energy e = objective.energy();
    ++r.evaluations;
    const double slack = kUlps * (start.magnitude + std::abs(start.value));
    if (!std::isfinite(e.value)) continue;
    const double gain = std::abs(a * slope), wanted = start.value + kArmijo * a * slope;
    const double unseen = std::max(slack, gain < noise ? noise : 0.0);
    if ((gain > slack && e.value <= wanted) || (e.value <= wanted + unseen && slope_falls())) {
      r.alpha = a;
      return r;
    }
  }
  objective.set_trial(z, objective.path());
  return r;
}

LineSearchResult exact_search(Objective& objective, const std::vector<double>& z,
                              const std::vector<double>& dz, double slope, int max_evaluations) {
  LineSearchResult r;
  double second = 0;
  auto phi = [&](double a) {
    objective.set_trial(along(z, dz, a), objective.path());
    objective.assemble(true, false, 0);
    ++r.evaluations;
    second = objective.curvature(dz);
    double s = 0;
    for (std::size_t i = 0; i < dz.size(); ++i)
      s = fma(objective.assembly().gradient()[i], dz[i], s);
    return s;
  };
  const double tolerance = 1e-8 * std::abs(slope);
  double lo = 0, hi = 1.5;
  const double at_end = phi(hi);
  if (at_end <= 0) {
    r.alpha = hi;
    return r;
  }
  double a = 1.0;
  while (r.evaluations < max_evaluations) {
    const double f = phi(a);
    r.alpha = a;
    if (std::abs(f) <= tolerance || hi - lo < 1e-14) return r;
    (f > 0 ? hi : lo) = a;
    const double newton = second > 0 ? a - f / second : -1.0;
    a = newton > lo && newton < hi ? newton : 0.5 * (lo + hi);
  }
  return r;
}

}  // namespace haptos
