// The axis-aligned box of a shape at a pose.
//
//   half extent along axis k, with r row k of the rotation:
//   box        |r_x| a + |r_y| b + |r_z| c          ellipsoid  sqrt((r_x a)^2 + (r_y b)^2 + (r_z
//   c)^2) capsule    r + |r_z| l                          cylinder   r sqrt(1 - r_z^2) + |r_z| l
#pragma once

#include "haptos/base/math/rotation.h"
#include "haptos/geometry/query/bvh.h"
#include "haptos/geometry/shape/shape.h"

namespace haptos {

/// The smallest box around a shape, axes of the frame that `pose` places it in [m]; for a height
/// field the box around its box. Infinite sides where it is endless, empty without its mesh.
Aabb shape_bounds(const Shape& shape, const Pose& pose = {});

/// The box around a box at a pose; an empty one stays empty.
Aabb moved_bounds(const Aabb& box, const Pose& pose);

}  // namespace haptos
