// Iterations of the multilevel preconditioner beside block-Jacobi's, from 1e4 to 1e6 composite
// tetrahedra, at nu 0.3 and 0.49, with and without contact; and one step of a press with two
// million. Needs up to 8 GiB.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "haptos/geometry/make/shapes.h"
#include "haptos/solve/multilevel/linear_solver.h"
#include "tests/scenes/pad_system.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::mount;
using test::straight;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double peak_gib() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  return static_cast<double>(u.ru_maxrss) / 1024 / 1024;
}

struct Solved {
  int tets = 0, nodes = 0, multilevel = 0, jacobi = 0;
};

// Gravity and a smooth load on one system; relative residual 1e-8.
Solved solve(int cells, int layers, double poisson, bool contact, bool with_jacobi) {
  test::PadSystemSpec spec;
  spec.nx = spec.ny = cells;
  spec.nz = layers;
  spec.poisson = poisson;
  spec.contact = contact;
  const test::PadSystem pad(spec);
  const BlockMatrix& a = pad.matrix();
  const auto n = static_cast<std::size_t>(a.pattern().scalar_count());
  std::vector<double> b(n), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3d& p = pad.position[i / 3];
    b[i] = i % 3 == 2 ? -1.0 : std::sin(700 * p[0]) * std::cos(900 * p[1]);
  }
  Solved r;
  r.tets = pad.tets;
  r.nodes = a.pattern().block_count();
  Multilevel levels;
  double start = now();
  EXPECT_TRUE(levels.restructure(a, pad.near_null()));
  const double structure = now() - start;
  start = now();
  EXPECT_TRUE(levels.setup(a));
  const double setup = now() - start;
  Pcg pcg;
  start = now();
  PcgResult result = pcg.solve(a, levels, b.data(), x.data(), 1e-8, 2000);
  const double seconds = now() - start;
  EXPECT_TRUE(result.converged);
  r.multilevel = result.iterations;
  // The recurrence's residual is the true one.
  std::vector<double> ax(n);
  a.multiply(x.data(), ax.data());
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < n; ++i) {
    worst += (ax[i] - b[i]) * (ax[i] - b[i]);
    scale += b[i] * b[i];
  }
  EXPECT_LT(std::sqrt(worst / scale), 2e-8);
  if (with_jacobi) {
    BlockJacobi jacobi;
    EXPECT_TRUE(jacobi.setup(a));
    result = pcg.solve(a, jacobi, b.data(), x.data(), 1e-8, 20000);
    EXPECT_TRUE(result.converged);
    r.jacobi = result.iterations;
  }
  std::printf(
      "FIGURE pcg_%d_tets_nu_%.2f%s = %d iterations, block-Jacobi %s; %d nodes, %d levels, %.2f "
      "times the matrix; structure %.1f s, values %.1f s, solve %.1f s; %.0f + %.0f bytes a node, "
      "peak %.1f GiB\n",
      r.tets, poisson, contact ? "_contact" : "", r.multilevel,
      with_jacobi ? std::to_string(r.jacobi).c_str() : "not run", r.nodes, levels.level_count(),
      levels.complexity(), structure, setup, seconds,
      8.0 * static_cast<double>(a.pattern().value_count()) / r.nodes,
      static_cast<double>(levels.bytes()) / r.nodes, peak_gib());
  std::fflush(stdout);
  return r;
}

class FullLinear : public testing::TestWithParam<std::tuple<double, bool>> {};

// Goal: slower than n^(1/6); block-Jacobi's grow as n^(1/3).
TEST_P(FullLinear, IterationsGrowSlowerThanTheSixthRootOfTheNodes) {
  const auto [poisson, contact] = GetParam();
  std::vector<Solved> runs;
  runs.push_back(solve(10, 2, poisson, contact, true));
  runs.push_back(solve(20, 6, poisson, contact, true));
  // Block-Jacobi takes thousands of iterations on the largest at nu 0.49.
  runs.push_back(solve(44, 11 + contact, poisson, contact, poisson < 0.4));
  const auto exponent = [](const Solved& a, const Solved& b) {
    return std::log(double(b.multilevel) / a.multilevel) / std::log(double(b.nodes) / a.nodes);
  };
  const double whole = exponent(runs.front(), runs.back());
  std::printf("FIGURE pcg_growth_nu_%.2f%s = nodes to the power %.3f; block-Jacobi %.3f\n", poisson,
              contact ? "_contact" : "", whole,
              std::log(double(runs[1].jacobi) / runs[0].jacobi) /
                  std::log(double(runs[1].nodes) / runs[0].nodes));
  EXPECT_LT(whole, 1.0 / 6.0);
  EXPECT_LT(runs[1].multilevel, runs[1].jacobi / 4);
}

TEST(FullLinearStep, TwoMillionTetrahedraTakeAStep) {
  BoxPadShape shape;
  shape.width = shape.depth = 20e-3;
  shape.thickness = 5e-3;
  const Pad pad = box_pad(shape, 56, 56, 14);
  Scene s;
  s.sim.dt = 0.02;
  SoftBody gel;
  gel.name = "gel";
  gel.mesh = pad.mesh;
  gel.glue = {{"base", pad.base_vertices}};
  PrescribedBody ball;
  ball.name = "ball";
  ball.surface = sphere_lower_cap(4e-3, 1e-3, 0.2e-3);
  ball.trajectory = straight({{0, 0, 4e-3 + 1.1 * s.contact.support}}, {{0, 0, 3.8e-3}}, s.sim.dt);
  s.prescribed = {mount("base"), ball};
  s.soft = {gel};
  double start = now();
  Sim sim(s);
  const double build = now() - start;
  const std::size_t tets = sim.soft_model("gel").rest.tets.size();
  EXPECT_GT(tets, 2000000u);
  const StepReport r = sim.step();
  EXPECT_EQ(r.status(), 0u);
  EXPECT_GT(r.newton.linear_iterations, 0);
  EXPECT_LE(r.newton.residual, s.newton.force_tolerance * r.newton.load);
  // The ball is where it was sent, and the base carries what the ball gives.
  EXPECT_EQ(r.newton.path, 1);
  const double force = -sim.contact_wrench("gel").force[2], base = -sim.reaction("base").force[2];
  EXPECT_GT(force, 0);
  std::printf(
      "FIGURE two_million = %zu tetrahedra: %.0f s to build, %.0f s a step, %d Newton iterations "
      "(%d projected), %d linear, %zu contacts, force %.4f N (base %.4f N), peak %.1f GiB\n",
      tets, build, r.seconds, r.newton.iterations, r.newton.projected, r.newton.linear_iterations,
      sim.contacts().size(), force, base, peak_gib());
}

INSTANTIATE_TEST_SUITE_P(Pads, FullLinear,
                         testing::Combine(testing::Values(0.3, 0.49), testing::Bool()));

}  // namespace
}  // namespace haptos
