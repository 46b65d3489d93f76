// Any rigid body as a robot of one link.
#pragma once

#include <string>
#include <vector>

#include "haptos/scene/kinds/rigid_body.h"
#include "haptos/scene/kinds/robot_body.h"

namespace haptos {

struct RigidMass {
  double mass = 0;        ///< [kg], spread evenly over the shapes; 0: by density
  double density = 1000;  ///< [kg/m3]
  bool shell = false;     ///< shapes are thin sheets with all mass on their surface
};

/// Centre of mass and inertia are those of the shapes, filled evenly; overlaps count twice. A mesh
/// that is not closed, even once its vertices are joined, counts as its convex hull, which the
/// robot's warnings tell. Half-spaces and height fields weigh nothing.
/// @param base  kFree, or kFixed for what stands in the world (shapes may then all be without
///              volume)
/// @throws InputError for no shapes, a mass or density out of range, and for what moves without
///         volume
Robot rigid_robot(const std::string& name, std::vector<RobotShape> shapes,
                  const RigidMass& mass = {}, JointKind base = JointKind::kFree);

/// A rigid body as a robot of one link. @throws InputError as rigid_robot(), and for a fixed body
/// that moves
RobotBody rigid_body(RobotContact contact, std::vector<RobotShape> shapes, const RigidSpec& rigid);

}  // namespace haptos
