#include "haptos/solve/newton/impulse_newton.h"

#include <algorithm>

namespace haptos {
namespace {

constexpr int kMost = 30;
// So many iterations that do not halve what the law is off shorten the way to this part of it; one
// that does undoes one of that.
constexpr int kPatience = 4;
constexpr double kShorter = 0.7, kHalf = 0.5;
// Where lags follow and the law at its softness gets farther off, the way is halved up to so many
// times. With lags held that takes more iterations than it saves.
constexpr int kHalvings = 3;
// Relative residual of an iterative linear solver.
constexpr double kLinear = 1e-6;

// Of all terms that have some.
class All {
 public:
  All(const Objective& f, const ImpulseStart& start) : each_(f.impulses()) {
    for (Impulses* i : each_) any_ |= i->begin_impulses(start);
  }
  All(const All&) = delete;
  All& operator=(const All&) = delete;
  ~All() {
    for (Impulses* i : each_) i->end_impulses();
  }
  bool empty() const { return !any_; }
  void set_part(double part, bool again) {
    for (Impulses* i : each_) i->set_impulse_part(part, again);
  }
  double off() const {
    double sum = 0;
    for (const Impulses* i : each_) sum += i->impulses_off();
    return sum;
  }
  double apart() const {
    double sum = 0;
    for (const Impulses* i : each_) sum += i->impulses_apart();
    return sum;
  }

 private:
  const std::vector<Impulses*>& each_;
  bool any_ = false;
};

ImpulseNewtonReport iterate(Objective& f, std::vector<double>& z, std::vector<double>& dz,
                            const ImpulseStart& start, double tolerance, int most) {
  ImpulseNewtonReport report;
  ImpulseStart from = start;
  from.trial = &z;
  All impulses(f, from);
  if (impulses.empty()) return report;
  f.set_trial(z, f.path());
  const int halvings = start.lags_follow ? kHalvings : 0;
  double apart = impulses.apart(), best = 1e300, whole = 1;
  int stuck = 0;
  while (!report.converged && report.iterations < std::min(kMost, most)) {
    f.assemble(true, false, 0);
    const bool solved = f.solve(dz, kLinear);
    report.linear_iterations += f.linear().iterations();
    if (!solved) break;
    ++report.iterations;
    const double before = apart;
    double part = 0;
    for (int tries = 0; tries == 0 || (apart > before && tries <= halvings); ++tries) {
      const double next = tries == 0 ? whole : 0.5 * part;
      for (std::size_t i = 0; i < z.size(); ++i) z[i] += (next - part) * dz[i];
      part = next;
      impulses.set_part(part, tries > 0);
      f.set_trial(z, f.path());
      apart = impulses.apart();
    }
    const double off = impulses.off();
    report.converged = off <= tolerance * f.load();
    if (off < kHalf * best) {
      best = off;
      stuck = 0;
      whole = std::min(1.0, whole / kShorter);
    } else if (++stuck >= kPatience) {
      best = off;
      stuck = 0;
      whole *= kShorter;
    }
  }
  return report;
}

}  // namespace

ImpulseNewtonReport solve_with_impulses(Objective& f, std::vector<double>& z,
                                        std::vector<double>& dz, const ImpulseStart& start,
                                        double tolerance, int most) {
  const ImpulseNewtonReport report = iterate(f, z, dz, start, tolerance, most);
  if (report.iterations > 0) f.set_trial(z, f.path());
  return report;
}

}  // namespace haptos
