// Convex shapes on height fields and meshes: as on the plane where they are flat, no sideways push
// at edges inside, the right normals at ridges, in valleys and at borders.
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/collide_cases.h"

namespace haptos {
namespace {

using namespace collide_test;
using Samples = std::vector<ContactSample>;

constexpr double kHalfPi = 1.57079632679489661923;
constexpr double kPress = 1e-5;

CollisionShape field_of(int rows, int columns, double spacing,
                        const std::function<double(double, double)>& z) {
  auto f = std::make_shared<HeightField>();
  f->rows = rows, f->columns = columns;
  f->spacing[0] = f->spacing[1] = spacing;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      f->height.push_back(z((c - .5 * (columns - 1)) * spacing, (r - .5 * (rows - 1)) * spacing));
  Shape s;
  s.kind = ShapeKind::kHeightField;
  s.field = f;
  return CollisionShape(s);
}

// The same surface as a mesh.
CollisionShape mesh_of(int n, double spacing, const std::function<double(double, double)>& z) {
  auto m = std::make_shared<TriMesh>();
  for (int r = 0; r < n; ++r)
    for (int c = 0; c < n; ++c) {
      const double x = (c - .5 * (n - 1)) * spacing, y = (r - .5 * (n - 1)) * spacing;
      m->vertices.push_back({{x, y, z(x, y)}});
    }
  for (int r = 0; r + 1 < n; ++r)
    for (int c = 0; c + 1 < n; ++c) {
      const int i = r * n + c;
      m->triangles.push_back({{i, i + 1, i + n + 1}});
      m->triangles.push_back({{i, i + n + 1, i + n}});
    }
  Shape s;
  s.kind = ShapeKind::kMesh;
  s.mesh = m;
  return CollisionShape(s);
}

double flat(double, double) { return 0; }

// On a flat field or mesh: as on the plane, gap by gap, and straight up.
void expect_as_on_the_plane(const CollisionShape& ground, unsigned seed) {
  Random random(seed);
  int touching = 0;
  for (int k = 0; k < 700; ++k) {
    const CollisionShape s(random.shape(kConvexKinds[k % 7]));
    Pose p{{{random.uniform(-.3, .3), random.uniform(-.3, .3), 0}}, random.turn()};
    if (k % 3 == 0) p.q = rotation_by(Vec3d{{0, 0, 1}} * random.uniform(0, 3));
    const double gap = random.uniform(-5e-3, 2e-3);
    p.p[2] = gap + reach(s, p, {{0, 0, -1}});
    const Samples on = contacts(s, p, ground, {}), plane = contacts(s, p, floor_plane(), {});
    ASSERT_EQ(on.empty(), plane.empty()) << k;
    if (on.empty()) continue;
    ++touching;
    EXPECT_NEAR(least_gap(on), gap, 2e-5);
    EXPECT_LE(on.size(), 4u);
    double share = 0;
    for (const ContactSample& c : on) {
      EXPECT_LT(std::hypot(c.n[0], c.n[1]), 2e-6) << k;
      EXPECT_NEAR(c.p_b[2], 0, 1e-9);
      EXPECT_GE(c.gap, gap - 1e-9);
      share += c.share;
    }
    EXPECT_NEAR(share, 1, 1e-12);
    // A face keeps its area and its centroid.
    double area = 0, whole = 0;
    for (const ContactSample& c : on) area += c.area;
    for (const ContactSample& c : plane) whole += c.area;
    if (k % 3 == 0 && s.kind() == ShapeKind::kBox) {
      EXPECT_NEAR(area, whole, 1e-6 * whole);
      EXPECT_EQ(on.size(), plane.size());
    }
  }
  EXPECT_GT(touching, 400);
}

TEST(CollideField, AFlatFieldIsAPlane) {
  expect_as_on_the_plane(field_of(31, 31, .05, flat), 1);
  expect_as_on_the_plane(field_of(4, 5, .61, flat), 2);
}
TEST(CollideField, AFlatMeshIsAPlane) { expect_as_on_the_plane(mesh_of(31, .05, flat), 3); }

TEST(CollideField, ASphereSlidesOverEdgesWithoutASidewaysPush) {
  const CollisionShape ball = sphere(.1);
  const auto slope = [](double x, double y) { return .3 * x + .1 * y; };
  const Vec3d n = normalized(Vec3d{{-.3, -.1, 1}});
  for (const CollisionShape& ground : {field_of(21, 21, .1, slope), mesh_of(21, .1, slope)})
    for (const double depth : {1e-4, 1e-2, .09, .15}) {
      for (int k = 0; k < 400; ++k) {
        // Along rows of nodes, along diagonals, and across.
        const double t = (k - 200) * 2.1e-3;
        const double x = k % 3 == 0 ? t : .3 * t, y = k % 3 == 0 ? 0 : (k % 3 == 1 ? .3 * t : t);
        Pose p;
        p.p = Vec3d{{x, y, slope(x, y)}} + n * (.1 - depth);
        const Samples s = contacts(ball, p, ground, {});
        if (depth > .1 && ground.kind() == ShapeKind::kMesh) {
          // A mesh does not know what is behind it.
          EXPECT_TRUE(s.empty());
          continue;
        }
        ASSERT_EQ(s.size(), 1u) << depth << " " << k;
        EXPECT_NEAR(s[0].gap, -depth, 1e-9);
        EXPECT_LT(norm(s[0].n - n), 1e-6);
      }
    }
}

TEST(CollideField, RidgesAndPeaksPushAlongTheShortestWayAndValleysFromBothSides) {
  const auto ridge = [](double x, double) { return -.4 * std::abs(x); };
  const auto valley = [](double x, double) { return .4 * std::abs(x); };
  const auto peak = [](double x, double y) { return -.4 * std::max(std::abs(x), std::abs(y)); };
  const CollisionShape ball = sphere(.1), die = cube(.1, .1, .1);
  const double c = std::sqrt(1.16);
  Samples s = contacts(ball, at(0, .013, .1 - kPress), field_of(21, 21, .05, ridge), {});
  ASSERT_EQ(s.size(), 1u);
  EXPECT_NEAR(s[0].gap, -kPress, 1e-12);
  EXPECT_NEAR(s[0].n[2], 1, 1e-9);
  // Leaning off the ridge, but within the cone of its normals.
  s = contacts(ball, at(.02, .013, .0975), field_of(21, 21, .05, ridge), {});
  ASSERT_EQ(s.size(), 1u);
  EXPECT_NEAR(s[0].gap, std::hypot(.02, .0975) - .1, 1e-12);
  EXPECT_NEAR(s[0].n[0] / s[0].n[2], .02 / .0975, 1e-9);
  s = contacts(die, at(0, .013, .1 - kPress), field_of(21, 21, .05, ridge), {});
  ASSERT_EQ(s.size(), 2u);
  for (const ContactSample& k : s) {
    EXPECT_NEAR(k.gap, -kPress, 1e-9);
    EXPECT_NEAR(k.n[2], 1, 1e-9);
    EXPECT_NEAR(std::abs(k.p_a[1] - .013), .1, 1e-9);
  }
  s = contacts(die, at(.01, .013, .1 - kPress), field_of(21, 21, .05, peak), {});
  ASSERT_EQ(s.size(), 1u);
  EXPECT_NEAR(s[0].gap, -kPress, 1e-9);
  EXPECT_NEAR(s[0].n[2], 1, 1e-9);
  s = contacts(ball, at(0, .013, .1 * c - kPress), field_of(21, 21, .05, valley), {});
  ASSERT_EQ(s.size(), 2u);
  EXPECT_NEAR(s[0].n[0] + s[1].n[0], 0, 1e-9);
  for (const ContactSample& k : s) {
    EXPECT_NEAR(k.gap, -kPress / c, 1e-9);
    EXPECT_NEAR(std::abs(k.n[0]), .4 / c, 1e-9);
    EXPECT_NEAR(k.share, .5, 1e-9);
  }
}

TEST(CollideField, BeyondTheBorderThereIsNothingAndAtItTheEdge) {
  const CollisionShape ground = field_of(3, 3, .1, flat), ball = sphere(.1);
  EXPECT_TRUE(contacts(ball, at(.3, 0, .05), ground, {}).empty());
  const Samples s = contacts(ball, at(.16, .01, .08), ground, {});
  ASSERT_EQ(s.size(), 1u);
  EXPECT_NEAR(s[0].gap, std::hypot(.06, .08) - .1, 1e-12);
  EXPECT_NEAR(s[0].n[0], .6, 1e-9);
}

TEST(CollideField, RolesMayBeExchangedAndTheFieldMoved) {
  Random random(5);
  const auto hills = [](double x, double y) { return .05 * std::sin(9 * x) * std::cos(7 * y); };
  int touching = 0, other_way = 0;
  for (const CollisionShape& ground : {field_of(21, 21, .05, hills), mesh_of(21, .05, hills)})
    for (int k = 0; k < 200; ++k) {
      const CollisionShape s(random.shape(kConvexKinds[k % 7]));
      const Pose p{{{random.uniform(-.3, .3), random.uniform(-.3, .3), .15}}, random.turn()};
      const Pose by{random.direction() * .3, random.turn()};
      const Samples a = contacts(s, p, ground, {}), b = contacts(ground, {}, s, p);
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(norm(a[i].p_a - b[i].p_b) + norm(a[i].n + b[i].n), 0);
        EXPECT_EQ(a[i].feature_a, b[i].feature_b);
      }
      const Samples c = contacts(s, moved(by, p), ground, by);
      ASSERT_EQ(c.empty(), a.empty());
      if (!a.empty()) {
        ++touching;
        other_way += std::abs(least_gap(c) - least_gap(a)) > 1e-7;
      }
      for (const ContactSample& x : a) {
        ASSERT_TRUE(std::isfinite(x.gap + norm(x.p_a) + norm(x.p_b)));
        EXPECT_NEAR(norm(x.n), 1, 1e-12);
        EXPECT_NEAR(dot(x.n, x.p_a - x.p_b), x.gap, 1e-12);
      }
    }
  // Deep in a hill an edge and a face may serve equally, and round-off chooses.
  EXPECT_GT(touching, 200);
  EXPECT_LE(other_way, touching / 100);
}

TEST(CollideField, NamesOfSamplesAreDistinctAndStay) {
  const CollisionShape ground = field_of(21, 21, .05, flat), die = cube(.1, .1, .1);
  Random random(7);
  std::set<std::pair<std::int64_t, std::int64_t>> first;
  for (int k = 0; k < 100; ++k) {
    const Vec3d noise = k ? random.direction() * 1e-8 : Vec3d::zero();
    std::set<std::pair<std::int64_t, std::int64_t>> now;
    for (const ContactSample& c : contacts(
             die, at(.013 + noise[0], .021, .1 - kPress, Vec3d{{0, 0, .3}} + noise), ground, {}))
      now.insert({c.feature_a, c.feature_b});
    EXPECT_EQ(now.size(), 4u);
    if (k == 0) first = now;
    EXPECT_EQ(now, first);
  }
}

TEST(CollideField, AClosedMeshIsTouchedFromOutside) {
  Shape s;
  s.kind = ShapeKind::kMesh;
  s.mesh = std::make_shared<TriMesh>(box({{1, 1, .02}}, {{5, 5, 1}}));
  const CollisionShape plate(s), die = cube(.1, .1, .1);
  for (const double side : {1.0, -1.0}) {
    const Samples c = contacts(die, at(.03, .02, side * (.11 - kPress)), plate, {});
    ASSERT_EQ(c.size(), 4u);
    for (const ContactSample& k : c) {
      EXPECT_NEAR(k.n[2], side, 1e-9);
      EXPECT_NEAR(k.gap, -kPress, 1e-9);
    }
  }
}

}  // namespace
}  // namespace haptos
