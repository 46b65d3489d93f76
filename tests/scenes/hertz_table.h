// Force, radius of contact and signals of the coat under a ball of 4 mm radius on a bonded layer
// 4 mm thick and 24 mm across, E = 0.1 MPa, logarithmic neo-Hookean: an axisymmetric finite element
// reference (nine-node elements, own code, agreed to 0.3 % between two integration rules).
#pragma once

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "tests/scenes/round_press.h"

namespace haptos::test {

struct HertzRow {
  double depth, force48, force40, radius;  // [mm], [N], [N], [mm] (radius at nu 0.48, sticking)
  double stick48, stick40;                 // [N], with friction of 5 or more
  double bulge, spread;                    // [um], sticking at nu 0.48, beside the contact
};

constexpr std::array<HertzRow, 6> kHertzTable = {
    {{0.25, 0.0583, 0.0523, 1.07, 0.0581, 0.0524, 3.4, 8.4},
     {0.50, 0.1899, 0.1687, 1.61, 0.1912, 0.1679, 11.0, 25.6},
     {0.75, 0.3899, 0.3410, 2.00, 0.3977, 0.3435, 21.9, 49.7},
     {1.00, 0.6560, 0.5745, 2.30, 0.6869, 0.5807, 36.3, 78.4},
     {1.25, 0.9857, 0.8620, 2.54, 1.0660, 0.8862, 53.6, 111},
     {1.50, 1.3770, 1.2040, 2.78, 1.5490, 1.2660, 73.5, 147}}};

// Between rows as a power of depth.
inline double interpolate_table(double depth, double HertzRow::*column) {
  std::size_t i = 1;
  while (i + 1 < kHertzTable.size() && 1e3 * depth > kHertzTable[i].depth) ++i;
  const HertzRow &a = kHertzTable[i - 1], &b = kHertzTable[i];
  const double power = std::log(b.*column / a.*column) / std::log(b.depth / a.depth);
  return a.*column * std::pow(1e3 * depth / a.depth, power);
}

inline RoundPress hertz_scene(double h, double poisson, std::vector<double> commands) {
  RoundPress p;
  p.grading = PadGrading{h, 2 * h, h, 3 * h, 1.3};
  p.poisson = poisson;
  p.commands = std::move(commands);
  return p;
}

/// To the table, at the depth that was asked for.
inline double relative_force(const RoundPressResult& r, double poisson, bool sticks = false) {
  double HertzRow::*column = poisson == 0.48 ? &HertzRow::force48 : &HertzRow::force40;
  if (sticks) column = poisson == 0.48 ? &HertzRow::stick48 : &HertzRow::stick40;
  return r.force / interpolate_table(r.asked, column);
}

}  // namespace haptos::test
