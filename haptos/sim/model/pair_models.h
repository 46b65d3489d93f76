// Which model of contact may hold between two kinds of body. A pair names its model in a word
// (`pairs: [{bodies: [gel, ball], model: mortar}]`); what the table does not have is refused.
#pragma once

#include <string>
#include <vector>

#include "haptos/scene/scene.h"

namespace haptos {

/// What bodies are to contact.
enum class PairKind : std::uint8_t {
  kSoft,
  kAffine,
  kPrescribed,
  kRobot,
  kHalfSpace,
  kParticles,
  kFrozenSoft
};

/// As sentences name it, with its article: "a soft body".
const char* pair_kind_name(PairKind kind);

struct PairModels {
  PairKind a, b;
  std::vector<const char*> models;  ///< words of `pairs.model`, the default first; none: no contact
};

/// A row for every two kinds, in either order.
const std::vector<PairModels>& pair_model_table();

/// The words for two kinds.
const std::vector<const char*>& models_of(PairKind a, PairKind b);

/// Refuses a pair whose model no two of the bodies that it names may have.
/// @throws InputError naming the pair, the word, and what those kinds take
void check_pair_model(const Scene& scene, const PairOptions& pair);

/// Width of the boundary layer of a shape of a body [m]: its own, or the body's.
inline double layer_of(const RobotBody& body, const RobotShape& shape) {
  return shape.layer >= 0 ? shape.layer : body.layer;
}
/// Pressure inside of a shape of a body: its own, or the body's.
inline const PressureLaw& hydroelastic_of(const RobotBody& body, const RobotShape& shape) {
  return shape.hydroelastic.modulus() >= 0 ? shape.hydroelastic : body.hydroelastic;
}
/// By how much such a shape gets smaller for its layer [m].
inline double shrink_of(const RobotBody& body, const RobotShape& shape) {
  return body.shrink ? layer_of(body, shape) : 0;
}
/// Of the widest boundary layer of a body's shapes, and of all of a scene [m]; 0: there is none.
double widest_layer(const RobotBody& body);
double widest_layer(const Scene& scene);
/// Of all of a scene, the largest hydroelastic modulus [Pa/m]; 0: nothing has a pressure field.
double largest_hydroelastic(const Scene& scene);
/// Whether bodies of a scene touch by points of theirs: material points, soft bodies in frozen
/// contact.
bool touches_by_points(const Scene& scene);

}  // namespace haptos
