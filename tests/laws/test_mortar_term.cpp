// The law suite on mortar contact. Its samples follow the overlaps of the meshes, so gradients are
// those of the integral: exact where overlaps do not change, to the error of the quadrature
// elsewhere; Hessians leave out terms of the order of a gap over a triangle's size.
#include <cmath>
#include <cstdio>

#include "haptos/contact/barrier/barrier_law.h"
#include "haptos/geometry/shapes.h"
#include "tests/laws/barrier_cases.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::kUnit;
using test::Random;
using test::TermCase;
using test::triangle;

// A triangle that looks up, and a larger one above it that looks down, tilted.
TriMesh low() { return triangle({{0, 0, 0}}, {{1, 0.1, 0.01}}, {{0.2, 0.9, -0.02}}); }
TriMesh high(double gap, double tilt) {
  TriMesh m = triangle({{-3, -2, 0}}, {{0, 4, 0}}, {{4, -2, 0}});
  const Mat3d R = to_matrix(rotation_by({{0.4 * tilt, tilt, 0.1}}));
  for (Vec3d& x : m.vertices) x = R * x + Vec3d{{0.4, 0.35, gap}};
  return m;
}

TEST(MortarTerm, HoldsTheLawsWhereATriangleLiesOverAnother) {
  for (const double tilt : {0.0, 0.02, 0.1})
    for (const bool driven : {false, true}) {
      SCOPED_TRACE("tilt " + std::to_string(tilt) + (driven ? ", driven" : ", free"));
      TermCase c(low(), high(0.1, tilt), driven, kUnit, 1, true);
      ASSERT_GT(test::energy_of(c.law), 0);
      c.law.hessian_tolerance = 0.05;
      test::check_derivatives(c.law);
      test::check_projection(c.law);
      test::check_rigid_invariance(c.law);
    }
}

// An open surface is met from both sides alike.
TEST(MortarTerm, MeetsAnOpenSurfaceFromBehind) {
  for (const double tilt : {0.0, 0.1}) {
    TriMesh behind = high(0.1, tilt);
    for (Vec3i& t : behind.triangles) std::swap(t[1], t[2]);
    TermCase front(low(), high(0.1, tilt), true, kUnit, 1, true),
        back(low(), behind, true, kUnit, 1, true);
    const double energy = test::energy_of(front.law);
    EXPECT_GT(energy, 0);
    EXPECT_NEAR(test::energy_of(back.law), energy, 1e-12 * energy);
    back.law.hessian_tolerance = 0.05;
    test::check_derivatives(back.law);
  }
}

// Two that only overlap, where the rim of the master lies over the slave: with what is sampled
// held, as a search holds it, the gradient is that of the energy.
TEST(MortarTerm, HoldsTheLawsForHeldSamplesWhereOverlapsEnd) {
  for (const double tilt : {0.0, 0.05})
    for (const bool driven : {false, true}) {
      SCOPED_TRACE("tilt " + std::to_string(tilt) + (driven ? ", driven" : ", free"));
      TriMesh m = high(0.1, tilt);
      for (Vec3d& x : m.vertices) x += Vec3d{{0.2, 2.1, 0}};
      TermCase c(low(), m, driven, kUnit, 1, true);
      ASSERT_GT(test::energy_of(c.law), 0);
      c.law.hold = true;
      c.law.hessian_tolerance = 0.05;
      test::check_derivatives(c.law);
      test::check_projection(c.law);
      test::check_rigid_invariance(c.law);
    }
}

// What slides round a ridge in one search comes behind the plane of a triangle it has left: held
// samples go on there, finite and with their own derivatives.
TEST(MortarTerm, HoldsTheLawsForHeldSamplesBehindAPlane) {
  for (const double tilt : {0.0, 0.05})
    for (const bool driven : {false, true}) {
      SCOPED_TRACE("tilt " + std::to_string(tilt) + (driven ? ", driven" : ", free"));
      TermCase c(low(), high(0.1, tilt), driven, kUnit, 1, true);
      const double before = test::energy_of(c.law);
      c.term->hold(true);
      const std::vector<Vec3d> start = c.law.points.x;
      double last = before;
      for (const double down : {0.08, 0.1, 0.12, 0.15}) {
        for (std::size_t p = 3; p < 6; ++p)
          c.law.points.x[p] = start[p] - Vec3d{{0, 0, down * kUnit}};
        const double energy = test::energy_of(c.law);
        EXPECT_TRUE(std::isfinite(energy));
        EXPECT_GT(energy, last) << down;
        last = energy;
      }
      c.law.hold = true;
      c.law.hessian_tolerance = 0.05;
      test::check_derivatives(c.law);
      c.term->hold(true);
      test::check_projection(c.law);
      c.term->hold(false);
      EXPECT_EQ(test::energy_of(c.law), 0);  // seen anew, there is nothing before it
    }
}

// A ridge with a loose end over an outward fold: its points and corners beside the samples of
// faces.
TEST(MortarTerm, HoldsTheLawsForARidgeOverAFold) {
  TriMesh fold, ridge;
  fold.vertices = {{{-1, 0, -0.2}}, {{0, -1, 0}}, {{0, 1, 0}}, {{1, 0, -0.2}}};
  fold.triangles = {{{0, 1, 2}}, {{3, 2, 1}}};
  ridge.vertices = {{{-0.4, 0.1, 0.1}}, {{0.8, -0.05, 0.08}}, {{0, 0.8, 0.6}}, {{0, -0.8, 0.7}}};
  ridge.triangles = {{{0, 2, 1}}, {{0, 1, 3}}};
  for (const bool driven : {false, true}) {
    SCOPED_TRACE(driven ? "driven" : "free");
    TermCase c(fold, ridge, driven, kUnit, 1, true);
    ASSERT_GT(test::energy_of(c.law), 0);
    c.law.hold = true;
    c.law.hessian_tolerance = 0.05;
    test::check_derivatives(c.law);
    test::check_projection(c.law);
    test::check_rigid_invariance(c.law);
  }
}

// A sheet of irregular triangles that looks up, with folds of up to `bumps` both ways.
TriMesh sheet(double bumps) {
  Random random(4);
  TriMesh m;
  const int n = 8;
  for (int i = 0; i <= n; ++i)
    for (int j = 0; j <= n; ++j)
      m.vertices.push_back(
          {{0.5 * i - 2 + 0.1 * random(), 0.5 * j - 2 + 0.1 * random(), bumps * random()}});
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const int a = i * (n + 1) + j, b = a + n + 1;
      m.triangles.push_back({{a, b, a + 1}});
      m.triangles.push_back({{a + 1, b, b + 1}});
    }
  return m;
}

// Largest change of the force on the sheet, relative to its size, while a tool goes across it in
// `steps` steps, onto it and off it again.
double largest_jump(const TriMesh& tool, double bumps, int steps) {
  double low = 1e300;
  for (const Vec3d& x : tool.vertices) low = std::min(low, x[2]);
  const auto force = [&](double t) {
    TriMesh m = tool;
    for (Vec3d& x : m.vertices) x += Vec3d{{-3.2 + 6.4 * t, 0.13, 0.12 - low}};
    TermCase c(sheet(bumps), m, true, kUnit, 1, true);
    Assembly a;
    a.reset(test::dense_pattern(c.law.points));
    a.begin(c.law.points, false, nullptr);
    a.set_factors(1, 1);
    Evaluation e;
    e.points = &c.law.points;
    e.assembly = &a;
    c.term->refresh(c.law.points);
    c.term->evaluate(e);
    Vec3d sum = Vec3d::zero();
    for (const int p : c.soft->point) sum += a.point_gradient()[static_cast<std::size_t>(p)];
    return sum;
  };
  Vec3d last = force(0);
  double most = 0, jump = 0;
  for (int k = 1; k <= steps; ++k) {
    const Vec3d f = force(static_cast<double>(k) / steps);
    most = std::max(most, norm(f));
    jump = std::max(jump, norm(f - last));
    last = f;
  }
  EXPECT_GT(most, 0);
  return jump / most;
}

TEST(MortarTerm, ForceIsContinuousWhileSharpFeaturesComeAndGo) {
  const auto turned = [](TriMesh m, const Vec3d& by) {
    const Mat3d R = to_matrix(rotation_by(by));
    for (Vec3d& x : m.vertices) x = R * x;
    return m;
  };
  TriMesh pyramid;
  pyramid.vertices = {
      {{0, 0, 0}}, {{-0.8, -0.8, 0.5}}, {{0.8, -0.8, 0.5}}, {{0.8, 0.8, 0.5}}, {{-0.8, 0.8, 0.5}}};
  pyramid.triangles = {{{0, 2, 1}}, {{0, 3, 2}}, {{0, 4, 3}},
                       {{0, 1, 4}}, {{1, 2, 3}}, {{1, 3, 4}}};
  const std::pair<const char*, TriMesh> tools[] = {
      {"cube on its face", turned(box({{1, 1, 1}}), {{0, 0, 0.3}})},
      {"cube on its edge", turned(box({{1, 1, 1}}), {{0.78, 0, 0}})},
      {"wedge", turned(box({{1, 2, 1}}), {{0, 0.6, 0.2}})},
      {"tip of a pyramid", pyramid}};
  for (const double bumps : {0.0, 0.03})
    for (const auto& [name, tool] : tools) {
      const double coarse = largest_jump(tool, bumps, 150), fine = largest_jump(tool, bumps, 1200);
      std::printf("FIGURE mortar_jump.%s%s = %.2e, in eight times as many steps %.2e\n",
                  bumps > 0 ? "folds." : "", name, coarse, fine);
      EXPECT_LT(fine, 0.55 * coarse) << name;
      EXPECT_LT(fine, 0.1) << name;
    }
}

}  // namespace
}  // namespace haptos
