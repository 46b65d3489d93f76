// Energy, gradient and Hessian of barrier pairs between two stiff bodies, each affine or driven, by
// the twelve unknowns of a body at once instead of point by point.
//
// A point of an affine body is x = sum_a W_a c_a with W = (1, X, Y, Z) (points.h), so a derivative
// by points pulls back to a Kronecker product. With the stencil's w_i, n and free directions k
// (distance.h), and the sums of W over the points of the body
//
//   omega = sum_i w_i W_i,   alpha_k = sum_i (d w_i / d alpha_k) W_i,
//
// the derivatives of a distance d by the unknowns are
//
//   grad d = omega (x) n,
//   hess d = sum_t (omega (x) t)(omega (x) t)^T / d  -  sum_k (u_k v_k^T + v_k u_k^T),
//   u_k = alpha_k (x) n,   v_k = omega (x) r_k + d/2 sum_l (r_k . r_l) alpha_l (x) n,
//
// t the unit directions normal to n along which neither feature extends. So a pair adds a few
// symmetric products of vectors. They are made in lanes, a pack of pairs at a time, and multiplied
// together as matrices. Of a driven body, the product with the coming motion takes the place of the
// unknowns. Chunks of pairs are of fixed size and added in order: the same bits for any number of
// threads.
//
// A positive semi-definite Hessian is that of all pairs between the two bodies, clamped by its
// eigenvalues, axes measured at the bodies' radii: signed counts of features cancel before.
#pragma once

#include <span>
#include <vector>

#include "haptos/contact/live/pairs/stencil_pair.h"

namespace haptos {

/// Part of its area that a sample of a stiff body stands for at least, whichever way it faces.
constexpr double kLeastFacing = 1e-3;

/// Whether the surface is that of an affine body.
bool is_stiff(const ContactSurface& s, const Points& points);
/// Whether the surfaces belong to two stiff bodies, one at least affine.
bool both_stiff(const ContactSurface& soft, const ContactSurface& collider, const Points& points);

/// Energy of the pairs; with an assembly also gradient and, if it wants one, Hessian. `project`
/// clamps the Hessian of all pairs together. The pairs' surfaces must pass both_stiff().
Energy evaluate_stiff_pairs(std::span<const BarrierPair> pairs, double support,
                            const ContactSurface& soft, const ContactSurface& collider,
                            const Points& points, Assembly* assembly, bool project);

}  // namespace haptos
