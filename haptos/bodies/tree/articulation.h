// A kinematic tree in reduced coordinates as a body of the step: one dense block of v_count
// unknowns, the joint velocities.
//
//   M(q) dz/dt + c(q, z) = tau
//
// The free motion of a step, inertia, gravity, torques and wrenches, is solved for the middle of
// the step so that its energy cannot grow (bodies/tree/tree_drift.h); z_free and M(q_g) come from
// it. After the solve q <- q_n (+) h z, but for the lead of a tree that nothing else pushed;
// quaternions by the exponential map. A tree that hangs from the world by a free or ball joint
// keeps its momentum: what acts from outside is read from the step's impulses, and the base's
// velocity and position are set so that momentum is that before plus the impulse from outside
// (bodies/tree/floating_base.h). State stores the velocities at the end of the step.
//
// A link may carry points: vertices of its surface, and what is glued to it. Within a step they
// move straight, p = base + b J z, so where they get to differs from where the link turns to by
// (angle of the step)^2 / 2 of their distance from its axis. State keeps the frame they got to, an
// affine one, (origin, three axes) behind the coordinates; the next step takes them from there to
// the link, on the path that driven points follow, so that collision detection sees all of it.
//
// Without momentum (quasi-statics) the tree moves by z alone (bodies/tree/tree_statics.h).
//
// BDF2 leaves the tree its own step, of h: its inertia counts b / h, as costs of velocities do, and
// carried points go (h - b) J z_n + b J z (docs/integrators.md).
//
// Limits: one dense block, so at most BlockPattern::kMaxBlockSize unknowns. What terms do is of
// first order in h; points of links move linearly in z within a step.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "haptos/bodies/body.h"
#include "haptos/bodies/tree/tree_dynamics.h"

namespace haptos {

class FloatingBase;
class TreeDrift;
struct StepMotion;

struct ArticulationSpec {
  std::string name = "articulation";  ///< for messages
  std::shared_ptr<const Tree> tree;
  std::vector<double> position;  ///< at the start of a run (q_count); empty: the tree's
  std::vector<double> velocity;  ///< at the start of a run (v_count); empty: at rest
  std::vector<int> carriers{};   ///< links that carry points
};

/// A force at a point of a link and a torque, world axes, constant over each step.
struct LinkLoad {
  int link = 0;
  Vec3d at{{0, 0, 0}};                        ///< in the link's frame [m]
  Vec3d force{{0, 0, 0}}, torque{{0, 0, 0}};  ///< [N], [N m]
};

struct MechanicalEnergy {
  double kinetic = 0;    ///< [J]
  double potential = 0;  ///< of the weight, zero at the world's origin [J]
};

class Articulation final : public Body {
 public:
  /// @throws InputError for a tree without unknowns or with too many, or a start that cannot be
  Articulation(const BodySlots& slots, const ArticulationSpec& spec);
  ~Articulation() override;

  /// Joint forces (v_count) [N m] or [N], constant over each step.
  std::vector<double> torque;
  /// At most one for each link; those on links that are fixed to the world have no effect.
  std::vector<LinkLoad> loads;

  /// Registers a point of a carrier, `local` in the link's frame; returns its number. `body` is its
  /// id in records.
  int add_point(Points& points, int link, int body, const Vec3d& local);
  /// Puts the points that links carry where the coordinates in the state say.
  void place_carriers(State& state) const;
  /// Where the carrier `link` left its points: origin and axes (12).
  const double* carrier_frame(const State& state, int link) const;

  /// Scales mass and inertia of a body against the tree's, from the next step on.
  void scale_mass(int body, double scale);

  const ArticulationSpec& spec() const { return spec_; }
  const Tree& tree() const { return *spec_.tree; }
  int v_count() const { return tree().v_count; }
  std::vector<int> block_sizes() const override { return {v_count()}; }
  int q_count() const override {
    return tree().q_count + 12 * static_cast<int>(spec_.carriers.size());
  }
  void initialize(State& state) const override;
  void begin_step(const State& state, const BodyStep& step) override;
  /// Contact acts on the link in the step under way, between begin_step() and advance().
  void hold(int link);
  void advance(const std::vector<double>& z, const BodyStep& step, State& state) override;

  /// Index of the coordinate whose rate is unknown k; -1 for unknowns of ball and free joints.
  int coordinate_of(int k) const;
  /// Throw InputError naming the articulation unless k is one of its unknowns; the rate of one
  /// coordinate, so not of a ball or free joint; of that or of a ball joint.
  void check_unknown(int k) const;
  void check_coordinate(int k) const;
  void check_position(int k) const;
  /// At the start of the step: the coordinate whose rate is unknown k; of a ball joint that
  /// component of its turn, about the axes of the joint [rad].
  double start_position_of(int k) const;
  /// Coordinates (q_count) and kinematics at the start of the step that begin_step() set up.
  const std::vector<double>& start_position() const { return start_q_; }
  /// Velocities (v_count) there; zero in statics.
  const std::vector<double>& start_velocity() const { return start_v_; }
  const TreeData<double>& start() const { return start_; }

  /// Joint forces of torques and all terms in the last step (v_count), contact among them, and the
  /// wrenches of `loads` on the bodies, about their origins.
  const std::vector<double>& step_effort() const { return effort_; }
  const std::vector<SpatialForce<double>>& step_wrench() const { return wrench_; }
  /// How the last step moved by the equation that it solved, in its middle.
  const StepMotion& step_motion() const;

  // At given coordinates and velocities (q_count, v_count), which need not be of the step under
  // way. They share scratch memory: not for several threads at once.
  MechanicalEnergy energy(const double* q, const double* v, const Vec3d& gravity) const;
  /// Poses of the bodies and axes of the joints, until the next of these calls.
  const TreeData<double>& kinematics(const double* q) const;
  Frame<double> link_pose(const double* q, int link) const;
  /// Velocity of the link's origin and angular velocity, world.
  SpatialMotion<double> link_velocity(const double* q, const double* v, int link) const;

  // As links of the robot (system/link.h): at the start of the step.
  int link_columns() const { return v_count(); }
  Vec3d link_position(int link, const Vec3d& local) const;
  Pose link_pose(int link) const;
  Vec3d link_centre(int link) const;
  Vec3d point_velocity(int link, const Vec3d& x) const;
  /// With the joint velocities z (v_count).
  Vec3d point_velocity_with(int link, const Vec3d& x, const double* z) const;
  /// Acceleration of that point while no unknown changes [m/s2].
  Vec3d point_bias(int link, const Vec3d& x) const;
  /// After a step of h with the joint velocities z (v_count), as integrate() has it.
  Pose link_pose_after(int link, const double* z, double h) const;
  void link_jacobian(int link, const Vec3d& x, double* out) const;
  void link_turning(int link, double* out) const;

 private:
  // Points of one carrier.
  struct Carried {
    std::vector<int> points;
    std::vector<Vec3d> local;
  };
  std::size_t carrier(int link) const;
  int first_frame(std::size_t carrier) const {
    return slots_.first_q + tree().q_count + 12 * static_cast<int>(carrier);
  }
  void scale_inertia(const BodyStep& step, double factor) const;
  void carry(const State& state, const BodyStep& step);
  void leave(const std::vector<double>& z, const BodyStep& step, State& state) const;

  ArticulationSpec spec_;
  std::unique_ptr<TreeDrift> drift_;
  std::unique_ptr<FloatingBase> floating_;
  std::vector<Carried> carried_;  // per carrier
  // Of the step under way.
  std::vector<double> start_q_;
  TreeData<double> start_;
  std::vector<double> mass_scale_;  // per body
  // Scratch.
  double h_ = 0;  // of the last step [s]
  Vec3d gravity_{{0, 0, 0}};
  std::vector<double> start_v_, z_free_;
  std::vector<double> still_;  // zeros
  std::vector<double> effort_;
  std::vector<SpatialForce<double>> wrench_;
  mutable std::vector<double> jacobian_;  // of a frame (6 x v_count)
  std::vector<double> point_jacobian_;    // (3 x v_count)
  mutable TreeData<double> elsewhere_;
  // Where link_pose_after() was last asked to look: velocities with the step behind them,
  // coordinates.
  mutable std::vector<double> ahead_z_, ahead_q_;
  mutable TreeData<double> ahead_;
  mutable bool ahead_known_ = false;  // of the step under way
  // Velocities that point_velocity_with() was last asked about, and those of the bodies.
  mutable std::vector<double> trial_z_;
  mutable std::vector<SpatialMotion<double>> trial_velocity_;
  mutable bool trial_known_ = false;
};

}  // namespace haptos
