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
  std::int64_t feature_a = 0, feature_b = 0;
  auto operator<=>(const FeaturePair&) const = default;  // NOLINT(modernize-use-nullptr)
};

struct ContactMemory {
  double normal_force = 0;      ///< at the last step [N]
  Vec3d anchor{{0, 0, 0}};      ///< where b's surface was first touched, in b's frame [m]
  std::int64_t first_step = 0;  ///< step at which the pair came into contact
};

/// Ordered, so that walking it is deterministic.
using ContactHistory = std::map<FeaturePair, ContactMemory>;

}  // namespace haptos
