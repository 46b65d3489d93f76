// Whether a robot can be real: inertia, masses, joints, shapes; and inertia from geometry.
//
// Let a <= b <= c be the principal moments of inertia of a link, eigenvalues of its tensor about
// the centre of mass. A body of positive density has
//
//   a > 0   and   c <= a + b       (equal for a flat body)
//   c <= m R^2                     R: distance of its farthest point from the centre of mass
//
// and its centre of mass in its convex hull. What moves needs inertia: with S the motions of a
// joint and M the spatial inertia of all that hangs on it, S^T M S + armature must be positive
// definite. It is looked at with all joints at zero.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "haptos/scene/robot/robot.h"

namespace haptos {

enum class Severity : std::uint8_t { kNote, kWarning, kError };

/// One thing that is odd or wrong.
struct RobotFinding {
  Severity severity = Severity::kWarning;
  std::string element;   ///< for example: link "forearm"
  std::string sentence;  ///< what, with numbers and units
};

/// Everything found, links first, in the order of the robot. Errors are what a simulation cannot
/// take: negative, infinite or missing inertia where something moves, missing meshes, no tree.
/// Warnings are what no body has but can be computed with, and what looks like a slip.
std::vector<RobotFinding> check_robot(const Robot& robot);

/// Throws InputError for the first error of check_robot().
/// @param name stands for the robot in the error
void require_robot(const Robot& robot, const std::string& name);

/// The sum of the masses of the links [kg].
double total_mass(const Robot& robot);

/// The number of independent velocities: of all joints less those that follow another.
int degrees_of_freedom(const Robot& robot);

/// Poses of the links in the world with every joint at its start, which is zero unless given.
std::vector<Pose> start_poses(const Robot& robot);

/// How the inertia of links is made from their collision shapes.
struct InertiaRepair {
  double density = 0;  ///< [kg/m3]; 0: keep the mass that is given and spread it evenly
  bool all = false;    ///< every link with shapes, not only those with impossible inertia
};

/// Gives links whose inertia cannot be real the one of their collision shapes (of their visuals
/// where they have none), filled evenly; overlaps of shapes count twice. With a density, links that
/// move without mass get their mass too. Returns a sentence for each link changed or left.
/// Throws InputError for a density below 0 or not finite.
std::vector<std::string> repair_inertia(Robot& robot, const InertiaRepair& repair = {});

}  // namespace haptos
