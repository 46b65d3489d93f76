#include "haptos/solve/linear/block_kernels.h"

#include "haptos/system/block_room.h"

namespace haptos::block {

bool invert(int n, const double* a, double* out) {
  constexpr int kSmall = internal::kSmallBlock;
  const auto size = static_cast<std::size_t>(n);
  double few[kSmall * kSmall + kSmall];
  double* l = n <= kSmall ? few : internal::thread_room<5>(size * size + size);
  for (int j = 0; j < n; ++j) {
    double d = a[j * n + j];
    for (int k = 0; k < j; ++k) d = std::fma(-l[j * n + k], l[j * n + k], d);
    if (!(d > 0) || !std::isfinite(d)) return false;
    l[j * n + j] = std::sqrt(d);
    for (int i = j + 1; i < n; ++i) {
      double s = a[i * n + j];
      for (int k = 0; k < j; ++k) s = std::fma(-l[i * n + k], l[j * n + k], s);
      l[i * n + j] = s / l[j * n + j];
    }
  }
  // Column by column of the identity: L y = e, L^T x = y; the lower triangle, then its mirror.
  double* x = l + size * size;
  for (int c = 0; c < n; ++c) {
    for (int i = 0; i < n; ++i) {
      double s = i == c ? 1.0 : 0.0;
      for (int k = 0; k < i; ++k) s = std::fma(-l[i * n + k], x[k], s);
      x[i] = s / l[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
      double s = x[i];
      for (int k = i + 1; k < n; ++k) s = std::fma(-l[k * n + i], x[k], s);
      x[i] = s / l[i * n + i];
    }
    for (int i = c; i < n; ++i) out[i * n + c] = out[c * n + i] = x[i];
  }
  return true;
}

}  // namespace haptos::block
