// What frozen contact and joint constraints take their compliance from: how easily the bodies give
// way, and the stiffest spring that a time step resolves.
//
//   W = J diag(M)^-1 J^T,      w = |W|_F / n      [1/kg] or [1/(kg m2)], n the rows of J
//   R >= beta^2 / (4 pi^2) w                      the period of the constraint is beta time steps
//
// W is that of the diagonal of the inertia, so w is an estimate; |W|_F does not depend on the axes.
//
// Reference: Castro et al., A Transition-Aware Method for the Simulation of Compliant Contact with
// Regularized Friction, 2020 (near-rigid bound).
#pragma once

#include "haptos/base/math/math.h"

namespace haptos {

/// Adds J diag(M)^-1 J^T of three rows to w.
/// @param jacobian      row-major 3 x columns
/// @param inverse_mass  of the first of the columns, (columns)
inline void add_delassus(const double* jacobian, int columns, const double* inverse_mass,
                         Mat3d& w) {
  double s[3][3] = {};
  for (int c = 0; c < columns; ++c)  // the sums side by side: each is a chain
    for (int r = 0; r < 3; ++r)
      for (int q = 0; q <= r; ++q)
        s[r][q] += jacobian[r * columns + c] * jacobian[q * columns + c] * inverse_mass[c];
  for (int r = 0; r < 3; ++r)
    for (int q = 0; q <= r; ++q) {
      w(r, q) += s[r][q];
      if (q < r) w(q, r) += s[r][q];
    }
}

/// w of three rows.
inline double delassus_estimate(const Mat3d& w) {
  double squares = 0;
  for (const double x : w.a) squares += x * x;
  return sqrt(squares) / 3;
}

/// beta^2 / (4 pi^2) w.
inline double near_rigid_bound(double beta, double w) {
  constexpr double kPi = 3.14159265358979323846;
  return beta * beta / (4 * kPi * kPi) * w;
}

}  // namespace haptos
