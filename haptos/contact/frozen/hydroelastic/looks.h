// Along which way within a step bodies with a pressure inside are looked at: how often, and when
// patches are found anew.
#pragma once

#include <algorithm>
#include <cmath>

#include "haptos/contact/frozen/sampler.h"
#include "haptos/geometry/field/distance_field.h"

namespace haptos {

/// Of a step.
inline constexpr int kMostRevisions = 3, kMostLooks = 16;
/// Patches are found anew where bodies get so many times as deep as they know of.
inline constexpr double kDeeper = 2;

/// About how thin a body is, as far as its field tells [m].
inline double thinnest(const DistanceField& f) {
  constexpr double kThin = 8;  // parts of a mesh are no thinner than so many cells of its field
  if (!f.bounded()) return FrozenSurface::kRigid;
  const Vec3d size = f.box().extent();
  const double box = std::min({size[0], size[1], size[2]});
  return f.cell() > 0 ? std::min(box, kThin * f.cell()) : box;
}

/// How often two bodies are looked at that move by so much [m].
inline int looks_on(double way, const DistanceField& a, const DistanceField& b) {
  const double part = 0.5 * std::min(thinnest(a), thinnest(b));
  return std::clamp(static_cast<int>(std::ceil(way / part)), 1, kMostLooks);
}

}  // namespace haptos
