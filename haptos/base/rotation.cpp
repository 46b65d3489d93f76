#include "haptos/base/rotation.h"

#include <cmath>

namespace haptos {

Pose interpolate(const Pose& a, const Pose& b, double s) {
  Pose r;
  r.p = a.p * (1 - s) + b.p * s;
  Quat d = b.q * conjugate(a.q);
  if (d.w < 0) d = {-d.w, -d.x, -d.y, -d.z};
  const Vec3d v{{d.x, d.y, d.z}};
  const double n = norm(v);
  // atan2 is host libm: poses of prescribed bodies are input, computed once per step.
  const double angle = 2 * std::atan2(n, d.w);
  r.q = n > 1e-14 ? rotation_by(v * (s * angle / n)) * a.q : a.q;
  return r;
}

}  // namespace haptos
