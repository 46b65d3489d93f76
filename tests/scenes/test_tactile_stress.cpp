// What a tactile scene must bear: starts in exact contact, an object taken away while it is
// pressed, two pads that pinch a film, time steps from .1 ms to 50 ms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/base/text/error.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/query/exact.h"
#include "tests/param_names.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

// A pad of 10 x 10 x 4 mm, glued to "base" below it, its top at z = 0.
SoftBody pad(const std::string& name, double young = 1e5) {
  BoxPadShape shape;
  shape.width = shape.depth = 0.01;
  shape.thickness = 4e-3;
  const Pad p = box_pad(shape, 5, 5, 2);
  SoftBody b;
  b.name = name;
  b.mesh = p.mesh;
  b.material.young = young;
  b.material.poisson = 0.45;
  b.friction.sticking = 0.5;
  b.glue = {{name + " base", p.base_vertices}};
  return b;
}

// The pad under a flat block whose lower face is at height `gap`.
Scene pressed(double gap) {
  Scene s;
  s.sim.threads = 1;
  s.sim.gravity_z = 0;
  s.soft = {pad("gel")};
  PrescribedBody block;
  block.name = "block";
  block.surface = box({{6e-3, 6e-3, 2e-3}});
  block.friction.sticking = 0.5;
  // Height in numbers without rounding: the face at z = 0 exactly where gap is 0.
  for (Vec3d& x : block.surface.vertices) x[2] = x[2] > 0 ? 2e-3 : 0;
  block.trajectory = {{0.0, test::at_position({{0, 0, gap}})}};
  s.prescribed = {test::mount("gel base"), block};
  return s;
}

TEST(TactileStress, GapOfZeroIsRefusedWithItsRemedy) {
  try {
    Sim sim(pressed(0));
    FAIL() << "accepted";
  } catch (const InputError& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("\"gel\" and \"block\""), std::string::npos) << text;
    EXPECT_NE(text.find("move one of them so that there is a gap"), std::string::npos) << text;
  }
  Scene on_plane = pressed(1e-3);
  on_plane.soft[0].glue.clear();
  HalfSpace plane;
  plane.name = "plane";
  plane.normal = {{0, 0, -1}};
  on_plane.half_spaces = {plane};
  on_plane.prescribed.pop_back();
  EXPECT_THROW(Sim sim(on_plane), InputError);
}

TEST(TactileStress, GapOfOneUlpIsAcceptedAndNothingCrossesIt) {
  // The least gap there is at the size of the pad: one unit in the last place of its coordinates.
  // Below 1e-10 m the barrier's entries drown the rest of the matrix: a step says that it did not
  // converge, and leaves a state without intersection.
  const double ulp = std::nextafter(4e-3, 1) - 4e-3;
  Scene s = pressed(ulp);
  s.sim.dt = 1e-3;
  Sim sim(s);
  const test::Watch watch(sim);
  for (int n = 0; n < 3; ++n) {
    sim.step();
    EXPECT_EQ(intersecting_pairs(watch.surface("gel"), watch.surface("block")).size(), 0u);
    for (const Vec3d& x : sim.soft_positions("gel")) EXPECT_TRUE(std::isfinite(norm(x)));
  }
}

TEST(TactileStress, GapOfANanometreOpens) {
  Scene s = pressed(1e-9);
  s.sim.dt = 1e-3;
  s.soft[0].friction.sticking = 0;
  Sim sim(s);
  test::Watch watch(sim);
  for (int n = 0; n < 10; ++n) ASSERT_TRUE(watch.step());
  EXPECT_GT(watch.smallest_gap, 1e-6);
  std::printf("FIGURE stress.nanometre = opens to %.2e m, most iterations %d\n", watch.smallest_gap,
              watch.most_iterations);
}

TEST(TactileStress, ObjectTakenAwayWhilePressedLeavesAGelThatComesBack) {
  // Removal is a new scene without the object that goes on from the state of the gel.
  Scene s = pressed(3e-5);
  s.sim.dt = 5e-3;
  s.soft[0].material.stiffness_damping = 2e-3;
  s.prescribed[1].trajectory = test::straight({{0, 0, 3e-5}}, {{0, 0, -1e-3}}, 0.05);
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(0.1));
  const std::vector<Vec3d> squeezed = sim.soft_positions("gel");
  // Pulled off in one step, 2 m/s.
  Pose away = test::at_position({{0, 0, 0.01}});
  sim.set_target("block", away);
  ASSERT_TRUE(watch.step());
  EXPECT_EQ(norm(sim.contact_wrench("gel").force), 0);
  ASSERT_TRUE(watch.run_until(0.5));
  const SoftModel& model = sim.soft_model("gel");
  const std::vector<Vec3d> x = sim.soft_positions("gel");
  double left = 0, was = 0;
  for (std::size_t v = 0; v < x.size(); ++v) {
    left = std::max(left, norm(x[v] - model.rest.vertices[v]));
    was = std::max(was, norm(squeezed[v] - model.rest.vertices[v]));
  }
  EXPECT_GT(was, 0.9e-3);
  EXPECT_LT(left, 1e-8);
  std::printf("FIGURE stress.removed = %.1e m left of %.1e m\n", left, was);
}

TEST(FullTactileStress, TwoPadsPinchAFilmOfTenMicrometres) {
  Scene s;
  s.sim.threads = 1;
  s.sim.gravity_z = 0;
  s.sim.dt = 5e-3;
  s.contact.support = 1e-5;
  s.newton.max_lag_passes = 100;
  SoftBody lower = pad("lower"), upper = pad("upper");
  const double half = 5e-6, gap = 1.1e-5;
  lower.pose.p = {{0, 0, -half - gap}};
  upper.pose.p = {{0, 0, half + gap}};
  upper.pose.q = rotation_by({{M_PI, 0, 0}});
  AffineBody film;
  film.name = "film";
  film.surface = box({{6e-3, 6e-3, 2 * half}}, {{3, 3, 1}});
  film.stiffness = 1e9;
  film.friction.sticking = 0.5;
  s.soft = {lower, upper};
  s.affine = {film};
  PrescribedBody below = test::mount("lower base"), above = test::mount("upper base");
  below.trajectory = {{0.0, Pose{}}, {0.05, test::at_position({{0, 0, 2e-4}})}};
  above.trajectory = {{0.0, Pose{}}, {0.05, test::at_position({{0, 0, -2e-4}})}};
  s.prescribed = {below, above};
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(0.1));
  watch.print("stress.film");
  const double up = sim.reaction("upper base").force[2], down = sim.reaction("lower base").force[2];
  EXPECT_GT(up, 0.1);
  EXPECT_NEAR(up, -down, 1e-2 * up);
  // Between the pads, not through one of them.
  const Vec3d p = sim.affine_pose("film").p;
  EXPECT_LT(norm(p), 2e-5);
  std::printf("FIGURE stress.film.force = %.3f N\n", up);
}

class TactileStressStep : public testing::TestWithParam<double> {};
TEST_P(TactileStressStep, PressAndShearConvergeAtEveryTimeStep) {
  const double dt = GetParam();
  const int steps = dt < 1e-3 ? 20 : 8;
  Scene s = pressed(2.5e-5);
  s.sim.dt = dt;
  s.newton.max_lag_passes = 100;
  const double T = steps * dt;
  s.prescribed[1].trajectory = {{0.0, test::at_position({{0, 0, 2.5e-5}})},
                                {0.5 * T, test::at_position({{0, 0, -8e-4}})},
                                {T, test::at_position({{5e-4, 0, -8e-4}})}};
  Sim sim(s);
  test::Watch watch(sim);
  for (int n = 0; n < steps; ++n) ASSERT_TRUE(watch.step());
  watch.print("stress.dt_" + test::param_word(dt));
  EXPECT_LT(sim.contact_wrench("gel").force[2], -0.1);
}
INSTANTIATE_TEST_SUITE_P(Dt, TactileStressStep, testing::Values(1e-4, 1e-3, 1e-2, 5e-2),
                         test::ParamName());

}  // namespace
}  // namespace haptos
