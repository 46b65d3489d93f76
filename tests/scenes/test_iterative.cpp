// Steps with the iterative linear solver against the same steps with the direct one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scenes/soft_scenes.h"

namespace haptos {
namespace {

struct Difference {
  double position = 0, velocity = 0;  // largest, over the largest displacement and speed
  double force = 0;                   // of contact, over the largest force
  int linear = 0, newton = 0;
};

// Steps both from the same start; `body` is the one that reactions are read from.
Difference compare(Scene s, int steps) {
  s.solver.tolerance = 1e-12;
  s.solver.method = SolverOptions::kDirect;
  Sim direct(s);
  s.solver.method = SolverOptions::kIterative;
  Sim iterative(s);
  Difference d;
  double moved = 0, speed = 0, force = 0;
  const std::vector<Vec3d> start = direct.soft_positions("gel");
  for (int n = 0; n < steps; ++n) {
    const StepReport a = direct.step(), b = iterative.step();
    EXPECT_EQ(a.status(), 0u);
    EXPECT_EQ(b.status(), 0u);
    EXPECT_EQ(a.newton.linear_iterations, 0);
    EXPECT_GT(b.newton.linear_iterations, 0);
    d.linear += b.newton.linear_iterations;
    d.newton += b.newton.iterations;
    const std::vector<Vec3d> xa = direct.soft_positions("gel"),
                             xb = iterative.soft_positions("gel");
    for (std::size_t i = 0; i < xa.size(); ++i) {
      d.position = std::max(d.position, norm(xa[i] - xb[i]));
      moved = std::max(moved, norm(xa[i] - start[i]));
    }
    for (std::size_t i = 0; i < direct.state().z.size(); ++i) {
      d.velocity = std::max(d.velocity, std::abs(direct.state().z[i] - iterative.state().z[i]));
      speed = std::max(speed, std::abs(direct.state().z[i]));
    }
    const Vec3d fa = direct.contact_wrench("gel").force, fb = iterative.contact_wrench("gel").force;
    d.force = std::max(d.force, norm(fa - fb));
    force = std::max(force, norm(fa));
  }
  d.position /= moved;
  d.velocity /= speed;
  if (force > 0) d.force /= force;
  return d;
}

void expect_equal(const char* name, const Difference& d) {
  EXPECT_LT(d.position, 1e-8);
  EXPECT_LT(d.velocity, 1e-8);
  EXPECT_LT(d.force, 1e-8);
  std::printf(
      "FIGURE iterative_%s = %.1e of the motion, %.1e of the speed, %.1e of the force, "
      "%.1f linear iterations per Newton iteration\n",
      name, d.position, d.velocity, d.force, static_cast<double>(d.linear) / d.newton);
}

Scene tight(Scene s) {
  s.newton.force_tolerance = 1e-12;
  s.newton.force_floor = 1e-13;
  s.newton.velocity_tolerance = 1e-9;
  return s;
}

TEST(IterativeSolver, PressesLikeTheDirectOne) {
  expect_equal("press", compare(tight(test::press(false, 0.01)), 8));
}

TEST(IterativeSolver, RestsOnAFloorLikeTheDirectOne) {
  Scene s = tight(test::block_on_floor());
  s.soft[0].mesh = test::block({{4, 4, 3}}).mesh;
  expect_equal("floor", compare(s, 6));
}

TEST(IterativeSolver, SwingsLikeTheDirectOne) {
  // A block that hangs on four vertices, thrown.
  Scene s = test::free_block(0.005, -9.81, {{4, 3, 3}});
  s.soft[0].velocity = {{0.3, -0.1, 0.2}};
  s.soft[0].held.resize(1);
  s.soft[0].held[0].vertices = {0, 1, 2, 3};
  std::fill_n(s.soft[0].held[0].axis, 3, true);
  expect_equal("swing", compare(tight(s), 6));
}

// The default tolerance is reached by a looser solve in about as many iterations of Newton.
TEST(IterativeSolver, TakesFewMoreNewtonIterationsAtTheDefaultTolerance) {
  Scene s = test::press(false, 0.01);
  s.newton = NewtonOptions();
  int iterations[3] = {};
  double force[3] = {};
  for (int method : {SolverOptions::kDirect, SolverOptions::kIterative}) {
    s.solver.method = method;
    Sim sim(s);
    int linear = 0;
    for (int n = 0; n < 10; ++n) {
      const StepReport r = sim.step();
      EXPECT_EQ(r.status(), 0u);
      iterations[method] += r.newton.iterations;
      linear += r.newton.linear_iterations;
    }
    force[method] = norm(sim.contact_wrench("gel").force);
    std::printf("FIGURE newton_iterations_method_%d = %d, %d linear\n", method, iterations[method],
                linear);
  }
  EXPECT_LE(iterations[2], iterations[1] + 10);
  EXPECT_NEAR(force[2], force[1], 2e-3 * force[1]);
}

}  // namespace
}  // namespace haptos
