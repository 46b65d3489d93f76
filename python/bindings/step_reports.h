// What one step reports about all environments, as Python sees it.
#pragma once

#include <vector>

#include "haptos/sim/sim.h"

namespace haptos::python {

struct StepReports {
  std::vector<StepReport> rows;  ///< (env)
};

}  // namespace haptos::python
