// The terms of material points in the law suite.
#include "haptos/bodies/particles/particle_terms.h"
#include "tests/laws/law_suite.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::LawCase;
using test::Random;

// A few points of a material, deformed, with the nodes of their grid as points of a law case.
struct ParticleCase {
  LawCase law;
  std::unique_ptr<ParticleGrid> grid;
  std::unique_ptr<Term> term;
  State state;
  std::vector<double> mass, scalars[6];

  ParticleCase(const ParticleMaterial& material, bool viscous, double J = 1,
               std::unique_ptr<Walls> walls = nullptr) {
    const double cell = 0.02;
    Random random(7);
    ParticleSeed seed;
    seed.material = material;
    seed.volume = 1e-6;
    const int count = walls ? 14 : 12;
    const double wide = walls ? 0.016 : 0.008;
    for (int k = 0; k < count; ++k) seed.x.push_back(wide * random.vector());
    grid = std::make_unique<ParticleGrid>(BodySlots{}, cell, std::vector{seed});
    grid->set_walls(std::move(walls));
    state.q.resize(static_cast<std::size_t>(grid->q_count()));
    grid->initialize(state);
    for (int k = 0; k < grid->count(); ++k) {
      double* q = state.q.data() + static_cast<std::ptrdiff_t>(ParticleGrid::kStride) * k;
      for (int c = 0; c < 9; ++c) q[ParticleGrid::kF + c] += 0.2 * random.vector()[0];
      q[ParticleGrid::kJ] = J;
    }
    law.points.finish_permanent();
    law.points.begin_step();
    BodyStep step;
    step.h = step.b = 0.01;
    const auto nodes = static_cast<std::size_t>(grid->step_blocks(state));
    mass.resize(9 * nodes);
    for (auto& s : scalars) s.resize(3 * nodes);
    step.points = &law.points;
    step.mass = &mass;
    step.z_free = &scalars[0], step.z_past = &scalars[1], step.z_hold = &scalars[2];
    step.z_start = &scalars[3], step.length = &scalars[4];
    grid->begin_step(state, step);
    if (viscous) {
      term = make_particle_viscosity(*grid);
    } else {
      auto terms = make_particle_energies(*grid);
      EXPECT_EQ(terms.size(), 1u);  // of one kind
      term = std::move(terms[0]);
    }
    law.term = term.get();
    law.by_velocity = viscous;
    law.length = viscous ? 1.0 : cell;
    law.step = 1e-4;
    StepContext c;
    c.points = &law.points;
    term->prepare(c);
  }
  void move(double size, std::uint64_t seed) {
    Random random(seed);
    for (Vec3d& x : law.points.x) x += size * random.vector();
    for (Vec3d& u : law.points.u) u = random.vector();
  }
};

ParticleMaterial elastic() {
  ParticleMaterial m;
  m.lame = lame(1e5, 0.4);
  return m;
}

ParticleMaterial liquid() {
  ParticleMaterial m;
  m.law = ParticleLaw::kLiquid;
  m.bulk = 1e4;
  m.viscosity = 3;
  return m;
}

TEST(ParticleLaws, GradientAndHessianOfTheElasticEnergyMatchDifferences) {
  ParticleCase c(elastic(), false);
  c.move(0.004, 1);
  test::check_derivatives(c.law);
  test::check_projection(c.law);
}

// The plane x = 0 above z = 0.
struct Sheet final : Walls {
  void place(const State&) override {}
  bool near(const Vec3d&, double) const override { return true; }
  Vec3d outside(const Vec3d& x) const override { return x; }
  bool between(const Vec3d& a, const Vec3d& b) const override {
    if ((a[0] < 0) == (b[0] < 0)) return false;
    return a[2] + a[0] / (a[0] - b[0]) * (b[2] - a[2]) > 0;
  }
};

// Nodes of both sides are linked round the end: a node has more than one neighbour at an offset.
TEST(ParticleLaws, OnAGridThatAWallPartsGradientAndHessianMatchDifferences) {
  ParticleCase c(elastic(), false, 1, std::make_unique<Sheet>());
  EXPECT_FALSE(c.grid->cells().further().empty());
  c.move(0.004, 8);
  test::check_derivatives(c.law);
  test::check_projection(c.law);
  test::check_along(c.law);
}

ParticleMaterial rubber() {
  ParticleMaterial m = elastic();
  m.law = ParticleLaw::kNeoHookean;
  return m;
}

TEST(ParticleLaws, GradientAndHessianOfTheNeoHookeanEnergyMatchDifferences) {
  for (const double size : {0.0, 0.002, 0.004}) {
    ParticleCase c(rubber(), false);
    c.move(size, 5);
    test::check_derivatives(c.law);
    test::check_projection(c.law);
    EXPECT_FALSE(c.term->frozen());
  }
}

TEST(ParticleLaws, NoPointOfTheNeoHookeanLawInverts) {
  ParticleCase c(rubber(), false);
  c.move(0, 6);
  // Every node towards the origin, to beyond it.
  std::vector<Vec3d> dx = c.law.points.x;
  for (Vec3d& d : dx) d = -2.0 * d;
  c.term->refresh(c.law.points, Sampling::kAnew);
  const double part = c.term->max_step(c.law.points, dx, 1.0);
  EXPECT_GT(part, 0.1);  // by a bound that never says too much
  EXPECT_LT(part, 0.5);  // at a half they would all be in one place
  for (std::size_t i = 0; i < dx.size(); ++i) c.law.points.x[i] += part * dx[i];
  EXPECT_TRUE(std::isfinite(test::energy_of(c.law)));
  EXPECT_EQ(c.term->max_step(c.law.points, std::vector<Vec3d>(dx.size(), Vec3d::zero()), 1.0), 1.0);
}

TEST(ParticleLaws, PointsOfAllLawsShareAGridInTwoTerms) {
  std::vector<ParticleSeed> seeds(3);
  seeds[0].material = elastic(), seeds[1].material = liquid(), seeds[2].material = rubber();
  for (ParticleSeed& s : seeds) s.x.push_back(Vec3d::zero());
  const ParticleGrid grid(BodySlots{}, 0.02, seeds);
  const auto terms = make_particle_energies(grid);
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_TRUE(terms[0]->frozen());
  EXPECT_FALSE(terms[1]->frozen());
}

TEST(ParticleLaws, GradientAndHessianOfALiquidMatchDifferences) {
  ParticleCase c(liquid(), false, 0.7);
  c.move(0.001, 2);
  test::check_derivatives(c.law);
  test::check_projection(c.law);
  EXPECT_GT(test::energy_of(c.law), 0);
}

TEST(ParticleLaws, GradientAndHessianOfViscosityMatchDifferences) {
  ParticleCase c(liquid(), true);
  c.move(0, 3);
  test::check_derivatives(c.law);
  test::check_projection(c.law);
}

// sym(R^T F) - I sees a turn of the step in second order only, and no drift.
TEST(ParticleLaws, EnergyAtRestIsZeroAndADriftCostsNothing) {
  ParticleCase c(elastic(), false);
  for (int k = 0; k < c.grid->count(); ++k) {
    double* q = c.state.q.data() + static_cast<std::ptrdiff_t>(ParticleGrid::kStride) * k;
    for (int e = 0; e < 9; ++e) q[ParticleGrid::kF + e] = e % 4 == 0;
  }
  c.grid->step_blocks(c.state);
  EXPECT_NEAR(test::energy_of(c.law), 0, 1e-25);
  for (Vec3d& x : c.law.points.x) x += Vec3d{{0.003, -0.002, 0.001}};
  EXPECT_NEAR(test::energy_of(c.law), 0, 1e-15);
}

TEST(ParticleLaws, ViscosityResistsNoTurnAndNoSwelling) {
  ParticleCase c(liquid(), true);
  for (std::size_t i = 0; i < c.law.points.u.size(); ++i) {
    const Vec3d& x = c.law.points.x[i];
    c.law.points.u[i] = cross(Vec3d{{1, -2, 0.5}}, x) + 3 * x + Vec3d{{1, 2, 3}};
  }
  EXPECT_NEAR(test::energy_of(c.law), 0, 1e-15);
  for (std::size_t i = 0; i < c.law.points.u.size(); ++i)
    c.law.points.u[i] = {{2 * c.law.points.x[i][1], 0, 0}};
  // Shear of 2/s: half of what is dissipated, eta/2 g^2 in each volume.
  EXPECT_NEAR(test::energy_of(c.law), 12 * 1e-6 * 0.5 * 3 * 4, 1e-15);
}

// Slope and curvature along a line are those of the gradient and the Hessian.
TEST(ParticleLaws, AlongALineSlopeAndCurvatureAreThoseOfTheHessian) {
  for (const ParticleMaterial& m : {elastic(), liquid()}) {
    ParticleCase c(m, false, 0.7);
    c.move(0.001, 4);
    test::check_along(c.law);
  }
}

}  // namespace
}  // namespace haptos
