#include "haptos/scene/kinds/camera.h"

namespace haptos {

Pose camera_pose(const SceneCamera& camera) {
  if (!camera.look_at) return camera.pose;
  const Vec3d z = normalized(*camera.look_at - camera.pose.p);
  // Straight up or down the rows run along x.
  const Vec3d across = cross(z, Vec3d{{0, 0, 1}});
  const Vec3d x = norm(across) > 1e-9 ? normalized(across) : Vec3d{{1, 0, 0}};
  const Vec3d y = cross(z, x);
  return {camera.pose.p, quaternion(Mat3d{{x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]}})};
}

}  // namespace haptos
