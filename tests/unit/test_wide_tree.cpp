// The tree that is eight wide, against looking at every box.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "haptos/base/math/index.h"
#include "haptos/base/math/rotation.h"
#include "haptos/base/parallel.h"
#include "haptos/geometry/tree/wide_tree.h"

namespace haptos {
namespace {

// Boxes of very different sizes about `where`, some of them points and some twice.
std::vector<Aabb> some_boxes(int n, unsigned seed, const Vec3d& where = Vec3d::zero()) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<Aabb> boxes;
  for (int i = 0; i < n; ++i) {
    if (i % 17 == 3) {
      boxes.push_back(boxes.back());
      continue;
    }
    const Vec3d x{{any(random), any(random), any(random)}};
    const double size = i % 13 == 0 ? 0 : std::pow(10.0, -2 + 1.5 * any(random));
    const Vec3d e{{vabs(any(random)), vabs(any(random)), vabs(any(random))}};
    boxes.push_back(Aabb::of(where + x, where + x + size * e));
  }
  return boxes;
}

// The box of a box that is turned and moved.
Aabb turned(const Aabb& box, const Mat3d& r, const Vec3d& p) {
  const Vec3d c = r * box.centre() + p, e = box.extent() * 0.5;
  Vec3d w;
  for (int k = 0; k < 3; ++k)
    w[k] = vabs(r(k, 0)) * e[0] + vabs(r(k, 1)) * e[1] + vabs(r(k, 2)) * e[2];
  return Aabb::of(c - w, c + w);
}

Aabb group_box(const std::vector<Aabb>& boxes, const WideTree& tree, int group) {
  Aabb b;
  for (int place = 8 * group; place < std::min(8 * group + 8, tree.size()); ++place)
    b.merge(boxes[at_index(tree.item(place))]);
  return b;
}

TEST(WideTree, FindsEveryBoxThatOverlaps) {
  for (const int n : {1, 2, 7, 8, 9, 63, 64, 65, 500, 3000}) {
    const Vec3d where{{10, -20, 0.5}};
    const std::vector<Aabb> boxes = some_boxes(n, 1, where);
    const WideTree tree(boxes);
    ASSERT_EQ(tree.size(), n);
    for (const Aabb& q : some_boxes(100, 2, where)) {
      std::multiset<int> found, sure, may;
      tree.query(q, [&](int i) { found.insert(i); });
      for (int i = 0; i < n; ++i) {
        if (boxes[at_index(i)].overlaps(q)) sure.insert(i);
        if (boxes[at_index(i)].overlaps(q, 1e-5)) may.insert(i);
      }
      EXPECT_TRUE(std::includes(found.begin(), found.end(), sure.begin(), sure.end()));
      EXPECT_TRUE(std::includes(may.begin(), may.end(), found.begin(), found.end()));
    }
  }
}

TEST(WideTree, HasNothingWhereThereIsNothing) {
  const WideTree none, tree(some_boxes(100, 3));
  int calls = 0;
  const auto count = [&](auto...) { return ++calls, 0.0; };
  none.query(Aabb::of(Vec3d::zero()), count);
  none.pairs(tree, Mat3d::identity(), Vec3d::zero(), 1, count);
  tree.pairs(none, Mat3d::identity(), Vec3d::zero(), 1, count);
  none.nearest_groups<true>(Vec3d::zero(), 1e300, count);
  tree.query({}, count);
  tree.query(Aabb::of(Vec3d{{5, 5, 5}}), count);
  tree.pairs(tree, Mat3d::identity(), {{10, 0, 0}}, 1, count);
  EXPECT_EQ(calls, 0);
}

TEST(WideTree, FindsEveryPairOfTreesThatAreTurned) {
  for (const auto& [n, m] : {std::pair{1, 1}, {1, 300}, {300, 1}, {40, 700}, {700, 800}}) {
    const std::vector<Aabb> a = some_boxes(n, 4), b = some_boxes(m, 5);
    const WideTree ta(a), tb(b);
    const Mat3d r = to_matrix(rotation_by({{0.4, -1.1, 0.7}}));
    for (const double margin : {0.0, 0.01, 0.3}) {
      const Vec3d p{{0.3, 0.2, -0.1}};
      std::multiset<std::pair<int, int>> found;
      std::map<std::pair<int, int>, unsigned> own;
      ta.pairs(tb, r, p, margin, [&](int g, unsigned mask, int h) {
        found.insert({g, h});
        own[{g, h}] = mask;
      });
      std::vector<int> at_a(a.size()), at_b(b.size());
      for (int i = 0; i < n; ++i) at_a[at_index(ta.item(i))] = i;
      for (int i = 0; i < m; ++i) at_b[at_index(tb.item(i))] = i;
      std::set<std::pair<int, int>> wanted;
      // No pair twice, none missing, none of groups that are farther apart than their boxes.
      EXPECT_EQ(std::set(found.begin(), found.end()).size(), found.size());
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
          if (!a[at_index(i)].overlaps(turned(b[at_index(j)], r, p), margin)) continue;
          wanted.insert({at_a[at_index(i)] / 8, at_b[at_index(j)] / 8});
          EXPECT_TRUE(own[*wanted.find({at_a[at_index(i)] / 8, at_b[at_index(j)] / 8})] >>
                          at_a[at_index(i)] % 8 &
                      1);
          EXPECT_TRUE(tb.in_group(at_b[at_index(j)] / 8, WideTree::rounded(b[at_index(j)])) >>
                          at_b[at_index(j)] % 8 &
                      1);
        }
      for (const auto& pair : wanted) EXPECT_EQ(found.count(pair), 1u);
      if (n <= 8 && m <= 8) continue;
      for (const auto& [g, h] : found)
        EXPECT_TRUE(group_box(a, ta, g).overlaps(turned(group_box(b, tb, h), r, p),
                                                 margin * (1 + 1e-5) + 1e-5));
    }
  }
}

TEST(WideTree, FindsTheNearest) {
  for (const int n : {1, 9, 300, 3000}) {
    const std::vector<Aabb> boxes = some_boxes(n, 6);
    const WideTree tree(boxes);
    int looked = 0;
    for (const Aabb& q : some_boxes(200, 7)) {
      const Vec3d p = q.lo * 1.5;
      double best = 1e300;
      const auto look = [&](int group, unsigned mask) {
        for (int k = 0; k < 8; ++k)
          if (mask >> k & 1)
            ++looked, best = std::min(
                          best, boxes[at_index(tree.item(8 * group + k))].squared_distance(p));
        return best;
      };
      double least = 1e300;
      for (const Aabb& b : boxes) least = std::min(least, b.squared_distance(p));
      tree.nearest_groups<false>(p, 1e300, look);
      EXPECT_EQ(best, least);
      best = 1e300;
      tree.nearest_groups<true>(p, 1e300, look);
      EXPECT_EQ(best, least);
    }
    EXPECT_LT(looked, 2 * 200 * std::min(n, 80) + 1);
  }
}

TEST(WideTree, IsTheSameForAnyNumberOfThreads) {
  const std::vector<Aabb> boxes = some_boxes(200000, 8);
  const auto order = [&](int threads) {
    set_thread_count(threads);
    std::vector<int> o = spatial_order(boxes);
    set_thread_count(0);
    return o;
  };
  const std::vector<int> one = order(1);
  EXPECT_EQ(one, order(2));
  EXPECT_EQ(one, order(5));
  std::vector<int> all = one;
  std::sort(all.begin(), all.end());
  for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<int>(i));
}

}  // namespace
}  // namespace haptos
