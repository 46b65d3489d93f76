// A thick pad against Hertz' half-space times the factor of Dimitriadis et al. (2002) for a bonded
// layer, at chi = sqrt(R d) / h of 0.1: force within 2 %.
#include <cstdio>

#include "tests/scenes/round_press.h"

namespace haptos {
namespace {

using test::RoundPress;
using test::RoundPressResult;

constexpr double kPi = 3.14159265358979323846;

double hertz(double E, double nu, double R, double d) {
  return 4.0 / 3.0 * E / (1 - nu * nu) * std::sqrt(R) * std::pow(d, 1.5);
}

double dimitriadis(double nu, double chi) {
  const double a = -(1.2876 - 1.4678 * nu + 1.3442 * nu * nu) / (1 - nu);
  const double b = (0.6387 - 1.0277 * nu + 1.5164 * nu * nu) / (1 - nu);
  return 1 - 2 * a / kPi * chi + 4 * a * a / (kPi * kPi) * chi * chi -
         8 / std::pow(kPi, 3) * (a * a * a + 4 * kPi * kPi / 15 * b) * std::pow(chi, 3) +
         16 * a / std::pow(kPi, 4) * (a * a * a + 3 * kPi * kPi / 5 * b) * std::pow(chi, 4);
}

RoundPress scene(double h, double poisson, double pad_radius, double growth) {
  RoundPress p;
  p.ball_radius = 20e-3;
  p.facet = 0.15e-3;
  p.cap = 0.08e-3;
  p.thickness = 10.2e-3;
  p.pad_radius = pad_radius;
  p.grading = PadGrading{h, 4e-3, h, 8e-3, growth};
  p.poisson = poisson;
  p.support = 1e-6;
  p.commands = {4.9e-5};
  return p;
}

double relative_force(double h, double poisson, double pad_radius, double growth) {
  const RoundPress p = scene(h, poisson, pad_radius, growth);
  const RoundPressResult r = press(p).front();
  const double chi = std::sqrt(p.ball_radius * r.depth) / p.thickness;
  EXPECT_LE(chi, 0.1);
  return r.force / (hertz(p.young, poisson, p.ball_radius, r.depth) * dimitriadis(poisson, chi));
}

TEST(ThickPad, FactorOfABondedLayerHasTheTabulatedValues) {
  EXPECT_NEAR(dimitriadis(0.48, std::sqrt(4 * 0.25) / 4), 1.358, 1e-3);
  EXPECT_NEAR(dimitriadis(0.48, std::sqrt(4 * 1.0) / 4), 1.917, 1e-3);
  EXPECT_NEAR(dimitriadis(0.40, std::sqrt(4 * 0.5) / 4), 1.474, 1e-3);
  EXPECT_NEAR(dimitriadis(0.50, 0.1), 1 + 0.1133 + 0.01283 + 0.000769 + 0.00000975, 2e-4);
}

TEST(ThickPad, ForceOfABallIsThatOfHertzTimesDimitriadis) {
  for (const double poisson : {0.48, 0.40})
    EXPECT_NEAR(relative_force(0.3e-3, poisson, 30e-3, 1.8), 1, 0.02) << poisson;
}

TEST(FullThickPad, ForceHoldsOnFinerAndWiderPads) {
  for (const double poisson : {0.48, 0.40})
    for (const double h : {0.6e-3, 0.3e-3, 0.2e-3}) {
      const double error = relative_force(h, poisson, 50e-3, 1.6) - 1;
      std::printf("FIGURE thick_pad.force_error.nu%.2f.h%.2f = %+.2f %%\n", poisson, 1e3 * h,
                  100 * error);
      EXPECT_LE(std::abs(error), h > 0.5e-3 ? 0.06 : 0.02);
    }
}

}  // namespace
}  // namespace haptos
