// The part of a small symmetric matrix that is positive semi-definite.
//
// A = Q diag(l) Q^T; the result is Q diag(max(l, 0)) Q^T, the nearest positive semi-definite matrix
// in the Frobenius norm. Host code.
#pragma once

#include "haptos/base/math/math.h"

namespace haptos {

namespace internal {
/// @param a  row-major, rows `stride` apart; n at most 24
void clamp_positive(double* a, int stride, int n);
}  // namespace internal

/// Clamps the leading n x n block of a symmetric matrix; the rest is left alone.
template <int N>
void clamp_positive_block(Mat<double, N, N>& a, int n) {
  static_assert(N <= 24);
  internal::clamp_positive(&a(0, 0), N, n);
}

}  // namespace haptos
