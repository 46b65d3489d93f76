// What friction sees of mortar contact: for every lattice point of the slave its share of the
// forces of the samples around it, one place of contact for each wall they press from.
#pragma once

#include "haptos/contact/friction/anchored_friction.h"
#include "haptos/contact/mortar/mortar_samples.h"
#include "haptos/contact/mortar/slave_lattice.h"

namespace haptos {

/// The lattice point of a place of contact.
std::int64_t lattice_point(const FeaturePair& key);

/// @param stiffness  of the tangential springs, per stiffness of the potential
/// @param records    for each place appended to `out` a contact record without normal force, for
///                   the force of friction; FrictionContact::record is its number
void mortar_friction(const MortarSides& sides, const SlaveLattice& lattice,
                     const MortarSamples& samples, double stiffness, const Points& points,
                     std::vector<FrictionContact>& out, std::vector<ContactPoint>& records);

}  // namespace haptos
