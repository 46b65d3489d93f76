// How deep two bodies overlap, and ways on which they stay apart (pressure_depth.cpp).
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/pressure/pressure_surface.h"
#include "tests/unit/pressed_fields.h"

namespace haptos {
namespace {

constexpr double kK = 1e8, kInfinite = std::numeric_limits<double>::infinity();

TEST(PressureDepth, IsFoundOfBallsBoxesAndPlanes) {
  const DistanceField ball = of(ShapeKind::kSphere, {{0.05, 0, 0}}),
                      plane = of(ShapeKind::kHalfSpace, {{0, 0, 0}}),
                      cube = of(ShapeKind::kBox, {{0.05, 0.05, 0.05}}),
                      disc = of(ShapeKind::kCylinder, {{0.05, 5e-4, 0}}),
                      mesh = of(icosphere(0.05, 0.004), 64);
  PressureSurface s;
  for (const double d : {1e-6, 1e-5, 1e-4, 1e-3}) {
    for (const double part : {0.8, 1.25}) {
      const auto deeper = [&](const DistanceField& a, double z, const DistanceField& b, double k) {
        const double found = s.deeper_than({&a, up(z - d), kK}, {&b, {}, k}, part * d);
        EXPECT_LE(found, 1.0001 * d);
        return found > 0;
      };
      EXPECT_EQ(deeper(ball, 0.05, plane, kInfinite), part < 1) << d;
      EXPECT_EQ(deeper(ball, 0.1, ball, kK), part < 1) << d;
      EXPECT_EQ(deeper(cube, 0.05, plane, kInfinite), part < 1) << d;
    }
    EXPECT_EQ(s.deeper_than({&ball, up(0.05 + d), kK}, {&plane, {}, kInfinite}, 0), 0);
    EXPECT_FALSE(s.apart({&disc, up(5e-4 - d), kK}, {&plane, {}, kInfinite}, 0)) << d;
  }
  // A mesh of flat triangles: less by their sagitta, and by what its samples cut off.
  EXPECT_GT(s.deeper_than({&mesh, up(0.049), kK}, {&plane, {}, kInfinite}, 9e-4), 0);
  EXPECT_EQ(s.deeper_than({&mesh, up(0.049), kK}, {&plane, {}, kInfinite}, 1e-3), 0);
}

TEST(PressureDepth, ApartIsNeverSaidOfBallsThatMayMeet) {
  const DistanceField ball = of(ShapeKind::kSphere, {{0.02, 0, 0}}),
                      mesh = of(icosphere(0.02, 0.002), 48);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  PressureSurface s;
  int far = 0, told = 0;
  for (int n = 0; n < 600; ++n) {
    Vec3d way{{any(random), any(random), any(random)}};
    way = way * (1 / norm(way));
    const double gap = 2e-3 * std::pow(10.0, any(random)),
                 asked = 2e-3 * std::pow(10.0, any(random));
    for (const DistanceField* a : {&ball, &mesh}) {
      const bool apart = s.apart({a, {way * (0.04 + gap), {}}, kK}, {&mesh, {}, kK}, asked);
      if (asked > gap + 2e-4) {
        EXPECT_FALSE(apart) << gap << " " << asked;
      }
      if (asked < 0.3 * gap) ++far, told += apart;
    }
  }
  EXPECT_GT(far, 200);
  EXPECT_GT(told, 0.95 * far);
}

// A body with a waist and a hole: three rods that run through each other, and a ring.
TriMesh knobbly() {
  TriMesh all = torus(0.03, 0.008, 0.004);
  const TriMesh rod = capsule(0.006, 0.05, 0.003);
  for (int axis = 0; axis < 3; ++axis) {
    const int first = static_cast<int>(all.vertices.size());
    for (const Vec3d& v : rod.vertices) {
      Vec3d w;
      for (int k = 0; k < 3; ++k) w[(k + axis) % 3] = v[k];
      all.vertices.push_back(w);
    }
    for (const Vec3i& t : rod.triangles)
      all.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
  }
  return all;
}

Pose any_pose(std::mt19937& random, double reach) {
  std::uniform_real_distribution<double> any(-1, 1);
  Pose p;
  for (int k = 0; k < 3; ++k) p.p[k] = reach * any(random);
  p.q = rotation_by(Vec3d{{any(random), any(random), any(random)}} * 3.0);
  return p;
}

TEST(PressureDepth, WhatWasFoundBeforeDoesNotMatter) {
  const DistanceField body = of(knobbly(), 64);
  std::mt19937 random(7);
  PressureSurface used;
  int small = 0;
  for (int n = 0; n < 200; ++n) {
    // Moved apart until they just touch: patches of a few cells.
    const Pose a = any_pose(random, 0.04);
    Pose b = any_pose(random, 0.04);
    const Vec3d way = normalized(b.p - a.p);
    double in = 0, out = 0.3;
    for (int k = 0; k < 24; ++k) {
      const double middle = 0.5 * (in + out);
      const Pose moved{b.p + middle * way, b.q};
      (used.deeper_than({&body, a, kK}, {&body, moved, kK}, 3e-5) > 0 ? in : out) = middle;
    }
    b.p += out * way;
    PressureSurface fresh;
    fresh.find({&body, a, kK}, {&body, b, kK});
    used.find({&body, a, kK}, {&body, b, kK});
    ASSERT_EQ(used.patches().size(), fresh.patches().size());
    EXPECT_EQ(used.depth(), fresh.depth());
    for (std::size_t k = 0; k < fresh.patches().size(); ++k)
      EXPECT_EQ(used.patches()[k].pressure, fresh.patches()[k].pressure);
    small += !fresh.patches().empty() && fresh.depth() < 1e-4;
  }
  EXPECT_GT(small, 100);
}

TEST(PressureDepth, OfKnobblyBodiesAgreesWithTheirSurface) {
  const DistanceField body = of(knobbly(), 64);
  std::mt19937 random(6);
  PressureSurface s;
  s.keep_triangles = true;
  int deep = 0, clear = 0;
  for (int n = 0; n < 300; ++n) {
    const Pose a = any_pose(random, 0.04), b = any_pose(random, 0.04);
    const double way = 2e-3;
    const bool apart = s.apart({&body, a, kK}, {&body, b, kK}, way);
    s.find({&body, a, kK}, {&body, b, kK});
    double most = 0;
    for (const PressureSurface::Triangle& t : s.triangles())
      for (const double p : t.pressure) most = std::max(most, p / (0.5 * kK));
    if (most > 1e-4) {
      ++deep;
      EXPECT_FALSE(apart);
      EXPECT_GT(s.deeper_than({&body, a, kK}, {&body, b, kK}, 0.85 * most - 5e-5), 0) << most;
      if (most < 2e-3) {  // else past the middle of a rod
        EXPECT_EQ(s.deeper_than({&body, a, kK}, {&body, b, kK}, 1.15 * most + 1e-4), 0) << most;
      }
    }
    if (!apart) continue;
    ++clear;
    EXPECT_TRUE(s.patches().empty());
    for (int k = 0; k < 6; ++k) {
      Pose moved = b;
      moved.p[k % 3] += k < 3 ? way : -way;
      s.find({&body, a, kK}, {&body, moved, kK});
      EXPECT_TRUE(s.patches().empty());
    }
  }
  EXPECT_GT(deep, 50);
  EXPECT_GT(clear, 20);
}

}  // namespace
}  // namespace haptos
