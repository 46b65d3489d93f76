// Neighbours, areas, normals and sharpness of a triangle surface, and the surface of a
// tetrahedral mesh.
//
// Edges are vertex pairs (low, high) in lexicographic order; lists of triangles and edges are in
// ascending order, so everything here is a function of the mesh alone. An edge may have any number
// of triangles.
//
// Sharpness, 0 (flat or concave) to 1 (a needle), says how much of a contact on a feature belongs
// to the feature itself rather than to the faces beside it:
//   edge:   (1 - cos(dihedral)) / 2 where convex, else 0;
//   vertex: 1 - |sum_i alpha_i n_i| / sum_i alpha_i over its triangles (alpha_i the angle at the
//           vertex, n_i the unit normal) where some neighbour lies below the tangent plane, else 0.
#pragma once

#include <span>
#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

/// Lists of indices, one after the other: list i is item[offset[i]] .. item[offset[i + 1]].
struct IndexLists {
  std::vector<int> offset;  ///< (n + 1)
  std::vector<int> item;

  int size() const { return offset.empty() ? 0 : static_cast<int>(offset.size()) - 1; }
  std::span<const int> operator[](int i) const {
    const auto k = static_cast<std::size_t>(i);
    return {item.data() + offset[k], item.data() + offset[k + 1]};
  }
};

/// What does not change while the surface deforms.
struct SurfaceTopology {
  std::vector<Vec2i> edges;           ///< vertex pairs (low, high), sorted, (E, 2)
  std::vector<Vec3i> triangle_edges;  ///< edge k joins corners k and (k + 1) % 3, (T, 3)
  IndexLists edge_triangles;          ///< E lists
  IndexLists vertex_triangles;        ///< V lists
  IndexLists vertex_edges;            ///< V lists
  std::vector<char> boundary_edge;    ///< 1 where the edge has one triangle, (E)
  std::vector<char> boundary_vertex;  ///< 1 where a boundary edge ends, (V)

  int boundary_edge_count = 0;
  int nonmanifold_edge_count = 0;  ///< edges with three or more triangles
  int misoriented_edge_count = 0;  ///< edges that two triangles run through in the same direction

  /// Whether every edge has two triangles that run through it in opposite directions.
  bool is_closed() const {
    return boundary_edge_count == 0 && nonmanifold_edge_count == 0 && misoriented_edge_count == 0;
  }
};

/// What follows from the positions.
struct SurfaceGeometry {
  std::vector<double> triangle_area;   ///< [m^2], (T)
  std::vector<Vec3d> triangle_normal;  ///< unit, outward; 0 for a triangle without area, (T, 3)
  std::vector<double> vertex_area;     ///< a third of the triangles around the vertex [m^2], (V)
  std::vector<Vec3d> vertex_normal;    ///< unit, weighted by angle; 0 where undefined, (V, 3)
  std::vector<double> edge_dihedral;   ///< [rad] in (-pi, pi]: 0 flat, > 0 convex; 0 on edges that
                                       ///< are not shared by exactly two triangles, (E)
  std::vector<double> edge_sharpness;  ///< 0 to 1, (E)
  std::vector<double> vertex_sharpness;  ///< 0 to 1, (V)
};

/// The neighbours of a surface.
/// Throws InputError when a triangle names a vertex that does not exist or names one twice.
SurfaceTopology surface_topology(const TriMesh& mesh);

/// Areas, normals, dihedral angles and sharpness. `topology` belongs to the same triangles.
SurfaceGeometry surface_geometry(const TriMesh& mesh, const SurfaceTopology& topology);

/// The vertices that no manifold fan of triangles surrounds: more than one fan meets there.
std::vector<int> pinched_vertices(const TriMesh& mesh, const SurfaceTopology& topology);

/// Volume enclosed by a closed surface [m^3]; positive when its triangles face outward.
double enclosed_volume(const TriMesh& mesh);

/// Sum of the triangles' areas [m^2].
double surface_area(const TriMesh& mesh);

/// The faces that belong to one tetrahedron only, facing outward, in the order of the tetrahedra;
/// vertices keep the order they have in the volume.
/// @param surface_to_volume receives, per surface vertex, its vertex in the volume; may be null.
/// Throws InputError when a tetrahedron names a vertex that does not exist.
TriMesh boundary_surface(const TetMesh& mesh, std::vector<int>* surface_to_volume);

}  // namespace haptos
