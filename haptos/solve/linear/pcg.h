// Preconditioned conjugate gradients on a block-sparse symmetric matrix.
//
//   minimise 1/2 x^T A x - b^T x over growing Krylov spaces of B A, B symmetric positive definite.
//
// Every x it passes through is a descent direction of that quadratic, so a solve that stops early
// is still of use to Newton. When a direction p has p^T A p <= 0, A is not positive definite; when
// a residual has r^T B r <= 0, the preconditioner is not, which happens only when A is not either
// or is so nearly not that round-off decides. Both are reported as negative curvature.
//
// Dot products are summed in chunks of fixed size, chunk by chunk, so the bits do not depend on the
// number of threads. Reference: Hestenes and Stiefel 1952; Saad, Iterative Methods, 9.2.
#pragma once

#include <cstddef>
#include <vector>

#include "haptos/system/block_matrix.h"

namespace haptos {

/// A symmetric positive definite approximation B of A^-1.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  /// z = B r, scalars of the matrix; r and z must not overlap.
  virtual void apply(const double* r, double* z) = 0;
  virtual std::size_t bytes() const = 0;
};

/// The inverse of every diagonal block.
class BlockJacobi final : public Preconditioner {
 public:
  /// @return false where a diagonal block is not positive definite
  bool setup(const BlockMatrix& a);
  void apply(const double* r, double* z) override;
  /// z <- s B r + t z, block by block.
  void apply(const double* r, double s, double t, double* z) const;
  /// Inverse of the diagonal block of row i, row-major.
  const double* inverse(int i) const { return inverse_.data() + offset_[static_cast<size_t>(i)]; }
  std::size_t bytes() const override;

 private:
  std::shared_ptr<const BlockPattern> pattern_;
  std::vector<std::ptrdiff_t> offset_;
  std::vector<double> inverse_;
  std::vector<char> failed_;  // per chunk of blocks
};

/// Sum of products in chunks of fixed size; keeps its scratch.
class DotProduct {
 public:
  double operator()(std::ptrdiff_t n, const double* x, const double* y);
  /// sum of (w_i x_i)^2; w may be null for ones.
  double weighted_square(std::ptrdiff_t n, const double* x, const double* w);

 private:
  std::vector<double> part_;
};

struct PcgResult {
  int iterations = 0;
  double residual = 0;  ///< weighted two-norm of b - A x over that of b, by recurrence
  bool converged = false;
  bool negative_curvature = false;
};

class Pcg {
 public:
  /// Solves A x = b from x = 0. Does not allocate once it has seen a system of this size.
  /// @param weight  per scalar, what its residual is multiplied by in the norm that tolerance
  ///                speaks of; null for ones
  PcgResult solve(const BlockMatrix& a, Preconditioner& preconditioner, const double* b, double* x,
                  double tolerance, int max_iterations, const double* weight = nullptr);
  std::size_t bytes() const;

 private:
  std::vector<double> r_, z_, p_, q_;
  DotProduct dot_;
};

}  // namespace haptos
