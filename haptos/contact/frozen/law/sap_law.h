// The regularised friction cone of the semi-analytic primal (SAP) solver: cost, impulse and Hessian
// of one contact, in contact coordinates (t1, t2, n) with n from b to a and velocity v of a against
// b.
//
//   y = R^-1 (v_hat - v),  R = diag(R_t, R_t, R_n),   gamma = projection of y on the cone
//   |gamma_t| <= mu gamma_n, nearest in the norm of R,
//   l(v) = 1/2 gamma^T R gamma,     dl/dv = -gamma,     G = d2l/dv2 = -d gamma/dv >= 0.
//
// With y_r = |y_t|, t = y_t / y_r, m = mu R_t / R_n, s = 1 + mu^2 R_t / R_n, P = t t^T:
//
//   stick   y_r <= mu y_n                 gamma = y,    G = R^-1
//   slip    -m y_r < y_n < y_r / mu       gamma_n = (y_n + m y_r) / s,   gamma_t = mu gamma_n t
//           G_tt = mu/R_t [gamma_n / y_r (1 - P) + m/s P],  G_tn = mu/(s R_n) t,  G_nn = 1/(s R_n)
//   open    y_n <= -m y_r                 gamma = 0,    G = 0
//
// l is convex and continuously differentiable; gamma is positively homogeneous in v_hat - v.
//
// The cone is associated: gamma_n grows with slip. With a lagged normal impulse gamma_0 the two
// directions part, and what slips is pressed by its spring alone (Coulomb's law, once gamma_0 is
// the gamma_n that follows from it):
//
//   gamma_n = max(y_n, 0),   gamma_t = the point of |gamma_t| <= mu gamma_0 nearest to y_t
//   l = 1/2 R_n gamma_n^2 + R_t (1/2 y_r^2  or, beyond mu gamma_0,  mu gamma_0 y_r - 1/2 mu^2
//   gamma_0^2) G_tt = 1 / R_t  or, beyond,  mu gamma_0 / (R_t y_r) (1 - P),   G_nn = 1 / R_n where
//   y_n > 0
//
// Units: v [m/s], gamma [N s], R [1/kg], l [J].
//
// Source: Castro et al., An Unconstrained Convex Formulation of Compliant Contact, 2022, section
// IV. Different from there: the norm y_r is exact. With friction the slip region has y_r > 0, so
// nothing is divided by zero, and the law needs no impulse scale. Limit of the cone: a sliding
// contact is lifted, because gamma_n grows with slip (docs/laws/sap.md).
#pragma once

#include "haptos/base/math/math.h"

namespace haptos {

template <class T>
struct SapContact {
  T friction;        ///< mu, 0 or more
  T r_t, r_n;        ///< regularisation [1/kg], positive
  Vec3<T> v_hat;     ///< velocity without impulse at the cone's apex [m/s]
  T lagged = T(-1);  ///< gamma_0 [N s]; below 0: the cone
};

template <class T>
struct SapValue {
  T cost;           ///< l [J]
  Vec3<T> impulse;  ///< gamma, on a [N s]
  Mat3<T> hessian;  ///< G [kg]
  Mask<T> stick, slip;
};

template <class T>
HAPTOS_HD SapValue<T> sap_law(const SapContact<T>& c, const Vec3<T>& v) {
  const T zero = T(0), one = T(1);
  const T mu = c.friction, inv_t = one / c.r_t, inv_n = one / c.r_n;
  const T y0 = (c.v_hat[0] - v[0]) * inv_t, y1 = (c.v_hat[1] - v[1]) * inv_t;
  const T yn = (c.v_hat[2] - v[2]) * inv_n;
  const T yr = sqrt(y0 * y0 + y1 * y1);
  const T m = mu * c.r_t * inv_n, s = one + mu * m;
  const Mask<T> cone = c.lagged < zero;
  const T bound = mu * c.lagged;

  // Without friction the stick region is a line, on which the law is that of slip.
  const Mask<T> sticks = yr <= select(cone, mu * yn, bound);
  const Mask<T> stick = sticks & (mu > zero);
  const Mask<T> touches = select(cone, yn + m * yr, vmax(yn, bound)) > zero;
  const Mask<T> slip = (!stick) & touches;

  const T inv_r = one / select(yr > zero, yr, one);
  const T t0 = y0 * inv_r, t1 = y1 * inv_r;
  // Where it slips.
  const T gn = select(cone, (yn + m * yr) / s, vmax(yn, zero));
  const T gt = select(cone, mu * gn, bound);

  SapValue<T> r;
  r.stick = stick;
  r.slip = slip;
  r.impulse[0] = select(stick, y0, select(slip, gt * t0, zero));
  r.impulse[1] = select(stick, y1, select(slip, gt * t1, zero));
  r.impulse[2] = select(stick, select(cone, yn, vmax(yn, zero)), select(slip, gn, zero));
  const T g0 = r.impulse[0], g1 = r.impulse[1], g2 = r.impulse[2], t_squared = g0 * g0 + g1 * g1;
  // Beyond gamma_0 the cost goes on along a line.
  const T beyond = select(slip & !cone, bound * (yr - bound), zero);
  r.cost = T(0.5) * (c.r_t * t_squared + c.r_n * (g2 * g2)) + c.r_t * beyond;

  const T across = gt * inv_r * inv_t, along = select(cone, mu * m / s * inv_t, zero);
  const T tn = select(cone, mu * inv_n / s, zero), d = along - across;
  const T h00 = across + d * t0 * t0, h01 = d * t0 * t1, h11 = across + d * t1 * t1;
  const auto pick = [&](T at_stick, T at_slip) {
    return select(stick, at_stick, select(slip, at_slip, zero));
  };
  const T spring = select(yn > zero, inv_n, zero);
  r.hessian(0, 0) = pick(inv_t, h00);
  r.hessian(1, 1) = pick(inv_t, h11);
  r.hessian(2, 2) = pick(select(cone, inv_n, spring), select(cone, inv_n / s, spring));
  r.hessian(0, 1) = r.hessian(1, 0) = pick(zero, h01);
  r.hessian(0, 2) = r.hessian(2, 0) = pick(zero, tn * t0);
  r.hessian(1, 2) = r.hessian(2, 1) = pick(zero, tn * t1);
  return r;
}

}  // namespace haptos
