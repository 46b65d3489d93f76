// Contact history per pair of features: what friction and warm starts remember from step to step.
// Part of State: saved, loaded, reset and hashed with it.
#pragma once

#include <cstdint>
#include <map>

#include "haptos/base/math.h"

namespace haptos {

/// Which two features of which two bodies.
struct FeaturePair {
  std::int32_t env = 0, body_a = 0, body_b = 0;
  std::int32_t part_a = 0, part_b = 0;  ///< which of each body's surfaces, where it has several
  std::int64_t feature_a = 0, feature_b = 0;
  auto operator<=>(const FeaturePair&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// What anchored friction keeps of a pair (contact/friction/anchored_friction.h).
struct ContactMemory {
  double normal_force = 0;  ///< at the last step [N]
  /// On `triangle`: weights of its second and third corner, height over it [m]; of a half-space: a
  /// point, world [m].
  Vec3d anchor{{0, 0, 0}};
  double edge = 0;               ///< place on the source's edge, weight of its second end
  std::int32_t triangle = -1;    ///< of the surface that holds the anchor; -1: a half-space
  std::int32_t slipping = 0;     ///< 1 where the last step ended in slip
  std::int64_t first_step = -1;  ///< step at which the pair came into contact
};

/// Ordered, so that walking it is deterministic.
using ContactHistory = std::map<FeaturePair, ContactMemory>;

}  // namespace haptos
