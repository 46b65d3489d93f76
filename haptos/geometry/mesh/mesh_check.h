// What is wrong with a mesh, in numbers and in plain sentences.
//
// check_surface() and check_volume() take any arrays, however broken, and only report.
// require_contact_surface() and require_volume() refuse what contact or finite elements cannot
// take. Ids count from 0. Lists keep the lowest ids, as many as the options say, and the full
// count.
//
// Shape of a tetrahedron: eta = 12 (3 V)^(2/3) / (sum of its squared edge lengths), 1 for the
// regular one, 0 without volume, negative where inverted (A. Liu and B. Joe 1994, BIT 34:268).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/geometry/query/bvh.h"

namespace haptos {

/// How many there are, and the first of them.
template <class T>
struct Found {
  std::int64_t count = 0;
  std::vector<T> first;

  explicit operator bool() const { return count > 0; }
};

struct CheckOptions {
  int max_listed = 16;            ///< ids kept in each list
  bool self_intersection = true;  ///< look for triangles that cut each other
};

struct SurfaceReport {
  std::int64_t vertices = 0, triangles = 0, edges = 0;  ///< edges of triangles
  std::int64_t segments = 0, points = 0;
  int components = 0;  ///< sets of triangles joined by vertices
  Aabb box;            ///< [m] around the finite vertices
  double area = 0;     ///< [m^2]
  double volume = 0;   ///< [m^3] signed; meaningful when closed and consistent

  Found<int> nonfinite_vertices;
  Found<int> unreferenced_vertices;
  Found<Vec2i> duplicate_vertices;      ///< (later, first) with equal coordinates
  Found<int> invalid_triangles;         ///< name a missing vertex
  Found<int> degenerate_triangles;      ///< a corner named twice, or no area (see mesh_edit.h)
  Found<Vec2i> duplicate_triangles;     ///< (later, first) with the same three vertices
  Found<Vec2i> open_edges;              ///< vertex pairs with one triangle
  Found<Vec2i> nonmanifold_edges;       ///< vertex pairs with three or more triangles
  Found<Vec2i> inconsistent_edges;      ///< run through twice in the same direction
  Found<int> bow_tie_vertices;          ///< where separate fans of triangles meet
  Found<int> invalid_segments;          ///< name a missing vertex
  Found<int> degenerate_segments;       ///< without length
  Found<Vec2i> duplicate_segments;      ///< (later, first) with the same two vertices
  Found<int> invalid_points;            ///< name a missing vertex
  Found<Vec2i> duplicate_points;        ///< (later, first) with the same vertex
  Found<Vec2i> intersecting_triangles;  ///< pairs that meet beyond what neighbours share
  bool intersections_checked = false;   ///< false too where the boxes of nearly all pairs overlap

  bool closed() const;      ///< has triangles, and nothing else, and every edge has two
  bool consistent() const;  ///< neighbours agree on the outside
  bool outward() const;     ///< closed, consistent, and of positive volume
  /// One sentence for each thing found; empty for a closed, consistent, outward surface.
  std::vector<std::string> findings() const;
};

SurfaceReport check_surface(const TriMesh& mesh, const CheckOptions& options = {});

struct VolumeReport {
  std::int64_t vertices = 0, tets = 0;
  int components = 0;           ///< sets of tetrahedra joined by vertices
  int boundary_components = 0;  ///< more than components where there are holes inside
  Aabb box;                     ///< [m]
  double volume = 0;            ///< [m^3], sum of signed volumes
  double worst_quality = 1;     ///< the least eta
  int worst_tet = -1;

  Found<int> nonfinite_vertices;
  Found<int> unreferenced_vertices;
  Found<Vec2i> duplicate_vertices;  ///< (later, first) with equal coordinates
  Found<int> invalid_tets;          ///< name a missing vertex
  Found<int> repeated_index_tets;   ///< name a vertex twice
  Found<int> inverted_tets;
  Found<int> zero_volume_tets;
  Found<Vec2i> duplicate_tets;     ///< (later, first) with the same four vertices
  Found<Vec3i> nonmanifold_faces;  ///< vertex triples with three or more tetrahedra

  std::vector<std::string> findings() const;
};

VolumeReport check_volume(const TetMesh& mesh, const CheckOptions& options = {});

/// What a use of a surface needs beyond finite vertices and triangles with area.
struct SurfaceNeeds {
  bool closed = false;                ///< a solid: closed, manifold, consistent, outward
  bool no_self_intersection = false;  ///< barrier contact with itself: no two triangles meet
};

/// Throws InputError for what contact cannot take: nothing at all, vertices that are not finite,
/// missing vertices, triangles without area or given twice, segments without length or given twice,
/// points given twice, and what `needs` adds. An open surface
/// passes unless needs.closed: see closed() and findings() of the report returned.
/// @param name stands for the mesh in errors
SurfaceReport require_contact_surface(const TriMesh& mesh, const std::string& name,
                                      const SurfaceNeeds& needs = {});

/// Throws InputError for what finite elements cannot take: no tetrahedra, vertices that are not
/// finite or that no tetrahedron uses, and missing, repeated, inverted, flat or doubled tetrahedra,
/// and faces with three or more of them.
VolumeReport require_volume(const TetMesh& mesh, const std::string& name);

/// eta of a tetrahedron, see above.
double tet_quality(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);

}  // namespace haptos
