// Host and device run the same kernels: outputs agree to 1e-12 relative, with outputs poisoned
// first. Then both are timed; scripts/gpu_check records the lines FIGURE.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <memory>

#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/pressure/pressure_leaves.h"
#include "haptos/geometry/pressure/pressure_surface.h"
#include "haptos/sim/batch/kernel_batch.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr int kCount = 4096;

void expect_close(const Array<double>& host, const Array<double>& device) {
  const std::vector<double> a = host.to_host(), b = device.to_host();
  double scale = 0;
  for (double v : a) scale = std::max(scale, std::abs(v));
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 1e-12 * scale) << "entry " << i;
}

Array<double> poisoned(int n, MemorySpace space) {
  return Array<double>(
      std::vector<double>(static_cast<std::size_t>(n), std::numeric_limits<double>::quiet_NaN()),
      space);
}

ArrayView<const double> read(const Array<double>& a) {
  return {a.view().data, a.size(), a.space()};
}

// Points a second [1/s] that `evaluate` gets through: the best of five runs after a first one.
template <class Evaluate>
double rate(int n, const Evaluate& evaluate) {
  evaluate();
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    evaluate();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    best = std::min(best, passed.count());
  }
  return n / best;
}

constexpr const char* kLawNames[kElasticLawCount] = {
    "log_neo_hookean", "stable_neo_hookean", "st_venant_kirchhoff", "fixed_corotated",
    "linear",          "mooney_rivlin",      "linear_corotated"};

void print_rates(const char* what, const double (&rates)[2]) {
  std::printf("FIGURE %s = host %.3g, device %.3g million points a second, %.3g times\n", what,
              1e-6 * rates[0], 1e-6 * rates[1], rates[1] / rates[0]);
}

TEST(DeviceKernels, ElasticLawsAgreeWithTheHost) {
  const char* reason = nullptr;
  if (!device_available(&reason)) GTEST_SKIP() << reason;
  test::Random random(1);
  std::vector<double> F;
  for (int i = 0; i < kCount; ++i)
    for (int k = 0; k < 9; ++k) F.push_back((k % 4 == 0 ? 1.0 : 0.0) + 0.25 * random());
  for (int law = 0; law < kElasticLawCount; ++law) {
    Array<double> out[2][3];
    for (int d = 0; d < 2; ++d) {
      const MemorySpace space = d ? MemorySpace::kDevice : MemorySpace::kHost;
      const Array<double> in(F, space);
      out[d][0] = poisoned(kCount, space);
      out[d][1] = poisoned(9 * kCount, space);
      out[d][2] = poisoned(9 * kCount, space);
      evaluate_batch(static_cast<ElasticLaw>(law), {1e5, 4e4},
                     {read(in), out[d][0].view(), out[d][1].view(), out[d][2].view()});
    }
    for (int k = 0; k < 3; ++k) expect_close(out[0][k], out[1][k]);
  }
}

TEST(DeviceKernels, DistancesAndBarriersAgreeWithTheHost) {
  const char* reason = nullptr;
  if (!device_available(&reason)) GTEST_SKIP() << reason;
  test::Random random(2);
  std::vector<double> x;
  for (int i = 0; i < 12 * kCount; ++i) x.push_back(1e-3 * random());
  Array<double> out[2][3];
  for (int d = 0; d < 2; ++d) {
    const MemorySpace space = d ? MemorySpace::kDevice : MemorySpace::kHost;
    const Array<double> in(x, space);
    out[d][0] = poisoned(kCount, space);
    out[d][1] = poisoned(3 * kCount, space);
    out[d][2] = poisoned(144 * kCount, space);
    evaluate_batch({read(in), 1e-3, out[d][0].view(), out[d][1].view(), out[d][2].view()});
  }
  for (int k = 0; k < 3; ++k) expect_close(out[0][k], out[1][k]);
}

TEST(DeviceKernels, RateOfElasticLaws) {
  const char* reason = nullptr;
  if (!device_available(&reason)) GTEST_SKIP() << reason;
  constexpr int n = 1 << 20;
  test::Random random(3);
  std::vector<double> F;
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < 9; ++k) F.push_back((k % 4 == 0 ? 1.0 : 0.0) + 0.25 * random());
  for (int law = 0; law < kElasticLawCount; ++law) {
    double rates[2];
    for (int d = 0; d < 2; ++d) {
      const MemorySpace space = d ? MemorySpace::kDevice : MemorySpace::kHost;
      const Array<double> in(F, space);
      Array<double> energy = poisoned(n, space), stress = poisoned(9 * n, space),
                    tangent = poisoned(9 * n, space);
      rates[d] = rate(n, [&] {
        evaluate_batch(static_cast<ElasticLaw>(law), {1e5, 4e4},
                       {read(in), energy.view(), stress.view(), tangent.view()});
      });
    }
    print_rates(kLawNames[law], rates);
  }
}

TEST(DeviceKernels, RateOfDistancesAndBarriers) {
  const char* reason = nullptr;
  if (!device_available(&reason)) GTEST_SKIP() << reason;
  constexpr int n = 1 << 18;
  test::Random random(4);
  std::vector<double> x;
  for (int i = 0; i < 12 * n; ++i) x.push_back(1e-3 * random());
  double rates[2];
  for (int d = 0; d < 2; ++d) {
    const MemorySpace space = d ? MemorySpace::kDevice : MemorySpace::kHost;
    const Array<double> in(x, space);
    Array<double> distance = poisoned(n, space), barrier = poisoned(3 * n, space),
                  hessian = poisoned(144 * n, space);
    rates[d] = rate(n, [&] {
      evaluate_batch({read(in), 1e-3, distance.view(), barrier.view(), hessian.view()});
    });
  }
  print_rates("distances_and_barriers", rates);
}

// Two balls as meshes, 3 mm in each other.
struct Balls {
  DistanceField ball;
  PressureSurface surface;
  Balls() : ball(shape()) { surface.find({&ball, {{{0, 0, 0.097}}, {}}, 1e8}, {&ball, {}, 2e8}); }
  static Shape shape() {
    Shape s;
    s.kind = ShapeKind::kMesh, s.mesh = std::make_shared<TriMesh>(icosphere(0.05, 0.003));
    return s;
  }
};

TEST(DeviceKernels, PressureSurfacesAgreeWithTheHost) {
  const char* reason = nullptr;
  if (!device_available(&reason)) GTEST_SKIP() << reason;
  const Balls b;
  const LeafKernels kernels(b.ball, b.ball, MemorySpace::kDevice);
  const auto found = kernels.cut(b.surface.pair(), b.surface.grid(), b.surface.leaves());
  const auto& expected = b.surface.patches();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].cell, expected[i].cell);
    EXPECT_NEAR(found[i].pressure, expected[i].pressure, 1e-9 * expected[i].pressure);
    EXPECT_NEAR(found[i].area, expected[i].area, 1e-9 * expected[i].area);
    EXPECT_NEAR(norm(found[i].point - expected[i].point), 0, 1e-12);
  }
}

TEST(DeviceKernels, RateOfPressureSurfaces) {
  const char* reason = nullptr;
  if (!device_available(&reason)) GTEST_SKIP() << reason;
  const Balls b;
  // The same leaves many times over, as of many environments.
  std::vector<PressureLeaf> leaves;
  for (int i = 0; i < 64; ++i)
    leaves.insert(leaves.end(), b.surface.leaves().begin(), b.surface.leaves().end());
  double rates[2];
  for (int d = 0; d < 2; ++d) {
    const LeafKernels kernels(b.ball, b.ball, d ? MemorySpace::kDevice : MemorySpace::kHost);
    rates[d] = rate(static_cast<int>(leaves.size()),
                    [&] { kernels.cut(b.surface.pair(), b.surface.grid(), leaves); });
  }
  print_rates("pressure_leaves", rates);
}

}  // namespace
}  // namespace haptos
