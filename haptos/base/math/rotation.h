// Rotations as unit quaternions w x y z (Hamilton), and rigid poses. Host only.
// R_WB turns coordinates of frame B into frame W: p_W = R_WB p_B + p_WB.
#pragma once

#include "haptos/base/math/elementary.h"

namespace haptos {

struct Quat {
  double w = 1, x = 0, y = 0, z = 0;
};

inline Quat operator*(const Quat& a, const Quat& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Quat conjugate(const Quat& q) { return {q.w, -q.x, -q.y, -q.z}; }
inline Quat normalized(const Quat& q) {
  const double s = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
  return {q.w * s, q.x * s, q.y * s, q.z * s};
}

/// The rotation matrix of a unit quaternion.
inline Mat3d to_matrix(const Quat& q) {
  const double w = q.w, x = q.x, y = q.y, z = q.z;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
           1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
           1 - 2 * (x * x + y * y)}};
}

/// The unit quaternion of a rotation matrix.
Quat quaternion(const Mat3d& r);

/// A rotation that turns z into the unit vector n.
Quat rotation_to(const Vec3d& n);

/// The rotation by |v| radians about v / |v|.
inline Quat rotation_by(const Vec3d& v) {
  const double angle = norm(v);
  double s, c;
  sin_cos(0.5 * angle, s, c);
  // sin(a/2)/a tends to 1/2; its series is exact to round-off below 1e-4.
  const double k = angle > 1e-4 ? s / angle : 0.5 - angle * angle / 48.0;
  return normalized({c, k * v[0], k * v[1], k * v[2]});
}

/// A rigid pose X_WB: p_W = R p_B + p.
struct Pose {
  Vec3d p{{0, 0, 0}};  ///< origin of B in W [m]
  Quat q;              ///< orientation of B in W
  Vec3d operator*(const Vec3d& x) const { return to_matrix(q) * x + p; }
};

/// X_WC = X_WB X_BC.
inline Pose compose(const Pose& a, const Pose& b) { return {a * b.p, normalized(a.q * b.q)}; }

/// Coordinates of the world point x in the frame of the pose.
inline Vec3d to_local(const Pose& pose, const Vec3d& x) {
  return transpose(to_matrix(pose.q)) * (x - pose.p);
}

/// A pose in the world as it is in a frame: compose(frame, seen_from(frame, x)) is x.
inline Pose seen_from(const Pose& frame, const Pose& x) {
  return {to_local(frame, x.p), normalized(conjugate(frame.q) * x.q)};
}

/// The pose a fraction s of the way from a to b: straight line, shortest turn at constant rate.
Pose interpolate(const Pose& a, const Pose& b, double s);

}  // namespace haptos
