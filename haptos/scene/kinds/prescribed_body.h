// Bodies whose motion is given, as a person describes them.
#pragma once

#include <string>
#include <vector>

#include "haptos/geometry/mesh.h"
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
  std::string group;  ///< group of bodies that pairs may name
  TriMesh surface;    ///< in its own frame [m]
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
        group_row<S>(),
    };
    return t;
  }
};

}  // namespace haptos
