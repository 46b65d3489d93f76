// DoubleDouble: an unevaluated sum of two doubles, about 31 decimal digits, as a kernel scalar.
//
// Used where a query cannot be decided within the rounding of double: the same kernel runs again
// on this type. Sums, products and quotients have a relative error below 2^-100; algorithms and
// bounds after Joldes, Muller, Popescu, "Tight and rigorous error bounds for basic building blocks
// of double-word arithmetic" (2017). Host only; needs contraction off and no fast-math.
//
// Limits: the range is that of double, and products below about 1e-290 lose their low part.
#pragma once

#include "haptos/base/math/scalar.h"

namespace haptos {

struct DoubleDouble {
  double hi, lo;

  DoubleDouble() = default;
  constexpr DoubleDouble(double h) : hi(h), lo(0) {}
  constexpr DoubleDouble(double h, double l) : hi(h), lo(l) {}

  /// a + b exactly, for |a| >= |b| or a = 0.
  static DoubleDouble fast_sum(double a, double b) {
    const double s = a + b;
    return {s, b - (s - a)};
  }
  /// a + b exactly.
  static DoubleDouble sum(double a, double b) {
    const double s = a + b, bb = s - a;
    return {s, (a - (s - bb)) + (b - bb)};
  }
  /// a b exactly.
  static DoubleDouble product(double a, double b) {
    const double p = a * b;
    return {p, haptos::fma(a, b, -p)};
  }

  friend DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }
  friend DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble s = sum(a.hi, b.hi), t = sum(a.lo, b.lo);
    const DoubleDouble v = fast_sum(s.hi, s.lo + t.hi);
    return fast_sum(v.hi, t.lo + v.lo);
  }
  friend DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + (-b); }
  friend DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
    const DoubleDouble p = product(a.hi, b.hi);
    const double cross = haptos::fma(a.lo, b.hi, haptos::fma(a.hi, b.lo, a.lo * b.lo));
    return fast_sum(p.hi, p.lo + cross);
  }
  friend DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
    // Long division with two correction digits.
    const double q0 = a.hi / b.hi;
    const DoubleDouble r0 = a - b * DoubleDouble(q0);
    const double q1 = r0.hi / b.hi;
    const DoubleDouble r1 = r0 - b * DoubleDouble(q1);
    const DoubleDouble q = fast_sum(q0, q1);
    return q + DoubleDouble(r1.hi / b.hi);
  }
  DoubleDouble& operator+=(DoubleDouble b) { return *this = *this + b; }
  DoubleDouble& operator-=(DoubleDouble b) { return *this = *this - b; }
  DoubleDouble& operator*=(DoubleDouble b) { return *this = *this * b; }

  friend bool operator<(DoubleDouble a, DoubleDouble b) {
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
  }
  friend bool operator>(DoubleDouble a, DoubleDouble b) { return b < a; }
  friend bool operator<=(DoubleDouble a, DoubleDouble b) {
    return a.hi < b.hi || (a.hi == b.hi && a.lo <= b.lo);
  }
  friend bool operator>=(DoubleDouble a, DoubleDouble b) { return b <= a; }
};

inline DoubleDouble select(bool m, DoubleDouble a, DoubleDouble b) { return m ? a : b; }
inline DoubleDouble fma(DoubleDouble a, DoubleDouble b, DoubleDouble c) { return a * b + c; }
inline DoubleDouble sqrt(DoubleDouble a) {
  if (!(a.hi > 0)) return a.hi == 0 ? DoubleDouble(0.0) : DoubleDouble(haptos::sqrt(a.hi));
  const double s = haptos::sqrt(a.hi);
  const DoubleDouble rest = a - DoubleDouble::product(s, s);
  return DoubleDouble::fast_sum(s, rest.hi / (2 * s));
}

}  // namespace haptos

/// Only what kernels ask for: a bound on the relative error of one operation, and the range.
template <>
struct std::numeric_limits<haptos::DoubleDouble> {
  static constexpr bool is_specialized = true;
  static constexpr haptos::DoubleDouble epsilon() { return 0x1p-100; }
  static constexpr haptos::DoubleDouble min() { return std::numeric_limits<double>::min(); }
  static constexpr haptos::DoubleDouble max() { return std::numeric_limits<double>::max(); }
};
