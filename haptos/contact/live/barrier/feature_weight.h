// How much of a sharp feature of the collider the samples of the soft surface fail to see, 0 to 1.
//
// Over a spacing L a convex feature whose faces slope by tan(a) stands L/2 tan(a) above the level
// of the samples on its two sides. Compared with the support d of the barrier,
//
//   w = r^2 / (1 + r^2),   r = L tan(a) / (2 d),
//
// so a feature that the samples resolve, flat or rounded in facets much finer than d, adds next to
// nothing, and an edge or a corner counts whole. Slopes follow from sharpness s (topology.h):
//
//   edge     a = dihedral / 2,               tan^2 a = s / (1 - s)
//   vertex   a = mean tilt of its faces,     tan^2 a = s (2 - s) / (1 - s)^2
#pragma once

#include "haptos/base/math/math.h"

namespace haptos {

namespace detail {

/// w from tan^2 a = rise / run, finite for a needle (run = 0).
inline double unseen(double rise, double run, double spacing, double support) {
  const double r = square(0.5 * spacing) * rise;
  return r / (r + square(support) * run);
}

}  // namespace detail

/// Weight of an edge of sharpness in (0, 1]; spacing of the samples [m], support of the barrier
/// [m].
inline double edge_weight(double sharpness, double spacing, double support) {
  return detail::unseen(sharpness, 1 - sharpness, spacing, support);
}

/// Weight of a vertex; arguments as for edge_weight().
inline double vertex_weight(double sharpness, double spacing, double support) {
  return detail::unseen(sharpness * (2 - sharpness), square(1 - sharpness), spacing, support);
}

}  // namespace haptos
