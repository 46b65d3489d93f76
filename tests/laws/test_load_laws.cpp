// The law suite on loads: nodal forces, and follower pressure on closed and open surfaces.
#include "haptos/bodies/loads/loads.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/laws/law_suite.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::LawCase;
using test::Random;

constexpr double kPressure = 2e3;  // [Pa]

// The surface of a box whose vertices are moved about; an open one has a hole of two triangles.
struct PressureCase {
  LawCase law;
  std::vector<Vec3i> triangles;
  std::unique_ptr<LoadTerm> term;
  std::vector<char> on_rim;

  explicit PressureCase(bool open, double size = 1e-3, unsigned seed = 1) {
    const TriMesh m = box(Vec3d{{1, 1.2, 0.8}} * size, {{2, 2, 2}});
    Random random(seed);
    for (std::size_t v = 0; v < m.vertices.size(); ++v)
      law.points.add_node(static_cast<int>(v), 0, 0, m.vertices[v] + 0.15 * size * random.vector());
    law.points.finish_permanent();
    triangles = m.triangles;
    on_rim.assign(m.vertices.size(), 0);
    for (int k = 0; open && k < 2; ++k) {
      for (int c = 0; c < 3; ++c) on_rim[static_cast<std::size_t>(triangles.back()[c])] = 1;
      triangles.pop_back();
    }
    term = make_pressure_term(triangles, {{0, kPressure}});
    law.points.x_start = law.points.x;
    prepare();
    law.term = term.get();
    law.length = size;
  }

  // Starts a step at the present positions.
  void prepare() {
    StepContext step;
    step.points = &law.points;
    law.points.x_start = law.points.x;
    term->prepare(step);
  }

  void deform(double amount, unsigned seed) {
    Random random(seed);
    for (Vec3d& x : law.points.x) x += (amount * law.length) * random.vector();
  }

  // -p n A / 3 at every corner of the deformed triangles.
  std::vector<Vec3d> follower_forces() const {
    const std::vector<Vec3d>& x = law.points.x;
    std::vector<Vec3d> f(x.size(), Vec3d::zero());
    auto at = [&](const Vec3i& t, int k) { return x[static_cast<std::size_t>(t[k])]; };
    for (const Vec3i& t : triangles)
      for (int k = 0; k < 3; ++k)
        f[static_cast<std::size_t>(t[k])] -=
            kPressure / 6 * cross(at(t, 1) - at(t, 0), at(t, 2) - at(t, 0));
    return f;
  }

  std::vector<Vec3d> forces() const {
    std::vector<Vec3d> f(law.points.x.size(), Vec3d::zero());
    term->add_forces(law.points, f);
    return f;
  }
};

Vec3d sum(const std::vector<Vec3d>& f) {
  Vec3d s = Vec3d::zero();
  for (const Vec3d& v : f) s += v;
  return s;
}

constexpr double kForceScale = kPressure * 1e-6;  // [N], of a face of the box

class PressureLaw : public testing::TestWithParam<bool> {};

TEST_P(PressureLaw, GradientAndHessianMatchDifferences) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    PressureCase c(GetParam(), 1e-3, seed);
    c.deform(0.1, seed + 10);
    test::check_derivatives(c.law);
  }
}

TEST_P(PressureLaw, ProjectedHessianIsPositiveSemidefiniteAndNotBelowTheExactOne) {
  for (unsigned seed = 1; seed <= 4; ++seed) {
    PressureCase c(GetParam(), 1e-3, seed);
    c.deform(0.1, seed + 10);
    test::check_projection(c.law);
    const Eigen::MatrixXd exact = test::evaluate_law(c.law).hessian,
                          projected = test::evaluate_law(c.law, true).hessian;
    const Eigen::VectorXd d =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(projected - exact).eigenvalues();
    EXPECT_GE(d.minCoeff(), -1e-12 * d.maxCoeff());
    EXPECT_LT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(exact).eigenvalues().minCoeff(), 0);
  }
}

TEST_P(PressureLaw, ForcesAtTheStartOfAStepAreThoseOfTheFollowerPressure) {
  PressureCase c(GetParam());
  c.deform(0.2, 3);
  c.prepare();
  const std::vector<Vec3d> f = c.forces(), expected = c.follower_forces();
  for (std::size_t v = 0; v < f.size(); ++v)
    EXPECT_LE(norm(f[v] - expected[v]), 1e-13 * kForceScale);
}

TEST_P(PressureLaw, GradientIsTheOppositeOfTheForces) {
  PressureCase c(GetParam());
  c.deform(0.2, 4);
  const Eigen::VectorXd g = test::evaluate_law(c.law).gradient;
  const std::vector<Vec3d> f = c.forces();
  for (std::size_t v = 0; v < f.size(); ++v)
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(g[static_cast<int>(3 * v) + k], -f[v][k], 1e-13 * kForceScale);
}

// The true tangent of the follower forces, by differences of forces at the start of a step: the
// Hessian for a closed surface; for an open one its rows differ at the rim and nowhere else.
TEST_P(PressureLaw, HessianIsTheFollowersTangentAwayFromTheRim) {
  PressureCase c(GetParam());
  c.deform(0.1, 5);
  c.prepare();
  const Eigen::MatrixXd H = test::evaluate_law(c.law).hessian;
  const double h = 1e-8;  // forces are of second degree in x, so this is exact but for rounding
  double inner = 0, rim = 0, asymmetry = 0;
  Eigen::MatrixXd K(H.rows(), H.cols());
  for (int j = 0; j < H.cols(); ++j) {
    double& x = c.law.points.x[static_cast<std::size_t>(j / 3)][j % 3];
    const double keep = x;
    x = keep + h;
    const std::vector<Vec3d> up = c.follower_forces();
    x = keep - h;
    const std::vector<Vec3d> down = c.follower_forces();
    x = keep;
    for (int i = 0; i < H.rows(); ++i) {
      const auto v = static_cast<std::size_t>(i / 3);
      K(i, j) = -(up[v][i % 3] - down[v][i % 3]) / (2 * h);
      double& error = c.on_rim[v] ? rim : inner;
      error = std::max(error, std::abs(K(i, j) - H(i, j)));
    }
  }
  asymmetry = (K - K.transpose()).cwiseAbs().maxCoeff();
  const double scale = H.cwiseAbs().maxCoeff();
  EXPECT_LE(inner, 1e-6 * scale);
  if (GetParam()) {
    EXPECT_GT(rim, 0.05 * scale);
    EXPECT_GT(asymmetry, 0.05 * scale);
  } else {
    EXPECT_LE(asymmetry, 1e-6 * scale);
  }
}

TEST_P(PressureLaw, EnergyScalesWithTheCubeOfTheUnitOfLength) {
  PressureCase small(GetParam(), 1e-3), large(GetParam(), 1.0);
  small.deform(0.1, 7);
  large.deform(0.1, 7);
  EXPECT_NEAR(test::energy_of(small.law) * 1e9 / test::energy_of(large.law), 1, 1e-9);
}

TEST_P(PressureLaw, TranslationKeepsTheTotalForce) {
  PressureCase c(GetParam());
  c.deform(0.1, 8);
  const Vec3d before = sum(c.forces());
  for (Vec3d& x : c.law.points.x) x += Vec3d{{5e-3, -2e-3, 1e-3}};
  EXPECT_LE(norm(sum(c.forces()) - before), 1e-12 * kForceScale);
}

INSTANTIATE_TEST_SUITE_P(ClosedAndOpen, PressureLaw, testing::Bool());

TEST(PressureLaw, OnAClosedSurfaceIsPressureTimesVolumeWithoutForceOrMoment) {
  PressureCase c(false);
  c.deform(0.2, 9);
  EXPECT_TRUE(c.term->report().conservative);
  test::check_rigid_invariance(c.law);
  double volume = 0;
  Vec3d moment = Vec3d::zero();
  const std::vector<Vec3d>& x = c.law.points.x;
  for (const Vec3i& t : c.triangles) {
    auto at = [&](int k) { return x[static_cast<std::size_t>(t[k])]; };
    volume += dot(at(0), cross(at(1), at(2))) / 6;
  }
  const std::vector<Vec3d> f = c.forces();
  for (std::size_t v = 0; v < f.size(); ++v) moment += cross(x[v], f[v]);
  EXPECT_NEAR(test::energy_of(c.law), kPressure * volume, 1e-12 * kPressure * volume);
  EXPECT_LE(norm(sum(f)), 1e-13 * kForceScale);
  EXPECT_LE(norm(moment), 1e-13 * kForceScale * 1e-3);
}

TEST(PressureLaw, OnAnOpenSurfaceIsNoPotential) {
  PressureCase c(true);
  EXPECT_FALSE(c.term->report().conservative);
  EXPECT_EQ(test::energy_of(c.law), 0);  // at the start of the step
}

TEST(PressureLaw, LoadIsPressureTimesArea) {
  PressureCase c(false);
  c.term->refresh(c.law.points, Sampling::kAnew);
  double area = 0;
  for (const Vec3i& t : c.triangles) {
    auto at = [&](int k) { return c.law.points.x[static_cast<std::size_t>(t[k])]; };
    area += 0.5 * norm(cross(at(1) - at(0), at(2) - at(0)));
  }
  EXPECT_NEAR(c.term->report().load, kPressure * area, 1e-12 * kPressure * area);
}

TEST(ForceLaw, IsLinearInTheDisplacement) {
  SoftModel model;
  LawCase law;
  Random random(2);
  std::vector<int> point;
  for (int v = 0; v < 4; ++v) {
    model.start.push_back(1e-3 * random.vector());
    point.push_back(law.points.add_node(v, 0, 0, model.start.back()));
  }
  law.points.finish_permanent();
  model.forces = {{{0, 0.25}, {2, 0.75}}};
  NodalForce f;
  f.force = {{0, {{0, 0, 0}}}, {2, {{4, -2, 6}}}};
  const auto term = make_force_term(model, {f}, point);
  StepContext step;
  step.points = &law.points;
  step.time = 0.5;
  step.h = 0.5;  // the force of the end of the step: half of the last
  term->prepare(step);
  law.term = term.get();
  for (Vec3d& x : law.points.x) x += 1e-4 * random.vector();
  test::check_derivatives(law);
  test::check_projection(law);
  const Vec3d u0 = law.points.x[0] - model.start[0], u2 = law.points.x[2] - model.start[2];
  EXPECT_NEAR(test::energy_of(law), -dot(Vec3d{{2, -1, 3}}, 0.25 * u0 + 0.75 * u2), 1e-18);
  EXPECT_NEAR(term->report().load, std::sqrt(14.0), 1e-15);
  const double before = test::energy_of(law);
  for (Vec3d& x : law.points.x) x += Vec3d{{1e-3, 1e-3, 1e-3}};
  EXPECT_NEAR(test::energy_of(law) - before, -4e-3, 1e-16);
}

TEST(LoadHistory, IsPiecewiseLinearAndHeldBeyondItsEnds) {
  const History<double> h = {{1, 10}, {2, 20}, {4, 0}};
  EXPECT_EQ(value_at(History<double>{}, 3), 0);
  EXPECT_EQ(value_at(h, 0), 10);
  EXPECT_EQ(value_at(h, 1), 10);
  EXPECT_EQ(value_at(h, 1.5), 15);
  EXPECT_EQ(value_at(h, 2), 20);
  EXPECT_EQ(value_at(h, 3), 10);
  EXPECT_EQ(value_at(h, 9), 0);
}

}  // namespace
}  // namespace haptos
