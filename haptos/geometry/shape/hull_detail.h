// Triangles of a hull to polygons with their neighbours. Not for users.
#pragma once

#include "haptos/geometry/shape/hull.h"

namespace haptos::detail {

/// The polytope whose surface is `triangles`: those within `flat` [m] of one plane become one face,
/// vertices in the interior of a face or of an edge are left out.
Polytope merge_faces(const std::vector<Vec3d>& points, const std::vector<Vec3i>& triangles,
                     double flat);

/// Fills around, around_start, neighbours and neighbour_start from the faces, and from further
/// edges inside faces, which climbing needs where these are flat only but for round-off.
void link(Polytope& p, const std::vector<Vec2i>& edges = {});

}  // namespace haptos::detail
