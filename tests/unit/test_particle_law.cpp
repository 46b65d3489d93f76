// Laws of material points: what yields, by both mappings, and the pressure of a liquid.
#include <gtest/gtest.h>

#include "haptos/base/math/rotation.h"
#include "haptos/bodies/particles/particle_law.h"

namespace haptos {
namespace {

ParticleMaterial clay(double young, double poisson, double eta, bool published) {
  ParticleMaterial m;
  m.lame = lame(young, poisson);
  m.yield = eta;
  m.published = published;
  return m;
}

Mat3d diagonal(double a, double b, double c) { return {{a, 0, 0, 0, b, 0, 0, 0, c}}; }

// E 1e5, nu .4: mu 35714.286; eta 6e3: the deviator of the stretch may be .084.
TEST(ReturnMapping, AStretchedPointYieldsToTheNumbersOfTheMethod) {
  for (const bool published : {true, false}) {
    Mat3d F = diagonal(1.2, 1, 1);
    double flow = 0;
    EXPECT_TRUE(map_back(clay(1e5, 0.4, 6e3, published), Mat3d::identity(), F, flow));
    EXPECT_NEAR(F(0, 0), 1.135253, 1e-6);
    EXPECT_NEAR(F(1, 1), 1.032374, 1e-6);
    EXPECT_NEAR(F(2, 2), 1.032374, 1e-6);
    EXPECT_NEAR(det(F), 1.209948, 1e-6);
    EXPECT_NEAR(flow, std::sqrt(2.0 / 3.0) * 0.2 - 0.084, 1e-12);
    // What is left over of the whole deformation is plastic.
    const Mat3d plastic = inverse(F) * diagonal(1.2, 1, 1);
    EXPECT_NEAR(plastic(0, 0), 1.057033, 1e-6);
    EXPECT_NEAR(plastic(1, 1), 0.968641, 1e-6);
    EXPECT_NEAR(det(plastic), 0.99178, 1e-5);
    EXPECT_NEAR(trace(F), 3.2, 1e-12);  // the trace is kept, the volume is not
  }
}

// The deviator of tau = mu (b - I) + ... comes back to the yield, along itself; nothing turns.
TEST(ReturnMapping, ANeoHookeanPointComesBackToTheYieldStress) {
  ParticleMaterial m = clay(1e5, 0.4, 6e3, false);
  m.law = ParticleLaw::kNeoHookean;
  const auto deviator = [&](const Mat3d& F) {
    const Mat3d tau = m.lame.mu * (F * transpose(F));
    return tau - (trace(tau) / 3) * Mat3d::identity();
  };
  const Mat3d trial = {{1.3, 0.4, 0, -0.2, 0.9, 0.1, 0.3, 0, 1.1}};
  Mat3d F = trial;
  double flow = 0;
  EXPECT_TRUE(map_back(m, Mat3d::identity(), F, flow));
  const Mat3d before = deviator(trial), after = deviator(F);
  EXPECT_NEAR(sqrt(inner(after, after)), 6e3, 1e-8);
  EXPECT_NEAR(inner(before, after), 6e3 * sqrt(inner(before, before)), 1e-4);
  EXPECT_NEAR(flow, (sqrt(inner(before, before)) - 6e3) / (2 * m.lame.mu), 1e-12);
  EXPECT_NEAR(trace(F * transpose(F)), trace(trial * transpose(trial)), 1e-12);
  Mat3d within = diagonal(1.01, 1, 1);
  map_back(m, Mat3d::identity(), within, flow);
  EXPECT_EQ(flow, 0);
  EXPECT_EQ(within(0, 0), 1.01);
}

TEST(ReturnMapping, YieldBeginsWhereTheDeviatorSaysSo) {
  struct Onset {
    double young, eta, stretch, shear;
  };
  for (const Onset& o : {Onset{1e5, 6e3, 0.10288, 0.11879}, Onset{2e4, 1e3, 0.08573, 0.09899}})
    for (const bool published : {true, false}) {
      const ParticleMaterial m = clay(o.young, 0.4, o.eta, published);
      const auto flows = [&](Mat3d F) {
        double flow = 0;
        map_back(m, Mat3d::identity(), F, flow);
        return flow > 0;
      };
      EXPECT_FALSE(flows(diagonal(1 + 0.9999 * o.stretch, 1, 1)));
      EXPECT_TRUE(flows(diagonal(1 + 1.0001 * o.stretch, 1, 1)));
      // Simple shear g has the symmetric part g / 2 off the diagonal, twice; its stretch differs
      // from that in second order.
      const auto sheared = [](double g) { return Mat3d{{1, g, 0, 0, 1, 0, 0, 0, 1}}; };
      const double margin = published ? 1e-4 : 5e-3;
      EXPECT_FALSE(flows(sheared((1 - margin) * o.shear)));
      EXPECT_TRUE(flows(sheared((1 + margin) * o.shear)));
    }
}

TEST(ReturnMapping, OnlyThePublishedOneTakesATurnForAStretch) {
  const Mat3d turn = to_matrix(rotation_by({{0, 0, 0.5}}));
  for (const bool published : {true, false}) {
    Mat3d F = turn;
    double flow = 0;
    EXPECT_TRUE(map_back(clay(1e5, 0.4, 6e3, published), Mat3d::identity(), F, flow));
    // cos(.5) - 1 along two axes: a deviator of sqrt(2/3) x .122.
    EXPECT_NEAR(flow, published ? std::sqrt(2.0 / 3.0) * (1 - std::cos(0.5)) - 0.084 : 0, 1e-12);
  }
}

TEST(ReturnMapping, TheStretchMappingDoesNotChangeUnderTurns) {
  const Mat3d F = {{1.3, 0.1, -0.05, 0.02, 0.9, 0.07, 0, 0.03, 1.1}};
  const Mat3d a = to_matrix(rotation_by({{0.3, -1.2, 0.8}}));
  const ParticleMaterial m = clay(1e5, 0.4, 6e3, false);
  Mat3d plain = F, turned = a * F;
  double flow = 0, same = 0;
  map_back(m, Mat3d::identity(), plain, flow);
  map_back(m, Mat3d::identity(), turned, same);
  EXPECT_GT(flow, 0);
  EXPECT_NEAR(flow, same, 1e-13);
  const Mat3d off = turned - a * plain;
  EXPECT_LT(std::sqrt(inner(off, off)), 1e-13);
}

TEST(ReturnMapping, ATurnOfNinetyDegreesHasNoPublishedAnswerAndIsMappedByItsStretch) {
  Mat3d F = to_matrix(rotation_by({{0, 0, 1.5707963}})) * diagonal(1.2, 1, 1);
  double flow = 0;
  EXPECT_FALSE(map_back(clay(1e5, 0.4, 6e3, true), Mat3d::identity(), F, flow));
  EXPECT_NEAR(std::sqrt(inner(F, F)), std::sqrt(1.135253 * 1.135253 + 2 * 1.032374 * 1.032374),
              1e-5);
}

TEST(Liquid, PressureIsThatOfItsEquationAndItsEnergyIsConvex) {
  const double K = 1.43e4;
  double slope = -1e300;
  for (double J = 0.05; J < 1.3; J += 1e-3) {
    const Curve<double> c = liquid_energy(K, J);
    if (J > 0.51) {
      EXPECT_NEAR(-c.first, K * (std::pow(J, -7) - 1), 1e-9 * K * std::pow(J, -7));
    }
    EXPECT_GE(c.first, slope);
    EXPECT_GE(c.second, 0);
    slope = c.first;
    const double d = 1e-6;
    const double up = liquid_energy(K, J + d).value, down = liquid_energy(K, J - d).value;
    EXPECT_NEAR((up - down) / (2 * d), c.first, 1e-5 * K * std::max(1.0, std::pow(J, -8)));
  }
}

}  // namespace
}  // namespace haptos
