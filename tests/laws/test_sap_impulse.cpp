// The law of point contact with its impulse as an unknown (sap_impulse.h), by itself and in one
// contact.
#include "haptos/contact/frozen/law/sap_impulse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/laws/impulse_suite.h"

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
      SCOPED_TRACE(testing::Message() << k << " " << softness);
      test::expect_answers_itself(law, sap_step(c, v, law.impulse, softness), 1e-9, 1e-8 / c.r_n);
    }
  }
  for (const int n : seen) EXPECT_GE(n, 50);
}

TEST(SapImpulse, SolvesAStiffContactOfABodyInAFewStepsFromNothing) {
  test::Random random(4);
  int most = 0;
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    SapContact<double> c = stiff(random, -1);
    c.r_n = c.r_t = 1e-6;
    most =
        std::max(most, test::steps_from_nothing(
                           random, [&](const Vec3d& v) { return sap_law(c, v); },
                           [&](const Vec3d& v, const Vec3d& g) { return sap_step(c, v, g, 1); }));
  }
  std::printf("FIGURE sap_impulse.most_steps = %d\n", most);
  EXPECT_LE(most, 10);
}

}  // namespace
}  // namespace haptos
