#include "haptos/solve/dense/dense_kernels.h"
#include "haptos/solve/dense/dense_kernels_base.h"

namespace haptos {
namespace {
using Scalar = float;
constexpr float kHuge = 1e36f;
inline float root(float a) { return __builtin_sqrtf(a); }
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
}  // namespace

namespace baseline {
namespace {

constexpr const char* kName = "baseline";
constexpr int kTile = 4, kTileStrips = 3;

#if HAPTOS_X86 && defined(__AVX2__) && defined(__FMA__)
#include "haptos/solve/dense/single_vector.h"
#else
#include "haptos/solve/dense/plain_vector.h"
#endif
inline void add(float* to, const float* from, int n) {
  int i = 0;
#if HAPTOS_X86 && defined(__AVX2__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(to + i, _mm256_add_ps(_mm256_loadu_ps(to + i), _mm256_loadu_ps(from + i)));
#endif
  for (; i < n; ++i) to[i] += from[i];
}

#include "haptos/solve/dense/dense_kernels_body.h"
#include "haptos/solve/dense/dense_solve_body.h"

}  // namespace
}  // namespace baseline

// The same vectors with 32 registers and the tile that they have room for.
#if HAPTOS_TWO_VERSIONS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
namespace avx512 {
namespace {

constexpr const char* kName = "avx512";
constexpr int kTile = 8, kTileStrips = 3;

#include "haptos/solve/dense/single_vector.h"
inline void add(float* to, const float* from, int n) {
  for (; n > 8; n -= 8, to += 8, from += 8) store(to, plus(load(to), load(from)));
  const __mmask8 m = static_cast<__mmask8>((1u << n) - 1u);
  _mm256_mask_storeu_ps(to, m, plus(_mm256_maskz_loadu_ps(m, to), _mm256_maskz_loadu_ps(m, from)));
}

#include "haptos/solve/dense/dense_kernels_body.h"
#include "haptos/solve/dense/dense_solve_body.h"

}  // namespace
}  // namespace avx512
#pragma GCC pop_options
#endif

template <>
DenseKernelList<float> all_dense_kernels() {
#if HAPTOS_TWO_VERSIONS
  if (__builtin_cpu_supports("x86-64-v4")) return {{&baseline::kKernels, &avx512::kKernels}, 2};
#endif
  return {{&baseline::kKernels, nullptr}, 1};
}

}  // namespace haptos
