// Rigid bodies as a person describes them: robots of one link (scene/rigid.h makes them so).
#pragma once

#include <vector>

#include "haptos/scene/parts/field.h"

namespace haptos {

/// How a rigid body moves at the start.
struct RigidMotion {
  Vec3d velocity{{0, 0, 0}};          ///< of the frame's origin [m/s], world
  Vec3d angular_velocity{{0, 0, 0}};  ///< [rad/s], world
};

template <>
struct FieldsOf<RigidMotion> {
  static const std::vector<Field<RigidMotion>>& table() {
    using S = RigidMotion;
    static const std::vector<Field<S>> t = {
        {{"velocity", "m/s", -limits::kFastest, limits::kFastest,
          "of the frame's origin at the start"},
         &S::velocity},
        {{"omega", "rad/s", -limits::kFastest, limits::kFastest,
          "angular velocity at the start, world frame"},
         &S::angular_velocity},
    };
    return t;
  }
};

/// What rigid bodies have beside their shapes, RigidMotion and RobotContact.
struct RigidSpec : RigidMotion {
  double density = 1000;  ///< [kg/m3], where no mass is given
  double mass = 0;        ///< [kg], spread evenly over the shapes; 0: by density
  bool fixed = false;     ///< stands in the world
  bool shell = false;     ///< its meshes are thin sheets, with their mass on the surface
};

template <>
struct FieldsOf<RigidSpec> {
  using Base = RigidMotion;
  static constexpr const char* kKind = "rigid body";
  static constexpr const char* kSection = "rigid";
  static const std::vector<Field<RigidSpec>>& table() {
    using S = RigidSpec;
    static const std::vector<Field<S>> t = {
        name_row<S>(),
        {{"shape", "", 0, 0, "a shape, below", "this or `shapes`"}, {}},
        {{"shapes", "", 0, 0, "a list of shapes", "this or `shape`"}, {}},
        {{"density", "kg/m3", 1e-6, 1e9,
          "of the insides of the shapes; where they overlap they count twice"},
         &S::density},
        {{"mass", "kg", 1e-12, 1e12, "in place of `density`, spread evenly", "none", 0, "density"},
         &S::mass},
        {{"shell", "", 0, 1,
          "true: its shapes are thin sheets that enclose nothing, with `mass` spread evenly over "
          "their surface"},
         &S::shell},
        {{"fixed", "", 0, 1, "true: stands in the world, as a table does"}, &S::fixed},
    };
    return t;
  }
};

/// A solid sphere.
struct Ball : RigidMotion {
  double radius = 0;  ///< [m]
  double mass = 0;    ///< [kg]
};

template <>
struct FieldsOf<Ball> {
  using Base = RigidMotion;
  static constexpr const char* kKind = "sphere";
  static constexpr const char* kSection = "spheres";
  static const std::vector<Field<Ball>>& table() {
    using S = Ball;
    static const std::vector<Field<S>> t = {
        name_row<S>(),
        {{"radius", "m", limits::kSmallestLength, limits::kLargestLength, "", "", kNeeded},
         &S::radius},
        {{"mass", "kg", 1e-12, 1e12, "", "", kNeeded}, &S::mass},
    };
    return t;
  }
};

}  // namespace haptos
