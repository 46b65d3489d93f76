// Surfaces of equal pressure: forces and pressures of closed forms, and their structure.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/pressure/pressure_surface.h"
#include "tests/unit/pressed_fields.h"

namespace haptos {
namespace {

constexpr double kPi = std::numbers::pi, kRigid = std::numeric_limits<double>::infinity();

DistanceField half_space() { return of(ShapeKind::kHalfSpace, {{0, 0, 0}}); }

struct Wrench {
  Vec3d force = Vec3d::zero(), torque = Vec3d::zero();  // on a, about the origin
};

Wrench wrench(const PressureSurface& s) {
  Wrench w;
  for (const PressurePatch& p : s.patches()) {
    const Vec3d f = p.area * p.pressure * p.n;
    w.force += f, w.torque += cross(p.point, f);
  }
  return w;
}

double push(const DistanceField& a, const Pose& at, double ka, const DistanceField& b, double kb) {
  PressureSurface s;
  s.find({&a, at, ka}, {&b, {}, kb});
  return wrench(s).force[2];
}

TEST(PressureSurface, SphereOnAHalfSpaceHasTheForceOfItsParaboloid) {
  const DistanceField ball = of(ShapeKind::kSphere, {{0.05, 0, 0}}), plane = half_space();
  const double k = 1e9;
  for (const double d : {1e-6, 1e-4, 1e-3, 5e-3}) {
    const double same = 0.25 * kPi * k * d * d * (0.1 - d);
    EXPECT_NEAR(push(ball, up(0.05 - d), k, plane, k), same, 5e-3 * same) << d;
    const double rigid = kPi * k * (0.05 * d * d - 2 * d * d * d / 3);
    EXPECT_NEAR(push(ball, up(0.05 - d), k, plane, kRigid), rigid, 5e-3 * rigid) << d;
  }
  EXPECT_NEAR(push(ball, up(0.049), k, plane, k), 77.7544, 0.3);
}

TEST(PressureSurface, TwoSpheresMeetInAFlatDisc) {
  const DistanceField ball = of(ShapeKind::kSphere, {{0.05, 0, 0}});
  EXPECT_NEAR(push(ball, up(0.099), 1e9, ball, 1e9), 39.0081, 5e-3 * 39.0081);
}

TEST(PressureSurface, BoxAndCylinderHaveTheRimOfTheTrueDistance) {
  const DistanceField cube = of(ShapeKind::kBox, {{0.05, 0.05, 0.05}}), plane = half_space();
  EXPECT_NEAR(push(cube, up(0.049), 1e9, plane, 1e9), 4950.167, 5e-3 * 4950);
  const DistanceField can = of(ShapeKind::kCylinder, {{0.02, 0.02, 0}});
  EXPECT_NEAR(push(can, up(0.019), 1e9, plane, 1e9), 612.7415, 5e-3 * 612.7);
}

// The surface is then the face itself, in a side of the boxes' overlap, and ends at its edges.
TEST(PressureSurface, ARigidFaceOnASampledSlabHasItsWholeArea) {
  const DistanceField block = of(ShapeKind::kBox, {{0.04, 0.04, 0.02}});
  const DistanceField slab = of(box({{1, 0.4, 0.04}}), 128);  // cells of 8 mm
  for (const double d : {1e-6, 1e-4, 1e-3, 4e-3, 8e-3})
    for (const double turn : {0.0, 0.4}) {
      const Pose at{{{0.013, 0.021, 0.04 - d}}, rotation_by({{0, 0, turn}})};
      const double exact = 1e7 * d * 0.08 * 0.08;
      PressureSurface s;
      s.find({&block, at, kRigid}, {&slab, {}, 1e7});
      const Wrench on_block = wrench(s);
      EXPECT_NEAR(on_block.force[2], exact, (d < 4e-3 ? 0.04 : 0.005) * exact) << d;
      EXPECT_NEAR(on_block.force[0], 0, 5e-3 * exact) << d;
      EXPECT_NEAR(on_block.torque[1], -0.013 * on_block.force[2], 0.01 * 0.04 * exact) << d;
      s.find({&slab, {}, 1e7}, {&block, at, kRigid});
      EXPECT_NEAR(wrench(s).force[2], -on_block.force[2], 1e-6 * exact) << d;
    }
}

TEST(PressureSurface, PressureOfASphereIsItsParaboloid) {
  const DistanceField ball = of(ShapeKind::kSphere, {{0.05, 0, 0}}), plane = half_space();
  PressureSurface s;
  s.keep_triangles = true;
  s.find({&ball, up(0.049), 1e9}, {&plane, {}, 1e9});
  int seen = 0;
  for (const auto& t : s.triangles())
    for (int k = 0; k < 3; ++k) {
      const double r2 = square(t.x[k][0]) + square(t.x[k][1]);
      EXPECT_NEAR(t.pressure[k], 1e9 * (square(9.9499e-3) - r2) / (2 * 0.099), 2.5e3);
      ++seen;
    }
  EXPECT_GT(seen, 2000);
}

TEST(PressureSurface, SampledMeshesConvergeToTheForce) {
  const DistanceField plane = half_space();
  const TriMesh ball = icosphere(0.05, 0.002);
  // The polyhedron's own force is .1 % below the sphere's.
  double last = 0;
  for (const int n : {32, 64, 128}) {
    const double f = push(of(ball, n), up(0.047), 1e9, plane, 1e9);
    const double error = std::abs(f / (0.25 * kPi * 1e9 * 9e-6 * 0.097) - 1);
    EXPECT_LT(error, n == 32 ? 0.06 : n == 64 ? 0.03 : 0.01);
    if (last > 0) {
      EXPECT_LT(error, last);
    }
    last = error;
  }
  EXPECT_NEAR(push(of(box({{0.1, 0.1, 0.1}}), 64), up(0.048), 1e9, plane, 1e9),
              1e9 * (0.01 * 1e-3 - 0.2 * 1e-6 + 4e-9 / 3), 0.03 * 9800);
}

TEST(PressureSurface, NormalForceActsAlongTheAxisAndHasNoMoment) {
  const DistanceField ball = of(ShapeKind::kSphere, {{0.05, 0, 0}}), plane = half_space();
  PressureSurface s;
  s.find({&ball, up(0.048), 1e9}, {&plane, {}, 1e8});
  const Wrench w = wrench(s);
  EXPECT_NEAR(w.force[0], 0, 1e-9 * w.force[2]);
  EXPECT_NEAR(w.torque[0], 0, 1e-9 * w.force[2]);
  EXPECT_NEAR(w.torque[2], 0, 1e-9 * w.force[2]);
}

TEST(PressureSurface, ATiltedBoxPushesOffItsMiddle) {
  // On a rigid plane the surface is the plane: sum the depth over it.
  const Vec3d half{{0.05, 0.05, 0.05}}, middle{{0, 0, 0.049}};
  const DistanceField cube = of(ShapeKind::kBox, half), plane = half_space();
  const Quat q = rotation_by({{0, 0.002, 0}});
  double force = 0, moment = 0;
  constexpr int kN = 1200;
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kN; ++j) {
      const Vec3d x{{0.12 * ((i + 0.5) / kN - 0.5), 0.12 * ((j + 0.5) / kN - 0.5), 0}};
      const double p =
          -1e9 * shape_distance(ShapeKind::kBox, half, transpose(to_matrix(q)) * (x - middle)).phi;
      if (p > 0) force += p * square(0.12 / kN), moment -= p * square(0.12 / kN) * x[0];
    }
  PressureSurface s;
  s.find({&cube, {middle, q}, 1e9}, {&plane, {}, kRigid});
  const Wrench w = wrench(s);
  EXPECT_NEAR(w.force[2], force, 5e-3 * force);
  EXPECT_NEAR(w.torque[1], moment, 0.02 * std::abs(moment));
  EXPECT_NEAR(std::abs(moment) / force, 1.4e-3, 2e-4);  // L^2 theta / 12 d, less what the rim takes
}

TEST(PressureSurface, ExchangedBodiesHaveTheOppositeWrench) {
  const DistanceField cube = of(ShapeKind::kBox, {{0.05, 0.03, 0.02}}),
                      can = of(ShapeKind::kCylinder, {{0.03, 0.04, 0}});
  const Pose at{{{0.02, 0.01, 0.055}}, rotation_by({{0.3, 0.2, -0.5}})};
  PressureSurface s;
  s.find({&cube, at, 1e8}, {&can, {}, 3e8});
  const Wrench one = wrench(s);
  s.find({&can, {}, 3e8}, {&cube, at, 1e8});
  const Wrench two = wrench(s);
  EXPECT_GT(norm(one.force), 10);
  EXPECT_LT(norm(one.force + two.force), 1e-12 * norm(one.force));
  EXPECT_LT(norm(one.torque + two.torque), 1e-12 * norm(one.force));
}

TEST(PressureSurface, TurnsWithBothBodies) {
  const DistanceField cube = of(ShapeKind::kBox, {{0.05, 0.03, 0.02}}),
                      ball = of(icosphere(0.03, 0.003), 48);
  const Pose at{{{0.02, 0.01, 0.045}}, rotation_by({{0.3, 0.2, -0.5}})};
  const Pose move{{{0.3, -1, 2}}, rotation_by({{1, -2, 0.4}})};
  PressureSurface s;
  s.find({&cube, at, 1e8}, {&ball, {}, 3e8});
  const Wrench one = wrench(s);
  s.find({&cube, compose(move, at), 1e8}, {&ball, move, 3e8});
  const Wrench two = wrench(s);
  EXPECT_GT(norm(one.force), 10);
  EXPECT_LT(norm(to_matrix(move.q) * one.force - two.force), 1e-9 * norm(one.force));
}

TEST(PressureSurface, ForceFollowsASlideOverTheGrid) {
  const DistanceField ball = of(icosphere(0.02, 0.001), 64), cube = of(box({{0.1, 0.1, 0.02}}), 64);
  const double h = cube.cell();
  double first = 0;
  for (int i = 0; i <= 20; ++i) {
    PressureSurface s;
    s.find({&ball, {{{0.1 * i * h, 0.03 * i * h, 0.03 - 2e-3}}, {}}, 1e8}, {&cube, {}, 1e8});
    const double f = wrench(s).force[2];
    if (i == 0) first = f;
    EXPECT_NEAR(f, first, 5e-3 * first) << i;
  }
}

TEST(PressureSurface, DeepOverlapHasNoHole) {
  const TriMesh mesh = icosphere(0.05, 0.002);
  const DistanceField ball = of(mesh, 48), cube = of(ShapeKind::kBox, {{0.2, 0.2, 0.05}});
  PressureSurface s;
  s.keep_triangles = true;
  s.find({&ball, up(0.05), 1e8}, {&cube, {}, 1e8});
  // Seen from above every place of the disc is covered once by the lower surface.
  double area = 0;
  for (const auto& t : s.triangles())
    area += 0.5 * std::abs(cross(t.x[1] - t.x[0], t.x[2] - t.x[0])[2]);
  EXPECT_GT(area, 0.95 * kPi * 0.05 * 0.05 * 0.7);
  EXPECT_GT(wrench(s).force[2], 0);
}

TEST(PressureSurface, WhatIsApartHasNoSurface) {
  const DistanceField ball = of(ShapeKind::kSphere, {{0.05, 0, 0}}), plane = half_space(),
                      cube = of(ShapeKind::kBox, {{0.05, 0.05, 0.05}});
  PressureSurface s;
  for (const double gap : {1e-9, 1e-6, 1e-3, 1.0}) {
    s.find({&ball, up(0.05 + gap), 1e9}, {&plane, {}, 1e9});
    EXPECT_TRUE(s.patches().empty());
    s.find({&cube, up(0.05 + gap), 1e9}, {&plane, {}, 1e9});
    EXPECT_TRUE(s.patches().empty());
    s.find({&ball, up(0.1 + gap), 1e9}, {&cube, {}, 1e9});
    EXPECT_TRUE(s.patches().empty());
  }
  s.find({&plane, {}, 1e9}, {&plane, up(-1), 1e9});
  EXPECT_TRUE(s.patches().empty());
}

TEST(PressureSurface, PruningLosesNoCell) {
  // Every cell of the grid that the surface cuts, by asking all of them. Its corners are those of
  // the samples, or lie as far apart as the patch asks for.
  const DistanceField ball = of(icosphere(0.05, 0.004), 64),
                      cube = of(ShapeKind::kBox, {{0.03, 0.03, 0.03}});
  const Pose at{{{0.02, 0.03, 0.04}}, rotation_by({{0.3, 0.2, -0.5}})};
  PressureSurface s;
  s.find({&ball, {}, 1e8}, {&cube, at, 2e8});
  const SampledField& f = *ball.sampled();
  const double h = s.cell();
  ASSERT_GE(h, f.cell());
  const auto cells = [&](int axis) { return static_cast<int>(f.cells()[axis] * f.cell() / h) + 1; };
  const Vec3i n{{cells(0), cells(1), cells(2)}};
  const auto inverse = transpose(to_matrix(at.q));
  int cut = 0;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        unsigned inside = 0;
        bool deep = false;
        for (int c = 0; c < 8; ++c) {
          const Vec3d x = f.origin() + h * Vec3d{{double(i + (c & 1)), double(j + (c >> 1 & 1)),
                                                  double(k + (c >> 2))}};
          const double a = f.phi(x), b = cube.phi(inverse * (x - at.p));
          if (a / 3 - b * 2 / 3 < 0) inside |= 1u << c;
          deep = deep || (a < 0 && b < 0);
        }
        cut += inside != 0 && inside != 255 && deep;
      }
  EXPECT_GT(cut, 200);
  EXPECT_GE(s.cut_cells(), cut);
  EXPECT_GE(static_cast<int>(s.patches().size()), cut * 9 / 10);
}

// Rods that cross, by the distance of their axes; and what is deep or sharp but still pushed out.
TEST(PressureSurface, PastTheMiddlePressureDoesNotPart) {
  const DistanceField rod = of(ShapeKind::kCapsule, {{5e-3, 0.05, 0}}), plane = half_space(),
                      cube = of(ShapeKind::kBox, {{0.05, 0.05, 0.05}}),
                      needle = of(ShapeKind::kCone, {{0.01, 0.02, 0}}),
                      ball = of(ShapeKind::kSphere, {{0.05, 0, 0}});
  const double half = std::sqrt(0.5);
  PressureSurface s;
  for (const double apart : {0.0, 1e-3, 8e-3, 9.9e-3}) {
    s.find({&rod, {{{0, 0, apart}}, {half, half, 0, 0}}, 1e8},
           {&rod, {{{0, 0, 0}}, {half, 0, half, 0}}, 1e8});
    EXPECT_EQ(s.past_middle(), apart < 2e-3) << apart;
  }
  s.find({&cube, up(0.09), 1e8}, {&cube, {}, 1e8});
  EXPECT_LT(s.cosine(), -0.7);
  EXPECT_FALSE(s.past_middle());
  s.find({&needle, {{{0, 0, 0.01}}, {0, 1, 0, 0}}, 1e8}, {&plane, {}, 1e8});
  EXPECT_FALSE(s.past_middle());
  s.find({&ball, up(0.01), 1e8}, {&plane, {}, kRigid});
  EXPECT_FALSE(s.past_middle());
  s.find({&ball, up(-0.03), 1e8}, {&plane, {}, kRigid});
  EXPECT_TRUE(s.past_middle());
  s.find({&ball, up(1), 1e8}, {&plane, {}, kRigid});
  EXPECT_FALSE(s.past_middle());
}

}  // namespace
}  // namespace haptos
