// Workspace: everything that a run can recompute. Built from the scene by sim/build.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "haptos/bodies/elastic/elastic.h"
#include "haptos/bodies/joints/joint_laws.h"
#include "haptos/bodies/joints/loop_closure.h"
#include "haptos/bodies/joints/path_link.h"
#include "haptos/bodies/loads/loads.h"
#include "haptos/bodies/particles/particle_grid.h"
#include "haptos/bodies/soft/soft_body.h"
#include "haptos/bodies/soft/soft_cloud.h"
#include "haptos/bodies/stiff/affine_frame.h"
#include "haptos/bodies/tree/articulation.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "haptos/contact/frozen/rigid_points.h"
#include "haptos/contact/live/contact_term.h"
#include "haptos/contact/surface.h"
#include "haptos/sim/sensing.h"
#include "haptos/sim/sim.h"
#include "haptos/solve/objective/objective.h"

namespace haptos {

/// A prescribed body's points: surface vertices first, then glued vertices.
struct PrescribedPoints {
  int body = -1;
  std::vector<int> points;
  std::vector<Vec3d> local;        ///< positions in the body's frame [m]
  std::vector<double> glued_mass;  ///< lumped soft mass carried by each point [kg]
  std::vector<Vec3d> u_start;      ///< velocities at the start of the step [m/s]
  Pose next;                       ///< where this step sends the body
  bool stopped = false;            ///< left in place, since it would pass through another one
  std::vector<char> passes;        ///< whether through each of those before it, as `pairs` say
  std::shared_ptr<const ContactSurface> surface;  ///< null without a mesh
  std::shared_ptr<PathLink> frame;                ///< as constraints see it
};

struct SoftParts {
  int body = -1;
  std::shared_ptr<const SoftElements> elements;
  std::shared_ptr<Lame> moduli;             ///< of this environment
  std::size_t factor = 0, mass_factor = 0;  ///< where those of it are in State::controls
  double stiffer = 1;                       ///< by which it has been scaled
  SoftNodes* nodes = nullptr;
  std::shared_ptr<const ContactSurface> surface;
  std::vector<int> points;                     ///< point of each vertex
  std::shared_ptr<const CoatCompliance> coat;  ///< of a layer; null for others
  std::unique_ptr<SoftCloud> cloud;            ///< where it touches, in frozen contact; else null
  RigidPoints frame;                           ///< of a layer, that of its mesh
};

struct AffineParts {
  AffineFrame* frame = nullptr;
  std::size_t mass_factor = 0;  ///< where that of its mass is in State::controls
  std::shared_ptr<const ContactSurface> surface;
  std::vector<int> points;         ///< of the surface, then of what is glued to the body
  std::vector<double> glued_mass;  ///< lumped soft mass carried by each point [kg]
};

/// The points that a link carries: vertices of its surfaces first, then what is glued to it.
struct LinkParts {
  int link = 0;  ///< of the robot
  int body = -1;
  std::vector<int> points;
  std::vector<Vec3d> local;        ///< in the link's frame [m]
  std::vector<double> glued_mass;  ///< lumped soft mass carried by each point [kg]
  std::size_t first_glued = 0;
  std::vector<std::shared_ptr<const ContactSurface>> surfaces;  ///< of its shapes
  std::vector<double> friction;                                 ///< of each surface
};

struct RobotParts {
  Articulation* body = nullptr;  ///< null where nothing moves
  std::vector<JointMotor*> motors;
  std::vector<int> played;                 ///< motor of each column of the robot's trajectory
  std::vector<LoopClosureTerm*> closures;  ///< as in the robot
  std::vector<LinkParts> links;            ///< those that carry points
  ControlSlots controls;
};

/// Where the points of a body of material points are, and what touches by them.
struct ParticleParts {
  ParticleGrid* grid = nullptr;
  int seed = 0;                                          ///< of the grid
  std::vector<std::pair<FrozenContact*, int>> contacts;  ///< with its surface there
  double modulus = 0, stiffness = 0;                     ///< of contact, as described
  bool follows = false;     ///< whether the modulus follows from what it is made of
  std::size_t factors = 0;  ///< where those of its material begin in State::controls
};

/// Friction of a body of the scene, and where its factor is.
struct FactoredFriction {
  Friction described;
  std::size_t slot = 0;
};

/// A pair of live contact whose friction is that of its bodies.
struct LiveFriction {
  ContactTerm* term = nullptr;
  int pair = 0;      ///< of the term
  int a = 0, b = 0;  ///< bodies, in Frictions::bodies
};

/// A surface of frozen contact.
struct FrozenFriction {
  FrozenContact* term = nullptr;
  int surface = 0;
  double described = 0;
  std::size_t slot = 0;
};

/// Of a workspace, all whose friction has a factor.
struct Frictions {
  std::vector<FactoredFriction> bodies;  ///< of live contact
  std::vector<LiveFriction> live;
  std::vector<FrozenFriction> frozen;
  std::vector<double> applied;  ///< factors of `bodies`; empty: as described
};

/// A constraint between bodies.
struct ConstraintParts {
  LoopClosureTerm* term = nullptr;  ///< of `terms`
  WeldClosure* weld = nullptr;      ///< the same one, of a hinge or a slider
  std::size_t slots = 0;            ///< first of its numbers in State::controls
};

/// A load and the soft body that it acts on.
struct LoadOn {
  int body = -1;
  LoadTerm* term = nullptr;
};

struct Workspace {
  Points points;
  std::vector<std::unique_ptr<Body>> bodies;
  std::vector<PrescribedPoints> prescribed;
  std::vector<SoftParts> soft;
  std::vector<ParticleParts> particles;
  std::vector<AffineParts> affine;
  std::vector<std::unique_ptr<Term>> terms;
  std::vector<ContactTerm*> contact_terms;  ///< those of `terms` that are contact
  std::vector<LoadOn> load_terms;           ///< those of `terms` that are loads
  Frictions frictions;
  Objective objective;
  std::vector<double> z, z_start, inverse_mass;  ///< of the unknowns of this step
  ContactHistory history;  // of the step before, whose room the next one takes
  std::vector<ContactPoint> contacts;
  std::vector<Vec3d> point_impulse;  ///< gradient per permanent point at the end of the step [N s]
  std::vector<Vec3d> x_before, u_before;           ///< of permanent points at the start of the step
  std::vector<RobotParts> robots;                  ///< as in the scene
  std::vector<ConstraintParts> constraints;        ///< as in the scene
  std::vector<std::shared_ptr<const Link>> links;  ///< what frozen contact terms hold on to
  Sensing sensing;
  std::size_t surface_count = 0;  ///< that were added
  int state_q = 0, state_z = 0;
  int own_blocks = 0;           ///< that are there in every step
  std::ptrdiff_t own_mass = 0;  ///< entries of their dense inertia
  double b = 0;                 ///< beta h of the last step [s]: impulses over it are forces
};

/// From model to workspace: the one plain list of bodies and terms (sim/build/build.cpp).
std::unique_ptr<Workspace> build(const Model& model);
/// A surface of contact: that of the model where a workspace made it before.
std::shared_ptr<const ContactSurface> add_surface(const Model& model, const TriMesh& mesh,
                                                  std::vector<int> points, int body, bool driven,
                                                  Workspace& w, int part = 0);
/// Its part on constraints between bodies, and of hinges and sliders what motors are told and how
/// far they are, as apply_controls() and keep_controls() of robots
/// (sim/build/build_constraints.cpp).
void add_constraints(const Model& model, Workspace& w);
void set_initial_axes(const Model& model, const Workspace& w, double* controls);
void apply_axes(const State& state, Workspace& w);
void keep_axes(const Workspace& w, State& state);
/// Its part on contact (sim/build/build_contact.cpp).
void add_contacts(const Model& model, Workspace& w);
/// Hands the state's controls to robots, for a step that ends at `end` [s]: what trajectories say
/// then stands in their place. What motors keep goes back to it.
void apply_controls(const Scene& scene, double end, const State& state, Workspace& w);
void keep_controls(const Workspace& w, State& state);
/// What the coefficients of two bodies in live contact make, with these factors.
FrictionCone live_cone(const Scene& scene, const Friction& a, const Friction& b,
                       double factor_a = 1, double factor_b = 1);

/// Adds the surfaces of a term of frozen contact; `owner` names the body of each.
void add_frictions(const Model& model, const std::vector<const std::string*>& owner,
                   FrozenContact& term, Workspace& w);

/// Hands the factors of the state to bodies and contact, before room is made for the unknowns of
/// the step (sim/factors/factors.cpp).
void apply_factors(const Scene& scene, const State& state, Workspace& w);
/// The number of a body in contact records.
int body_number(const Model& model, const std::string& name);
/// The state at the start of a run.
State initial_state(const Model& model, Workspace& w);
/// Refuses a state that is none of this model's: other sizes, or numbers out of its ranges
/// (sim/state_fit.cpp); what no state may hold is refused before (system/state.h).
void check_fits(const Model& model, const Workspace& w, const State& state);
/// Refuses a start in contact closer than round-off or in intersection; names pair and depth.
void check_start(const Model& model, const Workspace& w, const State& state);
/// Contact's supports where they follow the gaps of the start (contact.adaptive).
void fit_supports(const State& state, Workspace& w);
/// A step, or a part of one.
struct StepPart {
  double h = 0;               ///< [s]
  double end = 0;             ///< time at its end [s]
  double of_path = 1;         ///< of the way to a target that was set
  std::uint32_t refused = 0;  ///< status bits for which the state is left alone
  int pass = 0;               ///< of statics; those after the first are at the time of its end
};
/// Advances by one part: reads top to bottom (sim/step.cpp).
StepReport step_part(const Scene& scene, const StepPart& part, State& state, Workspace& w);
/// Whether the passes of a quasi-static step are parts of their own: robots turn and contact of
/// theirs is frozen, so that a pass starts from where the last one led.
bool rests_in_parts(const Scene& scene);
/// One step of the scene, in parts where it does not settle (sim/step_parts.cpp).
StepReport step(const Scene& scene, State& state, Workspace& w);
/// Writes the positions of a prescribed body's points after its last path into x.
void place_prescribed(const PrescribedPoints& p, const PathState& path, std::vector<Vec3d>& x);
/// The same for the points that a link carries, from number `first` on.
void place_link(const State& state, const Workspace& w, const RobotParts& robot,
                const LinkParts& link, std::size_t first, std::vector<Vec3d>& x);
/// The same for the points of all prescribed bodies, affine bodies and links; of links without the
/// vertices of their surfaces on request.
void place_stiff(const State& state, const Workspace& w, std::vector<Vec3d>& x,
                 bool link_surfaces = true);
/// World positions [m] of the vertices of a soft body as simulated, into `out`.
void soft_positions(const State& state, const Workspace& w, const SoftParts& soft,
                    std::vector<Vec3d>& out);
/// Pose of a prescribed body, an affine body or a link, as Sim::carrier_pose says.
/// @throws InputError where the scene has none of this name
Pose carrier_pose(const Model& model, const State& state, const Workspace& w,
                  const std::string& name);
/// Energies and smallest det F of soft bodies at the end of a step.
void measure(const Scene& scene, const State& state, Workspace& w, StepReport& report);
/// Whether prescribed bodies would pass through each other on this step's paths, and may not; those
/// that would are left where they are.
bool stop_colliding_prescribed(Workspace& w);
/// The pose of a trajectory at a time.
Pose pose_at(const std::vector<Keyframe>& trajectory, double time);

}  // namespace haptos
