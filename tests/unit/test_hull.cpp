// Convex hulls: every point inside, faces merged, closed and consistent, degenerate input refused.
#include "haptos/geometry/shape/hull.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "haptos/base/math/rotation.h"
#include "haptos/base/text/error.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/mass_properties.h"
#include "haptos/geometry/query/exact.h"

namespace haptos {
namespace {

// Euler's formula, every edge once each way, faces flat and convex, all points inside.
void expect_hull(const Polytope& p, const std::vector<Vec3d>& points, double tolerance) {
  std::map<std::pair<int, int>, int> edges;
  const int faces = static_cast<int>(p.normals.size());
  for (int f = 0; f < faces; ++f) {
    const int lo = p.face_start[static_cast<std::size_t>(f)];
    const int hi = p.face_start[static_cast<std::size_t>(f) + 1];
    ASSERT_GE(hi - lo, 3);
    for (int k = lo; k < hi; ++k) {
      const int a = p.face_vertices[static_cast<std::size_t>(k)];
      const int b = p.face_vertices[static_cast<std::size_t>(k + 1 < hi ? k + 1 : lo)];
      EXPECT_EQ(++edges[std::make_pair(a, b)], 1);
    }
    const Vec3d n = p.normals[static_cast<std::size_t>(f)];
    EXPECT_NEAR(norm(n), 1, 1e-14);
    const Vec3d o =
        p.vertices[static_cast<std::size_t>(p.face_vertices[static_cast<std::size_t>(lo)])];
    for (const Vec3d& x : points) EXPECT_LE(dot(n, x - o), tolerance);
  }
  for (const auto& [e, count] : edges) EXPECT_EQ(edges.count({e.second, e.first}), 1u) << count;
  EXPECT_EQ(static_cast<int>(p.vertices.size()) - static_cast<int>(edges.size()) / 2 + faces, 2);
}

TEST(Hull, OfRandomPointsHoldsThemAll) {
  std::mt19937 rng(11);
  std::normal_distribution<double> g;
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Vec3d> points;
    const int n = 4 + trial * trial / 3;
    points.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) points.push_back({{g(rng), 0.3 * g(rng), 2 * g(rng)}});
    expect_hull(convex_hull(points), points, 2e-5);  // faces within 2e-6 of the extent
  }
}

TEST(Hull, OfAGridOfPointsIsABoxOfSixFacesAndEightVertices) {
  std::vector<Vec3d> points;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 6; ++k) points.push_back({{0.1 * i, 0.3 * j, 0.7 * k}});
  for (const Vec3d& turn : {Vec3d{{0, 0, 0}}, Vec3d{{0.3, 1.1, -0.4}}}) {
    std::vector<Vec3d> moved;
    moved.reserve(points.size());
    for (const Vec3d& x : points) moved.push_back(Pose{{{5, 6, 7}}, rotation_by(turn)} * x);
    const Polytope p = convex_hull(moved);
    EXPECT_EQ(p.vertices.size(), 8u);
    EXPECT_EQ(p.normals.size(), 6u);
    expect_hull(p, moved, 1e-8);
    EXPECT_NEAR(solid_moments(p.mesh(), 1).mass, 0.4 * 0.9 * 3.5, 1e-9);
  }
}

TEST(Hull, OfATessellatedCylinderHasItsCapsAndSides) {
  const TriMesh mesh = cylinder(0.05, 0.2, 0.01);
  const Polytope p = convex_hull(mesh.vertices);
  expect_hull(p, mesh.vertices, 1e-10);
  std::size_t caps = 0, rim = 0;
  for (std::size_t f = 0; f < p.normals.size(); ++f)
    if (std::abs(p.normals[f][2]) > 0.999999) {
      ++caps;
      rim = static_cast<std::size_t>(p.face_start[f + 1] - p.face_start[f]);
    }
  EXPECT_EQ(caps, 2u);
  EXPECT_EQ(p.vertices.size(), 2 * rim);
  EXPECT_EQ(p.normals.size(), rim + 2);
  EXPECT_NEAR(solid_moments(p.mesh(), 1).mass, solid_moments(mesh, 1).mass, 1e-12);
}

TEST(Hull, OfPointsOnASphereKeepsEveryOneOfThem) {
  const TriMesh mesh = icosphere(1, 0.1);
  const Polytope p = convex_hull(mesh.vertices);
  EXPECT_EQ(p.vertices.size(), mesh.vertices.size());
  expect_hull(p, mesh.vertices, 1e-8);
}

// As STL files are.
TEST(Hull, OfVerticesInSinglePrecisionHasWholeFaces) {
  std::mt19937 rng(19);
  std::uniform_real_distribution<double> u(-2, 2);
  for (int trial = 0; trial < 200; ++trial) {
    const Pose pose{Vec3d{{u(rng), u(rng), u(rng)}} * .1, rotation_by({{u(rng), u(rng), u(rng)}})};
    const TriMesh mesh = trial % 2 ? box({{.1, .2, .05}}, {{4, 3, 5}}) : cylinder(.05, .2, .02);
    std::vector<Vec3d> points;
    for (const Vec3d& x : mesh.vertices) {
      const Vec3d y = pose * x;
      points.push_back(
          {{static_cast<float>(y[0]), static_cast<float>(y[1]), static_cast<float>(y[2])}});
    }
    const Polytope p = convex_hull(points);
    const Polytope exact = convex_hull(mesh.vertices);
    EXPECT_EQ(p.normals.size(), exact.normals.size());
    EXPECT_EQ(p.vertices.size(), exact.vertices.size());
    EXPECT_LT(p.flatness, 1e-7);
  }
}

TEST(Hull, SurvivesPointsThatAreNearlyCoplanarOrNearlyEqual) {
  std::mt19937 rng(13);
  std::uniform_real_distribution<double> u(-1, 1);
  for (const double noise : {1e-16, 1e-14, 1e-12, 1e-10, 1e-8, 1e-6}) {
    std::vector<Vec3d> points;
    for (int i = 0; i < 400; ++i) {
      // Points about the faces of a cube, some of them many times.
      Vec3d x{{u(rng), u(rng), u(rng)}};
      x[i % 3] = i % 2 ? 1 : -1;
      for (int k = 0; k < 3; ++k) x[k] += noise * u(rng);
      points.push_back(x);
      if (i % 7 == 0) points.push_back(x + Vec3d{{noise * u(rng), 0, noise * u(rng)}});
    }
    const Polytope p = convex_hull(points);
    double worst = 0;
    for (std::size_t f = 0; f < p.normals.size(); ++f)
      for (const Vec3d& x : points)
        worst = std::max(worst,
                         dot(p.normals[f],
                             x - p.vertices[static_cast<std::size_t>(
                                     p.face_vertices[static_cast<std::size_t>(p.face_start[f])])]));
    EXPECT_LT(worst, 8e-6) << "noise " << noise;
    const double v = solid_moments(p.mesh(), 1).mass;
    EXPECT_GT(v, 7.0);
    EXPECT_LT(v, 8.0 + 1e-4);
  }
}

TEST(Hull, ClimbingFindsTheVertexThatAScanFinds) {
  std::mt19937 rng(17);
  std::normal_distribution<double> g;
  const Polytope p = convex_hull(icosphere(1, 0.08).vertices);
  PolytopeView all = p.view(), scan = p.view();
  scan.neighbours = nullptr;
  ASSERT_GT(all.vertex_count, 500);
  int start = 0;
  for (int k = 0; k < 2000; ++k) {
    const Vec3d d{{g(rng), g(rng), g(rng)}};
    start = support_vertex(all, d, start);
    EXPECT_EQ(dot(d, p.vertices[static_cast<std::size_t>(start)]),
              dot(d, p.vertices[static_cast<std::size_t>(support_vertex(scan, d))]));
  }
}

std::string refusal(const std::vector<Vec3d>& points) {
  try {
    convex_hull(points);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Hull, RefusesPointsWithoutVolumeInOneSentence) {
  EXPECT_NE(refusal({}).find("four points"), std::string::npos);
  EXPECT_NE(refusal({5, Vec3d{{1, 2, 3}}}).find("coincide"), std::string::npos);
  std::vector<Vec3d> line, plane;
  for (int i = 0; i < 9; ++i) line.push_back({{0.1 * i, 0.2 * i, -0.3 * i}});
  EXPECT_NE(refusal(line).find("line"), std::string::npos);
  for (int i = 0; i < 30; ++i) {
    const int row = i / 6;
    plane.push_back({{0.1 * (i % 6), 0.37 * row, 0.01 * i}});
  }
  for (Vec3d& x : plane) x[2] = 0.3 * x[0] - 0.7 * x[1];
  EXPECT_NE(refusal(plane).find("plane"), std::string::npos);
  plane[3][1] = std::nan("");
  EXPECT_NE(refusal(plane).find("vertex 3"), std::string::npos);
}

}  // namespace
}  // namespace haptos
