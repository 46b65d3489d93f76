// Symmetric positive definite systems of blocks for tests of factors, and what they are held to.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "haptos/system/block_matrix.h"

namespace haptos::test {

using Couplings = std::vector<std::array<int, 2>>;

struct System {
  std::shared_ptr<const BlockPattern> pattern;
  BlockMatrix matrix;
};

// Positive definite: random blocks, each diagonal outweighing its row by `margin`.
inline System random_system(std::vector<int> sizes, const Couplings& couplings, unsigned seed,
                            double margin = 1.0) {
  System s;
  s.pattern = std::make_shared<const BlockPattern>(std::move(sizes), couplings);
  s.matrix = BlockMatrix(s.pattern);
  const BlockPattern& p = *s.pattern;
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  const auto row_of = [&](int block, int k) {
    return static_cast<std::size_t>(p.offset(block)) + static_cast<std::size_t>(k);
  };
  std::vector<double> row_sum(static_cast<std::size_t>(p.scalar_count()), margin);
  for (int e = 0; e < p.entry_count(); ++e) {
    const int i = p.row(e), j = p.column(e), w = p.size(j);
    double* b = s.matrix.entry(e);
    for (int r = 0; r < p.size(i); ++r)
      for (int c = 0; c < (i == j ? r : w); ++c) {
        const double v = u(rng);
        b[r * w + c] = v;
        if (i == j) b[c * w + r] = v;
        row_sum[row_of(i, r)] += std::abs(v);
        row_sum[row_of(j, c)] += std::abs(v);
      }
  }
  for (int i = 0; i < p.block_count(); ++i)
    for (int r = 0; r < p.size(i); ++r)
      s.matrix.entry(p.diagonal(i))[r * p.size(i) + r] = row_sum[row_of(i, r)];
  return s;
}

inline Couplings random_couplings(int n, double per_block, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_int_distribution<int> pick(0, n - 1);
  Couplings c;
  for (int k = 0; k < static_cast<int>(per_block * n); ++k) c.push_back({pick(rng), pick(rng)});
  return c;
}

// Neighbours of a box grid, diagonals included.
inline Couplings grid(int nx, int ny, int nz) {
  Couplings c;
  const auto name = [&](int x, int y, int z) { return (z * ny + y) * nx + x; };
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        for (int d = 0; d < 8; ++d) {
          const int a = x + (d & 1), b = y + (d >> 1 & 1), e = z + (d >> 2);
          if (a < nx && b < ny && e < nz) c.push_back({name(x, y, z), name(a, b, e)});
        }
  return c;
}

inline Eigen::MatrixXd dense(const BlockMatrix& m) {
  const BlockPattern& p = m.pattern();
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(p.scalar_count(), p.scalar_count());
  for (int e = 0; e < p.entry_count(); ++e) {
    const int i = p.row(e), j = p.column(e);
    for (int r = 0; r < p.size(i); ++r)
      for (int c = 0; c < p.size(j); ++c)
        a(p.offset(i) + r, p.offset(j) + c) = a(p.offset(j) + c, p.offset(i) + r) =
            m.entry(e)[r * p.size(j) + c];
  }
  return a;
}

inline std::vector<double> random_vector(int n, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<double> b(static_cast<std::size_t>(n));
  for (double& v : b) v = u(rng);
  return b;
}

// |A x - b|_inf / |b|_inf through the matrix's own product.
inline double residual(const BlockMatrix& m, const std::vector<double>& x,
                       const std::vector<double>& b) {
  std::vector<double> y(b.size());
  m.multiply(x.data(), y.data());
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    worst = std::max(worst, std::abs(y[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return worst / scale;
}

inline std::vector<int> mixed_sizes(int n, unsigned seed) {
  const int kSizes[] = {1, 3, 3, 3, 6, 12};
  std::mt19937 rng(seed);
  std::vector<int> s(static_cast<std::size_t>(n));
  for (int& v : s) v = kSizes[rng() % 6];
  return s;
}

}  // namespace haptos::test
