// A step of a tree without momentum: a pass of quasi-statics. Inertia is only the weight of a
// proximal term about where the tree is; what pulls is gravity, torques and wrenches at the
// coordinates q where the pass starts,
//
//   W (z - z_free) = sum of terms' impulses,   W = s M(q) + h^2 G,   W z_free = h f(q),
//   q <- q (+) h z,
//
// so that z h is a displacement, and no rate of it means anything. Gravity's potential V(q) bends:
// its second derivative for a joint k and a turning one j that is k or carries it is
//
//   K_jk = -g . (a_j x s_k),   s_k = m_k a_k for a slide, a_k x (m_k r_k) for a turn,
//
// with the mass m_k that k carries and r_k from k to its centre. G = diag(sum_j |K_kj|) is no less
// than K, so that passes do not leap over where the tree hangs. At rest z is 0 whatever W is.
#pragma once

#include "haptos/bodies/tree/tree_drift.h"

namespace haptos {

/// @param at  of the tree at step.q, after update(); its velocities are not read
/// @param s  factor of the inertia
/// Writes free velocities (v_count) and W, dense.
void begin_static_step(const Tree& tree, TreeData<double>& at, const FreeStep& step, double s,
                       double* z_free, double* w);

/// Coordinates and velocities that the solved z leads to, and what torques and terms did, per
/// unknown [N m] or [N]. z_free and w are those that the solve ended with.
void end_static_step(const Tree& tree, const FreeStep& step, const double* z, const double* z_free,
                     const double* w, double* q, double* v, double* effort);

}  // namespace haptos
