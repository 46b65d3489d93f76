// Sim: a compiled scene, its state, and the step.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "haptos/bodies/particles/particle_scale.h"
#include "haptos/bodies/soft/stress.h"
#include "haptos/contact/record.h"
#include "haptos/sensors/field/nodal_contact.h"
#include "haptos/sim/gels.h"
#include "haptos/sim/model/model.h"
#include "haptos/sim/robot_view.h"
#include "haptos/solve/newton/newton.h"
#include "haptos/system/state.h"

namespace haptos {

/// Force and torque about a stated point, world frame.
struct Wrench {
  Vec3d force{{0, 0, 0}};   ///< [N]
  Vec3d torque{{0, 0, 0}};  ///< [N m]
};

/// What one step reports, per environment.
struct StepReport {
  std::int64_t step = 0;
  double time = 0;      ///< at the end of the step [s]
  NewtonReport newton;  ///< iterations, residual, smallest gap, status
  double missed = 0;    ///< largest distance of a prescribed point from its target [m]
  double kinetic = 0, potential = 0;  ///< energies of all bodies at the end [J]
  double smallest_volume_ratio = 1;   ///< smallest det F of any tetrahedron
  double seconds = 0;                 ///< wall time of the step
  int parts = 0;  ///< that the step was taken in; more than 1 where it would not settle in one
  /// Contacts of boundary layers whose triangles cross, and those that began to in this step.
  int crossed = 0, crossing = 0;
  /// Pairs in hydroelastic contact that were in each other past the middle where the step started.
  int past_middle = 0;
  /// Pairs of surfaces that touched in more samples than `most_samples`, which were merged.
  int merged = 0;
  std::uint32_t status() const { return newton.status; }
};

/// Thrown in strict mode when a step sets a status bit; the state stays at the start of the step.
class StepError : public std::runtime_error {
 public:
  StepError(const std::string& what, StepReport r) : std::runtime_error(what), report(r) {}
  StepReport report;
};

/// Material points, an entry each; world frame.
struct MaterialView {
  std::vector<Vec3d> position, velocity;  ///< [m], [m/s]
  std::vector<Mat3d> deformation;         ///< elastic part of the deformation gradient
  std::vector<double> volume_ratio;       ///< of a liquid J, else det F
  std::vector<double> flow;               ///< sum of what yielded of the stretch's deviator
  double mass = 0, volume = 0;            ///< of each as described [kg], at rest [m3]
};

struct Workspace;
struct ParticleParts;
class AffineFrame;

class Sim {
 public:
  /// Compiles the scene. Throws InputError for a scene that cannot run, for example when it starts
  /// in intersection (the message names the pair and the depth).
  explicit Sim(Scene scene);
  /// The same for a compiled scene, which any number of Sims may share.
  /// @param env  whose noise its sensors have
  explicit Sim(std::shared_ptr<const Model> model, std::uint32_t env = 0);
  ~Sim();
  Sim(Sim&&) noexcept;
  Sim& operator=(Sim&&) noexcept;

  /// Advances by one time step. With options.newton.strict, throws StepError for a step that did
  /// not converge or missed a target.
  StepReport step();
  /// Back to the start; sensors then draw their noise from `seed` in place of the scene's.
  /// @param env  whose noise they have from now on, where it is to be another's
  void reset(std::optional<std::uint64_t> seed = {}, std::optional<std::uint32_t> env = {});

  /// Robots' sensors take their first sample anew, where the robots are now: for who has put one
  /// elsewhere after reset(). Their noise is drawn from `seed`.
  void restart_sensors(std::optional<std::uint64_t> seed = {});

  const Scene& scene() const { return model_->scene; }
  const std::shared_ptr<const Model>& model() const { return model_; }
  const State& state() const { return state_; }
  /// Replaces the state; throws InputError, and changes nothing, for one that does not fit the
  /// model or holds what no run leaves behind.
  void set_state(State state);
  void save(const std::string& path) const;
  void load(const std::string& path);
  std::uint64_t model_hash() const { return model_->hash; }

  /// The pose a prescribed body is sent to in the coming steps, in place of its trajectory. It is
  /// part of the state, as commands, forces and factors are.
  void set_target(const std::string& prescribed, const Pose& target);
  void clear_target(const std::string& prescribed);
  /// The present pose of a prescribed body.
  Pose prescribed_pose(const std::string& prescribed) const;
  /// World positions of a prescribed body's surface vertices [m].
  std::vector<Vec3d> prescribed_positions(const std::string& prescribed) const;

  /// Compiled mesh and present world positions [m] of a soft body, (V, 3).
  const SoftModel& soft_model(const std::string& soft) const;
  std::vector<Vec3d> soft_positions(const std::string& soft) const;

  /// Factors of what a body of material points is made of, from the next step on; part of the
  /// state, as commands are. Energies that are told before that step are those of the one before.
  ParticleScale material_scale(const std::string& body) const;
  void set_material_scale(const std::string& body, const ParticleScale& scale);

  /// By which a soft body is stiffer than its material says, from the next step on; part of the
  /// state. Its contact keeps its modulus.
  /// @throws InputError for a layer, and beyond 1 / kMostSoftFactor to kMostSoftFactor
  double stiffness_scale(const std::string& soft) const;
  void set_stiffness_scale(const std::string& soft, double scale);

  /// Factor of the friction of a body of any kind, a robot or a half-space, from the next step on,
  /// 0 to 1000; part of the state. It multiplies the body's coefficients before those of two bodies
  /// are combined; what a pair sets itself stays.
  double friction_scale(const std::string& body) const;
  void set_friction_scale(const std::string& body, double scale);
  /// Factor of the mass and inertia of a soft or an affine body, from the next step on, 1e-6 to
  /// 1e6; part of the state. Contact keeps its stiffness.
  /// @throws InputError also for a soft body that is glued to one that moves freely, or is a layer
  double mass_scale(const std::string& body) const;
  void set_mass_scale(const std::string& body, double scale);

  /// Gravity of this environment [m/s2], from the next step on; part of the state once it was set.
  /// @throws InputError beyond kMostGravity along an axis
  Vec3d gravity() const;
  void set_gravity(const Vec3d& gravity);

  /// Contacts of the last step.
  const std::vector<ContactPoint>& contacts() const;
  /// Name of a body as numbered in contact records.
  const std::string& body_name(int body) const;
  int body_id(const std::string& name) const;
  /// Wrench that the scene exerted on a prescribed or an affine body, or on a link of a robot, in
  /// the last step, about `about`: contact, glue and constraints (of a link, without what touches
  /// it in frozen contact).
  Wrench reaction(const std::string& body, const Vec3d& about = {{0, 0, 0}}) const;
  /// Wrench of contact alone on a body, on a robot (its links meet each other too, which adds up to
  /// nothing), or on one of its links, "robot/link".
  Wrench contact_wrench(const std::string& body, const Vec3d& about = {{0, 0, 0}}) const;
  /// What touched each vertex of a soft body in the last step: force [N], area at rest [m2], way to
  /// the other surface [m]; world frame (V).
  NodalContact nodal_contact(const std::string& soft) const;
  /// Cauchy stress of a soft body in its present state, world axes.
  SoftStress soft_stress(const std::string& soft) const;
  /// Wrench of nodal forces and pressures on a soft body in the last step.
  Wrench load_wrench(const std::string& soft, const Vec3d& about = {{0, 0, 0}}) const;
  /// Rate of change of momentum less weight (gravity and body acceleration) of a soft or an affine
  /// body in the last step. Of a soft body glued vertices are included: contact + loads + glue on
  /// the body equals this. Of an affine body its applied load is taken off too: reaction() equals
  /// this.
  Wrench inertia_wrench(const std::string& body, const Vec3d& about = {{0, 0, 0}}) const;

  /// What a constraint does to its first body, at the end of the last step.
  Wrench constraint_wrench(const std::string& constraint, const Vec3d& about = {{0, 0, 0}}) const;
  /// How far its points are apart [m] and its frames are turned [rad], at the start of the last
  /// step, by what is not free.
  std::array<double, 2> constraint_error(const std::string& constraint) const;

  /// How far a hinge is turned [rad], counted on over full turns, or a slider shifted [m], and the
  /// rate of that, now; and what its motor did in the last step [N m] or [N].
  /// @throws InputError for constraints of other kinds
  struct AxisReading {
    double position = 0, velocity = 0, effort = 0;
  };
  AxisReading constraint_axis(const std::string& constraint) const;
  /// What the motor of a hinge or a slider is told, from the next step on, and its gains; part of
  /// the state. @throws InputError for a constraint without a motor and numbers that cannot be
  MotorCommand constraint_command(const std::string& constraint) const;
  void set_constraint_command(const std::string& constraint, const MotorCommand& command);
  MotorGains constraint_gains(const std::string& constraint) const;
  void set_constraint_gains(const std::string& constraint, double kp, double kd, double ki);

  /// Points of a body of material points as they are now.
  MaterialView material_points(const std::string& body) const;

  /// Pose of an affine body's frame: its origin and the rotation nearest to its axes.
  Pose affine_pose(const std::string& affine) const;
  /// Velocity of its centre of mass [m/s] and angular velocity [rad/s], world.
  Vec6d affine_velocity(const std::string& affine) const;
  /// Largest deviation of A^T A from the identity: how far from rigid the body is.
  double affine_strain(const std::string& affine) const;
  /// Present world positions of an affine body's surface vertices [m].
  std::vector<Vec3d> affine_positions(const std::string& affine) const;
  /// Force at the centre of mass [N] and torque about it [N m] in the coming steps, world axes.
  void set_wrench(const std::string& affine, const Vec3d& force, const Vec3d& torque);

  /// Pose of the frame of a prescribed body, an affine body or a link ("robot/link") as what is
  /// glued to it sees it: of a link the rotation nearest to where the step left its points, which
  /// differs from the link's pose by the square of the step's angle (bodies/tree/articulation.h).
  Pose carrier_pose(const std::string& body) const;
  /// The gel of a tactile sensor, numbered as in the scene, as its reader sees it (sim/gels.h).
  void read_gel(int sensor, const GelAsk& ask, GelSample& out) const;
  /// Surfaces of the collision shapes of a link (its name as in contact records) that soft, affine
  /// and prescribed bodies meet, where the last step left them, world; none where nothing does.
  std::vector<TriMesh> link_surfaces(const std::string& link) const;
  /// A robot, to command and to read; valid while this Sim stays where it is.
  RobotView robot(const std::string& name);
  /// Called at the start of every step(), before anything moves: reads what it likes and sets
  /// commands, targets and wrenches. It is no part of the state.
  std::function<void(Sim&)> controller;

  /// Symbolic factorisations so far: 1 while the pattern holds.
  int analyses() const;

 private:
  std::shared_ptr<const Model> model_;
  State state_;
  std::unique_ptr<Workspace> work_;

  /// ". " and why a step did not converge, or nothing.
  std::string likely_cause(const StepReport& report) const;
  const AffineFrame& frame(const std::string& affine) const;
  /// A constraint that has a free direction, and a motor if one is needed; its place in the scene.
  std::size_t axis_of(const std::string& constraint, bool driven) const;
  const ParticleParts& particles(const std::string& body) const;
  /// Hands the state's wrenches to the bodies.
  void apply_wrenches();
};

}  // namespace haptos
