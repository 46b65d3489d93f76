// Whether compiled scenes can be environments of one batch: what is read of them has the same
// shape.
#pragma once

#include "haptos/sim/model/model.h"

namespace haptos {

/// Refuses a scene whose readings have other names or sizes than those of the first: other bodies,
/// surfaces of other triangles, other joints, links, motors or sensors, another time step. Sizes,
/// masses, materials, friction, places, paths and options may differ.
/// @param env  number of the environment, for the message
/// @throws InputError naming what differs
void check_alike(const Model& first, const Model& other, int env);

}  // namespace haptos
