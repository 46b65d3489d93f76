#include "haptos/solve/linear/single_factor.h"

#include <algorithm>
#include <cmath>

#include "haptos/solve/linear/cholesky_plan.h"

namespace haptos {

namespace {
// Of the diagonal of A: a pivot further below zero is no rounding.
constexpr double kNoRounding = 0.01;
}  // namespace

void SingleFactor::analyze(std::shared_ptr<const CholeskyPlan> plan) {
  size_ = plan->pattern().scalar_count();
  factor_.analyze(std::move(plan));
}

SingleFactor::Outcome SingleFactor::factor(const BlockMatrix& a) {
  if (factor_.factor(a)) return Outcome::kFactored;
  const BlockPattern& p = a.pattern();
  const int b = factor_.failed_block(), n = p.size(b);
  double largest = 0;
  for (int i = 0; i < n; ++i)
    largest = std::max(largest, std::abs(a.entry(p.diagonal(b))[i * n + i]));
  return factor_.failed_pivot() < -kNoRounding * largest ? Outcome::kIndefinite : Outcome::kUnsure;
}

// Scaled to about one, so that no residual is too small or too large for floats.
void SingleFactor::apply(const double* r, double* z) {
  double largest = 0;
  for (std::ptrdiff_t i = 0; i < size_; ++i) largest = std::max(largest, std::abs(r[i]));
  int exponent = 0;
  std::frexp(largest, &exponent);
  const double down = std::ldexp(1.0, -exponent), up = std::ldexp(1.0, exponent);
  for (std::ptrdiff_t i = 0; i < size_; ++i) z[i] = r[i] * down;
  factor_.solve(z);
  for (std::ptrdiff_t i = 0; i < size_; ++i) z[i] *= up;
}

}  // namespace haptos
