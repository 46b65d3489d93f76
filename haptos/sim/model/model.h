// Model: a scene after compilation. Immutable, and shared by any number of Sims; a State belongs to
// a model by its hash.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "haptos/bodies/elastic/soft_model.h"
#include "haptos/geometry/mesh/mass_properties.h"
#include "haptos/scene/scene.h"
#include "haptos/sensors/gel/gel_sensor.h"
#include "haptos/sim/model/robots.h"
#include "haptos/system/coat/coat_compliance.h"

namespace haptos {

class Taxels;
struct RestDepth;
struct SharedParts;

/// A tactile sensor of the scene: what it reads, and of which bodies.
struct GelModel {
  std::shared_ptr<const GelSensor> sensor;
  int soft = 0;         ///< number in scene.soft
  std::string carrier;  ///< what the gel is glued to first, and its frame moves with; "": nothing
};

/// Where the points of a body of material points start.
struct ParticleModel {
  std::vector<Vec3d> points;  ///< world [m]
  double volume = 0;          ///< of each [m3]
};

struct Model {
  Scene scene;                  ///< as described
  std::vector<SoftModel> soft;  ///< refined meshes, surfaces, glue; one per scene.soft
  /// Of those of model hydroelastic, null for others; one per scene.soft.
  std::vector<std::shared_ptr<const CoatCompliance>> coats;
  /// Of prescribed bodies, null where there is no inside; one per scene.prescribed, none where
  /// neither coats nor pressures nor material points ask for them.
  std::vector<std::shared_ptr<const DistanceField>> prescribed_fields;
  /// How deep places of soft bodies are, of those with contact: hydroelastic; one per scene.soft.
  std::vector<std::shared_ptr<const RestDepth>> soft_depths;
  std::vector<ParticleModel> particles;  ///< one per scene.material_points
  std::vector<Moments> affine_moments;   ///< in body axes; one per scene.affine
  std::vector<RobotModel> robots;        ///< one per scene.robots
  std::vector<GelModel> gels;            ///< one per scene.tactile
  /// Of sensors of robots, null for other kinds; one per robot and sensor.
  std::vector<std::vector<std::shared_ptr<const Taxels>>> taxels;
  /// Names by the body numbers of contact records: prescribed, soft, material points, affine,
  /// pendulums, links of robots, half-spaces.
  std::vector<std::string> body_names;
  std::shared_ptr<SharedParts> shared;  ///< what its workspaces make alike (shared_parts.h)
  std::uint64_t hash = 0;  ///< of meshes, materials and layout; not of tolerances or threads
};

/// Validates and compiles. Throws InputError for the first thing that is wrong.
std::shared_ptr<const Model> compile(Scene scene);

/// Pose at the start of the frame of a prescribed body, an affine body or a link ("robot/link").
/// @throws InputError where the scene has none of this name
Pose start_pose(const Scene& scene, const std::string& body);

/// Those of the scene (scene.h), and what compiling it found odd.
std::vector<std::string> find_warnings(const Model& model);

}  // namespace haptos
