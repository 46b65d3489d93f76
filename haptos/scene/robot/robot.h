// A robot as its file describes it: links, joints between them, loop closures, shapes. What the
// readers of URDF and MJCF write and sim/build compiles; editable until then.
//
// Frames: at zero coordinates the frame of a link coincides with that of the joint that carries it.
// X_PC(q) = frame * X_joint(q), with X_joint a motion of the joint's kind in the joint frame.
// Coordinates q and velocities v of a joint, by kind:
//
//   fixed      q ()               v ()
//   revolute   q (angle)          v (rate), about `axis`
//   prismatic  q (distance)       v (speed), along `axis`
//   ball       q (w x y z)        v (angular velocity, joint frame axes)
//   planar     q (x y angle)      v (rates), along the two directions normal to `axis`, about it:
//                                 what the shortest turn from z to `axis` makes of x and y
//   free       q (x y z w x y z)  v (velocity of the link's origin, angular velocity; joint axes)
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/geometry/pressure/pressure_law.h"
#include "haptos/geometry/shape/shape.h"

namespace haptos {

enum class JointKind : std::uint8_t { kFixed, kRevolute, kPrismatic, kBall, kPlanar, kFree };

/// Numbers of coordinates and of velocities of a joint.
constexpr int q_size(JointKind k) {
  constexpr int n[] = {0, 1, 1, 4, 3, 7};
  return n[static_cast<int>(k)];
}
constexpr int v_size(JointKind k) {
  constexpr int n[] = {0, 1, 1, 3, 3, 6};
  return n[static_cast<int>(k)];
}

/// A visual or a collision geometry of a link.
struct RobotShape {
  std::string name;
  Pose frame;  ///< in the link's frame
  Shape shape;
  std::string file;        ///< of the mesh, as found on disk; empty for a primitive
  Vec3d scale{{1, 1, 1}};  ///< that the file's coordinates were, or are to be, multiplied by
  double rgba[4] = {.7, .7, .7, 1};
  std::string texture;            ///< file of a picture; empty: none
  double friction = -1;           ///< coefficient; below 0: the scene's
  double stiffness = -1;          ///< [N/m]; below 0: the scene's
  double relaxation_time = -1;    ///< [s]; below 0: the scene's
  double layer = -1;              ///< width of its boundary layer [m]; below 0: the body's
  PressureLaw hydroelastic = -1;  ///< of the pressure in it; below 0: the body's
  bool sheet = false;             ///< a mesh that has two sides everywhere, for its layer
};

struct RobotLink {
  std::string name;
  double mass = 0;                ///< [kg]; 0: a frame without mass
  Vec3d centre{{0, 0, 0}};        ///< of mass, in the link's frame [m]
  Mat3d inertia = Mat3d::zero();  ///< about the centre of mass, link axes [kg m2]
  std::vector<RobotShape> visuals, collisions;
};

/// A coordinate that follows another: q = multiplier * q_other + offset.
struct Mimic {
  std::string joint;
  double multiplier = 1, offset = 0;
};

struct RobotJoint {
  static constexpr double kNone = std::numeric_limits<double>::infinity();
  std::string name;
  JointKind kind = JointKind::kFixed;
  int parent = -1;        ///< link; -1 is the world
  int child = 0;          ///< link
  Pose frame;             ///< of the joint, in the parent link's frame (or the world)
  Vec3d axis{{0, 0, 1}};  ///< unit, in the joint frame
  /// [rad] or [m], of kinds with one coordinate; upper of a ball joint: the angle of its turn.
  double lower = -kNone, upper = kNone;
  double effort = kNone;  ///< largest motor torque or force [N m] or [N]
  double speed = kNone;   ///< largest rate [rad/s] or [m/s]; kept as information
  double damping = 0;     ///< viscous [N m s/rad] or [N s/m]
  double friction = 0;    ///< dry [N m] or [N]
  double armature = 0;    ///< inertia of the rotor seen at the joint [kg m2] or [kg]
  double stiffness = 0;   ///< of a spring towards `reference` [N m/rad] or [N/m]
  double reference = 0;   ///< [rad] or [m]
  std::optional<Mimic> mimic;
  std::vector<double> position;  ///< at the start of a run, (q_size); empty: zero, no rotation
};

/// A joint that a tendon runs over, and how far the tendon goes per unit of its coordinate.
struct TendonPart {
  std::string joint;  ///< name; of one coordinate
  double weight = 1;
};

/// A sum of joint coordinates, s = sum of weight q, that a motor may drive and laws may act on. A
/// force f along it pushes each joint with weight f. Units are those of a slide; where all joints
/// turn and weights are mere numbers read rad and N m.
struct RobotTendon {
  std::string name;
  std::vector<TendonPart> joints;                                ///< at least one
  double lower = -RobotJoint::kNone, upper = RobotJoint::kNone;  ///< of s [m]
  double stiffness = 0, reference = 0;                           ///< of a spring [N/m], [m]
  double damping = 0;                                            ///< [N s/m]
  double friction = 0;                                           ///< dry [N]
};

/// What drives a joint with one coordinate or a tendon: torque, position and velocity control in
/// one law, u = kp (q_ref - q) + ki int (q_ref - q) dt + kd (v_ref - v) + u_ff within +-effort
/// (bodies/joints/joint_laws.h). Commands are in the joint's own units, whatever its gear.
struct RobotMotor {
  std::string name;                           ///< empty: the joint's
  std::string joint;                          ///< name; of a joint or a tendon
  double kp = 0;                              ///< [N m/rad] or [N/m]
  double kd = 0;                              ///< [N m s/rad] or [N s/m]
  double ki = 0;                              ///< [N m/(rad s)] or [N/(m s)]
  double integral_limit = RobotJoint::kNone;  ///< bound of the integral's share [N m] or [N]
  double effort = RobotJoint::kNone;          ///< bound of u [N m] or [N]

  /// What it goes by.
  const std::string& label() const { return name.empty() ? joint : name; }
};

/// What closes a kinematic loop between two links, or couples two joints.
enum class ClosureKind : std::uint8_t { kWeld, kBall, kDistance, kCoupler };

struct LoopClosure {
  std::string name;
  ClosureKind kind = ClosureKind::kBall;
  int a = -1, b = -1;     ///< links (-1: the world); for a coupler, joints (b -1: none)
  Pose frame_a, frame_b;  ///< meet for a weld; their origins for a ball
  double distance = 0;    ///< between the origins [m]
  double polynomial[5] = {0, 1, 0, 0, 0};  ///< of a coupler: q_a = sum c_k (q_b)^k
};

struct Robot {
  std::string name;
  std::vector<RobotLink> links;
  std::vector<RobotJoint> joints;  ///< each link is the child of exactly one; parents come first
  std::vector<RobotMotor> motors;
  std::vector<RobotTendon> tendons;
  std::vector<LoopClosure> closures;
  std::vector<std::pair<int, int>> no_contact;  ///< pairs of links that never touch
  std::vector<std::string> warnings;            ///< what its reader found odd, a sentence each

  /// The tendon of this name; null where there is none.
  const RobotTendon* tendon(const std::string& called) const {
    for (const RobotTendon& t : tendons)
      if (t.name == called) return &t;
    return nullptr;
  }
  /// The joint that a motor drives; of a tendon its first one.
  const std::string& joint_of(const RobotMotor& motor) const {
    const RobotTendon* t = tendon(motor.joint);
    return t && !t->joints.empty() ? t->joints.front().joint : motor.joint;
  }
};

}  // namespace haptos
