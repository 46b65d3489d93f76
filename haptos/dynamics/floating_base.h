// Momentum of trees that float: what a step with bias and mass frozen at q_n loses of it, put back.
//
// For a tree that hangs from the world by a free joint with unknowns r, the rows r of the equation
// of motion are the rate of its whole momentum, about the base's origin p_n of the step's start:
//
//   [M(q_n) (z - z_n) + h c0(q_n, z_n)]_r = impulse from outside,     [M(q_n) z_n]_r = momentum
//
// with c0 the bias without gravity. So [M z + h c0]_r is the momentum (P, L about p_n) that the
// tree has after the step; P and L hold contact, gravity and whatever else acted. Then
//
//   centre of mass   c_{n+1} = c_n + h P / m      by a shift of the base, of order h^2
//   base velocity    momentum of (q_{n+1}, v) = (P, L)      by one 6 x 6 solve, of order h^2
//
// Without forces from outside, P and L about the centre of mass are kept to round-off; joints'
// rates are not touched. A base whose free joint has armature is left alone: armature holds to the
// world. Source: own derivation; the rows of the centroidal momentum of Orin and Goswami, 2008.
#pragma once

#include <vector>

#include "haptos/dynamics/tree_jacobian.h"

namespace haptos {

class FloatingBase {
 public:
  explicit FloatingBase(const Tree& tree);

  /// After crba at the start of the step, with velocities v and mass matrix `mass`.
  void begin_step(const Tree& tree, TreeData<double>& start, const double* v, const double* mass);
  /// Corrects coordinates q and velocities v at the end of the step; v comes as solved, z.
  void end_step(const Tree& tree, double h, double* q, double* v);

 private:
  struct Base {
    int body = 0;
    std::vector<int> carried;   // bodies of its tree, itself among them
    std::vector<double> rows;   // of M (6 x v_count)
    double bias[6];             // rows of c0
    Mat3d axes;                 // of its joint, world, as columns
    Vec3d origin, centre;       // p_n, c_n
  };
  std::vector<Base> bases_;
  TreeData<double> data_;
  std::vector<double> tau_;
};

}  // namespace haptos
