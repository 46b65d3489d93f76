// Elementary functions of our own: the same bits on every machine, compiler and vector width,
// because nothing from libm but the square root may reach State.
//
// log: argument reduced to m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh((m-1)/(m+1)) by
// its odd series to s^23 (truncation below 1e-18). Error below 2 ulp; tests/unit/test_base.cpp.
// sin, cos: Taylor series after reduction by pi/2 in two parts; |x| up to 1e5, error below 4 ulp
// of 1. Arguments here are joint angles and rotations of one step.
#pragma once

#include <cstdint>
#include <cstring>

#include "haptos/base/math/lanes.h"
#include "haptos/base/math/math.h"

namespace haptos {

/// Natural logarithm of a positive, normal number.
HAPTOS_HD double log_(double x) {
  std::uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  // Exponent such that the mantissa falls into [sqrt(1/2), sqrt(2)).
  const std::uint64_t shifted = bits - 0x3fe6a09e667f3bcdULL;
  const auto e = static_cast<std::int64_t>(shifted) >> 52;
  bits -= static_cast<std::uint64_t>(e) << 52;
  double m;
  memcpy(&m, &bits, sizeof m);
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double p = 1.0 / 23.0;
  p = fma(p, z, 1.0 / 21.0);
  p = fma(p, z, 1.0 / 19.0);
  p = fma(p, z, 1.0 / 17.0);
  p = fma(p, z, 1.0 / 15.0);
  p = fma(p, z, 1.0 / 13.0);
  p = fma(p, z, 1.0 / 11.0);
  p = fma(p, z, 1.0 / 9.0);
  p = fma(p, z, 1.0 / 7.0);
  p = fma(p, z, 1.0 / 5.0);
  p = fma(p, z, 1.0 / 3.0);
  const double tail = 2.0 * s * z * p;
  const double k = static_cast<double>(e);
  // ln 2 in two parts: k * high is exact for |k| < 2^11.
  return fma(k, 0x1.62e42fefa38p-1, fma(k, 0x1.ef35793c7673p-45, tail) + 2.0 * s);
}
HAPTOS_HD float log_(float x) { return static_cast<float>(log_(static_cast<double>(x))); }

template <class T, int N>
HAPTOS_HD Pack<T, N> log_(Pack<T, N> x) {
  Pack<T, N> r;
  for (int i = 0; i < N; ++i) r.set(i, log_(x[i]));
  return r;
}

/// The largest whole number not above a.
HAPTOS_HD double vfloor(double a) { return ::floor(a); }
template <class T, int N>
HAPTOS_HD Pack<T, N> vfloor(Pack<T, N> a) {
  Pack<T, N> r;
  if constexpr (kWide<T, N>) {
    for (int i = 0; i < kParts<T, N>; ++i) r.part[i] = vfloor(a.part[i]);
  } else {
#if defined(__AVX__) && !defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<Pack<T, N>, Pack<double, 4>>)
      return Pack<T, N>::from(_mm256_floor_pd(a.v));
#endif
    for (int i = 0; i < N; ++i) r.set(i, ::floor(a[i]));
  }
  return r;
}

/// sin and cos of an angle [rad] with |x| below 1e5; double, or a Pack of it.
template <class T>
HAPTOS_HD void sin_cos(T x, T& s, T& c) {
  const T k = vfloor(fma(x, T(0.63661977236758134308), T(0.5)));
  T r = fma(k, T(-0x1.921fb544p0), x);
  r = fma(k, T(-0x1.0b4611a626331p-34), r);
  const T z = r * r;
  T ps = T(1.0 / 355687428096000.0);
  ps = fma(ps, z, T(-1.0 / 1307674368000.0));
  ps = fma(ps, z, T(1.0 / 6227020800.0));
  ps = fma(ps, z, T(-1.0 / 39916800.0));
  ps = fma(ps, z, T(1.0 / 362880.0));
  ps = fma(ps, z, T(-1.0 / 5040.0));
  ps = fma(ps, z, T(1.0 / 120.0));
  ps = fma(ps, z, T(-1.0 / 6.0));
  const T sr = fma(r * z, ps, r);
  T pc = T(1.0 / 20922789888000.0);
  pc = fma(pc, z, T(-1.0 / 87178291200.0));
  pc = fma(pc, z, T(1.0 / 479001600.0));
  pc = fma(pc, z, T(-1.0 / 3628800.0));
  pc = fma(pc, z, T(1.0 / 40320.0));
  pc = fma(pc, z, T(-1.0 / 720.0));
  pc = fma(pc, z, T(1.0 / 24.0));
  pc = fma(pc, z, T(-0.5));
  const T cr = fma(z, pc, T(1.0));
  // The quadrant 0, 1, 2, 3: odd ones swap sine and cosine, the sine changes sign in 2 and 3, the
  // cosine in 1 and 2.
  const T quadrant = k - T(4) * vfloor(T(0.25) * k);
  const auto odd = vabs(vabs(quadrant - T(2)) - T(1)) < T(0.5);
  const T a = select(odd, cr, sr), b = select(odd, sr, cr);
  s = select(quadrant > T(1.5), -a, a);
  c = select(vabs(quadrant - T(1.5)) < T(1), -b, b);
}

}  // namespace haptos
