#include "haptos/solve/linear/pcg.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/solve/linear/block_kernels.h"

namespace haptos {
namespace {

constexpr std::ptrdiff_t kChunk = 4096;  // scalars of a partial sum
constexpr int kBlocks = 512;             // blocks that are worth handing to another thread

// Calls body(begin, end) for chunks of [0, n).
template <class Body>
void for_chunks(std::ptrdiff_t n, const Body& body) {
  for_each((n + kChunk - 1) / kChunk,
           [&](std::ptrdiff_t c) { body(c * kChunk, std::min((c + 1) * kChunk, n)); }, 1);
}

}  // namespace

bool BlockJacobi::setup(const BlockMatrix& a) {
  const BlockPattern& p = a.pattern();
  const int n = p.block_count();
  if (pattern_ != a.shared_pattern()) {
    pattern_ = a.shared_pattern();
    offset_.assign(1, 0);
    offset_.reserve(at_index(n) + 1);
    for (int i = 0; i < n; ++i) offset_.push_back(offset_.back() + p.size(i) * p.size(i));
    inverse_.resize(at_index(offset_.back()));
    failed_.resize(at_index((n + kBlocks - 1) / kBlocks));
  }
  for_each((n + kBlocks - 1) / kBlocks,
           [&](std::ptrdiff_t c) {
             failed_[at_index(c)] = 0;
             const int end = std::min(static_cast<int>(c + 1) * kBlocks, n);
             for (int i = static_cast<int>(c) * kBlocks; i < end; ++i)
               if (!block::invert(p.size(i), a.entry(p.diagonal(i)),
                                  inverse_.data() + offset_[at_index(i)]))
                 failed_[at_index(c)] = 1;
           },
           1);
  return std::none_of(failed_.begin(), failed_.end(), [](char f) { return f != 0; });
}

void BlockJacobi::apply(const double* r, double* z) { apply(r, 1.0, 0.0, z); }

void BlockJacobi::apply(const double* r, double s, double t, double* z) const {
  const BlockPattern& p = *pattern_;
  for_each(
      p.block_count(),
      [&](std::ptrdiff_t b) {
        const int i = static_cast<int>(b), n = p.size(i), o = p.offset(i);
        for (int k = o; k < o + n; ++k) z[k] = t == 0 ? 0.0 : t * z[k];
        block::add_times(n, n, s, inverse(i), r + o, z + o);
      },
      kBlocks);
}

std::size_t BlockJacobi::bytes() const {
  return inverse_.size() * sizeof(double) + offset_.size() * sizeof(std::ptrdiff_t);
}

double DotProduct::operator()(std::ptrdiff_t n, const double* x, const double* y) {
  part_.resize(at_index((n + kChunk - 1) / kChunk));
  for_chunks(n, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    // Four sums, so that the adder does not wait for itself.
    double s[4] = {0, 0, 0, 0};
    std::ptrdiff_t i = begin;
    for (; i + 4 <= end; i += 4)
      for (int k = 0; k < 4; ++k) s[k] = std::fma(x[i + k], y[i + k], s[k]);
    for (; i < end; ++i) s[0] = std::fma(x[i], y[i], s[0]);
    part_[at_index(begin / kChunk)] = (s[0] + s[1]) + (s[2] + s[3]);
  });
  double sum = 0;
  for (double v : part_) sum += v;
  return sum;
}

double DotProduct::weighted_square(std::ptrdiff_t n, const double* x, const double* w) {
  if (w == nullptr) return (*this)(n, x, x);
  part_.resize(at_index((n + kChunk - 1) / kChunk));
  for_chunks(n, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    double s = 0;
    for (std::ptrdiff_t i = begin; i < end; ++i) s = std::fma(w[i] * x[i], w[i] * x[i], s);
    part_[at_index(begin / kChunk)] = s;
  });
  double sum = 0;
  for (double v : part_) sum += v;
  return sum;
}

PcgResult Pcg::solve(const BlockMatrix& a, Preconditioner& preconditioner, const double* b,
                     double* x, double tolerance, int max_iterations, const double* weight) {
  const std::ptrdiff_t n = a.pattern().scalar_count();
  for (auto* v : {&r_, &z_, &p_, &q_}) v->resize(at_index(n));
  PcgResult result;
  std::fill(x, x + n, 0.0);
  std::copy(b, b + n, r_.begin());
  const double norm_b = std::sqrt(dot_.weighted_square(n, b, weight));
  if (norm_b == 0) {
    result.converged = true;
    return result;
  }
  result.residual = 1;
  double rz = 0;
  while (result.iterations < max_iterations) {
    preconditioner.apply(r_.data(), z_.data());
    const double rz_new = dot_(n, r_.data(), z_.data());
    if (!(rz_new > 0)) {
      result.negative_curvature = true;
      return result;
    }
    const double beta = result.iterations == 0 ? 0.0 : rz_new / rz;
    rz = rz_new;
    for_chunks(n, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i)
        p_[at_index(i)] =
            beta == 0 ? z_[at_index(i)] : std::fma(beta, p_[at_index(i)], z_[at_index(i)]);
    });
    a.multiply(p_.data(), q_.data());
    const double curvature = dot_(n, p_.data(), q_.data());
    if (!(curvature > 0)) {
      result.negative_curvature = true;
      return result;
    }
    const double alpha = rz / curvature;
    for_chunks(n, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
      for (std::ptrdiff_t i = begin; i < end; ++i) {
        x[i] = std::fma(alpha, p_[at_index(i)], x[i]);
        r_[at_index(i)] = std::fma(-alpha, q_[at_index(i)], r_[at_index(i)]);
      }
    });
    ++result.iterations;
    result.residual = std::sqrt(dot_.weighted_square(n, r_.data(), weight)) / norm_b;
    if (result.residual <= tolerance) {
      result.converged = true;
      return result;
    }
  }
  return result;
}

std::size_t Pcg::bytes() const {
  return (r_.size() + z_.size() + p_.size() + q_.size()) * sizeof(double);
}

}  // namespace haptos
