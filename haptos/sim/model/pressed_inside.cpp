#include "haptos/sim/model/pressed_inside.h"

#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/sim/model/pair_models.h"
#include "haptos/sim/model/pairs.h"

namespace haptos {

FrozenSurface pressed_inside(const Model& model, std::size_t prescribed) {
  FrozenSurface s;
  if (model.prescribed_fields.empty()) return s;
  s.field = model.prescribed_fields[prescribed];
  s.env = 0;
  s.friction = sliding(model.scene.prescribed[prescribed].friction);
  s.hydroelastic = model.scene.prescribed[prescribed].hydroelastic;
  return s;
}

FrozenSurface pressed_inside(const Model& model, std::size_t robot, int link, int shape) {
  FrozenSurface s;
  const RobotModel& r = model.robots[robot];
  if (r.fields.empty()) return s;
  s.field = r.fields[at_index(link)][at_index(shape)];
  s.hydroelastic = hydroelastic_of(model.scene.robots[robot],
                                   r.robot.links[at_index(link)].collisions[at_index(shape)]);
  return s;
}

std::shared_ptr<const DistanceField> field_inside(const Shape& shape, double resolution,
                                                  const PressureLaw& law,
                                                  const std::string& element) {
  try {
    return std::make_shared<DistanceField>(shape, static_cast<int>(std::lround(resolution)),
                                           element);
  } catch (const InputError&) {
    if (law.modulus() > 0) throw;
    return nullptr;
  }
}

bool meet_by_pressure(const Scene& scene, const std::string& a, const FrozenSurface& inside_a,
                      const std::string& b, const FrozenSurface& inside_b) {
  if (!meet_by_pressure(inside_a, inside_b)) return false;
  const PairOptions* p = pair_options(scene, a, b);
  return !p || (p->model != static_cast<int>(PairModel::kBarrier) &&
                p->model != static_cast<int>(PairModel::kMortar));
}

}  // namespace haptos
