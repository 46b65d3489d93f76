// A body's surface as contact sees it: points, neighbours, weights, and quadrature samples.
#pragma once

#include <algorithm>
#include <vector>

#include "haptos/geometry/bvh.h"
#include "haptos/geometry/topology.h"
#include "haptos/potential/points.h"

namespace haptos {

/// Which part of a surface is closest: numbers of SurfaceTopology.
enum class FeatureKind : std::uint8_t { kFace, kEdge, kVertex };

struct ContactSurface {
  int body = -1;
  int env = 0;
  bool driven = false;           ///< all its points are driven
  std::vector<int> point;        ///< point of each vertex
  std::vector<Vec3i> triangles;  ///< vertices
  SurfaceTopology topology;
  SurfaceGeometry rest;
  std::vector<double> rest_length;  ///< of each edge [m], (E)

  /// Counting of a closest feature once: every face counts 1, an edge 1 minus its triangles, a
  /// vertex what makes its star add up to 1. See contact/barrier/closest_features.h.
  std::vector<int> edge_count, vertex_count;

  /// What each triangle owns, so that a pair of features is met once: of its corners and of its
  /// edges (edge k from corner k to the next) those it is the first triangle of; -1 elsewhere.
  std::vector<Vec3i> owned_vertex, owned_edge;

  ContactSurface() = default;
  ContactSurface(const TriMesh& rest_mesh, std::vector<int> points, int body, int env, bool driven);

  const Vec3d& position(const std::vector<Vec3d>& x, int vertex) const {
    return x[static_cast<std::size_t>(point[static_cast<std::size_t>(vertex)])];
  }
  Aabb triangle_box(const std::vector<Vec3d>& x, int t) const;
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

std::vector<SurfaceSample> surface_samples(const ContactSurface& surface, int divisions);

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
