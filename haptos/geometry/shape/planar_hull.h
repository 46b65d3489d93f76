// Corners of the outline of points in a plane.
#pragma once

#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

/// Indices of the corners of the convex hull of `x`, counter-clockwise; what lies between two of
/// them is none, to the last bit. One point has one corner, points on a line have two.
/// @param order  memory to work in
void planar_hull(const std::vector<Vec2d>& x, std::vector<int>& order, std::vector<int>& hull);

}  // namespace haptos
