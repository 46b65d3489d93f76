// A tree of revolute joints on a fixed base in reduced coordinates: n unknowns, the joint rates.
//
// Every joint carries one link. The link's frame coincides with its joint frame turned about the
// joint axis by q. Equation of motion, solved by the step with velocities z = dq/dt:
//
//   M(q) dz/dt + c(q, z) = tau,       z_free = z_n + h M(q_n)^-1 (tau - c(q_n, z_n))
//
// with gravity inside c. Mass matrix by composite rigid bodies, bias by recursive Newton-Euler,
// both in spatial vectors about the base (dynamics/spatial.h); a joint's armature (rotor inertia
// seen at the joint) adds to the diagonal of M. After the solve q <- q_n + h z.
//
// Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 5.3, 6.2. Limits: revolute
// joints, fixed base, at most 64 joints (one dense block). Bias and mass are frozen at q_n, so the
// energy error is of first order in h; points of links move linearly in z within a step.
#pragma once

#include <string>

#include "haptos/dynamics/body.h"
#include "haptos/dynamics/spatial.h"

namespace haptos {

/// A revolute joint and the link that it carries.
struct JointSpec {
  std::string name = "joint";       ///< for messages
  int parent = -1;                  ///< joint whose link carries this one; -1 is the base
  Pose frame;                       ///< joint frame in the parent link's frame (or the base's)
  Vec3d axis{{0, 0, 1}};            ///< unit, in the joint frame
  double mass = 0;                  ///< of the link [kg]
  Vec3d centre_of_mass{{0, 0, 0}};  ///< in the link's frame [m]
  Mat3d inertia = Mat3d::zero();    ///< about the link's centre of mass, link axes [kg m2]
  double armature = 0;              ///< [kg m2]
  double position = 0;              ///< at the start of a run [rad]
  double velocity = 0;              ///< at the start of a run [rad/s]
};

struct ArticulationSpec {
  std::string name = "articulation";
  Pose base;                      ///< in the world
  std::vector<JointSpec> joints;  ///< parents before children
};

class Articulation final : public Body {
 public:
  /// @throws InputError for a tree, mass or start that cannot be; names the joint
  Articulation(const BodySlots& slots, const ArticulationSpec& spec);

  /// Joint torques, constant over each step, (n) [N m].
  std::vector<double> torque;

  int joint_count() const { return static_cast<int>(spec_.joints.size()); }
  std::vector<int> block_sizes() const override { return {joint_count()}; }
  int q_count() const override { return joint_count(); }
  void initialize(State& state) const override;
  void begin_step(const State& state, const BodyStep& step) override;
  void advance(const std::vector<double>& z, const BodyStep& step, State& state) override;

  const ArticulationSpec& spec() const { return spec_; }
  /// Angle of joint j at the start of the step that begin_step() set up [rad].
  double start_angle(int j) const { return start_q_[static_cast<std::size_t>(j)]; }

  // Dynamics at given angles q and rates qd, all (n).

  /// Torques that give accelerations qdd under gravity [N m].
  std::vector<double> inverse_dynamics(const std::vector<double>& q, const std::vector<double>& qd,
                                       const std::vector<double>& qdd, const Vec3d& gravity) const;
  /// (n x n) row-major [kg m2].
  std::vector<double> mass_matrix(const std::vector<double>& q) const;
  double kinetic_energy(const std::vector<double>& q, const std::vector<double>& qd) const;
  /// Zero where every centre of mass is at the world's origin [J].
  double potential_energy(const std::vector<double>& q, const Vec3d& gravity) const;
  /// Pose of link `link` in the world.
  Pose link_pose(const std::vector<double>& q, int link) const;
  /// Row-major 3 x n: velocity of the point of `link` that is at x per joint rate.
  void jacobian(const std::vector<double>& q, int link, const Vec3d& x, double* out) const;

  // As links (contact/point/link.h): at the start of the step that begin_step() set up.
  int link_columns() const { return joint_count(); }
  Vec3d link_position(int link, const Vec3d& local) const;
  void link_jacobian(int link, const Vec3d& x, double* out) const;

 private:
  struct Kinematics {
    std::vector<Pose> pose;           // of links, world
    std::vector<SpatialMotion> axis;  // of joints, about the base's origin
    std::vector<SpatialInertia> inertia;
  };
  Kinematics kinematics(const std::vector<double>& q) const;
  std::vector<double> inverse_dynamics(const Kinematics& k, const std::vector<double>& qd,
                                       const std::vector<double>& qdd, const Vec3d& gravity) const;
  std::vector<double> mass_matrix(const Kinematics& k) const;
  void jacobian(const Kinematics& k, int link, const Vec3d& x, double* out) const;

  ArticulationSpec spec_;
  // Of the step under way.
  std::vector<double> start_q_;
  Kinematics start_;
};

}  // namespace haptos
