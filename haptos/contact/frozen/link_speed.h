// How fast a part of a link moves.
#pragma once

#include <algorithm>
#include <cmath>

#include "haptos/geometry/query/bvh.h"
#include "haptos/system/link.h"

namespace haptos {

/// Of the corners of a world box on the link, at the start of the step [m/s]; 0 for what stands in
/// the world (nullptr) and for a box without bounds.
inline double largest_speed(const Link* link, const Aabb& box) {
  if (!link) return 0;
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(box.lo[k]) || !std::isfinite(box.hi[k])) return 0;
  double fastest = 0;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3d x;
    for (int k = 0; k < 3; ++k) x[k] = corner >> k & 1 ? box.hi[k] : box.lo[k];
    fastest = std::max(fastest, squared_norm(link->velocity(x)));
  }
  return sqrt(fastest);
}

}  // namespace haptos
