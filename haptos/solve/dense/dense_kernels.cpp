#include "haptos/solve/dense/dense_kernels.h"

#include "haptos/solve/dense/dense_kernels_base.h"

namespace haptos {
namespace {
using Scalar = double;
constexpr double kHuge = 1e300;
inline double root(double a) { return __builtin_sqrt(a); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
}  // namespace

namespace baseline {
namespace {

constexpr const char* kName = "baseline";
constexpr int kTile = 4, kTileStrips = 1;

#if HAPTOS_X86 && defined(__AVX2__) && defined(__FMA__)
struct V8 {
  __m256d lo, hi;
};
inline V8 load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
inline void store(double* p, V8 a) {
  _mm256_storeu_pd(p, a.lo);
  _mm256_storeu_pd(p + 4, a.hi);
}
inline V8 zero() { return {_mm256_setzero_pd(), _mm256_setzero_pd()}; }
inline V8 splat(const double* p) {
  const __m256d s = _mm256_broadcast_sd(p);
  return {s, s};
}
inline V8 splat_value(double a) { return {_mm256_set1_pd(a), _mm256_set1_pd(a)}; }
inline V8 multiply(V8 a, V8 b) { return {_mm256_mul_pd(a.lo, b.lo), _mm256_mul_pd(a.hi, b.hi)}; }
inline V8 plus(V8 a, V8 b) { return {_mm256_add_pd(a.lo, b.lo), _mm256_add_pd(a.hi, b.hi)}; }
inline V8 subtract(V8 a, V8 b) { return {_mm256_sub_pd(a.lo, b.lo), _mm256_sub_pd(a.hi, b.hi)}; }
inline V8 add_product(V8 a, V8 b, V8 c) {
  return {_mm256_fmadd_pd(a.lo, b.lo, c.lo), _mm256_fmadd_pd(a.hi, b.hi, c.hi)};
}
inline V8 subtract_product(V8 a, V8 b, V8 c) {
  return {_mm256_fnmadd_pd(a.lo, b.lo, c.lo), _mm256_fnmadd_pd(a.hi, b.hi, c.hi)};
}
inline double lane(V8 a, int i) { return i < 4 ? a.lo[i] : a.hi[i - 4]; }
inline V8 splat_lane(V8 a, int i) {
  const __m256d s = _mm256_set1_pd(lane(a, i));
  return {s, s};
}
inline double sum(V8 a) {
  const __m256d q = _mm256_add_pd(a.lo, a.hi);
  const __m128d d = _mm_add_pd(_mm256_castpd256_pd128(q), _mm256_extractf128_pd(q, 1));
  return d[0] + d[1];
}
#else
#include "haptos/solve/dense/plain_vector.h"
#endif
inline void add(double* to, const double* from, int n) {
  int i = 0;
#if HAPTOS_X86 && defined(__AVX2__)
  for (; i + 4 <= n; i += 4)
    _mm256_storeu_pd(to + i, _mm256_add_pd(_mm256_loadu_pd(to + i), _mm256_loadu_pd(from + i)));
#endif
  for (; i < n; ++i) to[i] += from[i];
}

#include "haptos/solve/dense/dense_kernels_body.h"
#include "haptos/solve/dense/dense_solve_body.h"

}  // namespace
}  // namespace baseline

#if HAPTOS_TWO_VERSIONS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
namespace avx512 {
namespace {

constexpr const char* kName = "avx512";
constexpr int kTile = 8, kTileStrips = 3;

using V8 = __m512d;
inline V8 load(const double* p) { return _mm512_loadu_pd(p); }
inline void store(double* p, V8 a) { _mm512_storeu_pd(p, a); }
inline V8 zero() { return _mm512_setzero_pd(); }
inline V8 splat(const double* p) { return _mm512_set1_pd(*p); }
inline V8 splat_value(double a) { return _mm512_set1_pd(a); }
inline V8 multiply(V8 a, V8 b) { return _mm512_mul_pd(a, b); }
inline V8 plus(V8 a, V8 b) { return _mm512_add_pd(a, b); }
inline V8 subtract(V8 a, V8 b) { return _mm512_sub_pd(a, b); }
inline V8 add_product(V8 a, V8 b, V8 c) { return _mm512_fmadd_pd(a, b, c); }
inline V8 subtract_product(V8 a, V8 b, V8 c) { return _mm512_fnmadd_pd(a, b, c); }
inline V8 splat_lane(V8 a, int i) {
  return _mm512_maskz_permutexvar_pd(0xff, _mm512_set1_epi64(i), a);
}
inline double lane(V8 a, int i) { return _mm512_cvtsd_f64(splat_lane(a, i)); }
inline double sum(V8 a) {
  const __m256d q = _mm256_add_pd(__builtin_shufflevector(a, a, 0, 1, 2, 3),
                                  __builtin_shufflevector(a, a, 4, 5, 6, 7));
  const __m128d d = _mm_add_pd(_mm256_castpd256_pd128(q), _mm256_extractf128_pd(q, 1));
  return d[0] + d[1];
}
inline void add(double* to, const double* from, int n) {
  for (; n > 8; n -= 8, to += 8, from += 8) store(to, plus(load(to), load(from)));
  const __mmask8 m = static_cast<__mmask8>((1u << n) - 1u);
  _mm512_mask_storeu_pd(to, m, plus(_mm512_maskz_loadu_pd(m, to), _mm512_maskz_loadu_pd(m, from)));
}

#include "haptos/solve/dense/dense_kernels_body.h"
#include "haptos/solve/dense/dense_solve_body.h"

}  // namespace
}  // namespace avx512
#pragma GCC pop_options
#endif

template <>
DenseKernelList<double> all_dense_kernels() {
#if HAPTOS_TWO_VERSIONS
  if (__builtin_cpu_supports("x86-64-v4")) return {{&baseline::kKernels, &avx512::kKernels}, 2};
#endif
  return {{&baseline::kKernels, nullptr}, 1};
}

}  // namespace haptos
