// What friction sees of barrier contact: the pairs of one source (a sample, a corner, a pair of
// edges) as one place of contact, with their net force; or, where they face each other by more than
// 30 degrees as in a groove, one place for each wall. The walls' normal forces N_k then are those
// that make up the net force, sum N_k n_k = F.
#pragma once

#include <vector>

#include "haptos/contact/friction/anchored_friction.h"
#include "haptos/contact/live/pairs/stencil_pair.h"

namespace haptos {

/// @param pairs       pairs of a source follow each other
/// @param stiffness   of the tangential spring, per stiffness of the pair's barrier
void friction_contacts(const std::vector<BarrierPair>& pairs, double support, double stiffness,
                       const Points& points, const ContactSurface& soft,
                       const ContactSurface& collider, std::vector<FrictionContact>& out);

/// The surface that holds the anchor of such a contact.
const ContactSurface* anchor_surface(const FeaturePair& key, const ContactSurface& soft,
                                     const ContactSurface& collider);

}  // namespace haptos
