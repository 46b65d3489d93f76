// Options of frozen point contact that hold for all its shapes (point_contact.h).
#pragma once

#include <cstdint>
#include <vector>

#include "haptos/base/text/options.h"

namespace haptos {

/// How point contact answers; docs/laws/hunt_crossley.md.
enum class PointLaw : std::uint8_t { kSap, kLagged, kSimilar, kCoulomb };

struct PointContactOptions {
  int law = 3;                     ///< a PointLaw
  double sag = 1e-7;               ///< delta [m]
  double near_rigid = 0.1;         ///< beta
  double stick_compliance = 1e-3;  ///< sigma
  double stiction_speed = 1e-4;    ///< v_s [m/s]
  bool anchored = true;
  double parting_speed = 0.1;  ///< [m/s]
};

template <>
struct OptionsOf<PointContactOptions> {
  static constexpr const char* kName = "point_contact";
  static const std::vector<Option<PointContactOptions>>& table();
};

}  // namespace haptos
