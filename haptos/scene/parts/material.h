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
  static const std::vector<Option<Material>>& table() {
    using M = Material;
    static const std::vector<Option<M>> t = {
        {"young", "Pa", &M::young, 1e-3, 1e13, "Young's modulus, for example 1e5 for a soft gel"},
        {"poisson", "", &M::poisson, -0.999, 0.4999,
         "Poisson's ratio, below 0.5, for example 0.48 for silicone"},
        {"density", "kg/m3", &M::density, 1e-3, 1e6, "mass density, for example 1000"},
        {"mass_damping", "1/s", &M::mass_damping, 0, 1e6,
         "Rayleigh damping rate proportional to mass"},
        {"stiffness_damping", "s", &M::stiffness_damping, 0, 1e3,
         "Rayleigh damping time proportional to stiffness"},
        {"law", "", &M::law, 0, 6,
         "elastic law, by name or number; linear_corotated keeps its rotation for a step, and is "
         "convex",
         "log_neo_hookean stable_neo_hookean st_venant_kirchhoff fixed_corotated linear "
         "mooney_rivlin linear_corotated"},
        {"mooney_ratio", "", &M::mooney_ratio, 0, 1,
         "share of the second invariant in the shear modulus, c01 / (c10 + c01), of law "
         "mooney_rivlin"},
    };
    return t;
  }
};

}  // namespace haptos
