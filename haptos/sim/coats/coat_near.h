// What a force on one probe of a coat does to those around it, beyond what it does by way of nodes.
//
// A probe hands its force to its nodes, by W, whose hats spread it wider than the probe's own
// would, and it moves as they do. The difference is that of two levels of a grid,
//
//   near = K - W P^T K P W^T,
//
// with P the hats of nodes made of those of probes, exactly, and K what a half space gives way by,
// which a pad is close to so near to where it is pressed. It fades with the cube of the distance.
// An even pressure makes none: P W^T keeps it.
#pragma once

#include <vector>

#include "haptos/scene/parts/material.h"
#include "haptos/system/coat/coat_compliance.h"

namespace haptos {

/// Finds `near` and `own`, and takes from `matrix` what nodes that are farther apart do too much to
/// each other.
/// @param probe_area  of each probe the integral of its hat [m2]
void find_near(const Material& material, const std::vector<double>& probe_area, CoatCompliance& c);

}  // namespace haptos
