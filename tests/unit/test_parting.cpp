// Where two bodies of points part: cubes on each other and on slabs, balls, and what is apart.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "haptos/geometry/fill/fill_points.h"
#include "haptos/geometry/fill/parting.h"

namespace haptos {
namespace {

constexpr double kCell = 0.02, kSpacing = kCell / 2, kReach = 2 * kCell;
constexpr double kHalf = 0.05;  // of the cubes [m]

struct Filled {
  std::vector<Vec3d> x;
  double spacing = kSpacing;
};
Filled filled(ShapeKind kind, const Vec3d& size, const Vec3d& at, Fill fill) {
  Shape s;
  s.kind = kind;
  s.size = size;
  Filling f = fill_points(s, 1 / (kSpacing * kSpacing * kSpacing), fill, 1, "body");
  for (Vec3d& p : f.points) p += at;
  return {f.points, std::cbrt(f.volume / static_cast<double>(f.points.size()))};
}

// Two bodies; of side 0 those points that are next to side 1 are asked.
struct Two {
  Filled of[2];
  PartingPoints points;
  Two(Filled a, Filled b) : of{std::move(a), std::move(b)} {
    points.begin(kReach);
    for (const int side : {0, 1})
      for (std::size_t i = 0; i < of[side].x.size(); ++i)
        points.add(side, of[side].x[i], of[side].spacing, static_cast<int>(i));
    points.sort();
  }
};

// Of a place of the body `side`.
bool find(PartingPoints& points, const Vec3d& x, int side, Parting& p) {
  points.look(x, side);
  return points.find(p);
}
int nearest(PartingPoints& points, const Vec3d& x, int side) {
  points.look(x, side);
  return points.nearest();
}

// The angle of a normal to what it should be, mean and largest [deg], and how far surfaces are off,
// mean and root mean square [m], over the points that `asked` picks.
struct Off {
  double angle = 0, most = 0, surface = 0, spread = 0;
};
Off off(Two& two, const std::function<bool(const Vec3d&)>& asked,
        const std::function<Vec3d(const Vec3d&)>& normal,
        const std::function<double(const Vec3d&)>& distance) {
  Off o;
  int count = 0;
  for (const Vec3d& x : two.of[0].x) {
    if (!asked(x)) continue;
    Parting p;
    EXPECT_TRUE(find(two.points, x, 0, p));
    const double angle = std::acos(std::min(1.0, dot(p.n, normal(x)))) * 180 / M_PI;
    const double by = p.distance - distance(x);
    o.angle += angle, o.most = std::max(o.most, angle);
    o.surface += by, o.spread += by * by;
    ++count;
  }
  EXPECT_GT(count, 20);
  o.angle /= count, o.surface /= count, o.spread = std::sqrt(o.spread / count);
  return o;
}

class OnAFlatFace : public ::testing::TestWithParam<std::tuple<Fill, bool>> {};

TEST_P(OnAFlatFace, NormalsDoNotTiltAtItsEndsAndSurfacesAreWhereTheyAre) {
  const auto [fill, slab] = GetParam();
  const Vec3d lower = slab ? Vec3d{{0.15, 0.15, kHalf}} : Vec3d{{kHalf, kHalf, kHalf}};
  for (const double gap : {-0.25 * kCell, 0.0, 0.25 * kCell}) {
    Two two(filled(ShapeKind::kBox, {{kHalf, kHalf, kHalf}}, {{0, 0, kHalf + gap}}, fill),
            filled(ShapeKind::kBox, lower, {{0.3e-2, 0.5e-2, -lower[2]}}, fill));
    const Off o = off(
        two, [&](const Vec3d& x) { return x[2] - gap < kSpacing; },
        [](const Vec3d&) {
          return Vec3d{{0, 0, 1}};
        },
        [](const Vec3d& x) { return x[2]; });
    EXPECT_LT(o.angle, 3) << gap;
    EXPECT_LT(o.most, 10) << gap;
    EXPECT_LT(std::abs(o.surface), 0.06 * kCell) << gap;
    EXPECT_LT(o.spread, 0.08 * kCell) << gap;
    std::printf("%s, gap %+.0f mm: %.2f, most %.2f deg; surface %.3f, rms %.3f cells\n",
                slab ? "slab" : "cube", gap * 1e3, o.angle, o.most, o.surface / kCell,
                o.spread / kCell);
  }
}

INSTANTIATE_TEST_SUITE_P(Parting, OnAFlatFace,
                         ::testing::Combine(::testing::Values(Fill::kLattice, Fill::kPoisson),
                                            ::testing::Bool()));

TEST(Parting, OfTwoBallsIsAcrossTheLineOfTheirMiddles) {
  constexpr double kRadius = 0.1;
  Two two(filled(ShapeKind::kSphere, {{kRadius, 0, 0}}, {{0, 0, kRadius}}, Fill::kPoisson),
          filled(ShapeKind::kSphere, {{kRadius, 0, 0}}, {{0, 0, -kRadius}}, Fill::kPoisson));
  const Vec3d middle = {{0, 0, -kRadius}};
  const Off o = off(
      two, [](const Vec3d& x) { return std::hypot(x[0], x[1]) < 0.035 && x[2] < kSpacing; },
      [](const Vec3d&) {
        return Vec3d{{0, 0, 1}};
      },
      [&](const Vec3d& x) { return norm(x - middle) - kRadius; });
  EXPECT_LT(o.angle, 1);
  EXPECT_LT(std::abs(o.surface), 0.1 * kCell);
  std::printf("balls: %.2f, most %.2f deg; surface %.3f, rms %.3f cells\n", o.angle, o.most,
              o.surface / kCell, o.spread / kCell);
}

TEST(Parting, SaysHowMuchOfAHalfSpaceIsThere) {
  Two two(filled(ShapeKind::kBox, {{kHalf, kHalf, kHalf}}, {{0, 0, kHalf}}, Fill::kLattice),
          filled(ShapeKind::kBox, {{kHalf, kHalf, kHalf}}, {{0, 0, -kHalf}}, Fill::kLattice));
  Parting p;
  const double high = 0.5 * kSpacing;
  EXPECT_TRUE(find(two.points, {{0, 0, high}}, 0, p));
  EXPECT_NEAR(p.part, 1, 0.05);
  EXPECT_TRUE(find(two.points, {{kHalf, 0, high}}, 0, p));
  EXPECT_NEAR(p.part, 0.5, 0.05);
  EXPECT_TRUE(find(two.points, {{kHalf, kHalf, high}}, 0, p));
  EXPECT_NEAR(p.part, 0.25, 0.05);
}

TEST(Parting, FindsNothingBeyondItsReachAndTheNearestPointWithin) {
  Two two({{{{0, 0, 0}}, {{0.1, 0, 0}}}}, {{{{0.01, 0, 0}}, {{0.02, 0, 0}}}});
  Parting p;
  EXPECT_TRUE(find(two.points, {{0, 0, 0}}, 0, p));
  EXPECT_NEAR(p.n[0], -1, 1e-9);
  EXPECT_FALSE(find(two.points, {{0.1, 0, 0}}, 0, p));  // none of the other one is near
  EXPECT_EQ(nearest(two.points, {{0, 0, 0}}, 0), 0);
  EXPECT_EQ(nearest(two.points, {{0.018, 0, 0}}, 0), 1);
  EXPECT_EQ(nearest(two.points, {{0.2, 0, 0}}, 0), -1);
  EXPECT_EQ(nearest(two.points, {{0.019, 0, 0}}, 1), 0);
  two.points.begin(kReach);
  two.points.sort();
  EXPECT_FALSE(find(two.points, {{0, 0, 0}}, 0, p));
}

TEST(Parting, IsTheSameForAnyOrderOfPoints) {
  const auto a = filled(ShapeKind::kBox, {{0.03, 0.03, 0.03}}, {{0, 0, 0.03}}, Fill::kPoisson);
  const auto b = filled(ShapeKind::kBox, {{0.03, 0.03, 0.03}}, {{0, 0, -0.03}}, Fill::kPoisson);
  Two two(a, b),
      turned({{a.x.rbegin(), a.x.rend()}, a.spacing}, {{b.x.rbegin(), b.x.rend()}, b.spacing});
  for (const Vec3d& x : a.x) {
    if (x[2] > kSpacing) continue;
    Parting p, q;
    ASSERT_TRUE(find(two.points, x, 0, p) && find(turned.points, x, 0, q));
    EXPECT_NEAR(norm(p.n - q.n), 0, 1e-9);
    EXPECT_NEAR(p.distance, q.distance, 1e-12);
  }
}

}  // namespace
}  // namespace haptos
