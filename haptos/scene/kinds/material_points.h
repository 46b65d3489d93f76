// Bodies of material points as a person describes them: dough, clay, liquids.
#pragma once

#include <string>

#include "haptos/scene/parts/field.h"
#include "haptos/scene/robot/robot.h"

namespace haptos {

/// A body that flows and tears: material points on a grid that is laid out anew in every
/// step (bodies/particles/particle_grid.h).
struct MaterialPoints {
  std::string name;
  std::string group;                  ///< group of bodies that pairs may name
  RobotShape shape;                   ///< what is filled with points
  Pose pose;                          ///< of the frame of the shape at the start
  Vec3d velocity{{0, 0, 0}};          ///< of the centre at the start [m/s]
  Vec3d angular_velocity{{0, 0, 0}};  ///< about it [rad/s], world
  double density = 1000;              ///< [kg/m3]
  int law = 0;                        ///< corotated, liquid, neo_hookean
  double young = 1e5;                 ///< [Pa]
  double poisson = 0.4;
  double yield_stress = 0;  ///< in plain tension, of von Mises [Pa]; 0: elastic
  int return_mapping = 0;   ///< by the stretch itself, or as published
  double viscosity = 0;     ///< [Pa s]
  double sound_speed = 0;   ///< in a liquid [m/s]; 0: ten times what it may reach by falling
  double cell = 0.01;       ///< of the grid [m]
  double points_per_cell = 8;
  int seeding = 0;   ///< Poisson disk, lattice
  double seed = 0;   ///< of the random places
  std::string grid;  ///< bodies of one word share a grid; "": one of its own
  double friction = 0.5;
  int contact_at = 0;          ///< points, nodes of the grid
  double modulus = 0;          ///< of contact: pressure per depth [Pa/m]; 0: by itself
  double relaxation_time = 0;  ///< of contact [s]
  double dissipation = 0;      ///< of contact [s/m]
};

template <>
struct FieldsOf<MaterialPoints> {
  static constexpr const char* kKind = "body of material points";
  static constexpr const char* kSection = "material_points";
  static const std::vector<Field<MaterialPoints>>& table() {
    using S = MaterialPoints;
    static const std::vector<Field<S>> t = {
        name_row<S>(),
        {{"shape", "", 0, 0, "a shape, as of a [rigid body](#rigid), that is filled", "", kNeeded},
         {}},
        pose_row<S>("of the frame of the shape at the start"),
        {{"velocity", "m/s", -limits::kFastest, limits::kFastest, "of its centre at the start"},
         &S::velocity},
        {{"omega", "rad/s", -limits::kFastest, limits::kFastest,
          "angular velocity about its centre at the start, world frame"},
         &S::angular_velocity},
        {{"density", "kg/m3", 1e-3, 1e6, "at rest", "", kIdentity}, &S::density},
        {{"law", "", 0, 2,
          "corotated: elastic about the rotation at the start of the step, and plastic with a "
          "yield "
          "stress; liquid: no shape of its own; neo_hookean: elastic and plastic at any stretch, "
          "its steps no longer convex",
          "corotated liquid neo_hookean", kIdentity},
         &S::law},
        {{"young", "Pa", 1, 1e12, "Young's modulus", "", kIdentity}, &S::young},
        {{"poisson", "", 0, 0.495, "Poisson's ratio", "", kIdentity}, &S::poisson},
        {{"yield_stress", "Pa", 1e-3, 1e12,
          "in plain tension, by von Mises: what is stressed more flows, and stays; none: elastic",
          "none", kIdentity},
         &S::yield_stress},
        {{"return_mapping", "", 0, 1,
          "how a stress comes back to yield: by the stretch of the point, or as published, with "
          "the rotation at the start of the step "
          "([where that errs](contact/material_points.md#return-mapping))",
          "stretch published", kIdentity},
         &S::return_mapping},
        {{"viscosity", "Pa s", 0, 1e9, "against shear", "", kIdentity}, &S::viscosity},
        {{"sound_speed", "m/s", 1e-3, 1e5,
          "in a liquid, which sets how little it can be pressed; none: ten times its speed at the "
          "start and what it has after falling its own height",
          "none", kIdentity},
         &S::sound_speed},
        {{"cell", "m", 1e-6, 1e3, "side of a cell of the grid", "", kIdentity}, &S::cell},
        {{"points_per_cell", "", 1, 1000,
          "at the start, on the mean; 8 are enough, below 4 light nodes make steps slow"},
         &S::points_per_cell},
        {{"seeding", "", 0, 1,
          "poisson: at random, no two near each other; lattice: in rows along the axes of the "
          "shape",
          "poisson lattice"},
         &S::seeding},
        {{"seed", "", 0, 2147483647, "of the places that are chosen at random"}, &S::seed},
        {{"grid", "", 0, 0,
          "a word: bodies that give the same share one grid, and stick to each other where they "
          "meet; on grids of their own they touch"},
         &S::grid},
        {{"friction", "", 0, limits::kMostFriction,
          "coefficient; of two bodies the geometric mean; half-spaces leave it to the other"},
         &S::friction},
        {{"contact_at", "", 0, 1,
          "where it touches: at its points, or summed up at the nodes of its grid (of a liquid: at "
          "points and at the nodes behind them, always)",
          "points nodes"},
         &S::contact_at},
        {{"modulus", "Pa/m", 1, 1e15,
          "of contact: pressure per depth, as far as the step can resolve it; none: a hundred "
          "times Young's modulus per cell, of a liquid 1e8 Pa/m",
          "none"},
         &S::modulus},
        {{"relaxation_time", "s", 0, 1e3, "of contact"}, &S::relaxation_time},
        {{"dissipation", "s/m", 0, 1e6,
          "of contact, for the laws `lagged` and `similar` of section `point_contact`"},
         &S::dissipation},
        group_row<S>(),
    };
    return t;
  }
};

}  // namespace haptos
