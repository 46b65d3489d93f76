// How far an edge or a corner stands out against a surface, 0 to 1: how much of the load that meets
// it faces do not carry.
//
// Faces that rise from a feature with slope s carry, at a pressure of kappa d, a strip d / s wide.
// A feature that stands on elements of size L takes a share of the load of one of them, so faces
// are enough while d / s is more than L, and with
//
//   r = s L / (2 d),    w = H((r - 1/2) / (3/2)),    H(t) = 3 t^2 - 2 t^3 from 0 to 1
//
// a flat or concave edge has weight 0, and so has the rim of a face that lies flush; a ridge whose
// two sides rise, or the tip of a cone, has 1. Slopes are taken against the normal of what the
// feature meets.
#pragma once

#include "haptos/contact/surface.h"

namespace haptos {

/// w of a slope s; size L and support d [m].
double exposed(double slope, double size, double support);

/// Least slope of the triangles beside an edge against a plane of unit normal n that faces it; 0
/// where one falls towards the plane; without triangles very large.
double edge_slope(const ContactSurface& s, const std::vector<Vec3d>& x, int edge, const Vec3d& n);

/// Least slope of the edges at a vertex; as edge_slope().
double vertex_slope(const ContactSurface& s, const std::vector<Vec3d>& x, int vertex,
                    const Vec3d& n);

}  // namespace haptos
