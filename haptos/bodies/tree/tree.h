// A kinematic tree: what the algorithms on articulated bodies read, compiled from a Robot and
// immutable from then on. Many environments share one Tree; each has a TreeData of its own
// (tree_kinematics.h).
//
// A link behind a fixed joint is merged into the link that carries it; `links` says where each link
// of the robot went. Each body hangs from its parent by a joint; each of its unknowns slides along
// an axis or turns about one through the origin of the body's frame, slides first:
//
//   X_PB(q) = frame * X_joint(q),   velocity of B's origin, angular velocity against P = sum axis_k
//   v_k
//
// Coordinates and velocities of a joint are those of scene/robot/robot.h. The directions of a
// planar joint are what the shortest turn from z to its axis makes of x and y (x and -y for an axis
// of -z).
//
// Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, ch. 4. Limits: mimic joints and loop
// closures are not part of the tree (they couple its unknowns from outside); masses of links that
// are fixed to the world do not count.
#pragma once

#include <string>
#include <vector>

#include "haptos/base/math/spatial.h"
#include "haptos/scene/robot/robot.h"

namespace haptos {

/// How many of a joint's unknowns slide; they come first.
constexpr int slide_count(JointKind k) {
  constexpr int n[] = {0, 0, 1, 0, 2, 3};
  return n[static_cast<int>(k)];
}

struct TreeBody {
  std::string name;  ///< of the link that moves it
  int joint = 0;     ///< of the robot
  JointKind kind = JointKind::kFixed;
  int parent = -1;  ///< body; -1 is the world
  int first_q = 0, first_v = 0;
  int v_count = 0;    ///< of the joint
  int parent_v = -1;  ///< last unknown on the way from the parent to the world; -1: none
  Vec3d position;     ///< origin of the joint in the parent's frame [m]
  /// Orientation against the parent: steady + cos(q) cosine + sin(q) sine of revolute and planar
  /// joints, steady of prismatic and fixed ones, steady R(q) of the others.
  Mat3d steady, cosine, sine;
  /// Axes in the parent's frame: the joint's axis; two directions and the axis of a planar joint;
  /// x, y, z of the joint frame of ball and free ones.
  Mat3d directions;      ///< as columns
  double mass = 0;       ///< with all that is merged [kg]
  Vec3d centre;          ///< of mass, in the body's frame [m]
  Sym3<double> inertia;  ///< about the centre of mass, body axes [kg m2]
};

/// Where a link of the robot is: fixed in a body (-1: the world) at a pose.
struct TreeLink {
  int body = -1;
  Pose pose;
};

struct Tree {
  std::string name;
  std::vector<TreeBody> bodies;  ///< parents first
  std::vector<TreeLink> links;   ///< per link of the robot
  std::vector<std::string> link_names;
  std::vector<int> joint_body;  ///< per joint of the robot; -1: merged
  int q_count = 0, v_count = 0;
  // Per unknown.
  std::vector<int> body_of;      ///< body that it moves
  std::vector<char> slides;      ///< along its axis; else it turns about it
  std::vector<int> parent_of;    ///< the unknown before it on the way to the world; -1: none
  std::vector<double> armature;  ///< [kg m2] or [kg]
  // Per coordinate.
  std::vector<double> lower, upper;  ///< infinite where there is no limit
  std::vector<double> start;         ///< coordinates at the start of a run

  /// Index of a link by its name. @throws InputError naming the link and the tree
  int link(const std::string& name) const;
};

struct TreeOptions {
  Pose base;                    ///< of the robot's frame in the world
  std::vector<int> keep_fixed;  ///< fixed joints to keep as bodies, so that their force is computed
};

/// Compiles the links and joints of a robot.
/// @throws InputError naming the joint or link, for a graph that is no tree, a number out of range,
///         or a joint that moves no inertia
Tree compile_tree(const Robot& robot, const TreeOptions& options = {});

}  // namespace haptos
