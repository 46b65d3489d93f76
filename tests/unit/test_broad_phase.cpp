// Pairs of overlapping boxes against a test of all pairs.
#include "haptos/geometry/query/broad_phase.h"

#include <gtest/gtest.h>

#include <random>

namespace haptos {
namespace {

using Pairs = std::vector<std::array<int, 2>>;

Pairs brute(const std::vector<Aabb>& boxes, double margin) {
  Pairs out;
  for (int i = 0; i < static_cast<int>(boxes.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(boxes.size()); ++j) {
      const Aabb &a = boxes[static_cast<std::size_t>(i)], &b = boxes[static_cast<std::size_t>(j)];
      if (!a.is_empty() && !b.is_empty() && a.overlaps(b, margin)) out.push_back({i, j});
    }
  return out;
}

std::vector<Aabb> random_boxes(std::mt19937& rng, int n, double size) {
  std::uniform_real_distribution<double> u(0, 1);
  std::vector<Aabb> boxes;
  for (int i = 0; i < n; ++i) {
    const Vec3d p{{u(rng), u(rng), u(rng)}};
    boxes.push_back(Aabb::of(p, p + Vec3d{{u(rng), u(rng), u(rng)}} * size));
  }
  return boxes;
}

TEST(BroadPhase, FindsThePairsThatATestOfAllPairsFinds) {
  std::mt19937 rng(5);
  BroadPhase phase;
  Pairs found;
  std::size_t total = 0;
  for (int trial = 0; trial < 80; ++trial) {
    // The number changes now and then, so that trees are both refitted and built.
    const auto boxes = random_boxes(rng, trial < 40 ? 200 : 60 + trial % 3, trial % 2 ? 0.3 : 0.05);
    const double margin = trial % 5 == 0 ? 0.02 : 0;
    phase.pairs(boxes, margin, found);
    ASSERT_EQ(found, brute(boxes, margin)) << "trial " << trial;
    total += found.size();
  }
  EXPECT_GT(total, 5000u);
}

TEST(BroadPhase, BoxesThatShareAFaceAPlaneOrNothingAtAll) {
  std::vector<Aabb> boxes = {Aabb::of({{0, 0, 0}}, {{1, 1, 1}}), Aabb::of({{1, 0, 0}}, {{2, 1, 1}}),
                             Aabb::of({{5, 0, 0}}, {{6, 1, 1}}), Aabb()};
  const double inf = Aabb::kInf;
  boxes.push_back({{{-inf, -inf, -inf}}, {{inf, inf, 0.5}}});
  boxes.push_back({{{-inf, -inf, -inf}}, {{inf, inf, inf}}});
  BroadPhase phase;
  Pairs found;
  phase.pairs(boxes, 0, found);
  EXPECT_EQ(found, brute(boxes, 0));
  EXPECT_EQ(found, (Pairs{{0, 1}, {0, 4}, {0, 5}, {1, 4}, {1, 5}, {2, 4}, {2, 5}, {4, 5}}));
}

TEST(BroadPhase, AsksTheCallerAboutOverlappingPairsOnly) {
  std::mt19937 rng(7);
  const auto boxes = random_boxes(rng, 100, 0.3);
  BroadPhase phase;
  Pairs found;
  int asked = 0;
  phase.pairs(
      boxes, 0, [&](int i, int j) { return ++asked, (i + j) % 2 == 0; }, found);
  Pairs expected;
  const Pairs all = brute(boxes, 0);
  for (const auto& p : all)
    if ((p[0] + p[1]) % 2 == 0) expected.push_back(p);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(asked, static_cast<int>(all.size()));
}

TEST(BroadPhase, NothingGivesNothing) {
  BroadPhase phase;
  Pairs found{{1, 2}};
  phase.pairs({}, 0, found);
  EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace haptos
