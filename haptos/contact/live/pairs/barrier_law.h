// The logarithmic barrier of a gap, energy per area and unit stiffness [m2]:
//
//   B(g) = -(g - d)^2 ln(g / d)   for 0 < g < d,   0 beyond,
//
// with support d (d_hat) [m]. Times a stiffness kappa [Pa/m] it is an energy per area [J/m2], and
// the contact pressure is
//
//   p(g) = -kappa B'(g) = kappa d h(t),   t = g / d,   h(t) = 2 (t - 1) ln t + (1 - t)^2 / t.
//
// B is twice continuously differentiable, falls, is convex on (0, d), and grows without bound as
// g -> 0. h(.9) = .0322, h(.5) = 1.193, h(.25) = 4.329, h(.1) = 12.24.
// Source: Li et al., Incremental Potential Contact, 2020, eq. 6, in the gap and not its square.
#pragma once

#include "haptos/base/math/elementary.h"

namespace haptos {

template <class T>
struct BarrierValue {
  T value, first, second;  ///< B, B', B''
};

template <class T>
HAPTOS_HD BarrierValue<T> barrier(T gap, T support) {
  const Mask<T> on = gap < support;
  // Outside the support every factor is zero; the argument of log stays 1 there.
  const T g = select(on, gap, support);
  const T e = g - support, l = log_(g / support), r = e / g;
  return {-e * e * l, -e * (T(2) * l + r), -T(2) * l - T(4) * r + r * r};
}

}  // namespace haptos
