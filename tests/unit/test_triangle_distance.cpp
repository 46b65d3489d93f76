// The distance of two triangles against double-double and exact arithmetic, over every kind of pair
// that rounding could spoil.
#include "haptos/geometry/query/triangle_distance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "haptos/base/math/lanes.h"
#include "tests/unit/triangle_pairs.h"

namespace haptos {
namespace {

using Result = TriangleDistance<double>;

// Corners of a feature: 3 for the face, 2 for an edge, 1.
std::vector<Vec3d> corners_of(const Vec3d (&x)[3], double feature) {
  const int f = static_cast<int>(feature);
  if (f == 0) return {x[0], x[1], x[2]};
  if (f < 4) return {x[f - 1], x[f % 3]};
  return {x[f - 4]};
}

double distance_to_feature(const Vec3d& p, const Vec3d (&x)[3], double feature) {
  std::vector<Vec3d> c = corners_of(x, feature);
  c.resize(3, c.back());
  const Vec3<DoubleDouble> q[3] = {wide(c[0]), wide(c[1]), wide(c[2])};
  const auto beta = closest_on_triangle(wide(p), q[0], q[1], q[2]).beta;
  return norm(wide(p) - q[0] * beta[0] - q[1] * beta[1] - q[2] * beta[2]).hi;
}

struct Errors {
  double distance = 0, gap = 0, on_feature = 0;  // relative to the size of the pair
  int features_compared = 0, features_wrong = 0, crossing = 0, parallel = 0;
};

// The features of the closest pair, where every case within 1e-6 of the least has the same.
bool clear_features(const std::array<ReferenceCase, 15>& cases, double distance, double size,
                    int (&feature)[2]) {
  for (const ReferenceCase& c : cases) {
    if (sqrt(c.square).hi > distance + 1e-6 * size) continue;
    if (feature[0] >= 0 && (c.feature_a != feature[0] || c.feature_b != feature[1])) return false;
    feature[0] = c.feature_a, feature[1] = c.feature_b;
  }
  return distance > 1e-12 * size;  // nearer, rounding decides whether they cross
}

void add_errors(const TwoTriangles& p, bool compare_features, Errors& e) {
  const double size = p.size();
  const Result r = triangle_distance(p.a, p.b);
  if (size == 0) {  // two points in one place
    EXPECT_EQ(r.distance, 0);
    return;
  }
  const auto cases = reference_cases(p);
  const double distance = reference_distance(p, cases);
  e.distance = std::max(e.distance, std::abs(r.distance - distance) / size);
  // The ends of a stretch of edges with a sine below 1e-6 lie apart by that much more.
  const bool crosses = r.count == 2 && (r.feature_a[0] == 0 || r.feature_b[0] == 0);
  const bool parallel = r.count == 2 && !crosses;
  const double slack = parallel ? 2e-6 * size : 0;
  for (int k = 0; k < 2; ++k) {
    const double excess = std::abs(norm(r.a[k] - r.b[k]) - r.distance);
    e.gap = std::max(e.gap, (excess - slack) / size);
    e.on_feature = std::max({e.on_feature, distance_to_feature(r.a[k], p.a, r.feature_a[k]) / size,
                             distance_to_feature(r.b[k], p.b, r.feature_b[k]) / size});
  }
  e.crossing += crosses;
  e.parallel += parallel;
  int feature[2] = {-1, -1};
  if (compare_features && !parallel && clear_features(cases, distance, size, feature)) {
    ++e.features_compared;
    e.features_wrong += r.feature_a[0] != feature[0] || r.feature_b[0] != feature[1];
  }
}

void check_against_reference(int pairs_per_kind, unsigned seed) {
  for (int kind = 0; kind < TrianglePairs::kKinds; ++kind) {
    TrianglePairs make(seed + static_cast<unsigned>(kind));
    // Kinds without ties, by chance of 1e-12: in a tie rounding may choose either feature.
    const bool apart = kind < 2 || kind == 11 || kind == 14, cross = kind == 0 || kind == 10;
    Errors e;
    for (int i = 0; i < pairs_per_kind; ++i) add_errors(make.make(kind), apart, e);
    // Rounding alone; edges at an angle of 0.01 lose most, and then some 1e-14.
    EXPECT_LT(e.distance, 1e-13) << "kind " << kind;
    EXPECT_LT(e.gap, 1e-13) << "kind " << kind;
    EXPECT_LT(e.on_feature, 1e-13) << "kind " << kind;
    EXPECT_EQ(e.features_wrong, 0) << "of " << e.features_compared << ", kind " << kind;
    // What the kinds are for does occur.
    EXPECT_GE(e.features_compared, apart ? pairs_per_kind / 8 : 0) << "kind " << kind;
    EXPECT_GE(e.crossing, cross ? pairs_per_kind / 8 : 0) << "kind " << kind;
    EXPECT_GE(e.parallel, kind == 8 ? pairs_per_kind / 8 : 0) << "kind " << kind;
  }
}

TEST(TriangleDistance, EqualsDoubleDoubleForPairsOfEveryKind) { check_against_reference(2500, 1); }

// A million pairs and more.
TEST(FullTriangleDistance, EqualsDoubleDoubleForPairsOfEveryKind) {
  check_against_reference(75000, 1000);
}

TEST(TriangleDistance, NamesTheFeaturesAndPointsOfPlainCases) {
  const Vec3d a[3] = {{{0, 0, 0}}, {{4, 0, 0}}, {{0, 4, 0}}};
  const Vec3d corner[3] = {{{1, 1, 0.5}}, {{1, 2, 3}}, {{2, 1, 3}}};
  Result r = triangle_distance(a, corner);
  EXPECT_DOUBLE_EQ(r.distance, 0.5);
  EXPECT_EQ(r.feature_a[0], static_cast<double>(PtRegion::face));
  EXPECT_EQ(r.feature_b[0], static_cast<double>(PtRegion::vertex0));
  EXPECT_LT(norm(r.a[0] - Vec3d{{1, 1, 0}}), 1e-15);
  EXPECT_LT(norm(r.b[0] - corner[0]), 1e-15);
  EXPECT_EQ(r.count, 1);

  r = triangle_distance(corner, a);
  EXPECT_EQ(r.feature_a[0], static_cast<double>(PtRegion::vertex0));
  EXPECT_EQ(r.feature_b[0], static_cast<double>(PtRegion::face));

  const Vec3d edge[3] = {{{2, -1, 5}}, {{2, -1, -3}}, {{2, -9, 0}}};
  r = triangle_distance(a, edge);
  EXPECT_DOUBLE_EQ(r.distance, 1);
  EXPECT_EQ(r.feature_a[0], static_cast<double>(PtRegion::edge01));
  EXPECT_EQ(r.feature_b[0], static_cast<double>(PtRegion::edge01));
  EXPECT_LT(norm(r.a[0] - Vec3d{{2, 0, 0}}), 1e-15);
  EXPECT_LT(norm(r.b[0] - Vec3d{{2, -1, 0}}), 1e-15);

  const Vec3d point[3] = {{{7, -4, 0}}, {{7, -4, 0}}, {{7, -4, 0}}};
  r = triangle_distance(a, point);
  EXPECT_DOUBLE_EQ(r.distance, 5);
  EXPECT_EQ(r.feature_a[0], static_cast<double>(PtRegion::vertex1));
}

/// Whether the two ends are those two pairs of points, in either order.
bool ends_are(const Result& r, const Vec3d (&a)[2], const Vec3d (&b)[2], double tolerance) {
  for (int first = 0; first < 2; ++first) {
    double worst = 0;
    for (int k = 0; k < 2; ++k)
      worst = std::max({worst, norm(r.a[k] - a[k ^ first]), norm(r.b[k] - b[k ^ first])});
    if (worst <= tolerance) return true;
  }
  return false;
}

TEST(TriangleDistance, ParallelEdgesGiveBothEndsOfTheCommonStretch) {
  TrianglePairs make(3);
  int stretches = 0;
  for (int i = 0; i < 5000; ++i) {
    // Edge b runs along edge a from parameter lo to hi, across a gap; the faces turn away.
    const Vec3d u = make.direction(), side = normalized(cross(u, make.direction()));
    const double length = make.between(0.1, 2), gap = make.power(-6, 0);
    const double lo = make.between(-1, 1.5), hi = lo + make.between(0.1, 2);
    const bool turned = make.below(2);
    const Vec3d e = u * length, p = make.point(1);
    const double mid = make.between(0, 1);
    Vec3d a[3] = {p, p + e, p + e * mid - side};
    Vec3d b[3] = {p + e * lo + side * gap, p + e * hi + side * gap,
                  p + e * (lo + (hi - lo) * mid) + side * (1 + gap)};
    if (turned) std::swap(b[0], b[1]);
    std::rotate(a, a + make.below(3), a + 3);
    std::rotate(b, b + make.below(3), b + 3);
    const Result r = triangle_distance(a, b);
    const double from = std::max(lo, 0.0), to = std::min(hi, 1.0);
    const double along = length * std::max(0.0, from - to);
    ASSERT_NEAR(r.distance, std::hypot(gap, along), 1e-14);
    if (to - from < 1e-6) continue;
    ++stretches;
    ASSERT_EQ(r.count, 2);
    const Vec3d on_a[2] = {p + e * from, p + e * to};
    const Vec3d on_b[2] = {on_a[0] + side * gap, on_a[1] + side * gap};
    ASSERT_TRUE(ends_are(r, on_a, on_b, 1e-13));
    // Each end of the stretch is an end of one of the edges.
    for (int k = 0; k < 2; ++k) ASSERT_TRUE((r.feature_a[k] > 3) != (r.feature_b[k] > 3));
  }
  EXPECT_GT(stretches, 2000);
}

TEST(TriangleDistance, AlignedEdgesEndInCorners) {
  const Vec3d a[3] = {{{0, 0, 0}}, {{0.3, 0, 0}}, {{0, -1, 0}}};
  const Vec3d b[3] = {{{0.3, 0.1, 0}}, {{0, 0.1, 0}}, {{0, 1, 0}}};
  const Result r = triangle_distance(a, b);
  EXPECT_DOUBLE_EQ(r.distance, 0.1);
  EXPECT_EQ(r.count, 2);
  for (int k = 0; k < 2; ++k) {
    EXPECT_GT(r.feature_a[k], 3);
    EXPECT_GT(r.feature_b[k], 3);
  }
}

TEST(TriangleDistance, CrossingTrianglesGiveTheSegmentTheyShare) {
  const Vec3d a[3] = {{{0, 0, 0}}, {{4, 0, 0}}, {{0, 4, 0}}};
  // Its edges pierce a at x = 1 and, outside a, at x = -3: the segment ends on an edge of a.
  const Vec3d b[3] = {{{1, 1, 1}}, {{1, 1, -1}}, {{-7, 1, -1}}};
  const Result r = triangle_distance(a, b);
  EXPECT_EQ(r.distance, 0);
  EXPECT_EQ(r.count, 2);
  const Vec3d ends[2] = {{{1, 1, 0}}, {{0, 1, 0}}};
  EXPECT_TRUE(ends_are(r, ends, ends, 1e-15));
}

TEST(TriangleDistance, DependsOnTheOrderOfTrianglesAndCornersByRoundOffOnly) {
  TrianglePairs make(5);
  for (int i = 0; i < 300; ++i) {
    const TwoTriangles p = make.make(i % 2 ? 0 : 1);
    const double size = p.size();
    const Result r = triangle_distance(p.a, p.b);
    int order[2][3] = {{0, 1, 2}, {0, 1, 2}};
    for (bool more_a = true; more_a; more_a = std::next_permutation(order[0], order[0] + 3))
      for (bool more_b = true; more_b; more_b = std::next_permutation(order[1], order[1] + 3))
        for (const bool swapped : {false, true}) {
          Vec3d x[3], y[3];
          for (int k = 0; k < 3; ++k) x[k] = p.a[order[0][k]], y[k] = p.b[order[1][k]];
          Result q = swapped ? triangle_distance(y, x) : triangle_distance(x, y);
          if (swapped) std::swap(q.a, q.b);
          ASSERT_NEAR(q.distance, r.distance, 1e-14 * size);
          ASSERT_EQ(q.count, r.count);
          ASSERT_TRUE(ends_are(q, r.a, r.b, 1e-10 * size)) << i;
        }
  }
}

template <class P>
void check_lanes() {
  constexpr int n = ScalarTraits<P>::kLanes;
  TrianglePairs make(9);
  for (int round = 0; round < 400; ++round) {
    TwoTriangles lane[n];
    Vec3<P> a[3], b[3];
    for (int l = 0; l < n; ++l) {
      // Whole rounds of one kind too, so that no lane asks for the rare cases.
      lane[l] = make.make(round % 3 ? make.below(TrianglePairs::kKinds) : round % 2);
      for (int k = 0; k < 3; ++k)
        for (int c = 0; c < 3; ++c) {
          a[k][c].set(l, lane[l].a[k][c]);
          b[k][c].set(l, lane[l].b[k][c]);
        }
    }
    const TriangleDistance<P> r = triangle_distance(a, b);
    for (int l = 0; l < n; ++l) {
      const Result s = triangle_distance(lane[l].a, lane[l].b);
      ASSERT_EQ(r.distance[l], s.distance);
      ASSERT_EQ(r.count[l], s.count);
      for (int k = 0; k < 2; ++k) {
        ASSERT_EQ(r.feature_a[k][l], s.feature_a[k]);
        ASSERT_EQ(r.feature_b[k][l], s.feature_b[k]);
        for (int c = 0; c < 3; ++c) {
          ASSERT_EQ(r.a[k][c][l], s.a[k][c]);
          ASSERT_EQ(r.b[k][c][l], s.b[k][c]);
        }
      }
    }
  }
}

TEST(TriangleDistance, EveryLaneEqualsTheScalarBitForBit) {
  check_lanes<Pack<double, 4>>();
  check_lanes<Pack<double, 8>>();
}

}  // namespace
}  // namespace haptos
