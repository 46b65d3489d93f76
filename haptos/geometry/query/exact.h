// Exact tests on points, segments and triangles: the answer is that of real arithmetic on the
// given doubles, not of rounded arithmetic.
//
// A determinant is first evaluated in double with a bound on its rounding error; when the bound
// cannot tell the sign, it is summed exactly as an expansion (a sum of doubles without overlap).
// Reference: J. R. Shewchuk, "Adaptive precision floating-point arithmetic and fast robust
// geometric predicates", Discrete & Computational Geometry 18 (1997), for the error bounds of the
// filter and for the grow and sum of expansions.
//
// Limits: coordinates must be finite, else the answer means nothing (but nothing crashes). The
// exact part scales by a power of two, so overflow cannot occur; it is exact when, among the
// coordinates of one call, the largest magnitude is less than 2^550 (1e165) times the smallest that
// is not 0.
#pragma once

#include <array>
#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

/// The sign, -1, 0 or 1, of (b - a) x (c - a) . (d - a): 1 for a positively oriented tetrahedron.
int orient3d_sign(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);

/// The sign, -1, 0 or 1, of (b - a) x (c - a): 1 when a, b, c turn counter-clockwise.
int orient2d_sign(const Vec2d& a, const Vec2d& b, const Vec2d& c);

/// Whether the three points lie on one line (or coincide).
bool collinear(const Vec3d& a, const Vec3d& b, const Vec3d& c);

/// Whether the closed segments ab and cd share a point. A segment may be a point.
bool segments_intersect(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d);

/// Whether the closed segment pq and the closed triangle abc share a point. A triangle without area
/// counts as the union of its edges, a segment without length as a point.
bool segment_triangle_intersect(const Vec3d& p, const Vec3d& q, const Vec3d& a, const Vec3d& b,
                                const Vec3d& c);

/// Whether two closed triangles share a point: touching counts, coplanar triangles are handled, a
/// triangle without area counts as the union of its edges.
bool triangles_intersect(const Vec3d& a0, const Vec3d& a1, const Vec3d& a2, const Vec3d& b0,
                         const Vec3d& b1, const Vec3d& b2);

/// All pairs (triangle of a, triangle of b) that share a point, sorted.
std::vector<std::array<int, 2>> intersecting_pairs(const TriMesh& a, const TriMesh& b);

/// All pairs (i, triangle of b) that share a point, i a segment of a or, counted after the
/// segments, a point of a; sorted.
std::vector<std::array<int, 2>> loose_triangle_pairs(const TriMesh& a, const TriMesh& b);

/// All pairs i < j of triangles of one mesh that share a point other than what neighbours share,
/// sorted. Triangles with a common vertex are reported only when they meet beyond it, triangles
/// with a common edge only when they fold onto each other (or one has no area), triangles with
/// three common vertices always. Vertices are common by index: weld the mesh first.
/// Triangles that name a vertex twice are passed over.
std::vector<std::array<int, 2>> self_intersections(const TriMesh& mesh);

}  // namespace haptos
