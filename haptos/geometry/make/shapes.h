// Closed triangle surfaces made from a few numbers: solids and the press-test indenters; and pins.
//
// All surfaces but pins() are single closed manifolds facing outward, without self-intersection, in
// metres. Curved surfaces are inscribed: their vertices lie on the curve, so a facet of size s lies
// up to s^2 / (6 R) (edge s on radius R: s^2 / (8 R)) inside. `facet` is the longest edge aimed at
// [m].
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

/// A sphere about the origin from a subdivided icosahedron: nearly equal facets.
TriMesh icosphere(double radius, double facet);

/// A sphere about the origin from circles of latitude and longitude, poles on z.
TriMesh uv_sphere(double radius, double facet);

/// The lower part, z <= -radius + height, of a sphere about the origin, closed by a flat lid.
/// Rings of 8, 16, 24, ... vertices about the pole: equal facets, mirror symmetric in x and y.
/// @param height of the cap, 0 < height <= radius [m].
TriMesh sphere_lower_cap(double radius, double height, double facet);

/// A cylinder about z, centred at the origin.
TriMesh cylinder(double radius, double height, double facet);

/// A box centred at the origin with n[k] squares along axis k.
TriMesh box(const Vec3d& size, const Vec3i& n = {{1, 1, 1}});

/// A cone or frustum about z from z = 0 (radius_bottom) to z = height (radius_top, may be 0).
TriMesh cone(double radius_bottom, double radius_top, double height, double facet);

/// A capsule about z, centred at the origin; `length` is that of the cylinder between the balls.
TriMesh capsule(double radius, double length, double facet);

/// A torus about z, centred at the origin, major > minor.
TriMesh torus(double major, double minor, double facet);

/// A tube about z, centred at the origin.
TriMesh ring(double inner_radius, double outer_radius, double height, double facet);

/// A wedge: the right triangle (0,0), (size x, 0), (0, size z) in x, z, extruded over |y| <= size
/// y/2.
TriMesh wedge(const Vec3d& size);

/// A bed of pins, segments along z that end at z = 0 and start `length` below: count[0] x count[1]
/// of them, `spacing` apart about the z axis. No solid: for prescribed bodies.
TriMesh pins(const Vec2i& count, double spacing, double length);

/// The region inside a simple counter-clockwise polygon, less simple clockwise holes, from z0 to
/// z1. Throws InputError when the polygon crosses itself or has fewer than three corners.
TriMesh extrude(const std::vector<Vec2d>& outline, const std::vector<std::vector<Vec2d>>& holes,
                double z0, double z1);

/// Cuts every triangle into four, `levels` times; flat faces stay flat and edges stay shared.
TriMesh subdivide(const TriMesh& mesh, int levels);

/// Names of the press-test indenters, sorted.
const std::vector<std::string>& shape_names();

/// A press-test indenter: a solid 16 x 16 x 10 mm plate on z = 0 with a feature whose top is at
/// z = 20 mm.
/// @param facet longest edge aimed at on curved parts [m].
/// @param seed shape of "random".
/// Throws InputError naming the nearest known name when `name` is unknown.
TriMesh make_shape(std::string_view name, double facet = 0.5e-3, unsigned seed = 1);

}  // namespace haptos
