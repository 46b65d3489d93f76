// What hydroelastic contact knows of prescribed bodies and links, which also have live contact.
#pragma once

#include <string>

#include "haptos/contact/frozen/sampler.h"
#include "haptos/sim/model/model.h"

namespace haptos {

/// Of a prescribed body, and of a shape of a robot's link; without a field where it has none.
FrozenSurface pressed_inside(const Model& model, std::size_t prescribed);
FrozenSurface pressed_inside(const Model& model, std::size_t robot, int link, int shape);

/// Whether a pair leaves a prescribed body and a link to hydroelastic contact, where they have one.
bool takes_pressure(const Scene& scene, const std::string& a, const std::string& b);

}  // namespace haptos
