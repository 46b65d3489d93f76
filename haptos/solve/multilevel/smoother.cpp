#include "haptos/solve/multilevel/smoother.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"

namespace haptos {
namespace {

constexpr std::ptrdiff_t kGrain = 4096;
constexpr int kLanczosSteps = 10;
// What the estimate is raised by: Lanczos approaches the largest eigenvalue from below.
constexpr double kSafety = 1.1;

// Pseudo-random in [-1, 1], the same on every run.
double start_value(std::ptrdiff_t i) {
  std::uint64_t h = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ull + 0x632BE59BD9B4E019ull;
  h = (h ^ (h >> 31)) * 0xBF58476D1CE4E5B9ull;
  h ^= h >> 29;
  return static_cast<double>(h >> 11) * 0x1.0p-52 - 1.0;
}

// The largest eigenvalue of a symmetric tridiagonal matrix, by bisection on Sturm counts.
double largest_eigenvalue(const double* d, const double* e, int n) {
  double hi = 0;
  for (int i = 0; i < n; ++i)
    hi = std::max(hi, d[i] + (i > 0 ? std::abs(e[i - 1]) : 0) + (i + 1 < n ? std::abs(e[i]) : 0));
  double lo = 0;
  const auto all_below = [&](double x) {
    double q = d[0] - x;
    if (q >= 0) return false;
    for (int i = 1; i < n; ++i) {
      q = d[i] - x - e[i - 1] * e[i - 1] / q;
      if (q >= 0) return false;
    }
    return true;
  };
  for (int i = 0; i < 50; ++i) {
    const double mid = 0.5 * (lo + hi);
    (all_below(mid) ? hi : lo) = mid;
  }
  return hi;
}

}  // namespace

bool Smoother::setup(const BlockMatrix& a, int degree, double ratio, std::vector<double>& scratch) {
  degree_ = degree;
  ratio_ = ratio;
  const auto n = at_index(a.pattern().scalar_count());
  d_.resize(n);
  ad_.resize(n);
  scratch.resize(n);
  return diagonal_.setup(a) && estimate(a, scratch);
}

// Conjugate gradients preconditioned by D, for their tridiagonal matrix.
bool Smoother::estimate(const BlockMatrix& a, std::vector<double>& r) {
  const std::ptrdiff_t n = a.pattern().scalar_count();
  for (std::ptrdiff_t i = 0; i < n; ++i) r[at_index(i)] = start_value(i);
  double diagonal[kLanczosSteps], off[kLanczosSteps];
  double rz = 0, alpha = 0;
  int steps = 0;
  for (int k = 0; k < kLanczosSteps; ++k) {
    diagonal_.apply(r.data(), ad_.data());
    const double rz_new = dot_(n, r.data(), ad_.data());
    if (!(rz_new > 0)) break;
    const double beta = k == 0 ? 0.0 : rz_new / rz;
    if (k > 0 && rz_new < 1e-24 * rz) break;
    rz = rz_new;
    for_each(
        n,
        [&](std::ptrdiff_t i) {
          d_[at_index(i)] =
              k == 0 ? ad_[at_index(i)] : std::fma(beta, d_[at_index(i)], ad_[at_index(i)]);
        },
        kGrain);
    a.multiply(d_.data(), ad_.data());
    const double curvature = dot_(n, d_.data(), ad_.data());
    if (!(curvature > 0)) return false;
    diagonal[k] = k == 0 ? 0.0 : beta / alpha;
    if (k > 0) off[k - 1] = std::sqrt(beta) / alpha;
    alpha = rz / curvature;
    diagonal[k] += 1.0 / alpha;
    steps = k + 1;
    for_each(
        n,
        [&](std::ptrdiff_t i) {
          r[at_index(i)] = std::fma(-alpha, ad_[at_index(i)], r[at_index(i)]);
        },
        kGrain);
  }
  if (steps == 0) return false;
  largest_ = kSafety * largest_eigenvalue(diagonal, off, steps);
  return std::isfinite(largest_) && largest_ > 0;
}

void Smoother::iterate(const BlockMatrix& a, double* x, double* residual, bool from_zero,
                       bool want_residual) {
  const std::ptrdiff_t n = a.pattern().scalar_count();
  const double hi = largest_, lo = largest_ / ratio_;
  const double theta = 0.5 * (hi + lo), delta = 0.5 * (hi - lo), sigma = theta / delta;
  double rho = 1.0 / sigma;
  diagonal_.apply(residual, 1.0 / theta, 0.0, d_.data());
  for (int k = 0;; ++k) {
    const bool product = k + 1 < degree_ || want_residual;
    if (product) a.multiply(d_.data(), ad_.data());
    for_each(
        n,
        [&](std::ptrdiff_t i) {
          x[i] = from_zero && k == 0 ? d_[at_index(i)] : x[i] + d_[at_index(i)];
          if (product) residual[i] -= ad_[at_index(i)];
        },
        kGrain);
    if (k + 1 == degree_) return;
    const double next = 1.0 / (2 * sigma - rho);
    diagonal_.apply(residual, 2 * next / delta, next * rho, d_.data());
    rho = next;
  }
}

void Smoother::smooth_from_zero(const BlockMatrix& a, const double* b, double* x,
                                double* residual) {
  std::copy(b, b + a.pattern().scalar_count(), residual);
  iterate(a, x, residual, true, true);
}

void Smoother::smooth(const BlockMatrix& a, const double* b, double* x, double* residual) {
  a.multiply(x, residual);
  for_each(
      a.pattern().scalar_count(), [&](std::ptrdiff_t i) { residual[i] = b[i] - residual[i]; },
      kGrain);
  iterate(a, x, residual, false, false);
}

std::size_t Smoother::bytes() const {
  return diagonal_.bytes() + (d_.size() + ad_.size()) * sizeof(double);
}

}  // namespace haptos
