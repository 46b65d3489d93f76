// Chebyshev smoother on a block-Jacobi splitting, for one level of a multilevel preconditioner.
//
//   x <- x + q(D^-1 A) D^-1 (b - A x),   q the polynomial for which 1 - t q(t) is smallest on
//   [lambda / ratio, lambda],            lambda a little above the largest eigenvalue of D^-1 A
//
// Products with A only: parallel, and the same bits for any number of threads. The largest
// eigenvalue comes from a few Lanczos steps in the inner product of D with a fixed start vector.
// Reference: Adams, Brezina, Hu, Tuminaro, J. Comput. Phys. 188 (2003).
#pragma once

#include <vector>

#include "haptos/solve/linear/pcg.h"
#include "haptos/system/block_matrix.h"

namespace haptos {

class Smoother {
 public:
  /// Inverts the diagonal blocks and estimates the spectrum. `scratch` is resized to the scalars.
  /// @return false when the matrix was seen not to be positive definite
  bool setup(const BlockMatrix& a, int degree, double ratio, std::vector<double>& scratch);

  /// x = q(..) b from x = 0; `residual` becomes b - A x.
  void smooth_from_zero(const BlockMatrix& a, const double* b, double* x, double* residual);
  /// One more application at x.
  void smooth(const BlockMatrix& a, const double* b, double* x, double* residual);

  const BlockJacobi& diagonal() const { return diagonal_; }
  /// Estimate of the largest eigenvalue of D^-1 A.
  double largest() const { return largest_; }
  std::size_t bytes() const;

 private:
  bool estimate(const BlockMatrix& a, std::vector<double>& r);
  void iterate(const BlockMatrix& a, double* x, double* residual, bool from_zero,
               bool want_residual);

  BlockJacobi diagonal_;
  DotProduct dot_;
  std::vector<double> d_, ad_;  // direction and its product with A
  int degree_ = 2;
  double ratio_ = 10, largest_ = 0;
};

}  // namespace haptos
