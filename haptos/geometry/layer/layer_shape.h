// Shapes as boundary-layer contact takes them: a triangle soup and a radius about it.
//
//   sphere      its centre, and its radius          capsule    its axis, and its radius
//   half-space  a square of 10 km, facing outward    box, hull  their faces
//   mesh        itself, whatever it is; of points and segments alone, and their radius
//   height field  its cells, and a rim and a floor
//   cylinder, cone, ellipsoid: facets that leave the shape by a five-hundredth of its radius
#pragma once

#include <memory>
#include <string>

#include "haptos/geometry/shape/shape.h"
#include "haptos/geometry/soup/shrink.h"

namespace haptos {

class TriangleSoup;

struct LayerShape {
  std::shared_ptr<const TriangleSoup> soup;
  double radius = 0;  ///< that the soup stands for, beside its layer [m]
  Shrunk shrunk;      ///< what shrinking left
};

/// Shapes of one mesh share its soup, as long as one of them lives.
/// @param sheet  a mesh has two sides everywhere, even where it encloses a volume
/// @param shrink_by  what has an inside gets smaller by so much [m]: of balls, capsules and clouds
///        the radius
/// @throws InputError naming `element` as check_shape() and TriangleSoup
LayerShape layer_shape(const Shape& shape, const std::string& element, bool sheet = false,
                       double shrink_by = 0);

}  // namespace haptos
