// Hyperelastic laws, energy density psi(F) [Pa], split into a part that every point of an element
// evaluates and a volumetric part that an element averages over its points (soft_element.h):
//
//   psi(F) = psi_point(F) + U(s(F)),      psi_point at each point, U once at the mean of s.
//
// psi_point is a complete law of Poisson's ratio 0 (its local Lame lambda is 0), so nothing that
// can lock is left in the part that is not averaged. At rest: psi = 0, no stress, and the tangent
// of linear elasticity with mu = E / 2(1+nu), lambda = E nu / ((1+nu)(1-2nu)).
//
//   J = det F,  C = F^T F,  E = (C - I)/2,  F = R S (polar),  I2 = |cof F|^2
//
//   law                      psi_point                                       s     U(s)
//   logarithmic neo-Hookean  mu/2 (tr C - 3) - mu ln J                       J     lambda/2 ln^2 J
//   stable neo-Hookean       mu/2 (tr C - 3) - mu (J-1) + mu/2 (J-1)^2       J     lambda/2 (J-1)^2
//   St. Venant-Kirchhoff     mu |E|^2                                        tr E  lambda/2 s^2
//   fixed corotated          mu |F - R|^2                                    J     lambda/2 (J-1)^2
//   linear                   mu |eps|^2,  eps = sym F - I                    tr eps  lambda/2 s^2
//   linear corotated         mu |F - R|^2                                    tr S-I  lambda/2 s^2
//   Mooney-Rivlin            mu1/2 (tr C - 3) - mu1 ln J                     J     lambda/2 ln^2 J
//                            + mu2/2 (I2 - 3) - 2 mu2 (J-1),  mu1 + mu2 = mu
//
// The last term of Mooney-Rivlin takes the stress and the local lambda of I2 at rest away; since
// I2 >= 3 J^(4/3) the whole mu2 part is nowhere negative. At J = 1 it is the classical law with
// 2 c10 = mu1, 2 c01 = mu2.
// Limits: St. Venant-Kirchhoff softens under compression (no stress at F = 0, tangent indefinite
// below a stretch of 0.58); the linear law knows no finite rotation. A term of the linear corotated
// law takes R of the start of the step (elastic.h): it is then convex, of constant Hessian.
//
// Sources: Bonet and Wood, Nonlinear Continuum Mechanics, 2nd ed., eq. 6.28; Smith, de Goes, Kim,
// Stable Neo-Hookean Flesh Simulation, 2018, eq. 12 with their rest-stable Lame parameters;
// Stomakhin et al., Energetically Consistent Invertible Elasticity, 2012; Ogden, Non-Linear Elastic
// Deformations, ch. 4. The points' stress and tangents: bodies/elastic/elastic_point.h.
#pragma once

#include "haptos/base/math/elementary.h"

namespace haptos {

/// Lame parameters [Pa].
struct Lame {
  double mu = 0, lambda = 0;
};

/// From Young's modulus [Pa] and Poisson's ratio in (-1, 0.5).
inline Lame lame(double young, double poisson) {
  return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

/// Shear modulus and the part of it that acts on the second invariant (Mooney-Rivlin) [Pa].
template <class T>
struct ShearModuli {
  T mu, mu2;
};

/// A function of one variable with its first two derivatives.
template <class T>
struct Curve {
  T value, first, second;
};

/// lambda/2 ln^2 J.
template <class T>
HAPTOS_HD Curve<T> squared_log(T lambda, T J) {
  const T inv = T(1) / J, l = log_(J);
  return {T(0.5) * lambda * l * l, lambda * l * inv, lambda * (T(1) - l) * inv * inv};
}

/// lambda/2 e^2.
template <class T>
HAPTOS_HD Curve<T> squared(T lambda, T e) {
  return {T(0.5) * lambda * e * e, lambda * e, lambda};
}

struct LogNeoHookean {
  template <class T>
  static HAPTOS_HD Curve<T> shear_volume(T mu, T J) {
    const T inv = T(1) / J;
    return {-mu * log_(J), -mu * inv, mu * inv * inv};
  }
  template <class T>
  static HAPTOS_HD Curve<T> volume(T lambda, T J) {
    return squared_log(lambda, J);
  }
};

struct StableNeoHookean {
  template <class T>
  static HAPTOS_HD Curve<T> shear_volume(T mu, T J) {
    const T e = J - T(1);
    return {mu * e * (T(0.5) * e - T(1)), mu * (e - T(1)), mu};
  }
  template <class T>
  static HAPTOS_HD Curve<T> volume(T lambda, T J) {
    return squared(lambda, J - T(1));
  }
};

struct StVenantKirchhoff {
  template <class T>
  static HAPTOS_HD Curve<T> volume(T lambda, T s) {
    return squared(lambda, s);
  }
};

struct FixedCorotated {
  template <class T>
  static HAPTOS_HD Curve<T> volume(T lambda, T J) {
    return squared(lambda, J - T(1));
  }
};

struct LinearElastic {
  template <class T>
  static HAPTOS_HD Curve<T> volume(T lambda, T s) {
    return squared(lambda, s);
  }
};

struct LinearCorotated {
  template <class T>
  static HAPTOS_HD Curve<T> volume(T lambda, T s) {
    return squared(lambda, s);
  }
};

struct MooneyRivlin {
  template <class T>
  static HAPTOS_HD Curve<T> shear_volume(const ShearModuli<T>& m, T J) {
    const T mu1 = m.mu - m.mu2, slope = T(2) * m.mu2;
    const Curve<T> w = LogNeoHookean::shear_volume(mu1, J);
    return {w.value - slope * (J - T(1)), w.first - slope, w.second};
  }
  template <class T>
  static HAPTOS_HD Curve<T> volume(T lambda, T J) {
    return squared_log(lambda, J);
  }
};

/// The laws by number, for tables, files and kernels.
enum class ElasticLaw : std::uint8_t {
  kLogNeoHookean,
  kStableNeoHookean,
  kStVenantKirchhoff,
  kFixedCorotated,
  kLinear,
  kMooneyRivlin,
  kLinearCorotated,
};
constexpr int kElasticLawCount = 7;

/// What is true of a law beside its formula.
struct ElasticLawTraits {
  bool rotation_invariant;  ///< energy unchanged by a finite rotation
  bool second_invariant;    ///< uses mu2
  bool lags_rotation;       ///< a term takes R of the start of the step
};
constexpr ElasticLawTraits traits_of(ElasticLaw law) {
  return {law != ElasticLaw::kLinear, law == ElasticLaw::kMooneyRivlin,
          law == ElasticLaw::kLinearCorotated};
}

/// f(Law{}) for the law of that number.
template <class F>
auto with_law(ElasticLaw law, F&& f) {
  switch (law) {
    case ElasticLaw::kStableNeoHookean:
      return f(StableNeoHookean{});
    case ElasticLaw::kStVenantKirchhoff:
      return f(StVenantKirchhoff{});
    case ElasticLaw::kFixedCorotated:
      return f(FixedCorotated{});
    case ElasticLaw::kLinear:
      return f(LinearElastic{});
    case ElasticLaw::kMooneyRivlin:
      return f(MooneyRivlin{});
    case ElasticLaw::kLinearCorotated:
      return f(LinearCorotated{});
    case ElasticLaw::kLogNeoHookean:
      break;
  }
  return f(LogNeoHookean{});
}

}  // namespace haptos
