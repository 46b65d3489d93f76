// Compliant contact with Hunt and Crossley's dissipation as a convex cost of velocity, in contact
// coordinates (t1, t2, n) with n from b to a and velocity v of a against b; two laws that differ in
// the normal force that friction sees. With the gap phi at the start of the step, stiffness k,
// dissipation d, step h, and u = v_t - v_hat the slip (v_hat: where an anchor pulls to, else 0):
//
//   gamma(v) = h k (-phi - h v)_+ (1 - d v)_+           impulse along n at the end of the step
//   L(v)     = integral of gamma from v to infinity     convex, L' = -gamma
//   s(u)     = |u|^2 / (2 e)  where |u| <= e,  |u| - e/2  beyond             [m/s]
//
//   lagged   l = L(v_n) + mu gamma_0 s(u)     gamma_0 frozen at the start of the step
//   similar  l = L(v_n - mu s(u))             friction sees the normal force of this step
//
//   gamma_t = -mu N t,  t = u / max(|u|, e),  N = gamma_0, or gamma(v_n - mu s)
//   d2l/dv2 = mu N s''(u)  and  gamma' (-mu t, 1) (-mu t, 1)^T of similar, gamma' n n^T of lagged
//
// Both are gradients of a potential ("irrotational contact fields") and convex. Lagged is Coulomb's
// law with a normal force from the start of the step; similar has none that is lagged, but lifts a
// sliding contact by about h mu |v_t|, as the SAP cone does.
// Units: v, e [m/s], gamma [N s], k [N/m], d [s/m], l [J].
//
// Source: A. Castro, X. Han, J. Masterjohn, Irrotational Contact Fields, 2023. Different from
// there: s is Huber's function, so that friction that slips is exactly on the cone; contacts that
// are only approached (phi > 0) push once they would overlap at the end of the step.
#pragma once

#include "haptos/contact/frozen/law/sap_law.h"

namespace haptos {

template <class T>
struct HuntCrossleyContact {
  T friction;          ///< mu, 0 or more
  T step;              ///< h [s]
  T gap;               ///< phi at the start of the step [m]
  T stiffness;         ///< k [N/m]
  T dissipation;       ///< d, 0 or more [s/m]
  T slip_speed;        ///< e, positive [m/s]
  T lagged;            ///< gamma_0, 0 or more; below 0: similar
  T v_hat_1, v_hat_2;  ///< of slip [m/s]
};

/// Impulse along n, its integral and minus its slope at a normal velocity.
template <class T>
struct NormalImpulse {
  T impulse, cost, slope;
};
template <class T>
HAPTOS_HD NormalImpulse<T> hunt_crossley_normal(const HuntCrossleyContact<T>& c, const T& v) {
  const T zero = T(0), one = T(1);
  // gamma = s x (p + q x) with x = v_open - v, the speed below that at which the first of its two
  // factors vanishes.
  const T hk = c.step * c.stiffness, touch = -c.gap / c.step;
  const Mask<T> elastic = c.dissipation * touch < one;  // the spring lets go first
  const T d = select(elastic, one, c.dissipation);
  const T open = select(elastic, touch, one / d);
  const T s = c.step * select(elastic, hk, d);
  const T p = select(elastic, one - c.dissipation * touch, hk * (touch - open));
  const T q = select(elastic, c.dissipation, hk);
  const T x = vmax(open - v, zero);
  NormalImpulse<T> r;
  r.impulse = s * x * (p + q * x);
  r.cost = s * x * x * (T(0.5) * p + q * x * T(1.0 / 3));
  r.slope = select(x > zero, s * (p + T(2) * q * x), zero);
  return r;
}

template <class T>
HAPTOS_HD SapValue<T> hunt_crossley_law(const HuntCrossleyContact<T>& c, const Vec3<T>& v) {
  const T zero = T(0), one = T(1), mu = c.friction, e = c.slip_speed;
  const T u0 = v[0] - c.v_hat_1, u1 = v[1] - c.v_hat_2;
  const T size = sqrt(u0 * u0 + u1 * u1);
  const Mask<T> inside = size <= e, similar = c.lagged < zero;
  const T largest = select(inside, e, size), inv = one / largest;
  const T t0 = u0 * inv, t1 = u1 * inv;
  const T slip = select(inside, T(0.5) * size * size * inv, size - T(0.5) * e);

  const T z = v[2] - select(similar, mu * slip, zero);
  const NormalImpulse<T> n = hunt_crossley_normal(c, z);
  const T pressed = select(similar, n.impulse, c.lagged), bound = mu * pressed;

  SapValue<T> r;
  const Mask<T> active = (n.impulse > zero) | (pressed > zero);
  r.stick = active & inside & (mu > zero);
  r.slip = active & !r.stick;
  r.cost = n.cost + select(similar, zero, bound * slip);
  r.impulse = {{-bound * t0, -bound * t1, n.impulse}};
  // s'' = 1 / e inside, (1 - t t^T) / |u| beyond.
  const T bend = bound * inv, out = select(inside, zero, bend);
  const T tilt = select(similar, mu, zero), g = n.slope;
  const T tt = tilt * tilt * g - out;
  r.hessian(0, 0) = bend + tt * t0 * t0;
  r.hessian(1, 1) = bend + tt * t1 * t1;
  r.hessian(0, 1) = r.hessian(1, 0) = tt * t0 * t1;
  r.hessian(0, 2) = r.hessian(2, 0) = -tilt * g * t0;
  r.hessian(1, 2) = r.hessian(2, 1) = -tilt * g * t1;
  r.hessian(2, 2) = g;
  return r;
}

}  // namespace haptos
