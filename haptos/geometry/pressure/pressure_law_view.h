// A pressure law (pressure_law.h) as kernels see it: plain data that point into one, which must
// outlive them.
#pragma once

#include <cmath>
#include <utility>

#include "haptos/base/math/scalar.h"

namespace haptos {

struct PressureLawView {
  using Row = std::pair<double, double>;  ///< depth [m] and pressure [Pa]
  struct Line {
    Row low, high;
    HAPTOS_HD double slope() const { return (high.second - low.second) / (high.first - low.first); }
  };
  double modulus = 0;         ///< [Pa/m]
  const Row* rows = nullptr;  ///< of a table
  int count = 0;

  HAPTOS_HD double pressure(double depth) const {
    if (count == 0) return modulus * depth;
    const Line l = line_at(&Row::first, depth);
    return l.low.second + l.slope() * (depth - l.low.first);
  }
  HAPTOS_HD double slope(double depth) const {
    return count == 0 ? modulus : line_at(&Row::first, depth).slope();
  }
  HAPTOS_HD double depth(double pressure) const {
    if (count == 0) return std::isinf(modulus) ? 0 : pressure / modulus;
    const Line l = line_at(&Row::second, pressure);
    return l.low.first + (pressure - l.low.second) / l.slope();
  }

 private:
  // The line that holds `at` of one column of the rows.
  HAPTOS_HD Line line_at(double Row::*column, double at) const {
    int end = 0;
    while (end < count - 1 && rows[end].*column < at) ++end;
    return {end == 0 ? Row{0, 0} : rows[end - 1], rows[end]};
  }
};

}  // namespace haptos
