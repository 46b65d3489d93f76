// Where a shape is that a link carries, the points of a prescribed body, or nothing.
#pragma once

#include <vector>

#include "haptos/contact/frozen/rigid_points.h"
#include "haptos/contact/frozen/sampler.h"

namespace haptos {

/// Where the step starts.
/// @param frame   of the shape in the link's frame, or in the world
/// @param points  valid where it is a prescribed body, in whose frame it is given
inline Pose carried_pose(const FrozenSurface& s, const Pose& frame, const RigidPoints& points,
                         const StepContext& context) {
  if (s.link) return compose(s.link->pose(), frame);
  return points.valid() ? points.pose(context.points->x_start) : frame;
}

/// Where the step ends with the velocities z: of a link that stays at `now` without them, of a
/// prescribed body where it is sent.
inline Pose carried_pose_after(const FrozenSurface& s, const Pose& frame, const RigidPoints& points,
                               const StepContext& context, const std::vector<double>* z,
                               const Pose& now) {
  if (s.link) return z ? compose(s.link->pose_after(*z, context.h), frame) : now;
  return points.valid() ? points.pose(context.points->x_target) : now;
}

}  // namespace haptos
