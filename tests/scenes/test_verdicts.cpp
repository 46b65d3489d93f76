// What Coulomb's law decides exactly: a block on a turntable, a plate on an incline, told from
// their neighbours on the other side of the limit.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/geometry/make/shapes.h"
#include "tests/param_names.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kG = 9.81;

AffineBody block(const Vec3d& size, const Vec3d& centre) {
  AffineBody b;
  b.name = "block";
  b.surface = box(size);
  b.pose.p = centre;
  return b;
}

// Runs with friction that holds everything until nothing moves, then with the coefficient asked
// for.
void settle(Scene& scene, Sim& sim, double time) {
  Scene holding = scene;
  holding.pairs[0].friction = {100, 100};
  Sim before(holding);
  test::Watch watch(before);
  ASSERT_TRUE(watch.run_until(time));
  sim.set_state(before.state());
}

// 45 degrees a second, 1.5 m from the axis: slips where w^2 r > mu g, mu < .0943.
class Turntable : public testing::TestWithParam<double> {};
TEST_P(Turntable, BlockSlipsIfTheTurningAsksForMoreThanFrictionGives) {
  const double mu = GetParam(), w = M_PI / 4, r = 1.5;
  AffineBody b = block({{0.2, 0.2, 0.1}}, {{r, 0, 0.05 + 5e-4}});
  b.velocity = {{0, w * r, 0}};
  b.angular_velocity = {{0, 0, w}};
  PrescribedBody table;
  table.name = "table";
  table.surface = cylinder(2, 0.2, 0.5);
  for (Vec3d& x : table.surface.vertices) x[2] -= 0.1;
  for (int k = 0; k <= 40; ++k) {
    Pose p;
    p.q = rotation_by({{0, 0, 0.2 * w * k}});
    table.trajectory.push_back({0.2 * k, p});
  }
  Scene s;
  s.sim.threads = 1;
  s.sim.dt = 5e-3;
  s.contact.support = 1e-3;
  s.newton.force_tolerance = 1e-7;
  s.affine = {b};
  s.prescribed = {table};
  s.pairs = {{"block", "table", true, 0, {mu, mu}}};
  Sim sim(s);
  test::Watch watch(sim);
  auto radius = [&] {
    return std::hypot(sim.affine_pose("block").p[0], sim.affine_pose("block").p[1]);
  };
  // The first second is for the start: the springs of friction are slack, the block slips a little.
  ASSERT_TRUE(watch.run_until(1));
  const double before = radius();
  ASSERT_TRUE(watch.run_until(2));
  const double moved = radius() - before;
  std::printf("FIGURE turntable.mu%.3f.moved = %.3e m\n", mu, moved);
  if (w * w * r > mu * kG)
    EXPECT_GT(moved, 2e-2);
  else
    EXPECT_LE(std::abs(moved), 1e-6);
}
INSTANTIATE_TEST_SUITE_P(Mu, Turntable, testing::Values(0.0, 0.085, 0.1, 0.5, 1.0),
                         test::ParamName());

// A plate so flat that it does not tip, at 1 % above and below mu = tan(angle).
class Incline : public testing::TestWithParam<int> {};
TEST_P(Incline, PlateHoldsOnePercentAboveTheLimitAndSlidesOnePercentBelow) {
  const double angle = GetParam() * M_PI / 180, T = 0.5;
  const Vec3d normal{{std::sin(angle), 0, std::cos(angle)}};
  const Vec3d down{{std::cos(angle), 0, -std::sin(angle)}};
  for (const double part : {0.99, 1.01}) {
    const double mu = part * std::tan(angle);
    AffineBody b = block({{0.1, 0.1, 0.004}}, normal * (0.002 + 5e-5));
    b.pose.q = rotation_by({{0, angle, 0}});
    HalfSpace plane;
    plane.name = "plane";
    plane.normal = normal;
    Scene s;
    s.sim.threads = 1;
    s.contact.support = 1e-4;
    s.contact.tangential = 100;
    s.newton.force_tolerance = 1e-8;
    s.newton.force_floor = 0;
    s.affine = {b};
    s.half_spaces = {plane};
    s.pairs = {{"block", "plane", true, 0, {mu, mu}}};
    Sim sim(s);
    settle(s, sim, 1);
    const Vec3d start = sim.affine_pose("block").p;
    test::Watch watch(sim);
    ASSERT_TRUE(watch.run_until(1 + T));
    const double slid = dot(sim.affine_pose("block").p - start, down);
    const double a = kG * (std::sin(angle) - mu * std::cos(angle));
    std::printf("FIGURE incline.%d.mu%.2f = %.3e m, free %.3e m\n", GetParam(), part, slid,
                0.5 * a * T * T);
    if (part > 1) {
      EXPECT_LE(std::abs(slid), 1e-6);
      EXPECT_LE(watch.speed(), 1e-6);
    } else {
      EXPECT_NEAR(slid, 0.5 * a * T * T, 0.05 * 0.5 * a * T * T);
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Degrees, Incline, testing::Range(15, 86, 10), test::ParamName());

}  // namespace
}  // namespace haptos
