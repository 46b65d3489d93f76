// The law of point contact with its impulse as an unknown (sap_impulse.h), by itself and in one
// contact.
#include "haptos/contact/frozen/law/sap_impulse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support.h"

namespace haptos {
namespace {

// A stiff contact: bodies of some 1 / kg, and a compliance of a thousandth and less of it.
SapContact<double> stiff(test::Random& random, double lagged) {
  SapContact<double> c;
  c.friction = 0.5;
  c.r_t = 1e-3;
  c.r_n = 2e-4;
  c.v_hat = 0.1 * random.vector();
  c.lagged = lagged;
  return c;
}
// Velocities at which it opens, sticks and slips in turn.
Vec3d velocity(const SapContact<double>& c, int k, test::Random& random) {
  Vec3d v = random.vector() * (k % 3 == 1 ? 1e-6 : 0.1) + c.v_hat;
  v[2] = c.v_hat[2] + (k % 3 == 0 ? 0.5 : k % 3 == 1 ? -1e-4 : -1e-3);
  return v;
}

TEST(SapImpulse, OfTheLawAnswersItselfWithItsOwnHessianAtAnySoftness) {
  test::Random random(3);
  int seen[3] = {0, 0, 0};
  for (int k = 0; k < 300; ++k) {
    const SapContact<double> c = stiff(random, k % 2 ? -1 : 2.0);
    const Vec3d v = velocity(c, k, random);
    const SapValue<double> law = sap_law(c, v);
    ++seen[law.stick ? 0 : law.slip ? 1 : 2];
    for (const double softness : {0.0, 0.1, 1.0, 30.0}) {
      const SapStep s = sap_step(c, v, law.impulse, softness);
      EXPECT_EQ(s.stick, law.stick) << k;
      EXPECT_EQ(s.slip, law.slip) << k;
      EXPECT_LT(norm(s.base - law.impulse), 1e-9 * (1 + norm(law.impulse))) << k;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          EXPECT_NEAR(s.give(i, j), law.hessian(i, j), 1e-8 / c.r_n) << k << " " << softness;
    }
  }
  for (const int n : seen) EXPECT_GE(n, 50);
}

TEST(SapImpulse, SolvesAStiffContactOfABodyInAFewStepsFromNothing) {
  // M (v - v_free) = gamma for a mass matrix that couples directions, gamma by the law at v.
  test::Random random(4);
  int most = 0;
  for (int k = 0; k < 200; ++k) {
    SapContact<double> c = stiff(random, -1);
    c.r_n = c.r_t = 1e-6;
    const Mat3d a = columns(random.vector(), random.vector(), random.vector());
    const Mat3d mass = a * transpose(a) + Mat3d::identity();
    const Vec3d free = random.vector() - Vec3d{{0, 0, 1}};
    Vec3d v = free, gamma = Vec3d::zero();
    int n = 0;
    for (; n < 30; ++n) {
      const SapStep s = sap_step(c, v, gamma, 1);
      const Vec3d dv = inverse(mass + s.give) * (s.base - mass * (v - free));
      v += dv;
      gamma = s.base - s.give * dv;
      if (norm(sap_law(c, v).impulse - gamma) <= 1e-6 * norm(gamma) + 1e-12) break;
    }
    most = std::max(most, n + 1);
    EXPECT_LT(norm(mass * (v - free) - sap_law(c, v).impulse), 1e-5 * (1 + norm(gamma))) << k;
  }
  std::printf("FIGURE sap_impulse.most_steps = %d\n", most);
  EXPECT_LE(most, 10);
}

}  // namespace
}  // namespace haptos
