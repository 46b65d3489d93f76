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
  static const std::vector<Option<NewtonOptions>>& table() {
    using O = NewtonOptions;
    static const std::vector<Option<O>> t = {
        {"force_tolerance", "", &O::force_tolerance, 1e-14, 0.1,
         "largest force residual, as a fraction of the applied or contact load"},
        {"force_floor", "N", &O::force_floor, 0, 1,
         "force residual that always counts as converged"},
        {"velocity_tolerance", "m/s", &O::velocity_tolerance, 1e-12, 10,
         "largest change of a point's velocity in the last iteration"},
        {"max_iterations", "", &O::max_iterations, 1, 100000,
         "limit of Newton iterations in a step"},
        {"max_line_search", "", &O::max_line_search, 1, 1000,
         "limit of energy evaluations along one direction"},
        {"max_lag_passes", "", &O::max_lag_passes, 0, 1000,
         "limit of minimisations in a step after the first, for friction and quasi-static rest"},
        {"max_cuts", "", &O::max_cuts, 0, 10,
         "how often a step that does not settle is tried again in twice as many parts"},
        {"strict", "", &O::strict, 0, 1, "switch that turns a step's status bits into an error"},
    };
    return t;
  }
};

}  // namespace haptos
