// Options of barrier contact, declared once.
#pragma once

#include "haptos/base/options.h"

namespace haptos {

struct BarrierOptions {
  double support = 2e-5;
  double stiffness = 0;
  int divisions = 0;
};

template <>
struct OptionsOf<BarrierOptions> {
  static constexpr const char* kName = "contact";
  static const std::vector<Option<BarrierOptions>>& table();
};

}  // namespace haptos
