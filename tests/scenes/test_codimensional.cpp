// Obstacles without thickness: beds of pins, wires, points, a square. Soft and stiff bodies are
// pressed between them and dropped on them, after the "pin cushion" and the "codimensional drops"
// of incremental potential contact (Li et al. 2020). At every step: converged, no segment or point
// in a surface or inside a body (exact tests), nothing inverted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/query/exact.h"
#include "tests/scenes/degenerate_shapes.h"
#include "tests/scenes/ipc_scene.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::scene_of;
using test::soft;

// n x n places about the origin, `spacing` apart.
std::vector<Vec3d> places(int n, double spacing) {
  std::vector<Vec3d> x;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      x.push_back({{spacing * (i - 0.5 * (n - 1)), spacing * (j - 0.5 * (n - 1)), 0}});
  return x;
}

TriMesh points(int n, double spacing) {
  TriMesh m;
  m.vertices = places(n, spacing);
  for (std::size_t i = 0; i < m.vertices.size(); ++i) m.points.push_back(static_cast<int>(i));
  return m;
}

// Wires along y.
TriMesh wires(int n, double spacing, double length) {
  TriMesh m;
  for (int i = 0; i < n; ++i) {
    const double x = spacing * (i - 0.5 * (n - 1));
    m.vertices.insert(m.vertices.end(), {{{x, -0.5 * length, 0}}, {{x, 0.5 * length, 0}}});
    m.segments.push_back({{2 * i, 2 * i + 1}});
  }
  return m;
}

TriMesh square(double side) {
  TriMesh m;
  for (const Vec2d& c : {Vec2d{{-1, -1}}, Vec2d{{1, -1}}, Vec2d{{1, 1}}, Vec2d{{-1, 1}}})
    m.vertices.push_back({{0.5 * side * c[0], 0.5 * side * c[1], 0}});
  m.triangles = {{{0, 1, 2}}, {{0, 2, 3}}};
  return m;
}

PrescribedBody held(const std::string& name, TriMesh surface) {
  PrescribedBody b;
  b.name = name;
  b.surface = std::move(surface);
  b.trajectory = {{0.0, Pose{}}};
  return b;
}

// A soft ball between two beds of n x n pins that close over it by `depth` on each side.
Scene pin_cushion(TetMesh ball, double radius, int n, double spacing, double depth, double dt,
                  double duration, double friction) {
  Scene s = scene_of({soft("ball", std::move(ball), {{0, 0, 0}}, 1e4, 0.4)}, dt);
  s.sim.gravity_z = 0;
  s.newton.force_tolerance = 1e-6;
  s.soft[0].friction.sticking = friction;
  for (const double side : {-1.0, 1.0}) {
    PrescribedBody bed = held(side < 0 ? "lower" : "upper", pins({{n, n}}, spacing, 0.5 * radius));
    // Not square, so that no pin stands on an edge of a mesh that is: it would slip off.
    for (Vec3d& x : bed.surface.vertices) x = {{x[0], 0.8 * x[1], -side * x[2]}};
    bed.trajectory = test::straight({{0, 0, side * (radius + 2e-3)}},
                                    {{0, 0, side * (radius - depth)}}, duration);
    bed.friction.sticking = friction;
    s.prescribed.push_back(bed);
  }
  return s;
}

// How far a soft body is from its own mirror image in an axis [m].
double asymmetry(const Sim& sim, const std::string& name, int axis) {
  const std::vector<Vec3d>& rest = sim.soft_model(name).rest.vertices;
  const std::vector<Vec3d> x = sim.soft_positions(name);
  const auto mirrored = [axis](Vec3d v) {
    v[axis] = -v[axis];
    return v;
  };
  double most = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t twin = 0;
    for (std::size_t j = 0; j < x.size(); ++j)
      if (norm(rest[j] - mirrored(rest[i])) < norm(rest[twin] - mirrored(rest[i]))) twin = j;
    most = std::max(most, norm(x[i] - mirrored(x[twin])));
  }
  return most;
}

TEST(Codimensional, PinCushionIsPressedTheSameFromAllSides) {
  Sim sim(pin_cushion(test::mirror_ball(0.5, 3), 0.5, 6, 0.17, 0.15, 0.04, 0.8, 0.3));
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(0.8));
  watch.print("codim.pin_cushion");
  const Vec3d lower = sim.reaction("lower").force, upper = sim.reaction("upper").force;
  std::printf("FIGURE codim.pin_cushion.force = %.4g N\n", std::abs(lower[2]));
  EXPECT_GT(-lower[2], 100);
  EXPECT_LE(norm(lower + upper), 1e-5 * norm(lower));
  EXPECT_LE(std::hypot(lower[0], lower[1]), 1e-5 * norm(lower));
  for (int axis = 0; axis < 3; ++axis) {
    const double a = asymmetry(sim, "ball", axis);
    std::printf("FIGURE codim.pin_cushion.asymmetry_%c = %.1e m\n", "xyz"[axis], a);
    EXPECT_LE(a, 1e-6) << axis;
  }
}

TEST(Codimensional, SameBitsForAnyNumberOfThreads) {
  std::vector<Vec3d> first;
  for (const int threads : {1, 2, 4}) {
    Scene s = pin_cushion(test::mirror_ball(0.5, 2), 0.5, 4, 0.25, 0.1, 0.05, 0.4, 0.3);
    s.sim.threads = threads;
    Sim sim(s);
    for (int i = 0; i < 8; ++i) EXPECT_EQ(sim.step().status(), 0u);
    const std::vector<Vec3d> x = sim.soft_positions("ball");
    if (first.empty()) first = x;
    for (std::size_t i = 0; i < x.size(); ++i)
      for (int k = 0; k < 3; ++k) EXPECT_EQ(x[i][k], first[i][k]);
  }
}

// What falls on what.
struct Drop {
  const char* body;
  const char* obstacle;
};
void PrintTo(const Drop& d, std::ostream* out) { *out << d.body << "_on_" << d.obstacle; }

TriMesh obstacle(const std::string& kind) {
  if (kind == "points") return points(6, 0.2);
  if (kind == "pins") return pins({{6, 6}}, 0.2, 0.5);
  if (kind == "wires") return wires(6, 0.2, 1.6);
  return square(0.6);
}

class SoftDrop : public testing::TestWithParam<Drop> {};
TEST_P(SoftDrop, RestsAndCarriesItsWeight) {
  const auto [body, kind] = GetParam();
  const std::string name = std::string(body) + "_on_" + kind;
  TetMesh mesh = body == std::string("mat")    ? test::mirror_grid({{1, 1, 0.15}}, {{5, 5, 1}})
                 : body == std::string("ball") ? test::mirror_ball(0.35, 2)
                                               : test::jack(0.3);
  double lowest = 1e300;
  for (const Vec3d& x : mesh.vertices) lowest = std::min(lowest, x[2]);
  Scene s = scene_of({soft("body", std::move(mesh), {{0, 0, 0.05 - lowest}}, 5e4, 0.4)}, 0.04);
  s.newton.force_tolerance = 1e-8;
  s.soft[0].material.stiffness_damping = 0.1;
  s.soft[0].friction.sticking = 0.5;
  s.prescribed = {held("obstacle", obstacle(kind))};
  s.prescribed[0].friction.sticking = 0.5;
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(0.4));
  while (watch.speed() > 1e-7 && watch.steps < 800) ASSERT_TRUE(watch.step());
  watch.print("codim." + name);
  const Vec3d carried = sim.reaction("obstacle").force;
  const double weight = 1000 * signed_volume(sim.soft_model("body").rest) * 9.81;
  std::printf("FIGURE codim.%s.weight_error = %.1e\n", name.c_str(),
              std::abs(carried[2] + weight) / weight);
  EXPECT_LE(watch.speed(), 1e-7);
  EXPECT_NEAR(-carried[2], weight, 1e-6 * weight);
  EXPECT_LE(std::hypot(carried[0], carried[1]), 1e-6 * weight);
  EXPECT_LE(watch.highest_energy, 1e-6 * watch.initial_energy());
}
INSTANTIATE_TEST_SUITE_P(
    Scene, SoftDrop,
    testing::Values(Drop{"mat", "points"}, Drop{"mat", "wires"}, Drop{"mat", "square"},
                    Drop{"ball", "points"}, Drop{"ball", "wires"}, Drop{"ball", "square"},
                    Drop{"jack", "points"}, Drop{"jack", "wires"}, Drop{"jack", "square"}),
    [](const auto& i) { return std::string(i.param.body) + "_on_" + i.param.obstacle; });

// The scene of the paper: a ball of 1 m, E 10 kPa, nu .4, dt .04 s, between two beds of 21 x 21
// pins that go in by half its radius on each side, without friction.
TEST(FullCodimensional, PinCushionOf21By21Pins) {
  Scene s = pin_cushion(test::mirror_ball(0.5, 5), 0.5, 21, 0.05, 0.25, 0.04, 2, 0);
  s.newton.force_tolerance = 1e-3;
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(2));
  watch.print("codim.pin_cushion_21");
  std::printf("FIGURE codim.pin_cushion_21.force = %.4g N\n",
              std::abs(sim.reaction("lower").force[2]));
  EXPECT_GT(-sim.reaction("lower").force[2], 1000);
}

// A mat of 12 x 12 cells of 24 tetrahedra and a ball of 5 x 5 x 5 of them fall on 21 x 21 points,
// on as many pins and on 21 wires.
class FullDrop : public testing::TestWithParam<Drop> {};
TEST_P(FullDrop, NothingIsCut) {
  const auto [body, kind] = GetParam();
  const bool mat = body == std::string("mat");
  TetMesh mesh =
      mat ? test::mirror_grid({{1, 1, 0.08}}, {{12, 12, 1}}) : test::mirror_ball(0.35, 5);
  Scene s =
      scene_of({soft("body", std::move(mesh), {{0.013, 0.007, mat ? 0.3 : 0.65}}, 2e4, 0.4)}, 0.04);
  s.newton.force_tolerance = 1e-6;
  s.soft[0].friction.sticking = 0.2;
  const std::string k = kind;
  s.prescribed = {held("obstacle", k == "points" ? points(21, 0.07)
                                   : k == "pins" ? pins({{21, 21}}, 0.07, 0.5)
                                                 : wires(21, 0.07, 1.6))};
  s.prescribed[0].friction.sticking = 0.2;
  Sim sim(s);
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(2));
  watch.print("codim.full_" + std::string(body) + "_on_" + k);
  EXPECT_GT(watch.centre("body")[2], 0);
  EXPECT_LE(watch.highest_energy, 1e-5 * watch.initial_energy());
}
INSTANTIATE_TEST_SUITE_P(Scene, FullDrop,
                         testing::Values(Drop{"mat", "points"}, Drop{"mat", "pins"},
                                         Drop{"mat", "wires"}, Drop{"ball", "points"},
                                         Drop{"ball", "pins"}, Drop{"ball", "wires"}),
                         [](const auto& i) {
                           return std::string(i.param.body) + "_on_" + i.param.obstacle;
                         });

// A stiff block of .5 x .5 x .2 m on an obstacle, let go 2 mm above it.
Scene block_on(TriMesh surface, double friction, double dt) {
  Scene s = scene_of({}, dt);
  s.newton.force_tolerance = 1e-8;
  AffineBody block;
  block.name = "block";
  block.surface = box({{0.5, 0.5, 0.2}});
  block.pose.p = {{0, 0, 0.102}};
  block.friction.sticking = friction;
  s.affine = {block};
  s.prescribed = {held("obstacle", std::move(surface))};
  s.prescribed[0].friction.sticking = friction;
  return s;
}

class StiffDrop : public testing::TestWithParam<const char*> {};
TEST_P(StiffDrop, RestsAndCarriesItsWeight) {
  Sim sim(block_on(obstacle(GetParam()), 0.3, 0.01));
  test::Watch watch(sim);
  ASSERT_TRUE(watch.run_until(0.5));
  watch.print(std::string("codim.block_on_") + GetParam());
  const Vec3d carried = sim.reaction("obstacle").force;
  const double weight = 1000 * 0.05 * 9.81;
  EXPECT_LE(watch.speed(), 1e-6);
  EXPECT_NEAR(-carried[2], weight, 1e-6 * weight);
  EXPECT_LE(std::hypot(carried[0], carried[1]), 1e-6 * weight);
  const Vec3d at = watch.centre("block");
  EXPECT_LE(std::hypot(at[0], at[1]), 1e-6);
  // Every point is below the block's lower face.
  const TriMesh below = watch.surface("obstacle"), block = watch.surface("block");
  for (const Vec3d& x : below.vertices)
    for (const Vec3d& y : block.vertices) EXPECT_GT(y[2], x[2]);
}
INSTANTIATE_TEST_SUITE_P(Scene, StiffDrop, testing::Values("points", "pins", "wires", "square"),
                         [](const auto& i) { return std::string(i.param); });

TEST(Codimensional, BlockOnATiltedBedHoldsBelowTheConeAndSlidesBeyondIt) {
  for (const char* kind : {"points", "pins", "wires"})
    for (const double mu : {0.29, 0.31}) {
      SCOPED_TRACE(std::string(kind) + " mu " + std::to_string(mu));
      Scene s = block_on(obstacle(kind), mu, 0.01);
      // Tilted by a slope of .3 along x and .05 along y, gravity with it: the bed stays level.
      const double slope = std::hypot(0.3, 0.05);
      const double g = 9.81 / std::sqrt(1 + slope * slope);
      s.sim.gravity_x = 0.3 * g;
      s.sim.gravity_y = 0.05 * g;
      s.sim.gravity_z = -g;
      s.affine[0].pose.p[2] = 0.1 + 0.9e-3;  // within the support
      Sim sim(s);
      test::Watch watch(sim);
      ASSERT_TRUE(watch.run_until(0.5));  // what it gained before it touched is gone
      const Vec3d start = watch.centre("block");
      ASSERT_TRUE(watch.run_until(0.7));
      const Vec3d moved = watch.centre("block") - start;
      if (mu > slope)
        EXPECT_LE(norm(moved), 1e-6);
      else
        EXPECT_GT(moved[0], 1e-4);
    }
}

TEST(Codimensional, BedThatTurnsCarriesWhatSticksToIt) {
  for (const char* kind : {"points", "pins", "wires"}) {
    SCOPED_TRACE(kind);
    Scene s = block_on(obstacle(kind), 0.5, 0.01);
    s.affine[0].pose.p[2] = 0.1 + 0.9e-3;
    // From rest to rest in half a second.
    Pose turned;
    s.prescribed[0].trajectory = {{0.2, Pose{}}};
    for (int i = 1; i <= 50; ++i) {
      const double part = 0.5 - 0.5 * std::cos(M_PI * i / 50);
      turned.q = rotation_by({{0, 0, 0.5 * part}});
      turned.p = Vec3d{{0.02, 0.03, 0}} * part;
      s.prescribed[0].trajectory.push_back({0.2 + 0.01 * i, turned});
    }
    Sim sim(s);
    test::Watch watch(sim);
    ASSERT_TRUE(watch.run_until(0.2));
    const std::vector<Vec3d> before = sim.affine_positions("block");
    ASSERT_TRUE(watch.run_until(0.8));
    const std::vector<Vec3d> after = sim.affine_positions("block");
    double slipped = 0;
    for (std::size_t v = 0; v < before.size(); ++v)
      slipped = std::max(slipped, norm(after[v] - turned * before[v]));
    std::printf("FIGURE codim.turned_%s.slip = %.1e m\n", kind, slipped);
    EXPECT_LE(slipped, 2e-4);
  }
}

}  // namespace
}  // namespace haptos
