// Momentum of trees that float: what a step with bias and mass frozen at q_n loses of it, put back.
//
// For a tree that hangs from the world by a free joint with unknowns r, the rows r of the equation
// of motion are the rate of its whole momentum about the base's origin p_n of the step's start.
// With c0 the bias without gravity and a0 = -M^-1 c0, the base drifts with its velocity at
// mid-step, as the implicit midpoint rule of a rigid body does (rigid_body.h) but explicitly:
//
//   z_free,r = (z_n + h M^-1 (tau - c))_r - h/2 a0_r
//   (P, L about p_n) = [M z]_r + h c0_r + h/2 M_rr a0_r       momentum after the step
//
// The second line is [M z_n]_r and the impulse from outside (contact, gravity, whatever else acted
// on the solve). Then, at the end of the step,
//
//   centre of mass   c_{n+1} = c_n + h P / m         by a shift of the base, of order h^2
//   base velocity    momentum of (q_{n+1}, v) = (P, L)      one 6 x 6 solve
//
// A tree that hangs from the world by a ball joint has three such rows, the angular momentum about
// the joint's centre: the same without P and the shift.
//
// Without forces from outside, P and L about the centre of mass are kept to round-off; a single
// body turns to second order in h. Joints' rates are as solved. A base whose joint has armature is
// left alone: armature holds to the world. Source: own derivation.
#pragma once

#include <vector>

#include "haptos/dynamics/tree_jacobian.h"

namespace haptos {

/// Whether a body hangs from the world by a free or a ball joint without armature.
bool floats(const Tree& tree, const TreeBody& body);

class FloatingBase {
 public:
  explicit FloatingBase(const Tree& tree);

  /// Scales mass and inertia of a body against the tree's.
  void scale_mass(const Tree& tree, int body, double scale);

  /// After crba at the start of the step, with velocities v and mass matrix `mass`.
  /// Adds to the free velocities (v_count) what the midpoint rule asks.
  void begin_step(const Tree& tree, TreeData<double>& start, double h, const double* v,
                  const double* mass, double* z_free);
  /// Corrects coordinates q and velocities v at the end of the step; v comes as solved, z.
  void end_step(const Tree& tree, double h, double* q, double* v);

 private:
  struct Base {
    int body = 0;
    std::vector<int> carried;  // bodies of its tree, itself among them
    std::vector<double> rows;  // of M (6 x v_count)
    double impulse[6];         // momentum that the rows of M z lack
    Mat3d axes;                // of its joint, world, as columns
    Vec3d origin, centre;      // p_n, c_n
  };
  std::vector<Base> bases_;
  TreeData<double> data_;
  std::vector<double> tau_, product_;
};

}  // namespace haptos
