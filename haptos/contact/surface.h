// A body's surface as contact sees it: points, neighbours, weights, and quadrature samples.
//
// What a surface is made of is called its cells: triangles, then the loose segments (part of no
// triangle), then the loose points (part of nothing else). Loose cells belong to driven surfaces
// only, so they carry no quadrature; the other side's samples see them.
#pragma once

#include <algorithm>
#include <vector>

#include "haptos/geometry/mesh/topology.h"
#include "haptos/geometry/query/bvh.h"
#include "haptos/system/points.h"

namespace haptos {

/// Which part of a surface is closest: numbers of SurfaceTopology.
enum class FeatureKind : std::uint8_t { kFace, kEdge, kVertex };

struct ContactSurface {
  int body = -1;
  int env = 0;
  int part = 0;                  ///< which of its body's surfaces it is
  bool driven = false;           ///< all its points are driven
  std::vector<int> point;        ///< point of each vertex
  std::vector<Vec3i> triangles;  ///< vertices
  /// Loose cells as triangles without area: segments (a, b, b), then points (a, a, a).
  std::vector<Vec3i> loose;
  int loose_segments = 0, first_loose_edge = 0;  ///< their edges follow each other
  std::vector<int> loose_of_vertex;              ///< a loose cell at each vertex, or -1
  /// Three vertices of the rigid surface that hold what sticks to a loose cell, its own first; two,
  /// (a, b, b), or one where the surface has no more that are not on one line.
  std::vector<Vec3i> loose_hold;
  SurfaceTopology topology;  ///< its edges end with the loose segments
  SurfaceGeometry rest;
  std::vector<double> rest_length;  ///< of each edge [m], (E)
  std::vector<double> edge_area;    ///< at rest, a third of the triangles beside each [m2], (E)

  /// Counting of a closest feature once: every face counts 1, an edge 1 minus its triangles, a
  /// vertex what makes its star add up to 1. See contact/live/barrier/closest_features.h.
  std::vector<int> edge_count, vertex_count;

  /// What each cell owns, so that a pair of features is met once: of its corners and of its
  /// edges (edge k from corner k to the next) those it is the first cell of; -1 elsewhere.
  std::vector<Vec3i> owned_vertex, owned_edge;

  ContactSurface() = default;
  ContactSurface(const TriMesh& rest_mesh, std::vector<int> points, int body, int env, bool driven);

  const Vec3d& position(const std::vector<Vec3d>& x, int vertex) const {
    return x[static_cast<std::size_t>(point[static_cast<std::size_t>(vertex)])];
  }

  int cell_count() const { return static_cast<int>(triangles.size() + loose.size()); }
  bool is_triangle(int cell) const { return static_cast<std::size_t>(cell) < triangles.size(); }
  /// Its corners; of a loose cell some are the same.
  const Vec3i& cell(int c) const {
    const auto i = static_cast<std::size_t>(c);
    return i < triangles.size() ? triangles[i] : loose[i - triangles.size()];
  }
  /// Of a loose cell: its edge, -1 for a point.
  int edge_of_loose(int cell) const {
    const int i = cell - static_cast<int>(triangles.size());
    return i < loose_segments ? first_loose_edge + i : -1;
  }
  /// The loose cell of an edge without triangles.
  int loose_of_edge(int edge) const {
    return static_cast<int>(triangles.size()) + edge - first_loose_edge;
  }
  /// Vertices that move as the cell does, also where they turn about it.
  const Vec3i& hold(int c) const {
    return is_triangle(c) ? cell(c) : loose_hold[static_cast<std::size_t>(c) - triangles.size()];
  }
  Aabb cell_box(const std::vector<Vec3d>& x, int c) const;

 private:
  void add_loose(const TriMesh& mesh);
  void find_holds(const TriMesh& mesh);
};

/// A cell where it is now.
struct CellCorners {
  int point[3];
  Vec3d x[3];
  CellCorners(const ContactSurface& s, int cell, const std::vector<Vec3d>& all) {
    for (int k = 0; k < 3; ++k) {
      point[k] = s.point[static_cast<std::size_t>(s.cell(cell)[k])];
      x[k] = all[static_cast<std::size_t>(point[k])];
    }
  }
};

/// Sharpness of each edge (topology.h) with the surface's points at x, (E).
std::vector<double> edge_sharpness(const ContactSurface& s, const std::vector<Vec3d>& x);

/// Quadrature of the surface by the composite trapezoidal rule: every triangle is divided n times
/// along each edge, and the vertices of the division are the samples. It integrates linear
/// functions exactly, so a uniform pressure gives the consistent nodal forces for every n. The
/// first samples are the vertices.
struct SurfaceSample {
  WeightedPoint at;
  double area = 0;    ///< rest area it stands for [m2]
  int triangle = -1;  ///< one triangle it belongs to
};

/// @param lattice  also the samples of each triangle, (T, (n + 1)(n + 2) / 2): i of n steps towards
///                 corner 1 and j towards corner 2, by i, then j
std::vector<SurfaceSample> surface_samples(const ContactSurface& surface, int divisions,
                                           std::vector<int>* lattice = nullptr);

/// By how much two surfaces can have come closer when every point moves by d(point) [m]: what each
/// moves at most against a frame that moves with both.
template <class Motion>
double relative_motion(const ContactSurface& a, const ContactSurface& b, const Motion& d) {
  const auto mean = [&](const ContactSurface& s) {
    Vec3d sum = Vec3d::zero();
    for (int v : s.point) sum += d(v);
    return sum * (1.0 / static_cast<double>(s.point.size()));
  };
  const auto largest = [&](const ContactSurface& s, const Vec3d& frame) {
    double m = 0;
    for (int v : s.point) m = std::max(m, squared_norm(d(v) - frame));
    return sqrt(m);
  };
  const Vec3d frame = 0.5 * (mean(a) + mean(b));
  return largest(a, frame) + largest(b, frame);
}

}  // namespace haptos
