// A free rigid body with six unknowns: velocity v of the centre of mass and angular velocity w,
// both in world axes. Coordinates are the centre of mass and the orientation quaternion w x y z.
//
// The update keeps momentum, not velocity. With L = R I R^T w, force f and torque t over the step
// h:
//
//   v_free = v_n + h (g + f / m),     L* = L_n + h t
//   w_free = A L*,  A = R_half I^-1 R_half^T,  R_half = exp(h/2 w_free) R_n     (implicit midpoint)
//
// The step's objective sees the inertia m 1 and A^-1 about (v_free, w_free). After the solve,
//
//   x_{n+1} = x_n + h v,              R_{n+1} = exp(h w) R_n,
//   L_{n+1} = L* + A^-1 (w - w_free), w_{n+1} = R_{n+1} I^-1 R_{n+1}^T L_{n+1},
//
// so without torque and contact L is kept to round-off and the rotation is of second order in h.
// The state stores v and w at the END of the step. Torque counts in full before the drift, like the
// force, so a body that friction holds against a torque has w = 0 at rest.
// Source: implicit midpoint rule on the rotation group, after Simo and Wong, Unconditionally stable
// algorithms for rigid body dynamics, 1991. Limits: |w| h below about 1; beyond, the midpoint
// equation may have no solution nearby, and the iterate with the smallest residual is taken, with L
// still kept. Energy is not kept exactly (docs/laws/rigid_body.md has measured figures). x_base is
// x_n and dx/dv is h: backward Euler only.
#pragma once

#include <string>

#include "haptos/bodies/body.h"
#include "haptos/geometry/mesh/mass_properties.h"

namespace haptos {

struct RigidBodySpec {
  std::string name = "rigid body";    ///< for messages
  double mass = 0;                    ///< [kg]
  Mat3d inertia = Mat3d::zero();      ///< about the centre of mass, body axes [kg m2]
  Pose pose;                          ///< of the body axes at the centre of mass, in the world
  Vec3d velocity{{0, 0, 0}};          ///< of the centre of mass, world [m/s]
  Vec3d angular_velocity{{0, 0, 0}};  ///< world [rad/s]
};

/// Inertia about the centre of mass of a uniform solid sphere and of a box with edges `size` [m].
Mat3d solid_sphere_inertia(double mass, double radius);
Mat3d solid_box_inertia(double mass, const Vec3d& size);
/// Inertia of a slender rod along z, with a millionth of it about the rod's own axis (a body needs
/// all three moments).
Mat3d slender_rod_inertia(double mass, double length);

/// Throws InputError unless mass is positive and the inertia symmetric with positive principal
/// moments that obey the triangle inequality; the message prints the moments.
void check_mass_properties(const std::string& element, double mass, const Mat3d& inertia);

/// A step of free rotation from orientation q with angular momentum L [kg m2/s], world axes.
struct FreeRotation {
  Vec3d omega;          ///< midpoint angular velocity [rad/s]
  Mat3d inertia_half;   ///< R_half I R_half^T [kg m2]
  double residual = 0;  ///< |omega - A L| / |omega|
  int iterations = 0;
};
FreeRotation free_rotation(const Quat& q, const Mat3d& inertia, const Mat3d& inverse_inertia,
                           const Vec3d& momentum, double h);

class RigidBody final : public Body {
 public:
  /// @throws InputError for mass properties or a start that no body can have
  RigidBody(const BodySlots& slots, const RigidBodySpec& spec);

  /// Force at the centre of mass [N] and torque [N m], world axes, constant over each step.
  Vec3d force{{0, 0, 0}}, torque{{0, 0, 0}};

  std::vector<int> block_sizes() const override { return {6}; }
  int q_count() const override { return 7; }
  void initialize(State& state) const override;
  void begin_step(const State& state, const BodyStep& step) override;
  void advance(const std::vector<double>& z, const BodyStep& step, State& state) override;

  const RigidBodySpec& spec() const { return spec_; }
  Pose pose(const State& state) const;
  /// Velocity of the centre of mass and angular velocity, world.
  Vec3d velocity(const State& state) const;
  Vec3d angular_velocity(const State& state) const;
  /// About the centre of mass, world [kg m2/s].
  Vec3d angular_momentum(const State& state) const;
  double kinetic_energy(const State& state) const;

  // As a link (system/link.h): at the start of the step that begin_step() set up.
  int link_columns() const { return 6; }
  Pose link_pose(int) const { return start_; }
  Vec3d link_centre(int) const { return start_.p; }
  Vec3d point_velocity(int, const Vec3d& x) const;
  Vec3d point_velocity_with(int, const Vec3d& x, const double* z) const;
  Vec3d point_bias(int, const Vec3d& x) const;
  /// After a step of h with the body's velocities z (6).
  Pose link_pose_after(int, const double* z, double h) const;
  /// J = [1, -[x - p]x], row-major 3 x 6, of the body's point that is at x.
  void link_jacobian(int, const Vec3d& x, double* jacobian) const;
  void link_turning(int, double* out) const;

 private:
  RigidBodySpec spec_;
  Mat3d inverse_inertia_;
  double radius_ = 0;  // of gyration [m]
  // Of the step under way.
  Pose start_;
  Vec3d start_velocity_{{0, 0, 0}}, start_turn_{{0, 0, 0}};
  Vec3d momentum_{{0, 0, 0}};  // L*
  FreeRotation free_;
};

}  // namespace haptos
