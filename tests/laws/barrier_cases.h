// What the law suites of barrier contact share: units, and points in every region of a triangle.
#pragma once

#include "haptos/geometry/distance.h"

namespace haptos::test {

// All lengths are multiples of this [m]; the support is a fifth of it.
inline constexpr double kUnit = 1e-3;
inline constexpr double kSupport = 0.2 * kUnit;

inline const Vec3d kCorner[3] = {{{0, 0, 0}}, {{1, 0.1, 0.05}}, {{0.2, 0.9, -0.1}}};

// A point that sees the triangle's face, an edge, or a vertex, [kUnit].
inline Vec3d point_in_region(int region, double gap) {
  const Vec3d n = normalized(cross(kCorner[1] - kCorner[0], kCorner[2] - kCorner[0]));
  const Vec3d middle = (kCorner[0] + kCorner[1] + kCorner[2]) * (1.0 / 3);
  if (region == 0) return middle + gap * n;
  if (region <= 3) {
    const Vec3d &a = kCorner[region - 1], &b = kCorner[region % 3];
    const Vec3d out = normalized(cross(b - a, n));
    return 0.6 * a + 0.4 * b + (0.6 * gap) * out + (0.8 * gap) * n;
  }
  const Vec3d& v = kCorner[region - 4];
  return v + gap * normalized(normalized(v - middle) + 0.7 * n);
}

}  // namespace haptos::test
