#include "haptos/geometry/query/bvh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "haptos/base/text/error.h"

namespace haptos {
namespace {

struct Random {
  std::uint64_t state = 88172645463325252ull;
  double operator()(double lo, double hi) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return lo + (hi - lo) * (static_cast<double>(state >> 11) * 0x1p-53);
  }
};

using Pairs = std::vector<std::pair<int, int>>;

std::vector<Aabb> random_boxes(Random& random, int n, double size) {
  std::vector<Aabb> boxes;
  for (int i = 0; i < n; ++i) {
    const Vec3d c{{random(-1, 1), random(-1, 1), random(-1, 1)}};
    const Vec3d h{{random(0, size), random(0, size), random(0, size)}};
    boxes.push_back({c - h, c + h});
  }
  return boxes;
}

Pairs brute_pairs(const std::vector<Aabb>& a, const std::vector<Aabb>& b, double margin) {
  Pairs p;
  for (int i = 0; i < static_cast<int>(a.size()); ++i)
    for (int j = 0; j < static_cast<int>(b.size()); ++j)
      if (a[static_cast<std::size_t>(i)].overlaps(b[static_cast<std::size_t>(j)], margin))
        p.emplace_back(i, j);
  return p;
}

Pairs tree_pairs(const Bvh& a, const Bvh& b, double margin) {
  Pairs p;
  a.pairs(b, margin, [&](int i, int j) { p.emplace_back(i, j); });
  return p;
}

Pairs sorted(Pairs p) {
  std::sort(p.begin(), p.end());
  return p;
}

TEST(Aabb, HelpersAgreeWithTheirDefinitions) {
  const Aabb a = Aabb::of({{0, 0, 0}}, {{1, 2, 3}}), b = Aabb::of({{1, 2, 3}}, {{2, 3, 4}});
  EXPECT_TRUE(a.overlaps(b));  // a shared corner counts
  const Aabb c = Aabb::of({{1.5, 0, 0}}, {{2, 2, 3}});
  EXPECT_FALSE(a.overlaps(c));
  EXPECT_FALSE(a.overlaps(c, 0.4999));
  EXPECT_TRUE(a.overlaps(c, 0.5));
  EXPECT_TRUE(a.inflated(0.5).overlaps(c));
  EXPECT_DOUBLE_EQ(a.squared_distance(c), 0.25);
  EXPECT_DOUBLE_EQ(a.squared_distance(Vec3d{{2, 3, 5}}), 1 + 1 + 4);
  EXPECT_DOUBLE_EQ(a.squared_distance(Vec3d{{0.5, 1, 1}}), 0);
  EXPECT_TRUE(Aabb{}.is_empty());
  EXPECT_FALSE(Aabb{}.overlaps(a));
}

TEST(Bvh, PairsEqualBruteForceOverAHundredThousandPairsOfBoxes) {
  Random random;
  const std::vector<Aabb> a = random_boxes(random, 400, 0.2), b = random_boxes(random, 250, 0.3);
  const Bvh ta(a), tb(b);
  for (const double margin : {0.0, 0.05}) {
    const Pairs want = brute_pairs(a, b, margin);
    EXPECT_GT(want.size(), 1000u);
    EXPECT_EQ(sorted(tree_pairs(ta, tb, margin)), want);
  }
}

TEST(Bvh, SelfPairsEqualBruteForceOnceEachAndOrdered) {
  Random random;
  const std::vector<Aabb> a = random_boxes(random, 450, 0.2);
  const Bvh tree(a);
  for (const double margin : {0.0, 0.03}) {
    Pairs want;
    for (const auto& [i, j] : brute_pairs(a, a, margin))
      if (i < j) want.emplace_back(i, j);
    Pairs got;
    tree.self_pairs(margin, [&](int i, int j) { got.emplace_back(i, j); });
    EXPECT_GT(want.size(), 500u);
    EXPECT_EQ(sorted(got), want);
  }
}

TEST(Bvh, QueryEqualsBruteForceAlsoForTouchingBoxes) {
  // A lattice: neighbours touch exactly, which rounded node bounds must not lose.
  std::vector<Aabb> boxes;
  for (int i = 0; i < 1000; ++i) {
    const int layer = i / 100;
    const Vec3d lo{{0.1 * (i % 10), 0.1 * (i / 10 % 10), 0.1 * layer}};
    boxes.push_back({lo, lo + Vec3d{{0.1, 0.1, 0.1}}});
  }
  const Bvh tree(boxes);
  for (int q = 0; q < 1000; q += 7) {
    const Aabb& box = boxes[static_cast<std::size_t>(q)];
    std::vector<int> want, got;
    for (int i = 0; i < 1000; ++i)
      if (boxes[static_cast<std::size_t>(i)].overlaps(box)) want.push_back(i);
    tree.query(box, [&](int i) { got.push_back(i); });
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, want);
  }
}

TEST(Bvh, RefitTreeFindsTheMovedPairs) {
  Random random;
  std::vector<Aabb> a = random_boxes(random, 300, 0.1);
  Bvh tree(a);
  for (Aabb& b : a) {
    const Vec3d d{{random(-1, 1), random(-1, 1), random(-1, 1)}};
    b = {b.lo + d, b.hi + d};
  }
  tree.refit(a);
  EXPECT_EQ(sorted(tree_pairs(tree, tree, 0.01)), brute_pairs(a, a, 0.01));
  EXPECT_EQ(tree.bounds().lo[0],
            std::min_element(a.begin(), a.end(), [](const Aabb& x, const Aabb& y) {
              return x.lo[0] < y.lo[0];
            })->lo[0]);
  a.pop_back();
  EXPECT_THROW(tree.refit(a), InputError);
}

TEST(Bvh, OrderOfCallbacksIsTheSameInEveryRun) {
  Random random;
  const std::vector<Aabb> a = random_boxes(random, 500, 0.1);
  const Bvh first(a), second(a);
  EXPECT_EQ(tree_pairs(first, first, 0.02), tree_pairs(second, second, 0.02));
}

TEST(Bvh, NearestEqualsBruteForceAndTakesTheLowestIndexOfEquals) {
  Random random;
  std::vector<Aabb> points;
  points.reserve(2000);
  for (int i = 0; i < 2000; ++i)
    points.push_back(Aabb::of(Vec3d{
        {std::round(random(-9, 9)), random(-9, 9) > 0 ? 1.0 : 0.0, std::round(random(-9, 9))}}));
  const Bvh tree(points);
  for (int q = 0; q < 200; ++q) {
    const Vec3d p{{std::round(random(-12, 12)) / 2, 0.5, random(-12, 12)}};
    const auto distance = [&](int i) {
      return squared_norm(points[static_cast<std::size_t>(i)].lo - p);
    };
    int want = 0;
    for (int i = 1; i < 2000; ++i)
      if (distance(i) < distance(want)) want = i;
    const Bvh::Nearest got = tree.nearest(p, distance);
    EXPECT_EQ(got.index, want);
    EXPECT_EQ(got.squared_distance, distance(want));
    EXPECT_EQ(tree.nearest(p, distance, distance(want) * 0.99).index, -1);
  }
}

TEST(Bvh, ManyEqualBoxesAndVastSpansStayInsideTheStack) {
  // Equal centres give no cut by area; powers of two give the most lopsided ones.
  std::vector<Aabb> boxes(5000, Aabb::of({{1, 1, 1}}, {{2, 2, 2}}));
  for (int i = 0; i < 2000; ++i) {
    const double x = std::ldexp(1.0, i % 250 - 125);
    boxes.push_back(Aabb::of({{x, x, x}}, {{2 * x, x, x}}));
  }
  const Bvh tree(boxes);
  int hits = 0;
  tree.query(Aabb::of({{1.5, 1.5, 1.5}}), [&](int) { ++hits; });
  EXPECT_EQ(hits, 5000);
  int pairs = 0;
  Bvh(std::vector<Aabb>(boxes.begin() + 5000, boxes.end())).self_pairs(0, [&](int, int) {
    ++pairs;
  });
  EXPECT_EQ(pairs, 250 * (8 * 7 / 2));
}

TEST(Bvh, EmptyTreesAndEmptyBoxesReportNothing) {
  const Bvh empty;
  int hits = 0;
  empty.query(Aabb::of({{0, 0, 0}}), [&](int) { ++hits; });
  empty.self_pairs(1, [&](int, int) { ++hits; });
  empty.pairs(empty, 1, [&](int, int) { ++hits; });
  EXPECT_EQ(empty.nearest({{0, 0, 0}}, [](int) { return 0.0; }).index, -1);
  const Bvh nothing(std::vector<Aabb>(10));
  nothing.query(Aabb::of({{-1, -1, -1}}, {{1, 1, 1}}), [&](int) { ++hits; });
  EXPECT_EQ(hits, 0);
  EXPECT_EQ(nothing.size(), 10);
}

}  // namespace
}  // namespace haptos
