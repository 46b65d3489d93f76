// Eight floats in one register of 256 bits, for the dense kernels of single precision: included
// inside a namespace. No guard.

using V8 = __m256;
inline V8 load(const float* p) { return _mm256_loadu_ps(p); }
inline void store(float* p, V8 a) { _mm256_storeu_ps(p, a); }
inline V8 zero() { return _mm256_setzero_ps(); }
inline V8 splat(const float* p) { return _mm256_broadcast_ss(p); }
inline V8 splat_value(float a) { return _mm256_set1_ps(a); }
inline V8 multiply(V8 a, V8 b) { return _mm256_mul_ps(a, b); }
inline V8 plus(V8 a, V8 b) { return _mm256_add_ps(a, b); }
inline V8 subtract(V8 a, V8 b) { return _mm256_sub_ps(a, b); }
inline V8 add_product(V8 a, V8 b, V8 c) { return _mm256_fmadd_ps(a, b, c); }
inline V8 subtract_product(V8 a, V8 b, V8 c) { return _mm256_fnmadd_ps(a, b, c); }
inline float lane(V8 a, int i) { return a[i]; }
inline V8 splat_lane(V8 a, int i) { return _mm256_permutevar8x32_ps(a, _mm256_set1_epi32(i)); }
inline float sum(V8 a) {
  const __m128 q = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps(a, 1));
  const __m128 d = _mm_add_ps(q, _mm_movehl_ps(q, q));
  return d[0] + d[1];
}
