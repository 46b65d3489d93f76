// Options of live contact, declared once.
#pragma once

#include "haptos/base/text/options.h"

namespace haptos {

/// How the coefficients of friction of two bodies make that of the pair.
enum class Combine : std::uint8_t { kMultiply, kMin, kMax, kAverage, kGeometric };

/// What integrates the pressure between two surfaces.
enum class LiveModel : std::uint8_t { kBarrier, kMortar };

struct LiveOptions {
  int model = 0;   ///< a LiveModel
  int order = 2;   ///< of mortar contact
  int passes = 1;  ///< of mortar contact between bodies that both deform
  double support = 2e-5;
  double stiffness = 0;
  int adaptive = 0;  ///< switch
  int divisions = 0;
  int combine = 4;  ///< a Combine
  double tangential = 1;
  int friction_law = 0;  ///< 0: anchored, 1: smoothed
  double slip_speed = 1e-4;
};

template <>
struct OptionsOf<LiveOptions> {
  static constexpr const char* kName = "contact";
  static const std::vector<Option<LiveOptions>>& table() {
    using O = LiveOptions;
    static const std::vector<Option<O>> t = {
        {"model", "", &O::model, 0, 1,
         "what integrates the pressure: samples of the soft surface, or overlaps of the two meshes",
         "barrier mortar"},
        {"order", "", &O::order, 1, 6,
         "mortar: degree that the quadrature of an overlap is exact for"},
        {"passes", "", &O::passes, 1, 2,
         "mortar: 2 integrates over both surfaces where both deform, each with half the stiffness"},
        {"support", "m", &O::support, 1e-9, 1e-1,
         "gap at which contact force sets in (d_hat), for example 2e-5 for a tactile pad"},
        {"adaptive", "", &O::adaptive, 0, 1,
         "1 takes no more support for two surfaces than nine tenths of the gap with which they "
         "start, "
         "so that no force acts then"},
        {"stiffness", "Pa/m", &O::stiffness, 0, 1e16,
         "contact stiffness; 0 chooses 0.3 E / support of the softer body, or from the weight of "
         "stiff ones"},
        {"divisions", "", &O::divisions, 0, 8,
         "number of parts each soft surface edge is divided into for the contact quadrature; 0 "
         "chooses from the meshes"},
        {"combine", "", &O::combine, 0, 4, "rule for the two coefficients of friction of a pair",
         "product min max mean geometric"},
        {"tangential", "", &O::tangential, 1e-6, 1e6,
         "stiffness of sticking friction, as a multiple of the contact stiffness"},
        {"friction_law", "", &O::friction_law, 0, 1,
         "law of friction: springs that stick and slip, or a smooth force that creeps",
         "anchored smoothed"},
        {"slip_speed", "m/s", &O::slip_speed, 1e-9, 10,
         "smoothed friction: speed below which it is less than the cone (eps_v)"},
    };
    return t;
  }
};

}  // namespace haptos
