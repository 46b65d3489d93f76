// Pressure surfaces by kernels, in the host's loop, and by any number of threads: the same bits.
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "haptos/base/parallel.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/pressure/pressure_leaves.h"
#include "haptos/geometry/pressure/pressure_surface.h"
#include "tests/unit/pressed_fields.h"

namespace haptos {
namespace {

constexpr double kRigid = std::numeric_limits<double>::infinity();

struct Case {
  DistanceField a, b;
  Pose at;  // of a
  PressureLaw law_a, law_b;
};

std::vector<Case> cases() {
  const DistanceField ball = of(icosphere(0.05, 0.004), 48),
                      block = of(haptos::box({{0.08, 0.1, 0.06}}), 40),
                      cube = of(ShapeKind::kBox, {{0.03, 0.03, 0.03}}),
                      plane = of(ShapeKind::kHalfSpace, {{0, 0, 0}}),
                      can = of(ShapeKind::kCylinder, {{0.03, 0.04, 0}});
  const Quat q = rotation_by({{0.3, 0.2, -0.5}});
  const PressureLaw foam("foam", {{1e-3, 1e4}, {2e-3, 4e4}, {5e-3, 4e5}});
  return {{ball, block, {{{0.01, 0.02, 0.075}}, q}, 1e8, 2e8},
          {ball, cube, {{{0.02, 0.03, 0.06}}, q}, 1e8, kRigid},
          {ball, plane, {{{0, 0, 0.047}}, q}, kRigid, 1e8},
          {cube, can, {{{0.01, 0.02, 0.065}}, q}, 1e8, 2e8},
          {ball, block, {{{0.01, 0.02, 0.075}}, q}, foam, 2e8},
          {cube, plane, {{{0, 0, 0.029}}, {}}, 1e8, 1e8}};
}

void expect_same(const std::vector<PressurePatch>& a, const std::vector<PressurePatch>& b) {
  ASSERT_EQ(a.size(), b.size());
  const auto row = [](const PressurePatch& p) {
    return std::array{p.point[0], p.point[1], p.point[2], p.n[0],      p.n[1],
                      p.n[2],     p.area,     p.pressure, p.stiffness, static_cast<double>(p.cell)};
  };
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(row(a[i]), row(b[i])) << "patch " << i;
}

TEST(PressureLeaves, KernelsMakeThePatchesOfTheSurface) {
  for (const Case& c : cases()) {
    PressureSurface s;
    s.find({&c.a, c.at, c.law_a}, {&c.b, {}, c.law_b});
    ASSERT_GT(s.patches().size(), 100u);
    const bool own_is_a = s.pair().own_is_a;
    const LeafKernels kernels(own_is_a ? c.a : c.b, own_is_a ? c.b : c.a, MemorySpace::kHost);
    expect_same(kernels.cut(s.pair(), s.grid(), s.leaves()), s.patches());
  }
}

TEST(PressureLeaves, AnyNumberOfThreadsMakesTheSame) {
  for (const Case& c : cases()) {
    PressureSurface one;
    set_thread_count(1);
    one.find({&c.a, c.at, c.law_a}, {&c.b, {}, c.law_b});
    for (const int threads : {2, 5}) {
      set_thread_count(threads);
      PressureSurface many;
      many.find({&c.a, c.at, c.law_a}, {&c.b, {}, c.law_b});
      expect_same(one.patches(), many.patches());
      EXPECT_EQ(one.cosine(), many.cosine());
    }
    set_thread_count(0);
  }
}

TEST(PressureLeaves, SamplesOfAKernelAreTheField) {
  const DistanceField ball = of(icosphere(0.05, 0.004), 48);
  const KernelField copy(ball, MemorySpace::kHost);
  std::vector<double> x, expected;
  for (int i = 0; i < 3000; ++i) {
    const Vec3d p{{0.07 * std::cos(0.7 * i), 0.07 * std::sin(1.3 * i), 0.07 * std::cos(2.1 * i)}};
    x.insert(x.end(), p.a, p.a + 3), expected.push_back(ball.phi(p));
  }
  const Array<double> in(x, MemorySpace::kHost);
  const Array<double> out(3000, MemorySpace::kHost);
  sample_field(copy, {in.view().data, in.size(), in.space()}, out.view());
  EXPECT_EQ(out.to_host(), expected);
}

}  // namespace
}  // namespace haptos
