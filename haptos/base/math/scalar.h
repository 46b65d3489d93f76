// Scalar operations that kernels use, written so that a kernel templated on its scalar T runs on
// double, float, a SIMD pack of either (base/math/lanes.h), and on a CUDA device.
//
// Kernels select with masks instead of branching on data: `select(a < b, x, y)`.
// The project is compiled with floating-point contraction off, so `a * b + c` rounds twice
// everywhere; write `fma(a, b, c)` where one rounding is wanted. Both forms give the same bits at
// any vector width.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#if defined(__CUDACC__)
#define HAPTOS_HD __host__ __device__ __forceinline__
#else
#define HAPTOS_HD inline __attribute__((always_inline))
#endif

// Of what kernels call and what is too large, or too rare, to stand in each place that does.
#if defined(__CUDACC__)
#define HAPTOS_HD_CALL __host__ __device__ __noinline__
#else
#define HAPTOS_HD_CALL inline __attribute__((noinline))
#endif

// Before a loop of a few turns over fixed-size data: unrolled early, so that the data stay in
// registers. Does not change any result.
#if defined(__CUDACC__) || defined(__clang__)
#define HAPTOS_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define HAPTOS_UNROLL _Pragma("GCC unroll 16")
#else
#define HAPTOS_UNROLL
#endif

namespace haptos {

/// The mask type and the plain scalar behind T; Pack specialises it.
template <class T>
struct ScalarTraits {
  using Mask = bool;
  using Plain = T;
  static constexpr int kLanes = 1;
};

template <class T>
using Mask = typename ScalarTraits<T>::Mask;

HAPTOS_HD double select(bool m, double a, double b) { return m ? a : b; }
HAPTOS_HD float select(bool m, float a, float b) { return m ? a : b; }
HAPTOS_HD bool any(bool m) { return m; }
HAPTOS_HD bool all(bool m) { return m; }

HAPTOS_HD double fma(double a, double b, double c) { return ::fma(a, b, c); }
HAPTOS_HD float fma(float a, float b, float c) { return ::fmaf(a, b, c); }

/// IEEE square root: correctly rounded on every target, so it may enter State.
HAPTOS_HD double sqrt(double a) { return ::sqrt(a); }
HAPTOS_HD float sqrt(float a) { return ::sqrtf(a); }

// Named vmin and not min, so that unqualified calls never meet std:: overloads.
template <class T>
HAPTOS_HD T vmin(T a, T b) {
  return select(b < a, b, a);
}
template <class T>
HAPTOS_HD T vmax(T a, T b) {
  return select(a < b, b, a);
}
template <class T>
HAPTOS_HD T vabs(T a) {
  return select(a < T(0), -a, a);
}
template <class T>
HAPTOS_HD T clamp(T a, T lo, T hi) {
  return vmin(vmax(a, lo), hi);
}
template <class T>
HAPTOS_HD T square(T a) {
  return a * a;
}

}  // namespace haptos
