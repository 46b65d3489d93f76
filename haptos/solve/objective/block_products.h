// What a block's mass makes of its unknowns.
#pragma once

#include "haptos/base/math/scalar.h"

namespace haptos::internal {

// y = M x of a symmetric block, by columns: sums side by side, not one after the other.
inline void multiply(const double* m, int n, const double* x, double* y) {
  if (n == 3) {
    for (int i = 0; i < 3; ++i) y[i] = fma(m[6 + i], x[2], fma(m[3 + i], x[1], m[i] * x[0]));
    return;
  }
  for (int i = 0; i < n; ++i) y[i] = 0;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) y[i] = fma(m[j * n + i], x[j], y[i]);
}

}  // namespace haptos::internal
