// Hyperelastic laws, energy density psi(F) [Pa], split into a part that every tetrahedron evaluates
// and a volumetric part that an element averages over its patch (dynamics/elastic_element.h):
//
//   psi(F) = mu/2 (tr F^T F - 3) + w(J) + U(J),      J = det F.
//
// w belongs to a complete law of Poisson's ratio 0 (its local Lame lambda is 0), so nothing that
// can lock is left in the part that is not averaged. At rest: psi = 0, no stress, and the tangent
// of linear elasticity with mu = E / 2(1+nu), lambda = E nu / ((1+nu)(1-2nu)).
//
//   logarithmic neo-Hookean    w = -mu ln J                      U = lambda/2 ln^2 J
//   stable neo-Hookean         w = -mu (J-1) + mu/2 (J-1)^2      U = lambda/2 (J-1)^2
//
// Sources: Bonet and Wood, Nonlinear Continuum Mechanics, 2nd ed., eq. 6.28; Smith, de Goes, Kim,
// Stable Neo-Hookean Flesh Simulation, 2018, eq. 12 with their rest-stable Lame parameters.
#pragma once

#include "haptos/base/elementary.h"

namespace haptos {

/// Lame parameters [Pa].
struct Lame {
  double mu = 0, lambda = 0;
};

/// From Young's modulus [Pa] and Poisson's ratio in (-1, 0.5).
inline Lame lame(double young, double poisson) {
  return {young / (2 * (1 + poisson)), young * poisson / ((1 + poisson) * (1 - 2 * poisson))};
}

/// A function of J with its first two derivatives.
template <class T>
struct Curve {
  T value, first, second;
};

struct LogNeoHookean {
  template <class T>
  static HAPTOS_HD Curve<T> shear_volume(T mu, T J) {
    const T inv = T(1) / J;
    return {-mu * log_(J), -mu * inv, mu * inv * inv};
  }
  template <class T>
  static HAPTOS_HD Curve<T> volume(T lambda, T J) {
    const T inv = T(1) / J, l = log_(J);
    return {T(0.5) * lambda * l * l, lambda * l * inv, lambda * (T(1) - l) * inv * inv};
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
    const T e = J - T(1);
    return {T(0.5) * lambda * e * e, lambda * e, lambda};
  }
};

/// The laws by number, for tables, files and kernels.
enum class ElasticLaw : std::uint8_t { kLogNeoHookean, kStableNeoHookean };

}  // namespace haptos
