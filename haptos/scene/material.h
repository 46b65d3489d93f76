// Elastic materials.
#pragma once

#include "haptos/base/text/options.h"

namespace haptos {

/// Declared once, read by scene files, Python and the command line.
struct Material {
  double young = 1e5;
  double poisson = 0.48;
  double density = 1000;
  double mass_damping = 0;
  double stiffness_damping = 0;
  int law = 0;              ///< an ElasticLaw
  double mooney_ratio = 0;  ///< c01 / (c10 + c01) of the Mooney-Rivlin law
};

template <>
struct OptionsOf<Material> {
  static constexpr const char* kName = "material";
  static const std::vector<Option<Material>>& table();
};

}  // namespace haptos
