// The part of a small symmetric matrix that is positive semi-definite.
//
// A = Q diag(l) Q^T by cyclic Jacobi rotations in a fixed order; the result is Q diag(max(l, 0))
// Q^T, the nearest positive semi-definite matrix in the Frobenius norm. Host code: it stops when
// what is left off the diagonal is below round-off.
#pragma once

#include "haptos/base/math.h"

namespace haptos {

/// Clamps the leading n x n block of a symmetric matrix; the rest is left alone.
template <int N>
void clamp_positive_block(Mat<double, N, N>& a, int n) {
  Mat<double, N, N> q = Mat<double, N, N>::zero();
  double scale = 0;
  for (int i = 0; i < n; ++i) {
    q(i, i) = 1;
    for (int j = 0; j < n; ++j) scale += a(i, j) * a(i, j);
  }
  Mat<double, N, N> d = a;
  for (int sweep = 0; sweep < 30; ++sweep) {
    double off = 0;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) off += d(i, j) * d(i, j);
    if (off <= 1e-28 * scale) break;
    for (int i = 0; i < n; ++i)
      for (int j = i + 1; j < n; ++j) {
        const double p = d(i, j), e = d(j, j) - d(i, i);
        if (p * p <= 1e-34 * scale) continue;
        const double h = sqrt(e * e + 4 * p * p);
        const double t = 2 * p / (e < 0 ? e - h : e + h);
        const double c = 1.0 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; ++k) {
          const double x = d(k, i), y = d(k, j);
          d(k, i) = c * x - s * y;
          d(k, j) = s * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = d(i, k), y = d(j, k);
          d(i, k) = c * x - s * y;
          d(j, k) = s * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = q(k, i), y = q(k, j);
          q(k, i) = c * x - s * y;
          q(k, j) = s * x + c * y;
        }
      }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double v = 0;
      for (int k = 0; k < n; ++k)
        if (d(k, k) > 0) v = fma(q(i, k) * d(k, k), q(j, k), v);
      a(i, j) = a(j, i) = v;
    }
}

}  // namespace haptos
