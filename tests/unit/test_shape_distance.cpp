// Signed distances of shapes: against triangulated surfaces and by their own properties.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "haptos/base/math/lanes.h"
#include "haptos/geometry/field/shape_distance.h"

namespace haptos {
namespace {

struct Case {
  const char* name;
  ShapeKind kind;
  Vec3d size;
};

std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class OfShape : public testing::TestWithParam<Case> {
 protected:
  SignedDistance<double> at(const Vec3d& x) const {
    return shape_distance(GetParam().kind, GetParam().size, x);
  }
};

Vec3d any_point(std::mt19937& random, double size) {
  std::uniform_real_distribution<double> any(-size, size);
  return {{any(random), any(random), any(random)}};
}

// The nearest surface point, x - phi grad, is on the surface, and no surface point is nearer: phi
// is 1-Lipschitz and zero there.
TEST_P(OfShape, LeadsToASurfacePointThatFarAway) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const Vec3d x = any_point(random, 0.08);
    const auto d = at(x);
    EXPECT_NEAR(norm(d.gradient), 1, 1e-9);
    EXPECT_NEAR(at(x - d.phi * d.gradient).phi, 0, 1e-11) << x[0] << " " << x[1] << " " << x[2];
  }
}

TEST_P(OfShape, ChangesNoFasterThanThePointMoves) {
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    const Vec3d x = any_point(random, 0.08), y = x + 0.3 * any_point(random, 0.02);
    EXPECT_LE(std::abs(at(x).phi - at(y).phi), norm(x - y) + 1e-12);
  }
}

TEST_P(OfShape, HasTheGradientOfItsDifferences) {
  std::mt19937 random(3);
  constexpr double kStep = 1e-6;
  int smooth = 0;
  for (int i = 0; i < 2000; ++i) {
    const Vec3d x = any_point(random, 0.08);
    Vec3d g;
    for (int k = 0; k < 3; ++k) {
      Vec3d y = x, z = x;
      y[k] += kStep, z[k] -= kStep;
      g[k] = (at(y).phi - at(z).phi) / (2 * kStep);
    }
    if (std::abs(norm(g) - 1) > 1e-6) continue;  // across a medial axis
    ++smooth;
    EXPECT_NEAR(norm(g - at(x).gradient), 0, 1e-5);
  }
  EXPECT_GT(smooth, 1990);
}

TEST_P(OfShape, IsTheSameInLanes) {
  using Lanes = Pack<double, 4>;
  std::mt19937 random(4);
  for (int i = 0; i < 500; ++i) {
    Vec3d x[4];
    Vec3<Lanes> p;
    for (int l = 0; l < 4; ++l) {
      x[l] = any_point(random, 0.08);
      for (int k = 0; k < 3; ++k) p[k].set(l, x[l][k]);
    }
    const auto packed = shape_distance(GetParam().kind, GetParam().size, p);
    for (int l = 0; l < 4; ++l) EXPECT_NEAR(packed.phi[l], at(x[l]).phi, 1e-15);
  }
}

TEST_P(OfShape, HasADirectionEverywhere) {
  for (const Vec3d& x : {Vec3d{{0, 0, 0}}, Vec3d{{0, 0, 0.03}}, Vec3d{{0, 0, -0.03}},
                         Vec3d{{0.02, 0, 0}}, Vec3d{{0, 0.01, 0}}, Vec3d{{0, 0, 5}}}) {
    EXPECT_TRUE(std::isfinite(at(x).phi));
    EXPECT_NEAR(norm(at(x).gradient), 1, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, OfShape,
    testing::Values(Case{"sphere", ShapeKind::kSphere, {{0.03, 0, 0}}},
                    Case{"box", ShapeKind::kBox, {{0.03, 0.02, 0.05}}},
                    Case{"capsule", ShapeKind::kCapsule, {{0.02, 0.03, 0}}},
                    Case{"cylinder", ShapeKind::kCylinder, {{0.02, 0.03, 0}}},
                    Case{"cone", ShapeKind::kCone, {{0.02, 0.03, 0}}},
                    Case{"ellipsoid", ShapeKind::kEllipsoid, {{0.05, 0.02, 0.01}}},
                    Case{"ball_of_ellipsoid", ShapeKind::kEllipsoid, {{0.03, 0.03, 0.03}}},
                    Case{"half_space", ShapeKind::kHalfSpace, {{0, 0, 0}}}),
    [](const auto& param) { return param.param.name; });

}  // namespace
}  // namespace haptos
