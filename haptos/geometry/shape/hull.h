// Convex hull of points, and convex polytopes as the collision code reads them.
//
// Quickhull with exact orientation tests (geometry/query/exact.h): a point is outside a triangle
// when the exact determinant says so, hence the triangles always form a closed surface without
// degenerate ones, whatever the input. Triangles in one plane (within 2e-6 of the extent, so that
// flat parts of meshes in single precision are one) are then merged into polygons, the faces;
// vertices inside a face or an edge are left out.
//
// Source: Barber, Dobkin, Huhdanpaa, The quickhull algorithm for convex hulls, 1996.
// Limits: points closer than 1e-9 of the extent count as one. Fewer than four points, points on a
// line or in a plane (thinner than 1e-9 of the extent) are an InputError.
#pragma once

#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

/// Arrays of a convex polytope, owned elsewhere. Faces are counter-clockwise from outside.
struct PolytopeView {
  int vertex_count = 0, face_count = 0;
  double flatness = 0;                   ///< by how much vertices miss the plane of their face [m]
  const Vec3d* vertices = nullptr;       ///< [m]
  const Vec3d* normals = nullptr;        ///< of faces, unit, outward
  const int* face_start = nullptr;       ///< (face_count + 1) into face_vertices
  const int* face_vertices = nullptr;    ///< vertex indices, face after face
  const int* around_start = nullptr;     ///< (vertex_count + 1) into around
  const int* around = nullptr;           ///< faces at a vertex
  const int* neighbour_start = nullptr;  ///< (vertex_count + 1) into neighbours
  const int* neighbours = nullptr;       ///< vertices joined to a vertex by an edge
};

struct Polytope {
  std::vector<Vec3d> vertices, normals;
  std::vector<int> face_start, face_vertices;
  std::vector<int> around_start, around;
  std::vector<int> neighbour_start, neighbours;
  double flatness = 0;

  PolytopeView view() const;
  /// The closed surface, faces cut into triangles.
  TriMesh mesh() const;
};

/// The convex hull of points [m]. Throws InputError (see above), also for coordinates that are not
/// finite.
Polytope convex_hull(const std::vector<Vec3d>& points);

/// The box |x_k| <= half[k] with faces -x, +x, -y, +y, -z, +z and vertex i at the signs of the bits
/// of i (bit k set: positive along k).
Polytope box_polytope(const Vec3d& half);

/// The extreme vertex along d; climbs along edges from `start` when there are many.
int support_vertex(const PolytopeView& p, const Vec3d& d, int start = 0);

}  // namespace haptos
