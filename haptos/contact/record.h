// The contact record: what every contact model leaves behind, and what friction, sensors, logs and
// viewers read. Force is primary.
#pragma once

#include <cstdint>
#include <vector>

#include "haptos/system/points.h"

namespace haptos {

/// Feature numbers: the kind of a feature times this, then the number within the kind.
inline constexpr std::int64_t kFeatureKind = std::int64_t(1) << 40;

struct ContactPoint {
  int env = 0;
  int body_a = -1, body_b = -1;  ///< force acts on a, its opposite on b
  /// Which surface of its body each side is: of a link the number of its collision shape, else 0.
  int surface_a = 0, surface_b = 0;
  std::int64_t feature_a = -1;        ///< sample, vertex or edge of a's surface
  std::int64_t feature_b = -1;        ///< triangle, edge or vertex of b's surface
  WeightedPoint point_a, point_b;     ///< material points in contact (indices into Points)
  Vec3d p{{0, 0, 0}};                 ///< position, midway between the surfaces, world [m]
  Vec3d n{{0, 0, 0}};                 ///< unit normal from b to a, world
  double gap = 0;                     ///< distance between the surfaces [m]
  double area = 0;                    ///< area that the point stands for [m2]; 0 when it has none
  Vec3d force{{0, 0, 0}};             ///< on a, world [N]
  double normal_force = 0;            ///< force . n [N]
  Vec3d tangential_force{{0, 0, 0}};  ///< force - normal_force n [N]
  Vec3d slip{{0, 0, 0}};              ///< tangential velocity of a against b [m/s]
  double friction = 0;                ///< coefficient
  bool sticking = false;
};

}  // namespace haptos
