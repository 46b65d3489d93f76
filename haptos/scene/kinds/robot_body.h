// Robots as a person describes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "haptos/scene/parts/field.h"
#include "haptos/scene/parts/sensor.h"
#include "haptos/scene/parts/trajectory.h"
#include "haptos/scene/robot/robot.h"

namespace haptos {

/// Where a robot or a rigid body stands, and the contact of those of its shapes that have none of
/// their own.
struct RobotContact {
  std::string name;
  Pose pose;                      ///< of the robot's frame, which its base joints hang from
  double friction = 0.5;          ///< coefficient; of two shapes the geometric mean
  double stiffness = 0;           ///< [N/m]; 0: from the masses that meet (point_contact.sag)
  double relaxation_time = 0.01;  ///< [s]
  /// Of an elastic foundation [Pa/m], which takes the place of the stiffness where shapes of this
  /// robot touch over an area; 0: none.
  double modulus = 0;
  double dissipation = 20;  ///< of Hunt and Crossley's laws (point_contact.law) [s/m]
  double layer = 0;         ///< width of a boundary layer about its shapes [m]; 0: none
  bool shrink = false;      ///< shapes get smaller by their layer, which then ends where they did
  PressureLaw hydroelastic = 0;  ///< of the pressure inside its shapes; 0: rigid
  double field_resolution = 64;  ///< cells of distance fields along the longest side of a mesh
  std::string group;             ///< group of bodies that pairs may name
  std::vector<Sensor> sensors;
};

template <>
struct FieldsOf<RobotContact> {
  static const std::vector<Field<RobotContact>>& table() {
    using S = RobotContact;
    static const std::vector<Field<S>> t = {
        pose_row<S>("of the base, or of the frame that it hangs from"),
        {{"friction", "", 0, limits::kMostFriction,
          "coefficient of its links; of two bodies the geometric mean; half-spaces leave it to the "
          "other"},
         &S::friction},
        {{"stiffness", "N/m", 1e-6, 1e15,
          "of contact; two bodies are springs in series; `auto` leaves it to the other body, or "
          "where both do to the masses that meet: a body sinks by `point_contact.sag` under its "
          "own weight ([default](laws/coulomb.md#stiffness-by-default))",
          "auto"},
         &S::stiffness},
        {{"relaxation_time", "s", 0, 1e3, "of contact"}, &S::relaxation_time},
        {{"dissipation", "s/m", 0, 1e6,
          "of contact, for the laws `lagged` and `similar` of section `point_contact`"},
         &S::dissipation},
        {{"modulus", "Pa/m", 0, 1e18,
          "of an elastic foundation, which takes the place of the stiffness where two shapes "
          "touch over an area; 0: none"},
         &S::modulus},
        {{"layer", "m", 0, 1,
          "width of the boundary layer about its shapes, by which they touch everything else "
          "([what it does](contact/boundary_layer.md)): meshes are then taken as they are; 0: "
          "none"},
         &S::layer},
        {{"shrink", "", 0, 1,
          "whether its shapes get smaller by their layer, so that the layer ends where they did "
          "([shrunk cores](contact/boundary_layer.md#shrunk-cores))"},
         &S::shrink},
        {{"hydroelastic", "Pa/m", 0, 1e15,
          "pressure per depth inside its shapes, or `{pressure: [[depth, pressure], ...]}`, by "
          "which they touch everything else that has an inside "
          "([what it does](contact/hydroelastic.md#pressure-by-a-table)); 0: rigid"},
         &S::hydroelastic},
        {{"field_resolution", "", 8, 1024,
          "cells of a distance field along the longest side of a mesh, for hydroelastic contact"},
         &S::field_resolution},
        group_row<S>(),
        {{"sensors", "", 0, 0, "a list: [below](#sensors)", "none"}, {}},
    };
    return t;
  }
};

/// An articulated robot, or any rigid body as a robot of one link, in frozen contact with
/// half-spaces and other robots, and in live contact with soft, affine and prescribed bodies. Its
/// state holds the coordinates and velocities of its joints (scene/robot/robot.h), a free base's
/// against the world.
struct RobotBody : RobotContact {
  Robot robot;
  std::vector<double> position;  ///< at the start, of all joints; empty: as the joints say
  std::vector<double> velocity;  ///< at the start, of all joints; empty: at rest
  bool self_contact = true;      ///< whether links that no joint connects may touch
  /// Commanded from the start of a run: each column drives the motor of its name, until then motors
  /// hold the joints where they start.
  std::optional<Trajectory> trajectory;
};

template <>
struct FieldsOf<RobotBody> {
  using Base = RobotContact;
  static constexpr const char* kKind = "robot";
  static constexpr const char* kSection = "robots";
  static const std::vector<Field<RobotBody>>& table() {
    using S = RobotBody;
    static const std::vector<Field<S>> t = {
        name_row<S>(),
        {{"file", "", 0, 0,
          "a `.urdf` file, or MJCF in an `.xml` file; it and its meshes must lie where all "
          "[files](#rules-for-all-of-it) of a scene do",
          "", kNeeded},
         {}},
        {{"base", "", 0, 0, "`fixed`, or `floating`: the root link moves freely", "fixed"}, {}},
        {{"packages", "", 0, 0, "folders by name, for `package://` paths", "none"}, {}},
        {{"hulls", "", 0, 0, "collision meshes stand for their convex hulls; false: for themselves",
          "true"},
         {}},
        {{"srdf", "", 0, 0, "file that says which links never touch", "none"}, {}},
        {{"state", "", 0, 0, "of the SRDF, or a key frame of the MJCF, where the joints start",
          "none"},
         {}},
        {{"start", "rad, m", 0, 0,
          "coordinates of joints by name, +-1e4: a number, or a list where a joint has several",
          "zero"},
         {}},
        {{"motors", "", 0, 0, "a map, or a list of such maps: below", "none"}, {}},
        {{"trajectory", "", 0, 0,
          "a `.csv` file ([what it holds](robots.md#trajectories)), or `{file, interpolation, "
          "loop}` with `linear` or `cubic`, and `true` to start again: from the start of a run "
          "its columns command the motors of their names",
          "none"},
         {}},
        {{"pads", "", 0, 0,
          "a [set of pads](sensors/pad_sets.md) by its name or file, or `{set, folder, rate, "
          "delay, model}` with the folder of its meshes, the [rate and "
          "delay](sensors/tactile.md#rate-and-delay) and the [model](#soft) of all its sensors: "
          "soft bodies \"ROBOT/PAD\" "
          "in the group \"ROBOT pads\", a tactile sensor each; read in Python, as "
          "[sensors](#sensor) of soft bodies are",
          "none"},
         {}},
        {{"self_contact", "", 0, 1,
          "whether links that no joint connects may touch; those that overlap at the start never "
          "do, with a warning"},
         &S::self_contact},
    };
    return t;
  }
};

}  // namespace haptos
