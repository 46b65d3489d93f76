// Robots of a scene: what compile() makes of their description, and where their controls lie.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "haptos/bodies/joints/joint_pulls.h"
#include "haptos/bodies/tree/tree.h"
#include "haptos/geometry/collide/collide.h"
#include "haptos/geometry/layer/layer_shape.h"
#include "haptos/scene/scene.h"
#include "haptos/scene/spec.h"
#include "haptos/sensors/robot/robot_sensors.h"

namespace haptos {

/// Numbers of a motor in State::controls: position, velocity, feed-forward, integral, kp, kd, ki.
constexpr int kMotorSlots = 7;

/// Where the controls of a robot lie in State::controls: kMotorSlots numbers a motor, a torque an
/// unknown, force and torque a link, a factor of the mass a body, and a factor of friction.
struct ControlSlots {
  int first = 0, motors = 0, unknowns = 0, links = 0, bodies = 0;
  int motor(int k) const { return first + kMotorSlots * k; }
  int torque(int unknown) const { return motor(motors) + unknown; }
  int wrench(int link) const { return torque(unknowns) + 6 * link; }
  int mass(int body) const { return wrench(links) + body; }
  int friction() const { return mass(bodies); }
  int end() const { return friction() + 1; }
};

class DistanceField;

struct RobotModel {
  std::string name;  ///< of the entry
  Pose pose;         ///< of the entry
  Robot robot;       ///< as described, its base joints where the entry's pose puts them
  std::shared_ptr<const Tree> tree;
  std::vector<double> position, velocity;           ///< at the start (q_count), (v_count)
  std::vector<Pose> start;                          ///< of each link, at the start
  std::vector<JointPulls> motor_pulls;              ///< what each motor drives
  std::vector<JointPulls> tendon_pulls;             ///< what each tendon runs over
  std::vector<int> played;                          ///< motor of each column of the trajectory
  std::vector<std::vector<CollisionShape>> shapes;  ///< of each link, ready for contact
  /// The same for boundary-layer contact; empty where nothing of the scene has a layer.
  std::vector<std::vector<LayerShape>> layers;
  /// Their distance fields, for hydroelastic contact; null for a mesh without an inside, empty
  /// where nothing of the scene has a pressure field.
  std::vector<std::vector<std::shared_ptr<const DistanceField>>> fields;
  std::vector<std::array<int, 2>> no_contact;  ///< links that never touch, in order
  int first_body = 0;                          ///< number of link 0 in contact records
  std::vector<int> carriers;  ///< links that carry points of live contact or of glue
  /// Surfaces of each link's collision shapes for live contact, link frame; empty where there is
  /// none.
  std::vector<std::vector<TriMesh>> surfaces;
  ControlSlots controls;
  std::shared_ptr<const RobotSensors> sensors;  ///< set up, without a reading; never null
  std::vector<std::string> warnings;  ///< what is odd but can be simulated, a sentence each

  /// The unknown of the joint of this name; throws InputError where it has not just one.
  int unknown(const std::string& joint) const;
};

/// What models of frozen contact need of every shape.
struct FrozenNeeds {
  bool layers = false, fields = false;
};

/// A mass that is glued to a link, where it is at the start of a run (world) [kg], [m].
struct GluedMass {
  int link = 0;
  double mass = 0;
  Vec3d at;
};

/// @param first_body, first_control  numbers that the robot may use from
/// @param glued  counts as mass of its link
/// @param live  whether its shapes meet bodies in live contact
/// @param frozen  what models of frozen contact something of the scene needs
/// @throws InputError naming robot and part
RobotModel compile_robot(const RobotBody& spec, int first_body, int first_control,
                         const std::vector<GluedMass>& glued = {}, bool live = false,
                         FrozenNeeds frozen = {});

/// The motor that each column of a trajectory drives.
/// @throws InputError for a column that is no motor of the robot
std::vector<int> motors_played(const Trajectory& trajectory, const Robot& robot);

/// Of each link, at the start of a run.
/// @throws InputError naming robot and part
std::vector<Pose> start_poses(const RobotBody& spec);

/// Names of the links in contact records: the robot's, a slash, the link's; of a robot of one link
/// the robot's.
std::vector<std::string> link_body_names(const RobotBody& spec);

/// The link of a scene with this name in contact records; robot -1: there is none.
struct LinkName {
  int robot = -1, link = -1;
};
LinkName find_link(const Scene& scene, const std::string& body);
/// Whether only fixed joints are between two links.
bool fixed_together(const Robot& robot, int a, int b);

}  // namespace haptos
