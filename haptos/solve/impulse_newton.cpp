#include "haptos/solve/impulse_newton.h"

#include <algorithm>

#include "haptos/potential/impulses.h"

namespace haptos {
namespace {

constexpr int kMost = 30;
// So many iterations that do not halve what the law is off shorten the way to this part of it; one
// that does undoes one of that.
constexpr int kPatience = 4;
constexpr double kShorter = 0.7, kHalf = 0.5;
// Relative residual of an iterative linear solver.
constexpr double kLinear = 1e-6;

// Of all terms that have some.
class All {
 public:
  explicit All(const Objective& f) : each_(f.impulses()) {
    for (Impulses* i : each_) any_ |= i->begin_impulses();
  }
  All(const All&) = delete;
  All& operator=(const All&) = delete;
  ~All() {
    for (Impulses* i : each_) i->end_impulses();
  }
  bool empty() const { return !any_; }
  void set_part(double part) {
    for (Impulses* i : each_) i->set_impulse_part(part);
  }
  double off() const {
    double sum = 0;
    for (const Impulses* i : each_) sum += i->impulses_off();
    return sum;
  }

 private:
  const std::vector<Impulses*>& each_;
  bool any_ = false;
};

ImpulseNewtonReport iterate(Objective& f, std::vector<double>& z, std::vector<double>& dz,
                            double tolerance, int most) {
  ImpulseNewtonReport report;
  All impulses(f);
  if (impulses.empty()) return report;
  f.set_trial(z, f.path());
  double best = 1e300, part = 1;
  int stuck = 0;
  while (!report.converged && report.iterations < std::min(kMost, most)) {
    f.assemble(true, false, 0);
    if (!f.solve(dz, kLinear)) break;
    ++report.iterations;
    for (std::size_t i = 0; i < z.size(); ++i) z[i] += part * dz[i];
    impulses.set_part(part);
    f.set_trial(z, f.path());
    const double off = impulses.off();
    report.converged = off <= tolerance * f.load();
    if (off < kHalf * best) {
      best = off;
      stuck = 0;
      part = std::min(1.0, part / kShorter);
    } else if (++stuck >= kPatience) {
      best = off;
      stuck = 0;
      part *= kShorter;
    }
  }
  return report;
}

}  // namespace

ImpulseNewtonReport solve_with_impulses(Objective& f, std::vector<double>& z,
                                        std::vector<double>& dz, double tolerance, int most) {
  const ImpulseNewtonReport report = iterate(f, z, dz, tolerance, most);
  if (report.iterations > 0) f.set_trial(z, f.path());
  return report;
}

}  // namespace haptos
