// Constraints between bodies as a person describes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "haptos/scene/parts/field.h"

namespace haptos {

/// What stays: bodies/joints/loop_closure.h.
enum class ConstraintKind : std::uint8_t { kWeld, kBall, kHinge, kSlider, kDistance };

/// Joins two bodies, each an affine body, a rigid body or a link of a robot, or one of them and the
/// world.
struct Constraint {
  std::string name;
  std::string a, b;  ///< b empty: the world
  int kind = 0;      ///< a ConstraintKind
  Pose pose;         ///< in the frame of a; of hinge and slider z is the axis
  /// The same in the frame of b, or in the world. None: where `pose` is at the start.
  std::optional<Pose> other;
  double distance = 0;   ///< [m]; 0: as at the start
  bool contact = false;  ///< whether the two may touch
};

template <>
struct FieldsOf<Constraint> {
  static constexpr const char* kKind = "constraint";
  static constexpr const char* kSection = "constraints";
  static const std::vector<Field<Constraint>>& table() {
    using S = Constraint;
    static const std::vector<Field<S>> t = {
        name_row<S>(),
        {{"bodies", "", 0, 0,
          "`[a, b]`: affine bodies, rigid bodies or links (`robot/link`), or `[a]`: a and the "
          "world",
          "", kNeeded},
         {}},
        {{"kind", "", 0, 4,
          "`weld`: frame on frame; `ball`: point on point; `hinge`: a weld that turns about z; "
          "`slider`: a weld that shifts along z; `distance`: two points as far apart as they are",
          "weld ball hinge slider distance", kIdentity},
         &S::kind},
        {{"pose", "", 0, 0, "`{position, rotation}` of the frame or point in the frame of a",
          "origin, no turn", kIdentity},
         &S::pose},
        {{"other", "", 0, 0, "the same in the frame of b, or in the world",
          "where `pose` is at the start"},
         {}},
        {{"distance", "m", limits::kSmallestLength, limits::kLargestLength,
          "of kind `distance`, between `pose` and `other`; `start`: as at the start", "start",
          kIdentity},
         &S::distance},
        {{"contact", "", 0, 1, "whether the two may touch each other"}, &S::contact},
    };
    return t;
  }
};

}  // namespace haptos
