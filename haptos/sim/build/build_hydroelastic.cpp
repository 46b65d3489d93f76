// Hydroelastic contact, from the model to its term.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/hydroelastic/hydroelastic_sampler.h"
#include "haptos/sim/build/frozen_shapes.h"
#include "haptos/sim/model/pair_models.h"
#include "haptos/sim/model/pairs.h"
#include "haptos/sim/model/pressed_inside.h"
#include "haptos/sim/workspace.h"

namespace haptos {
void add_hydroelastic_contact(const Model& model, const FrozenShapes& f, Workspace& w) {
  const Scene& scene = model.scene;
  if (!(largest_hydroelastic(scene) > 0)) return;
  std::vector<CarriedShape> shapes;
  shapes.reserve(f.shapes.size() + scene.prescribed.size());
  for (const PointShape& s : f.shapes) shapes.push_back(carried_shape(s));
  std::vector<std::array<int, 2>> excluded = f.excluded;
  PairFrictions own = f.own;
  std::vector<const std::string*> owner = f.owner;
  for (std::size_t i = 0; i < scene.prescribed.size(); ++i) {
    if (!model.prescribed_fields[i]) continue;
    const std::string& name = scene.prescribed[i].name;
    const int number = static_cast<int>(shapes.size());
    shapes.push_back(carried_shape(model, w, i));
    owner.push_back(&name);
    for (int k = 0; k < static_cast<int>(f.shapes.size()); ++k) {
      const std::string& other = *f.owner[at_index(k)];
      if (!may_touch(scene, name, other) ||
          !meet_by_pressure(scene, name, shapes.back(), other, f.shapes[at_index(k)]))
        excluded.push_back({k, number});
      const PairOptions* p = pair_options(scene, name, other);
      if (p && p->friction.sticking >= 0) own.push_back({{k, number}, sliding(p->friction)});
    }
  }
  if (shapes.size() < 2) return;
  add_frozen(
      model, own, owner,
      std::make_unique<HydroelasticContact>(shapes, scene.point_contact, std::move(excluded)), w);
}

}  // namespace haptos
