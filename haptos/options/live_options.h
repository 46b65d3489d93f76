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
  static const std::vector<Option<LiveOptions>>& table();
};

}  // namespace haptos
