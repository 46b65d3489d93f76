// Robots in a workspace: bodies, joint terms and collision shapes (part of sim/build).
#pragma once

#include <array>
#include <vector>

#include "haptos/bodies/joints/bounded_impulse.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "haptos/sim/workspace.h"

namespace haptos {

/// The terms of a robot's joints: springs, damping, dry friction, limits, mimics, motors, closures.
void add_joint_terms(const RobotModel& robot, RobotParts& parts, Workspace& w);

/// The points that links carry for contact with soft, affine and prescribed bodies.
void add_link_points(const Model& model, const RobotBody& spec, const RobotModel& robot,
                     RobotParts& parts, Workspace& w);
/// The point of a vertex of the soft body `body` that is glued to a link, and starts at x; its mass
/// is the link's.
int add_glued_to_link(const RobotModel& robot, int link, int body, const Vec3d& x, double mass,
                      RobotParts& parts, Workspace& w);

/// The collision shapes of a robot, and pairs of them that never touch.
void add_robot_shapes(const RobotBody& spec, const RobotModel& robot, RobotParts& parts,
                      Workspace& w, std::vector<PointShape>& shapes,
                      std::vector<std::array<int, 2>>& excluded);

/// Hands a motor its kMotorSlots numbers.
void tell_motor(const double* slots, Motor& motor);
/// Controls at the start of a run, at their slots: motors hold the joints where they start.
void set_initial_controls(const RobotModel& robot, const RobotParts& parts, double* controls);

}  // namespace haptos
