// Pressure by depth: tables, and the surfaces of bodies that have them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <numbers>

#include "haptos/base/text/error.h"
#include "haptos/geometry/pressure/pressure_surface.h"
#include "tests/unit/pressed_fields.h"

namespace haptos {
namespace {

constexpr double kRigid = std::numeric_limits<double>::infinity();

const PressureLaw& foam() {
  static const PressureLaw law("foam", {{1e-3, 5e3}, {2e-3, 2e4}, {4e-3, 2.4e4}});
  return law;
}

double force(const PressureSurface& s) {
  double f = 0;
  for (const PressurePatch& p : s.patches()) f += p.area * p.pressure * p.n[2];
  return f;
}

TEST(PressureLaw, ATableIsStraightBetweenItsRowsAndGoesOn) {
  EXPECT_DOUBLE_EQ(foam().pressure(5e-4), 2.5e3);
  EXPECT_DOUBLE_EQ(foam().pressure(1.5e-3), 1.25e4);
  EXPECT_DOUBLE_EQ(foam().pressure(6e-3), 2.8e4);
  EXPECT_DOUBLE_EQ(foam().pressure(-1e-3), -5e3);
  EXPECT_DOUBLE_EQ(foam().modulus(), 1.5e7);
  EXPECT_NEAR(foam().slope(5e-4), 5e6, 1e-3);
  EXPECT_NEAR(foam().slope(1.5e-3), 1.5e7, 1e-3);
  EXPECT_NEAR(foam().slope(1), 2e6, 1e-3);
  for (const double p : {-1e3, 1e2, 5e3, 1.2e4, 2.2e4, 1e5})
    EXPECT_NEAR(foam().pressure(foam().depth(p)), p, 1e-9 * std::abs(p));
  EXPECT_DOUBLE_EQ(PressureLaw("from zero", {{0, 0}, {1e-3, 5e3}}).pressure(2e-3), 1e4);
}

TEST(PressureLaw, DepthsOfTwoBodiesAddUp) {
  const PressureLaw gel(1e7), both = PressureLaw::of_both(foam(), gel);
  for (const double p : {1e2, 5e3, 1.2e4, 2.2e4, 1e5})
    EXPECT_NEAR(both.depth(p), foam().depth(p) + gel.depth(p), 1e-9 * both.depth(p)) << p;
  const PressureLaw alone = PressureLaw::of_both(kRigid, foam());
  for (const double d : {1e-4, 1.5e-3, 5e-3})
    EXPECT_NEAR(alone.pressure(d), foam().pressure(d), 1e-9 * foam().pressure(d));
}

TEST(PressureLaw, RowsThatDoNotRiseAreRefused) {
  const double kNan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(PressureLaw("x", {}), InputError);
  EXPECT_THROW(PressureLaw("x", {{0, 0}}), InputError);
  EXPECT_THROW(PressureLaw("x", {{1e-3, 5e3}, {1e-3, 6e3}}), InputError);
  EXPECT_THROW(PressureLaw("x", {{1e-3, 5e3}, {2e-3, 5e3}}), InputError);
  EXPECT_THROW(PressureLaw("x", {{1e-3, -5e3}}), InputError);
  EXPECT_THROW(PressureLaw("x", {{1e-3, kNan}}), InputError);
}

// Force of a ball in a rigid plane: 2 pi int r p(R - sqrt(r^2 + (R - d)^2)) dr.
TEST(PressureLaw, ABallHasTheForceOfItsIntegral) {
  constexpr double kRadius = 0.05;
  const DistanceField ball = of(ShapeKind::kSphere, {{kRadius, 0, 0}}),
                      plane = of(ShapeKind::kHalfSpace, {{0, 0, 0}});
  double worst = 0;
  for (const double d : {5e-4, 1e-3, 1.8e-3, 3e-3, 6e-3}) {
    const double most = std::sqrt(kRadius * kRadius - (kRadius - d) * (kRadius - d));
    double exact = 0;
    constexpr int kParts = 20000;
    for (int i = 0; i < kParts; ++i) {
      const double r = most * (i + 0.5) / kParts;
      exact += r * foam().pressure(kRadius - std::hypot(r, kRadius - d));
    }
    exact *= 2 * std::numbers::pi * most / kParts;
    PressureSurface s;
    s.find({&ball, {{{0, 0, kRadius - d}}, {}}, foam()}, {&plane, {}, kRigid});
    EXPECT_NEAR(force(s), exact, 5e-3 * exact) << d;
    s.find({&plane, {}, kRigid}, {&ball, {{{0, 0, kRadius - d}}, {}}, foam()});
    EXPECT_NEAR(-force(s), exact, 5e-3 * exact) << d;
    worst = std::max(worst, std::abs(force(s) + exact) / exact);
  }
  std::printf("FIGURE pressure_law.ball = %.3f %% of its integral\n", 100 * worst);
}

// The pressures of both at the place of every patch, of a foam on a gel and of two foams. Where the
// lines of a table meet the surface has a crease, which polygons cut off.
TEST(PressureLaw, PressuresAgreeOnTheSurface) {
  const DistanceField ball = of(ShapeKind::kSphere, {{0.05, 0, 0}}),
                      can = of(ShapeKind::kCylinder, {{0.03, 0.02, 0}});
  const PressureLaw gel(1e7), other("other", {{5e-4, 8e3}, {3e-3, 1.6e4}});
  const Pose at{{{0.004, 0.002, 0.066}}, {}};
  for (const PressureLaw* law : {&gel, &other}) {
    PressureSurface s;
    const auto off = [&](double cells, double& mean) {
      s.cells_across = cells;
      s.find({&ball, at, foam()}, {&can, {}, *law});
      EXPECT_GT(s.patches().size(), 300u);
      double highest = 0, most = 0;
      for (const PressurePatch& p : s.patches()) {
        const double a = std::abs(foam().pressure(-ball.phi(p.point - at.p)) - p.pressure),
                     b = std::abs(law->pressure(-can.phi(p.point)) - p.pressure);
        highest = std::max(highest, p.pressure), most = std::max({most, a, b});
        mean += 0.5 * (a + b) / static_cast<double>(s.patches().size());
      }
      mean /= highest;
      return most / highest;
    };
    double mean_fine = 0, mean = 0;
    const double most_fine = off(56, mean_fine), most = off(28, mean);
    std::printf(
        "FIGURE pressure_law.off = %.2f %% of the highest, mean %.3f %% (56 cells: %.2f, %.3f)\n",
        100 * most, 100 * mean, 100 * most_fine, 100 * mean_fine);
    EXPECT_LT(most, 0.05);
    EXPECT_LT(mean, 0.01);
    EXPECT_LT(most_fine, 0.7 * most);
    EXPECT_LT(mean_fine, 0.5 * mean);
    // The law of a patch is the slope of the pressure there.
    const double deeper = 2e-5, before = force(s);
    double slope = 0;
    for (const PressurePatch& p : s.patches()) slope += p.area * p.stiffness * p.n[2] * p.n[2];
    const Pose down{at.p - Vec3d{{0, 0, deeper}}, {}};
    s.find({&ball, down, foam()}, {&can, {}, *law});
    EXPECT_NEAR((force(s) - before) / deeper, slope, 0.1 * slope);
  }
}

TEST(PressureLaw, AStraightTableIsItsModulus) {
  const DistanceField ball = of(ShapeKind::kSphere, {{0.05, 0, 0}}),
                      box = of(ShapeKind::kBox, {{0.05, 0.05, 0.05}});
  const PressureLaw straight("straight", {{1e-3, 1e5}, {2e-3, 2e5}});
  const Pose at{{{0.01, 0.02, 0.097}}, {}};
  PressureSurface s;
  s.find({&ball, at, 1e8}, {&box, {}, 3e7});
  const double by_modulus = force(s);
  s.find({&ball, at, straight}, {&box, {}, 3e7});
  EXPECT_NEAR(force(s), by_modulus, 5e-4 * by_modulus);  // it looks closer
}

}  // namespace
}  // namespace haptos
