// RobotView: one robot of a Sim, to command and to read. A handle: the Sim must outlive it and stay
// where it is.
//
// Coordinates and velocities are those of scene/robot/robot.h, joint after joint in the order of
// robot().joints (a free base first: its link's pose in the world). Forces hold from the next step
// until they are changed; they are part of the state, and reset() takes them back.
#pragma once

#include <string>
#include <vector>

#include "haptos/bodies/joints/joint_laws.h"
#include "haptos/sim/model/robots.h"

namespace haptos {

struct State;
struct Workspace;
struct RobotParts;

class RobotView {
 public:
  RobotView(const RobotModel& model, RobotParts& parts, State& state, Workspace& work)
      : model_(&model), parts_(&parts), state_(&state), work_(&work) {}

  const Robot& robot() const { return model_->robot; }
  const Tree& tree() const { return *model_->tree; }
  const RobotModel& model() const { return *model_; }

  /// Coordinates of all joints (q_count) and their velocities (v_count), now.
  std::vector<double> position() const;
  std::vector<double> velocity() const;
  /// Mean acceleration (v_count) over the last step: (v_n+1 - v_n) / h; zero before the first.
  std::vector<double> acceleration() const;
  /// Puts the robot there. Throws InputError for other sizes, numbers that are not finite, and
  /// quaternions that are not unit.
  void set_state(const std::vector<double>& position, const std::vector<double>& velocity);

  /// Numbers by name. Throws InputError naming the nearest one for others.
  int link(const std::string& name) const;
  int motor(const std::string& name) const;
  int motor_count() const { return static_cast<int>(model_->motor_pulls.size()); }

  /// Pose of a link's frame; velocity [m/s] of its origin and angular velocity [rad/s]; world.
  Pose link_pose(int link) const;
  Vec6d link_velocity(int link) const;
  /// Poses of all links.
  std::vector<Pose> link_poses() const;

  MotorCommand command(int motor) const;
  void set_command(int motor, const MotorCommand& command);
  /// Torque [N m] or force [N] of a motor in the last step.
  double effort(int motor) const;
  /// Integral of the position error so far [rad s] or [m s].
  double integral(int motor) const;
  void set_integral(int motor, double value);

  /// Gains of a motor; those of the description until they are set.
  MotorGains gains(int motor) const;
  void set_gains(int motor, double kp, double kd, double ki);
  /// Factor of mass and inertia of the body that a link is part of (with what is fixed to it).
  double mass_scale(int link) const;
  void set_mass_scale(int link, double scale);
  /// Factor of the coefficients of friction of all its shapes.
  double friction_scale() const;
  void set_friction_scale(double scale);

  /// The robot's sensors: their channels and units. What one of them reads is defined in
  /// sensors/robot/robot_sensors.h; a reading points into the state.
  const RobotSensors& sensors() const { return *model_->sensors; }
  int sensor(const std::string& name) const;
  SensorReading read(int sensor) const;

  /// Joint forces (v_count) [N m] or [N] beside those of motors, springs and friction.
  std::vector<double> torque() const;
  void set_torque(const std::vector<double>& torque);
  /// Force at a link's centre of mass [N] and torque about it [N m], world.
  void set_wrench(int link, const Vec3d& force, const Vec3d& torque);

 private:
  const RobotModel* model_;
  RobotParts* parts_;
  State* state_;
  Workspace* work_;
};

}  // namespace haptos
