// Distance, depth, direction and points of pairs of shapes: against closed forms, against what
// duality proves (no distance is smaller than the gap along any direction), and against sweeps.
#include <gtest/gtest.h>

#include "haptos/geometry/convex/gjk.h"
#include "tests/unit/collide_cases.h"

namespace haptos {
namespace {

using namespace collide_test;

constexpr double kHalfPi = 1.57079632679489661923;

// Distances apart are proved: the points lie on the shapes, so no distance is larger, and the gap
// along n is the distance, so none is smaller. Depth: the gap along n is the depth, and no
// direction of a sweep has a larger gap.
void check_pair(ShapeKind ka, ShapeKind kb, Random& random, int pairs, double tolerance) {
  std::vector<Vec3d> directions;
  directions.reserve(500);
  for (int i = 0; i < 500; ++i) directions.push_back(random.direction());
  int apart = 0, overlapping = 0;
  for (int k = 0; k < pairs; ++k) {
    const CollisionShape a(random.shape(ka)), b(random.shape(kb));
    const double size = extent(a, b);
    const Pose pa = random.pose(1);
    const Pose pb{pa.p + random.direction() * random.uniform(0.05, 1.2) * size, random.turn()};
    const ShapeDistance d = distance(a, pa, b, pb);
    ASSERT_NEAR(norm(d.n), 1, 1e-12);
    EXPECT_NEAR(gap_along(a, pa, b, pb, d.n), d.distance, tolerance * size);
    EXPECT_LT(norm(d.p_a - d.p_b - d.n * d.distance), 1e-12 * size);
    if (d.distance > 0) {
      ++apart;
      EXPECT_NEAR(outside(a, pa, d.p_a), 0, 3e-9 * size);
      EXPECT_NEAR(outside(b, pb, d.p_b), 0, 3e-9 * size);
    } else {
      ++overlapping;
      EXPECT_LT(swept_gap(a, pa, b, pb, directions, random, k % 5 ? 0 : 200),
                d.distance + 1e-9 * size);
    }
  }
  EXPECT_GT(apart, pairs / 12);
  EXPECT_GT(overlapping, pairs / 12);
}

// 28 kinds of pairs, 10,080 pairs.
TEST(CollideDistance, OfRandomPairsIsProvedByItsPointsAndItsDirection) {
  Random random(3);
  for (const ShapeKind a : kConvexKinds)
    for (const ShapeKind b : kConvexKinds) {
      if (b < a) continue;
      const auto flat = [](ShapeKind k) {
        return k != ShapeKind::kCylinder && k != ShapeKind::kCone;
      };
      SCOPED_TRACE("kinds " + std::to_string(static_cast<int>(a)) + " and " +
                   std::to_string(static_cast<int>(b)));
      check_pair(a, b, random, 360, flat(a) && flat(b) ? 1e-13 : 1e-10);
    }
}

TEST(CollideDistance, OfSpheresAndOthersHasTheClosedForm) {
  const Pose origin;
  const auto d = [&](const CollisionShape& a, const Pose& pa, const CollisionShape& b) {
    return distance(a, pa, b, origin).distance;
  };
  const CollisionShape ball = sphere(0.1);
  EXPECT_NEAR(d(ball, at(.3, .4, 0), sphere(0.2)), 0.2, 1e-15);
  EXPECT_NEAR(d(ball, at(.3, .4, 1.2), cube(.2, .3, 1)), std::hypot(.1, .1, .2) - .1, 1e-15);
  EXPECT_NEAR(d(ball, at(.15, .1, .2), cube(.2, .3, 1)), -.05 - .1, 1e-15);
  EXPECT_NEAR(d(ball, at(.3, .4, .2), pill(.2, .5)), .5 - .3, 1e-15);
  EXPECT_NEAR(d(ball, at(.3, .4, .9), pill(.2, .5)), std::hypot(.5, .4) - .3, 1e-15);
  EXPECT_NEAR(d(ball, at(.3, .4, .2), tube(.2, .5)), .3 - .1, 1e-15);
  EXPECT_NEAR(d(ball, at(.3, .4, .9), tube(.2, .5)), std::hypot(.3, .4) - .1, 1e-15);
  EXPECT_NEAR(d(ball, at(.06, .08, .45), tube(.2, .5)), -.05 - .1, 1e-15);
  EXPECT_NEAR(d(ball, at(0, 0, .9), CollisionShape(shape_of(ShapeKind::kCone, .2, .5))), .3, 1e-15);
  EXPECT_NEAR(d(ball, at(0, 0, -.9), CollisionShape(shape_of(ShapeKind::kCone, .2, .5))), .3,
              1e-15);
  EXPECT_NEAR(d(ball, at(0, 0, .9), CollisionShape(shape_of(ShapeKind::kEllipsoid, .2, .3, .5))),
              .3, 1e-12);
  EXPECT_NEAR(d(ball, at(.1, 0, 0), CollisionShape(shape_of(ShapeKind::kEllipsoid, .2, .3, .5))),
              -.2, 1e-12);
  // 45 degrees on an ellipsoid of revolution: the point (a^2, c^2) / sqrt(a^2 + c^2).
  const double s = std::hypot(.2, .5), u = std::sqrt(0.5);
  EXPECT_NEAR(d(ball, at(.04 / s + .3 * u, 0, .25 / s + .3 * u),
                CollisionShape(shape_of(ShapeKind::kEllipsoid, .2, .3, .5))),
              .2, 1e-12);
}

TEST(CollideDistance, ToAHalfSpaceIsThatOfTheLowestPoint) {
  Random random(5);
  const CollisionShape plane = floor_plane();
  for (const ShapeKind kind : kConvexKinds)
    for (int k = 0; k < 200; ++k) {
      const CollisionShape a(random.shape(kind));
      const Pose pa = random.pose(1), pb = random.pose(1);
      const ShapeDistance d = distance(a, pa, plane, pb);
      const Vec3d n = column(to_matrix(pb.q), 2);
      EXPECT_NEAR(d.distance, -reach(a, pa, -n) - dot(n, pb.p), 1e-13);
      EXPECT_LT(norm(d.n - n), 1e-14);
      EXPECT_NEAR(outside(a, pa, d.p_a), 0, 1e-13);
      EXPECT_NEAR(dot(n, d.p_b - pb.p), 0, 1e-13);
    }
}

// Vertex, edge and face of boxes at any distance down to nothing.
TEST(CollideDistance, OfBoxesNearlyTouchingKeepsItsDigits) {
  const CollisionShape a = cube(.1, .2, .3), b = cube(.15, .1, .25);
  Random random(7);
  for (double gap = 1e-1; gap > 1e-15; gap *= 0.1) {
    SCOPED_TRACE("gap " + std::to_string(std::log10(gap)));
    const Pose by = random.pose(1);
    const double digits = 1e-14;
    // Face to face.
    ShapeDistance d = distance(a, moved(by, at(.05, .02, .55 + gap)), b, by);
    EXPECT_NEAR(d.distance, gap, digits);
    EXPECT_LT(norm(d.n - column(to_matrix(by.q), 2)), 1e-9);
    // An edge of a, turned by 45 degrees about y, over the top of b.
    const double reach_down = (.1 + .3) * std::sqrt(0.5);
    d = distance(a, moved(by, at(.05, .02, .25 + gap + reach_down, {{0, kHalfPi / 2, 0}})), b, by);
    EXPECT_NEAR(d.distance, gap, digits);
    EXPECT_LT(norm(d.n - column(to_matrix(by.q), 2)), 1e-9);
    // Corner to corner along the diagonal.
    const double e = gap / std::sqrt(3.0);
    d = distance(a, moved(by, at(.25 + e, .3 + e, .55 + e)), b, by);
    EXPECT_NEAR(d.distance, gap, digits);
    // Edges that cross at right angles, the lower along y, the upper along x.
    d = distance(
        a, moved(by, at(0, 0, std::sqrt(.5) * (.2 + .3 + .15 + .25) + gap, {{kHalfPi / 2, 0, 0}})),
        b, moved(by, at(0, 0, 0, {{0, kHalfPi / 2, 0}})));
    EXPECT_NEAR(d.distance, gap, digits);
    EXPECT_LT(norm(d.n - column(to_matrix(by.q), 2)), 1e-9);
  }
}

TEST(CollideDistance, PassesThroughTouchingWithoutAStep) {
  Random random(9);
  double worst = 0, worst_curved = 0;
  for (int k = 0; k < 60 * 49; ++k) {
    const CollisionShape a(random.shape(kConvexKinds[k % 7]));
    const CollisionShape b(random.shape(kConvexKinds[k / 7 % 7]));
    const Pose pa = random.pose(1);
    Pose pb{pa.p + random.direction() * 2 * extent(a, b), random.turn()};
    // To touching, along the shortest way; then through it in small steps.
    const ShapeDistance d = distance(a, pa, b, pb);
    const Vec3d touching = pb.p + d.n * d.distance;
    for (const double gap : {1e-5, 1e-7, 1e-9, 1e-11, 1e-13, 0.0, -1e-13, -1e-11, -1e-9, -1e-7}) {
      pb.p = touching - d.n * gap;
      const ShapeDistance e = distance(a, pa, b, pb);
      ASSERT_TRUE(std::isfinite(e.distance));
      EXPECT_NEAR(norm(e.n), 1, 1e-12);
      // Past a touching corner there may be a shorter way out, even a gap, for corners are sharp.
      const double error =
          gap > 0 ? std::abs(e.distance - gap) : std::max(gap - e.distance, e.distance + gap);
      const bool curved = is_curved(a.convex().core) || is_curved(b.convex().core);
      (curved ? worst_curved : worst) = std::max(curved ? worst_curved : worst, error);
    }
  }
  EXPECT_LT(worst, 1e-13);
  EXPECT_LT(worst_curved, 5e-9);
}

// MuJoCo's box fuzz test, our numbers: six aspects of boxes, separating axes against EPA and
// against a sweep of 20,000 directions.
TEST(CollideDistance, OfBoxesOfAllAspectsAgreesWithEpaAndWithASweep) {
  Random random(11);
  const double sizes[6][3] = {{.03, .03, .03}, {.001, .001, .045}, {.05, .05, .001},
                              {.03, .01, .02}, {.002, .05, .05},   {.001, .03, .06}};
  std::vector<Vec3d> directions;
  directions.reserve(20000);
  for (int i = 0; i < 20000; ++i) directions.push_back(random.direction());
  int compared = 0, overlapping = 0;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 60; ++k) {
        const CollisionShape a = cube(sizes[i][0], sizes[i][1], sizes[i][2]);
        const CollisionShape b = cube(sizes[j][0], sizes[j][1], sizes[j][2]);
        const double size = extent(a, b);
        const double near = k % 3 == 0 ? 0.02 : (k % 3 == 1 ? 0.2 : 0.6);
        const Pose pa{random.direction() * random.uniform(0, near) * size,
                      k % 4 ? random.turn() : rotation_by(random.direction() * 1e-7)};
        const ShapeDistance d = distance(a, pa, b, {});
        if (d.distance > 0) continue;
        ++overlapping;
        EXPECT_NEAR(gap_along(a, pa, b, {}, d.n), d.distance, 1e-13 * size);
        const Mat3d r = transpose(to_matrix(pa.q));
        const Witness w = signed_distance({&a.convex(), &b.convex(), r, r * -pa.p}, 1e300);
        EXPECT_TRUE(w.converged);
        EXPECT_NEAR(w.distance, d.distance, 2e-9 * size);
        const Vec3d n = to_matrix(pa.q) * w.n;
        if (norm(n - d.n) < 0.01) {
          EXPECT_LT(norm(n - d.n), 1e-7);
          ++compared;
        } else {
          // Another direction: as good.
          EXPECT_NEAR(gap_along(a, pa, b, {}, n), d.distance, 2e-9 * size);
        }
        if (k % 6) continue;
        const double swept = swept_gap(a, pa, b, {}, directions, random, 0);
        EXPECT_LE(swept, d.distance + 1e-12 * size);
        const auto samples = contacts(a, pa, b, {}, 1e-3, 8);
        ASSERT_FALSE(samples.empty());
        EXPECT_LE(samples.size(), 8u);
        EXPECT_NEAR(least_gap(samples), d.distance, 1e-7 * size);
        for (const ContactSample& s : samples) {
          EXPECT_EQ(norm(s.n - samples[0].n), 0);
          EXPECT_LT(outside(a, pa, s.p_a), 3e-7 * size);
          EXPECT_LT(outside(b, {}, s.p_b), 3e-7 * size);
        }
      }
  EXPECT_GT(overlapping, 500);
  EXPECT_GT(compared, overlapping * 8 / 10);
}

// The difference of parallel cylinders is a cylinder: its faces are as thin as one likes.
TEST(CollideDistance, OfParallelCylindersIsThatOfTheirOutlines) {
  Random random(7);
  int overlapping = 0;
  for (int k = 0; k < 3000; ++k) {
    const CollisionShape a = tube(random.uniform(.05, .3), random.uniform(.05, .3));
    const CollisionShape b = k % 3 ? tube(random.uniform(.05, .3), random.uniform(.05, .3))
                                   : pill(random.uniform(.05, .3), random.uniform(.05, .3));
    const double size = extent(a, b);
    const Quat turn = random.turn();
    // Parallel, or nearly so.
    const Pose pb{random.direction() * random.uniform(0, .5) * size,
                  k % 2 ? turn : normalized(turn * rotation_by(random.direction() * 1e-9))};
    const Vec3d &ha = a.convex().size, &hb = b.convex().size, p = to_local({{}, turn}, pb.p);
    const double cap = k % 3 ? 0 : hb[0];
    const double exact =
        std::max(std::hypot(p[0], p[1]) - ha[0] - hb[0], std::abs(p[2]) - ha[1] - hb[1] - cap);
    if (exact > 0) continue;
    ++overlapping;
    EXPECT_NEAR(distance(a, {{}, turn}, b, pb).distance, exact, 2e-9 * size) << k;
  }
  EXPECT_GT(overlapping, 2000);
}

TEST(CollideDistance, OfShapesInOnePlaceIsFiniteAndLeadsOut) {
  Random random(13);
  for (const ShapeKind ka : kConvexKinds)
    for (const ShapeKind kb : kConvexKinds)
      for (const bool aligned : {true, false}) {
        const CollisionShape a(random.shape(ka)), b(random.shape(kb));
        const Pose pa{random.direction(), aligned ? Quat{} : random.turn()};
        Pose pb{pa.p, aligned ? Quat{} : random.turn()};
        const ShapeDistance d = distance(a, pa, b, pb);
        ASSERT_TRUE(std::isfinite(d.distance));
        EXPECT_LT(d.distance, 0);
        EXPECT_NEAR(gap_along(a, pa, b, pb, d.n), d.distance, 1e-9);
        // Moved by its depth along its direction, the pair touches.
        pb.p += d.n * d.distance * (1 + 1e-9);
        EXPECT_GT(distance(a, pa, b, pb).distance, -1e-8);
        for (const ContactSample& s : contacts(a, pa, b, pb)) {
          ASSERT_TRUE(std::isfinite(s.gap + norm(s.p_a) + norm(s.p_b)));
          ASSERT_NEAR(norm(s.n), 1, 1e-12);
        }
      }
}

TEST(CollideDistance, NeedsConvexShapes) {
  Shape s;
  s.kind = ShapeKind::kMesh;
  s.mesh = std::make_shared<TriMesh>(box({{1, 1, 1}}));
  EXPECT_THROW(distance(CollisionShape(s), {}, sphere(1), {}), std::runtime_error);
}

}  // namespace
}  // namespace haptos
