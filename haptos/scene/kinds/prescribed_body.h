// Bodies whose motion is given, as a person describes them.
#pragma once

#include <string>
#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/geometry/pressure/pressure_law.h"
#include "haptos/scene/parts/field.h"

namespace haptos {

/// A pose at a time; between keyframes straight and at constant turning rate, held beyond the ends.
struct Keyframe {
  double time = 0;  ///< [s]
  Pose pose;
};

/// A body whose motion is given. It may have no surface (a mount for glue).
struct PrescribedBody {
  std::string name;
  Friction friction;
  std::string group;              ///< group of bodies that pairs may name
  TriMesh surface;                ///< in its own frame [m]
  PressureLaw hydroelastic = 0;   ///< of the pressure inside; 0: rigid
  double field_resolution = 128;  ///< cells of its distance field along its longest side
  std::vector<Keyframe> trajectory;
};

template <>
struct FieldsOf<PrescribedBody> {
  static constexpr const char* kKind = "prescribed body";
  static constexpr const char* kSection = "prescribed";
  static const std::vector<Field<PrescribedBody>>& table() {
    using S = PrescribedBody;
    static const std::vector<Field<S>> t = {
        name_row<S>(),
        {{"mesh", "", 0, 0,
          "`{file, unit}`: a surface in `.obj`, `.stl`, `.ply` or `.off`; the `l` and `p` "
          "statements of an `.obj` are [segments and "
          "points](contact/barrier.md#segments-and-points)",
          "one of the two"},
         {}},
        {{"shape", "", 0, 0, "a shape, below, or `none`: a mount without a surface",
          "one of the two"},
         {}},
        {{"pose", "", 0, 0, "of a body that rests: `{position, rotation}`", "origin, no turn"}, {}},
        {{"trajectory", "", 0, 0,
          "instead of `pose`: list of `{time, position, rotation}`, times [s] rising; between "
          "them straight and at constant turning rate, held beyond the ends",
          "none"},
         {}},
        friction_row<S>(),
        {{"hydroelastic", "Pa/m", 0, 1e15,
          "pressure per depth inside it, or `{pressure: [[depth, pressure], ...]}`, by which it "
          "touches links and rigid bodies that have an inside "
          "([what it does](contact/hydroelastic.md#prescribed-bodies)); 0: rigid"},
         &S::hydroelastic},
        {{"field_resolution", "", 8, 1024,
          "cells of its distance field along its longest side, for hydroelastic contact and touch"},
         &S::field_resolution},
        group_row<S>(),
    };
    return t;
  }
};

}  // namespace haptos
