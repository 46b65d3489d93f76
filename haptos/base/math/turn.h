// The turn between two orientations of the host's quaternions.
#pragma once

#include "haptos/base/math/quaternion.h"
#include "haptos/base/math/rotation.h"

namespace haptos {

/// The shortest turn that takes the orientation a to b, as a rotation vector in the world [rad].
inline Vec3d turn_between(const Quat& a, const Quat& b) {
  const Quat turn = b * conjugate(a);
  return rotation_log(Quaternion<double>{{turn.w, turn.x, turn.y, turn.z}});
}

}  // namespace haptos
