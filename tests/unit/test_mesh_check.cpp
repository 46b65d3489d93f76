#include "haptos/geometry/mesh/mesh_check.h"

#include <gtest/gtest.h>

#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "tests/outside_data.h"

namespace haptos {
namespace {

TriMesh tetrahedron(const Vec3d& at = Vec3d::zero(), double size = 1) {
  return {{at, at + Vec3d{{size, 0, 0}}, at + Vec3d{{0, size, 0}}, at + Vec3d{{0, 0, size}}},
          {{{0, 2, 1}}, {{0, 1, 3}}, {{1, 2, 3}}, {{2, 0, 3}}}};
}

void append(TriMesh& to, const TriMesh& from) {
  const int n = static_cast<int>(to.vertices.size());
  to.vertices.insert(to.vertices.end(), from.vertices.begin(), from.vertices.end());
  for (const Vec3i& t : from.triangles) to.triangles.push_back({{t[0] + n, t[1] + n, t[2] + n}});
}

TetMesh one_tet() {
  return {{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}}, {{{0, 1, 2, 3}}}};
}

TEST(MeshCheck, ASoundSurfaceHasNoFindings) {
  const SurfaceReport r = check_surface(tetrahedron());
  EXPECT_TRUE(r.findings().empty());
  EXPECT_TRUE(r.outward());
  EXPECT_EQ(r.edges, 6);
  EXPECT_EQ(r.components, 1);
  EXPECT_DOUBLE_EQ(r.volume, 1.0 / 6);
  EXPECT_NEAR(r.area, 1.5 + std::sqrt(3) / 2, 1e-15);
  EXPECT_EQ(r.box.hi[1], 1);
}

TEST(MeshCheck, AMissingTriangleLeavesThreeOpenEdges) {
  TriMesh m = tetrahedron();
  m.triangles.pop_back();
  const SurfaceReport r = check_surface(m);
  EXPECT_EQ(r.open_edges.count, 3);
  EXPECT_FALSE(r.closed());
  EXPECT_EQ(r.open_edges.first[0][0], 0);
  EXPECT_EQ(r.open_edges.first[0][1], 2);
  ASSERT_EQ(r.findings().size(), 1u);
  EXPECT_EQ(r.findings()[0],
            "3 edges have one triangle, so the surface is open: (0, 2), (0, 3), (2, 3).");
}

TEST(MeshCheck, ATurnedTriangleIsAtOddsWithItsThreeNeighbours) {
  TriMesh m = tetrahedron();
  std::swap(m.triangles[2][0], m.triangles[2][1]);
  const SurfaceReport r = check_surface(m);
  EXPECT_EQ(r.inconsistent_edges.count, 3);
  EXPECT_FALSE(r.outward());
}

TEST(MeshCheck, AnInsideOutSurfaceIsReported) {
  TriMesh m = tetrahedron();
  for (Vec3i& t : m.triangles) std::swap(t[0], t[1]);
  const SurfaceReport r = check_surface(m);
  EXPECT_TRUE(r.closed());
  EXPECT_FALSE(r.outward());
  ASSERT_EQ(r.findings().size(), 1u);
  EXPECT_NE(r.findings()[0].find("inward"), std::string::npos);
}

TEST(MeshCheck, ThreeTrianglesAtAnEdgeAreNoManifold) {
  TriMesh m = tetrahedron();
  m.vertices.push_back({{1, 1, 1}});
  m.triangles.push_back({{1, 2, 4}});
  const SurfaceReport r = check_surface(m);
  ASSERT_EQ(r.nonmanifold_edges.count, 1);
  EXPECT_EQ(r.nonmanifold_edges.first[0][0], 1);
  EXPECT_EQ(r.nonmanifold_edges.first[0][1], 2);
  EXPECT_EQ(r.open_edges.count, 2);
}

TEST(MeshCheck, TwoSolidsThatTouchAtAVertexMakeABowTie) {
  TriMesh m = tetrahedron();
  append(m, tetrahedron({{1, 0, 0}}, 1));
  weld(m, 0);
  const SurfaceReport r = check_surface(m);
  ASSERT_EQ(r.bow_tie_vertices.count, 1);
  EXPECT_EQ(r.bow_tie_vertices.first[0], 1);
  EXPECT_EQ(r.components, 1);
  EXPECT_EQ(r.intersecting_triangles.count, 0);
}

TEST(MeshCheck, BrokenVerticesAndTrianglesAreListedById) {
  TriMesh m = tetrahedron();
  m.vertices.push_back({{std::nan(""), 0, 0}});  // 4, used by triangle 4
  m.vertices.push_back({{0, 0, 1}});             // 5, the same point as 3, not used
  m.vertices.push_back({{0.5, 0, 0}});           // 6, on edge 0-1
  m.triangles.push_back({{0, 1, 4}});
  m.triangles.push_back({{0, 1, 6}});   // 5, no area
  m.triangles.push_back({{2, 2, 3}});   // 6, a corner twice
  m.triangles.push_back({{0, 1, 70}});  // 7, a missing vertex
  m.triangles.push_back({{2, 1, 0}});   // 8, triangle 0 from its other side
  const SurfaceReport r = check_surface(m);
  EXPECT_EQ(r.nonfinite_vertices.first, std::vector<int>{4});
  EXPECT_EQ(r.unreferenced_vertices.first, std::vector<int>{5});
  ASSERT_EQ(r.duplicate_vertices.count, 1);
  EXPECT_EQ(r.duplicate_vertices.first[0][0], 5);
  EXPECT_EQ(r.duplicate_vertices.first[0][1], 3);
  EXPECT_EQ(r.degenerate_triangles.first, (std::vector<int>{5, 6}));
  EXPECT_EQ(r.invalid_triangles.first, std::vector<int>{7});
  ASSERT_EQ(r.duplicate_triangles.count, 1);
  EXPECT_EQ(r.duplicate_triangles.first[0][0], 8);
  EXPECT_EQ(r.duplicate_triangles.first[0][1], 0);
  EXPECT_FALSE(r.closed());
}

TEST(MeshCheck, ListsAreCutButCountsAreNot) {
  TriMesh m = tetrahedron();
  for (int i = 0; i < 100; ++i) m.vertices.push_back({{double(i), 7, 7}});
  const SurfaceReport r = check_surface(m, {.max_listed = 3});
  EXPECT_EQ(r.unreferenced_vertices.count, 100);
  EXPECT_EQ(r.unreferenced_vertices.first, (std::vector<int>{4, 5, 6}));
  EXPECT_EQ(r.findings()[0], "100 vertices are not used: 4, 5, 6 and others.");
}

TEST(MeshCheck, CrossingSolidsAreFoundAndNeighboursAreNot) {
  TriMesh m = tetrahedron();
  EXPECT_EQ(check_surface(m).intersecting_triangles.count, 0);
  append(m, tetrahedron({{0.2, 0.2, -0.5}}, 0.6));
  const SurfaceReport r = check_surface(m);
  EXPECT_EQ(r.components, 2);
  // The bottom, triangle 0, is pierced by the three upright faces of the second one: (0, 5), (0, 6)
  // and (0, 7). Its tip at (0.2, 0.2, 0.1) stays inside.
  ASSERT_EQ(r.intersecting_triangles.count, 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(r.intersecting_triangles.first[static_cast<std::size_t>(i)][0], 0);
    EXPECT_EQ(r.intersecting_triangles.first[static_cast<std::size_t>(i)][1], 5 + i);
  }
}

TEST(MeshCheck, TrianglesThatShareAVertexOrAnEdgeIntersectOnlyBeyondIt) {
  // A fan around vertex 0 whose second triangle passes through the first.
  TriMesh m{{{{0, 0, 0}}, {{2, 0, 0}}, {{0, 2, 0}}, {{1, 1, 1}}, {{0.6, 0.6, -1}}},
            {{{0, 1, 2}}, {{0, 3, 4}}}};
  EXPECT_EQ(check_surface(m).intersecting_triangles.count, 1);
  m.vertices[4] = {{0.6, 0.6, 0.5}};
  EXPECT_EQ(check_surface(m).intersecting_triangles.count, 0);
  // Two triangles folded onto each other about the edge 0-1.
  m = {{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0.3, 0.5, 0}}}, {{{0, 1, 2}}, {{1, 0, 3}}}};
  EXPECT_EQ(check_surface(m).intersecting_triangles.count, 1);
  m.vertices[3][2] = 1e-12;
  EXPECT_EQ(check_surface(m).intersecting_triangles.count, 0);
}

TEST(MeshCheck, AnUnweldedMeshDoesNotIntersectItself) {
  TriMesh soup;
  const TriMesh m = tetrahedron();
  for (const Vec3i& t : m.triangles) {
    const int n = static_cast<int>(soup.vertices.size());
    for (int k = 0; k < 3; ++k) soup.vertices.push_back(m.vertices[static_cast<std::size_t>(t[k])]);
    soup.triangles.push_back({{n, n + 1, n + 2}});
  }
  const SurfaceReport r = check_surface(soup);
  EXPECT_EQ(r.intersecting_triangles.count, 0);
  EXPECT_EQ(r.duplicate_vertices.count, 8);
  EXPECT_EQ(r.open_edges.count, 12);
}

TEST(MeshCheck, HostileMeshesAreCheckedInBoundedTime) {
  // 10,000 triangles on one edge, and as many all over each other: all pairs would be 5e7.
  constexpr int kMany = 10'000;
  TriMesh book{{{{0, 0, 0}}, {{1, 0, 0}}}, {}};
  TriMesh heap;
  for (int i = 0; i < kMany; ++i) {
    book.vertices.push_back({{0.5, std::cos(i * 1e-4), std::sin(i * 1e-4)}});
    book.triangles.push_back({{0, 1, i + 2}});
    const double h = i * 1e-6;
    heap.vertices.insert(heap.vertices.end(), {{{0, 0, h}}, {{1, 0, h + 0.1}}, {{0, 1, h + 0.1}}});
    heap.triangles.push_back({{3 * i, 3 * i + 1, 3 * i + 2}});
  }
  const SurfaceReport b = check_surface(book);
  EXPECT_EQ(b.nonmanifold_edges.count, 1);
  EXPECT_EQ(b.open_edges.count, 2 * kMany);
  EXPECT_EQ(b.bow_tie_vertices.count, 0);
  EXPECT_FALSE(b.intersections_checked);
  const SurfaceReport h = check_surface(heap);
  EXPECT_EQ(h.components, kMany);
  EXPECT_FALSE(h.intersections_checked);
  EXPECT_THROW(require_contact_surface(heap, "heap", {.no_self_intersection = true}), InputError);
  TriMesh same{{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}},
               std::vector<Vec3i>(kMany, Vec3i{{0, 1, 2}})};
  const SurfaceReport s = check_surface(same);
  EXPECT_EQ(s.duplicate_triangles.count, kMany - 1);
  EXPECT_TRUE(s.intersections_checked);
  EXPECT_EQ(orient(heap), 0);
}

InputError refusal(const TriMesh& m, const SurfaceNeeds& needs = {}) {
  try {
    require_contact_surface(m, "pad", needs);
  } catch (const InputError& e) {
    return e;
  }
  ADD_FAILURE() << "was accepted";
  return InputError({});
}

TEST(MeshCheck, ContactRefusesWhatItCannotTakeAndSaysWhatToDo) {
  EXPECT_EQ(refusal({}).diagnostic.element, "surface");
  TriMesh m = tetrahedron();
  m.vertices[2][0] = std::nan("");
  EXPECT_EQ(refusal(m).diagnostic.element, "vertex 2");
  m = tetrahedron();
  m.triangles[1][0] = -1;
  EXPECT_EQ(refusal(m).diagnostic.element, "triangle 1");
  m = tetrahedron();
  m.vertices[3] = {{0.5, 0, 0}};
  EXPECT_EQ(std::string(refusal(m).what()),
            "pad: triangle 1: has no area; remove it with remove_degenerate.");
  m = tetrahedron();
  m.triangles.push_back(m.triangles[0]);
  EXPECT_EQ(refusal(m).diagnostic.element, "triangles (4, 0)");
}

TEST(MeshCheck, AnOpenColliderPassesAndAnOpenSolidDoesNot) {
  TriMesh m = tetrahedron();
  m.triangles.pop_back();
  const SurfaceReport r = require_contact_surface(m, "cup");
  EXPECT_FALSE(r.closed());
  EXPECT_EQ(refusal(m, {.closed = true}).diagnostic.element, "edge (0, 2)");
  m = tetrahedron();
  for (Vec3i& t : m.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(refusal(m, {.closed = true}).diagnostic.element, "volume");
  EXPECT_TRUE(require_contact_surface(tetrahedron(), "t", {true, true}).outward());
}

TEST(MeshCheck, ABarrierRefusesASurfaceThatMeetsItself) {
  TriMesh m = tetrahedron();
  append(m, tetrahedron({{0.2, 0.2, -0.5}}, 0.6));
  EXPECT_NO_THROW(require_contact_surface(m, "m", {.closed = true}));
  EXPECT_EQ(refusal(m, {.no_self_intersection = true}).diagnostic.element, "triangles (0, 5)");
}

TEST(MeshCheck, QualityIsOneForTheRegularTetrahedronAndNegativeWhenInverted) {
  const Vec3d a{{1, 1, 1}}, b{{1, -1, -1}}, c{{-1, 1, -1}}, d{{-1, -1, 1}};
  const double s = six_volume(a, b, c, d) > 0 ? 1 : -1;
  EXPECT_NEAR(tet_quality(a, b, c, d), s, 1e-15);
  EXPECT_NEAR(tet_quality(b, a, c, d), -s, 1e-15);
  EXPECT_EQ(tet_quality(a, b, c, (a + b) * 0.5), 0);
  EXPECT_EQ(tet_quality(a, a, a, a), 0);
}

TEST(MeshCheck, ASoundVolumeHasNoFindings) {
  const VolumeReport r = check_volume(one_tet());
  EXPECT_TRUE(r.findings().empty());
  EXPECT_DOUBLE_EQ(r.volume, 1.0 / 6);
  EXPECT_EQ(r.components, 1);
  EXPECT_EQ(r.boundary_components, 1);
  // V = 1/6, three edges of 1 and three of sqrt(2): eta = 12 (1/2)^(2/3) / 9.
  EXPECT_NEAR(r.worst_quality, 12 * std::cbrt(0.25) / 9, 1e-15);
}

TEST(MeshCheck, BrokenTetrahedraAreListedById) {
  TetMesh m = one_tet();
  m.vertices.push_back({{1, 1, 0}});         // 4, in the plane of 0, 1, 2
  m.vertices.push_back({{5, 5, HUGE_VAL}});  // 5
  m.tets.push_back({{0, 2, 1, 4}});          // 1, no volume
  m.tets.push_back({{1, 4, 3, 2}});          // 2, inverted
  m.tets.push_back({{0, 1, 1, 2}});          // 3, a corner twice
  m.tets.push_back({{0, 1, 2, 9}});          // 4, missing vertex
  m.tets.push_back({{3, 2, 1, 0}});          // 5, tetrahedron 0 again, well oriented
  const VolumeReport r = check_volume(m);
  EXPECT_EQ(r.zero_volume_tets.first, std::vector<int>{1});
  EXPECT_EQ(r.inverted_tets.first, std::vector<int>{2});
  EXPECT_EQ(r.repeated_index_tets.first, std::vector<int>{3});
  EXPECT_EQ(r.invalid_tets.first, std::vector<int>{4});
  ASSERT_EQ(r.duplicate_tets.count, 1);
  EXPECT_EQ(r.duplicate_tets.first[0][0], 5);
  EXPECT_EQ(r.duplicate_tets.first[0][1], 0);
  EXPECT_EQ(r.nonfinite_vertices.first, std::vector<int>{5});
  EXPECT_EQ(r.unreferenced_vertices.first, std::vector<int>{5});
  EXPECT_GT(r.nonmanifold_faces.count, 0);
  EXPECT_EQ(r.worst_tet, 2);
}

TEST(MeshCheck, FiniteElementsRefuseInvertedTetrahedraWithTheirIds) {
  TetMesh m = one_tet();
  EXPECT_EQ(require_volume(m, "gel").tets, 1);
  std::swap(m.tets[0][0], m.tets[0][1]);
  try {
    require_volume(m, "gel");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostic.element, "tetrahedron 0");
    EXPECT_NE(e.diagnostic.value.find("eta -0.83"), std::string::npos) << e.what();
    EXPECT_NE(e.diagnostic.remedy.find("orient"), std::string::npos);
  }
  m = one_tet();
  m.vertices.push_back({{3, 3, 3}});
  EXPECT_THROW(require_volume(m, "gel"), InputError);
  EXPECT_EQ(remove_unreferenced(m), 1);
  EXPECT_NO_THROW(require_volume(m, "gel"));
}

TEST(MeshCheck, SeparatePartsAndAHoleInsideAreFound) {
  TetMesh m = one_tet();
  for (int i = 0; i < 4; ++i)
    m.vertices.push_back(m.vertices[static_cast<std::size_t>(i)] + Vec3d{{9, 0, 0}});
  m.tets.push_back({{4, 5, 6, 7}});
  const VolumeReport r = check_volume(m);
  EXPECT_EQ(r.components, 2);
  EXPECT_EQ(r.findings()[0], "The volume is in 2 separate parts.");
  // A regular block of 3 x 3 x 3 cubes of five tetrahedra, without the one in the middle.
  TetMesh block;
  const auto id = [](int x, int y, int z) { return x + 4 * (y + 4 * z); };
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 4; ++x) block.vertices.push_back({{double(x), double(y), double(z)}});
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 3; ++x) {
        if (x == 1 && y == 1 && z == 1) continue;
        // Mirrored in every other cube, so that diagonals agree.
        const auto c = [&](int i) {
          const int flip = (x & 1) | (y & 1) << 1 | (z & 1) << 2;
          const int j = i ^ flip;
          return id(x + (j & 1), y + (j >> 1 & 1), z + (j >> 2));
        };
        for (const auto& t : {Vec4i{{0, 1, 2, 4}}, Vec4i{{3, 2, 1, 7}}, Vec4i{{5, 1, 4, 7}},
                              Vec4i{{6, 4, 2, 7}}, Vec4i{{1, 2, 4, 7}}})
          block.tets.push_back({{c(t[0]), c(t[1]), c(t[2]), c(t[3])}});
      }
  orient(block);
  const VolumeReport b = check_volume(block);
  EXPECT_NEAR(b.volume, 26, 1e-12);
  EXPECT_EQ(b.components, 1);
  EXPECT_EQ(b.boundary_components, 2);
  EXPECT_FALSE(b.nonmanifold_faces);
  ASSERT_EQ(b.findings().size(), 1u);
  EXPECT_EQ(b.findings()[0], "The volume has 1 hole inside.");
}

TEST(MeshCheck, TheKnownPadHas139NodesAnd317SoundTetrahedra) {
  HAPTOS_OUTSIDE_FILE(path, "pads/pad_20x25x4mm_139v.vtk");
  const TetMesh m = read_volume(path);
  const VolumeReport r = require_volume(m, "pad");
  EXPECT_EQ(r.vertices, 139);
  EXPECT_EQ(r.tets, 317);
  EXPECT_NEAR(r.box.extent()[0] * r.box.extent()[1] * r.box.extent()[2], 20.75e-3 * 25.25e-3 * 4e-3,
              1e-4 * 2e-6);
}

}  // namespace
}  // namespace haptos
