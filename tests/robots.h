// Robots for tests: built link by link, or of random shape, the same on every run.
#pragma once

#include <string>
#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/bodies/tree/articulation.h"
#include "haptos/scene/rigid.h"
#include "haptos/scene/spec.h"
#include "tests/support.h"

namespace haptos::test {

/// A new link on a joint of the kind from link `parent` (-1: the world); returns the joint, of the
/// same number as the link.
inline RobotJoint& add_link(Robot& robot, int parent, JointKind kind, const RobotLink& link) {
  RobotJoint j;
  j.name = "joint" + std::to_string(robot.joints.size());
  j.kind = kind;
  j.parent = parent;
  j.child = static_cast<int>(robot.links.size());
  robot.links.push_back(link);
  robot.joints.push_back(j);
  return robot.joints.back();
}

inline RobotLink make_link(double mass, const Vec3d& centre, const Mat3d& inertia) {
  RobotLink link;
  link.name = "link";
  link.mass = mass;
  link.centre = centre;
  link.inertia = inertia;
  return link;
}

/// A solid rigid ball as an entry of a scene.
inline RobotBody rigid_ball(const std::string& name, double radius, double mass, const Vec3d& at) {
  RobotShape s;
  s.name = name;
  s.shape.kind = ShapeKind::kSphere;
  s.shape.size[0] = radius;
  RobotBody b;
  b.name = name;
  b.robot = rigid_robot(name, {s}, {.mass = mass});
  b.pose.p = at;
  return b;
}

/// A capsule of 0.2 m that hangs from the world at (-1, 0, 2) by a hinge about y with a motor.
inline RobotBody driven_arm() {
  RobotShape s;
  s.name = "rod";
  s.shape.kind = ShapeKind::kCapsule;
  s.shape.size = {{0.02, 0.1, 0}};
  RobotBody b;
  b.name = "arm";
  b.robot = rigid_robot("arm", {s});
  b.robot.joints[0].kind = JointKind::kRevolute;
  b.robot.joints[0].axis = {{0, 1, 0}};
  b.robot.joints[0].name = "hinge";
  b.robot.links[0].centre = {{0, 0, -0.1}};
  b.robot.motors.push_back({"", "hinge", 50, 5, 10});
  b.pose.p = {{-1, 0, 2}};
  return b;
}

inline ArticulationSpec articulation_of(const Robot& robot,
                                        const std::vector<double>& velocity = {}) {
  return {"articulation", std::make_shared<Tree>(compile_tree(robot)), {}, velocity};
}

inline Quat random_turn(Random& random) {
  return normalized(Quat{random(), random(), random(), random()});
}

/// A link with a mass of 0.5 to 2.5 kg and an inertia of no symmetry.
inline RobotLink random_link(Random& random, const std::string& name) {
  RobotLink link;
  link.name = name;
  link.mass = 1.5 + random();
  link.centre = 0.2 * random.vector();
  const Mat3d r = to_matrix(random_turn(random));
  link.inertia = r * Mat3d{{0.010, 0, 0, 0, 0.014, 0, 0, 0, 0.020}} * transpose(r);
  return link;
}

inline RobotJoint& add_random_link(Random& random, Robot& robot, int parent, JointKind kind) {
  const std::string name = "link" + std::to_string(robot.links.size());
  RobotJoint& j = add_link(robot, parent, kind, random_link(random, name));
  j.frame = {0.3 * random.vector(), random_turn(random)};
  j.axis = normalized(random.vector());
  return j;
}

/// A tree of `count` links: `root` carries the first, joints of all kinds the others; some joints
/// have armature, some links between revolute joints no mass.
inline Robot random_robot(unsigned seed, int count, JointKind root) {
  Random random(seed);
  Robot robot;
  robot.name = "random" + std::to_string(seed);
  add_random_link(random, robot, -1, root);
  const JointKind kinds[] = {JointKind::kRevolute, JointKind::kRevolute, JointKind::kPrismatic,
                             JointKind::kBall,     JointKind::kPlanar,   JointKind::kFixed,
                             JointKind::kRevolute, JointKind::kFree};
  for (int i = 1; i < count; ++i) {
    const int parent = static_cast<int>(0.5 * (1 + random()) * i * 0.999);
    // Long chains rather than stars: half the links hang from the one before.
    const int p = random() > 0 ? i - 1 : parent;
    RobotJoint& j = add_random_link(random, robot, p, kinds[(i * 5 + static_cast<int>(seed)) % 8]);
    if (j.kind == JointKind::kRevolute && random() > 0.3) j.armature = 0.02;
  }
  // A universal joint: two axes that cross, nothing between.
  RobotJoint& first = add_random_link(random, robot, 0, JointKind::kRevolute);
  robot.links[static_cast<std::size_t>(first.child)].mass = 0;
  robot.links[static_cast<std::size_t>(first.child)].inertia = Mat3d::zero();
  first.axis = {{1, 0, 0}};
  const int cross = first.child;
  RobotJoint& second = add_random_link(random, robot, cross, JointKind::kRevolute);
  second.frame = {};
  second.axis = {{0, 1, 0}};
  return robot;
}

}  // namespace haptos::test
