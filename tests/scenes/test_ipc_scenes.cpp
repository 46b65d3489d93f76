// Scenes after those that incremental potential contact was first shown with (Li et al. 2020), on
// small procedural meshes: large time steps, mass ratios, extreme compression, rollers, knives. At
// every step: converged, nothing intersects, nothing inverted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/geometry/make/shapes.h"
#include "tests/param_names.h"
#include "tests/scenes/degenerate_shapes.h"
#include "tests/scenes/ipc_scene.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::plate;
using test::scene_of;
using test::soft;

TetMesh tetrahedron() {
  TetMesh m;
  m.vertices = {{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  m.tets = {{{0, 1, 2, 3}}};
  return m;
}

// Two tetrahedra fall, one on the other, .1 m over a plane: time steps up to 2 s.
class TetOnTet : public testing::TestWithParam<double> {};
TEST_P(TetOnTet, FallsAtAnyTimeStep) {
  const double dt = GetParam();
  Scene s = scene_of({soft("lower", tetrahedron(), {{0, 0, 0.1}}, 1e5, 0.4),
                      soft("upper", tetrahedron(), {{0.2, 0.2, 1.0}}, 1e5, 0.4)},
                     dt);
  HalfSpace plane;
  plane.name = "plane";
  s.half_spaces = {plane};
  for (SoftBody& b : s.soft) b.friction.sticking = 0.3;
  s.half_spaces[0].friction.sticking = 0.3;
  Sim sim(s);
  test::Watch watch(sim);
  const int steps = std::clamp(static_cast<int>(5 / dt), 10, 200);
  for (int n = 0; n < steps; ++n) ASSERT_TRUE(watch.step());
  watch.print("ipc.tet_tet.dt_" + test::param_word(dt));
  EXPECT_LE(watch.highest_energy, 1e-6 * watch.initial_energy());
}
INSTANTIATE_TEST_SUITE_P(Dt, TetOnTet, testing::Values(0.025, 0.1, 0.5, 2.0), test::ParamName());

// A cube of ten thousand times the mass on a soft one.
TEST(IpcScenes, HeavyStiffCubeOnASoftOne) {
  SoftBody small = soft("small", test::grid({{1, 1, 1}}, {{2, 2, 2}}), {{0, 0, 2e-3}}, 1e8, 0.4);
  Scene s = scene_of({small}, 0.025);
  AffineBody big;
  big.name = "big";
  big.surface = box({{10, 10, 10}});
  big.density = 1e4;
  big.stiffness = 1e9;
  big.pose.p = {{0, 0, 6 + 4e-3}};
  s.affine = {big};
  HalfSpace plane;
  plane.name = "plane";
  s.half_spaces = {plane};
  for (Friction* f : {&s.soft[0].friction, &s.affine[0].friction, &s.half_spaces[0].friction})
    f->sticking = 0.5;
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(3));
  watch.print("ipc.mass_ratio");
  EXPECT_LE(watch.highest_energy, 1e-6 * watch.initial_energy());
  EXPECT_GT(watch.centre("big")[2], 5.5);
}

// Six plates close on a soft cube from all sides, to a third of its volume.
TEST(IpcScenes, TrashCompactor) {
  Scene s = scene_of({soft("cube", test::grid({{1, 1, 1}}, {{2, 2, 2}}), {{0, 0, -0.5}}, 1e4, 0.4)},
                     0.05);
  s.sim.gravity_z = 0;
  const double start = 0.5 + 2e-3, end = 0.35;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vec3d size{{0.6, 0.6, 0.6}}, from = Vec3d::zero(), to = Vec3d::zero();
      size[axis] = 0.2;
      from[axis] = side * (start + 0.1);
      to[axis] = side * (end + 0.1);
      s.prescribed.push_back(
          plate("plate " + std::to_string(axis) + (side < 0 ? "-" : "+"), size, from, to, 1));
    }
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(1));
  watch.print("ipc.trash_compactor");
}

// A soft mat falls on three knives, single triangles.
TEST(IpcScenes, MatOnKnives) {
  Scene s = scene_of(
      {soft("mat", test::grid({{1, 1, 0.1}}, {{6, 6, 1}}), {{0, 0, 0.02}}, 2e4, 0.4)}, 0.02);
  for (int i = -1; i <= 1; ++i) {
    PrescribedBody knife;
    knife.name = "knife " + std::to_string(i + 1);
    knife.surface.vertices = {{{0.3 * i, -0.35, 0}}, {{0.3 * i, 0.35, 0}}, {{0.3 * i, 0, -0.5}}};
    knife.surface.triangles = {{{0, 1, 2}}};
    knife.trajectory = {{0.0, Pose{}}};
    s.prescribed.push_back(knife);
  }
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(0.4));
  watch.print("ipc.mat_on_knives");
  EXPECT_LE(watch.highest_energy, 1e-6 * watch.initial_energy());
}

// Two rollers draw a soft bar through a slit of three quarters of its thickness.
TEST(FullIpcScenes, RollersDrawABarThrough) {
  Scene s = scene_of(
      {soft("bar", test::grid({{1.2, 0.3, 0.2}}, {{12, 3, 2}}), {{-0.55, 0, -0.1}}, 1e5, 0.2)},
      0.025);
  s.sim.gravity_z = 0;
  s.soft[0].friction.sticking = 0.5;
  for (const double side : {-1.0, 1.0}) {
    PrescribedBody roller;
    roller.name = side < 0 ? "below" : "above";
    roller.surface = cylinder(0.25, 0.5, 0.08);
    for (Vec3d& x : roller.surface.vertices) x = {{x[0], -x[2], x[1]}};
    roller.friction.sticking = 0.5;
    for (int k = 0; k <= 40; ++k) {
      Pose p;
      p.p = {{0.3, 0, side * (0.25 + 0.075)}};
      p.q = rotation_by({{0, -side * 0.1 * M_PI * k, 0}});
      roller.trajectory.push_back({0.25 * k, p});
    }
    s.prescribed.push_back(roller);
  }
  s.soft[0].velocity = {{0.3, 0, 0}};
  Sim sim(s);
  test::Watch watch(sim);
  const double start = watch.centre("bar")[0];
  ASSERT_TRUE(watch.run_until(4));
  watch.print("ipc.rollers");
  EXPECT_GT(watch.centre("bar")[0], start + 0.5);
}

}  // namespace
}  // namespace haptos
