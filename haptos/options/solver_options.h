// Options of the linear solver, declared once.
#pragma once

#include "haptos/base/text/options.h"

namespace haptos {

struct SolverOptions {
  static constexpr int kAuto = 0, kDirect = 1, kIterative = 2;
  int method = kAuto;
  int direct_limit = 100000;
  double tolerance = 1e-10;
  int max_iterations = 2000;
};

template <>
struct OptionsOf<SolverOptions> {
  static constexpr const char* kName = "solver";
  static const std::vector<Option<SolverOptions>>& table();
};

}  // namespace haptos
