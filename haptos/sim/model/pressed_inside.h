// What hydroelastic contact knows of prescribed bodies and links, which also have live contact.
#pragma once

#include <memory>
#include <string>

#include "haptos/contact/frozen/sampler.h"
#include "haptos/sim/model/model.h"

namespace haptos {

/// Of a prescribed body, and of a shape of a robot's link; without a field where it has none.
FrozenSurface pressed_inside(const Model& model, std::size_t prescribed);
FrozenSurface pressed_inside(const Model& model, std::size_t robot, int link, int shape);

/// The field of a shape: one that has a pressure needs an inside, a rigid one that has none is null
/// and meets others otherwise.
/// @throws InputError as DistanceField does
std::shared_ptr<const DistanceField> field_inside(const Shape& shape, double resolution,
                                                  const PressureLaw& law,
                                                  const std::string& element);

/// Whether a prescribed body and a link meet by pressure, as both have an inside, one of them a
/// pressure, and no pair names another model.
bool meet_by_pressure(const Scene& scene, const std::string& a, const FrozenSurface& inside_a,
                      const std::string& b, const FrozenSurface& inside_b);

}  // namespace haptos
