// Options of the Newton driver, declared once.
#pragma once

#include "haptos/base/text/options.h"

namespace haptos {

struct NewtonOptions {
  double force_tolerance = 1e-3;
  double force_floor = 1e-9;
  double velocity_tolerance = 1e-4;
  int max_iterations = 200;
  int max_line_search = 30;
  int max_lag_passes = 30;
  int max_cuts = 2;
  bool strict = false;
};

template <>
struct OptionsOf<NewtonOptions> {
  static constexpr const char* kName = "newton";
  static const std::vector<Option<NewtonOptions>>& table();
};

}  // namespace haptos
