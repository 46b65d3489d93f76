// How an affine body turns: its free motion over a step, and its velocities at the end of one.
//
// The axes A = R U are a rotation R and a stretch U, symmetric, and their rate is
//
//   dA/dt = [w]x A + R dU/dt                      spin w, rate of stretch dU/dt
//   L = sum_ij S_ij c_i x dc_j/dt = I w + L(R dU/dt),   I = tr(A S A^T) 1 - A S A^T
//
// about the centre of mass, S the second moments about it. A straight step A + h dA/dt stretches
// the body by (w h)^2 / 2, and what keeps it stiff then takes that from its turning. The free
// motion of a step therefore turns as a rigid body does (free_rotation(), which keeps L) and
// stretches evenly:
//
//   A_free = exp(phi) R_n (U_n + h dU_n/dt),   phi = h w_mid
//
// What terms do to the step is M (z - z_free) = b f, whose moment about the axes where they end is
// the moment of f, since no stress of the body has one. So at the end of the step
//
//   L_{n+1} = L_n + h T + sum_ij S_ij c_i x (dc_j/dt - dc_j/dt_free)
//   dU/dt = (U_{n+1} - U_n) / h,   w from L_{n+1}
//
// and angular momentum is kept to round-off where nothing acts. BDF2 adds w times the last
// difference to each of L, U, dU/dt, and to phi what the last turn had more than free motion.
// Source: own derivation; the turn is that of Simo and Wong 1991 (rigid_body.h).
// Limits: free motion is that of a body without centrifugal stretch, a part rho (w r)^2 / kappa.
#pragma once

#include "haptos/base/math/rotation.h"

namespace haptos {

/// The rotation nearest to m, by Newton's iteration on the polar decomposition (Higham 1986); false
/// where m, or a step on the way, is far from any.
bool nearest_rotation(const Mat3d& m, Mat3d& r);

struct AffineTurn {
  Mat3d rotation, stretch, stretch_rate;  ///< R, U, dU/dt [1/s]
  Vec3d spin, momentum;                   ///< w [rad/s], L [kg m2/s]
};

/// Moment of momentum of axes that move at `rate` [kg m2/s].
/// @param second  S about the centre of mass [kg m2]
Vec3d moment_of(const Mat3d& axes, const Mat3d& rate, const Mat3d& second);
/// Tensor of inertia under these axes, world [kg m2].
Mat3d inertia_of(const Mat3d& axes, const Mat3d& second);

/// False where the axes are far from a rotation.
bool split_turn(const Mat3d& axes, const Mat3d& rate, const Mat3d& second, AffineTurn& turn);

/// The integrator as body.h has it, and the turn a step before where it looks back (w > 0).
struct TurnStep {
  double h = 0, b = 0, w = 0;
  const AffineTurn* before = nullptr;
};

/// The value that a quantity's past extrapolates to: now + w (now - before).
template <class T>
T past_of(const TurnStep& step, const AffineTurn& now, T AffineTurn::*quantity) {
  const T& value = now.*quantity;
  return step.before ? value + (value - step.before->*quantity) * step.w : value;
}

/// A_free.
/// @param turned  exp(phi)
Mat3d free_axes(const AffineTurn& now, const Mat3d& second, const TurnStep& step, Mat3d& turned);

/// dA/dt at the end of a step that arrived at `axes` with momentum L; false where they are far from
/// a rotation.
/// @param stretch_base  U that the step started from: past_of() the stretch
bool end_rate(const Mat3d& axes, const Vec3d& momentum, const Mat3d& stretch_base, double b,
              const Mat3d& second, Mat3d& rate);

}  // namespace haptos
