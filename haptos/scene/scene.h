// A scene: everything a person describes, and the options of every layer. Editable; a Sim compiles
// it.
#pragma once

#include <string>
#include <vector>

#include "haptos/options/live_options.h"
#include "haptos/options/newton_options.h"
#include "haptos/options/point_contact_options.h"
#include "haptos/options/solver_options.h"
#include "haptos/scene/spec.h"
#include "haptos/scene/tactile/tactile_sensor.h"

namespace haptos {

struct Scene {
  SimOptions sim;
  NewtonOptions newton;
  LiveOptions contact;                ///< of soft, affine and prescribed bodies
  PointContactOptions point_contact;  ///< of robots and rigid bodies
  SolverOptions solver;
  std::vector<SoftBody> soft;
  std::vector<PrescribedBody> prescribed;
  std::vector<MaterialPoints> material_points;
  std::vector<AffineBody> affine;
  std::vector<HalfSpace> half_spaces;
  std::vector<RobotBody> robots;
  std::vector<Constraint> constraints;
  std::vector<PairOptions> pairs;
  std::vector<TactileSensor> tactile;
  std::vector<SceneCamera> cameras;
  std::vector<std::string> warnings;  ///< sentences of whoever read its files; no part of the model
};

/// Calls f(list) for the entries of each kind: the one list of kinds. What a person describes of a
/// kind is its struct and its table of fields (scene/parts/field.h); readers, checks, entries, body
/// numbers and documentation fold over this list, and ask an overload for its parts where it has
/// some.
template <class S, class F>
void each_kind(S& scene, const F& f) {
  f(scene.prescribed);
  f(scene.soft);
  f(scene.material_points);
  f(scene.affine);
  f(scene.robots);
  f(scene.half_spaces);
  f(scene.constraints);
  f(scene.cameras);
}

/// A struct whose entries are bodies: contact knows them by number.
template <class S>
concept IsBody = requires(const S& s) {
  s.group;
};

/// Checks everything that can be known before compiling: names, references, numbers, meshes.
/// Throws InputError for the first thing that is wrong.
void validate(const Scene& scene);

/// What is odd about a scene but can be simulated, a sentence each: what the readers of its files
/// said (scene.warnings), bodies beyond 1e-6 to 1e4 m, open or inconsistent collider surfaces, and
/// what is hardly meant (doubts.h). With sim.strict compiling throws for the first.
std::vector<std::string> find_warnings(const Scene& scene);

}  // namespace haptos
