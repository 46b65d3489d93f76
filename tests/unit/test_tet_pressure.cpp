// The surface of equal pressure in bodies of tetrahedra: closed forms, and what deforms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/pressure/tet_pressure.h"
#include "tests/unit/pressed_fields.h"

namespace haptos {
namespace {

constexpr double kModulus = 1e7;                            // [Pa/m]
constexpr double kWide = 0.04, kDeep = 0.03, kHigh = 0.02;  // of the block [m]

// A block of tetrahedra of 4 mm about the origin, its distances by the formula of a box.
class Block {
 public:
  Block() {
    TetMesh mesh = box_pad({kWide, kDeep, kHigh}, 10, 8, 5).mesh;
    for (Vec3d& x : mesh.vertices) x[2] += kHigh / 2;
    depth = std::make_shared<RestDepth>(
        mesh,
        std::make_shared<DistanceField>(of(ShapeKind::kBox, {{kWide / 2, kDeep / 2, kHigh / 2}})));
  }
  std::vector<Vec3d> moved(const Mat3d& by, const Vec3d& shift = Vec3d::zero()) const {
    std::vector<Vec3d> x;
    for (const Vec3d& v : depth->mesh.vertices) x.push_back(by * v + shift);
    return x;
  }
  std::shared_ptr<RestDepth> depth;
};

Vec3d force(const TetPressure& found) {
  Vec3d sum = Vec3d::zero();
  for (const TetPatch& p : found.patches()) sum += p.area * p.pressure * p.n;
  return sum;
}

const PressureLaw kRigid(std::numeric_limits<double>::infinity());

TEST(TetPressure, OfARigidBallIsTheVolumeItTakesAway) {
  // int p n_z dA = k int depth over the ground plan: the cap pi d^2 (R - d / 3).
  const Block block;
  constexpr double kRadius = 8e-3;
  const DistanceField ball = of(ShapeKind::kSphere, {{kRadius, 0, 0}});
  TetPressure found;
  for (const double d : {2e-3, 1e-3, 3e-4}) {
    found.find(*block.depth, kModulus, block.moved(Mat3d::identity()),
               {&ball, {{{1e-3, 2e-3, kHigh / 2 + kRadius - d}}, {}}, kRigid});
    const Vec3d f = force(found);
    const double right = kModulus * std::numbers::pi * d * d * (kRadius - d / 3);
    EXPECT_NEAR(f[2], -right, 0.02 * right) << d;
    EXPECT_LT(std::hypot(f[0], f[1]), 0.01 * right) << d;
    EXPECT_NEAR(found.depth(), d, 0.05 * d);
  }
}

TEST(TetPressure, IsThatOfThePressureSurfaceWhereNothingHasDeformed) {
  const Block block;
  const DistanceField ball = of(ShapeKind::kSphere, {{8e-3, 0, 0}}),
                      box = of(ShapeKind::kBox, {{kWide / 2, kDeep / 2, kHigh / 2}});
  const Pose at{{{1e-3, 2e-3, kHigh / 2 + 6.5e-3}}, {}};
  const PressureLaw softer(4e6), table("ball", {{1e-3, 2e3}, {2e-3, 1e4}});
  for (const PressureLaw* law : {&softer, &table, &kRigid}) {
    TetPressure found;
    found.find(*block.depth, kModulus, block.moved(Mat3d::identity()), {&ball, at, *law});
    PressureSurface surface;
    surface.find({&box, {}, kModulus}, {&ball, at, *law});
    double right = 0, stiff = 0, stiffness = 0, height = 0, right_height = 0;
    const double pushed = force(found)[2];
    for (const PressurePatch& p : surface.patches()) {
      right += p.area * p.pressure * p.n[2], stiff += p.area * p.stiffness;
      right_height += p.area * p.pressure * p.n[2] * p.point[2];
    }
    for (const TetPatch& p : found.patches()) {
      stiffness += p.area * p.stiffness, height += p.area * p.pressure * p.n[2] * p.point[2];
    }
    EXPECT_NEAR(pushed, right, 0.02 * std::abs(right));
    EXPECT_NEAR(stiffness, stiff, 0.05 * stiff);
    EXPECT_NEAR(height / pushed, right_height / right, 2e-5);
  }
}

TEST(TetPressure, GoesWithTheMaterial) {
  // Pressed flat to half, and turned: a floor that is in by d is 2 d deep at rest.
  const Block block;
  Mat3d flat = Mat3d::identity();
  flat(2, 2) = 0.5;
  constexpr double kIn = 4e-4;
  const DistanceField floor = of(ShapeKind::kHalfSpace, Vec3d::zero());
  const Quat q = rotation_by({{0.3, -0.5, 0.2}});
  const Vec3d up = to_matrix(q) * Vec3d{{0, 0, 1}};
  TetPressure found;
  found.find(*block.depth, kModulus, block.moved(to_matrix(q) * flat, (kHigh / 4 - kIn) * up),
             {&floor, {{}, q}, kRigid});
  const Vec3d f = force(found);
  // Beside the walls depth is that to the wall: a rim as wide as it is deep.
  const double deep = 2 * kIn;
  const double right = kModulus * (deep * kWide * kDeep - deep * deep * (kWide + kDeep) +
                                   4.0 / 3 * deep * deep * deep);
  EXPECT_NEAR(norm(f), right, 0.02 * right);
  EXPECT_GT(dot(f, up), (1 - 1e-9) * norm(f));
  // Away from the walls its slope too is twice that at rest.
  int inner = 0;
  for (const TetPatch& p : found.patches()) {
    const Vec3d local = to_local({(kHigh / 4 - kIn) * up, q}, p.point);
    if (std::abs(local[0]) > kWide / 2 - 5e-3 || std::abs(local[1]) > kDeep / 2 - 5e-3) continue;
    EXPECT_NEAR(p.stiffness, 2 * kModulus, 1e-6 * kModulus);
    ++inner;
  }
  EXPECT_GT(inner, 50);
}

TEST(TetPressure, FeelsWhatIsFinerThanItsTetrahedra) {
  // A ball of .6 mm between vertices 4 mm apart, at any place.
  const Block block;
  constexpr double kRadius = 6e-4, kIn = 2e-4;
  const DistanceField ball = of(ShapeKind::kSphere, {{kRadius, 0, 0}});
  const double right = kModulus * std::numbers::pi * kIn * kIn * (kRadius - kIn / 3);
  TetPressure found;
  for (int i = 0; i < 20; ++i) {
    const Vec3d at{{-6e-3 + 7e-4 * i, 1e-4 + 3e-4 * i, kHigh / 2 + kRadius - kIn}};
    found.find(*block.depth, kModulus, block.moved(Mat3d::identity()), {&ball, {at, {}}, kRigid});
    EXPECT_NEAR(force(found)[2], -right, 0.25 * right) << i;
  }
}

TEST(TetPressure, DoesNotPushWhereNothingOverlapsNorBackwards) {
  const Block block;
  const DistanceField ball = of(ShapeKind::kSphere, {{3e-3, 0, 0}}),
                      plate = of(ShapeKind::kBox, {{0.05, 0.05, 1e-3}});
  TetPressure found;
  const auto x = block.moved(Mat3d::identity());
  found.find(*block.depth, kModulus, x, {&ball, up(kHigh / 2 + 3.01e-3), kRigid});
  EXPECT_TRUE(found.patches().empty());
  EXPECT_EQ(found.depth(), 0);
  // A plate through the upper half pushes down by its lower face alone, k times that depth.
  found.find(*block.depth, kModulus, x, {&plate, up(kHigh / 2 - 3e-3), kRigid});
  constexpr double kDeepAt = 4e-3;
  EXPECT_LT(force(found)[2], -0.6 * kModulus * kDeepAt * kWide * kDeep);
  for (const TetPatch& p : found.patches())
    if (std::abs(p.point[0]) < kWide / 2 - 5e-3 && std::abs(p.point[1]) < kDeep / 2 - 5e-3)
      EXPECT_LT(p.n[2], 0);
}

TEST(TetPressure, WeightsSumToThePlaceOfAPatch) {
  const Block block;
  const DistanceField ball = of(ShapeKind::kSphere, {{8e-3, 0, 0}});
  const auto x = block.moved(Mat3d::identity());
  TetPressure found;
  found.find(*block.depth, kModulus, x, {&ball, up(kHigh / 2 + 7e-3), PressureLaw(5e6)});
  ASSERT_GT(found.patches().size(), 10u);
  for (const TetPatch& p : found.patches()) {
    Vec3d at = Vec3d::zero();
    double sum = 0;
    for (int k = 0; k < 4; ++k) {
      EXPECT_GE(p.weight[k], 0);
      sum += p.weight[k];
      at += p.weight[k] * x[static_cast<std::size_t>(
                              block.depth->mesh.tets[static_cast<std::size_t>(p.cell / 3)][k])];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_LT(norm(at - p.point), 1e-15);
  }
}

}  // namespace
}  // namespace haptos
