// Points that fill shapes.
#include <gtest/gtest.h>

#include "haptos/base/text/error.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/geometry/fill/fill_points.h"
#include "haptos/geometry/make/shapes.h"

namespace haptos {
namespace {

Shape ball(double radius) {
  Shape s;
  s.kind = ShapeKind::kSphere;
  s.size = {{radius, 0, 0}};
  return s;
}

double nearest_pair(const std::vector<Vec3d>& x) {
  double least = 1e300;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, squared_norm(x[i] - x[j]));
  return std::sqrt(least);
}

TEST(FillPoints, RandomPointsKeepApartAndAreAboutAsManyAsAskedFor) {
  const double density = 8 / (0.1 * 0.1 * 0.1), spacing = 1 / std::cbrt(density);
  const Filling f = fill_points(ball(0.5), density, Fill::kPoisson, 3, "ball");
  EXPECT_NEAR(f.volume, 4.0 / 3.0 * M_PI * 0.125, 1e-12);
  EXPECT_NEAR(static_cast<double>(f.points.size()) / (f.volume * density), 1, 0.15);
  EXPECT_GE(nearest_pair(f.points), std::cbrt(0.55 / density));
  double deepest = 0;
  int layer = 0;
  for (const Vec3d& x : f.points) {
    const double depth = 0.5 - norm(x);
    deepest = std::max(deepest, depth);
    EXPECT_GE(depth, 0.48 * spacing);
    layer += depth < 0.52 * spacing;
  }
  EXPECT_GT(deepest, 0.45);
  // One for about every spacing^2 of the surface.
  EXPECT_NEAR(layer * spacing * spacing / (4 * M_PI * 0.25), 0.9, 0.2);
}

TEST(FillPoints, OneSeedGivesTheSamePointsAndAnotherOthers) {
  const auto points = [](std::uint64_t seed) {
    return fill_points(ball(0.1), 1e6, Fill::kPoisson, seed, "ball").points;
  };
  const auto a = points(1), b = points(1), c = points(2);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(squared_norm(a[i] - b[i]), 0);
  EXPECT_GT(norm(a[5] - c[5]), 0);
}

TEST(FillPoints, ALatticeOfABoxHasAWholeNumberOfSpacings) {
  Shape s;
  s.kind = ShapeKind::kBox;
  s.size = {{0.065, 0.055, 0.055}};
  const Filling f = fill_points(s, 1e6, Fill::kLattice, 0, "box");
  EXPECT_EQ(f.points.size(), 13u * 11u * 11u);
  EXPECT_NEAR(f.points[0][0], -0.06, 1e-12);
}

TEST(FillPoints, AMeshWithPartsThatHangApartIsFilledWhole) {
  TriMesh two = box({{0.1, 0.1, 0.1}}), other = two;
  const int n = static_cast<int>(two.vertices.size());
  for (const Vec3d& x : other.vertices) two.vertices.push_back(x + Vec3d{{1, 0, 0}});
  for (const Vec3i& t : other.triangles) two.triangles.push_back({{t[0] + n, t[1] + n, t[2] + n}});
  Shape s;
  s.kind = ShapeKind::kMesh;
  s.mesh = std::make_shared<const TriMesh>(two);
  const Filling f = fill_points(s, 8e6 / 8, Fill::kPoisson, 0, "mesh");
  int left = 0;
  for (const Vec3d& x : f.points) left += x[0] < 0.5;
  EXPECT_NEAR(left, 1000, 200);
  EXPECT_NEAR(static_cast<double>(f.points.size()) - left, left, 100);
}

TEST(FillPoints, WhatHasNoVolumeAndWhatIsTooMuchIsRefused) {
  const auto refused = [](const Shape& s, double density) {
    try {
      fill_points(s, density, Fill::kPoisson, 0, "dough");
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  Shape plane;
  plane.kind = ShapeKind::kHalfSpace;
  EXPECT_NE(refused(plane, 1e6).find("has no volume"), std::string::npos);
  TriMesh open = box({{0.1, 0.1, 0.1}});
  open.triangles.pop_back();
  Shape s;
  s.kind = ShapeKind::kMesh;
  s.mesh = std::make_shared<const TriMesh>(open);
  EXPECT_NE(refused(s, 1e6).find("closed surface"), std::string::npos);
  EXPECT_NE(refused(ball(1), 1e12).find("at most"), std::string::npos);
  EXPECT_NE(refused(ball(1e-3), 1).find("too small"), std::string::npos);
}

}  // namespace
}  // namespace haptos
