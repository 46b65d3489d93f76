// Two cards lean against each other: the tent stands if and only if mu > 1 / (2 tan theta), theta
// the angle to the ground. By symmetry the cards push each other horizontally with H at the top;
// moments about a foot give H = W / (2 tan theta), and the foot carries W.
#include <cmath>
#include <cstdio>

#include "haptos/geometry/make/shapes.h"
#include "tests/param_names.h"
#include "tests/scenes/start_energy.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kLength = 0.1, kThickness = 5e-4, kWidth = 0.06, kSupport = 1e-4;

// A card from its foot on the ground at x < 0 up to the ridge at x = 0, or its mirror image.
AffineBody card(const char* name, double angle, double side) {
  AffineBody b;
  b.name = name;
  b.density = 500;
  b.surface = box({{kLength, kWidth, kThickness}});
  b.pose.q = rotation_by({{0, -side * angle, 0}});
  // Lowest corner at the ground, highest at the other card.
  const double c = std::cos(angle), s = std::sin(angle);
  const double half_width = 0.5 * (kLength * c + kThickness * s);
  const double half_height = 0.5 * (kLength * s + kThickness * c);
  b.pose.p = {{-side * (half_width + 0.45 * kSupport), 0, half_height + 0.9 * kSupport}};
  return b;
}

Scene tent(double angle, double mu) {
  Scene s;
  s.sim.threads = 1;
  s.sim.dt = 0.01;
  s.contact.support = kSupport;
  s.contact.tangential = 0.1;
  s.newton.force_tolerance = 1e-6;
  s.newton.max_lag_passes = 200;
  s.newton.max_iterations = 2000;
  s.affine = {card("left", angle, 1), card("right", angle, -1)};
  HalfSpace ground;
  ground.name = "ground";
  s.half_spaces = {ground};
  // What the cards are to each other does not matter: they push horizontally.
  s.pairs = {{"left", "ground", true, 0, {mu, mu}},
             {"right", "ground", true, 0, {mu, mu}},
             {"left", "right", true, 0, {1, 1}}};
  return s;
}

double ridge_height(const Sim& sim) {
  double h = 0;
  for (const Vec3d& x : sim.affine_positions("left")) h = std::max(h, x[2]);
  return h;
}

bool stands(double degrees, double mu) {
  const double angle = degrees * M_PI / 180;
  Scene s = tent(angle, mu), holding = tent(angle, 1);
  Sim before(holding), sim(s);
  test::Watch settling(before);
  EXPECT_TRUE(settling.run_until(1));
  sim.set_state(before.state());
  const double height = ridge_height(sim);
  test::Watch watch(sim);
  EXPECT_TRUE(watch.run_until(3));
  const bool up = ridge_height(sim) > 0.9 * height;
  // It stands still, or it is on its way down.
  if (up) {
    EXPECT_LT(watch.speed(), 1e-4) << mu;
  }
  return up;
}

// From the start, where the cards hold each other by contacts that are nearly closed.
TEST(CardTent, GainsNoEnergyWhetherItStandsOrFalls) {
  for (const double mu : {0.8, 0.1}) {
    const Scene scene = tent(65 * M_PI / 180, mu);
    Sim sim(scene);
    test::Watch watch(sim);
    const test::NoGain no_gain(scene, watch, 1e-6, 1e-6);
    EXPECT_TRUE(watch.run_until(1));
    no_gain.check(mu > 0.5 ? "card_tent.stands" : "card_tent.falls");
  }
}

double limit(double degrees) { return 1 / (2 * std::tan(degrees * M_PI / 180)); }

TEST(CardTent, StandsAHundredthAboveTheLimitAndFallsAHundredthBelow) {
  EXPECT_TRUE(stands(65, limit(65) + 0.01));
  EXPECT_FALSE(stands(65, limit(65) - 0.01));
}

class FullCardTent : public testing::TestWithParam<int> {};
TEST_P(FullCardTent, LimitOfFrictionFoundByBisectionIsTheExactOne) {
  double lo = limit(GetParam()) - 0.1, hi = limit(GetParam()) + 0.1;
  EXPECT_TRUE(stands(GetParam(), hi));
  EXPECT_FALSE(stands(GetParam(), lo));
  while (hi - lo > 1e-3) {
    const double mid = 0.5 * (lo + hi);
    (stands(GetParam(), mid) ? hi : lo) = mid;
  }
  std::printf("FIGURE card_tent.%d = %.4f, exact %.4f\n", GetParam(), 0.5 * (lo + hi),
              limit(GetParam()));
  EXPECT_NEAR(0.5 * (lo + hi), limit(GetParam()), 0.01);
}
INSTANTIATE_TEST_SUITE_P(Degrees, FullCardTent, testing::Values(50, 55, 60, 65, 70, 75),
                         test::ParamName());

}  // namespace
}  // namespace haptos
