// Live barrier contact of a soft surface with a triangle mesh or a half-space. (The surface that
// carries the quadrature is called soft; it may be an affine body's.)
//
// The soft surface carries the quadrature. Its samples q (contact/surface.h), with rest areas A_q,
// see the collider through its closest features f, each counted once (closest_features.h):
//
//   E = kappa sum_q A_q sum_f c_f B(d_qf)                 samples of the soft surface
//     + kappa sum_v w_v A_v sum_f c_f B(d_vf)             sharp vertices of the collider
//     + kappa sum_(e,e') w_e' A_e m(c) B(d_ee')           sharp edges e' of the collider, soft
//     edges e
//
// The pressure at a uniform gap is kappa d h(t) whatever the meshes are, because the first sum is a
// quadrature of the soft surface and nothing else. The other two keep a corner or a ridge between
// samples from being stopped by collision detection alone, at a gap that no force explains: w is
// the part of the feature that the samples miss (feature_weight.h), 0 where the collider is flat or
// concave. With n divisions of the soft edges, A_v is 1/n of the soft triangle nearest to v when
// the step starts, held for the step; A_e is a third of the triangles beside the soft edge; the
// spacing of samples is sqrt(2 A_v / n) at v and |e| / n at e. m is the mollifier of nearly
// parallel edges.
//
// When asked for a positive semi-definite Hessian, each pair is clamped by its eigenvalues; the
// pairs of one sample with a driven collider are summed first, since their signed counts cancel.
//
// A surface with itself: the first sum alone over the features that share no vertex with q, halved,
// since both sides carry samples, and the third over every two edges once.
//
// Step cap: continuous collision detection over all vertex-triangle and edge-edge candidates, sharp
// or not, and the candidates' margin: motion beyond it finds new candidates, so no pair is missed.
// It leaves a quarter of the gap, or half the support if that is less, so that a pair that comes
// near lands where it carries force. Reference: Li et al. 2020 (barrier, step cap);
// docs/contact/barrier.md for what differs.
#pragma once

#include <memory>

#include "haptos/contact/live/contact_term.h"
#include "haptos/contact/live/live_setup.h"
#include "haptos/contact/surface.h"

namespace haptos {

/// The two may be one surface: then it touches itself.
std::unique_ptr<ContactTerm> make_barrier_term(const ContactSurface* soft,
                                               const ContactSurface* collider,
                                               const LiveSetup& setup);

/// The half-space {x : n . x <= offset} as collider; body is its id in records.
std::unique_ptr<ContactTerm> make_half_space_term(const ContactSurface* soft, const Vec3d& normal,
                                                  double offset, int body, const LiveSetup& setup);

/// Divisions that let the samples of `soft` be about as close as the collider's vertices, 1 to 4.
int suggested_divisions(const ContactSurface& soft, const ContactSurface& collider);

}  // namespace haptos
