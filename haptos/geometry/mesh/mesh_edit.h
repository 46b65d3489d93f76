// Mending and measuring meshes. Every function is a function of its arguments alone: the same mesh
// gives the same bits at any time and with any number of threads.
//
// Segments and points of a surface stay, and name the same places.
//
// The surface's area, its enclosed volume and the surface of a volume are in topology.h.
#pragma once

#include <vector>

#include "haptos/geometry/mesh.h"
#include "haptos/geometry/query/bvh.h"

namespace haptos {

/// For each point the lowest index of a point it is joined with. Points are taken in order; each is
/// joined with the first kept point within `tolerance` [m], or is kept. So points move by at most
/// `tolerance`, and a chain of close points is not drawn together from end to end. Tolerance 0
/// joins equal points, -0 equal to 0.
/// Throws InputError for a point that is not finite, a negative tolerance, or one so small against
/// the coordinates (1e-15 of them) that rounding decides.
std::vector<int> weld_map(const std::vector<Vec3d>& points, double tolerance);

struct WeldResult {
  int merged_vertices = 0;    ///< vertices that were joined with an earlier one
  int removed_triangles = 0;  ///< triangles that lost a corner by it
};

/// Joins vertices as weld_map() does and removes the triangles and segments that collapse, and
/// segments and points that become the same as an earlier one.
/// Throws InputError as weld_map() does, and for a triangle that names a missing vertex.
WeldResult weld(TriMesh& mesh, double tolerance);

/// Turns triangles so that neighbours agree and closed parts face outward; a closed part inside an
/// odd number of other closed parts is a cavity and faces into it. An open part keeps the direction
/// that most of its triangles have. Only edges with exactly two triangles join a part. Where no
/// direction agrees (a Moebius strip) some neighbours stay at odds: check_surface() lists them.
/// Returns the number of triangles turned.
/// Throws InputError for a triangle that names a missing vertex, or names one twice.
int orient(TriMesh& mesh);

/// Exchanges two corners of each tetrahedron of negative volume; returns their number.
/// Throws InputError for a tetrahedron that names a missing vertex.
int orient(TetMesh& mesh);

/// Gets rid of triangles without area (a corner named twice, or a height of at most 1e-10 of the
/// longest edge). Where the three corners differ, the neighbour across the longest edge is split at
/// the middle corner and takes the place of both, so a closed surface stays closed. Returns how
/// many were dealt with; one whose longest edge has no single neighbour stays. Throws InputError
/// for a triangle that names a missing vertex.
int remove_degenerate(TriMesh& mesh);

/// Removes all but the first of triangles with the same three vertices; returns their number.
int remove_duplicate_triangles(TriMesh& mesh);

/// Removes vertices that no element names, keeping the order of the others; returns their number.
int remove_unreferenced(TriMesh& mesh);
int remove_unreferenced(TetMesh& mesh);

/// Six times the volume of a tetrahedron [m^3]; positive when well oriented.
double six_volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);

/// The sum of the signed volumes of the tetrahedra [m^3].
double signed_volume(const TetMesh& mesh);

/// The signed volume that a surface encloses [m^3]; positive when it faces outward. Meaningful for
/// a closed surface only.
double signed_volume(const TriMesh& mesh);

/// The box around all vertices [m]; empty for a mesh without vertices.
Aabb bounding_box(const std::vector<Vec3d>& vertices);

/// Moves every vertex x to rotation * x + translation [m].
void transform(std::vector<Vec3d>& vertices, const Mat3d& rotation, const Vec3d& translation);

/// Multiplies every coordinate by `factor`, for example 0.001 from millimetres to metres. A
/// negative factor turns the mesh inside out.
void scale(std::vector<Vec3d>& vertices, double factor);

/// A triangle's height over its longest edge, divided by that edge: 0 without area, at most 0.87.
double flatness(const Vec3d& a, const Vec3d& b, const Vec3d& c);

/// The flatness up to which a triangle counts as having no area.
constexpr double kDegenerateFlatness = 1e-10;

}  // namespace haptos
