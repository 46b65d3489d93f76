// The compliance of a pad's coat, from its finite elements: static condensation about rest.
//
//   K u = f over the free vertices, the glued ones held;   C_ij = w_i^T K^-1 w_j
//
// K is the second derivative of the pad's own elastic energy at rest, w_i the hat of a node of its
// coat on the vertices of the refined mesh (system/coat/coat_compliance.h). So small presses are
// those of the pad as a soft body. Kept in the cache: it takes half a minute for a sensor.
#pragma once

#include <memory>

#include "haptos/scene/kinds/soft_body.h"
#include "haptos/system/coat/coat_compliance.h"

namespace haptos {

/// Of a soft body with glue and a coat.
/// @throws InputError when it has none, too many nodes on it, or is not held by its glue
CoatCompliance condense(const SoftBody& pad);

/// The same with the same bits, read where it was kept.
std::shared_ptr<const CoatCompliance> kept_compliance(const SoftBody& pad);

}  // namespace haptos
