// What a shape is by itself: valid or not, its surface for drawing. Its box is in
// geometry/shape/shape_bounds.h, its mass and moments are in geometry/shape/shape_moments.h.
#pragma once

#include <string>

#include "haptos/geometry/shape/shape.h"

namespace haptos {

/// Throws InputError naming `element` when a size is not a finite number above 0 (the half length
/// of a capsule may be 0), a mesh is missing, empty or names vertices it does not have, the
/// vertices of a hull lie in a plane, or a height field has fewer than two rows or columns, no
/// spacing, or the wrong number of heights.
void check_shape(const Shape& shape, const std::string& element);

/// A closed outward surface; a mesh is returned as it is.
/// @param facet longest edge aimed at on curved parts [m]
/// @param half_width of the plate drawn for a half-space [m]
TriMesh shape_mesh(const Shape& shape, double facet, double half_width = 1);

}  // namespace haptos
