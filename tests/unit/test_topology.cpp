#include "haptos/geometry/mesh/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "haptos/base/text/error.h"
#include "haptos/geometry/make/shapes.h"

namespace haptos {
namespace {

constexpr double kPi = std::numbers::pi;

// The index of edge (a, b), or -1.
int edge_between(const SurfaceTopology& s, int a, int b) {
  for (int e = 0; e < static_cast<int>(s.edges.size()); ++e)
    if (s.edges[static_cast<std::size_t>(e)][0] == std::min(a, b) &&
        s.edges[static_cast<std::size_t>(e)][1] == std::max(a, b))
      return e;
  return -1;
}

TEST(SurfaceTopology, ListsAgreeWithEachOther) {
  const TriMesh m = icosphere(1, 0.5);
  const SurfaceTopology s = surface_topology(m);
  EXPECT_TRUE(s.is_closed());
  EXPECT_EQ(2 * s.edges.size(), 3 * m.triangles.size());
  for (int t = 0; t < static_cast<int>(m.triangles.size()); ++t)
    for (int k = 0; k < 3; ++k) {
      const Vec3i& v = m.triangles[static_cast<std::size_t>(t)];
      const int e = s.triangle_edges[static_cast<std::size_t>(t)][k];
      EXPECT_EQ(e, edge_between(s, v[k], v[(k + 1) % 3]));
      const auto beside = s.edge_triangles[e];
      EXPECT_EQ(std::count(beside.begin(), beside.end(), t), 1);
      const auto around = s.vertex_triangles[v[k]];
      EXPECT_EQ(std::count(around.begin(), around.end(), t), 1);
      const auto spokes = s.vertex_edges[v[k]];
      EXPECT_EQ(std::count(spokes.begin(), spokes.end(), e), 1);
      EXPECT_EQ(spokes.size(), around.size());
    }
  EXPECT_TRUE(std::is_sorted(s.edges.begin(), s.edges.end(), [](const Vec2i& x, const Vec2i& y) {
    return x[0] != y[0] ? x[0] < y[0] : x[1] < y[1];
  }));
}

TEST(SurfaceTopology, CountsBoundaryFansAndMisorientedEdges) {
  const std::vector<Vec3d> v{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, -1, 0}}, {{0, 0, 1}}};
  const SurfaceTopology flat = surface_topology({v, {{{0, 1, 2}}, {{0, 3, 1}}}});
  EXPECT_EQ(flat.boundary_edge_count, 4);
  EXPECT_EQ(flat.boundary_edge[static_cast<std::size_t>(edge_between(flat, 0, 1))], 0);
  EXPECT_EQ(flat.boundary_vertex[4], 0);
  EXPECT_EQ(flat.boundary_vertex[0], 1);
  EXPECT_EQ(flat.misoriented_edge_count, 0);
  const SurfaceTopology turned = surface_topology({v, {{{0, 1, 2}}, {{0, 1, 3}}}});
  EXPECT_EQ(turned.misoriented_edge_count, 1);
  const SurfaceTopology fan = surface_topology({v, {{{0, 1, 2}}, {{1, 0, 3}}, {{0, 1, 4}}}});
  EXPECT_EQ(fan.nonmanifold_edge_count, 1);
  EXPECT_EQ(fan.edge_triangles[edge_between(fan, 0, 1)].size(), 3u);
  EXPECT_FALSE(fan.is_closed());
}

TEST(SurfaceTopology, FindsAVertexWhereTwoFansMeet) {
  TriMesh two = box({{1, 1, 1}});
  const TriMesh other = box({{1, 1, 1}});
  // The second box touches the first at one corner, which both name.
  const int n = static_cast<int>(two.vertices.size());
  int shared = -1, low = -1;
  for (int i = 0; i < n; ++i) {
    const Vec3d& p = two.vertices[static_cast<std::size_t>(i)];
    if (p[0] > 0 && p[1] > 0 && p[2] > 0) shared = i;
    if (p[0] < 0 && p[1] < 0 && p[2] < 0) low = i;
  }
  std::vector<int> id;
  for (int i = 0; i < n; ++i) {
    id.push_back(i == low ? shared : static_cast<int>(two.vertices.size()));
    if (i != low)
      two.vertices.push_back(other.vertices[static_cast<std::size_t>(i)] + Vec3d{{1, 1, 1}});
  }
  for (const Vec3i& t : other.triangles)
    two.triangles.push_back(
        {{id[static_cast<std::size_t>(t[0])], id[static_cast<std::size_t>(t[1])],
          id[static_cast<std::size_t>(t[2])]}});
  const SurfaceTopology s = surface_topology(two);
  EXPECT_TRUE(s.is_closed());
  EXPECT_EQ(pinched_vertices(two, s), std::vector<int>{shared});
}

TEST(SurfaceTopology, BadTrianglesAreRejected) {
  EXPECT_THROW(surface_topology({{{{0, 0, 0}}}, {{{0, 0, 1}}}}), InputError);
  EXPECT_THROW(surface_topology({std::vector<Vec3d>(3), {{{0, 1, 1}}}}), InputError);
  EXPECT_THROW(surface_topology({std::vector<Vec3d>(3), {{{0, -1, 1}}}}), InputError);
  EXPECT_TRUE(surface_topology({}).edges.empty());
}

TEST(SurfaceGeometry, BoxHasRightAnglesFlatDiagonalsAndItsAreas) {
  const TriMesh m = box({{1, 2, 3}}, {{2, 2, 2}});
  const SurfaceTopology s = surface_topology(m);
  const SurfaceGeometry g = surface_geometry(m, s);
  EXPECT_NEAR(surface_area(m), 22, 1e-14);
  EXPECT_NEAR(enclosed_volume(m), 6, 1e-14);
  double sum = 0;
  for (const double a : g.vertex_area) sum += a;
  EXPECT_NEAR(sum, 22, 1e-13);
  int right = 0;
  for (std::size_t e = 0; e < s.edges.size(); ++e) {
    const bool sharp = g.edge_dihedral[e] > 1e-12;
    right += sharp;
    EXPECT_NEAR(g.edge_dihedral[e], sharp ? kPi / 2 : 0, 1e-14);
    EXPECT_NEAR(g.edge_sharpness[e], sharp ? 0.5 : 0, 1e-14);
  }
  EXPECT_EQ(right, 12 * 2);
  for (std::size_t v = 0; v < m.vertices.size(); ++v) {
    int on = 0;
    const Vec3d& p = m.vertices[v];
    on = (std::abs(p[0]) == 0.5) + (std::abs(p[1]) == 1.0) + (std::abs(p[2]) == 1.5);
    // Faces of angle pi, pi/2 + pi/2 or three right angles: |sum| is 1, sqrt(1/2), sqrt(1/3).
    const double want = 1 - 1 / std::sqrt(double(on));
    EXPECT_NEAR(g.vertex_sharpness[v], want, 1e-14);
  }
}

TEST(SurfaceGeometry, ConcaveFeaturesAreNotSharp) {
  TriMesh m = box({{1, 1, 1}}, {{2, 2, 2}});
  for (Vec3i& t : m.triangles) std::swap(t[1], t[2]);  // a box seen from inside
  const SurfaceTopology s = surface_topology(m);
  const SurfaceGeometry g = surface_geometry(m, s);
  EXPECT_NEAR(*std::min_element(g.edge_dihedral.begin(), g.edge_dihedral.end()), -kPi / 2, 1e-14);
  EXPECT_EQ(*std::max_element(g.edge_sharpness.begin(), g.edge_sharpness.end()), 0);
  EXPECT_EQ(*std::max_element(g.vertex_sharpness.begin(), g.vertex_sharpness.end()), 0);
}

TEST(SurfaceGeometry, SharpnessOfAFineBallFallsWithTheSquareOfItsFacets) {
  double sharpest[2];
  for (int k = 0; k < 2; ++k) {
    const TriMesh m = icosphere(1, k == 0 ? 0.17 : 0.085);
    const SurfaceGeometry g = surface_geometry(m, surface_topology(m));
    sharpest[k] = *std::max_element(g.vertex_sharpness.begin(), g.vertex_sharpness.end());
    for (std::size_t v = 0; v < m.vertices.size(); ++v)
      EXPECT_GT(dot(g.vertex_normal[v], m.vertices[v]), 0.9999);
  }
  EXPECT_GT(sharpest[0], 1e-4);
  EXPECT_LT(sharpest[0], 1e-2);
  EXPECT_NEAR(sharpest[0] / sharpest[1], 4, 0.2);
}

TEST(BoundarySurface, OfTwoTetrahedraFacesOutwardAndKeepsTheOrderOfVertices) {
  const TetMesh m{{{{9, 9, 9}}, {{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}, {{1, 1, 1}}},
                  {{{1, 2, 3, 4}}, {{2, 3, 4, 5}}}};
  std::vector<int> to_volume;
  const TriMesh s = boundary_surface(m, &to_volume);
  EXPECT_EQ(to_volume, (std::vector<int>{1, 2, 3, 4, 5}));
  EXPECT_EQ(s.triangles.size(), 6u);
  EXPECT_TRUE(surface_topology(s).is_closed());
  EXPECT_NEAR(enclosed_volume(s), 1.0 / 6 + 1.0 / 3, 1e-15);
  EXPECT_EQ(boundary_surface(m, nullptr).vertices.size(), 5u);
  EXPECT_THROW(boundary_surface({{{{0, 0, 0}}}, {{{0, 1, 2, 3}}}}, nullptr), InputError);
}

}  // namespace
}  // namespace haptos
