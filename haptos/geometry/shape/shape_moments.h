// Mass and moments of shapes: closed forms for primitives, sums over triangles for meshes.
//
// Of density rho, about the shape's own origin (m mass, I diagonal tensor about the centre):
//   sphere     m = 4/3 pi r^3 rho                 I = 2/5 m r^2
//   box        m = 8 a b c rho                    Ix = m (b^2 + c^2) / 3
//   cylinder   m = 2 pi r^2 l rho                 Ix = m (r^2/4 + l^2/3), Iz = m r^2/2
//   capsule    a cylinder and two half balls, whose centres lie 3/8 r beyond its ends
//   cone       m = 2/3 pi r^2 l rho               Ix = m 3/20 (r^2 + l^2), Iz = 3/10 m r^2, centre
//              at z = -l/2
//   ellipsoid  m = 4/3 pi a b c rho               Ix = m (b^2 + c^2) / 5
#pragma once

#include <optional>

#include "haptos/base/math/rotation.h"
#include "haptos/geometry/mesh/mass_properties.h"
#include "haptos/geometry/shape/shape.h"

namespace haptos {

/// Of the solid that a shape is, about its own origin. A hull or mesh counts as the solid that its
/// triangles enclose; a hull whose mesh is not closed as the hull. Nothing for what has no volume:
/// half-spaces, height fields, meshes that are not closed, and shapes without their mesh.
/// @param density  [kg/m3]
std::optional<Moments> shape_moments(const Shape& shape, double density);

/// Moments given in a frame B, in the frame that X_AB = pose leads to.
Moments moved(const Moments& moments, const Pose& pose);

}  // namespace haptos
