// A shape that takes part in hydroelastic contact, as the search for surfaces of equal pressure
// sees it.
#pragma once

#include "haptos/contact/frozen/carried_shape.h"
#include "haptos/geometry/pressure/pressure_surface.h"

namespace haptos {

/// Of a shape with a field; what has no pressure is rigid.
inline PressureSurface::Side pressed_side(const CarriedShape& s, const Pose& pose) {
  static const PressureLaw rigid(FrozenSurface::kRigid);
  return {s.field.get(), pose, s.hydroelastic.modulus() > 0 ? s.hydroelastic : rigid};
}

}  // namespace haptos
