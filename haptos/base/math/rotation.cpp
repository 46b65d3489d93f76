#include "haptos/base/math/rotation.h"

#include <cmath>

namespace haptos {

Quat quaternion(const Mat3d& r) {
  // From the largest of w, x, y, z, so that nothing cancels (Shepperd 1978).
  const double t = r(0, 0) + r(1, 1) + r(2, 2);
  Quat q;
  if (t >= r(0, 0) && t >= r(1, 1) && t >= r(2, 2)) {
    q = {1 + t, r(2, 1) - r(1, 2), r(0, 2) - r(2, 0), r(1, 0) - r(0, 1)};
  } else if (r(0, 0) >= r(1, 1) && r(0, 0) >= r(2, 2)) {
    q = {r(2, 1) - r(1, 2), 1 + 2 * r(0, 0) - t, r(0, 1) + r(1, 0), r(0, 2) + r(2, 0)};
  } else if (r(1, 1) >= r(2, 2)) {
    q = {r(0, 2) - r(2, 0), r(0, 1) + r(1, 0), 1 + 2 * r(1, 1) - t, r(1, 2) + r(2, 1)};
  } else {
    q = {r(1, 0) - r(0, 1), r(0, 2) + r(2, 0), r(1, 2) + r(2, 1), 1 + 2 * r(2, 2) - t};
  }
  q = normalized(q);
  return q.w < 0 ? Quat{-q.w, -q.x, -q.y, -q.z} : q;
}

Quat rotation_to(const Vec3d& n) {
  // About z x n; from below about x, so that nothing cancels.
  return n[2] >= 0 ? normalized({1 + n[2], -n[1], n[0], 0})
                   : normalized({-n[1], 1 - n[2], 0, n[0]});
}

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
