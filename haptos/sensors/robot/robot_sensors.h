// What the sensors of a robot read at the end of a step, before rate, noise and delay
// (sensor_pipeline.h). In words: docs/sensors/robots.md.
//
//   joint_position, joint_velocity    q, v at the end of the step
//   joint_torque     what the joint passes to its child along its unknown [N m] or [N]
//   motor_effort     u of the motor's law in the step;   motor_current   u / torque_constant [A]
//   force_torque     force and torque that the parent exerts on the child through the joint, about
//                    the origin and in the axes of the child link
//   imu              f = R_m^T ((u - u_n) / h - g), omega = R^T w:  specific force of the frame's
//                    origin as its mean over the step (R_m halfway between the orientations at
//                    both ends), angular velocity at the end, sensor axes
//   tilt             roll = atan2(up_y, up_z), pitch = atan2(-up_x, |(up_y, up_z)|), up = -R^T
//   g/|g| contact          on the link: force, torque about the frame's origin (world axes), sum of
//                    normal forces, area, number of points
//   frame_pose       X_BA of frame B against A: position, quaternion w x y z with w >= 0
//   frame_velocity   rate of that position, angular velocity, against A and in its axes
//   taxels           of hydroelastic contact, taxel by taxel: pressure [Pa], shear x y z [Pa],
//   displacement [m], normal x y z, in the axes of the link (sim/taxels/taxels.h)
//   frame_acceleration   difference of these over the step, divided by h
//
// Loads are those of the equation that the step solved, in its middle (step_loads.h): they add up,
// in motion too. Before the first step h is 0:
// joints count as not accelerating, nothing touches, a base that floats falls.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "haptos/bodies/loads/step_loads.h"
#include "haptos/contact/record.h"
#include "haptos/scene/parts/sensor.h"
#include "haptos/sensors/tactile/sensor_pipeline.h"

namespace haptos {

/// What sensors see of a step.
struct RobotStep {
  TreeStep tree;
  const double* motor_effort = nullptr;  ///< per motor of the robot; null: none
  std::span<const ContactPoint> contacts;
  /// Reads a sensor of the kind taxels into out (width).
  std::function<void(int sensor, double* out)> taxels;
};

/// Channels of a taxel.
constexpr int kTaxelChannels = 8;

/// Number of a body in contact records by its name; -1 where there is none.
using BodyNumbers = std::function<int(const std::string& name)>;

class RobotSensors {
 public:
  /// @param tree  compiled from `robot`
  /// @param first_number  of link 0 in contact records; the others follow
  /// @param numbers  of other bodies, for the references of contact sensors
  /// @throws InputError naming the sensor, for a joint, motor, link or body that is not there, a
  ///     joint that the kind cannot measure, or a number out of range
  RobotSensors(const Robot& robot, std::shared_ptr<const Tree> tree, std::vector<Sensor> sensors,
               int first_number = -1, const BodyNumbers& numbers = {});

  const Robot& robot() const { return robot_; }
  const Tree& tree() const { return *tree_; }
  int size() const { return static_cast<int>(sensors_.size()); }
  const Sensor& sensor(int i) const { return sensors_[static_cast<std::size_t>(i)]; }
  int width(int i) const { return parts_[static_cast<std::size_t>(i)].width; }
  /// Names of the sensor's channels, and their units.
  std::vector<std::string> channels(int i) const;
  std::vector<std::string> units(int i) const;
  /// For the pipeline; names are "robot/sensor".
  SensorSignal signal(int i) const;

  /// Sets up the readings of a step, which must stay where it is while they are taken.
  void update(const RobotStep& step);
  /// The reading of sensor i into out (width).
  void measure(int i, double* out) const;
  /// After update.
  const StepLoads& loads() const { return loads_; }

 private:
  // Links that a fixed joint carries within a body.
  struct Part {
    int body = -1;
    double mass = 0;
    Vec3d centre{{0, 0, 0}};        // in the body's frame
    Mat3d inertia = Mat3d::zero();  // about the centre, body axes
    std::vector<char> has;          // per link
    std::vector<int> hangs;         // bodies that hang from the part
  };
  struct Sensed {
    int width = 0;
    std::vector<int> index;   // coordinates, unknowns or motors, a channel each
    std::vector<int> joints;  // of the robot, likewise
    int link = -1, reference = -1;
    int number = -1, other = -1;  // contact: bodies in records; other -1: any
    int body = -1;                // force-torque: whose joint it is; -1: `part`
    Part part;
  };
  struct Motion {
    Frame<double> frame;
    Vec3d linear, angular;
  };
  Sensed resolve(const Sensor& s, const std::string& element, int first_number,
                 const BodyNumbers& numbers) const;
  void resolve_joints(const Sensor& s, const std::string& element, Sensed& p) const;
  void resolve_motors(const Sensor& s, const std::string& element, Sensed& p) const;
  Part part_behind(int joint) const;
  SpatialForce<double> joint_load(const Sensed& s) const;
  Motion motion(const TreeData<double>& data, int link, const Pose& local) const;
  Motion motion_against(const TreeData<double>& data, const Sensor& s, const Sensed& p) const;
  void measure_imu(const Sensor& s, const Sensed& p, double* out) const;
  void measure_contact(const Sensor& s, const Sensed& p, double* out) const;

  Robot robot_;
  std::shared_ptr<const Tree> tree_;
  std::vector<Sensor> sensors_;
  std::vector<Sensed> parts_;
  StepLoads loads_;
  TreeData<double> end_;
  RobotStep step_;
};

/// Contacts between body `a` and body `b` (-1: any) turned so that forces act on a, normals point
/// to it, and body_a is a.
void contacts_between(std::span<const ContactPoint> contacts, int a, int b,
                      std::vector<ContactPoint>& out);

/// Adds what contacts exert on the links, where they act at the start of the step.
/// @param points  the step's, whose indices the records hold
/// @param first, count  numbers of the robot's links in contact records, link by link
void add_contact_forces(std::span<const ContactPoint> contacts, const Points& points, int first,
                        int count, std::vector<LinkForce>& out);

}  // namespace haptos
