// Bodies made smaller by their layer: the layer then ends where the body did.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

#include "haptos/geometry/layer/layer_shape.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/query/closest.h"
#include "layer_cases.h"

namespace haptos {
namespace {

constexpr double kLayer = 5e-3;

TriangleSoup shrunk(const TriMesh& m, double by = kLayer) {
  return TriangleSoup(m, "mesh", TriangleSoup::Sides::kLookFor, by);
}

double distance_to(const TriMesh& m, const Vec3d& p) {
  double least = 1e300;
  for (const Vec3i& t : m.triangles) {
    const Vec3d a = m.vertices[at_index(t[0])], b = m.vertices[at_index(t[1])],
                c = m.vertices[at_index(t[2])];
    const auto q = closest_on_triangle(p, a, b, c);
    least = std::min(least, norm(q.beta[0] * a + q.beta[1] * b + q.beta[2] * c - p));
  }
  return least;
}

// The least distance of places all over a soup's faces to a mesh.
double least_distance(const TriangleSoup& s, const TriMesh& m) {
  double least = 1e300;
  for (const TriangleSoup::Face& f : s.faces())
    for (const auto& [u, v] : {std::pair{0.0, 0.0},
                               {1.0, 0.0},
                               {0.0, 1.0},
                               {0.5, 0.5},
                               {0.5, 0.0},
                               {0.0, 0.5},
                               {0.33, 0.33}}) {
      const auto& x = s.vertices();
      const Vec3d p =
          (1 - u - v) * x[at_index(f.v[0])] + u * x[at_index(f.v[1])] + v * x[at_index(f.v[2])];
      least = std::min(least, distance_to(m, p));
    }
  return least;
}

// However its faces are cut.
TEST(Shrink, ABoxIsASmallerBox) {
  for (const int n : {1, 2, 7, 30}) {
    const TriangleSoup s = shrunk(shuffled(cut_cube(0.1, n, 0.3, 3), 5, 0.5));
    EXPECT_EQ(s.shrunk().held, 0);
    EXPECT_EQ(s.sided(), static_cast<int>(s.faces().size()));
    EXPECT_EQ(s.planes().size(), 6U) << n;
    for (int k = 0; k < 3; ++k) {
      EXPECT_NEAR(s.box().lo[k], -0.045, 1e-12);
      EXPECT_NEAR(s.box().hi[k], 0.045, 1e-12);
    }
    EXPECT_NEAR(s.area(), 6 * 0.09 * 0.09, 1e-9);
  }
}

// The corner inside goes with the faces beside it, and so into the body.
TEST(Shrink, AHollowEdgeMovesIntoTheBody) {
  // An L of 40 mm, 20 mm thick, 30 mm deep.
  TriMesh m;
  const double x[6] = {0, .04, .04, .02, .02, 0}, y[6] = {0, 0, .02, .02, .04, .04};
  for (const double z : {0.0, .03})
    for (int k = 0; k < 6; ++k) m.vertices.push_back({{x[k], y[k], z}});
  for (const Vec3i& t : {Vec3i{{0, 1, 2}}, {{0, 2, 3}}, {{0, 3, 4}}, {{0, 4, 5}}}) {
    m.triangles.push_back({{t[0], t[2], t[1]}});
    m.triangles.push_back({{t[0] + 6, t[1] + 6, t[2] + 6}});
  }
  for (int k = 0; k < 6; ++k) {
    const int l = (k + 1) % 6;
    m.triangles.push_back({{k, l, l + 6}}), m.triangles.push_back({{k, l + 6, k + 6}});
  }
  const TriangleSoup s = shrunk(m);
  EXPECT_EQ(s.shrunk().held, 0);
  std::set<int> found;
  for (const Vec3d& v : s.vertices())
    for (int k = 0; k < 6; ++k) {
      const double wx = std::clamp(x[k], .005, k == 3 || k == 4 ? .015 : .035);
      const double wy = std::clamp(y[k], .005, k == 2 || k == 3 ? .015 : .035);
      if (std::abs(v[0] - wx) < 1e-12 && std::abs(v[1] - wy) < 1e-12) found.insert(k);
    }
  EXPECT_EQ(found.size(), 6U);
  EXPECT_NEAR(least_distance(s, m), kLayer, 1e-12);
}

TEST(Shrink, ABallIsASmallerBall) {
  const TriMesh ball = uv_sphere(0.03, 4e-3);
  const TriangleSoup s = shrunk(ball);
  EXPECT_EQ(s.shrunk().held, 0);
  for (const Vec3d& v : s.vertices()) EXPECT_NEAR(norm(v), 0.025, 1e-4);
  EXPECT_GT(least_distance(s, ball), kLayer * (1 - 2e-3));
}

// A chamfer narrower than the layer goes; a fine chamfer of many faces too.
TEST(Shrink, WhatIsNarrowerThanTheLayerGoes) {
  TriMesh m = cut_cube(0.1, 10, 0.0);
  for (Vec3d& v : m.vertices)  // corners cut by 2 mm along every edge
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < i; ++j) {
        const double over = std::abs(v[i]) + std::abs(v[j]) - 0.098;
        if (over <= 0) continue;
        v[i] -= std::copysign(over / 2, v[i]), v[j] -= std::copysign(over / 2, v[j]);
      }
  const TriangleSoup s = shrunk(m);
  EXPECT_EQ(s.shrunk().held, 0);
  EXPECT_GT(least_distance(s, m), kLayer * (1 - 2e-3));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(s.box().hi[k], 0.045, 1e-9);
}

// A plate thinner than two layers shrinks to its middle, and says by how much the layer stands out.
TEST(Shrink, AThinPlateSaysByHowMuchTheLayerStandsOut) {
  TriMesh plate = box({{0.1, 0.1, 0.0075}});
  const TriangleSoup s = shrunk(plate);
  EXPECT_EQ(s.shrunk().held, 8);
  EXPECT_NEAR(s.shrunk().stands_out, kLayer - 0.00375, 0.02 * kLayer);
  const double least = least_distance(s, plate);
  EXPECT_GE(least, kLayer - s.shrunk().stands_out - 0.02 * kLayer);
  const TriangleSoup fine = shrunk(box({{0.1, 0.1, 0.0101}}));
  EXPECT_EQ(fine.shrunk().held, 0);
  // Nothing is left but a point.
  const TriangleSoup die = shrunk(box({{0.01, 0.01, 0.01}}));
  EXPECT_LT(die.extent(), 2e-5);
}

TEST(Shrink, ANeedleAndAnOpenSheetStayAsTheyCan) {
  TriMesh needle;
  needle.vertices = {{{-1e-3, -1e-3, 0}}, {{1e-3, -1e-3, 0}}, {{0, 1e-3, 0}}, {{0, 0, 0.1}}};
  needle.triangles = {{{0, 2, 1}}, {{0, 1, 3}}, {{1, 2, 3}}, {{2, 0, 3}}};
  const TriangleSoup s = shrunk(needle);
  EXPECT_EQ(s.shrunk().held, 3);  // the tip goes, as far as anything may
  EXPECT_GT(s.shrunk().stands_out, 0.8 * kLayer);
  const TriMesh sheet = cut_plate(0.1, 0.1, 5, 0.3, 1);
  const TriangleSoup same = shrunk(sheet), as_it_is(sheet);
  EXPECT_EQ(same.area(), as_it_is.area());
  EXPECT_EQ(same.shrunk().held, 0);
}

// Rough bodies: nowhere does the layer stand out by more than is told.
TEST(Shrink, OfRoughBodiesTheLayerEndsWhereTheyDid) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const double rough : {0.2e-3, 1e-3, 3e-3}) {
    TriMesh m = cut_cube(0.06, 8, 0.3, 9);
    std::vector<Vec3d> moved;
    // Corners of neighbouring faces are one.
    for (std::size_t i = 0; i < m.vertices.size(); ++i) {
      std::seed_seq seed{static_cast<int>(std::lround(1e7 * m.vertices[i][0])),
                         static_cast<int>(std::lround(1e7 * m.vertices[i][1])),
                         static_cast<int>(std::lround(1e7 * m.vertices[i][2]))};
      std::mt19937 own(seed);
      moved.push_back(m.vertices[i] + rough * Vec3d{{any(own), any(own), any(own)}});
    }
    m.vertices = moved;
    const TriangleSoup s = shrunk(m, 2e-3), whole(m);
    ASSERT_EQ(whole.sided(), static_cast<int>(whole.faces().size()));
    const double least = least_distance(s, m);
    std::printf("rough by %.1f mm: %d of %zu vertices held, stands out by %.3g mm, told %.3g\n",
                1e3 * rough, s.shrunk().held, s.vertices().size(), 1e3 * (2e-3 - least),
                1e3 * s.shrunk().stands_out);
    EXPECT_GE(least, 2e-3 - s.shrunk().stands_out - 0.15e-3);
  }
}

TEST(Shrink, RoundShapesLoseTheirRadius) {
  Shape ball;
  ball.kind = ShapeKind::kSphere;
  ball.size = {{0.02, 0, 0}};
  EXPECT_NEAR(layer_shape(ball, "ball", false, kLayer).radius, 0.015, 1e-15);
  const LayerShape small = layer_shape(ball, "ball", false, 0.03);
  EXPECT_EQ(small.radius, 0);
  EXPECT_NEAR(small.shrunk.stands_out, 0.01, 1e-15);
  Shape floor;
  floor.kind = ShapeKind::kHalfSpace;
  const LayerShape plane = layer_shape(floor, "floor", false, kLayer);
  EXPECT_NEAR(plane.soup->box().hi[2], -kLayer, 1e-12);
}

// Two of them touch where the bodies themselves would.
TEST(Shrink, TwoShrunkBodiesTouchWhereTheyDid) {
  const TriangleSoup cube = shrunk(cut_cube(0.1, 3));
  const auto at = [&](double z) {
    return layer_samples(cube, {{{0, 0, z}}, rotation_by({{0, 0, .3}})}, kLayer, cube, {}, kLayer);
  };
  const auto touching = [](const std::vector<ContactSample>& s) {
    double deepest = 0;
    for (const ContactSample& c : s) deepest = std::max(deepest, -c.gap);
    return deepest;
  };
  EXPECT_NEAR(touching(at(0.1 - 1e-4)), 1e-4, 1e-12);
  EXPECT_EQ(touching(at(0.1 + 1e-6)), 0);
}

}  // namespace
}  // namespace haptos
