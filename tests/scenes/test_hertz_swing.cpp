// Where the error of the force of a ball on a bonded layer comes from: not from the reference, not
// from the support once the mean gap is counted, but from the rings of vertices that touch
// (docs/contact/barrier.md). nu 0.48, frictionless.
#include <algorithm>
#include <array>
#include <cstdio>

#include "tests/scenes/bonded_layer.h"
#include "tests/scenes/hertz_table.h"

namespace haptos {
namespace {

using test::ball_on_bonded_layer;
using test::hertz_scene;
using test::HertzRow;
using test::interpolate_table;
using test::kHertzTable;
using test::relative_force;
using test::RoundPress;
using test::RoundPressResult;

double series(double depth) { return ball_on_bonded_layer(4e-3, 4e-3, 1e5, 0.48, depth); }

// Of a row to the series. It changes by 3 % over all rows.
double ratio(std::size_t row) {
  return kHertzTable[row].force48 / series(1e-3 * kHertzTable[row].depth);
}

// Smooth between the rows, which a power of depth is not to better than 1 %: the series times the
// ratio, which below the first row stays.
double reference(double depth) {
  std::size_t i = 1;
  while (i + 1 < kHertzTable.size() && 1e3 * depth > kHertzTable[i].depth) ++i;
  const double below = kHertzTable[i - 1].depth, above = kHertzTable[i].depth;
  const double along = std::max(0.0, (1e3 * depth - below) / (above - below));
  return series(depth) * std::lerp(ratio(i - 1), ratio(i), along);
}

double power_of_depth(double (*f)(double), double depth) {
  return std::log(f(1.02 * depth) / f(depth)) / std::log(1.02);
}
double radius_at(double depth) { return 1e-3 * interpolate_table(depth, &HertzRow::radius); }

// Of force about the truth, its share: rings `ring` apart [m].
double swing(double depth, double ring) {
  const double m = power_of_depth(reference, depth), p = 1 / power_of_depth(radius_at, depth);
  return m * (m - 1) * p * p / 8 * std::pow(ring / radius_at(depth), 2);
}

double error(const RoundPressResult& r) { return r.force / reference(r.asked + r.mean_gap) - 1; }

double range_of_error(const std::vector<RoundPressResult>& all) {
  const auto by_error = [](const auto& a, const auto& b) { return error(a) < error(b); };
  const auto [low, high] = std::minmax_element(all.begin(), all.end(), by_error);
  return error(*high) - error(*low);
}

// Slope of the line of least squares through the logarithms.
double order_of(const std::vector<std::array<double, 2>>& points) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [size, value] : points) {
    const double u = std::log(size), v = std::log(value);
    n += 1, x += u, y += v, xx += u * u, xy += u * v;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

// Close where contact is small: [0.2, 0.4) mm, which rings of .35 mm cross once.
std::vector<double> close_depths() {
  std::vector<double> d;
  d.reserve(8);
  for (int i = 0; i < 8; ++i) d.push_back(0.2e-3 + 0.025e-3 * i);
  return d;
}
std::vector<double> all_depths() {
  std::vector<double> d = close_depths();
  for (int i = 0; i < 12; ++i) d.push_back(std::min(1.49e-3, 0.4e-3 + 0.1e-3 * i));
  return d;
}

// Elements of h wherever it touches, out to 2.8 mm.
RoundPress even_scene(double h, std::vector<double> depths) {
  RoundPress p = hertz_scene(h, 0.48, std::move(depths));
  p.grading.even_x = p.grading.even_y = 3e-3;
  p.cap = 2e-3;
  p.facet = 0.1e-3;
  return p;
}

double ring_spacing(const RoundPress& p) {
  const PadGrading& g = p.grading;
  return graded_lines(p.pad_radius, g.centre_size, g.rim_size, g.growth, g.even_x)[1] / 2;
}

TEST(HertzTable, FirstRowOfTheReferenceIsThatOfTheClosedForm) {
  const HertzRow& row = kHertzTable[0];
  const double d = 1e-3 * row.depth;
  EXPECT_NEAR(row.force48 / ball_on_bonded_layer(4e-3, 4e-3, 1e5, 0.48, d), 1, 0.02);
  EXPECT_NEAR(row.force40 / ball_on_bonded_layer(4e-3, 4e-3, 1e5, 0.40, d), 1, 0.02);
}

// What is left is (gap / depth)^2, .3 % at 20 um, and how much a wider border of contact smooths
// the swing.
TEST(HertzTable, ForceBelongsToTheDepthPlusTheMeanGapForAllSupports) {
  RoundPress p = hertz_scene(0.7e-3, 0.48, {0.25e-3, 0.5e-3});
  std::vector<double> first(2, 0.0);
  for (const double support : {5e-6, 10e-6, 20e-6}) {
    p.support = support;
    const std::vector<RoundPressResult> all = test::press(p);
    for (std::size_t i = 0; i < all.size(); ++i) {
      RoundPressResult r = all[i];
      EXPECT_GT(r.mean_gap, 0);
      EXPECT_LT(r.mean_gap, support);
      r.asked += r.mean_gap;
      const double relative = relative_force(r, 0.48);
      if (first[i] == 0) first[i] = relative;
      EXPECT_NEAR(relative, first[i], 0.01) << support << " " << r.depth;
    }
  }
}

TEST(FullHertzSwing, BoundsTheErrorAtAllDepthsAndFallsWithTheSquareOfTheSpacing) {
  std::vector<std::array<double, 2>> ranges;  // by spacing
  for (const double h : {1.4e-3, 1.0e-3, 0.7e-3, 0.5e-3}) {
    const RoundPress p = even_scene(h, all_depths());
    const std::vector<RoundPressResult> all = test::press(p);
    double share = 0;
    for (const RoundPressResult& r : all) {
      const double most = swing(r.asked, ring_spacing(p));
      share = std::max(share, std::abs(error(r)) / most);
      EXPECT_LE(std::abs(error(r)), most) << h << " " << r.asked;
    }
    ranges.push_back({ring_spacing(p), range_of_error(all)});
    std::printf("FIGURE hertz_swing.range.h%.2f = %.2f %%\n", 1e3 * h, 100 * ranges.back()[1]);
    std::printf("FIGURE hertz_swing.share_of_bound.h%.2f = %.2f\n", 1e3 * h, share);
  }
  const double order = order_of(ranges);
  std::printf("FIGURE hertz_swing.order = %.2f (at least 1.5)\n", order);
  EXPECT_GE(order, 1.5);
}

// Aside by half of what lies between two rings, one side of the patch grows where the other does
// not.
TEST(FullHertzSwing, IsThatOfABallOnTheAxisOfTheRings) {
  RoundPress p = hertz_scene(0.7e-3, 0.48, close_depths());
  p.facet = 0.1e-3;
  const double middle = range_of_error(test::press(p));
  p.aside_x = 0.175e-3;
  const double aside = range_of_error(test::press(p));
  std::printf("FIGURE hertz_swing.range.middle = %.2f %%\n", 100 * middle);
  std::printf("FIGURE hertz_swing.range.aside = %.2f %%\n", 100 * aside);
  EXPECT_LT(aside, middle / 2);
}

}  // namespace
}  // namespace haptos
