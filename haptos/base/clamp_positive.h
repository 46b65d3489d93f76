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
  Mat<double, N, N> q = Mat<double, N, N>::zero();  // row k is eigenvector k
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
        // Rows, in vectors; then the two columns are their mirror images.
        double *di = &d(i, 0), *dj = &d(j, 0), *qi = &q(i, 0), *qj = &q(j, 0);
        const double ii = d(i, i) - t * p, jj = d(j, j) + t * p;
        for (int k = 0; k < n; ++k) {
          const double x = di[k], y = dj[k];
          di[k] = c * x - s * y;
          dj[k] = s * x + c * y;
        }
        for (int k = 0; k < n; ++k) {
          const double x = qi[k], y = qj[k];
          qi[k] = c * x - s * y;
          qj[k] = s * x + c * y;
        }
        di[i] = ii, dj[j] = jj, di[j] = dj[i] = 0;
        for (int k = 0; k < n; ++k) {
          d(k, i) = di[k];
          d(k, j) = dj[k];
        }
      }
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double v = 0;
      for (int k = 0; k < n; ++k)
        if (d(k, k) > 0) v = fma(q(k, i) * d(k, k), q(k, j), v);
      a(i, j) = a(j, i) = v;
    }
}

}  // namespace haptos
