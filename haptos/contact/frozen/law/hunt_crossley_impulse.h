// The laws of hunt_crossley.h linearised about a velocity and an impulse that need not belong
// together, for a Newton iteration that has both as unknowns (solve/newton/impulse_newton.h).
//
// With f the law and a softness E, the law at its own compliance and E answers gamma' where
//
//   gamma' = f(w),   w = v + E (gamma' - gamma),
//   gamma + d gamma = base - give d v,    give = G(w),    base = gamma' + G(w) E (gamma' - gamma),
//
// G = -df/dv. gamma answers itself, gamma' = gamma, exactly where it is the law's impulse at v.
//
// Slip keeps its direction, so one number is looked for, the normal impulse N. Of slip as large as
// a at gamma' = 0 is left r(N) = a - E mu N, or a / (1 + E mu N / e) where that is at most e, and
//
//   N = f_n( v_n + E (N - gamma_n) - mu s(r(N)) )       similar; without s where N is lagged.
//
// What f_n is of is concave in N and f_n convex and falling: Newton's iteration rises from 0 to the
// one solution without leaping over it.
#pragma once

#include "haptos/contact/frozen/law/hunt_crossley.h"
#include "haptos/contact/frozen/law/sap_impulse.h"

namespace haptos {
namespace internal {

/// Slip that is left of a under a normal impulse, and its derivative [m/s, 1/kg].
struct SlipLeft {
  double size, slope;
};
inline SlipLeft slip_left(const HuntCrossleyContact<double>& c, double a, double pressed,
                          double softness) {
  const double back = softness * c.friction, e = c.slip_speed;
  if (a - back * pressed > e) return {a - back * pressed, -back};
  const double part = 1 / (1 + back * pressed / e);
  return {a * part, -a * part * part * back / e};
}

/// N, given the normal velocity and the size of slip at gamma' = 0 [N s].
inline double soft_pressure(const HuntCrossleyContact<double>& c, double normal, double a,
                            double softness) {
  constexpr int kMost = 60;
  constexpr double kClose = 1e-14;
  const double e = c.slip_speed, tilt = c.lagged < 0 ? c.friction : 0;
  double pressed = 0;
  for (int i = 0; i < kMost; ++i) {
    const SlipLeft u = slip_left(c, a, pressed, softness);
    const bool sticks = u.size <= e;
    const double slip = sticks ? 0.5 * u.size * u.size / e : u.size - 0.5 * e;
    const double steep = sticks ? u.size / e : 1;
    const NormalImpulse<double> f =
        hunt_crossley_normal(c, normal + softness * pressed - tilt * slip);
    const double left = f.impulse - pressed;
    if (!(left > kClose * pressed)) break;
    pressed += left / (1 + f.slope * (softness - tilt * steep * u.slope));
  }
  return pressed;
}

}  // namespace internal

/// Normal impulse of gamma' [N s], which friction may be bounded by; of the lagged law.
inline double soft_normal(const HuntCrossleyContact<double>& law, const Vec3d& v,
                          const Vec3d& gamma, double softness) {
  return internal::soft_pressure(law, v[2] - softness * gamma[2], 0, softness);
}

/// @param softness  E, in all directions [1/kg]
inline SapStep hunt_crossley_step(const HuntCrossleyContact<double>& law, const Vec3d& v,
                                  const Vec3d& gamma, double softness) {
  const double u0 = v[0] - law.v_hat_1 - softness * gamma[0];
  const double u1 = v[1] - law.v_hat_2 - softness * gamma[1];
  const double a = sqrt(u0 * u0 + u1 * u1), normal = v[2] - softness * gamma[2];
  const double n = internal::soft_pressure(law, normal, a, softness);
  const double bounds = law.lagged < 0 ? n : law.lagged;
  const double left = internal::slip_left(law, a, bounds, softness).size;
  const double part = a > 0 ? left / a : 0;
  const Vec3d w{{law.v_hat_1 + part * u0, law.v_hat_2 + part * u1, normal + softness * n}};
  const SapValue<double> at = hunt_crossley_law(law, w);
  SapStep r;
  r.stick = at.stick;
  r.slip = at.slip;
  if (!r.stick && !r.slip) return r;
  // From N and not from w, whose round-off the stiffness multiplies.
  const double drag = -law.friction * bounds * part / vmax(left, law.slip_speed);
  r.answer = {{drag * u0, drag * u1, n}};
  r.base = r.answer + at.hessian * (softness * (r.answer - gamma));
  r.give = at.hessian;
  return r;
}

}  // namespace haptos
