// Convex shapes as the collision code reads them: a core with a support function, rounded by a
// radius, and the flat features (polygons, segments, discs) that contact manifolds are clipped
// from.
//
//   shape = core + ball of `radius`
//   sphere: a point; capsule: a segment on z; others: themselves with radius 0
#pragma once

#include <cstdint>

#include "haptos/geometry/shape/hull.h"

namespace haptos {

enum class Core : std::uint8_t { kPoint, kSegment, kBox, kCylinder, kCone, kEllipsoid, kPolytope };

inline bool is_curved(Core c) {
  return c == Core::kCylinder || c == Core::kCone || c == Core::kEllipsoid;
}

struct Convex {
  Core core = Core::kPoint;
  double radius = 0;        ///< [m]
  Vec3d size{{0, 0, 0}};    ///< as in Shape: (., l), (a, b, c), (r, l), (r, l), (a, b, c)
  double extent = 0;        ///< no point is farther from the origin of the shape's frame [m]
  Vec3d middle{{0, 0, 0}};  ///< an interior point of the core (or on it, when it is thin)
  PolytopeView polytope;    ///< of boxes and hulls
};

/// What a feature is named by in a ContactSample: its kind and its number in the shape.
/// Vertices: of a box or hull by index, ends of capsules and of the lines of cylinders and cones
/// (0 at -z, 1 at +z). Edges: both vertices. Rim points of discs: number round the disc.
enum class ShapeFeature : std::uint8_t { kSurface = 0, kVertex, kEdge, kFace, kRim };

inline std::int64_t feature_id(ShapeFeature kind, int i = 0, int j = 0) {
  return (static_cast<std::int64_t>(kind) << 56) | (static_cast<std::int64_t>(i) << 28) | j;
}
inline std::int64_t edge_id(int i, int j) {
  return i < j ? feature_id(ShapeFeature::kEdge, i, j) : feature_id(ShapeFeature::kEdge, j, i);
}

/// A point of the core that is extreme along d (d need not be a unit vector, nor other than zero).
/// @param hint vertex to climb from, and the vertex found; -1 on curved surfaces.
Vec3d support(const Convex& c, const Vec3d& d, int& hint);

/// The flat part of the core that faces along a direction.
struct Flat {
  static constexpr int kMax = 64;
  int count = 0;                        ///< 1: no flat part; 2: a segment; more: a polygon
  Vec3d x[kMax];                        ///< corners, counter-clockwise from outside for a polygon
  std::int64_t id[kMax];                ///< of the corners
  Vec3d normal{{0, 0, 0}};              ///< outward unit normal of a polygon
  std::int64_t face = 0;                ///< feature id of the polygon or the segment
  double curvature_radius[2] = {0, 0};  ///< of a segment's surface across it, at its ends [m]
  bool disc = false;                    ///< x holds four points of the rim of a disc
  Vec3d disc_centre{{0, 0, 0}};
  double disc_radius = 0;
};

/// Of those flat parts that hold the extreme point along the unit vector d, the one whose normal is
/// nearest to d. A disc is given by four rim points; see `refine_disc`.
/// @param vertex an extreme vertex of a polytope along d; below 0 when it is not known.
void flat_part(const Convex& c, const Vec3d& d, int vertex, Flat& out);

/// Replaces the four points of a disc by sixteen, the four among them.
void refine_disc(Flat& f);

}  // namespace haptos
