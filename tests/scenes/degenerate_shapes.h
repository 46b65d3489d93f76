// Shapes for scenes whose contact is degenerate: spikes, wedges and the fixtures they stand on, as
// few tetrahedra and triangles as the shape allows.
//
// z is up. A solid stands on z = 0 unless said; lengths are metres. Sizes follow the description
// of K. Erleben, "Methodology for assessing mesh-based contact point methods", ACM Transactions on
// Graphics 37 (2018); the meshes are made here.
#pragma once

#include "haptos/geometry/mesh.h"

namespace haptos::test {

/// A pyramid on the square |x|, |y| <= .5 with its apex at z = 3: two tetrahedra.
TetMesh spike();
/// A roof on |x| <= .5, |y| <= 1 with its ridge along y at z = 3: three tetrahedra.
TetMesh wedge_roof();
/// A box of n[k] cells along axis k, centred in x and y: six tetrahedra a cell.
TetMesh grid(const Vec3d& size, const Vec3i& n);
/// A unit cube of 24 tetrahedra about its centre, four on each face: as symmetric as a cube.
TetMesh symmetric_cube();
/// A box of n cells like symmetric_cube(), on z = 0, and a ball that is such a cube blown up: both
/// are their own mirror images in x, y and z.
TetMesh mirror_grid(const Vec3d& size, const Vec3i& n);
TetMesh mirror_ball(double radius, int n);
/// A ball of two layers: a shell of prisms about a core of tetrahedra that meet at the centre.
TetMesh ball(double radius, double facet);
/// A cube with a cube on each of its six sides, on z = 0.
TetMesh jack(double cell);

/// The same turned upside down, its lowest point at z = 0.
TetMesh upside_down(TetMesh m);
/// The outer surface, facing outward.
TriMesh surface_of(const TetMesh& m);

/// A frustum of height 1 with a top of |x|, |y| <= .5 and a base of .75.
TriMesh cliff();
/// A box |x|, |y| <= 1, 1 high, whose flat top is cut into triangles that share no symmetry with a
/// cube on it.
TriMesh internal_edges();
/// A slab |x| <= 1, |y| <= 2 from z = -.25 to 1 with a V groove of this width along y, its bottom
/// at z = 0.
TriMesh crack(double width);
/// A slab |x|, |y| <= 1 from z = 1 to 2 with a square hole of side .5 through it.
TriMesh hole();
/// A slab of half-width `reach` with its top at z = 0 in two triangles.
TriMesh slab(double reach);

}  // namespace haptos::test
