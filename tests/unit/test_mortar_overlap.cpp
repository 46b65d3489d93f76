// Overlaps of triangles, the quadrature on them, and the lattice that friction holds on to.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "haptos/contact/live/overlap/exposure.h"
#include "haptos/contact/live/overlap/mortar_samples.h"
#include "haptos/contact/live/overlap/overlap.h"
#include "haptos/contact/live/overlap/slave_lattice.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/query/gauss_rules.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::Random;

constexpr double kSupport = 0.1;
const Vec3d kBase[3] = {{{0, 0, 0}}, {{1, 0.2, 0}}, {{0.3, 0.9, 0}}};

BaseFrame base() { return {kBase[0], kBase[1], kBase[2]}; }

// A jittered grid over the base whose triangles face down, with heights by `height`.
template <class Height>
TriMesh cover(unsigned seed, const Height& height) {
  Random random(seed);
  TriMesh m;
  const int n = 6;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j) {
      const bool inner = i > 0 && j > 0 && i < n && j < n;
      const double x = -0.5 + 2.0 * i / n + (inner ? 0.1 * random() : 0);
      const double y = -0.5 + 2.0 * j / n + (inner ? 0.1 * random() : 0);
      m.vertices.push_back({{x, y, height(x, y)}});
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1;
      m.triangles.push_back({{a, a + 1, b}});
      m.triangles.push_back({{b, a + 1, b + 1}});
    }
  return m;
}

TEST(MortarOverlap, PartsUnderAnyMeshAddUpToTheTriangle) {
  for (unsigned seed = 1; seed < 30; ++seed) {
    const TriMesh m = cover(seed, [](double x, double y) { return 0.05 + 0.02 * x - 0.01 * y; });
    double sum = 0;
    for (const Vec3i& t : m.triangles) {
      const Vec3d x[3] = {m.vertices[static_cast<std::size_t>(t[0])],
                          m.vertices[static_cast<std::size_t>(t[1])],
                          m.vertices[static_cast<std::size_t>(t[2])]};
      const Overlap o = overlap(base(), x, kSupport);
      sum += part_of_base(o);
      for (int i = 0; i < o.count; ++i) {
        // Both sides of the overlap are the same place, a gap apart.
        const OverlapCorner& c = o.corner[i];
        const Vec3d low = kBase[0] * (1 - c.u - c.v) + kBase[1] * c.u + kBase[2] * c.v;
        const Vec3d high = x[0] * (1 - c.beta - c.beta2) + x[1] * c.beta + x[2] * c.beta2;
        EXPECT_LE(norm(low + Vec3d{{0, 0, c.gap}} - high), 1e-14);
      }
    }
    EXPECT_NEAR(sum, 1, 1e-12) << seed;
  }
}

TEST(MortarOverlap, HoldsNothingBeyondTheSupportBehindOrTurnedAway) {
  const Vec3d far[3] = {{{-1, -1, 0.11}}, {{0, 3, 0.11}}, {{3, -1, 0.11}}};
  EXPECT_EQ(overlap(base(), far, kSupport).count, 0);
  const Vec3d behind[3] = {{{-1, -1, -0.01}}, {{0, 3, -0.01}}, {{3, -1, -0.01}}};
  EXPECT_EQ(overlap(base(), behind, kSupport).count, 0);
  const Vec3d away[3] = {{{-1, -1, 0.05}}, {{3, -1, 0.05}}, {{0, 3, 0.05}}};
  EXPECT_EQ(overlap(base(), away, kSupport).count, 0);
  const Vec3d aside[3] = {{{2, 0, 0.05}}, {{2, 1, 0.05}}, {{3, 0, 0.05}}};
  EXPECT_EQ(overlap(base(), aside, kSupport).count, 0);
  // A tilted one is cut where it leaves the support: x = .5 of z = .2 x.
  const Vec3d tilted[3] = {{{-1, -1, -0.2}}, {{-1, 4, -0.2}}, {{9, -1, 1.8}}};
  const Overlap o = overlap(base(), tilted, kSupport);
  ASSERT_GE(o.count, 3);
  for (int i = 0; i < o.count; ++i) EXPECT_LE(o.corner[i].gap, kSupport * (1 + 1e-12));
}

TEST(GaussRules, AreExactToTheirDegree) {
  const auto factorial = [](int n) {
    double f = 1;
    for (int i = 2; i <= n; ++i) f *= i;
    return f;
  };
  for (int degree = 1; degree <= 6; ++degree)
    for (int i = 0; i <= degree; ++i)
      for (int j = 0; i + j <= degree; ++j) {
        double sum = 0;
        for (const TriangleNode& q : triangle_rule(degree))
          sum += q.weight * std::pow(q.b, i) * std::pow(q.c, j);
        EXPECT_NEAR(sum, 2 * factorial(i) * factorial(j) / factorial(i + j + 2), 1e-14);
      }
}

ContactSurface surface_of(const TriMesh& m) {
  std::vector<int> points;
  for (std::size_t i = 0; i < m.vertices.size(); ++i) points.push_back(static_cast<int>(i));
  return {m, points, 0, 0, false};
}

TEST(SlaveLattice, SharesAPlaceAmongThePointsAroundIt) {
  const TriMesh m = icosphere(1, 0.9);
  const ContactSurface s = surface_of(m);
  Random random(3);
  for (int n = 1; n <= 4; ++n) {
    const SlaveLattice lattice(s, n);
    for (int k = 0; k < 200; ++k) {
      const int t = k % static_cast<int>(m.triangles.size());
      double u = 0.5 + 0.5 * random(), v = 0.5 + 0.5 * random();
      if (u + v > 1) u = 1 - u, v = 1 - v;
      const SlaveLattice::Share to = lattice.share(t, u, v);
      const auto corner = [&](int c) {
        return s.position(m.vertices, s.triangles[static_cast<std::size_t>(t)][c]);
      };
      const Vec3d p = corner(0) * (1 - u - v) + corner(1) * u + corner(2) * v;
      Vec3d q = Vec3d::zero();
      double sum = 0;
      for (int c = 0; c < 3; ++c) {
        EXPECT_GE(to.weight[c], 0);
        sum += to.weight[c];
        q += to.weight[c] *
             at(m.vertices, lattice.points()[static_cast<std::size_t>(to.point[c])].at);
      }
      EXPECT_NEAR(sum, 1, 1e-14);
      EXPECT_LE(norm(p - q), 1e-14);
    }
  }
}

// A step straight at a triangle leaves a tenth of the gap; one that leaves the triangle by its rim
// meets only its plane and is not cut.
TEST(MortarSamples, CapAStepWhileItsFootIsOnTheTriangle) {
  TriMesh low, high;
  low.vertices = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}};
  low.triangles = {{{0, 1, 2}}};
  // Looks down, with a slope of one half.
  high.vertices = {{{-1, -1, 0.01}}, {{-1, 2, 0.01}}, {{0.5, 0, 0.76}}};
  high.triangles = {{{0, 1, 2}}};
  const ContactSurface slave = surface_of(low);
  const ContactSurface master(high, {3, 4, 5}, 1, 0, false);
  std::vector<Vec3d> x = low.vertices;
  x.insert(x.end(), high.vertices.begin(), high.vertices.end());
  const MortarSides sides = mortar_sides(slave, master, 2.0, 1.0, 2);
  IndexLists near;
  near.offset = {0, 1};
  near.item = {0};
  MortarSamples samples;
  collect_samples(sides, near, x, samples);
  ASSERT_EQ(samples.patches.size(), 1u);
  const auto cap = [&](const Vec3d& move) {
    return sample_step_cap(samples, x, {move, move, move, {}, {}, {}}, 1);
  };
  double gap = 1e300, right = 0;
  for (const MortarSample& s : samples.samples) {
    gap = std::min(gap, s.gap);
    right = std::max(right, s.base[1]);
  }
  EXPECT_NEAR(cap({{0, 0, 2}}), 0.9 * gap / 2, 1e-14);
  EXPECT_EQ(cap({{0, 0, 0.5 * gap}}), 1);
  EXPECT_EQ(cap({{0, 0, -1}}), 1);
  // To the left the plane comes down; far enough aside its triangle has ended before it is met.
  EXPECT_LT(cap({{-1.2, 0, 0}}), 1);
  EXPECT_EQ(cap({{-1.2, -9, 0}}), 1);
}

// Two faces of a block that looks down, level and rising by one in one beyond the ridge x = 1; a
// sample of the level one that a search takes round the ridge sees the other.
TEST(MortarSamples, SeeTheSurfaceFallAwayBeyondARidge) {
  TriMesh low, high;
  low.vertices = {{{0, 0, 0}}, {{0.9, 0, 0}}, {{0, 0.9, 0}}};
  low.triangles = {{{0, 1, 2}}};
  high.vertices = {{{1, -9, 0.1}}, {{1, 9, 0.1}}, {{-9, 0, 0.1}}, {{9, 0, 8.1}}};
  high.triangles = {{{0, 2, 1}}, {{0, 1, 3}}};
  const ContactSurface slave = surface_of(low);
  const ContactSurface master(high, {3, 4, 5, 6}, 1, 0, false);
  std::vector<Vec3d> x = low.vertices;
  x.insert(x.end(), high.vertices.begin(), high.vertices.end());
  const MortarSides sides = mortar_sides(slave, master, 2.0, 1.0, 2);
  IndexLists near;
  near.offset = {0, 1};
  near.item = {0};
  MortarSamples samples;
  collect_samples(sides, near, x, samples);
  ASSERT_FALSE(samples.samples.empty());
  for (int v = 0; v < 3; ++v) x[static_cast<std::size_t>(v)] += Vec3d{{0.5, 0, 0.05}};
  follow_samples(x, samples);
  int beyond = 0;
  for (const MortarSample& s : samples.samples) {
    const double at = 0.5 + 0.9 * s.base[1];
    beyond += at > 1;
    EXPECT_NEAR(s.gap, 0.05 + std::max(0.0, at - 1), 1e-14);
  }
  EXPECT_GT(beyond, 0);
}

TEST(Exposure, OfTheRimOfAFlushFaceIsNothingAndOfARidgeAll) {
  for (const int cells : {1, 8}) {
    const TriMesh m = box({{1, 1, 1}}, {{cells, cells, cells}});
    const ContactSurface s = surface_of(m);
    const double size = 0.5, support = 0.01;
    const Exposure e(s, 0.5 * size);
    int rims = 0;
    for (int i = 0; i < static_cast<int>(s.topology.edges.size()); ++i) {
      const Vec2i& v = s.topology.edges[static_cast<std::size_t>(i)];
      const Vec3d &p = m.vertices[static_cast<std::size_t>(v[0])],
                  &q = m.vertices[static_cast<std::size_t>(v[1])];
      const bool rim = p[2] < -0.49 && q[2] < -0.49 && p[0] > 0.49 && q[0] > 0.49;
      if (!rim) continue;
      ++rims;
      EXPECT_TRUE(e.sharp(i));
      EXPECT_EQ(e.weight(m.vertices, i, {{0, 0, 1}}, size, support), 0) << cells;
      EXPECT_EQ(e.weight(m.vertices, i, normalized(Vec3d{{-1, 0, 1}}), size, support), 1) << cells;
      // Where it rises by less than the support over an element it is flush still.
      EXPECT_EQ(e.weight(m.vertices, i, normalized(Vec3d{{-0.01, 0, 1}}), size, support), 0);
    }
    EXPECT_EQ(rims, cells);
  }
}

}  // namespace
}  // namespace haptos
