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
  int most_samples = 200;
  int patch_cells = 28;
};

template <>
struct OptionsOf<PointContactOptions> {
  static constexpr const char* kName = "point_contact";
  static const std::vector<Option<PointContactOptions>>& table() {
    using O = PointContactOptions;
    static const std::vector<Option<O>> t = {
        {"law", "", &O::law, 0, 3,
         "law of contact: Coulomb's friction on the SAP cone's spring; the SAP cone alone, which "
         "lifts "
         "what slides; Hunt and Crossley's dissipation with Coulomb's friction (lagged) or with a "
         "cone's (similar)",
         "sap lagged similar coulomb"},
        {"sag", "m", &O::sag, 1e-12, 1,
         "depth to which a body sinks under its own weight where no shape gives a stiffness"},
        {"near_rigid", "", &O::near_rigid, 0, 100,
         "shortest period of a contact in time steps; 0 uses the stiffness as it is"},
        {"stick_compliance", "", &O::stick_compliance, 1e-9, 1,
         "tangential regularisation as a fraction of the contact's inverse mass; sticking contacts "
         "creep in proportion to it"},
        {"stiction_speed", "m/s", &O::stiction_speed, 1e-12, 1,
         "slip below which friction of Hunt and Crossley's laws sticks; they creep at up to it"},
        {"anchored", "", &O::anchored, 0, 1,
         "whether contacts remember where they stuck, so that they do not creep"},
        {"parting_speed", "m/s", &O::parting_speed, 1e-6, 1e3,
         "speed at which bodies that overlap when a run starts are parted"},
        {"most_samples", "", &O::most_samples, 0, 1e9,
         "samples of two shapes with layers, or with a pressure inside, from which on they are "
         "merged, so that the same force and torque come from fewer; 0 merges none"},
        {"patch_cells", "", &O::patch_cells, 4, 200,
         "cells across a patch of hydroelastic contact: the time of a patch grows with their "
         "square, "
         "the error of its force falls with it"},
    };
    return t;
  }
};

}  // namespace haptos
