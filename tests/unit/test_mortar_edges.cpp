// What edges and corners of mortar contact weigh, and what their points add up to.
#include <gtest/gtest.h>

#include <cmath>

#include "haptos/contact/live/overlap/edge_points.h"
#include "haptos/contact/live/overlap/exposure.h"
#include "haptos/contact/live/overlap/mortar_samples.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kSize = 0.25, kSupport = 0.05;

ContactSurface surface_of(const TriMesh& m, int first = 0, int body = 0) {
  std::vector<int> points;
  for (std::size_t i = 0; i < m.vertices.size(); ++i) points.push_back(first + static_cast<int>(i));
  return {m, points, body, 0, false};
}

// A ridge along y from -half to half at z = 0, whose faces look down and rise by `slope` on both
// sides; in its middle a vertex.
TriMesh roof(double slope, double half = 1) {
  TriMesh m;
  m.vertices = {{{0, -half, 0}}, {{0, 0, 0}}, {{0, half, 0}}, {{-1, 0, slope}}, {{1, 0, slope}}};
  m.triangles = {{{0, 3, 1}}, {{1, 3, 2}}, {{0, 1, 4}}, {{1, 2, 4}}};
  return m;
}

int edge_between(const ContactSurface& s, int a, int b) {
  for (std::size_t e = 0; e < s.topology.edges.size(); ++e) {
    const Vec2i& v = s.topology.edges[e];
    if ((v[0] == a && v[1] == b) || (v[0] == b && v[1] == a)) return static_cast<int>(e);
  }
  return -1;
}

double part(double slope, double support) {
  return smooth_step((slope * kSize / (2 * support) - 0.5) / 1.5);
}

TEST(Exposure, OfARidgeIsItsFormula) {
  for (const double slope : {0.5, 1.0, 2.0}) {
    const TriMesh m = roof(slope);
    const ContactSurface s = surface_of(m);
    const Exposure exposure(s, 0.5 * kSize);
    const int ridge = edge_between(s, 0, 1);
    ASSERT_TRUE(exposure.sharp(ridge));
    const Vec3d up{{0, 0, 1}};
    // r of 2/5, 5/4 and 3: none of it, a half of each factor, all.
    for (const double r : {0.4, 1.25, 3.0}) {
      const double support = std::min(slope, 1.0) * kSize / (2 * r);
      EXPECT_NEAR(exposure.weight(m.vertices, ridge, up, kSize, support),
                  part(std::min(slope, 1.0), support) * part(slope, support), 1e-12);
    }
    EXPECT_NEAR(part(1.25 * 2 * kSupport / kSize, kSupport), 0.5, 1e-12);
    // Against a plane that one side lies flush with nothing stands out.
    const Vec3d flush = normalized(Vec3d{{-slope, 0, 1}});
    EXPECT_EQ(exposure.weight(m.vertices, ridge, flush, kSize, 1e-3), 0);
    EXPECT_EQ(exposure.weight(m.vertices, ridge, -up, kSize, 1e-3), 0);
  }
}

TEST(Exposure, OfFlatAndConcaveEdgesIsNothing) {
  for (const double slope : {0.0, 0.2}) {  // .2: a dihedral angle of 23 degrees
    const ContactSurface s = surface_of(roof(slope));
    const Exposure exposure(s, 0.5 * kSize);
    EXPECT_FALSE(exposure.sharp(edge_between(s, 0, 1))) << slope;
    EXPECT_TRUE(exposure.sharp(edge_between(s, 0, 3))) << "a rim";
  }
  const TriMesh valley = roof(-1);
  const ContactSurface s = surface_of(valley);
  const Exposure exposure(s, 0.5 * kSize);
  EXPECT_EQ(exposure.weight(valley.vertices, edge_between(s, 0, 1), {{0, 0, 1}}, kSize, 1e-3), 0);
}

TEST(Exposure, OfACornerIsItsFormulaAndNothingAlongARidge) {
  for (const double slope : {0.5, 1.0}) {
    TriMesh m;
    m.vertices = {
        {{0, 0, 0}}, {{-1, -1, slope}}, {{1, -1, slope}}, {{1, 1, slope}}, {{-1, 1, slope}}};
    m.triangles = {{{0, 2, 1}}, {{0, 3, 2}}, {{0, 4, 3}}, {{0, 1, 4}}};
    const ContactSurface s = surface_of(m);
    const Exposure exposure(s, 0.5 * kSize);
    ASSERT_TRUE(exposure.corner(0));
    const double along = slope / std::sqrt(2.0);  // of the edges that go out from the tip
    for (const double r : {0.4, 1.25, 3.0}) {
      const double support = along * kSize / (2 * r);
      EXPECT_NEAR(exposure.corner_weight(m.vertices, 0, {{0, 0, 1}}, kSize, support),
                  part(slope, support) * part(along, support), 1e-12);
    }
  }
  const TriMesh m = roof(1.0);
  const ContactSurface s = surface_of(m);
  const Exposure exposure(s, 0.5 * kSize);
  EXPECT_TRUE(exposure.corner(1));
  EXPECT_EQ(exposure.corner_weight(m.vertices, 1, {{0, 0, 1}}, kSize, 1e-3), 0);
}

// A level sheet of right triangles of size L = kSize.
TriMesh sheet(int n) {
  TriMesh m;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      m.vertices.push_back({{(i - 0.5 * n) * kSize, (j - 0.5 * n) * kSize, 0}});
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1;
      m.triangles.push_back({{a, b, a + 1}});
      m.triangles.push_back({{a + 1, b, b + 1}});
    }
  return m;
}

// A ridge over a level sheet presses with kappa |B'(g)| on a strip of its length and .3 L across,
// however it lies over the sheet's triangles.
TEST(EdgePoints, OfARidgeAddUpToItsLengthTimesItsBreadth) {
  const double slope = 1, half = 0.4, gap = 0.4 * kSupport, stiffness = 1e5;
  const TriMesh low = sheet(10);
  for (const double turn : {0.0, 0.35, 0.8})
    for (const double aside : {0.0, 0.09}) {
      TriMesh high = roof(slope, half);
      const Mat3d R = to_matrix(rotation_by({{0, 0, turn}}));
      for (Vec3d& x : high.vertices) x = R * x + Vec3d{{aside, 0.5 * aside, gap}};
      const int n = static_cast<int>(low.vertices.size());
      const ContactSurface slave = surface_of(low), master = surface_of(high, n, 1);
      std::vector<Vec3d> x = low.vertices;
      x.insert(x.end(), high.vertices.begin(), high.vertices.end());
      const MortarSides sides = mortar_sides(slave, master, kSupport, stiffness, 2);
      ASSERT_NEAR(sides.typical_size, kSize, 1e-12);
      IndexLists near;
      near.offset = {0};
      for (std::size_t t = 0; t < low.triangles.size(); ++t) {
        for (int c = 0; c < master.cell_count(); ++c) near.item.push_back(c);
        near.offset.push_back(static_cast<int>(near.item.size()));
      }
      EdgePoints edges(sides);
      const auto press = [&](Sampling sampling, double& area) {
        edges.refresh(near, x, sampling);
        Vec3d force = Vec3d::zero();
        area = 0;
        for (const EdgePoint& p : edges.points()) {
          if (p.edge < 0) continue;
          EXPECT_TRUE(p.of_master);
          force += p.force;
          area += p.area;
        }
        return force;
      };
      double area = 0;
      const Vec3d force = press(Sampling::kAnew, area);
      const double strip = part(slope, kSupport) * part(slope, kSupport) * 0.3 * kSize * 2 * half;
      EXPECT_NEAR(area, strip, 1e-12);
      EXPECT_NEAR(force[2], stiffness * strip * barrier(gap, kSupport).first,
                  1e-9 * std::abs(force[2]));
      EXPECT_NEAR(force[0], 0, 1e-9 * std::abs(force[2]));
      // Held, it keeps its area wherever a search tries it, also where one side has become level.
      const Vec3d pivot = x[static_cast<std::size_t>(n)];
      const Mat3d lie = to_matrix(rotation_by(R * Vec3d{{0, std::atan(slope), 0}}));
      for (std::size_t v = static_cast<std::size_t>(n); v < x.size(); ++v)
        x[v] = pivot + lie * (x[v] - pivot);
      double again = 0;
      press(Sampling::kKept, again);
      EXPECT_NEAR(again, strip, 1e-12);
      press(Sampling::kAnew, again);
      EXPECT_EQ(again, 0);
    }
}

}  // namespace
}  // namespace haptos
