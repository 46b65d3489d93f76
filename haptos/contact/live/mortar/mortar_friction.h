// What friction sees of mortar contact: for every lattice point of the slave its share of the
// forces of the samples around it, one place of contact for each wall they press from.
#pragma once

#include "haptos/contact/friction/anchored_friction.h"
#include "haptos/contact/live/mortar/mortar_press.h"
#include "haptos/contact/live/overlap/slave_lattice.h"

namespace haptos {

/// @param stiffness  of the tangential springs, per stiffness of the potential
void mortar_friction(const MortarSides& sides, const SlaveLattice& lattice,
                     const std::vector<MortarPress>& presses, double stiffness,
                     std::vector<FrictionContact>& out);

/// Hands the forces of friction at lattice points to the records of the samples around, by what
/// each contributed to the normal force there.
/// @param records  of the presses, in their order
void spread_friction(const SlaveLattice& lattice, const std::vector<MortarPress>& presses,
                     const AnchoredFriction& friction, std::vector<ContactPoint>& records);

}  // namespace haptos
