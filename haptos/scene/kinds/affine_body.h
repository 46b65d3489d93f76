// Affine bodies as a person describes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/scene/parts/field.h"

namespace haptos {

/// A stiff body that moves freely: its surface, its mass, what keeps it stiff
/// (bodies/stiff/affine_frame.h).
struct AffineBody {
  std::string name;
  Friction friction;
  std::string group;                  ///< group of bodies that pairs may name
  TriMesh surface;                    ///< closed, outward, in its own frame [m]
  Pose pose;                          ///< of that frame at the start
  Vec3d velocity{{0, 0, 0}};          ///< of the centre of mass at the start [m/s]
  Vec3d angular_velocity{{0, 0, 0}};  ///< at the start [rad/s], world
  double density = 1000;              ///< [kg/m3], where no mass is given
  double mass = 0;                    ///< [kg]; 0: from surface and density
  Vec3d centre{{0, 0, 0}};            ///< of mass, with `mass` [m]
  Mat3d inertia = Mat3d::zero();      ///< about `centre`, with `mass` [kg m2]
  double stiffness = 1e8;             ///< kappa of the orthogonality potential [Pa]
  Vec3d force{{0, 0, 0}};             ///< at the centre of mass [N], world
  Vec3d torque{{0, 0, 0}};            ///< [N m], world
  /// Axis that the body slides along without turning, world: with a force it presses until it meets
  /// that force.
  std::optional<Vec3d> guide;
  bool gravity = true;  ///< whether its own weight acts on it
};

template <>
struct FieldsOf<AffineBody> {
  static constexpr const char* kKind = "affine body";
  static constexpr const char* kSection = "affine";
  static const std::vector<Field<AffineBody>>& table() {
    using S = AffineBody;
    static const std::vector<Field<S>> t = {
        name_row<S>(),
        {{"mesh", "", 0, 0, "`{file, unit}`, as for a prescribed body", "one of the two"}, {}},
        {{"shape", "", 0, 0, "a shape, as for a prescribed body", "one of the two"}, {}},
        pose_row<S>("of the body's frame at the start"),
        {{"velocity", "m/s", -limits::kFastest, limits::kFastest,
          "of the centre of mass at the start"},
         &S::velocity},
        {{"omega", "rad/s", -limits::kFastest, limits::kFastest,
          "angular velocity at the start, world frame"},
         &S::angular_velocity},
        {{"density", "kg/m3", 1e-6, 1e9, "of the solid that the surface encloses"}, &S::density},
        {{"mass", "kg", 1e-12, 1e12, "in place of `density`; needs `inertia`", "none", 0, "density",
          "inertia"},
         &S::mass},
        {{"centre", "m", -limits::kLargestLength, limits::kLargestLength,
          "of mass, in the body's frame; with `mass`", "", 0, "", "mass"},
         &S::centre},
        {{"inertia", "kg m2", 0, 1e30,
          "about the centre of mass: `[Ixx, Iyy, Izz]`, or three rows of three; with `mass`",
          "none", 0, "", "mass"},
         &S::inertia},
        {{"stiffness", "Pa", 1, 1e14,
          "that keeps it in shape: a stress s strains the body by about s / (8 `stiffness`)", "",
          kIdentity},
         &S::stiffness},
        {{"force", "N", -limits::kStrongest, limits::kStrongest,
          "at the centre of mass, world frame"},
         &S::force},
        {{"torque", "N m", -limits::kStrongest, limits::kStrongest,
          "about the centre of mass, world frame"},
         &S::torque},
        {{"guide", "", 0, 0,
          "axis, world frame, that the body slides along without turning: with a `force` it "
          "presses until it meets that force",
          "none", kIdentity | kDirection},
         &S::guide},
        {{"gravity", "", 0, 1, "false: its own weight does not act on it"}, &S::gravity},
        friction_row<S>(),
        group_row<S>(),
    };
    return t;
  }
};

}  // namespace haptos
