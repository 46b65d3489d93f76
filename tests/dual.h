// Dual numbers a + b e with e^2 = 0: the derivative of a kernel along one direction, to round-off.
#pragma once

#include "haptos/base/math/elementary.h"

namespace haptos {

struct Dual {
  double a = 0;  ///< value
  double b = 0;  ///< derivative

  Dual() = default;
  explicit Dual(double value, double derivative = 0) : a(value), b(derivative) {}

  friend Dual operator+(Dual x, Dual y) { return Dual(x.a + y.a, x.b + y.b); }
  friend Dual operator-(Dual x, Dual y) { return Dual(x.a - y.a, x.b - y.b); }
  friend Dual operator-(Dual x) { return Dual(-x.a, -x.b); }
  friend Dual operator*(Dual x, Dual y) { return Dual(x.a * y.a, x.a * y.b + x.b * y.a); }
  friend Dual operator/(Dual x, Dual y) {
    const double r = x.a / y.a;
    return Dual(r, (x.b - r * y.b) / y.a);
  }
  Dual& operator+=(Dual y) { return *this = *this + y; }
  Dual& operator-=(Dual y) { return *this = *this - y; }
  Dual& operator*=(Dual y) { return *this = *this * y; }
  friend bool operator<(Dual x, Dual y) { return x.a < y.a; }
  friend bool operator>(Dual x, Dual y) { return x.a > y.a; }
};

inline Dual select(bool m, Dual x, Dual y) { return m ? x : y; }
inline Dual fma(Dual x, Dual y, Dual z) { return x * y + z; }
inline Dual sqrt(Dual x) {
  const double r = sqrt(x.a);
  return Dual(r, 0.5 * x.b / r);
}
inline void sin_cos(Dual x, Dual& s, Dual& c) {
  double sine, cosine;
  sin_cos(x.a, sine, cosine);
  s = Dual(sine, cosine * x.b);
  c = Dual(cosine, -sine * x.b);
}

}  // namespace haptos
