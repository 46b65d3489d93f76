// Hunt and Crossley's laws of point contact: derivatives by differences in every region, convexity,
// friction on the cone, lanes.
#include "haptos/contact/frozen/law/hunt_crossley.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "haptos/base/math/lanes.h"
#include "tests/support.h"

namespace haptos {
namespace {

using Contact = HuntCrossleyContact<double>;

// h 1 ms, k 1e5 N/m: 1 mm deep, so it opens at 1 m/s by its spring and at 1 / d by its damper.
Contact contact(bool similar, double d, double gap = -1e-3) {
  const double lagged = 0.08;
  return {0.5, 1e-3, gap, 1e5, d, 0.02, similar ? -1 : lagged, 0.01, -0.02};
}

struct Errors {
  double gradient = 0, hessian = 0;
};
Errors differences(const Contact& c, const Vec3d& v) {
  const SapValue<double> at = hunt_crossley_law(c, v);
  const double e = 1e-6;
  double size = 1e-300, g = 0, h = 0;
  for (const double x : at.hessian.a) size = std::max(size, std::abs(x));
  for (int k = 0; k < 3; ++k) {
    Vec3d lo = v, hi = v;
    lo[k] -= e;
    hi[k] += e;
    const SapValue<double> l = hunt_crossley_law(c, lo), u = hunt_crossley_law(c, hi);
    g = std::max(g, std::abs((u.cost - l.cost) / (2 * e) + at.impulse[k]));
    for (int i = 0; i < 3; ++i)
      h = std::max(h, std::abs((u.impulse[i] - l.impulse[i]) / (2 * e) + at.hessian(i, k)));
  }
  return {g / std::max(norm(at.impulse), 1e-12), h / size};
}

TEST(HuntCrossleyLaw, GradientAndHessianMatchDifferencesInEveryRegion) {
  test::Random random(3);
  for (const bool similar : {false, true}) {
    Errors worst;
    int sticks = 0, slips = 0, opens = 0;
    for (int n = 0; n < 4000; ++n) {
      const Contact c = contact(similar,
                                n % 3 == 0   ? 0
                                : n % 3 == 1 ? 0.3
                                             : 20,
                                n % 5 == 0 ? 2e-4 : -1e-3);
      const double reach = n % 2 == 0 ? 0.02 : 0.5;
      const Vec3d v{{reach * random(), reach * random(), 1.5 * random()}};
      const double slip = std::hypot(v[0] - c.v_hat_1, v[1] - c.v_hat_2);
      const double z = v[2] - (similar ? c.friction * (slip - 0.5 * c.slip_speed) : 0);
      const double open = std::min(-c.gap / c.step, c.dissipation > 0 ? 1 / c.dissipation : 1e300);
      // Not across a transition, where second derivatives jump.
      if (std::abs(slip - c.slip_speed) < 1e-4 || std::abs(z - open) < 2e-2) continue;
      const SapValue<double> at = hunt_crossley_law(c, v);
      (at.stick ? sticks : at.slip ? slips : opens) += 1;
      const Errors e = differences(c, v);
      worst.gradient = std::max(worst.gradient, e.gradient);
      worst.hessian = std::max(worst.hessian, e.hessian);
    }
    std::printf("FIGURE hunt_crossley.%s.gradient = %.1e\n", similar ? "similar" : "lagged",
                worst.gradient);
    std::printf("FIGURE hunt_crossley.%s.hessian = %.1e\n", similar ? "similar" : "lagged",
                worst.hessian);
    EXPECT_LT(worst.gradient, 1e-6);
    EXPECT_LT(worst.hessian, 1e-5);
    EXPECT_GT(sticks, 100);
    EXPECT_GT(slips, 500);
    if (similar) {
      EXPECT_GT(opens, 300);
    }
  }
}

TEST(HuntCrossleyLaw, ImpulseAndCostAreContinuousWhereItOpensAndWhereItSticks) {
  for (const bool similar : {false, true})
    for (const double d : {0.0, 0.3, 20.0}) {
      const Contact c = contact(similar, d);
      const auto jump = [&](const Vec3d& v, int k, double e) {
        Vec3d lo = v, hi = v;
        lo[k] -= e;
        hi[k] += e;
        const SapValue<double> l = hunt_crossley_law(c, lo), u = hunt_crossley_law(c, hi);
        return norm(u.impulse - l.impulse) + std::abs(u.cost - l.cost);
      };
      const double open = std::min(1.0, d > 0 ? 1 / d : 1e300);
      EXPECT_LT(jump({{0.01, -0.02, open}}, 2, 1e-9), 1e-6);
      EXPECT_LT(jump({{0.01 + c.slip_speed, -0.02, 0}}, 0, 1e-9), 1e-6);
    }
}

TEST(HuntCrossleyLaw, TheHessianIsPositiveSemiDefinite) {
  test::Random random(9);
  for (int n = 0; n < 4000; ++n) {
    const Contact c = contact(n % 2 == 0, n % 3 == 0 ? 0 : 10 * (1 + random()));
    const double reach = n % 7 < 3 ? 0.02 : 2;
    const SapValue<double> at =
        hunt_crossley_law(c, Vec3d{{reach * random(), reach * random(), 2 * random()}});
    const Eigen::Map<const Eigen::Matrix3d> h(at.hessian.a);
    const Eigen::Vector3d w = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(h).eigenvalues();
    EXPECT_GE(w[0], -1e-14 * w[2]);
    EXPECT_GE(at.cost, 0);
  }
}

TEST(HuntCrossleyLaw, AtRestTheSpringCarriesAndWhatSlipsIsOnTheCone) {
  for (const bool similar : {false, true})
    for (const double d : {0.0, 20.0}) {
      Contact c = contact(similar, d);
      c.v_hat_1 = c.v_hat_2 = 0;
      // k times depth times h.
      EXPECT_NEAR(hunt_crossley_law(c, Vec3d{{0, 0, 0}}).impulse[2], 0.1, 1e-16);
      c.lagged = similar ? -1 : 0.1;
      for (const double speed : {0.021, 0.5, 10.0}) {
        const Vec3d g = hunt_crossley_law(c, Vec3d{{0.6 * speed, 0.8 * speed, 0}}).impulse;
        const double pressed = similar ? g[2] : 0.1;
        EXPECT_NEAR(std::hypot(g[0], g[1]), c.friction * pressed, 1e-15 * (1 + pressed));
        EXPECT_NEAR(g[0] * 0.8, g[1] * 0.6, 1e-14 * (1 + pressed));
        EXPECT_LT(g[0], 0);
        if (!similar) {
          EXPECT_NEAR(g[2], 0.1, 1e-16);
        }
      }
    }
}

TEST(HuntCrossleyLaw, EveryLaneEqualsTheScalarLawBitForBit) {
  using P = Pack<double, 4>;
  test::Random random(21);
  for (int n = 0; n < 200; ++n) {
    Contact s[4];
    Vec3d v[4];
    HuntCrossleyContact<P> c;
    Vec3<P> w;
    for (int lane = 0; lane < 4; ++lane) {
      s[lane] = contact((n + lane) % 2 == 0, lane == 0 ? 0 : 10 * lane);
      v[lane] = Vec3d{{0.1 * random(), 0.02 * random(), random()}};
      c.friction.set(lane, s[lane].friction);
      c.step.set(lane, s[lane].step);
      c.gap.set(lane, s[lane].gap);
      c.stiffness.set(lane, s[lane].stiffness);
      c.dissipation.set(lane, s[lane].dissipation);
      c.slip_speed.set(lane, s[lane].slip_speed);
      c.lagged.set(lane, s[lane].lagged);
      c.v_hat_1.set(lane, s[lane].v_hat_1);
      c.v_hat_2.set(lane, s[lane].v_hat_2);
      for (int k = 0; k < 3; ++k) w[k].set(lane, v[lane][k]);
    }
    const SapValue<P> r = hunt_crossley_law(c, w);
    for (int lane = 0; lane < 4; ++lane) {
      const SapValue<double> one = hunt_crossley_law(s[lane], v[lane]);
      EXPECT_EQ(r.cost[lane], one.cost);
      for (int k = 0; k < 3; ++k) EXPECT_EQ(r.impulse[k][lane], one.impulse[k]);
      for (int k = 0; k < 9; ++k) EXPECT_EQ(r.hessian.a[k][lane], one.hessian.a[k]);
    }
  }
}

}  // namespace
}  // namespace haptos
