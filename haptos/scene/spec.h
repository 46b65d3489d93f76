// What a person describes, entry by entry. Editable until the scene is compiled
// (sim/model/model.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/geometry/mesh.h"
#include "haptos/scene/loads.h"
#include "haptos/scene/material.h"
#include "haptos/scene/robot/robot.h"
#include "haptos/scene/sensor.h"
#include "haptos/scene/trajectory.h"

namespace haptos {

/// How a soft body's tetrahedra are used; see bodies/elastic/soft_element.h.
enum class Element : std::uint8_t {
  kComposite,  ///< every tetrahedron split into eight with one volume: does not lock
  kLinear,     ///< as given: fewer unknowns, locks as Poisson's ratio nears 1/2
};

/// Vertices of a soft body held on a prescribed body, an affine body or a link; they move with it
/// and pull on it.
struct Glue {
  std::string body;  ///< name of a prescribed or an affine body, or of a link: "robot/link"
  std::vector<int> vertices;  ///< of the soft body's mesh as given
};

/// Displacement held at zero per component, for symmetry planes and supports.
struct HeldVertices {
  std::vector<int> vertices;
  bool axis[3] = {false, false, false};
};

/// Coefficients of friction of a body's surface; those of two bodies are combined by the scene's
/// rule (`contact.combine`).
struct Friction {
  double sticking = 0;  ///< static
  double sliding = -1;  ///< kinetic; below 0: as sticking
};

struct SoftBody {
  std::string name;
  Friction friction;
  std::string layer;          ///< group of bodies that pairs may name
  TetMesh mesh;               ///< at rest, in its own frame [m]
  Pose pose;                  ///< of that frame at the start
  Vec3d velocity{{0, 0, 0}};  ///< at the start [m/s]
  Material material;
  Element element = Element::kComposite;
  std::vector<Glue> glue;
  std::vector<HeldVertices> held;
  /// Triangles (vertices of the mesh as given) that read as the sensing surface; empty: all.
  std::vector<Vec3i> coat;
  std::vector<NodalForce> forces;
  std::vector<SurfacePressure> pressures;
  bool self_contact = false;    ///< whether its surface may touch itself
  History<Vec3d> acceleration;  ///< body force per mass, beside gravity [m/s2], world
};

/// A pose at a time; between keyframes straight and at constant turning rate, held beyond the ends.
struct Keyframe {
  double time = 0;  ///< [s]
  Pose pose;
};

/// A body whose motion is given. It may have no surface (a mount for glue).
struct PrescribedBody {
  std::string name;
  Friction friction;
  std::string layer;  ///< group of bodies that pairs may name
  TriMesh surface;    ///< in its own frame [m]
  std::vector<Keyframe> trajectory;
};

/// A stiff body that moves freely: its surface, its mass, what keeps it stiff
/// (bodies/stiff/affine_frame.h).
struct AffineBody {
  std::string name;
  Friction friction;
  std::string layer;                  ///< group of bodies that pairs may name
  TriMesh surface;                    ///< closed, outward, in its own frame [m]
  Pose pose;                          ///< of that frame at the start
  Vec3d velocity{{0, 0, 0}};          ///< of the centre of mass at the start [m/s]
  Vec3d angular_velocity{{0, 0, 0}};  ///< at the start [rad/s], world
  double density = 1000;              ///< [kg/m3], where no mass is given
  double mass = 0;                    ///< [kg]; 0: from surface and density
  Vec3d centre{{0, 0, 0}};            ///< of mass, with `mass` [m]
  Mat3d inertia = Mat3d::zero();      ///< about `centre`, with `mass` [kg m2]
  double stiffness = 1e8;             ///< kappa of the orthogonality potential [Pa]
  Vec3d force{{0, 0, 0}};             ///< at the centre of mass [N], world
  Vec3d torque{{0, 0, 0}};            ///< [N m], world
  /// Axis that the body slides along without turning, world: with a force it presses until it meets
  /// that force.
  std::optional<Vec3d> guide;
  bool gravity = true;  ///< whether its own weight acts on it
};

/// Everything behind the plane {n . x = offset}.
struct HalfSpace {
  std::string name;
  Friction friction;
  std::string layer;        ///< group of bodies that pairs may name
  Vec3d normal{{0, 0, 1}};  ///< unit, out of the half-space
  double offset = 0;        ///< [m]
};

/// An articulated robot, or any rigid body as a robot of one link, in frozen contact with
/// half-spaces and other robots, and in live contact with soft, affine and prescribed bodies. Its
/// state holds the coordinates and velocities of its joints (scene/robot/robot.h), a free base's
/// against the world.
struct RobotBody {
  std::string name;
  Robot robot;
  std::vector<Sensor> sensors;
  Pose pose;                     ///< of the robot's frame, which its base joints hang from
  std::vector<double> position;  ///< at the start, of all joints; empty: as the joints say
  std::vector<double> velocity;  ///< at the start, of all joints; empty: at rest
  // Of shapes that have none of their own:
  double friction = 0.5;          ///< coefficient; of two shapes the geometric mean
  double stiffness = 0;           ///< [N/m]; 0: from the masses that meet (point_contact.sag)
  double relaxation_time = 0.01;  ///< [s]
  /// Of an elastic foundation [Pa/m], which takes the place of the stiffness where shapes of this
  /// robot touch over an area; 0: none.
  double modulus = 0;
  double dissipation = 20;   ///< of Hunt and Crossley's laws (point_contact.law) [s/m]
  bool self_contact = true;  ///< whether links that no joint connects may touch
  /// Commanded from the start of a run: each column drives the motor of its name, until then motors
  /// hold the joints where they start.
  std::optional<Trajectory> trajectory;
  std::string layer;  ///< group of bodies that pairs may name
};

/// Contact between two bodies, where it differs from the scene's options. A body may be named twice
/// to set its contact with itself.
struct PairOptions {
  std::string a, b;  ///< names of bodies or of layers, in either order
  bool enabled = true;
  double stiffness = 0;       ///< [Pa/m]; 0: as the scene's
  Friction friction{-1, -1};  ///< of the pair; sticking below 0: combined from the bodies
  double support = 0;         ///< [m]; 0: as the scene's
  int model = -1;             ///< of live contact, as contact.model; -1: as the scene's
};

/// How a step follows from the last; see bodies/body.h.
enum class Integrator : std::uint8_t { kImplicitEuler, kBdf2, kQuasiStatic };

struct SimOptions {
  double dt = 0.01;
  int integrator = 0;  ///< an Integrator
  double pseudo_step = 0.1;
  double gravity_x = 0, gravity_y = 0, gravity_z = -9.81;
  Vec3d gravity() const { return {{gravity_x, gravity_y, gravity_z}}; }  ///< [m/s2]
  int threads = 0;
  int seed = 0;
  bool strict = false;
};

template <>
struct OptionsOf<SimOptions> {
  static constexpr const char* kName = "sim";
  static const std::vector<Option<SimOptions>>& table();
};

}  // namespace haptos
