#include "haptos/solve/failure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "haptos/base/math/index.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/status.h"

namespace haptos {
namespace {

constexpr double kFar = 10;  // [m] in a step
constexpr double kMassRatios = 1e8;
constexpr double kStiff = 1e13;

// What is known of one block.
struct BlockState {
  double residual = 0;             // [N]
  double motion = 0;               // of the free motion in the step [m]
  double least = 1e300, most = 0;  // inertia along its unknowns, as masses [kg]
  double stiffness = 0;            // largest ratio of the Hessian to the inertia
  bool finite = true;
};

std::vector<BlockState> look_at_blocks(const Objective& f) {
  const BlockPattern& pattern = f.pattern();
  const Inertia& inertia = f.inertia();
  const std::vector<double>& g = f.assembly().gradient();
  const double* mass = inertia.mass.data();
  std::vector<BlockState> all(at_index(pattern.block_count()));
  for (int b = 0; b < pattern.block_count(); ++b) {
    BlockState& s = all[at_index(b)];
    const int n = pattern.size(b), o = pattern.offset(b);
    const double* h = f.assembly().matrix().entry(pattern.diagonal(b));
    for (int i = 0; i < n; ++i) {
      const auto k = at_index(o + i);
      if (f.fixed(o + i)) continue;
      const double length = inertia.length[k], m = mass[i * n + i];
      s.finite = s.finite && std::isfinite(g[k]) && std::isfinite(inertia.z_free[k]);
      s.residual += std::abs(g[k]) / length / f.step_factor();
      s.motion = std::max(s.motion, std::abs(inertia.z_free[k]) * length * f.step_factor());
      if (m > 0) s.least = std::min(s.least, m / (length * length));  // a flat body has none across
      s.most = std::max(s.most, m / (length * length));
      if (m > 0) s.stiffness = std::max(s.stiffness, h[i * n + i] / m);
    }
    mass += n * n;
  }
  return all;
}

template <class Value>
int largest(const std::vector<BlockState>& all, Value value) {
  int best = -1;
  for (std::size_t b = 0; b < all.size(); ++b)
    if (best < 0 || value(all[b]) > value(all[at_index(best)])) best = static_cast<int>(b);
  return best;
}

}  // namespace

Failure find_failure(const Objective& f, const NewtonReport& report) {
  Failure r;
  if (report.status == 0) return r;
  const std::vector<BlockState> all = look_at_blocks(f);
  const auto found = [&](Failure::Cause cause, int block, double value) {
    r.cause = cause;
    r.block = block;
    r.value = value;
    if (block >= 0) r.residual = all[at_index(block)].residual;
    return r;
  };
  for (const Term* t : f.terms())
    if (const double load = t->report().load; load > r.load) r.load = load, r.term = t->name();
  for (std::size_t b = 0; b < all.size(); ++b)
    if (!all[b].finite) return found(Failure::kNotFinite, static_cast<int>(b), 0);
  const int away = largest(all, [](const BlockState& s) { return s.motion; });
  if (away >= 0 && all[at_index(away)].motion > kFar)
    return found(Failure::kRunaway, away, all[at_index(away)].motion);
  const BlockPattern& pattern = f.pattern();
  double ratio = 0;
  int light = -1;
  for (int e = 0; e < pattern.entry_count(); ++e)
    for (const auto& [i, j] : {std::array{pattern.row(e), pattern.column(e)},
                               std::array{pattern.column(e), pattern.row(e)}})
      if (i != j && all[at_index(j)].most > ratio * all[at_index(i)].least) {
        ratio = all[at_index(j)].most / all[at_index(i)].least;
        light = i;
        r.other = j;
      }
  if (ratio > kMassRatios) return found(Failure::kMassRatio, light, ratio);
  r.other = -1;
  const int stiff = largest(all, [](const BlockState& s) { return s.stiffness; });
  if (stiff >= 0 && all[at_index(stiff)].stiffness > kStiff)
    return found(Failure::kStiffness, stiff, all[at_index(stiff)].stiffness);
  return found(Failure::kIterations, largest(all, [](const BlockState& s) { return s.residual; }),
               report.iterations);
}

std::string explain(const Failure& failure, const NewtonReport& report, double time,
                    const std::function<std::string(int block)>& name) {
  if (failure.cause == Failure::kNone) return "";
  using internal::format_number;
  std::string who("'");
  who += failure.block < 0 ? "" : name(failure.block);
  who += "'";
  std::string s = "At " + format_number(time) + " s the step did not converge: residual " +
                  format_number(report.residual) + " N at a load of " + format_number(report.load) +
                  " N";
  if (failure.load > 0)
    s +=
        ", most of it in " + std::string(failure.term) + " (" + format_number(failure.load) + " N)";
  s += ". ";
  switch (failure.cause) {
    case Failure::kNone:
      break;
    case Failure::kNotFinite:
      s += "The motion of " + who +
           " is not a finite number: look at its motors, forces and start values.";
      break;
    case Failure::kRunaway:
      s += who + " would move " + format_number(failure.value) +
           " m in the step: its loads or its control have diverged, or the step is too long.";
      break;
    case Failure::kMassRatio:
      s += who + " is " + format_number(failure.value) + " times as light as '" +
           name(failure.other) + "', which it touches or is joined to: weld or remove small parts.";
      break;
    case Failure::kStiffness:
      s += "What holds " + who + " is " + format_number(failure.value) +
           " times as stiff as its inertia: lower stiffnesses or gains, or raise near_rigid.";
      break;
    case Failure::kIterations:
      s += "After " + format_number(failure.value) + " iterations the balance of " + who +
           " is worst, " + format_number(failure.residual) +
           " N: shorten the time step, allow more iterations, or ask for less accuracy.";
      break;
  }
  return s;
}

}  // namespace haptos
