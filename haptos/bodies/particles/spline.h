// Quadratic B-splines: the weights of the 27 grid nodes about a place, and their gradients.
//
//   N(d) = 3/4 - d^2            |d| <= 1/2
//          (3/2 - |d|)^2 / 2    1/2 <= |d| <= 3/2,     d = (x - x_i) / h per axis, w_i = N N N
//
// The weights add up to 1, so do w_i x_i to x, and sum_i w_i (x_i - x)(x_i - x)^T = h^2/4 I. Node
// number 9 i + 3 j + k of a place is i, j, k nodes further along x, y, z than its base.
//
// Source: Steffen, Kirby, Berzins 2008; Jiang et al. 2016 (SIGGRAPH course on material
// points), 7.1.
#pragma once

#include "haptos/base/math/elementary.h"
#include "haptos/base/math/math.h"

namespace haptos {

/// The lowest of the nodes about a place; x in cells.
HAPTOS_HD double spline_base(double x) { return vfloor(x - 0.5); }

/// Weights and their derivatives by place of three nodes along each axis.
struct Spline {
  double w[3][3];  ///< axis, node
  double d[3][3];  ///< [1/m]

  /// @param x     place, in cells from the base node along each axis: 0.5 to 1.5
  /// @param inverse_cell  [1/m]
  HAPTOS_HD void set(const Vec3d& x, double inverse_cell) {
    for (int axis = 0; axis < 3; ++axis) {
      const double a = 1.5 - x[axis], b = x[axis] - 1, c = x[axis] - 0.5;
      w[axis][0] = 0.5 * a * a, w[axis][1] = 0.75 - b * b, w[axis][2] = 0.5 * c * c;
      d[axis][0] = -a * inverse_cell, d[axis][1] = -2 * b * inverse_cell;
      d[axis][2] = c * inverse_cell;
    }
  }
  HAPTOS_HD double weight(int i, int j, int k) const { return w[0][i] * w[1][j] * w[2][k]; }
  HAPTOS_HD Vec3d gradient(int i, int j, int k) const {
    return {
        {d[0][i] * w[1][j] * w[2][k], w[0][i] * d[1][j] * w[2][k], w[0][i] * w[1][j] * d[2][k]}};
  }

  /// f(node, i, j, k) of each of the 27.
  template <class F>
  HAPTOS_HD void each(const F& f) const {
    for (int i = 0, n = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k, ++n) f(n, i, j, k);
  }
};

}  // namespace haptos
