// Four points of a rigid body whose path is prescribed: where its frame is, and how any of its
// points moves with them.
#pragma once

#include <array>
#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/system/points.h"

namespace haptos {

class RigidPoints {
 public:
  RigidPoints() = default;
  /// @param points  of the body
  /// @param local   where they are in its frame [m]; not all in one plane
  RigidPoints(const std::vector<int>& points, const std::vector<Vec3d>& local);

  /// Whether there are four points that span a volume.
  bool valid() const { return valid_; }
  /// The frame, from where the points are.
  Pose pose(const std::vector<Vec3d>& x) const;
  /// Weights with which the points move the body's point at `local`.
  std::array<Points::Part, 4> parts(const Vec3d& local) const;

 private:
  int point_[4] = {-1, -1, -1, -1};
  Vec3d local_[4];
  Mat3d inverse_;  // of the edges from the first point
  bool valid_ = false;
};

}  // namespace haptos
