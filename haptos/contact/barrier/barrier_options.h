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

/// The stiffness used when none is given: 0.3 E / support, so that a gel pressed by a third of its
/// modulus stands off by half the support [Pa/m].
inline double default_barrier_stiffness(double young, double support) {
  return 0.3 * young / support;
}

}  // namespace haptos
