// Half-spaces as a person describes them.
#pragma once

#include <string>
#include <vector>

#include "haptos/scene/parts/field.h"

namespace haptos {

/// Everything behind the plane {n . x = offset}.
struct HalfSpace {
  std::string name;
  Friction friction;
  std::string group;             ///< group of bodies that pairs may name
  Vec3d normal{{0, 0, 1}};       ///< unit, out of the half-space
  double offset = 0;             ///< [m]
  double layer = 0;              ///< width of a boundary layer on it [m]; 0: none
  bool shrink = false;           ///< the layer ends at the plane, not beyond it
  PressureLaw hydroelastic = 0;  ///< of the pressure inside; 0: rigid
};

template <>
struct FieldsOf<HalfSpace> {
  static constexpr const char* kKind = "half-space";
  static constexpr const char* kSection = "half_spaces";
  static const std::vector<Field<HalfSpace>>& table() {
    using S = HalfSpace;
    static const std::vector<Field<S>> t = {
        name_row<S>(),
        {{"normal", "", 0, 0, "direction out of the half-space, of any length", "", kDirection},
         &S::normal},
        {{"offset", "m", -limits::kLargestLength, limits::kLargestLength,
          "distance of its plane from the origin along the normal"},
         &S::offset},
        friction_row<S>("coefficient, or `[static, kinetic]`, against soft and affine bodies"),
        {{"layer", "m", 0, 1, "width of the boundary layer on it, against rigid bodies and robots"},
         &S::layer},
        {{"shrink", "", 0, 1, "whether the layer ends at the plane, and not beyond it"},
         &S::shrink},
        {{"hydroelastic", "Pa/m", 0, 1e15,
          "pressure per depth below it, or `{pressure: [[depth, pressure], ...]}`, for "
          "hydroelastic contact; 0: rigid"},
         &S::hydroelastic},
        group_row<S>(),
    };
    return t;
  }
};

}  // namespace haptos
