// Energy, gradient and Hessian of barrier pairs between a soft surface and that of an affine body,
// a pack of pairs at a time.
//
// The pairs are those of affine_pairs.h with the points of the soft side as unknowns beside the
// twelve of the body: one for a sample, two for an edge, up to three for a triangle that a corner
// of the body faces. What the body alone sees is summed over all pairs and added once; what a pair
// couples is added by the nodes that its points are made of.
#pragma once

#include <span>

#include "haptos/contact/live/pairs/affine_pairs.h"

namespace haptos {

/// Whether these sums are for the two: the second surface is that of an affine body, and the first
/// has points that move in other ways, none of them with that body.
bool soft_on_affine(const ContactSurface& soft, const ContactSurface& collider,
                    const Points& points);

/// Energy of the pairs; with an assembly also gradient and, if it wants one, the exact Hessian.
/// The pairs' surfaces must pass soft_on_affine().
Energy evaluate_soft_affine_pairs(std::span<const BarrierPair> pairs, double support,
                                  const ContactSurface& collider, const Points& points,
                                  Assembly* assembly);

}  // namespace haptos
