// Boundary-layer contact through the whole step: C5 to C8 of the checks that
// docs/contact/boundary_layer.md lists, and stacks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/scenes/layer_scenes.h"

namespace haptos {
namespace {

using test::body_state;
using test::BodyState;
using test::floor_of;
using test::kEarth;
using test::layered;
using test::LayeredBody;

LayeredBody cube_on(double floor_layers, int n, double sunk = 0) {
  LayeredBody b;
  b.mesh = cut_cube(0.1, n);
  b.pose.p = {{0, 0, 0.05 + floor_layers - sunk}};
  return b;
}

void run(Sim& sim, double seconds) {
  const auto steps = std::lround(seconds / sim.scene().sim.dt);
  for (long k = 0; k < steps; ++k) {
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u) << describe_status(r.status());
  }
}

// C5: it sinks by its weight over modulus and area, whatever the triangles.
TEST(BoundaryLayer, ACompliantBoxSinksAlikeOnAnyTriangles) {
  const double k = 1e6, sink = kEarth / (k * 0.01);  // .98 mm of the 5 mm
  for (const int floor_cut : {1, 40, 150})
    for (const int cube_cut : {1, 13}) {
      Scene s = test::layer_scene(1e-3);
      s.newton.force_tolerance = 1e-6;
      s.robots.push_back(layered("floor", floor_of(cut_plate(1, 1, floor_cut, 0.3, 2))));
      LayeredBody cube = cube_on(5e-3, cube_cut);
      cube.modulus = k;
      s.robots.push_back(layered("cube", cube));
      Sim sim(s);
      run(sim, 1);
      const BodyState b = body_state(sim, "cube");
      std::printf("FIGURE boundary_layer.sink.floor%d.cube%d = %.6f mm (exact %.6f)\n", floor_cut,
                  cube_cut, 1e3 * (0.055 - b.pose.p[2]), 1e3 * sink);
      EXPECT_NEAR(0.055 - b.pose.p[2], sink, 1e-4 * sink);
      EXPECT_LT(norm(b.velocity), 1e-7);
    }
}

// C6: from 1 m/s under friction .3. Returns the way.
double slide(int cut) {
  const double mu = 0.3, way = 1 / (2 * mu * kEarth);
  Scene s = test::layer_scene(1e-3);
  s.robots.push_back(layered("floor", floor_of(cut_plate(4, 4, cut, 0.3, 2), 2.5e-3, mu)));
  LayeredBody cube = cube_on(5e-3, 1);
  cube.friction = mu;
  cube.velocity = {{1, 0, 0}};
  s.robots.push_back(layered("cube", cube));
  Sim sim(s);
  double tilt = 0;
  for (int k = 0; k < 600; ++k) {
    sim.step();
    const BodyState b = body_state(sim, "cube");
    tilt = std::max(tilt, std::hypot(b.pose.q.x, b.pose.q.y) * 2);
  }
  const BodyState b = body_state(sim, "cube");
  std::printf("FIGURE boundary_layer.slide.floor%d = %.6f m (exact %.6f), tilt %.2e deg\n", cut,
              b.pose.p[0], way, tilt * 180 / M_PI);
  EXPECT_NEAR(b.pose.p[0], way, 5e-3 * way);
  EXPECT_LT(std::abs(b.pose.p[1]), 1e-5);
  EXPECT_LT(tilt * 180 / M_PI, 5e-3);
  EXPECT_LT(norm(b.velocity), 1e-7);
  return b.pose.p[0];
}

// Floors of 2 to 12,800 triangles, in the long tier of 320,000: as on the coarsest to a thousandth.
TEST(BoundaryLayer, ASlidingBoxStopsWhereCoulombSaysOnAnyTriangles) {
  const double coarse = slide(1);
  for (const int cut : {16, 80}) EXPECT_NEAR(slide(cut), coarse, 1e-3 * coarse);
}

TEST(FullBoundaryLayer, ASlidingBoxStopsWhereCoulombSaysOn320000Triangles) {
  const double coarse = slide(1);
  EXPECT_NEAR(slide(400), coarse, 1e-3 * coarse);
}

// C7: on a slope of friction .5, whose critical angle is 26.57 degrees; from rest at rest height.
// Returns the way.
double descend(int cut, double degrees, double heading) {
  const double mu = 0.5, angle = degrees * M_PI / 180, turn = heading * M_PI / 180;
  Scene s = test::layer_scene(1e-3);
  s.sim.gravity_x = kEarth * std::sin(angle) * std::cos(turn);
  s.sim.gravity_y = kEarth * std::sin(angle) * std::sin(turn);
  s.sim.gravity_z = -kEarth * std::cos(angle);
  s.robots.push_back(layered("floor", floor_of(cut_plate(4, 4, cut, 0.3, 2))));
  s.robots.push_back(layered("cube", cube_on(5e-3, 1, 1e-7)));
  Sim sim(s);
  run(sim, degrees > 27 ? 2 : 3);
  const BodyState b = body_state(sim, "cube");
  const double way = std::hypot(b.pose.p[0], b.pose.p[1]);
  const double exact = std::max(0.0, 2 * kEarth * (std::sin(angle) - mu * std::cos(angle)));  // 2 s
  std::printf("FIGURE boundary_layer.slope.%g.heading%g.floor%d = %.6e m (exact %.4f)\n", degrees,
              heading, cut, way, degrees > 27 ? exact : 0.0);
  if (degrees > 27) {
    EXPECT_NEAR(way, exact, 5e-3 * exact);
    EXPECT_LT(std::abs(b.pose.p[1] * std::cos(turn) - b.pose.p[0] * std::sin(turn)), 1e-4);
  } else {
    EXPECT_LT(way, 1e-5);
  }
  return way;
}

TEST(BoundaryLayer, ABoxOnASlopeStaysOrSlidesAsItsFrictionSays) {
  for (const double degrees : {25.0, 26.0, 27.5})
    for (const double heading : {0.0, 30.0, 45.0}) descend(16, degrees, heading);
}

TEST(FullBoundaryLayer, ABoxOnASlopeDoesSoOnFloorsOf2To320000Triangles) {
  const double coarse = descend(1, 27.5, 0);
  for (const int cut : {80, 400}) {
    EXPECT_NEAR(descend(cut, 27.5, 0), coarse, 1e-3 * coarse);
    descend(cut, 26, 0);
  }
}

// T1, short: ten cubes, every one cut, turned and shuffled otherwise, dropped from 1 mm.
TEST(BoundaryLayer, TenCubesCutAtRandomStand) {
  Scene s = test::layer_scene(1e-3);
  HalfSpace ground;
  ground.name = "ground";
  s.half_spaces.push_back(ground);
  for (int i = 0; i < 10; ++i) {
    const auto seed = static_cast<unsigned>(i + 1);
    LayeredBody b;
    b.mesh = shuffled(cut_cube(0.1, 1 + (7 * i) % 12, 0.3, seed), seed, 0.5);
    b.pose = {{{0, 0, 0.0525 + 0.105 * i + 1e-3 * (i + 1)}}, rotation_by({{0, 0, 0.37 * i}})};
    b.modulus = 5e9;
    s.robots.push_back(layered("cube" + std::to_string(i), b));
  }
  Sim sim(s);
  run(sim, 3);
  double rms = 0;
  for (int k = 0; k < 500; ++k) {
    sim.step();
    for (int i = 0; i < 10; ++i)
      rms += squared_norm(body_state(sim, "cube" + std::to_string(i)).velocity) / 5000;
  }
  rms = std::sqrt(rms);
  double height = 0, drift = 0, sag = 0;
  for (int i = 0; i < 10; ++i) {
    // Two cubes are springs in series; the ground is rigid.
    sag += (10 - i) * kEarth / ((i == 0 ? 5e9 : 2.5e9) * 0.01);
    const BodyState b = body_state(sim, "cube" + std::to_string(i));
    height = std::max(height, std::abs(b.pose.p[2] - (0.0525 + 0.105 * i - sag)));
    drift = std::max(drift, std::hypot(b.pose.p[0], b.pose.p[1]));
  }
  std::printf("FIGURE boundary_layer.stack height off %.2e m, drift %.2e m, rms %.2e m/s\n", height,
              drift, rms);
  EXPECT_LT(height, 1e-5);
  EXPECT_LT(drift, 1e-4);
  EXPECT_LT(rms, 1e-6);
}

// On a corner, up to 20 mm in a step of a layer of 2.5 mm: the triangles stay above the ground, and
// depth is not given back as speed.
TEST(BoundaryLayer, ACubeThatFallsOnACornerNeitherSinksInNorRebounds) {
  for (const double speed : {3.0, 20.0}) {
    Scene s = test::layer_scene(1e-3);
    HalfSpace ground;
    ground.name = "ground";
    s.half_spaces.push_back(ground);
    LayeredBody cube;
    cube.mesh = shuffled(cut_cube(0.1, 10), 3, 0.5);
    cube.pose = {{{0, 0, 0.15}}, normalized(Quat{0.88, 0.28, 0.36, 0.1})};
    cube.velocity = {{0, 0, -speed}};
    cube.modulus = 5e9;
    s.robots.push_back(layered("cube", cube));
    Sim sim(s);
    double lowest = 1, up = 0;
    BodyState b;
    for (int k = 0; k < 2500; ++k) {
      sim.step();
      b = body_state(sim, "cube");
      for (int corner = 0; corner < 8; ++corner)
        lowest =
            std::min(lowest, (b.pose * Vec3d{{corner & 1 ? 0.05 : -0.05, corner & 2 ? 0.05 : -0.05,
                                              corner & 4 ? 0.05 : -0.05}})[2]);
      up = std::max(up, b.velocity[2]);
    }
    std::printf("FIGURE boundary_layer.corner.%g: lowest %.3f mm, fastest up %.3f m/s\n", speed,
                1e3 * lowest, up);
    EXPECT_GT(lowest, 0.5e-3);
    EXPECT_LT(up, 0.2);  // it topples onto a face
    EXPECT_NEAR(b.pose.p[2], 0.0525, 1e-6);
    EXPECT_LT(norm(b.velocity), 1e-7);
  }
}

}  // namespace
}  // namespace haptos
