// Contact samples: how many, where, with which shares; continuity, symmetry, invariance, margins.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/unit/allocation_count.h"
#include "tests/unit/collide_cases.h"

namespace haptos {
namespace {

using namespace collide_test;
using Samples = std::vector<ContactSample>;

constexpr double kHalfPi = 1.57079632679489661923;
constexpr double kPress = 1e-5;

const CollisionShape& plane() {
  static const CollisionShape s = floor_plane();
  return s;
}

double share_sum(const Samples& s) {
  double sum = 0;
  for (const ContactSample& c : s) sum += c.share;
  return sum;
}
double area_sum(const Samples& s) {
  double sum = 0;
  for (const ContactSample& c : s) sum += c.area;
  return sum;
}

// n samples, all with the gap, shares of 1 / n and normals up.
void expect_even(const Samples& s, std::size_t n, double gap) {
  ASSERT_EQ(s.size(), n);
  for (const ContactSample& c : s) {
    EXPECT_NEAR(c.gap, gap, 1e-12);
    EXPECT_NEAR(c.share, 1.0 / static_cast<double>(n), 1e-9);
    EXPECT_NEAR(c.n[2], 1, 1e-12);
    EXPECT_NEAR(dot(c.n, c.p_a - c.p_b), c.gap, 1e-14);
  }
}

// Of a disc of radius r about the axis: four on its rim with .08 each, four at .54 r with .17 each,
// halfway between them.
void expect_disc(const Samples& s, double r, double gap) {
  ASSERT_EQ(s.size(), 8u);
  double rim = 0, inner = 0, nearest = 1e300;
  for (const ContactSample& c : s) {
    EXPECT_NEAR(c.gap, gap, 1e-12);
    EXPECT_NEAR(c.n[2], 1, 1e-12);
    const double at = std::hypot(c.p_a[0], c.p_a[1]);
    const bool outside = at > .8 * r;
    EXPECT_NEAR(at, outside ? r : .54 * r, 1e-9);
    EXPECT_NEAR(c.share, outside ? .08 : .17, 1e-9);
    (outside ? rim : inner) += c.share;
    for (const ContactSample& d : s)
      if (&c != &d) nearest = std::min(nearest, norm(c.p_a - d.p_a));
    EXPECT_EQ(std::count_if(s.begin(), s.end(),
                            [&](const ContactSample& d) {
                              return d.feature_a == c.feature_a && d.feature_b == c.feature_b;
                            }),
              1);
  }
  EXPECT_NEAR(rim, .32, 1e-9);
  EXPECT_NEAR(inner, .68, 1e-9);
  EXPECT_NEAR(nearest, r * std::sqrt(1 + square(.54) - .54 * std::sqrt(2.)), 1e-9);
}

TEST(ContactSamples, OfShapesAtRestHaveTheNumberOneExpects) {
  const CollisionShape die = cube(.1, .1, .1), can = tube(.1, .2), bar = pill(.05, .2);
  const CollisionShape cone(shape_of(ShapeKind::kCone, .1, .2));
  const CollisionShape egg(shape_of(ShapeKind::kEllipsoid, .1, .2, .3));
  const Vec3d lying{{kHalfPi, 0, 0}};
  const Pose o;
  expect_even(contacts(die, at(0, 0, .1 - kPress), plane(), o), 4, -kPress);
  expect_even(
      contacts(die, at(0, 0, .1 * std::sqrt(2.) - kPress, {{kHalfPi / 2, 0, 0}}), plane(), o), 2,
      -kPress);
  expect_even(contacts(die, at(0, 0, .2 - kPress), die, o), 4, -kPress);
  expect_even(contacts(die, at(.03, 0, .2 + kPress), die, o), 4, kPress);
  expect_disc(contacts(can, at(0, 0, .2 - kPress), plane(), o), .1, -kPress);
  expect_even(contacts(can, at(0, 0, .1 - kPress, lying), plane(), o), 2, -kPress);
  expect_disc(contacts(can, at(0, 0, .3 - kPress), die, o), .1, -kPress);
  expect_disc(contacts(can, at(0, 0, .4 - kPress), can, o), .1, -kPress);
  expect_disc(contacts(cone, at(0, 0, .2 - kPress), plane(), o), .1, -kPress);
  expect_even(contacts(cone, at(0, 0, .2 - kPress, {{2 * kHalfPi, 0, 0}}), plane(), o), 1, -kPress);
  expect_even(contacts(bar, at(0, 0, .05 - kPress, lying), plane(), o), 2, -kPress);
  expect_even(contacts(bar, at(0, 0, .25 - kPress), plane(), o), 1, -kPress);
  expect_even(contacts(bar, at(0, 0, .15 - kPress, lying), die, o), 2, -kPress);
  expect_even(contacts(bar, at(0, 0, .25 - kPress, lying), can, o), 2, -kPress);
  expect_even(contacts(egg, at(0, 0, .3 - kPress), plane(), o), 1, -kPress);
  expect_even(contacts(sphere(.1), at(0, 0, .2 - kPress), die, o), 1, -kPress);
  // Side by side: two; crossed: one.
  for (const CollisionShape& s : {bar, can}) {
    const double r = s.convex().size[0];
    Samples c = contacts(s, at(2 * r - kPress, 0, .1), s, o);
    ASSERT_EQ(c.size(), 2u);
    for (const ContactSample& k : c) {
      EXPECT_NEAR(k.gap, -kPress, 1e-9);
      EXPECT_NEAR(k.n[0], 1, 1e-9);
      EXPECT_NEAR(k.share, .5, 1e-3);
    }
    EXPECT_NEAR(std::abs(c[0].p_a[2] - c[1].p_a[2]), .3, 1e-4);
    c = contacts(s, at(2 * r - kPress, 0, .1, lying), s, o);
    ASSERT_EQ(c.size(), 1u);
    EXPECT_NEAR(c[0].gap, -kPress, 1e-9);
    EXPECT_NEAR(c[0].p_a[2], .1, 1e-6);
  }
}

// A side line along an edge: two samples, at every tilt of the box and however round-off falls.
// Over a face that line would be there or not.
TEST(ContactSamples, OfALineAlongAnEdgeAreTheEndsOfTheirOverlap) {
  const CollisionShape die = cube(.1, .1, .1), can = tube(.1, .2), bar = pill(.1, .2);
  const Vec3d lying{{kHalfPi, 0, 0}};
  Random random(3);
  for (const CollisionShape& s : {can, bar})
    for (const double tilt : {.01, .1, .5, kHalfPi / 2, 1.2})
      for (int k = 0; k < 50; ++k) {
        const Quat turn = at(0, 0, 0, {{0, tilt, 0}}).q;  // the die's upper edges along y
        const Vec3d edge = to_matrix(turn) * Vec3d{{-.1, 0, .1}};
        const double yaw = k < 10 ? 0 : random.uniform(-1e-3, 1e-3), off = 1e-12 * (k % 5);
        const Pose line = at(edge[0] + off, 0, edge[2] + .1 - kPress, lying);
        const Quat swivel = at(0, 0, 0, {{0, 0, yaw}}).q;
        const Samples c = contacts(s, {line.p, swivel * line.q}, die, {Vec3d::zero(), turn});
        ASSERT_EQ(c.size(), yaw == 0 ? 2u : c.size());
        ASSERT_GE(c.size(), 2u);
        double low = 1e300, high = -1e300, share = 0;
        for (const ContactSample& x : c) {
          EXPECT_NEAR(x.n[2], 1, 1e-5);
          EXPECT_NEAR(x.gap, -kPress, 1e-7);
          if (std::abs(x.p_a[1]) < .09) continue;  // the nearest points, where they cross
          low = std::min(low, x.p_a[1]), high = std::max(high, x.p_a[1]);
          share += x.share;
        }
        EXPECT_NEAR(low, -.1, 1e-5);
        EXPECT_NEAR(high, .1, 1e-5);
        EXPECT_GT(share, .9);
      }
}

TEST(ContactSamples, HaveTheAreaAndTheCentroidOfTheFace) {
  const CollisionShape die = cube(.1, .1, .1);
  Samples s = contacts(die, at(0, 0, .1 - kPress), plane(), {});
  EXPECT_NEAR(area_sum(s), .04, 1e-12);
  s = contacts(die, at(.03, .05, .2 - kPress), die, {});
  EXPECT_NEAR(area_sum(s), .17 * .15, 1e-9);
  s = contacts(tube(.1, .2), at(0, 0, .2 - kPress), plane(), {});
  EXPECT_NEAR(area_sum(s), 2 * kHalfPi * .01, 1e-12);
  // Yaw by 45 degrees: an octagon, however many points are left of it.
  for (const int points : {4, 5, 6, 7, 8}) {
    s = contacts(die, at(0, 0, .2 - kPress, {{0, 0, kHalfPi / 2}}), die, {}, 1e-3, points);
    ASSERT_EQ(static_cast<int>(s.size()), points);
    EXPECT_NEAR(area_sum(s), .04 * 2 * (std::sqrt(2.) - 1), 1e-9);
    Vec3d mean = Vec3d::zero();
    for (const ContactSample& c : s) mean += c.p_a * c.share;
    EXPECT_NEAR(mean[0], 0, 1e-9);
    EXPECT_NEAR(mean[1], 0, 1e-9);
  }
}

// Shares, positions and gaps, summed: what a wrench of linear springs is made of.
struct Sums {
  double m[16] = {};
  explicit Sums(const Samples& s) {
    for (const ContactSample& c : s) {
      const Vec3d p = (c.p_a + c.p_b) * .5;
      int k = 0;
      m[k++] += c.share;
      m[k++] += c.share * c.gap;
      for (int i = 0; i < 3; ++i) m[k++] += c.share * p[i];
      for (int i = 0; i < 3; ++i) m[k++] += c.share * c.n[i];
      for (int i = 0; i < 3; ++i) m[k++] += c.share * p[i] * c.gap;
      m[k++] += c.area;
    }
  }
  double away(const Sums& o) const {
    double worst = 0;
    for (int k = 0; k < 16; ++k) worst = std::max(worst, std::abs(m[k] - o.m[k]));
    return worst;
  }
};
double second(const Samples& s, int i, int j) {
  double sum = 0;
  for (const ContactSample& c : s) sum += c.share * c.p_a[i] * c.p_a[j];
  return sum;
}

TEST(ContactSamples, OfEqualCubesDoNotJumpWhenOneIsYawed) {
  const CollisionShape die = cube(.1, .1, .1);
  for (const int points : {4, 8}) {
    const Samples still = contacts(die, at(0, 0, .2 - kPress), die, {}, 1e-3, points);
    for (double yaw = 1e-12; yaw < 1e-2; yaw *= 3) {
      const Samples s = contacts(die, at(0, 0, .2 - kPress, {{0, 0, yaw}}), die, {}, 1e-3, points);
      EXPECT_LT(Sums(s).away(Sums(still)), yaw + 1e-8) << yaw;
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          EXPECT_NEAR(second(s, i, j), second(still, i, j), .02 * yaw + 1e-9) << yaw;
    }
  }
}

// Small steps along a path: the sums change by no more than a bound times the step.
void expect_continuous(const CollisionShape& a, const std::function<Pose(double)>& path,
                       const CollisionShape& b, double margin, double slope, int points = 4,
                       int steps = 4000) {
  double worst = 0;
  double where = 0;
  for (int k = 0; k < steps; ++k) {
    const double t = static_cast<double>(k) / steps, dt = 1e-7;
    const Samples s0 = contacts(a, path(t), b, {}, margin, points);
    const Samples s1 = contacts(a, path(t + dt), b, {}, margin, points);
    if (s0.empty() != s1.empty()) continue;
    if (const double d = Sums(s0).away(Sums(s1)); d > worst) worst = d, where = t;
  }
  EXPECT_LT(worst, slope * 1e-7) << "at " << where;
}

TEST(ContactSamples, MoveContinuouslyAsABoxTiltsAndSlides) {
  const CollisionShape die = cube(.1, .08, .06), table = cube(.3, .2, .1);
  // Tilt from the face to the edge, the lowest point held at a small depth.
  const auto held = [&](const CollisionShape& s, double z,
                        const std::function<Vec3d(double)>& turn) {
    return [&s, z, turn](double t) {
      Pose p{{{0, 0, 0}}, rotation_by(turn(t))};
      p.p[2] = z - kPress + reach(s, p, {{0, 0, -1}});
      return p;
    };
  };
  const auto tilt = [](double t) { return Vec3d{{.3 * t, .2 * t * t, .1}}; };
  expect_continuous(die, held(die, 0, tilt), plane(), 1e-2, 50);
  expect_continuous(die, held(die, .1, tilt), table, 1e-2, 50);
  const CollisionShape can = tube(.1, .2);
  expect_continuous(can,
                    held(can, 0,
                         [](double t) {
                           return Vec3d{{2 * t, .3, 0}};
                         }),
                    plane(), 1e-2, 50);
  const CollisionShape bar = pill(.05, .2);
  expect_continuous(bar,
                    held(bar, 0,
                         [](double t) {
                           return Vec3d{{1.5 * t, .3, 0}};
                         }),
                    plane(), 1e-2, 50);
  // Sliding over the edge of the table and beyond.
  expect_continuous(
      die,
      [](double t) {
        return at(.45 * t, .1 * t, .16 - kPress, {{0, 0, .3}});
      },
      table, 1e-3, 50);
}

TEST(ContactSamples, MoveContinuouslyAsBarsTurnFromParallelToCrossed) {
  const CollisionShape bar = pill(.05, .2), can = tube(.05, .2);
  for (const CollisionShape& s : {bar, can})
    expect_continuous(
        s,
        [](double t) {
          return at(.1 - kPress, 0, .05, {{.3 * t, 0, 0}});
        },
        bar, 1e-3, 2000);
}

TEST(ContactSamples, KeepTheirNamesUnderSmallMotion) {
  Random random(21);
  const CollisionShape die = cube(.1, .1, .1), table = cube(.4, .4, .1), can = tube(.1, .1);
  const auto names = [](const Samples& s) {
    std::set<std::pair<std::int64_t, std::int64_t>> out;
    for (const ContactSample& c : s) out.insert({c.feature_a, c.feature_b});
    EXPECT_EQ(out.size(), s.size());
    return out;
  };
  for (const CollisionShape& s : {die, can}) {
    for (const auto& [other, z] : {std::pair<CollisionShape, double>{plane(), .1}, {table, .2}}) {
      const auto first = names(contacts(s, at(.01, .02, z - kPress, {{0, 0, .2}}), other, {}));
      for (int k = 0; k < 200; ++k) {
        const Vec3d noise = random.direction() * 1e-6;
        const auto now = names(contacts(
            s, at(.01 + noise[0], .02 + noise[1], z - kPress + noise[2], Vec3d{{0, 0, .2}} + noise),
            other, {}));
        EXPECT_EQ(now, first);
      }
    }
  }
  // Two equal cubes, one on the other: corners, however the noise turns them.
  const auto first = names(contacts(die, at(0, 0, .2 - kPress), die, {}));
  for (int k = 0; k < 200; ++k)
    EXPECT_EQ(names(contacts(die, at(0, 0, .2 - kPress, random.direction() * 1e-8), die, {})),
              first);
}

TEST(ContactSamples, AreTheSameWithTheRolesExchangedAndInEveryFrame) {
  Random random(23);
  int with = 0;
  for (int k = 0; k < 3000; ++k) {
    const CollisionShape a(random.shape(kConvexKinds[k % 7]));
    const CollisionShape b = k % 5 == 0   ? a
                             : k % 9 == 1 ? plane()
                                          : CollisionShape(random.shape(kConvexKinds[k / 7 % 7]));
    const Pose pa = random.pose(1);
    Pose pb{pa.p + random.direction() * random.uniform(0.3, 1) * extent(a, b), random.turn()};
    if (k % 3 == 0) pb.q = pa.q;  // faces and edges parallel
    const Samples s = contacts(a, pa, b, pb), t = contacts(b, pb, a, pa);
    ASSERT_EQ(s.size(), t.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
      EXPECT_LT(norm(s[i].p_a - t[i].p_b) + norm(s[i].p_b - t[i].p_a) + norm(s[i].n + t[i].n),
                1e-12);
      EXPECT_EQ(s[i].feature_a, t[i].feature_b);
      EXPECT_EQ(s[i].gap, t[i].gap);
    }
    with += !s.empty();
    const Pose by{random.direction() * 2, random.turn()};
    const Samples u = contacts(a, moved(by, pa), b, moved(by, pb));
    if (k % 3 == 0) continue;  // which of two equal answers is taken may depend on round-off
    const bool curved = is_curved(a.convex().core) || (b.is_convex() && is_curved(b.convex().core));
    if (curved && b.is_convex()) {
      // The direction is known to the root of round-off; samples beside the deepest follow it.
      ASSERT_EQ(u.empty(), s.empty());
      if (s.empty()) continue;
      EXPECT_NEAR(least_gap(u), least_gap(s), 5e-8);
      EXPECT_LT(norm(u[0].n - to_matrix(by.q) * s[0].n), 2e-5);
      continue;
    }
    ASSERT_EQ(u.size(), s.size()) << k;
    for (std::size_t i = 0; i < s.size(); ++i) {
      EXPECT_NEAR(u[i].gap, s[i].gap, 1e-12);
      EXPECT_LT(norm(u[i].n - to_matrix(by.q) * s[i].n), 1e-10);
      EXPECT_LT(norm(u[i].p_a - by * s[i].p_a), 1e-10);
      EXPECT_NEAR(u[i].share, s[i].share, 1e-9);
    }
  }
  EXPECT_GT(with, 1500);
}

TEST(ContactSamples, AppearAtTheMarginAndNotBefore) {
  Random random(25);
  for (int k = 0; k < 1500; ++k) {
    const CollisionShape a(random.shape(kConvexKinds[k % 7]));
    const CollisionShape b(random.shape(kConvexKinds[k / 7 % 7]));
    const Pose pa = random.pose(1);
    const Pose pb{pa.p + random.direction() * random.uniform(0.3, 1.3) * extent(a, b),
                  random.turn()};
    const double d = distance(a, pa, b, pb).distance;
    if (d > 0) {
      EXPECT_TRUE(contacts(a, pa, b, pb, d - 1e-7).empty());
      EXPECT_FALSE(contacts(a, pa, b, pb, d + 1e-7).empty());
    }
    const double margin = random.uniform(0, .05);
    const Samples s = contacts(a, pa, b, pb, margin);
    EXPECT_EQ(s.empty(), d > margin) << k;
    EXPECT_LE(s.size(), 9u);  // a disc, its inside and the witness
    if (s.empty()) continue;
    EXPECT_NEAR(least_gap(s), d, 2e-5 * extent(a, b));
    EXPECT_NEAR(share_sum(s), 1, 1e-12);
    for (const ContactSample& c : s) {
      EXPECT_LE(c.gap, margin + 1e-12);
      EXPECT_GE(c.share, 0);
      EXPECT_NEAR(norm(c.p_a - c.p_b - c.n * c.gap), 0, 1e-12);
    }
  }
}

TEST(ContactSamples, OfNeedleBoxesLieInTheBoxes) {
  Random random(27);
  const CollisionShape needle = cube(.001, .001, .045), plate = cube(.05, .05, .001);
  for (int k = 0; k < 2000; ++k) {
    const CollisionShape &a = k % 2 ? needle : plate, &b = k % 3 ? needle : plate;
    const Pose pa{random.direction() * random.uniform(0, .05),
                  k % 5 ? random.turn() : rotation_by(random.direction() * 1e-8)};
    const Samples s = contacts(a, pa, b, {}, 1e-4, 8);
    const double d = distance(a, pa, b, {}).distance;
    ASSERT_EQ(s.empty(), d > 1e-4);
    for (const ContactSample& c : s) {
      ASSERT_NEAR(norm(c.n), 1, 1e-12);
      EXPECT_LT(outside(a, pa, c.p_a), 1e-7);
      EXPECT_LT(outside(b, {}, c.p_b), 1e-7);
      EXPECT_GE(c.gap, d - 1e-9);
    }
  }
}

TEST(ContactSamples, OfHullsAgreeWithThoseOfTheBoxesTheyAre) {
  Random random(29);
  for (int k = 0; k < 500; ++k) {
    const Vec3d h{{random.uniform(.05, .2), random.uniform(.05, .2), random.uniform(.05, .2)}};
    const CollisionShape die = cube(h[0], h[1], h[2]), hull = hull_of(box_polytope(h).vertices);
    const CollisionShape other = cube(.1, .12, .15);
    const Pose pa =
        k % 2 ? random.pose(.3) : at(.03, .02, .15 + h[2] - kPress, {{0, 0, random.uniform(0, 3)}});
    const Samples s = contacts(die, pa, other, {}), t = contacts(hull, pa, other, {});
    ASSERT_EQ(s.size(), t.size());
    if (s.empty()) continue;
    EXPECT_NEAR(least_gap(s), least_gap(t), 1e-12);
    EXPECT_LT(Sums(s).away(Sums(t)), k % 2 ? .1 : 1e-9);
  }
}

// A box turned in its file and rounded to single precision, turned back by its pose.
TEST(ContactSamples, OfABoxInSinglePrecisionAreThoseOfTheBox) {
  Random random(37);
  for (int k = 0; k < 100; ++k) {
    const Pose in_file{random.direction() * .2, random.turn()};
    std::vector<Vec3d> points;
    for (const Vec3d& x : box({{.2, .1, .06}}, {{3, 2, 2}}).vertices) {
      const Vec3d y = in_file * x;
      points.push_back(
          {{static_cast<float>(y[0]), static_cast<float>(y[1]), static_cast<float>(y[2])}});
    }
    const CollisionShape hull = hull_of(points), table = cube(.3, .3, .1);
    const Quat back = conjugate(in_file.q);
    Pose pose{-(to_matrix(back) * in_file.p), back};
    pose.p[2] += .13 - kPress;
    for (const Samples& s : {contacts(hull, pose, table, {}),
                             contacts(hull, moved(at(0, 0, -.1), pose), plane(), {})}) {
      ASSERT_EQ(s.size(), 4u);
      EXPECT_NEAR(area_sum(s), .02, 1e-6);
      for (const ContactSample& c : s) {
        EXPECT_NEAR(c.gap, -kPress, 1e-7);
        EXPECT_NEAR(c.share, .25, 2e-3);
        EXPECT_GT(c.n[2], 1 - 1e-12);
      }
    }
  }
}

// Thousandths of a millimetre to kilometres: nothing is measured but against the shapes.
TEST(ContactSamples, ScaleWithTheShapes) {
  Random random(31);
  for (int k = 0; k < 600; ++k) {
    const Shape s = random.shape(kConvexKinds[k % 7]), t = random.shape(kConvexKinds[k / 7 % 7]);
    const CollisionShape a(s), b(t);
    const Pose pa = random.pose(.1);
    const Pose pb{pa.p + random.direction() * random.uniform(.4, .9) * extent(a, b), random.turn()};
    const Samples one = contacts(a, pa, b, pb);
    for (const double scale : {0x1p-20, 0x1p12}) {
      const auto scaled = [&](Shape x) {
        x.size = x.size * scale;
        if (x.mesh) {
          auto m = std::make_shared<TriMesh>(*x.mesh);
          for (Vec3d& v : m->vertices) v = v * scale;
          x.mesh = m;
        }
        return CollisionShape(x);
      };
      const Samples c =
          contacts(scaled(s), {pa.p * scale, pa.q}, scaled(t), {pb.p * scale, pb.q}, 1e-3 * scale);
      ASSERT_EQ(c.size(), one.size());
      for (std::size_t i = 0; i < c.size(); ++i) {
        EXPECT_NEAR(c[i].gap / scale, one[i].gap, 1e-9);
        EXPECT_LT(norm(c[i].n - one[i].n), 1e-6);
        EXPECT_NEAR(c[i].share, one[i].share, 1e-5);
      }
    }
  }
}

TEST(ContactSamples, OfAPoseThatIsNotFiniteAreNone) {
  Random random(33);
  const double bad = std::nan(""), inf = INFINITY;
  for (const ShapeKind ka : kConvexKinds) {
    const CollisionShape a(random.shape(ka));
    for (const Pose& p :
         {Pose{{{bad, 0, 0}}, {}}, Pose{{{0, inf, 0}}, {}}, Pose{{}, {bad, 0, 0, 0}}}) {
      EXPECT_TRUE(contacts(a, p, cube(1, 1, 1), {}).empty());
      EXPECT_TRUE(contacts(a, p, floor_plane(), {}).empty());
      EXPECT_TRUE(contacts(a, {}, sphere(1), p).empty());
    }
  }
}

TEST(ContactSamples, TakeNoMemoryOnceThereIsRoom) {
  Random random(35);
  std::vector<std::tuple<CollisionShape, CollisionShape, Pose>> pairs;
  pairs.reserve(196);
  for (int k = 0; k < 196; ++k)
    pairs.emplace_back(CollisionShape(random.shape(kConvexKinds[k % 7])),
                       k % 9 ? CollisionShape(random.shape(kConvexKinds[k / 7 % 7])) : plane(),
                       random.pose(.3));
  std::vector<ContactSample> out;
  std::int64_t before = 0;
  for (int round = 0; round < 2; ++round) {
    before = test::allocation_count();
    for (const auto& [a, b, p] : pairs) {
      out.clear();
      out.reserve(64);
      collide(a, p, b, {}, 1e-3, out, 8);
    }
  }
  EXPECT_EQ(test::allocation_count() - before, 0);
}

}  // namespace
}  // namespace haptos
