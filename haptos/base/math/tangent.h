// A direction across another one.
#pragma once

#include "haptos/base/math/math.h"

namespace haptos {

/// Unit, across the unit vector n: the world axis that is the farthest from n, made square to it.
/// The same for n and -n.
inline Vec3d tangent(const Vec3d& n) {
  int least = 0;
  for (int i = 1; i < 3; ++i)
    if (vabs(n[i]) < vabs(n[least])) least = i;
  Vec3d e = Vec3d::zero();
  e[least] = 1;
  return normalized(e - dot(e, n) * n);
}

}  // namespace haptos
