// Pack<T, N>: N scalars that move through a kernel together. A lane is an environment, an element
// or a contact pair; every lane sees the same sequence of operations, so lane k equals the scalar
// kernel bit for bit at any width.
//
// Built on the vector extension of GCC and clang; host only (on a device, a thread is a lane).
#pragma once

#include <type_traits>

#include "haptos/base/math/scalar.h"

#if defined(__AVX__) && !defined(__CUDA_ARCH__)
#include <immintrin.h>
#endif

namespace haptos {

/// Bytes of the widest vector that the target computes with. A wider Pack is an array of such
/// vectors: compilers turn comparisons and selections of wider vectors into scalar code.
#if defined(__AVX512F__)
inline constexpr int kVectorBytes = 64;
#elif defined(__AVX__)
inline constexpr int kVectorBytes = 32;
#else
inline constexpr int kVectorBytes = 16;
#endif

/// The compiler's vector of N scalars T.
template <class T, int N>
struct VectorOf {
  typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T>
struct IntOf;
template <>
struct IntOf<double> {
  using type = std::int64_t;
};
template <>
struct IntOf<float> {
  using type = std::int32_t;
};

/// The result of a comparison of packs: all bits set in the lanes where it holds.
template <class T, int N>
struct PackMask {
  typename VectorOf<typename IntOf<T>::type, N>::type v;
};

template <class T, int N>
struct Pack {
  using Vector = typename VectorOf<T, N>::type;
  Vector v;

  Pack() = default;
  /// The same value in every lane. Explicit: kernels write T(2).
  template <class S>
  HAPTOS_HD explicit Pack(S a) : v(T(a) - Vector{}) {}
  static HAPTOS_HD Pack from(Vector a) {
    Pack r;
    r.v = a;
    return r;
  }

  HAPTOS_HD T operator[](int lane) const { return v[lane]; }
  HAPTOS_HD void set(int lane, T a) { v[lane] = a; }

  /// N consecutive scalars from memory, no alignment asked.
  static HAPTOS_HD Pack load(const T* p) {
    Pack r;
    __builtin_memcpy(&r.v, p, sizeof(Vector));
    return r;
  }
  HAPTOS_HD void store(T* p) const { __builtin_memcpy(p, &v, sizeof(Vector)); }

  friend HAPTOS_HD Pack operator+(Pack a, Pack b) { return from(a.v + b.v); }
  friend HAPTOS_HD Pack operator-(Pack a, Pack b) { return from(a.v - b.v); }
  friend HAPTOS_HD Pack operator*(Pack a, Pack b) { return from(a.v * b.v); }
  friend HAPTOS_HD Pack operator/(Pack a, Pack b) { return from(a.v / b.v); }
  friend HAPTOS_HD Pack operator-(Pack a) { return from(-a.v); }
  HAPTOS_HD Pack& operator+=(Pack b) {
    v += b.v;
    return *this;
  }
  HAPTOS_HD Pack& operator-=(Pack b) {
    v -= b.v;
    return *this;
  }
  HAPTOS_HD Pack& operator*=(Pack b) {
    v *= b.v;
    return *this;
  }
  friend HAPTOS_HD PackMask<T, N> operator<(Pack a, Pack b) { return {a.v < b.v}; }
  friend HAPTOS_HD PackMask<T, N> operator>(Pack a, Pack b) { return {a.v > b.v}; }
  friend HAPTOS_HD PackMask<T, N> operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
  friend HAPTOS_HD PackMask<T, N> operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
};

/// Whether N scalars T take more than one vector.
template <class T, int N>
inline constexpr bool kWide = N * sizeof(T) > kVectorBytes;
/// How many, and the lanes of each.
template <class T, int N>
inline constexpr int kParts = static_cast<int>(N * sizeof(T)) / kVectorBytes;

template <class T, int N>
requires kWide<T, N>
struct PackMask<T, N> {
  static constexpr int kPart = N / kParts<T, N>;
  PackMask<T, kPart> part[kParts<T, N>];
};

template <class T, int N>
requires kWide<T, N>
struct Pack<T, N> {
  static constexpr int kPart = N / kParts<T, N>;
  using Part = Pack<T, kPart>;
  Part part[kParts<T, N>];

  Pack() = default;
  template <class S>
  HAPTOS_HD explicit Pack(S a) {
    for (Part& p : part) p = Part(a);
  }

  HAPTOS_HD T operator[](int lane) const { return part[lane / kPart][lane % kPart]; }
  HAPTOS_HD void set(int lane, T a) { part[lane / kPart].set(lane % kPart, a); }

  static HAPTOS_HD Pack load(const T* p) {
    Pack r;
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = Part::load(p + i * kPart);
    return r;
  }
  HAPTOS_HD void store(T* p) const {
    for (int i = 0; i < kParts<T, N>; ++i) part[i].store(p + i * kPart);
  }

#define HAPTOS_WIDE(RESULT, OP)                                                \
  friend HAPTOS_HD RESULT operator OP(const Pack& a, const Pack& b) {          \
    RESULT r;                                                                  \
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = a.part[i] OP b.part[i]; \
    return r;                                                                  \
  }
  using Mask_ = PackMask<T, N>;
  HAPTOS_WIDE(Pack, +)
  HAPTOS_WIDE(Pack, -)
  HAPTOS_WIDE(Pack, *)
  HAPTOS_WIDE(Pack, /)
  HAPTOS_WIDE(Mask_, <)
  HAPTOS_WIDE(Mask_, >)
  HAPTOS_WIDE(Mask_, <=)
  HAPTOS_WIDE(Mask_, >=)
#undef HAPTOS_WIDE
  friend HAPTOS_HD Pack operator-(const Pack& a) {
    Pack r;
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = -a.part[i];
    return r;
  }
  HAPTOS_HD Pack& operator+=(const Pack& b) { return *this = *this + b; }
  HAPTOS_HD Pack& operator-=(const Pack& b) { return *this = *this - b; }
  HAPTOS_HD Pack& operator*=(const Pack& b) { return *this = *this * b; }
};

namespace detail {

template <class V>
HAPTOS_HD V vector_fma(V a, V b, V c) {
#if defined(__AVX__) && defined(__FMA__) && !defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<V, VectorOf<double, 4>::type>) return V(_mm256_fmadd_pd(a, b, c));
  if constexpr (std::is_same_v<V, VectorOf<float, 8>::type>) return V(_mm256_fmadd_ps(a, b, c));
#endif
  V r;
  using T = std::remove_cvref_t<decltype(a[0])>;
  for (unsigned i = 0; i < sizeof(V) / sizeof(T); ++i)
    r[i] = haptos::fma(T(a[i]), T(b[i]), T(c[i]));
  return r;
}

template <class V>
HAPTOS_HD V vector_sqrt(V a) {
#if defined(__AVX__) && !defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<V, VectorOf<double, 4>::type>) return V(_mm256_sqrt_pd(a));
  if constexpr (std::is_same_v<V, VectorOf<float, 8>::type>) return V(_mm256_sqrt_ps(a));
#endif
#if defined(__AVX512F__) && !defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<V, VectorOf<double, 8>::type>) return V(_mm512_sqrt_pd(a));
  if constexpr (std::is_same_v<V, VectorOf<float, 16>::type>) return V(_mm512_sqrt_ps(a));
#endif
  V r;
  using T = std::remove_cvref_t<decltype(a[0])>;
  for (unsigned i = 0; i < sizeof(V) / sizeof(T); ++i) r[i] = haptos::sqrt(T(a[i]));
  return r;
}

/// b < a ? b : a, which is what the instruction computes, for zeros and NaN too.
template <class V>
HAPTOS_HD V vector_min(V a, V b) {
#if defined(__AVX__) && !defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<V, VectorOf<double, 4>::type>) return V(_mm256_min_pd(b, a));
  if constexpr (std::is_same_v<V, VectorOf<float, 8>::type>) return V(_mm256_min_ps(b, a));
#endif
  return b < a ? b : a;
}

/// a < b ? b : a.
template <class V>
HAPTOS_HD V vector_max(V a, V b) {
#if defined(__AVX__) && !defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<V, VectorOf<double, 4>::type>) return V(_mm256_max_pd(b, a));
  if constexpr (std::is_same_v<V, VectorOf<float, 8>::type>) return V(_mm256_max_ps(b, a));
#endif
  return a < b ? b : a;
}

}  // namespace detail

// GCC 12 at -O2 merges (x < y) | (x > y) in place and so spoils other uses of either mask (its pass
// tree-reassoc); an empty statement hides the operand from it and costs nothing.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__CUDA_ARCH__)
#define HAPTOS_OPAQUE(vector) asm("" : "+x"(vector))
#else
#define HAPTOS_OPAQUE(vector)
#endif

template <class T, int N>
HAPTOS_HD PackMask<T, N> operator&(PackMask<T, N> a, PackMask<T, N> b) {
  if constexpr (kWide<T, N>) {
    PackMask<T, N> r;
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = a.part[i] & b.part[i];
    return r;
  } else {
    HAPTOS_OPAQUE(a.v);
    return {a.v & b.v};
  }
}
template <class T, int N>
HAPTOS_HD PackMask<T, N> operator|(PackMask<T, N> a, PackMask<T, N> b) {
  if constexpr (kWide<T, N>) {
    PackMask<T, N> r;
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = a.part[i] | b.part[i];
    return r;
  } else {
    HAPTOS_OPAQUE(a.v);
    return {a.v | b.v};
  }
}
#undef HAPTOS_OPAQUE

template <class T, int N>
HAPTOS_HD PackMask<T, N> operator!(PackMask<T, N> a) {
  if constexpr (kWide<T, N>) {
    PackMask<T, N> r;
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = !a.part[i];
    return r;
  } else {
    return {~a.v};
  }
}
template <class T, int N>
HAPTOS_HD bool any(PackMask<T, N> m) {
  if constexpr (kWide<T, N>) {
    auto p = m.part[0];
    for (int i = 1; i < kParts<T, N>; ++i) p = p | m.part[i];
    return any(p);
  } else {
#if defined(__AVX__) && !defined(__CUDA_ARCH__)
    if constexpr (sizeof(m.v) == 32) return !_mm256_testz_si256((__m256i)m.v, (__m256i)m.v);
#endif
    for (int i = 0; i < N; ++i)
      if (m.v[i]) return true;
    return false;
  }
}
template <class T, int N>
HAPTOS_HD bool all(PackMask<T, N> m) {
  return !any(!m);
}

template <class T, int N>
HAPTOS_HD Pack<T, N> select(PackMask<T, N> m, Pack<T, N> a, Pack<T, N> b) {
  if constexpr (kWide<T, N>) {
    Pack<T, N> r;
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = select(m.part[i], a.part[i], b.part[i]);
    return r;
  } else {
    return Pack<T, N>::from(m.v ? a.v : b.v);
  }
}
// Found before the generic ones of scalar.h, with the same result.
template <class T, int N>
HAPTOS_HD Pack<T, N> vmin(Pack<T, N> a, Pack<T, N> b) {
  Pack<T, N> r;
  if constexpr (kWide<T, N>)
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = vmin(a.part[i], b.part[i]);
  else
    r.v = detail::vector_min(a.v, b.v);
  return r;
}
template <class T, int N>
HAPTOS_HD Pack<T, N> vmax(Pack<T, N> a, Pack<T, N> b) {
  Pack<T, N> r;
  if constexpr (kWide<T, N>)
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = vmax(a.part[i], b.part[i]);
  else
    r.v = detail::vector_max(a.v, b.v);
  return r;
}
template <class T, int N>
HAPTOS_HD Pack<T, N> fma(Pack<T, N> a, Pack<T, N> b, Pack<T, N> c) {
  Pack<T, N> r;
  if constexpr (kWide<T, N>)
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = fma(a.part[i], b.part[i], c.part[i]);
  else
    r.v = detail::vector_fma(a.v, b.v, c.v);
  return r;
}
template <class T, int N>
HAPTOS_HD Pack<T, N> sqrt(Pack<T, N> a) {
  Pack<T, N> r;
  if constexpr (kWide<T, N>)
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = sqrt(a.part[i]);
  else
    r.v = detail::vector_sqrt(a.v);
  return r;
}

template <class T, int N>
struct ScalarTraits<Pack<T, N>> {
  using Mask = PackMask<T, N>;
  using Plain = T;
  static constexpr int kLanes = N;
};

}  // namespace haptos
