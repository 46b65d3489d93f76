// Rotations for kernels: quaternions w x y z as Vec<T, 4>, templated on the scalar, smooth in their
// arguments (at no rotation too), so that dual numbers give their derivatives. base/math/rotation.h
// has the same for the host, in double.
#pragma once

#include "haptos/base/math/elementary.h"

namespace haptos {

template <class T>
using Quaternion = Vec<T, 4>;

// Sums of products are spelled with fma: GCC 12 turns neighbouring `a b - c d` and `a b + c d` into
// a fused instruction in scalar code, whatever -ffp-contract says, and lanes would differ.

/// a b: first the turn b, then a (Hamilton).
template <class T>
HAPTOS_HD Quaternion<T> quaternion_product(const Quaternion<T>& a, const Quaternion<T>& b) {
  return {{fma(-a[3], b[3], fma(-a[2], b[2], fma(-a[1], b[1], a[0] * b[0]))),
           fma(-a[3], b[2], fma(a[2], b[3], fma(a[1], b[0], a[0] * b[1]))),
           fma(-a[1], b[3], fma(a[3], b[1], fma(a[2], b[0], a[0] * b[2]))),
           fma(-a[2], b[1], fma(a[1], b[2], fma(a[3], b[0], a[0] * b[3])))}};
}

/// The rotation matrix of a quaternion of any length but zero.
template <class T>
HAPTOS_HD Mat3<T> rotation_matrix(const Quaternion<T>& q) {
  const T s = T(2) / dot(q, q), one = T(1);
  const T x = s * q[1], y = s * q[2], z = s * q[3];
  const T xy = x * q[2], xz = x * q[3], yz = y * q[3];
  return {{fma(-y, q[2], fma(-z, q[3], one)), fma(-z, q[0], xy), fma(y, q[0], xz), fma(z, q[0], xy),
           fma(-x, q[1], fma(-z, q[3], one)), fma(-x, q[0], yz), fma(-y, q[0], xz),
           fma(x, q[0], yz), fma(-x, q[1], fma(-y, q[2], one))}};
}

/// The unit quaternion of the rotation by |v| radians about v / |v|; |v| below 1e5.
template <class T>
HAPTOS_HD Quaternion<T> rotation_exp(const Vec3<T>& v) {
  const T square = dot(v, v);
  const auto small = square < T(1e-8);
  // Away from zero also where it is not used, so that no derivative is infinite there.
  const T angle = sqrt(select(small, T(1), square));
  T s, c;
  sin_cos(T(0.5) * angle, s, c);
  c = select(small, T(1) - T(0.125) * square, c);
  s = select(small, T(0.5) - square * T(1.0 / 48.0), s / angle);
  return normalized(Quaternion<T>{{c, s * v[0], s * v[1], s * v[2]}});
}

/// The rotation vector of a quaternion of any length but zero, |v| at most pi: inverse of
/// rotation_exp. Three halvings of the angle, then the series of asin(x) / x in x^2 (below .039;
/// truncation below 1e-18).
template <class T>
HAPTOS_HD Vec3<T> rotation_log(const Quaternion<T>& q) {
  const Quaternion<T> unit = normalized(q);
  const auto back = unit[0] < T(0);
  T w = select(back, -unit[0], unit[0]);
  T scale = select(back, T(-1), T(1));
  HAPTOS_UNROLL
  for (int i = 0; i < 3; ++i) {
    w = sqrt(T(0.5) + T(0.5) * w);
    scale = scale / (w + w);
  }
  const Vec3<T> v = scale * Vec3<T>{{unit[1], unit[2], unit[3]}};
  const T x = dot(v, v);
  T p = T(88179.0 / 12058624.0);
  p = fma(p, x, T(46189.0 / 5505024.0));
  p = fma(p, x, T(12155.0 / 1245184.0));
  p = fma(p, x, T(6435.0 / 557056.0));
  p = fma(p, x, T(143.0 / 10240.0));
  p = fma(p, x, T(231.0 / 13312.0));
  p = fma(p, x, T(63.0 / 2816.0));
  p = fma(p, x, T(35.0 / 1152.0));
  p = fma(p, x, T(5.0 / 112.0));
  p = fma(p, x, T(3.0 / 40.0));
  p = fma(p, x, T(1.0 / 6.0));
  p = fma(p, x, T(1));
  return (T(16) * p) * v;
}

}  // namespace haptos
