#include "haptos/solve/lags/anderson.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace haptos {
namespace {

// Slopes of g along its own axes: swings ever wider, swings, creeps, runs off.
const double kSlopes[] = {-6, -1, 0.75, 1.5};

LagVector next_of(AndersonMixing& mixing, const LagVector& used, const LagVector& result,
                  double merit) {
  LagVector out;
  mixing.next(used, result, merit, out);
  return out;
}

LagVector fixed_point() {
  LagVector x;
  for (int i = 0; i < 4; ++i) x.push_back({{1.0 + i, -2.0 * i, 0.5}});
  return x;
}

double error(const LagVector& w) {
  const LagVector x = fixed_point();
  double e = 0;
  for (std::size_t i = 0; i < x.size(); ++i) e = std::max(e, norm(w[i] - x[i]));
  return e;
}

TEST(AndersonMixing, SettlesWhereTheFixedPointIterationSwingsCreepsOrRunsOff) {
  AndersonMixing mixing;
  LagVector w, x = fixed_point();
  for (int i = 0; i < 4; ++i) w.push_back({{0.3 * i, 1, -1}});
  int passes = 0;
  for (; passes < 30 && error(w) > 1e-9; ++passes) {
    LagVector g;
    for (std::size_t i = 0; i < 4; ++i) g.push_back(x[i] + (w[i] - x[i]) * kSlopes[i]);
    w = next_of(mixing, w, g, error(w));
  }
  EXPECT_LE(passes, 12);
  EXPECT_LE(error(w), 1e-9);
}

TEST(AndersonMixing, FirstStepIsTheIterationItself) {
  AndersonMixing mixing;
  const LagVector used = {{{1, 2, 3}}, {{0, 0, 0}}}, result = {{{0, 0, 0}}, {{4, 5, 6}}};
  const LagVector next = next_of(mixing, used, result, 1);
  EXPECT_EQ(norm(next[0]), 0);
  EXPECT_EQ(norm(next[1] - Vec3d{{4, 5, 6}}), 0);
}

TEST(AndersonMixing, FindsTheFixedPointBesideAFlatPart) {
  // Flat beyond 2, steep before: 1.1 stays. From the flat part a secant runs to g's value there.
  AndersonMixing mixing;
  double value = 8;
  int passes = 0;
  for (; passes < 40 && std::abs(value - 1.1) > 1e-9; ++passes) {
    const double g = value > 2 ? 0.2 : 1.1 - 4 * (std::min(value, 1.325) - 1.1);
    const LagVector next = next_of(mixing, {{{value, 0, 0}}}, {{{g, 0, 0}}},
                                   std::min(std::abs(g - value), 1.0 + 9 * (value < 0.5)));
    value = std::max(0.0, next[0][0]);
  }
  EXPECT_LE(passes, 20);
  EXPECT_NEAR(value, 1.1, 1e-9);
}

// A slot that comes between two passes changes nothing where its force is 0.
TEST(AndersonMixing, GoesOnWhereSlotsHaveMoved) {
  AndersonMixing plain, moved;
  LagVector w = {{{2, 0, 1}}}, wide = w;
  for (int pass = 0; pass < 4; ++pass) {
    if (pass == 2) {
      moved.move({1}, 3);
      move_slots({1}, 3, wide);
      ASSERT_EQ(wide.size(), 3u);
    }
    const std::size_t slot = pass < 2 ? 0 : 1;
    const Vec3d g = Vec3d{{3, -1, 0}} - w[0] * 2;
    LagVector result(wide.size(), Vec3d::zero());
    result[slot] = g;
    const double merit = norm(g - w[0]);
    w = next_of(plain, w, {g}, merit);
    wide = next_of(moved, wide, result, merit);
    for (std::size_t i = 0; i < wide.size(); ++i)
      EXPECT_EQ(norm(wide[i] - (i == slot ? w[0] : Vec3d::zero())), 0) << pass;
  }
}

}  // namespace
}  // namespace haptos
