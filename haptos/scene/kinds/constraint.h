// Constraints between bodies as a person describes them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "haptos/scene/parts/field.h"

namespace haptos {

/// What stays: bodies/joints/loop_closure.h.
enum class ConstraintKind : std::uint8_t { kWeld, kBall, kHinge, kSlider, kDistance };

/// What drives the free direction of a hinge or a slider, as RobotMotor does a joint. Units are
/// those of a turn, read N and m for a shift.
struct ConstraintMotor {
  double kp = 0;  ///< [N m/rad]
  double kd = 0;  ///< [N m s/rad]
  double ki = 0;  ///< [N m/(rad s)]
  double integral_limit =
      std::numeric_limits<double>::infinity();              ///< of the integral's share [N m]
  double effort = std::numeric_limits<double>::infinity();  ///< bound of what it does [N m]
  std::optional<double> position{};  ///< told at the start [rad]; none: where it is then
  double velocity = 0;               ///< told at the start [rad/s]
};

/// Joins two bodies, each an affine body, a rigid body or a link of a robot, or one of them and a
/// prescribed body or the world.
struct Constraint {
  std::string name;
  std::string a, b;  ///< b empty: the world
  int kind = 0;      ///< a ConstraintKind
  Pose pose;         ///< in the frame of a; of hinge and slider z is the axis
  /// The same in the frame of b, or in the world. None: where `pose` is at the start.
  std::optional<Pose> other;
  double distance = 0;   ///< [m]; 0: as at the start
  bool contact = false;  ///< whether the two may touch
  // Of hinge and slider, along the free direction: [rad] or [m], and N m or N with them.
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double stiffness = 0;  ///< of a spring towards `reference`
  double reference = 0;
  double damping = 0;   ///< viscous
  double friction = 0;  ///< dry
  std::optional<ConstraintMotor> motor;

  bool has_axis() const {
    return kind == static_cast<int>(ConstraintKind::kHinge) ||
           kind == static_cast<int>(ConstraintKind::kSlider);
  }
  bool turns() const { return kind == static_cast<int>(ConstraintKind::kHinge); }
  /// The turn at the start is known but for full ones; the one nearest to this is meant: the middle
  /// between the limits, else where the motor is sent.
  double starts_near() const {
    if (std::isfinite(lower) && std::isfinite(upper)) return 0.5 * (lower + upper);
    return motor ? motor->position.value_or(0) : 0;
  }
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
          "`[a, b]`: affine bodies, rigid bodies or links (`robot/link`), one of them perhaps a "
          "prescribed body; or `[a]`: a and the world",
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
        {{"limits", "", 0, 0,
          "of kind `hinge` or `slider`, as all below: `[lower, upper]` of what is free, angles or "
          "lengths; `none` for a side without",
          "none"},
         {}},
        {{"stiffness", "", 0, limits::kStrongest, "of a spring there [N m/rad or N/m]"},
         &S::stiffness},
        {{"reference", "", 0, 0, "where the spring pulls to", "0"}, {}},
        {{"damping", "", 0, limits::kStrongest, "viscous [N m s/rad or N s/m]"}, &S::damping},
        {{"friction", "", 0, limits::kStrongest, "dry [N m or N]"}, &S::friction},
        {{"motor", "", 0, 0,
          "`{kp, kd, ki, integral_limit, effort, position, velocity}`, as of a robot's joint; the "
          "last two are what it is told at the start",
          "none"},
         {}},
        {{"contact", "", 0, 1, "whether the two may touch each other"}, &S::contact},
    };
    return t;
  }
};

}  // namespace haptos
