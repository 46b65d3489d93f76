// Hunt and Crossley's laws with their impulse as an unknown (hunt_crossley_impulse.h), by
// themselves and in one contact.
#include "haptos/contact/frozen/law/hunt_crossley_impulse.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/laws/impulse_suite.h"

namespace haptos {
namespace {

using Contact = HuntCrossleyContact<double>;

// h 10 ms, k 1e8 N/m between bodies of some 1 / kg: a compliance of 1e-4 / kg.
Contact stiff(test::Random& random, bool similar, double dissipation) {
  const Vec3d r = random.vector();
  return {0.5,        1e-2,      1e-4 * r[2], 1e8, dissipation, 1e-4, similar ? -1 : 2.0,
          0.1 * r[0], 0.1 * r[1]};
}
// Velocities at which it opens, sticks and slips in turn.
Vec3d velocity(const Contact& c, int k, test::Random& random) {
  const double opens = std::min(-c.gap / c.step, 1 / std::max(c.dissipation, 1e-300));
  Vec3d v = random.vector() * (k % 3 == 1 ? 1e-5 : 0.1) + Vec3d{{c.v_hat_1, c.v_hat_2, 0}};
  v[2] = opens + (k % 3 == 0 ? 0.5 : -1e-4);
  return v;
}

TEST(HuntCrossleyImpulse, OfTheLawAnswersItselfWithItsOwnHessianAtAnySoftness) {
  test::Random random(3);
  int seen[3] = {0, 0, 0};
  for (int k = 0; k < 300; ++k) {
    const Contact c = stiff(random, k % 2 == 0, k % 4 < 2 ? 0 : 20);
    const Vec3d v = velocity(c, k, random);
    const SapValue<double> law = hunt_crossley_law(c, v);
    ++seen[law.stick ? 0 : law.slip ? 1 : 2];
    for (const double softness : {0.0, 0.1, 1.0, 30.0}) {
      SCOPED_TRACE(testing::Message() << k << " " << softness);
      test::expect_answers_itself(law, hunt_crossley_step(c, v, law.impulse, softness), 1e-7,
                                  1e-7 * c.step * c.step * c.stiffness);
    }
  }
  for (const int n : seen) EXPECT_GE(n, 50);
}

TEST(HuntCrossleyImpulse, AnswersTheLawAtTheVelocityThatItsSoftnessMoves) {
  test::Random random(5);
  for (int k = 0; k < 300; ++k) {
    const Contact c = stiff(random, k % 2 == 0, k % 4 < 2 ? 0 : 20);
    const Vec3d v = random.vector(), gamma = random.vector() + Vec3d{{0, 0, 1}};
    for (const double softness : {0.1, 1.0, 30.0}) {
      const Vec3d answer = hunt_crossley_step(c, v, gamma, softness).answer;
      const Vec3d w = v + softness * (answer - gamma);
      // Velocities are right to round-off, which the stiffness multiplies.
      const double close = 1e-13 * c.step * c.step * c.stiffness * (1 + softness * norm(gamma));
      EXPECT_LT(norm(hunt_crossley_law(c, w).impulse - answer), close) << k << " " << softness;
      if (c.lagged < 0) continue;
      EXPECT_NEAR(soft_normal(c, v, gamma, softness), answer[2], close);
    }
  }
}

TEST(HuntCrossleyImpulse, TellsHowTheAnswerChangesWithTheVelocity) {
  // gamma' follows v with (1 + G E)^-1 G, so base does with G.
  test::Random random(6);
  const double softness = 1, e = 1e-7;
  for (int k = 0; k < 100; ++k) {
    Contact c = stiff(random, k % 2 == 0, 20);
    c.stiffness = 1e4;  // stiffer ones leave only round-off of a difference of velocities
    const Vec3d v = random.vector(), gamma = random.vector() + Vec3d{{0, 0, 1}};
    const SapStep at = hunt_crossley_step(c, v, gamma, softness);
    const Mat3d follow = inverse(Mat3d::identity() + softness * at.give) * at.give;
    for (int j = 0; j < 3; ++j) {
      Vec3d lo = v, hi = v;
      lo[j] -= e;
      hi[j] += e;
      const Vec3d change = (1 / (2 * e)) * (hunt_crossley_step(c, hi, gamma, softness).answer -
                                            hunt_crossley_step(c, lo, gamma, softness).answer);
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(change[i], -follow(i, j), 1e-5) << k;
    }
  }
}

TEST(HuntCrossleyImpulse, SolvesAStiffContactOfABodyInAFewStepsFromNothing) {
  test::Random random(4);
  int most = 0;
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const Contact c = stiff(random, true, k % 4 < 2 ? 0 : 20);
    most = std::max(
        most, test::steps_from_nothing(
                  random, [&](const Vec3d& v) { return hunt_crossley_law(c, v); },
                  [&](const Vec3d& v, const Vec3d& g) { return hunt_crossley_step(c, v, g, 1); }));
  }
  std::printf("FIGURE hunt_crossley_impulse.most_steps = %d\n", most);
  EXPECT_LE(most, 10);
}

}  // namespace
}  // namespace haptos
