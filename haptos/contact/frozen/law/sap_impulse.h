// The law of sap_law.h linearised about a velocity and an impulse that need not belong together,
// for a Newton iteration that has both as unknowns (solve/newton/impulse_newton.h).
//
// With P the law at a compliance D >= R, y = gamma + D^-1 (v_hat - v - R gamma), E = D - R and H
// the Hessian of the law at D, which is P' D^-1:
//
//   gamma + d gamma = P(y) + P' (d gamma - D^-1 (d v + R d gamma))
//   gamma + d gamma = base - give d v,
//   give = (1 - H E)^-1 H,     base = gamma + (1 - H E)^-1 (P(y) - gamma)
//
// Where the law is linear give is its Hessian at R, however large D. gamma answers itself,
// P(y) = gamma, exactly where it is the law's impulse at v.
#pragma once

#include "haptos/contact/frozen/law/sap_law.h"

namespace haptos {

struct SapStep {
  Vec3d answer = Vec3d::zero();  ///< P(y) [N s]
  Vec3d base = Vec3d::zero();    ///< impulse where the velocity stays [N s]
  Mat3d give = Mat3d::zero();    ///< [kg]
  bool stick = false, slip = false;
};

/// Normal impulse of P(y) [N s], which friction may be bounded by.
inline double soft_normal(const SapContact<double>& law, const Vec3d& v, const Vec3d& gamma,
                          double softness) {
  const double d = vmax(law.r_n, softness);
  return vmax((law.v_hat[2] - v[2] + (d - law.r_n) * gamma[2]) / d, 0.0);
}

/// @param softness  what D is at least, in all directions [1/kg]
inline SapStep sap_step(const SapContact<double>& law, const Vec3d& v, const Vec3d& gamma,
                        double softness) {
  SapContact<double> soft = law;
  soft.r_t = vmax(law.r_t, softness);
  soft.r_n = vmax(law.r_n, softness);
  const Vec3d e{{soft.r_t - law.r_t, soft.r_t - law.r_t, soft.r_n - law.r_n}};
  for (int i = 0; i < 3; ++i) soft.v_hat[i] += e[i] * gamma[i];
  const SapValue<double> at = sap_law(soft, v);
  SapStep r;
  r.stick = at.stick;
  r.slip = at.slip;
  r.answer = at.impulse;
  if (!r.stick && !r.slip) return r;
  Mat3d a;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) a(i, j) = (i == j ? 1 : 0) - at.hessian(i, j) * e[j];
  a = inverse(a);
  r.base = gamma + a * (at.impulse - gamma);
  r.give = a * at.hessian;
  r.give = 0.5 * (r.give + transpose(r.give));
  return r;
}

}  // namespace haptos
