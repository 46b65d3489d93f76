// A pair of features as the outer iteration sees it: numbers, in the same order.
#pragma once

#include "haptos/system/contact_history.h"
#include "haptos/system/facets/lag.h"

namespace haptos {

inline LagKey lag_key(const FeaturePair& k) {
  return {k.env, k.body_a, k.body_b, k.part_a, k.part_b, k.feature_a, k.feature_b};
}

}  // namespace haptos
