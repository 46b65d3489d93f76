// Contact of a pair as a person describes it.
#pragma once

#include <string>
#include <vector>

#include "haptos/scene/parts/field.h"

namespace haptos {

/// Contact between two bodies, where it differs from the scene's options. A body may be named twice
/// to set its contact with itself.
struct PairOptions {
  std::string a, b;  ///< names of bodies or of groups, in either order
  bool enabled = true;
  double stiffness = 0;       ///< [Pa/m]; 0: as the scene's
  Friction friction{-1, -1};  ///< of the pair; sticking below 0: combined from the bodies
  double support = 0;         ///< [m]; 0: as the scene's
  int model = -1;             ///< a PairModel; -1: as the scene's
};

/// Models of contact; which of them two kinds of body take: sim/model/pair_models.h.
enum class PairModel : std::uint8_t { kBarrier, kMortar, kPoint, kLayer };

template <>
struct FieldsOf<PairOptions> {
  static constexpr const char* kKind = "contact pair";
  static constexpr const char* kSection = "pairs";
  static const std::vector<Field<PairOptions>>& table() {
    using S = PairOptions;
    static const std::vector<Field<S>> t = {
        {{"bodies", "", 0, 0, "`[a, b]`, names of bodies or groups in either order", "", kNeeded},
         {}},
        {{"enabled", "", 0, 1, "false: the two pass through each other"}, &S::enabled},
        {{"stiffness", "Pa/m", 0, 1e16, "of contact; 0: as the section `contact` says"},
         &S::stiffness},
        {{"support", "m", 1e-9, 1,
          "gap at which contact force sets in; `scene`: as the section `contact` says", "scene"},
         &S::support},
        {{"model", "", -1, 4,
          "of contact, [below](#models-of-contact); left out: as the section `contact` says",
          "barrier mortar point layer hydroelastic"},
         &S::model},
        {{"friction", "", -1, limits::kMostFriction,
          "coefficient of the pair, or `[static, kinetic]`; left out: combined from the two "
          "bodies (`contact.combine`)"},
         &S::friction},
    };
    return t;
  }
};

}  // namespace haptos
