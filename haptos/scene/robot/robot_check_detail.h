// What the parts of robot_check share. Internal.
#pragma once

#include <optional>

#include "haptos/geometry/query/bvh.h"
#include "haptos/scene/robot/robot_check.h"

namespace haptos::robot_check {

/// Whether links and joints form a tree in order, without which nothing else can be looked at;
/// adds an error for each reason why not.
bool check_structure(const Robot& robot, std::vector<RobotFinding>& out);
/// Numbers and names of joints, shapes, motors and closures; adds an error for each that cannot be.
bool check_parts(const Robot& robot, std::vector<RobotFinding>& out);
/// What makes the mass and inertia of a link impossible or odd: at most one sentence.
/// @param impossible  set to whether no body has them
std::optional<RobotFinding> check_inertia(const RobotLink& link, bool* impossible = nullptr);
/// Geometry against inertia, and the shapes themselves.
void check_geometry(const RobotLink& link, std::vector<RobotFinding>& out);
/// Whether each joint moves something heavy, at zero coordinates: one entry for each joint.
std::vector<bool> moves_mass(const Robot& robot);

std::string link_name(const RobotLink& link);
std::string joint_name(const RobotJoint& joint);
std::string show(const Vec3d& v);

/// The motion of a joint at its start in the joint frame.
Pose start_motion(const RobotJoint& joint);

}  // namespace haptos::robot_check
