// Contact of many bodies as one term against the terms of its pairs one by one.
#include "haptos/contact/live/group/live_group.h"

#include <gtest/gtest.h>

#include <cmath>

#include "haptos/geometry/make/shapes.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kSupport = 1e-4;

// n x n cubes of 1 cm in a plane, 0.06 mm apart along x and far apart along y.
struct Cubes {
  Points points;
  std::vector<std::unique_ptr<ContactSurface>> surface;
  std::unique_ptr<LiveGroup> group = make_live_group();
  std::vector<std::unique_ptr<ContactTerm>> alone;
  std::shared_ptr<const BlockPattern> pattern;
  StepContext context;

  explicit Cubes(int n) {
    const TriMesh cube = box({{10e-3, 10e-3, 10e-3}});
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        const int body = static_cast<int>(surface.size());
        std::vector<int> of;
        for (const Vec3d& v : cube.vertices)
          of.push_back(points.add_affine(body, body, 0,
                                         v + Vec3d{{10.06e-3 * x, 15e-3 * y, 1e-4 * (x % 2)}}, v));
        surface.push_back(std::make_unique<ContactSurface>(cube, of, body, 0, false));
      }
    points.finish_permanent();
    LiveSetup setup;
    setup.support = kSupport;
    std::vector<std::array<int, 2>> couplings;
    for (std::size_t i = 0; i < surface.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        group->add(surface[i].get(), surface[j].get(), setup);
        alone.push_back(make_barrier_term(surface[i].get(), surface[j].get(), setup));
        couplings.push_back({static_cast<int>(i), static_cast<int>(j)});
      }
    pattern = std::make_shared<BlockPattern>(std::vector<int>(surface.size(), 12), couplings);
    context.h = context.b = 0.01;
    context.points = &points;
  }

  // Gradient and Hessian of these terms.
  template <class Terms>
  std::vector<double> derivatives(const Terms& terms, double& energy) {
    Assembly a;
    a.reset(pattern);
    a.begin(points, true, nullptr);
    Evaluation e;
    e.points = &points;
    e.assembly = &a;
    for (const auto& t : terms) energy += t->evaluate(e).value;
    a.finish();
    EXPECT_TRUE(a.missing().empty());
    std::vector<double> all = a.gradient();
    for (int k = 0; k < a.matrix().pattern().entry_count(); ++k)
      all.insert(all.end(), a.matrix().entry(k), a.matrix().entry(k) + 144);
    return all;
  }

  void expect_same() {
    std::vector<ContactTerm*> one{group.get()};
    for (const auto& t : alone) t->refresh(points, Sampling::kAnew);
    group->refresh(points, Sampling::kAnew);
    double energy = 0, wanted = 0, load = 0, gap = 1e300;
    const std::vector<double> a = derivatives(one, energy), b = derivatives(alone, wanted);
    for (const auto& t : alone) {
      load += t->report().load;
      gap = std::min(gap, t->report().smallest_gap);
    }
    EXPECT_GT(wanted, 0);
    EXPECT_NEAR(energy, wanted, 1e-13 * wanted);
    EXPECT_NEAR(group->report().load, load, 1e-13 * load);
    EXPECT_EQ(group->report().smallest_gap, gap);
    double scale = 0;
    for (const double x : b) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-13 * scale);
  }
};

TEST(LiveGroup, OnlyNeighboursAreNearAndTheSumIsThatOfAllPairs) {
  Cubes c(4);
  c.group->prepare(c.context);
  for (const auto& t : c.alone) t->prepare(c.context);
  EXPECT_EQ(c.group->pair_count(), 16 * 15 / 2);
  EXPECT_EQ(c.group->near_count(), 4 * 3);
  c.expect_same();
}

TEST(LiveGroup, MotionBeyondWhatWasExpectedFindsTheBodiesItMeets) {
  Cubes c(3);
  c.group->prepare(c.context);
  for (const auto& t : c.alone) t->prepare(c.context);
  EXPECT_EQ(c.group->near_count(), 3 * 2);
  // The first row moves by 5.5 mm towards the second one, 5 mm away.
  std::vector<Vec3d> dx(c.points.x.size(), Vec3d::zero());
  for (std::size_t body = 0; body < 3; ++body)
    for (const int p : c.surface[body]->point) dx[static_cast<std::size_t>(p)] = {{0, 5.5e-3, 0}};
  double cap = 1;
  for (const auto& t : c.alone) cap = t->max_step(c.points, dx, cap);
  const double of_group = c.group->max_step(c.points, dx, 1);
  EXPECT_EQ(of_group, cap);
  EXPECT_GT(cap, 0.3);
  EXPECT_LT(cap, 5.0 / 5.5);
  EXPECT_GT(c.group->near_count(), 3 * 2);
  for (int turn = 0; turn < 20; ++turn) {
    const double a = c.group->max_step(c.points, dx, 1);
    for (std::size_t i = 0; i < dx.size(); ++i) c.points.x[i] += a * dx[i];
    c.group->refresh(c.points, Sampling::kAnew);
    if (c.group->report().smallest_gap < 0.05 * kSupport) break;
  }
  EXPECT_GT(c.group->report().smallest_gap, 0);
  EXPECT_NEAR(c.points.x[static_cast<std::size_t>(c.surface[0]->point[0])][1], 0, 1e-2);
  c.group->prepare(c.context);
  for (const auto& t : c.alone) t->prepare(c.context);
  c.expect_same();
}

}  // namespace
}  // namespace haptos
