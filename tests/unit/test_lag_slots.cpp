// Lagged forces as flat vectors: what comes and goes finds its slot again.
#include "haptos/solve/lags/lag_slots.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "haptos/contact/friction/lag_key.h"
#include "haptos/solve/lags/anderson.h"

namespace haptos {
namespace {

LagVector next_of(AndersonMixing& mixing, const LagVector& used, const LagVector& result,
                  double merit) {
  LagVector out;
  mixing.next(used, result, merit, out);
  return out;
}

LagRow row(std::int64_t feature, double used, double now) {
  LagRow r;
  FeaturePair key;
  key.feature_a = feature;
  r.key = lag_key(key);
  r.was = used != 0;
  r.is = now != 0;
  r.used = {{used, 0, 0}};
  r.now = r.next = {{now, 0, 0}};
  return r;
}

TEST(LagSlots, KeysAreInTheOrderOfTheirPairs) {
  // The first that differs decides, and numbers below 0 come first.
  const FeaturePair pairs[] = {{0, 1, 2, 0, 0, 9, 0}, {0, 1, 2, 0, 1, 3, 0},
                               {0, 1, 3, 0, 0, 0, 0}, {0, -1, 3, 0, 0, 0, 0},
                               {1, 0, 0, 0, 0, 0, 0}, {0, 1, 2, 0, 0, -9, 5}};
  for (const FeaturePair& a : pairs)
    for (const FeaturePair& b : pairs) EXPECT_EQ(a < b, lag_key(a) < lag_key(b));
}

TEST(LagSlots, NewKeysComeBetweenTheirNeighbours) {
  LagSlots slots;
  const std::vector<LagRow> first = {row(8, 1, 2), row(4, 3, 4)};
  EXPECT_TRUE(slots.take(first));
  EXPECT_TRUE(slots.moved().empty());
  EXPECT_FALSE(slots.take(first));
  const std::vector<LagRow> second = {row(6, 5, 6), row(2, 7, 8), row(6, 5, 7)};
  EXPECT_TRUE(slots.take(second));
  EXPECT_EQ(slots.size(), 4);
  EXPECT_EQ(slots.moved(), (std::vector<int>{1, 3}));
  LagVector used, now;
  slots.gather(first, used, now);
  const double expected[] = {0, 3, 0, 1};  // of keys 2, 4, 6, 8
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(used[i][0], expected[i]);
  slots.gather(second, used, now);
  const double later[] = {8, 0, 7, 0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(now[i][0], later[i]);
}

TEST(LagSlots, ARowWithoutASlotIsNotKnown) {
  LagSlots slots;
  slots.take(std::vector<LagRow>{row(1, 1, 1), row(3, 1, 1)});
  std::vector<LagRow> rows = {row(3, 1, 1), row(2, 1, 1)};
  slots.scatter({{{5, 0, 0}}, {{6, 0, 0}}}, rows);
  EXPECT_TRUE(rows[0].known);
  EXPECT_EQ(rows[0].next[0], 6);
  EXPECT_FALSE(rows[1].known);
  EXPECT_EQ(norm(rows[1].next), 0);
}

TEST(LagSlots, ContactsThatComeAndGoCountAsZeroWhereTheyAreMissing) {
  // g(w) = 3 - 2 w where w > 0, so it is 1 that stays; the contact is left out where it is 0.
  // Beside it one that is there in every other pass.
  LagSlots slots;
  AndersonMixing mixing;
  double value = 0;
  for (int pass = 0; pass < 20; ++pass) {
    const double g = std::max(0.0, 3 - 2 * value);
    std::vector<LagRow> rows;
    if (value > 0 || g > 0) rows.push_back(row(5, value, g));
    if (pass % 2 == 1) rows.push_back(row(pass % 4, 0, 0));
    if (slots.take(rows)) mixing.move(slots.moved(), slots.size());
    LagVector used, now;
    slots.gather(rows, used, now);
    slots.scatter(next_of(mixing, used, now, std::abs(g - value)), rows);
    value = 0;
    for (const LagRow& r : rows)
      if (r.key == row(5, 1, 1).key) value = std::max(0.0, r.next[0]);
  }
  EXPECT_NEAR(value, 1, 1e-9);
}

}  // namespace
}  // namespace haptos
