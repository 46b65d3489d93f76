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
  static const std::vector<Option<SolverOptions>>& table() {
    using O = SolverOptions;
    static const std::vector<Option<O>> t = {
        {"method", "", &O::method, 0, 2,
         "linear solver: 0 by size, 1 direct (block Cholesky), 2 iterative (multilevel PCG)"},
        {"direct_limit", "", &O::direct_limit, 0, 2147483647,
         "largest number of unknowns that method 0 solves directly; those of material points count "
         "about ten times"},
        {"tolerance", "", &O::tolerance, 1e-15, 0.01,
         "finest relative residual of an iterative solve; Newton asks for less while it is far "
         "off"},
        {"max_iterations", "", &O::max_iterations, 1, 1000000, "limit of iterations of one solve"},
    };
    return t;
  }
};

}  // namespace haptos
