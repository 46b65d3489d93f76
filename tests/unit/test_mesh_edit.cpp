#include "haptos/geometry/mesh/mesh_edit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "haptos/base/text/error.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/mesh/mesh_check.h"
#include "tests/outside_data.h"

namespace haptos {
namespace {

// A cube of the given half width around `centre`, 8 vertices and 12 outward triangles.
void add_cube(TriMesh& mesh, const Vec3d& centre, double half, bool inward = false) {
  const int base = static_cast<int>(mesh.vertices.size());
  for (int i = 0; i < 8; ++i)
    mesh.vertices.push_back(
        centre + Vec3d{{i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half}});
  const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (const auto& q : quads)
    for (int k = 1; k <= 2; ++k) {
      Vec3i t{{base + q[0], base + q[k], base + q[k + 1]}};
      if (inward) std::swap(t[1], t[2]);
      mesh.triangles.push_back(t);
    }
}

TriMesh cube() {
  TriMesh m;
  add_cube(m, Vec3d::zero(), 0.5);
  return m;
}

TEST(MeshEdit, ACubeHasItsVolumeAndBox) {
  const TriMesh m = cube();
  EXPECT_DOUBLE_EQ(signed_volume(m), 1);
  EXPECT_EQ(bounding_box(m.vertices).lo[2], -0.5);
  EXPECT_EQ(bounding_box(m.vertices).hi[0], 0.5);
}

TEST(MeshEdit, WeldJoinsWithinTheToleranceAndNotBeyond) {
  TriMesh m;
  add_cube(m, Vec3d::zero(), 0.5);
  // Every triangle with corners of its own, moved by up to 0.9e-6.
  TriMesh soup;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> shift(-0.45e-6, 0.45e-6);
  for (const Vec3i& t : m.triangles) {
    const int n = static_cast<int>(soup.vertices.size());
    for (int k = 0; k < 3; ++k)
      soup.vertices.push_back(m.vertices[static_cast<std::size_t>(t[k])] +
                              Vec3d{{shift(random), shift(random), shift(random)}});
    soup.triangles.push_back({{n, n + 1, n + 2}});
  }
  TriMesh fine = soup;
  EXPECT_EQ(weld(fine, 1e-9).merged_vertices, 0);
  const WeldResult r = weld(soup, 2e-6);
  EXPECT_EQ(r.merged_vertices, 36 - 8);
  EXPECT_EQ(r.removed_triangles, 0);
  EXPECT_TRUE(check_surface(soup).outward());
}

TEST(MeshEdit, WeldMapAgreesWithTheDefinitionOnRandomPoints) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> u(-1, 1);
  for (const double tolerance : {0.02, 0.3}) {
    std::vector<Vec3d> p;
    p.reserve(600);
    for (int i = 0; i < 600; ++i) p.push_back({{u(random), u(random), u(random)}});
    const std::vector<int> map = weld_map(p, tolerance);
    for (std::size_t i = 0; i < p.size(); ++i) {
      std::size_t first = i;
      for (std::size_t j = 0; j < i; ++j)
        if (map[j] == static_cast<int>(j) && norm(p[j] - p[i]) <= tolerance) {
          first = j;
          break;
        }
      ASSERT_EQ(map[i], static_cast<int>(first)) << i;
    }
  }
}

TEST(MeshEdit, WeldRefusesWhatItCannotDo) {
  TriMesh m = cube();
  EXPECT_THROW(weld(m, -1), InputError);
  EXPECT_THROW(weld(m, 1e-300), InputError);
  m.vertices[0][0] = std::nan("");
  EXPECT_THROW(weld(m, 0), InputError);
  m = cube();
  m.triangles[0][0] = 8;
  EXPECT_THROW(weld(m, 0), InputError);
}

TEST(MeshEdit, MinusZeroEqualsZeroInAnExactWeld) {
  EXPECT_EQ(weld_map({{{0.0, 1, 2}}, {{-0.0, 1, 2}}}, 0), (std::vector<int>{0, 0}));
}

TEST(MeshEdit, OrientMendsAnyTurnedTrianglesOfAClosedSurface) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    TriMesh m = cube();
    int turned = 0;
    for (Vec3i& t : m.triangles)
      if (random() % 2) {
        std::swap(t[0], t[1]);
        ++turned;
      }
    EXPECT_EQ(orient(m), turned);
    EXPECT_TRUE(check_surface(m).outward());
    EXPECT_EQ(orient(m), 0);
  }
}

TEST(MeshEdit, OrientKeepsACavityAndTurnsSeparatePartsOutward) {
  TriMesh m;
  add_cube(m, Vec3d::zero(), 1);             // outside
  add_cube(m, Vec3d::zero(), 0.5);           // a cavity given the wrong way round
  add_cube(m, Vec3d::zero(), 0.25, true);    // a solid in the cavity, inside out
  add_cube(m, Vec3d{{5, 0, 0}}, 0.5, true);  // a separate part, inside out
  EXPECT_EQ(orient(m), 36);
  EXPECT_DOUBLE_EQ(signed_volume(m), 8 - 1 + 0.125 + 1);
}

TEST(MeshEdit, OrientOfAnOpenSurfaceFollowsTheMajority) {
  TriMesh m = cube();
  m.triangles.resize(10);
  std::swap(m.triangles[3][0], m.triangles[3][1]);
  EXPECT_EQ(orient(m), 1);
  EXPECT_TRUE(check_surface(m).consistent());
  for (Vec3i& t : m.triangles) std::swap(t[0], t[1]);
  EXPECT_EQ(orient(m), 0);
}

TEST(MeshEdit, TwoCubesThatShareAnEdgeAreOrientedOneByOne) {
  TriMesh m;
  add_cube(m, Vec3d::zero(), 0.5);
  add_cube(m, Vec3d{{1, 1, 0}}, 0.5, true);
  EXPECT_EQ(weld(m, 0).merged_vertices, 2);
  EXPECT_EQ(orient(m), 12);
  EXPECT_DOUBLE_EQ(signed_volume(m), 2);
  EXPECT_EQ(check_surface(m).nonmanifold_edges.count, 1);
}

TEST(MeshEdit, OrientTurnsInvertedTetrahedraOnly) {
  TetMesh m{{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}, {{1, 1, 1}}},
            {{{0, 2, 1, 3}}, {{1, 2, 3, 4}}}};
  EXPECT_EQ(orient(m), 1);
  EXPECT_FALSE(check_volume(m).inverted_tets);
  EXPECT_DOUBLE_EQ(signed_volume(m), 1.0 / 6 + 2.0 / 6);
}

TEST(MeshEdit, RemovingAFlatTriangleKeepsAClosedSurfaceClosed) {
  // A cube with a vertex in the middle of one edge that only one of the two faces knows about, and
  // a flat triangle that closes the slit.
  TriMesh m = cube();
  const int middle = static_cast<int>(m.vertices.size());
  const Vec3i t = m.triangles[0];
  m.vertices.push_back(
      (m.vertices[static_cast<std::size_t>(t[0])] + m.vertices[static_cast<std::size_t>(t[1])]) *
      0.5);
  m.triangles[0] = {{t[0], middle, t[2]}};
  m.triangles.push_back({{middle, t[1], t[2]}});
  m.triangles.push_back({{t[0], t[1], middle}});
  SurfaceReport r = check_surface(m);
  ASSERT_TRUE(r.closed());
  ASSERT_EQ(r.degenerate_triangles.count, 1);
  m.triangles.push_back({{1, 1, 2}});
  EXPECT_EQ(remove_degenerate(m), 2);
  r = check_surface(m);
  EXPECT_EQ(r.degenerate_triangles.count, 0);
  EXPECT_TRUE(r.outward());
  EXPECT_DOUBLE_EQ(r.volume, 1);
  EXPECT_EQ(r.intersecting_triangles.count, 0);
}

TEST(MeshEdit, DuplicatesAndUnusedVerticesAreRemoved) {
  TriMesh m = cube();
  m.triangles.push_back({{m.triangles[4][2], m.triangles[4][0], m.triangles[4][1]}});
  EXPECT_EQ(remove_duplicate_triangles(m), 1);
  EXPECT_EQ(m.triangles.size(), 12u);
  m.vertices.insert(m.vertices.begin(), Vec3d{{9, 9, 9}});
  for (Vec3i& t : m.triangles)
    for (int k = 0; k < 3; ++k) ++t[k];
  EXPECT_EQ(remove_unreferenced(m), 1);
  EXPECT_TRUE(check_surface(m).findings().empty());
}

TEST(MeshEdit, ARigidMoveKeepsTheVolume) {
  TriMesh m = cube();
  transform(m.vertices, {{0, -1, 0, 1, 0, 0, 0, 0, 1}}, {{1, 2, 3}});
  EXPECT_DOUBLE_EQ(signed_volume(m), 1);
  EXPECT_DOUBLE_EQ(bounding_box(m.vertices).centre()[1], 2);
  scale(m.vertices, 1e-3);
  EXPECT_NEAR(signed_volume(m), 1e-9, 1e-24);
}

TEST(MeshEdit, C5IsClosedWhenWeldedAtATenthOfAMicrometre) {
  HAPTOS_OUTSIDE_FILE(path, "mech/C5.stl");
  TriMesh coarse = read_surface(path), fine = coarse;
  weld(fine, 1e-9);
  EXPECT_EQ(check_surface(fine).open_edges.count, 80);
  weld(coarse, 1e-7);
  const SurfaceReport r = check_surface(coarse);
  EXPECT_TRUE(r.outward());
  EXPECT_TRUE(r.findings().empty());
  EXPECT_NEAR(r.volume, 1.22438e-6, 1e-11);
}

}  // namespace
}  // namespace haptos
