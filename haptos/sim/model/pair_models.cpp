#include "haptos/sim/model/pair_models.h"

#include <algorithm>
#include <set>

#include "haptos/base/text/refuse.h"
#include "haptos/scene/parts/field_rules.h"
#include "haptos/sim/model/robots.h"

namespace haptos {
namespace {

// Kinds of the bodies that a name means: a body, a link, or all of a group.
std::set<PairKind> kinds_of(const Scene& s, const std::string& name) {
  std::set<PairKind> kinds;
  const auto look = [&](const auto& list, PairKind kind) {
    for (const auto& b : list)
      if (b.name == name || b.group == name) kinds.insert(kind);
  };
  for (const SoftBody& b : s.soft)
    if (b.name == name || b.group == name)
      kinds.insert(b.is_frozen() ? PairKind::kFrozenSoft : PairKind::kSoft);
  look(s.affine, PairKind::kAffine);
  look(s.prescribed, PairKind::kPrescribed);
  look(s.robots, PairKind::kRobot);
  look(s.half_spaces, PairKind::kHalfSpace);
  look(s.material_points, PairKind::kParticles);
  if (kinds.empty() && find_link(s, name).robot >= 0) kinds.insert(PairKind::kRobot);
  return kinds;
}

// Of a body the largest that any of its shapes has.
double modulus(const RobotBody& b) {
  double most = b.hydroelastic.modulus();
  for (const RobotLink& l : b.robot.links)
    for (const RobotShape& c : l.collisions) most = std::max(most, c.hydroelastic.modulus());
  return most;
}
double modulus(const HalfSpace& h) { return h.hydroelastic.modulus(); }
double modulus(const PrescribedBody& b) { return b.hydroelastic.modulus(); }
double layer(const RobotBody& b) { return widest_layer(b); }
double layer(const PrescribedBody&) { return 0; }
double layer(const HalfSpace& h) { return h.layer; }

// The largest of the bodies that a name means.
template <class F>
double most_of(const Scene& s, const std::string& name, const F& value) {
  double most = 0;
  const auto look = [&](const auto& list) {
    for (const auto& b : list)
      if (b.name == name || b.group == name) most = std::max(most, value(b));
  };
  look(s.robots), look(s.half_spaces), look(s.prescribed);
  if (const LinkName link = find_link(s, name); link.robot >= 0)
    most = std::max(most, value(s.robots[static_cast<std::size_t>(link.robot)]));
  return most;
}

// The widest boundary layer [m].
double layer_of(const Scene& s, const std::string& name) {
  return most_of(s, name, [](const auto& b) { return layer(b); });
}

// The largest hydroelastic modulus [Pa/m].
double modulus_of(const Scene& s, const std::string& name) {
  return most_of(s, name, [](const auto& b) { return modulus(b); });
}

bool has_word(const std::vector<const char*>& words, const std::string& word) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}

// "a soft body and a half-space: barrier"
std::string said(PairKind a, PairKind b) {
  std::string models;
  for (const char* w : models_of(a, b)) models += (models.empty() ? "" : " or ") + std::string(w);
  return std::string(pair_kind_name(a)) + " and " + pair_kind_name(b) + " take " +
         (models.empty() ? "none" : models);
}

}  // namespace

const char* pair_kind_name(PairKind kind) {
  switch (kind) {
    case PairKind::kSoft:
      return "a soft body";
    case PairKind::kAffine:
      return "an affine body";
    case PairKind::kPrescribed:
      return "a prescribed body";
    case PairKind::kRobot:
      return "a robot";
    case PairKind::kParticles:
      return "a body of material points";
    case PairKind::kFrozenSoft:
      return "a soft body in frozen contact";
    case PairKind::kHalfSpace:
      break;
  }
  return "a half-space";
}

const std::vector<PairModels>& pair_model_table() {
  using K = PairKind;
  static const std::vector<PairModels> table = {
      {K::kSoft, K::kSoft, {"barrier", "mortar"}},
      {K::kSoft, K::kAffine, {"barrier", "mortar"}},
      {K::kSoft, K::kPrescribed, {"barrier", "mortar"}},
      {K::kSoft, K::kRobot, {"barrier", "mortar"}},
      {K::kSoft, K::kHalfSpace, {"barrier"}},
      {K::kAffine, K::kAffine, {"barrier", "mortar"}},
      {K::kAffine, K::kPrescribed, {"barrier", "mortar"}},
      {K::kAffine, K::kRobot, {"barrier", "mortar"}},
      {K::kAffine, K::kHalfSpace, {"barrier"}},
      {K::kPrescribed, K::kPrescribed, {}},
      {K::kPrescribed, K::kRobot, {"barrier", "mortar", "hydroelastic"}},
      {K::kPrescribed, K::kHalfSpace, {}},
      {K::kRobot, K::kRobot, {"point", "layer", "hydroelastic"}},
      {K::kRobot, K::kHalfSpace, {"point", "layer", "hydroelastic"}},
      {K::kHalfSpace, K::kHalfSpace, {}},
      {K::kParticles, K::kParticles, {}},
      {K::kParticles, K::kSoft, {}},
      {K::kParticles, K::kAffine, {}},
      {K::kParticles, K::kPrescribed, {"point"}},
      {K::kParticles, K::kRobot, {"point"}},
      {K::kParticles, K::kHalfSpace, {"point"}},
      {K::kFrozenSoft, K::kFrozenSoft, {"point"}},
      {K::kFrozenSoft, K::kSoft, {}},
      {K::kFrozenSoft, K::kAffine, {}},
      {K::kFrozenSoft, K::kParticles, {"point"}},
      {K::kFrozenSoft, K::kPrescribed, {"point"}},
      {K::kFrozenSoft, K::kRobot, {"point"}},
      {K::kFrozenSoft, K::kHalfSpace, {"point"}},
  };
  return table;
}

const std::vector<const char*>& models_of(PairKind a, PairKind b) {
  static const std::vector<const char*> none;
  for (const PairModels& row : pair_model_table())
    if ((row.a == a && row.b == b) || (row.a == b && row.b == a)) return row.models;
  return none;
}

void check_pair_model(const Scene& scene, const PairOptions& pair) {
  if (pair.model < 0) return;
  const std::string word =
      words_of(*find_field<PairOptions>("model")).at(static_cast<std::size_t>(pair.model));
  const bool layered = layer_of(scene, pair.a) + layer_of(scene, pair.b) > 0;
  const std::string element = "contact pair \"" + pair.a + "\" and \"" + pair.b + "\" model";
  if (word == "layer" && !layered)
    refuse(element, word, "needs a boundary layer, and both have a width of 0",
           "give one of them a layer, such as 2.5 mm");
  if (word == "point" && layered)
    refuse(element, word, "is no contact of bodies of which one has a boundary layer",
           "leave the model out, or the layer");
  const bool pressed = modulus_of(scene, pair.a) + modulus_of(scene, pair.b) > 0;
  if (word == "hydroelastic" && !pressed)
    refuse(element, word, "needs a pressure field, and both are rigid",
           "give one of them a hydroelastic modulus, such as 1e7 Pa/m");
  if ((word == "point" || word == "layer") && pressed)
    refuse(element, word, "is no contact of bodies of which one has a hydroelastic modulus",
           "leave the model out, or the modulus");
  std::string others;
  // A surface meets itself in barrier contact.
  const bool self =
      pair.a == pair.b && std::any_of(scene.soft.begin(), scene.soft.end(),
                                      [&](const SoftBody& b) { return b.name == pair.a; });
  if (self && word != "barrier") others = "a soft body and itself take barrier";
  if (!self)
    for (const PairKind a : kinds_of(scene, pair.a))
      for (const PairKind b : kinds_of(scene, pair.b)) {
        if (has_word(models_of(a, b), word)) return;
        others += (others.empty() ? "" : "; ") + said(a, b);
      }
  if (others.empty()) return;
  refuse(element, word, "is no contact of theirs: " + others,
         "leave it out, or name what they take");
}

bool touches_by_points(const Scene& scene) {
  return !scene.material_points.empty() ||
         std::any_of(scene.soft.begin(), scene.soft.end(),
                     [](const SoftBody& b) { return b.is_frozen(); });
}

double widest_layer(const RobotBody& body) {
  double widest = body.layer;
  for (const RobotLink& l : body.robot.links)
    for (const RobotShape& c : l.collisions) widest = std::max(widest, c.layer);
  return widest;
}

double largest_hydroelastic(const Scene& scene) {
  double most = 0;
  for (const RobotBody& b : scene.robots) most = std::max(most, modulus(b));
  for (const HalfSpace& h : scene.half_spaces) most = std::max(most, h.hydroelastic.modulus());
  for (const PrescribedBody& b : scene.prescribed) most = std::max(most, b.hydroelastic.modulus());
  return most;
}

double widest_layer(const Scene& scene) {
  double widest = 0;
  for (const RobotBody& b : scene.robots) widest = std::max(widest, widest_layer(b));
  for (const HalfSpace& h : scene.half_spaces) widest = std::max(widest, h.layer);
  return widest;
}

}  // namespace haptos
