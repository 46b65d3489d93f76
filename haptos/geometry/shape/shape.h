// A shape as a person describes it: what a collision or a visual geometry is made of. All shapes
// are centred in their own frame; axes of revolution are z.
//
//   sphere      radius                         x^2 + y^2 + z^2 <= r^2
//   box         half extents                   |x| <= a, |y| <= b, |z| <= c
//   capsule     radius, half length            within r of the segment z = -l .. l
//   cylinder    radius, half length            x^2 + y^2 <= r^2, |z| <= l
//   cone        radius, half height            base of radius r at z = -l, tip at z = l
//   ellipsoid   semi-axes                      (x/a)^2 + (y/b)^2 + (z/c)^2 <= 1
//   half-space  (nothing)                      z <= 0
//   hull        the convex hull of the vertices of `mesh`
//   mesh        the surface `mesh` as it is; points and segments of a mesh without triangles are
//               balls and rods of a radius, which touch by a boundary layer only
//   field       heights over a grid in x and y (HeightField)
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

enum class ShapeKind : std::uint8_t {
  kSphere,
  kBox,
  kCapsule,
  kCylinder,
  kCone,
  kEllipsoid,
  kHalfSpace,
  kHull,
  kMesh,
  kHeightField,
};

/// Heights at the nodes of a grid centred on the origin: z = height[row * columns + column] at
/// x = (column - (columns - 1) / 2) * spacing[0], y = (row - (rows - 1) / 2) * spacing[1]; every
/// cell is two triangles that share the diagonal from (row, column) to (row + 1, column + 1).
struct HeightField {
  int rows = 0, columns = 0;
  double spacing[2] = {0, 0};  ///< [m]
  std::vector<double> height;  ///< (rows * columns) [m]
};

struct Shape {
  ShapeKind kind = ShapeKind::kSphere;
  Vec3d size{{0, 0, 0}};  ///< see above; unused entries are zero [m]
  std::shared_ptr<const TriMesh> mesh;
  std::shared_ptr<const HeightField> field;
};

}  // namespace haptos
