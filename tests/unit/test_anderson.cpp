#include "haptos/solve/newton/anderson.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace haptos {
namespace {

FeaturePair key(int i) {
  FeaturePair k;
  k.feature_a = i;
  return k;
}

// Slopes of g along its own axes: swings ever wider, swings, creeps, runs off.
const double kSlopes[] = {-6, -1, 0.75, 1.5};

LaggedForces fixed_point() {
  LaggedForces x;
  for (int i = 0; i < 4; ++i) x[key(i)] = {{1.0 + i, -2.0 * i, 0.5}};
  return x;
}

double error(const LaggedForces& w) {
  double e = 0;
  for (const auto& [k, x] : fixed_point()) e = std::max(e, norm(w.at(k) - x));
  return e;
}

TEST(AndersonMixing, SettlesWhereTheFixedPointIterationSwingsCreepsOrRunsOff) {
  AndersonMixing mixing;
  LaggedForces w, x = fixed_point();
  for (int i = 0; i < 4; ++i) w[key(i)] = {{0.3 * i, 1, -1}};
  int passes = 0;
  for (; passes < 30 && error(w) > 1e-9; ++passes) {
    LaggedForces g;
    for (int i = 0; i < 4; ++i) g[key(i)] = x[key(i)] + (w[key(i)] - x[key(i)]) * kSlopes[i];
    w = mixing.next(w, g, error(w));
  }
  EXPECT_LE(passes, 12);
  EXPECT_LE(error(w), 1e-9);
}

TEST(AndersonMixing, FirstStepIsTheIterationItself) {
  AndersonMixing mixing;
  const LaggedForces used = {{key(1), {{1, 2, 3}}}}, result = {{key(2), {{4, 5, 6}}}};
  const LaggedForces next = mixing.next(used, result, 1);
  EXPECT_EQ(norm(next.at(key(1))), 0);
  EXPECT_EQ(norm(next.at(key(2)) - Vec3d{{4, 5, 6}}), 0);
}

TEST(AndersonMixing, FindsTheFixedPointBesideAFlatPart) {
  // Flat beyond 2, steep before: 1.1 stays. From the flat part a secant runs to g's value there.
  AndersonMixing mixing;
  double value = 8;
  int passes = 0;
  for (; passes < 40 && std::abs(value - 1.1) > 1e-9; ++passes) {
    const double g = value > 2 ? 0.2 : 1.1 - 4 * (std::min(value, 1.325) - 1.1);
    const LaggedForces next = mixing.next({{key(0), {{value, 0, 0}}}}, {{key(0), {{g, 0, 0}}}},
                                          std::min(std::abs(g - value), 1.0 + 9 * (value < 0.5)));
    value = std::max(0.0, next.at(key(0))[0]);
  }
  EXPECT_LE(passes, 20);
  EXPECT_NEAR(value, 1.1, 1e-9);
}

TEST(AndersonMixing, ContactsThatComeAndGoCountAsZeroWhereTheyAreMissing) {
  // g(w) = 3 - 2 w where w > 0, so it is 1 that stays; the contact is left out where it is 0.
  AndersonMixing mixing;
  LaggedForces w;
  double value = 0;
  for (int pass = 0; pass < 20; ++pass) {
    const double g = std::max(0.0, 3 - 2 * value);
    LaggedForces result;
    if (g > 0) result[key(0)] = {{g, 0, 0}};
    const LaggedForces next = mixing.next(w, result, std::abs(g - value));
    w.clear();
    value = next.count(key(0)) ? std::max(0.0, next.at(key(0))[0]) : 0;
    if (value > 0) w[key(0)] = {{value, 0, 0}};
  }
  EXPECT_NEAR(value, 1, 1e-9);
}

}  // namespace
}  // namespace haptos
