// The building blocks of shapes.h: loops of vertices joined by strips, caps and patches of rings.
// Every join names the vertices of a loop that exists, so what is built is watertight by
// construction. Not part of the public interface.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos::shapes_detail {

using Loop = std::vector<int>;       ///< vertex indices around a closed curve
using Polygon = std::vector<Vec2d>;  ///< corners around a closed curve, [m]

constexpr double kMillimetre = 1e-3;

/// Throws InputError unless x is finite and greater than 0.
void check_length(const char* element, double x);

/// ceil(length / facet), at least `least`.
/// Throws InputError when either is not positive or the number exceeds 2000.
int cells(double length, double facet, int least = 1);

/// Throws InputError for more triangles than 8 million; called before any is made.
void check_triangles(double triangles);

/// The n points (r cos a, r sin a) with a = 2 pi k / n about a centre; mirror images
/// about the axes agree bit for bit when n is a multiple of 8.
Polygon circle(double radius, int n, const Vec2d& centre = {{0, 0}});

Polygon rectangle(double width, double depth, const Vec2d& centre = {{0, 0}});

/// Triangles of a polygon less holes as indices into outline, holes[0], holes[1], ... in a row;
/// constrained Delaunay, counter-clockwise. The outline is counter-clockwise, holes clockwise.
/// Throws InputError when loops cross or have fewer than three corners.
std::vector<Vec3i> triangulate(const Polygon& outline, const std::vector<Polygon>& holes);

/// Counter-clockwise plans of the indenters key, moon, pacman and random, arcs of at most `facet`.
Polygon key(double facet);
Polygon moon(double facet);
Polygon pacman(double facet);
Polygon blob(double facet, unsigned seed);

class Builder {
 public:
  int add(const Vec3d& p);
  Loop add(const Polygon& polygon, double z);

  /// A strip between two loops of equal length. Loops counter-clockwise seen from +z: going up, the
  /// strip faces outward; going inward at one height, up; going down inside, towards the axis.
  void loft(const Loop& from, const Loop& to);

  /// A flat cap; the outline counter-clockwise and holes clockwise seen from +z.
  void cap(const Loop& outline, const std::vector<Loop>& holes, bool up);

  /// A patch of n rings of 8, 16, ..., 8 n vertices about a centre; `point(k, angle_cos,
  /// angle_sin)` places ring k. Given a loop of 8 n vertices it ends on it, else it makes its own.
  /// Returns the outermost loop, counter-clockwise seen from +z.
  Loop rings(int n, bool up, const std::function<Vec3d(int, double, double)>& point,
             const Loop* outer = nullptr);

  /// A flat patch of rings inside a circular loop of 8 n vertices at height z.
  void disc(const Loop& outer, double radius, double z, bool up);

  /// The surface z(x, y) over the lines x, y, facing up. Returns its border, counter-clockwise.
  Loop height_field(const std::vector<double>& x, const std::vector<double>& y,
                    const std::function<double(double, double)>& z);

  const Vec3d& vertex(int i) const { return mesh_.vertices[static_cast<std::size_t>(i)]; }
  TriMesh take() { return std::move(mesh_); }

 private:
  TriMesh mesh_;
};

Loop reversed(const Loop& loop);

/// The boundary of the cells (i, j, k) that `filled` accepts, between the lines x, y, z [m].
/// Cells that touch along an edge or at a corner only would not be a manifold.
TriMesh cell_surface(const std::vector<double>& x, const std::vector<double>& y,
                     const std::vector<double>& z,
                     const std::function<bool(int, int, int)>& filled);

}  // namespace haptos::shapes_detail
