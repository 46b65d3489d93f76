#include "haptos/contact/frozen/coat/coat_carry.h"

#include "haptos/base/math/index.h"

namespace haptos {

CoatCarry carry_of(const CoatCompliance& coat, const std::vector<int>& nodes,
                   const std::vector<double>& force, const std::vector<Vec3d>& displaced) {
  CoatCarry c;
  Vec3d normal = Vec3d::zero();
  double all = 0;
  const auto along = [&](std::size_t i) {
    return displaced[i] - dot(displaced[i], coat.normal[i]) * coat.normal[i];
  };
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const std::size_t i = at_index(nodes[k]);
    all += force[k];
    c.middle += force[k] * coat.rest[i];
    c.by += force[k] * along(i);
    normal += force[k] * coat.normal[i];
  }
  if (!(all > 0)) return {};
  c.middle = (1 / all) * c.middle, c.by = (1 / all) * c.by;
  normal = normalized(normal);
  double moment = 0, inertia = 0;  // a node is as wide as its hat
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const std::size_t i = at_index(nodes[k]);
    const Vec3d arm = coat.rest[i] - c.middle;
    moment += force[k] * dot(normal, cross(arm, along(i)));
    inertia += force[k] * (squared_norm(arm) + coat.area[i]);
  }
  c.turn = (moment / inertia) * normal;
  return c;
}

}  // namespace haptos
