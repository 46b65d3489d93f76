// Bodies slide and roll over seams between level tiles as over one plate.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/point_world.h"

namespace haptos {
namespace {

using test::World;

enum class Tile { kBox, kHull, kMesh };

constexpr double kLength = 0.2;

Shape tile_of(Tile kind) {
  const Vec3d size{{kLength, 2, 0.2}};
  Shape s;
  s.kind = kind == Tile::kBox    ? ShapeKind::kBox
           : kind == Tile::kHull ? ShapeKind::kHull
                                 : ShapeKind::kMesh;
  if (kind == Tile::kBox)
    s.size = size * 0.5;
  else
    s.mesh = std::make_shared<TriMesh>(box(size));
  return s;
}

// Tiles side by side along x, the top of the first at z = 0, each `down` lower than the last.
void add_tiles(World& w, Tile kind, int count, double down) {
  const CollisionShape shape(tile_of(kind));
  for (int i = -1; i < count; ++i) {
    Pose x;
    x.p = {{i * kLength, 0, -0.1 - down * std::max(i, 0)}};
    w.shapes.push_back({shape, x});
    w.shapes.back().body = 1000 + i;
  }
}

struct Ride {
  double v, hop, drift;
};

Ride ride(Tile tile, bool ball, double down, int seams, double k, double v, double dt,
          int law = test::kSap) {
  World w;
  w.law.law = law;
  w.friction = ball ? 0.5 : 0;
  w.stiffness = k;
  add_tiles(w, tile, seams + 3, down);
  RigidBody* b = nullptr;
  if (ball) {
    b = w.add_ball(0.05, 1, {{0, 0.013, 0.05}}, {{v, 0, 0}});
  } else {
    b = w.add_box({{0.1, 0.1, 0.1}}, 1, {{{0, 0.013, 0.05}}, {}}, {{v, 0, 0}});
  }
  w.start(dt);
  if (ball) w.scene.state.z[4] = v / 0.05;
  Ride r{0, 0, 0};
  const int steps = static_cast<int>(1.2 * seams * kLength / v / dt);
  for (int n = 0; n < steps && b->pose(w.scene.state).p[0] < seams * kLength; ++n) {
    w.scene.step();
    r.hop = std::max(r.hop, b->velocity(w.scene.state)[2]);
  }
  EXPECT_EQ(w.scene.status, 0u);
  r.v = b->velocity(w.scene.state)[0];
  r.drift = b->pose(w.scene.state).p[1] - 0.013;
  return r;
}

// Twenty seams; with friction where it is a ball, which rolls.
void expect_steady(bool ball, double down, Tile tile, double k, double dt, int law) {
  const double v = 1.5, m = 1;
  const Ride r = ride(tile, ball, down, 20, k, v, dt, law);
  const std::string what = std::string(ball ? "ball" : "box") + ", tile " +
                           std::to_string(static_cast<int>(tile)) + ", k " + std::to_string(k) +
                           ", dt " + std::to_string(dt) + ", law " + std::to_string(law);
  EXPECT_GT(r.v, (1 - 1e-3) * v) << what;
  // Who comes down may turn height into speed, as much as there is of it.
  const double gain = ball ? 0 : 2 * test::kG * 20 * down;
  EXPECT_LT(r.v, std::sqrt(v * v + gain) * (1 + 1e-3)) << what;
  // On two tiles a body stands half as deep: no faster up than an undamped spring throws it.
  EXPECT_LT(r.hop, test::kG * std::sqrt(m / k) + 1e-4) << what;
  EXPECT_LT(std::abs(r.drift), 1e-5) << what;
}

TEST(Seams, ABoxSlidesOverTwentyLevelTilesAsOverOnePlate) {
  for (const Tile tile : {Tile::kBox, Tile::kHull, Tile::kMesh})
    for (const double k : {1e5, 1e8})
      for (const double dt : {5e-3, 2e-3, 1e-3}) expect_steady(false, 0, tile, k, dt, test::kSap);
}

TEST(Seams, ABallRollsOverTwentyLevelTilesWithoutAHop) {
  for (const Tile tile : {Tile::kBox, Tile::kHull, Tile::kMesh})
    for (const double k : {1e5, 1e8})
      for (const double dt : {5e-3, 2e-3, 1e-3}) expect_steady(true, 0, tile, k, dt, test::kSap);
}

TEST(Seams, ABoxAndABallGoDownTilesThatAreAMillimetreLowerEach) {
  for (const bool ball : {false, true})
    for (const Tile tile : {Tile::kBox, Tile::kHull, Tile::kMesh})
      for (const double k : {1e5, 1e8})
        for (const double dt : {5e-3, 2e-3, 1e-3})
          expect_steady(ball, 1e-3, tile, k, dt, test::kSap);
}

TEST(Seams, AreLevelUnderTheOtherLawsAsWell) {
  for (const int law : {test::kLagged, test::kSimilar})
    for (const bool ball : {false, true})
      for (const double k : {1e5, 1e8}) expect_steady(ball, 0, Tile::kBox, k, 2e-3, law);
}

TEST(FullSeams, SpeedsAfterTwenty) {
  for (const bool ball : {false, true})
    for (const double down : {0.0, 1e-3})
      for (const double k : {1e5, 1e8})
        for (const double dt : {5e-3, 2e-3, 1e-3}) {
          const Ride r = ride(Tile::kBox, ball, down, 20, k, 1.5, dt);
          EXPECT_GT(r.v, 1.4985);
          printf("FIGURE seams.%s.down%g.k%g.dt%g = %.5f m/s\n", ball ? "ball" : "box", down, k, dt,
                 r.v);
        }
}

}  // namespace
}  // namespace haptos
