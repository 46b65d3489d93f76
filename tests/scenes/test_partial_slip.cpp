// Partial slip of a rigid ball on a thick gel against Cattaneo (1938) and Mindlin (1949): constant
// normal force P, then sideways by delta with force Q.
//
//   c / a = (1 - Q / mu P)^(1/3)                     stick radius c, contact radius a
//   delta = D (1 - (1 - Q / mu P)^(2/3)),  D = 3 mu P (2 - nu) / (16 G a)
//   a reversal follows the first loading, doubled (Masing); a cycle between +-Q dissipates
//   4 mu P D (6/5 (1 - (1 - q)^(5/3)) - q (1 + (1 - q)^(2/3))),  q = Q / mu P
//
// The depth is held, which changes P by less than 1e-3 here; P is measured, and a is that of Hertz
// at this P. What the base bounds adds to delta in proportion to Q: it does not change the energy.
#include <cstdio>

#include "tests/scenes/thick_gel.h"

namespace haptos {
namespace {

using test::BallOnThickGel;
using test::PartialSlip;
using test::ThickGel;

struct Errors {
  double traction = 0, flags = 0, displacement = 0;
};

// Moves the ball to where Q / mu P should be each of the ratios, and compares with it as measured.
Errors load(const ThickGel& g, const std::vector<double>& ratios, const char* name) {
  BallOnThickGel ball(g);
  Errors worst;
  for (const double ratio : ratios) {
    const double x = ball.slip_displacement() * (1 - std::pow(1 - ratio, 2.0 / 3));
    ball.go(x);
    const PartialSlip s = ball.partial_slip();
    EXPECT_NEAR(ball.normal_force(), ball.pressed(), 1e-3 * ball.pressed());
    EXPECT_NEAR(s.ratio, ratio, 0.05);
    const double c = std::cbrt(1 - s.ratio);
    const double delta = ball.slip_displacement() * (1 - std::pow(1 - s.ratio, 2.0 / 3));
    std::printf("FIGURE partial_slip.%s.q%.2f.ratio = %.4f\n", name, ratio, s.ratio);
    std::printf("FIGURE partial_slip.%s.q%.2f.stick_radius = %.4f a\n", name, ratio, s.by_traction);
    std::printf("FIGURE partial_slip.%s.q%.2f.stick_radius_error = %+.2f %%\n", name, ratio,
                100 * (s.by_traction / c - 1));
    std::printf("FIGURE partial_slip.%s.q%.2f.sticking_area_error = %+.2f %%\n", name, ratio,
                100 * (s.by_flags / c - 1));
    std::printf("FIGURE partial_slip.%s.q%.2f.displacement_error = %+.2f %%\n", name, ratio,
                100 * (x / delta - 1));
    worst.traction = std::max(worst.traction, std::abs(s.by_traction / c - 1));
    worst.flags = std::max(worst.flags, std::abs(s.by_flags / c - 1));
    worst.displacement = std::max(worst.displacement, std::abs(x / delta - 1));
  }
  // Beyond, all slips.
  ball.go(1.15 * ball.slip_displacement());
  const PartialSlip s = ball.partial_slip();
  EXPECT_NEAR(s.ratio, 1, 0.01);
  EXPECT_LE(s.by_flags, 0.1);
  return worst;
}

TEST(PartialSlip, StickRadiusAndDisplacementAreThoseOfCattaneoAndMindlin) {
  const Errors e = load({}, {0.25, 0.5, 0.75, 0.9}, "coarse");
  EXPECT_LE(e.traction, 0.05);
  EXPECT_LE(e.displacement, 0.05);
}

TEST(PartialSlip, StickRadiusAndDisplacementHoldWithMortarContact) {
  ThickGel g;
  g.model = static_cast<int>(LiveModel::kMortar);
  const Errors e = load(g, {0.25, 0.5, 0.75, 0.9}, "mortar");
  EXPECT_LE(e.traction, 0.1);  // records share friction over an element
  EXPECT_LE(e.displacement, 0.03);
}

TEST(FullPartialSlip, StickRadiusHoldsOnAFineMeshByTractionAndByFlags) {
  for (const double poisson : {0.48, 0.495}) {
    ThickGel g;
    g.poisson = poisson;
    g.size = 0.25e-3;
    g.growth = 1.6;
    g.support = 2e-6;
    g.force_tolerance = 1e-6;
    const Errors e = load(g, {0.1, 0.25, 0.5, 0.75, 0.9}, poisson < 0.49 ? "fine" : "fine495");
    EXPECT_LE(e.traction, 0.03);
    EXPECT_LE(e.flags, 0.05);
    EXPECT_LE(e.displacement, 0.05);
  }
}

TEST(FullPartialSlip, StickRadiusHoldsOnAFineMeshWithMortarContact) {
  ThickGel g;
  g.model = static_cast<int>(LiveModel::kMortar);
  g.size = 0.25e-3;
  g.growth = 1.6;
  g.support = 2e-6;
  g.force_tolerance = 1e-6;
  const Errors e = load(g, {0.1, 0.25, 0.5, 0.75, 0.9}, "mortar_fine");
  EXPECT_LE(e.traction, 0.03);
  EXPECT_LE(e.flags, 0.05);
  EXPECT_LE(e.displacement, 0.05);
}

TEST(FullPartialSlip, StiffnessOfTheSpringsOfFrictionAddsItsComplianceInSeries) {
  // Soft springs alone let the ball go further by Q / k; at the default they cost about a
  // hundredth.
  std::vector<double> went;
  for (const double tangential : {0.01, 0.1, 1.0, 10.0}) {
    ThickGel g;
    g.tangential = tangential;
    BallOnThickGel ball(g);
    const double D = ball.slip_displacement();
    ball.go(0.1 * D);
    went.push_back(0.1 * D / (D * (1 - std::pow(1 - ball.partial_slip().ratio, 2.0 / 3))));
    std::printf("FIGURE partial_slip.compliance.tangential%g = %.4f\n", tangential, went.back());
  }
  EXPECT_GT(went[0], 1.3);
  EXPECT_NEAR(went[2], went[3], 0.03);
  EXPECT_NEAR(went[2], 1, 0.05);
}

// Of points at equal distances, an even number of intervals.
double simpson(const std::vector<double>& y, double step) {
  double sum = y.front() + y.back();
  for (std::size_t i = 1; i + 1 < y.size(); ++i) sum += y[i] * (i % 2 == 1 ? 4 : 2);
  return sum * step / 3;
}

struct Cycles {
  std::vector<double> last_change;  // of each cycle against the one before, of the largest Q
  double since_second = 0;          // the last cycle against the second
  double since_fourth = 0;          // and against the fourth
  double masing = 0;                // reversal against the first loading doubled, of the largest Q
  double area_error = 0;            // of the energy of the last cycle
};

// `quarter` steps from the middle to an end, an even number.
Cycles cycle(const ThickGel& g, int cycles, int quarter, const char* name, bool print = false) {
  BallOnThickGel ball(g);
  const double D = ball.slip_displacement(), X = 0.6 * D, h = X / quarter, P = ball.pressed();
  std::vector<double> first = {ball.tangential_force()};
  const auto go = [&](double x, int n) {
    ball.go(x);
    if (print && (n <= 1 || n == cycles))
      std::printf("loop %d %.5f %.5f\n", n, x / D, ball.tangential_force() / (g.friction * P));
    return ball.tangential_force();
  };
  for (int k = 1; k <= quarter; ++k) first.push_back(go(h * k, 0));
  Cycles out;
  const double Q = first.back();
  std::vector<double> back, forth, before, second, fourth;
  for (int n = 1; n <= cycles; ++n) {
    back = {ball.tangential_force()};
    for (int k = 1; k <= 2 * quarter; ++k) back.push_back(go(X - h * k, n));
    forth = {back.back()};
    for (int k = 1; k <= 2 * quarter; ++k) forth.push_back(go(h * k - X, n));
    std::vector<double> all = back;
    all.insert(all.end(), forth.begin(), forth.end());
    const auto change = [&](const std::vector<double>& other) {
      double c = 0;
      for (std::size_t i = 0; i < all.size(); ++i) c = std::max(c, std::abs(all[i] - other[i]));
      return c / Q;
    };
    if (n > 1) out.last_change.push_back(change(before));
    if (n == 2) second = all;
    if (n == 4) fourth = all;
    if (n == cycles && n > 2) out.since_second = change(second);
    if (n == cycles && n > 4) out.since_fourth = change(fourth);
    before = all;
  }
  for (int k = 0; k <= quarter; ++k) {
    const auto i = static_cast<std::size_t>(k);
    out.masing =
        std::max(out.masing, std::abs(back[2 * i] - (back[0] - 2 * (first[i] - first[0]))) / Q);
  }
  const double q = Q / (g.friction * P);
  const double area = simpson(forth, h) - simpson(back, h);
  const double expected =
      4 * g.friction * P * D *
      (1.2 * (1 - std::pow(1 - q, 5.0 / 3)) - q * (1 + std::pow(1 - q, 2.0 / 3)));
  out.area_error = area / expected - 1;
  std::printf("FIGURE hysteresis.%s.amplitude = %.4f mu P\n", name, q);
  for (std::size_t i = 0; i < out.last_change.size(); ++i)
    if (i < 4 || i + 1 == out.last_change.size())
      std::printf("FIGURE hysteresis.%s.change_of_cycle%zu = %.2e\n", name, i + 2,
                  out.last_change[i]);
  std::printf("FIGURE hysteresis.%s.change_since_the_second = %.2e\n", name, out.since_second);
  std::printf("FIGURE hysteresis.%s.change_since_the_fourth = %.2e\n", name, out.since_fourth);
  std::printf("FIGURE hysteresis.%s.masing_error = %.2f %%\n", name, 100 * out.masing);
  std::printf("FIGURE hysteresis.%s.energy_error = %+.2f %%\n", name, 100 * out.area_error);
  return out;
}

TEST(PartialSlip, LoopsOfCyclesCloseAndLoseTheEnergyOfMasingAndMindlin) {
  ThickGel g;
  g.size = 0.65e-3;
  g.force_tolerance = 1e-8;
  const Cycles c = cycle(g, 5, 2, "coarse");
  EXPECT_LE(c.last_change.back(), 1e-6);
  EXPECT_LE(c.masing, 0.03);
  EXPECT_LE(std::abs(c.area_error), 0.15);  // three elements across the contact
}

TEST(FullPartialSlip, LoopsStayTheSameForAHundredCycles) {
  ThickGel g;
  g.force_tolerance = 1e-8;
  const Cycles c = cycle(g, 100, 4, "hundred", true);
  EXPECT_LE(c.last_change.back(), 1e-6);
  EXPECT_LE(c.since_fourth, 1e-6);
  EXPECT_LE(c.masing, 0.02);
  EXPECT_LE(std::abs(c.area_error), 0.15);
}

TEST(FullPartialSlip, LoopsStayTheSameForAHundredCyclesWithMortarContact) {
  ThickGel g;
  g.model = static_cast<int>(LiveModel::kMortar);
  g.force_tolerance = 1e-8;
  const Cycles c = cycle(g, 100, 4, "mortar_hundred");
  EXPECT_LE(c.last_change.back(), 1e-6);
  EXPECT_LE(c.since_fourth, 1e-6);
  EXPECT_LE(c.masing, 0.02);
  EXPECT_LE(std::abs(c.area_error), 0.15);
}

// What makes loops close late is slip across the motion, which Mindlin leaves out: the tractions
// that it turns aside wear off over the cycles.
TEST(FullPartialSlip, LoopsWithoutTransverseSlipAreThoseOfTheSecondCycle) {
  ThickGel g;
  g.size = 0.65e-3;
  g.force_tolerance = 1e-9;
  g.transverse = false;
  const Cycles c = cycle(g, 100, 2, "along");
  EXPECT_LE(c.last_change.back(), 1e-6);
  EXPECT_LE(c.since_second, 1e-6);
  EXPECT_LE(c.masing, 0.02);
}

TEST(FullPartialSlip, EnergyOfALoopConvergesToMindlins) {
  ThickGel g;
  g.size = 0.25e-3;
  g.growth = 1.6;
  g.support = 2e-6;
  g.force_tolerance = 1e-6;
  const Cycles c = cycle(g, 1, 4, "fine");
  EXPECT_LE(c.masing, 0.02);
  EXPECT_LE(std::abs(c.area_error), 0.05);
}

}  // namespace
}  // namespace haptos
