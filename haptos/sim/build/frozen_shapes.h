// The shapes of frozen contact: those of robots, and half-spaces. What build_contact.cpp collects
// and the terms of each model are made of.
#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "haptos/contact/frozen/carried_shape.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "haptos/geometry/layer/layer_shape.h"
#include "haptos/sim/model/model.h"

namespace haptos {

struct Workspace;

/// Of two surfaces of a term their own friction.
using PairFrictions = std::vector<std::pair<std::array<int, 2>, double>>;

struct FrozenShapes {
  std::vector<PointShape> shapes;
  std::vector<LayerShape> layers;            ///< as shapes; empty: nothing has a layer
  std::vector<const std::string*> owner;     ///< of each shape: what pairs name
  std::vector<std::array<int, 2>> excluded;  ///< pairs that never touch
  PairFrictions own;                         ///< friction that pairs set
};

/// Whether a soft body is a layer whose coat touches.
inline bool has_coats(const Model& model) {
  return std::any_of(model.coats.begin(), model.coats.end(), [](const auto& c) { return !!c; });
}

/// Adds a contact term to a workspace; of frozen contact with what pairs set, and the names of the
/// bodies that its surfaces are of.
void add_contact(Workspace& w, std::unique_ptr<ContactTerm> term);
void add_frozen(const Model& model, const PairFrictions& own,
                const std::vector<const std::string*>& owner, std::unique_ptr<FrozenContact> term,
                Workspace& w);

/// A shape on a link or in the world, and a prescribed body of a model that has their fields, for
/// models whose shapes need no more. A prescribed body that spans no volume has no field.
CarriedShape carried_shape(const PointShape& s);
CarriedShape carried_shape(const Model& model, const Workspace& w, std::size_t prescribed);

/// All of these shapes, then prescribed bodies: what touches the clouds and coats of others.
struct CarriedShapes {
  std::vector<CarriedShape> shapes;
  std::vector<const std::string*> owner;  ///< of each: what pairs name
};
CarriedShapes carried_shapes(const Model& model, const FrozenShapes& f, const Workspace& w);

/// Hydroelastic contact of these shapes and of prescribed bodies with them
/// (sim/build/build_hydroelastic.cpp).
void add_hydroelastic_contact(const Model& model, const FrozenShapes& f, Workspace& w);

/// Contact of material points and of soft bodies with these shapes and with prescribed bodies
/// (sim/build/build_clouds.cpp).
void add_cloud_contact(const Model& model, const FrozenShapes& f, Workspace& w);

/// What of these shapes and of prescribed bodies parts material points by being thin
/// (sim/build/build_walls.cpp).
void add_walls(const Model& model, const FrozenShapes& f, Workspace& w);

/// Contact of coats with these shapes and with prescribed bodies (sim/build/build_coats.cpp).
void add_coat_contact(const Model& model, const FrozenShapes& f, Workspace& w);

}  // namespace haptos
