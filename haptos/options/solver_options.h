// Options of the linear solver, declared once.
#pragma once

#include "haptos/base/text/options.h"

namespace haptos {

struct SolverOptions {
  static constexpr int kAuto = 0, kDirect = 1, kIterative = 2;
  int method = kAuto;
  static constexpr int kDouble = 1, kSingle = 2;  // of precision
  int precision = kAuto;
  int direct_limit = 100000;
  double tolerance = 1e-10;
  int max_iterations = 2000;
};

template <>
struct OptionsOf<SolverOptions> {
  static constexpr const char* kName = "solver";
  static const std::vector<Option<SolverOptions>>& table() {
    using O = SolverOptions;
    static const std::vector<Option<O>> t = {
        {"method", "", &O::method, 0, 2,
         "linear solver: 0 by size, 1 direct (block Cholesky), 2 iterative (multilevel PCG)"},
        {"direct_limit", "", &O::direct_limit, 0, 2147483647,
         "largest number of unknowns that method 0 solves directly; those of material points count "
         "about ten times"},
        {"precision", "", &O::precision, 0, 2,
         "of a direct factor: 0 by its cost, 1 double, 2 single, then made good in double by a few "
         "iterations"},
        {"tolerance", "", &O::tolerance, 1e-15, 0.01,
         "finest relative residual of a solve with iterations; Newton asks for less while it is "
         "far off"},
        {"max_iterations", "", &O::max_iterations, 1, 1000000, "limit of iterations of one solve"},
    };
    return t;
  }
};

}  // namespace haptos
