// What holds of every law of point contact that has its impulse as an unknown
// (contact/frozen/law/sap_impulse.h and its siblings).
#pragma once

#include <gtest/gtest.h>

#include "haptos/contact/frozen/law/sap_impulse.h"
#include "tests/support.h"

namespace haptos::test {

/// That an impulse of the law answers itself, with the law's own Hessian.
inline void expect_answers_itself(const SapValue<double>& law, const SapStep& s, double close,
                                  double close_give) {
  EXPECT_EQ(s.stick, law.stick);
  EXPECT_EQ(s.slip, law.slip);
  EXPECT_LT(norm(s.base - law.impulse), close * (1 + norm(law.impulse)));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(s.give(i, j), law.hessian(i, j), close_give);
}

/// Steps that Newton takes from no impulse to M (v - v_free) = gamma, gamma by the law at v, for a
/// mass matrix that couples directions. law(v) and step(v, gamma) are of one contact.
template <class Law, class Step>
int steps_from_nothing(Random& random, const Law& law, const Step& step) {
  const Mat3d a = columns(random.vector(), random.vector(), random.vector());
  const Mat3d mass = a * transpose(a) + Mat3d::identity();
  const Vec3d free = random.vector() - Vec3d{{0, 0, 1}};
  Vec3d v = free, gamma = Vec3d::zero();
  int n = 0;
  for (; n < 30; ++n) {
    const SapStep s = step(v, gamma);
    const Vec3d dv = inverse(mass + s.give) * (s.base - mass * (v - free));
    v += dv;
    gamma = s.base - s.give * dv;
    if (norm(law(v).impulse - gamma) <= 1e-6 * norm(gamma) + 1e-12) break;
  }
  EXPECT_LT(norm(mass * (v - free) - law(v).impulse), 1e-5 * (1 + norm(gamma)));
  return n + 1;
}

}  // namespace haptos::test
