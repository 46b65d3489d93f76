#include "haptos/solve/dense/dense_kernels.h"

#include <type_traits>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define HAPTOS_X86 1
#else
#define HAPTOS_X86 0
#endif

// A version for AVX-512 is compiled beside the baseline and chosen at run time. Clang has no
// counterpart of the target pragma that reaches into templates, so it builds the baseline only.
#if HAPTOS_X86 && !defined(__clang__) && defined(__AVX2__) && defined(__FMA__)
#define HAPTOS_TWO_VERSIONS 1
#else
#define HAPTOS_TWO_VERSIONS 0
#endif

#define HAPTOS_KERNEL inline
#define HAPTOS_LAMBDA __attribute__((always_inline))

namespace haptos {
namespace {
template <int n>
using Width = std::integral_constant<int, n>;
constexpr double kHuge = 1e300;
}  // namespace

namespace baseline {
namespace {

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
struct V8 {
  double v[8];
};
inline V8 load(const double* p) {
  V8 r;
  for (int i = 0; i < 8; ++i) r.v[i] = p[i];
  return r;
}
inline void store(double* p, V8 a) {
  for (int i = 0; i < 8; ++i) p[i] = a.v[i];
}
inline V8 zero() { return V8{}; }
inline V8 splat(const double* p) {
  V8 r;
  for (int i = 0; i < 8; ++i) r.v[i] = *p;
  return r;
}
inline V8 multiply(V8 a, V8 b) {
  for (int i = 0; i < 8; ++i) a.v[i] *= b.v[i];
  return a;
}
inline V8 plus(V8 a, V8 b) {
  for (int i = 0; i < 8; ++i) a.v[i] += b.v[i];
  return a;
}
inline V8 subtract(V8 a, V8 b) {
  for (int i = 0; i < 8; ++i) a.v[i] -= b.v[i];
  return a;
}
inline V8 add_product(V8 a, V8 b, V8 c) {
  for (int i = 0; i < 8; ++i) c.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
  return c;
}
inline V8 subtract_product(V8 a, V8 b, V8 c) {
  for (int i = 0; i < 8; ++i) c.v[i] = __builtin_fma(-a.v[i], b.v[i], c.v[i]);
  return c;
}
inline double lane(V8 a, int i) { return a.v[i]; }
inline V8 splat_value(double a) { return splat(&a); }
inline V8 splat_lane(V8 a, int i) { return splat(&a.v[i]); }
inline double sum(V8 a) {
  return ((a.v[0] + a.v[4]) + (a.v[2] + a.v[6])) + ((a.v[1] + a.v[5]) + (a.v[3] + a.v[7]));
}
#endif
inline V8 sum_of_rows(const V8 (&a)[8]) {
  return plus(plus(plus(a[0], a[4]), plus(a[2], a[6])), plus(plus(a[1], a[5]), plus(a[3], a[7])));
}
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

constexpr DenseKernels kKernels{"baseline", factor_panel, update,   extend_add,
                                forward,    backward,     forward8, backward8};

}  // namespace
}  // namespace baseline

#if HAPTOS_TWO_VERSIONS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
namespace avx512 {
namespace {

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
inline V8 sum_of_rows(const V8 (&a)[8]) {
  return plus(plus(plus(a[0], a[4]), plus(a[2], a[6])), plus(plus(a[1], a[5]), plus(a[3], a[7])));
}
inline void add(double* to, const double* from, int n) {
  for (; n > 8; n -= 8, to += 8, from += 8) store(to, plus(load(to), load(from)));
  const __mmask8 m = static_cast<__mmask8>((1u << n) - 1u);
  _mm512_mask_storeu_pd(to, m, plus(_mm512_maskz_loadu_pd(m, to), _mm512_maskz_loadu_pd(m, from)));
}

#include "haptos/solve/dense/dense_kernels_body.h"
#include "haptos/solve/dense/dense_solve_body.h"

constexpr DenseKernels kKernels{"avx512", factor_panel, update,   extend_add,
                                forward,  backward,     forward8, backward8};

}  // namespace
}  // namespace avx512
#pragma GCC pop_options
#endif

DenseKernelList all_dense_kernels() {
#if HAPTOS_TWO_VERSIONS
  if (__builtin_cpu_supports("x86-64-v4")) return {{&baseline::kKernels, &avx512::kKernels}, 2};
#endif
  return {{&baseline::kKernels, nullptr}, 1};
}

const DenseKernels& dense_kernels() {
  static const DenseKernelList list = all_dense_kernels();
  return *list.version[list.count - 1];
}

}  // namespace haptos
