// Stiff (affine) bodies in set-ups that trip contact: fast bodies at thin walls, large mass ratios,
// levers, exactly degenerate starts, turntables and inclines.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/topology.h"
#include "tests/param_names.h"
#include "tests/scenes/degenerate_shapes.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kG = 9.81;

// A box about the origin that is as symmetric as its sides: a vertex in the middle of each.
TriMesh even_box(const Vec3d& size) {
  TriMesh m = test::surface_of(test::symmetric_cube());
  for (Vec3d& x : m.vertices) x = {{x[0] * size[0], x[1] * size[1], (x[2] - 0.5) * size[2]}};
  return m;
}

AffineBody block(const std::string& name, const Vec3d& size, const Vec3d& centre) {
  AffineBody b;
  b.name = name;
  b.surface = box(size);
  b.pose.p = centre;
  b.friction.sticking = 0.5;
  return b;
}

HalfSpace floor_plane(double mu = 0.5) {
  HalfSpace f;
  f.name = "floor";
  f.friction.sticking = mu;
  return f;
}

Scene scene_of(std::vector<AffineBody> bodies, double dt = 0.01) {
  Scene s;
  s.sim.dt = dt;
  s.sim.threads = 1;
  s.contact.support = 1e-3;
  s.newton.force_tolerance = 1e-6;
  s.newton.max_lag_passes = 100;
  s.affine = std::move(bodies);
  return s;
}

// A cube at 1000 m/s, 10 m a step, at walls .1 m thick that begin 5 m away.
class Tunnelling : public testing::TestWithParam<int> {};
TEST_P(Tunnelling, CubeAtAThousandMetresPerSecondStaysThisSideOfTheWalls) {
  AffineBody cube = block("cube", {{1, 1, 1}}, {{0, 0, 0}});
  cube.velocity = {{1000, 0, 0}};
  Scene s = scene_of({cube});
  s.sim.gravity_z = 0;
  s.contact.support = 0.01;
  for (int i = 0; i < GetParam(); ++i) {
    PrescribedBody wall;
    wall.name = "wall " + std::to_string(i);
    wall.surface = box({{0.1, 10, 10}});
    wall.trajectory = {{0.0, test::at_position({{5.05 + 0.5 * i, 0, 0}})}};
    s.prescribed.push_back(wall);
  }
  Sim sim(s);
  test::Watch watch(sim);
  for (int n = 0; n < 100; ++n) {
    ASSERT_TRUE(watch.step());
    for (const Vec3d& x : sim.affine_positions("cube")) EXPECT_LT(x[0], 5);
  }
  EXPECT_LE(watch.highest_energy, 1e-6 * watch.initial_energy());
  watch.print("fixtures.tunnelling" + std::to_string(GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Walls, Tunnelling, testing::Range(1, 5), test::ParamName());

TEST(RigidFixtures, SpinningBarAtAThousandMetresPerSecondDoesNotTunnel) {
  // Turns by .87 rad a step while it flies 1 m.
  AffineBody bar = block("bar", {{2, 0.1, 0.1}}, {{0, 0, 0}});
  bar.velocity = {{1000, 0, 0}};
  bar.angular_velocity = {{0, 0, 870}};
  Scene s = scene_of({bar}, 1e-3);
  s.sim.gravity_z = 0;
  s.newton.force_floor = 1e-3;  // in flight nothing else is there to compare with
  PrescribedBody wall;
  wall.name = "wall";
  wall.surface = box({{0.01, 10, 10}});
  wall.trajectory = {{0.0, test::at_position({{5, 0, 0}})}};
  s.prescribed = {wall};
  Sim sim(s);
  // The step of the impact need not converge (docs/scenes/degenerate.md): whether it does hangs on
  // where the bar strikes. Nothing may pass, and the steps before and after converge.
  int missed = 0;
  for (int n = 0; n < 60; ++n) {
    const StepReport r = sim.step();
    EXPECT_EQ(r.status() & kNonFinite, 0u) << n;
    missed += r.status() != 0;
    for (const Vec3d& x : sim.affine_positions("bar")) EXPECT_LT(x[0], 5 - 0.005);
  }
  std::printf("FIGURE fixtures.spinning_bar.missed = %d\n", missed);
  EXPECT_LE(missed, 1);
}

// A cube of 1000 times the mass on a unit cube on a plane.
TEST(RigidFixtures, HeavyCubeRestsOnALightOneForTenSeconds) {
  AffineBody light = block("light", {{1, 1, 1}}, {{0, 0, 0.5 + 1e-3}});
  light.stiffness = 1e10;  // 10 MPa shorten it by .1 mm
  AffineBody heavy = block("heavy", {{10, 10, 10}}, {{0, 0, 6 + 3e-3}});
  Scene s = scene_of({light, heavy});
  s.half_spaces = {floor_plane()};
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(10));
  watch.print("fixtures.mass_ratio");
  const double weight = kG * 1e6;
  EXPECT_NEAR(sim.contact_wrench("heavy").force[2], weight, 1e-5 * weight);
  EXPECT_LT(watch.speed(), 1e-3);
  EXPECT_NEAR(sim.affine_pose("heavy").p[2], 6, 3e-3);
  EXPECT_NEAR(std::hypot(sim.affine_pose("heavy").p[0], sim.affine_pose("heavy").p[1]), 0, 1e-3);
  EXPECT_LE(watch.highest_energy, 1e-6 * watch.initial_energy());
}

TEST(RigidFixtures, FiveCubesStackedExactlyFaceOnFaceStayThere) {
  std::vector<AffineBody> cubes;
  cubes.reserve(5);
  for (int i = 0; i < 5; ++i)
    cubes.push_back(
        block("cube " + std::to_string(i), {{1, 1, 1}}, {{0, 0, 0.5 + i + 1.01e-3 * (i + 1)}}));
  for (AffineBody& c : cubes) c.surface = even_box({{1, 1, 1}});
  Scene s = scene_of(cubes);
  s.half_spaces = {floor_plane()};
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(3));
  watch.print("fixtures.five_cubes");
  EXPECT_LE(watch.highest_energy, 1e-6 * watch.initial_energy());
  EXPECT_LT(watch.speed(), 1e-3);
  for (int i = 0; i < 5; ++i) {
    const Pose p = sim.affine_pose("cube " + std::to_string(i));
    EXPECT_LE(std::hypot(p.p[0], p.p[1]), 1e-4) << i;
    const double carried = kG * 1000 * (5 - i) - kG * 1000 * (4 - i);
    EXPECT_NEAR(sim.contact_wrench("cube " + std::to_string(i)).force[2], carried,
                1e-5 * 5 * kG * 1000);
  }
}

// A beam of 15 : 1 over a fulcrum, a weight of 540 times another's mass on its short arm: it comes
// down, the other goes up.
TEST(RigidFixtures, LeverThrowsTheLightWeight) {
  AffineBody beam = block("beam", {{15, 1, 0.2}}, {{0, 0, 1.1 + 9e-4}});
  AffineBody light = block("light", {{0.5, 0.5, 0.5}}, {{-7, 0, 1.45 + 18e-4}});
  AffineBody heavy = block("heavy", {{1, 1, 1}}, {{6.5, 0, 1.7 + 0.5}});
  heavy.density = 540 * 0.125 * 1000;
  Scene s = scene_of({beam, light, heavy}, 5e-3);
  s.half_spaces = {floor_plane()};
  PrescribedBody fulcrum;
  fulcrum.name = "fulcrum";
  fulcrum.surface = test::surface_of(test::wedge_roof());
  for (Vec3d& x : fulcrum.surface.vertices) x = {{x[0], x[1], x[2] / 3}};
  fulcrum.friction.sticking = 0.5;
  fulcrum.trajectory = {{0.0, Pose{}}};
  s.prescribed = {fulcrum};
  Sim sim(s);
  test::Watch watch(sim);
  double highest = 0;
  for (int n = 0; n < 400; ++n) {
    ASSERT_TRUE(watch.step());
    highest = std::max(highest, sim.affine_pose("light").p[2]);
  }
  watch.print("fixtures.lever");
  std::printf("FIGURE fixtures.lever.highest = %.2f m\n", highest);
  EXPECT_GT(highest, 3);
  EXPECT_LE(watch.highest_energy, 1e-6 * watch.initial_energy());
}

// Two bodies that meet exactly feature on feature, the upper one falling on a held copy of itself.
// The mirror symmetry of the set-up must survive the contact.
struct Meeting {
  const char* name;
  TriMesh upper, lower;
  double touch;  // height of the upper one's frame where they touch [m]
  // Without friction a tip slides off a tip at a rate of sqrt(g / gap): a wide support lets
  // rounding grow little in the time of the test.
  double support = 1e-3;
};

TriMesh turned(TriMesh m, const Vec3d& by) {
  const Mat3d R = to_matrix(rotation_by(by));
  for (Vec3d& x : m.vertices) x = R * x;
  return m;
}

TriMesh octahedron() {
  TriMesh m;
  m.vertices = {{{1, 0, 0}}, {{-1, 0, 0}}, {{0, 1, 0}}, {{0, -1, 0}}, {{0, 0, 1}}, {{0, 0, -1}}};
  m.triangles = {{{0, 2, 4}}, {{2, 1, 4}}, {{1, 3, 4}}, {{3, 0, 4}},
                 {{2, 0, 5}}, {{1, 2, 5}}, {{3, 1, 5}}, {{0, 3, 5}}};
  return m;
}

// A bar with its edge down and another up: square section of diagonal 2, length 2 along x.
TriMesh on_edge(bool along_x) {
  TriMesh m = turned(even_box({{2, std::sqrt(2.0), std::sqrt(2.0)}}), {{M_PI / 4, 0, 0}});
  if (!along_x) m = turned(m, {{0, 0, M_PI / 2}});
  return m;
}

std::vector<Meeting> meetings() {
  return {{"vertex_vertex", octahedron(), octahedron(), 2, 0.05},
          {"vertex_face", octahedron(), test::slab(3), 1},
          {"edge_edge", on_edge(true), on_edge(false), 2},
          {"edge_edge_parallel", on_edge(true), on_edge(true), 2, 0.05},
          {"edge_face", on_edge(true), test::slab(3), 1},
          {"face_face", even_box({{2, 2, 2}}), test::slab(3), 1}};
}

class DegenerateStart : public testing::TestWithParam<int> {};
TEST_P(DegenerateStart, ContactFeatureOnFeatureKeepsTheSymmetry) {
  const Meeting m = meetings()[static_cast<std::size_t>(GetParam())];
  AffineBody upper;
  upper.name = "upper";
  upper.surface = m.upper;
  upper.pose.p = {{0, 0, m.touch + std::max(0.01, m.support)}};
  Scene s = scene_of({upper});
  s.newton.force_tolerance = 1e-9;
  s.newton.velocity_tolerance = 1e-10;
  s.contact.support = m.support;
  PrescribedBody lower;
  lower.name = "lower";
  lower.surface = m.lower;
  lower.trajectory = {{0.0, Pose{}}};
  s.prescribed = {lower};
  Sim sim(s);
  test::Watch watch(sim);
  double aside = 0, turn = 0;
  for (int n = 0; n < 50; ++n) {
    ASSERT_TRUE(watch.step());
    const Pose p = sim.affine_pose("upper");
    aside = std::max(aside, std::hypot(p.p[0], p.p[1]));
    turn = std::max(turn, norm(to_matrix(p.q) * Vec3d{{0, 0, 1}} - Vec3d{{0, 0, 1}}));
  }
  const std::string figure = std::string("fixtures.") + m.name;
  watch.print(figure);
  std::printf("FIGURE %s.aside = %.1e m\nFIGURE %s.turn = %.1e rad\n", figure.c_str(), aside,
              figure.c_str(), turn);
  const double weight = kG * 1000 * enclosed_volume(m.upper);
  EXPECT_NEAR(sim.contact_wrench("upper").force[2], weight, 1e-6 * weight);
  EXPECT_LE(aside, 1e-6);
  EXPECT_LE(turn, 1e-6);
  EXPECT_LE(watch.highest_energy, 1e-6 * watch.initial_energy());
}
INSTANTIATE_TEST_SUITE_P(All, DegenerateStart, testing::Range(0, 6),
                         [](const testing::TestParamInfo<int>& info) {
                           return meetings()[static_cast<std::size_t>(info.param)].name;
                         });

}  // namespace
}  // namespace haptos
