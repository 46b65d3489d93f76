// The law suite on mortar contact. Its samples follow the overlaps of the meshes, so gradients are
// those of the integral: exact where overlaps do not change, to the error of the quadrature
// elsewhere; Hessians leave out terms of the order of a gap over a triangle's size.
#include <cmath>
#include <cstdio>

#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/geometry/make/shapes.h"
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
      c.law.keep = true;
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
      const std::vector<Vec3d> start = c.law.points.x;
      double last = before;
      for (const double down : {0.08, 0.1, 0.12, 0.15}) {
        for (std::size_t p = 3; p < 6; ++p)
          c.law.points.x[p] = start[p] - Vec3d{{0, 0, down * kUnit}};
        const double energy = test::energy_of(c.law, Sampling::kKept);
        EXPECT_TRUE(std::isfinite(energy));
        EXPECT_GT(energy, last) << down;
        last = energy;
      }
      c.law.keep = true;
      c.law.hessian_tolerance = 0.05;
      test::check_derivatives(c.law, Sampling::kKept);
      test::check_projection(c.law, Sampling::kKept);
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
    c.law.keep = true;
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

// A way that the lowest point of a tool takes.
struct Way {
  Vec3d from, to;
  TriMesh place(TriMesh tool, double t) const {
    double low = 1e300;
    for (const Vec3d& x : tool.vertices) low = std::min(low, x[2]);
    for (Vec3d& x : tool.vertices) x += from + (to - from) * t - Vec3d{{0, 0, low}};
    return tool;
  }
};
// At six tenths of the support onto a sheet and off it again, and from beyond the support down to a
// quarter of it.
const Way kAcross{{{-3.2, 0.13, 0.12}}, {{3.2, 0.13, 0.12}}},
    kDown{{{0.17, 0.13, 0.3}}, {{0.17, 0.13, 0.05}}};

// Largest change of the force on the sheet, relative to its size, while a tool goes its way in
// `steps` steps.
double largest_jump(const TriMesh& tool, const Way& way, double bumps, int steps) {
  const auto force = [&](double t) {
    TermCase c(sheet(bumps), way.place(tool, t), true, kUnit, 1, true);
    Assembly a;
    a.reset(test::dense_pattern(c.law.points));
    a.begin(c.law.points, false, nullptr);
    a.set_factors(1, 1);
    Evaluation e;
    e.points = &c.law.points;
    e.assembly = &a;
    c.term->refresh(c.law.points, Sampling::kAnew);
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

struct Tool {
  const char* name;
  TriMesh mesh;
};
std::vector<Tool> sharp_tools() {
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
  return {{"cube on its face", turned(box({{1, 1, 1}}), {{0, 0, 0.3}})},
          {"cube on its edge", turned(box({{1, 1, 1}}), {{0.78, 0, 0}})},
          {"wedge", turned(box({{1, 2, 1}}), {{0, 0.6, 0.2}})},
          {"tip of a pyramid", pyramid}};
}

TEST(MortarTerm, ForceIsContinuousWhileSharpFeaturesComeAndGo) {
  for (const bool down : {false, true})
    for (const double bumps : {0.0, 0.03})
      for (const auto& [name, tool] : sharp_tools()) {
        const Way& way = down ? kDown : kAcross;
        const double coarse = largest_jump(tool, way, bumps, 150),
                     fine = largest_jump(tool, way, bumps, 1200);
        std::printf("FIGURE mortar_jump.%s%s%s = %.2e, in eight times as many steps %.2e\n",
                    bumps > 0 ? "folds." : "", down ? "down." : "", name, coarse, fine);
        EXPECT_LT(fine, 0.55 * coarse) << name;
        EXPECT_LT(fine, 0.1) << name;
      }
}

// A search reads held samples, the next iterate fresh ones: by how much their energies differ where
// the search ends, by the largest energy on the way. Shorter searches leave less.
double largest_difference(const TriMesh& tool, const Way& way, double bumps, int steps) {
  double most = 0, off = 0;
  for (int k = 0; k < steps; ++k) {
    const auto place = [&](int to) { return way.place(tool, static_cast<double>(to) / steps); };
    TermCase c(sheet(bumps), place(k), true, kUnit, 1, true);
    Points& p = c.law.points;
    // What it may move in a step is what the candidates are for.
    const TriMesh next = place(k + 1);
    for (std::size_t v = 0; v < next.vertices.size(); ++v)
      p.x_target[static_cast<std::size_t>(c.collider->point[v])] = kUnit * next.vertices[v];
    StepContext step;
    step.points = &p;
    c.term->prepare(step);
    most = std::max(most, test::energy_of(c.law));
    p.x = p.x_target;
    const double held = test::energy_of(c.law, Sampling::kKept);
    off = std::max(off, std::abs(test::energy_of(c.law) - held));
  }
  EXPECT_GT(most, 0);
  return off / most;
}

TEST(MortarTerm, EnergyOfHeldSamplesIsThatOfFreshOnesForShortSearches) {
  for (const auto& [name, tool] : sharp_tools()) {
    const double coarse = largest_difference(tool, kAcross, 0.03, 150),
                 fine = largest_difference(tool, kAcross, 0.03, 1200);
    std::printf("FIGURE mortar_held.%s = %.2e, over an eighth of the way %.2e\n", name, coarse,
                fine);
    EXPECT_LT(fine, 0.4 * coarse) << name;
    EXPECT_LT(fine, 0.1) << name;
  }
}

// A cube on a sheet: nothing to begin with; moved by little the anchors hold it as springs, moved
// by much it slides with mu N. Records add up to what friction pulls.
TEST(MortarTerm, FrictionHoldsThenSlides) {
  constexpr double kMu = 0.4;
  TriMesh cube = box({{1, 1, 1}});
  cube = Way{{{0.1, 0.2, 0.1}}, {{0.1, 0.2, 0.1}}}.place(cube, 0);
  TermCase c(sheet(0), cube, true, kUnit, 1, true, {kMu, kMu, 0});
  Points& p = c.law.points;
  ContactHistory history;
  StepContext step;
  step.points = &p;
  step.h = 0.01;
  step.history = &history;
  const auto move = [&](const Vec3d& by, double& normal) {
    p.x_start = p.x_target = p.x;
    for (const int v : c.collider->point) p.x_target[static_cast<std::size_t>(v)] += by * kUnit;
    c.term->prepare(step);
    for (const int v : c.collider->point) p.x[static_cast<std::size_t>(v)] += by * kUnit;
    c.term->refresh(p, Sampling::kAnew);
    std::vector<LagRow> rows;
    c.term->lagged()->renew_lags(p, rows);
    const test::LawValues values = test::evaluate_law(c.law);
    c.term->commit(step, p);
    ContactHistory next;
    c.term->remember(next);
    history = next;
    ++step.step;
    Vec3d pull = Vec3d::zero();
    normal = 0;
    for (const ContactPoint& r : c.term->contacts()) {
      pull += r.tangential_force;
      normal += r.normal_force;
    }
    // The gradient on the sheet is what the records say, with the other sign.
    Vec3d gradient = Vec3d::zero();
    for (const int v : c.soft->point)
      for (int k = 0; k < 3; ++k) gradient[k] += values.gradient[3 * p.block(v) + k];
    EXPECT_NEAR(gradient[0], -pull[0], 1e-9 * normal);
    EXPECT_NEAR(gradient[1], -pull[1], 1e-9 * normal);
    return pull;
  };
  double normal = 0;
  const Vec3d none = move({{0, 0, 0}}, normal);
  EXPECT_GT(normal, 0);
  EXPECT_LE(norm(none), 1e-12 * normal);
  const Vec3d little = move({{0.02, 0, 0}}, normal), twice = move({{0.02, 0, 0}}, normal);
  EXPECT_GT(little[0], 0.1 * kMu * normal);
  EXPECT_LT(little[0], 0.5 * kMu * normal);
  EXPECT_NEAR(twice[0], 2 * little[0], 1e-6 * little[0]);
  const Vec3d much = move({{0.3, 0.15, 0}}, normal);
  EXPECT_NEAR(norm(much), kMu * normal, 0.01 * kMu * normal);
  EXPECT_NEAR(much[1] / much[0], 0.15 / 0.34, 0.01);
}

}  // namespace
}  // namespace haptos
