// More scenes after those of incremental potential contact (Li et al. 2020): bodies pressed and
// pulled through openings smaller than they are, an impact at 67 m/s, a house of cards, a rod that
// sticks and slips. At every step: converged, nothing intersects, nothing inverted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/degenerate_shapes.h"
#include "tests/scenes/ipc_scene.h"
#include "tests/scenes/start_energy.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::ball;
using test::scene_of;
using test::soft;

// A soft cube of .7 m is pulled by its axis through a square hole of .5 m with sharp rims.
TEST(IpcScenes, ACubeIsPulledThroughASmallerHole) {
  Scene s = scene_of(
      {soft("cube", test::grid({{0.7, 0.7, 0.7}}, {{4, 4, 4}}), {{0, 0, 2 + 2e-3}}, 5e4, 0.4)},
      0.02);
  s.sim.gravity_z = 0;
  PrescribedBody handle = test::mount("handle"), die;
  handle.trajectory = test::straight({{0, 0, 0}}, {{0, 0, -2.2}}, 2);
  die.name = "die";
  die.surface = test::hole();
  die.trajectory = {{0.0, Pose{}}};
  s.prescribed = {handle, die};
  Glue glue;
  glue.body = "handle";
  glue.vertices = test::vertices_where(
      s.soft[0].mesh, [](const Vec3d& x) { return std::hypot(x[0], x[1]) < 0.01; });
  s.soft[0].glue = {glue};
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(2.2));
  watch.print("ipc.squeeze_out");
  EXPECT_LT(watch.centre("cube")[2], 0.5);
}

// A ball of 1 m is pulled by its middle through a funnel, an open surface, of .8 m.
TEST(IpcScenes, ABallIsPulledThroughAFunnel) {
  Scene s = scene_of({soft("ball", ball(0.5, 0.2), {{0, 0, 0}}, 1e4, 0.4)}, 0.04);
  s.sim.gravity_z = 0;
  PrescribedBody handle = test::mount("handle");
  handle.trajectory = test::straight({{0, 0, 0}}, {{0, 0, -2.2}}, 4);
  PrescribedBody funnel;
  funnel.name = "funnel";
  const int around = 24;
  const double radius[] = {0.8, 0.4, 0.4}, height[] = {0, -0.8, -1.2};
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < around; ++i) {
      const double t = 2 * M_PI * i / around;
      funnel.surface.vertices.push_back(
          {{radius[k] * std::cos(t), radius[k] * std::sin(t), height[k]}});
      if (k == 0) continue;
      const int a = (k - 1) * around + i, b = (k - 1) * around + (i + 1) % around;
      funnel.surface.triangles.push_back({{a, a + around, b}});
      funnel.surface.triangles.push_back({{b, a + around, b + around}});
    }
  funnel.trajectory = {{0.0, Pose{}}};
  s.prescribed = {handle, funnel};
  Glue glue;
  glue.body = "handle";
  glue.vertices =
      test::vertices_where(s.soft[0].mesh, [](const Vec3d& x) { return norm(x) < 0.3; });
  s.soft[0].glue = {glue};
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(4.4));
  watch.print("ipc.funnel");
  EXPECT_LT(watch.centre("ball")[2], -2);
}

// A golf ball, 67 m/s, against a wall: 4 ms in steps of 20 us.
TEST(IpcScenes, GolfBallComesBackFromAWall) {
  SoftBody b = soft("ball", ball(0.0214, 0.008), {{-0.0214 - 2e-4, 0, 0}}, 1e7, 0.45);
  b.material.density = 1150;
  b.velocity = {{67, 0, 0}};
  Scene s = scene_of({b}, 2e-5);
  s.sim.gravity_z = 0;
  s.sim.integrator = static_cast<int>(Integrator::kBdf2);
  s.contact.support = 1e-4;
  HalfSpace wall;
  wall.name = "wall";
  wall.normal = {{-1, 0, 0}};
  s.half_spaces = {wall};
  Sim sim(s);
  test::Watch watch(sim);
  double flattest = 1e300;
  for (int n = 0; n < 200; ++n) {
    ASSERT_TRUE(watch.step());
    const std::vector<Vec3d> x = sim.soft_positions("ball");
    double lo = 1e300, hi = -1e300;
    for (const Vec3d& p : x) lo = std::min(lo, p[0]), hi = std::max(hi, p[0]);
    flattest = std::min(flattest, hi - lo);
  }
  const Vec3d start = watch.centre("ball");
  ASSERT_TRUE(watch.step());
  const double back = (watch.centre("ball")[0] - start[0]) / s.sim.dt;
  watch.print("ipc.golf_ball");
  std::printf("FIGURE ipc.golf_ball.back = %.1f m/s\n", back);
  std::printf("FIGURE ipc.golf_ball.flattest = %.3f of the diameter\n", flattest / 0.0428);
  EXPECT_LE(watch.highest_energy, 1e-6 * watch.initial_energy());
  EXPECT_LT(back, -20);
  EXPECT_LT(flattest, 0.8 * 0.0428);
}

// Two tents, a card across them, a tent on it.
Scene house_of_cards() {
  const double angle = M_PI / 3, length = 1, thick = 0.02, gap = 4e-4;
  Scene s = scene_of({}, 0.025);
  s.contact.tangential = 0.1;
  s.newton.force_tolerance = 1e-5;
  const double c = std::cos(angle), n = std::sin(angle);
  const double half_width = 0.5 * (length * c + thick * n);
  const double half_height = 0.5 * (length * n + thick * c);
  const auto card = [&](const std::string& name, const Vec3d& centre, double turn) {
    AffineBody b;
    b.name = name;
    b.surface = box({{length, 0.7, thick}});
    b.density = 500;
    b.pose.p = centre;
    b.pose.q = rotation_by({{0, turn, 0}});
    b.friction.sticking = 0.9;
    s.affine.push_back(b);
  };
  const auto tent = [&](const std::string& name, double x, double z) {
    for (const double side : {1.0, -1.0})
      card(name + (side > 0 ? " left" : " right"),
           {{x - side * (half_width + gap / 2), 0, z + half_height + gap}}, -side * angle);
  };
  const double floor = 2 * half_height + 2 * gap + thick;
  tent("first", -0.54, 0);
  tent("second", 0.54, 0);
  card("across", {{0, 0, floor - thick / 2}}, 0);
  s.affine.back().surface = box({{1.2, 0.7, thick}});
  tent("third", 0, floor);
  HalfSpace ground;
  ground.name = "ground";
  ground.friction.sticking = 0.9;
  s.half_spaces = {ground};
  return s;
}

TEST(IpcScenes, HouseOfCardsStands) {
  const Scene scene = house_of_cards();
  Sim sim(scene);
  test::Watch watch(sim);
  const test::NoGain no_gain(scene, watch, 1e-6, 1e-6);
  ASSERT_TRUE(watch.run_until(0.25));
  const Vec3d top = watch.centre("third left"), across = watch.centre("across");
  ASSERT_TRUE(watch.run_until(3));
  watch.print("ipc.card_house");
  no_gain.check("ipc.card_house");
  EXPECT_LE(norm(watch.centre("third left") - top), 1e-5);
  EXPECT_LE(norm(watch.centre("across") - across), 1e-5);
  EXPECT_LT(watch.speed(), 1e-5);
}

// Two cubes fall on it; the cards slide, fall, and come to lie on each other.
TEST(FullIpcScenes, CubesFallOnTheHouseOfCards) {
  Scene s = house_of_cards();
  for (const double side : {-1.0, 1.0}) {
    AffineBody b;
    b.name = side < 0 ? "left cube" : "right cube";
    b.surface = box({{0.3, 0.3, 0.3}});
    b.density = 500;
    b.pose.p = {{0.25 * side, 0.05 * side, 2.4}};
    b.velocity = {{0, 0, -3}};
    b.friction.sticking = 0.9;
    s.affine.push_back(b);
  }
  // Cards that tumble by a tenth of a turn in a step of 25 ms may gain in it: implicit Euler is no
  // descent of a potential that is not convex. At half the step none does.
  for (const double dt : {0.025, 0.0125}) {
    s.sim.dt = dt;
    Sim sim(s);
    test::Watch watch(sim);
    const test::NoGain no_gain(s, watch, 1e-6, dt > 0.02 ? 1e-3 : 1e-6);
    ASSERT_TRUE(watch.run_until(3));
    const char* name = dt > 0.02 ? "ipc.card_house_hit" : "ipc.card_house_hit.fine";
    watch.print(name);
    no_gain.check(name);
  }
}

// An upright rod is drawn over a table by its upper end: its tip sticks, bends, and slips.
TEST(IpcScenes, RodSticksAndSlips) {
  Scene s = scene_of(
      {soft("rod", test::grid({{0.1, 0.1, 1}}, {{2, 2, 10}}), {{0, 0, 0}}, 1e5, 0.4)}, 1e-2);
  SoftBody& rod = s.soft[0];
  rod.friction = {0.5, 0.1};
  PrescribedBody hand = test::mount("hand");
  hand.trajectory = {{0.0, test::at_position({{0, 0, 2e-3}})},
                     {0.2, test::at_position({{0, 0, -0.02}})},
                     {4.2, test::at_position({{0.8, 0, -0.02}})}};
  s.prescribed = {hand};
  Glue glue;
  glue.body = "hand";
  glue.vertices = test::vertices_where(rod.mesh, [](const Vec3d& x) { return x[2] > 1 - 1e-9; });
  rod.glue = {glue};
  HalfSpace table;
  table.name = "table";
  table.offset = -2e-3;
  table.friction = {0.5, 0.1};
  s.half_spaces = {table};
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(0.6));
  int sticks = 0, slips = 0, changes = 0;
  bool stuck = true;
  while (sim.state().time < 4.2 - 1e-9) {
    ASSERT_TRUE(watch.step());
    const bool now = std::all_of(sim.contacts().begin(), sim.contacts().end(),
                                 [](const ContactPoint& p) { return p.sticking != 0; });
    (now ? sticks : slips) += 1;
    changes += now != stuck;
    stuck = now;
  }
  watch.print("ipc.stick_slip");
  std::printf("FIGURE ipc.stick_slip.sticks = %d, slips %d, changes %d\n", sticks, slips, changes);
  EXPECT_GT(sticks, 20);
  EXPECT_GT(slips, 5);
  EXPECT_GE(changes, 6);
}

}  // namespace
}  // namespace haptos
