// Force of a rigid ball on a thin linear elastic layer that is bonded to a rigid base, without
// friction: Hertz's force times a series in chi = sqrt(R depth) / thickness.
//
// E. K. Dimitriadis and others, Determination of elastic moduli of thin layers of soft material,
// Biophysical Journal 82 (2002), for a bonded layer of any Poisson's ratio. Good for chi below 1.
#pragma once

#include <cmath>
#include <numbers>

namespace haptos::test {

/// @param radius, thickness, depth [m]; young [Pa].  @return force [N]
inline double ball_on_bonded_layer(double radius, double thickness, double young, double poisson,
                                   double depth) {
  using std::numbers::pi;
  const double nu = poisson;
  const double a = -(1.2876 - 1.4678 * nu + 1.3442 * nu * nu) / (1 - nu);
  const double b = (0.6387 - 1.0277 * nu + 1.5164 * nu * nu) / (1 - nu);
  const double chi = std::sqrt(radius * depth) / thickness, q = 2 * a / pi * chi;
  const double third = 8 / std::pow(pi, 3) * (a * a * a + 4 * pi * pi / 15 * b);
  const double fourth = 16 * a / std::pow(pi, 4) * (a * a * a + 3 * pi * pi / 5 * b);
  const double layer = 1 - q + q * q - third * std::pow(chi, 3) + fourth * std::pow(chi, 4);
  const double hertz = 4.0 / 3 * young / (1 - nu * nu) * std::sqrt(radius) * std::pow(depth, 1.5);
  return hertz * layer;
}

}  // namespace haptos::test
