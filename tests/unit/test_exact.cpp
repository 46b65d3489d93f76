#include "haptos/geometry/query/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "haptos/geometry/make/shapes.h"

namespace haptos {
namespace {

__extension__ typedef __int128 Int;

struct Random {
  std::uint64_t state = 0x2545F4914F6CDD1Dull;
  std::uint64_t next() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
  }
  int integer(int lo, int hi) {
    const std::int64_t span = std::int64_t{hi} - lo + 1;
    return static_cast<int>(lo +
                            static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(span)));
  }
  Vec3d point(int range) {
    return {{double(integer(-range, range)), double(integer(-range, range)),
             double(integer(-range, range))}};
  }
};

int sign(Int x) { return x > 0 ? 1 : (x < 0 ? -1 : 0); }

struct I3 {
  Int a[3];
};
I3 integer(const Vec3d& p) { return {{Int(p[0]), Int(p[1]), Int(p[2])}}; }
I3 minus(const I3& x, const I3& y) { return {{x.a[0] - y.a[0], x.a[1] - y.a[1], x.a[2] - y.a[2]}}; }
I3 times(const I3& x, const I3& y) {
  return {{x.a[1] * y.a[2] - x.a[2] * y.a[1], x.a[2] * y.a[0] - x.a[0] * y.a[2],
           x.a[0] * y.a[1] - x.a[1] * y.a[0]}};
}
Int dot(const I3& x, const I3& y) { return x.a[0] * y.a[0] + x.a[1] * y.a[1] + x.a[2] * y.a[2]; }

int reference_orient(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const I3 o = integer(a);
  return sign(dot(times(minus(integer(b), o), minus(integer(c), o)), minus(integer(d), o)));
}

// Whether two triangles on small integers share a point, by another route than the library's: the
// separating axis theorem for convex sets, in whole numbers. Axes: both normals, the nine products
// of edges, and for coplanar triangles the in-plane normals of the six edges.
bool reference_intersect(const Vec3d (&a)[3], const Vec3d (&b)[3]) {
  std::vector<I3> axes;
  I3 p[3], q[3];
  for (int k = 0; k < 3; ++k) {
    p[k] = integer(a[k]);
    q[k] = integer(b[k]);
  }
  const I3 n = times(minus(p[1], p[0]), minus(p[2], p[0]));
  const I3 m = times(minus(q[1], q[0]), minus(q[2], q[0]));
  axes.push_back(n);
  axes.push_back(m);
  for (int i = 0; i < 3; ++i) {
    const I3 e = minus(p[(i + 1) % 3], p[i]), f = minus(q[(i + 1) % 3], q[i]);
    axes.push_back(times(n, e));
    axes.push_back(times(m, f));
    for (int j = 0; j < 3; ++j) axes.push_back(times(e, minus(q[(j + 1) % 3], q[j])));
  }
  for (const I3& x : axes) {
    Int lo[2], hi[2];
    for (int s = 0; s < 2; ++s) {
      const I3* t = s == 0 ? p : q;
      lo[s] = hi[s] = dot(x, t[0]);
      for (int k = 1; k < 3; ++k) {
        lo[s] = std::min(lo[s], dot(x, t[k]));
        hi[s] = std::max(hi[s], dot(x, t[k]));
      }
    }
    if (hi[0] < lo[1] || hi[1] < lo[0]) return false;
  }
  return true;
}

TEST(Orient3d, EqualsWholeNumberArithmetic) {
  Random random;
  int zeros = 0;
  for (int i = 0; i < 100000; ++i) {
    // Small ranges meet coplanar points often; large ones use all of 2^30.
    const int range = i % 2 == 0 ? 3 : (1 << 30);
    const Vec3d a = random.point(range), b = random.point(range), c = random.point(range),
                d = random.point(range);
    const int want = reference_orient(a, b, c, d);
    zeros += want == 0;
    ASSERT_EQ(orient3d_sign(a, b, c, d), want);
  }
  EXPECT_GT(zeros, 1000);
}

TEST(Orient3d, SeesOneUlpAtEveryScale) {
  // d lies in the plane of a, b, c exactly; one ulp off it must show, whatever the scale.
  for (const double s : {1.0, 1e-3, 0x1p-300, 0x1p300, 0x1p-700, 0x1p500, 0x1p1000}) {
    const Vec3d a{{0.1 * s, 0.2 * s, 0.3 * s}}, b{{1.7 * s, 0.2 * s, 0.3 * s}},
        c{{0.1 * s, 0.9 * s, 0.3 * s}};
    const double x = 0.77 * s, y = 0.45 * s, z = 0.3 * s, big = HUGE_VAL;
    EXPECT_EQ(orient3d_sign(a, b, c, {{x, y, z}}), 0) << s;
    EXPECT_EQ(orient3d_sign(a, b, c, {{x, y, std::nextafter(z, big)}}), 1) << s;
    EXPECT_EQ(orient3d_sign(a, b, c, {{x, y, std::nextafter(z, -big)}}), -1) << s;
    EXPECT_EQ(orient3d_sign(a, c, b, {{x, y, std::nextafter(z, big)}}), -1) << s;
  }
}

TEST(Orient3d, KeepsCoordinatesOfVeryDifferentSizeExact) {
  // The plane through a, b, c is x + y + z = 1 but for the rounding of 1e-30, which is exact here.
  const Vec3d a{{1, 0, 0}}, b{{0, 1, 0}}, c{{0, 0, 1}};
  EXPECT_EQ(orient3d_sign(a, b, c, {{1, 1e-30, -1e-30}}), 0);
  EXPECT_EQ(orient3d_sign(a, b, c, {{1, 2e-30, -1e-30}}), 1);
  EXPECT_EQ(orient3d_sign(a, b, c, {{1, 1e-30, -2e-30}}), -1);
  EXPECT_EQ(orient3d_sign(a, b, c, {{1, 1e-160, 0}}), 1);
  EXPECT_EQ(orient3d_sign(a, b, c, {{1, 0, -1e-160}}), -1);
}

TEST(Orient3d, IsAntisymmetricAndCyclic) {
  Random random;
  for (int i = 0; i < 2000; ++i) {
    Vec3d p[4];
    for (Vec3d& x : p) x = random.point(1000) * 0.001;  // not exact in binary: needs the fallback
    if (i % 2 == 0) p[3] = (p[0] + p[1]) * 0.5;         // nearly coplanar
    const int s = orient3d_sign(p[0], p[1], p[2], p[3]);
    EXPECT_EQ(orient3d_sign(p[1], p[0], p[2], p[3]), -s);
    EXPECT_EQ(orient3d_sign(p[1], p[2], p[0], p[3]), s);
    EXPECT_EQ(orient3d_sign(p[0], p[1], p[3], p[2]), -s);
    EXPECT_EQ(orient3d_sign(p[3], p[0], p[1], p[2]), -s);
  }
}

TEST(Orient2d, EqualsWholeNumberArithmeticAndSeesOneUlp) {
  Random random;
  for (int i = 0; i < 20000; ++i) {
    const int range = i % 2 == 0 ? 3 : (1 << 30);
    const Vec3d a = random.point(range), b = random.point(range), c = random.point(range);
    const I3 u = minus(integer(b), integer(a)), v = minus(integer(c), integer(a));
    ASSERT_EQ(orient2d_sign({{a[0], a[1]}}, {{b[0], b[1]}}, {{c[0], c[1]}}),
              sign(u.a[0] * v.a[1] - u.a[1] * v.a[0]));
  }
  const Vec2d a{{0.5, 0.5}}, b{{12, 12}};
  EXPECT_EQ(orient2d_sign(a, b, {{24, 24}}), 0);
  EXPECT_EQ(orient2d_sign(a, b, {{24, std::nextafter(24, 25)}}), 1);
  EXPECT_EQ(orient2d_sign(a, b, {{24, std::nextafter(24, 23)}}), -1);
}

TEST(Triangles, EqualTheSeparatingAxisTestOnWholeNumbers) {
  Random random;
  int touching[2] = {0, 0};
  for (int i = 0; i < 60000; ++i) {
    // A tiny lattice makes shared corners, edges in planes, coplanar and degenerate cases common.
    const int range = 1 + i % 6;
    Vec3d a[3], b[3];
    for (int k = 0; k < 3; ++k) {
      a[k] = random.point(range);
      b[k] = random.point(range);
    }
    if (i % 3 == 0)
      for (int k = 0; k < 3; ++k) a[k][2] = b[k][2] = 0;  // coplanar
    if (collinear(a[0], a[1], a[2]) || collinear(b[0], b[1], b[2])) continue;
    const bool want = reference_intersect(a, b);
    ++touching[want];
    ASSERT_EQ(triangles_intersect(a[0], a[1], a[2], b[0], b[1], b[2]), want) << i;
    ASSERT_EQ(triangles_intersect(b[2], b[0], b[1], a[1], a[0], a[2]), want) << i;
  }
  EXPECT_GT(touching[0], 10000);
  EXPECT_GT(touching[1], 10000);
}

TEST(Triangles, TouchingCountsAndOneUlpApartDoesNot) {
  const Vec3d a{{0, 0, 0}}, b{{1, 0, 0}}, c{{0, 1, 0}};
  const double e = 5e-324;
  // A corner on the face, then one step off it.
  EXPECT_TRUE(triangles_intersect(a, b, c, {{0.25, 0.25, 0}}, {{0, 0, 1}}, {{1, 1, 1}}));
  EXPECT_FALSE(triangles_intersect(a, b, c, {{0.25, 0.25, e}}, {{0, 0, 1}}, {{1, 1, 1}}));
  // A common corner, a common edge, the same triangle.
  EXPECT_TRUE(triangles_intersect(a, b, c, a, {{-1, 0, 1}}, {{0, -1, 1}}));
  EXPECT_TRUE(triangles_intersect(a, b, c, a, b, {{0, -1, 0}}));
  EXPECT_TRUE(triangles_intersect(a, b, c, a, b, c));
  // Coplanar, one inside the other; beside each other with a gap of one ulp.
  EXPECT_TRUE(triangles_intersect(a, b, c, {{0.1, 0.1, 0}}, {{0.2, 0.1, 0}}, {{0.1, 0.2, 0}}));
  EXPECT_TRUE(triangles_intersect(a, b, c, {{1, 0, 0}}, {{2, 0, 0}}, {{1, 1, 0}}));
  const double beyond = std::nextafter(1.0, 2.0);
  EXPECT_FALSE(triangles_intersect(a, b, c, {{beyond, 0, 0}}, {{2, 0, 0}}, {{beyond, 1, 0}}));
  // Edges that cross in one point, then pass each other by one ulp.
  const Vec3d p{{0.3, -1, 0}}, q{{0.3, 1, 0}}, r{{0.3, 0, -5}};
  EXPECT_TRUE(triangles_intersect(a, b, {{0.5, 0, 1}}, p, q, r));
  EXPECT_FALSE(triangles_intersect({{0, 0, e}}, {{1, 0, e}}, {{0.5, 0, 1}}, p, q, r));
}

TEST(Triangles, WithoutAreaCountAsTheirEdges) {
  const Vec3d a{{0, 0, 0}}, b{{4, 0, 0}}, c{{0, 4, 0}};
  const Vec3d p{{1, 1, -1}}, q{{1, 1, 1}}, m{{1, 1, 0.5}};
  EXPECT_TRUE(triangles_intersect(a, b, c, p, q, m));             // a needle through the face
  EXPECT_FALSE(triangles_intersect(a, b, c, q, m, {{1, 1, 2}}));  // above it
  EXPECT_TRUE(triangles_intersect(a, b, c, {{1, 1, 0}}, {{1, 1, 0}}, {{1, 1, 0}}));   // a point
  EXPECT_FALSE(triangles_intersect(a, b, c, {{3, 3, 0}}, {{3, 3, 0}}, {{3, 3, 0}}));  // outside
  EXPECT_TRUE(triangles_intersect(a, b, {{2, 0, 0}}, {{1, 0, 0}}, {{9, 0, 0}}, {{5, 0, 0}}));
  EXPECT_FALSE(triangles_intersect(a, b, {{2, 0, 0}}, {{5, 0, 0}}, {{9, 0, 0}}, {{7, 0, 0}}));
}

TEST(Segments, MeetFacesEdgesAndEachOther) {
  const Vec3d a{{0, 0, 0}}, b{{2, 0, 0}}, c{{0, 2, 0}};
  EXPECT_TRUE(segment_triangle_intersect({{0.5, 0.5, -1}}, {{0.5, 0.5, 1}}, a, b, c));
  EXPECT_TRUE(segment_triangle_intersect({{1, 1, -1}}, {{1, 1, 1}}, a, b, c));  // through an edge
  EXPECT_FALSE(segment_triangle_intersect({{1, std::nextafter(1.0, 2.0), -1}},
                                          {{1, std::nextafter(1.0, 2.0), 1}}, a, b, c));
  EXPECT_FALSE(segment_triangle_intersect({{0.5, 0.5, 0.5}}, {{0.5, 0.5, 1}}, a, b, c));
  EXPECT_TRUE(segment_triangle_intersect({{-1, 0.5, 0}}, {{5, 0.5, 0}}, a, b, c));  // in its plane
  EXPECT_FALSE(segment_triangle_intersect({{-1, 3, 0}}, {{5, 3, 0}}, a, b, c));
  EXPECT_TRUE(segments_intersect(a, b, {{1, -1, 0}}, {{1, 1, 0}}));
  EXPECT_TRUE(segments_intersect(a, b, b, {{2, 5, 1}}));
  EXPECT_FALSE(segments_intersect(a, b, {{1, -1, 5e-324}}, {{1, 1, 5e-324}}));
  EXPECT_TRUE(segments_intersect(a, b, {{2, 0, 0}}, {{3, 0, 0}}));
  EXPECT_FALSE(segments_intersect(a, b, {{2.5, 0, 0}}, {{3, 0, 0}}));
}

TEST(Triangles, NotFiniteCoordinatesDoNotCrash) {
  const Vec3d bad{{NAN, HUGE_VAL, 0}}, a{{0, 0, 0}}, b{{1, 0, 0}}, c{{0, 1, 0}};
  for (int i = 0; i < 2; ++i) {
    triangles_intersect(a, b, bad, a, c, b);
    triangles_intersect(bad, bad, bad, a, c, b);
    const int s = orient3d_sign(a, b, c, bad);
    EXPECT_LE(s * s, 1);
  }
}

TEST(Pairs, OfTwoMeshesEqualBruteForce) {
  TriMesh a = icosphere(1.0, 0.4), b = icosphere(0.8, 0.3);
  for (Vec3d& v : b.vertices) v += Vec3d{{0.7, 0.3, 0.1}};
  std::vector<std::array<int, 2>> want;
  for (int i = 0; i < static_cast<int>(a.triangles.size()); ++i)
    for (int j = 0; j < static_cast<int>(b.triangles.size()); ++j) {
      const Vec3i &s = a.triangles[static_cast<std::size_t>(i)],
                  &t = b.triangles[static_cast<std::size_t>(j)];
      const auto p = [&](int k) { return a.vertices[static_cast<std::size_t>(s[k])]; };
      const auto q = [&](int k) { return b.vertices[static_cast<std::size_t>(t[k])]; };
      if (triangles_intersect(p(0), p(1), p(2), q(0), q(1), q(2))) want.push_back({i, j});
    }
  EXPECT_GT(want.size(), 20u);
  EXPECT_EQ(intersecting_pairs(a, b), want);
  for (Vec3d& v : b.vertices) v += Vec3d{{5, 0, 0}};
  EXPECT_TRUE(intersecting_pairs(a, b).empty());
}

TEST(SelfIntersections, AreFoundBesideAndBeyondCommonVertices) {
  using Found = std::vector<std::array<int, 2>>;
  const std::vector<Vec3d> v{{{0, 0, 0}},  {{2, 0, 0}},    {{0, 2, 0}},     {{2, 2, 0}},
                             {{-1, 0, 0}}, {{0.5, 1, 0}},  {{1, 1, -1}},    {{1, 1, 1}},
                             {{1, -1, 0}}, {{-1, -1, -1}}, {{-1, -1.5, 1}}, {{3, 3, 1}}};
  const auto with = [&](Vec3i s, Vec3i t) { return self_intersections({v, {s, t}}); };
  EXPECT_EQ(with({{0, 1, 2}}, {{2, 1, 3}}), Found{});          // flat neighbours
  EXPECT_EQ(with({{0, 1, 2}}, {{1, 0, 8}}), Found{});          // flat neighbours
  EXPECT_EQ(with({{0, 1, 2}}, {{0, 1, 5}}), (Found{{0, 1}}));  // folded over
  EXPECT_EQ(with({{0, 1, 2}}, {{1, 0, 7}}), Found{});          // a ridge
  EXPECT_EQ(with({{0, 1, 2}}, {{0, 9, 10}}), Found{});         // a common corner only
  EXPECT_EQ(with({{0, 1, 2}}, {{0, 6, 7}}), (Found{{0, 1}}));  // cuts through beyond it
  EXPECT_EQ(with({{0, 1, 2}}, {{4, 6, 7}}), (Found{{0, 1}}));  // nothing in common
  EXPECT_EQ(with({{0, 1, 2}}, {{1, 2, 0}}), (Found{{0, 1}}));  // twice the same
  EXPECT_EQ(with({{0, 1, 2}}, {{0, 0, 7}}), Found{});          // names a vertex twice
  EXPECT_EQ(with({{0, 1, 2}}, {{1, 11, 3}}), Found{});
}

TEST(SelfIntersections, ClosedShapesHaveNoneUntilAVertexIsPushedThrough) {
  TriMesh m = icosphere(1.0, 0.3);
  EXPECT_TRUE(self_intersections(m).empty());
  m.vertices[0] = m.vertices[0] * -1.5;  // through the far side
  EXPECT_GE(self_intersections(m).size(), 5u);
}

}  // namespace
}  // namespace haptos
