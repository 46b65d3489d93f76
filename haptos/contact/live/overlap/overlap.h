// What two triangles have in common when one is projected on the other along its normal.
//
// The base triangle (a, b, c), its unit normal n, and barycentric weights (1 - u - v, u, v). The
// probe triangle is projected along n; its part over the base and nearer than the support is a
// convex polygon of at most eight corners, on which the gap
//
//   g(u, v) = n . (x_probe - x_base)
//
// and the weights of the probe's corners are linear. Clipping runs in (u, v): first the probe by
// the three sides of the base (Sutherland and Hodgman, Reentrant polygon clipping, 1974), then by
// g < support and g > 0, so what is integrated over the polygon has no kink in it.
#pragma once

#include "haptos/base/math/math.h"

namespace haptos {

/// A triangle as others are projected on it.
struct BaseFrame {
  Vec3d a, n;    ///< first corner, unit normal
  Vec3d du, dv;  ///< u = du . (x - a), v = dv . (x - a)
  double twice_area = 0;

  BaseFrame(const Vec3d& a, const Vec3d& b, const Vec3d& c);
  bool flat() const { return twice_area > 0; }  ///< false for a triangle without area
};

struct OverlapCorner {
  double u, v;         ///< weights of the base's second and third corner
  double gap;          ///< [m]
  double beta, beta2;  ///< weights of the probe's second and third corner
};

/// A convex polygon.
struct Overlap {
  int count = 0;
  OverlapCorner corner[8];
};

/// Its part of the base's area, 0 to 1.
double part_of_base(const Overlap& polygon);

/// The overlap of a probe triangle that faces the base; none (count 0) where its normal does not
/// point against the base's, where it is not over the base, or not within the support.
/// @param x        corners of the probe
/// @param support  [m]
Overlap overlap(const BaseFrame& base, const Vec3d (&x)[3], double support);

}  // namespace haptos
