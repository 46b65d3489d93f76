#include "haptos/base/math/clamp_positive.h"

#include <Eigen/Eigenvalues>

// Where n could be 0 GCC 12 takes Eigen's vectors for uninitialised.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace haptos::internal {
namespace {

// Takes away what is negative, or builds up what is positive, whichever is less work.
template <class Matrix>
void clamp(double* a, int stride, int n) {
  Matrix m(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) m(i, j) = a[i * stride + j];  // the solver reads this half
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(m);
  const auto& l = solver.eigenvalues();
  const auto& q = solver.eigenvectors();
  int negative = 0;
  while (negative < n && l[negative] < 0) ++negative;
  if (negative == 0) return;
  const bool take = 2 * negative <= n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double v = take ? m(i, j) : 0.0;
      for (int k = take ? 0 : negative; k < (take ? negative : n); ++k)
        v += (take ? -l[k] : l[k]) * q(i, k) * q(j, k);
      a[i * stride + j] = a[j * stride + i] = v;
    }
}

template <int N>
using Fixed = Eigen::Matrix<double, N, N>;

}  // namespace

void clamp_positive(double* a, int stride, int n) {
  if (n == 3) return clamp<Fixed<3>>(a, stride, n);
  if (n == 9) return clamp<Fixed<9>>(a, stride, n);
  if (n == 12) return clamp<Fixed<12>>(a, stride, n);
  clamp<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, 24, 24>>(a, stride,
                                                                                        n);
}

}  // namespace haptos::internal
