// A skin over points: the closed surface of the body that they are samples of, to look at.
//
// With the mean place m(x) of the points about x, weighted by (1 - d^2 / R^2)^3 within R = 2 s,
//
//   phi(x) = |x - m(x)| - 0.545 s
//
// is zero on the skin (none lies where the weights add up to less than .4, between points apart).
// Over a flat layer of points it lies half a spacing s, as what touches them does
// (contact/frozen/cloud/cloud_sampler.h); a point by itself is a ball of about that radius.
// The skin is found by marching cubes on cells of half a spacing.
//
// Source: Zhu and Bridson 2005, Animating sand as a fluid (the function).
#pragma once

#include <vector>

#include "haptos/geometry/mesh.h"

namespace haptos {

struct PointsSkin {
  TriMesh mesh;
  std::vector<double> value;  ///< at its vertices, where points have values
};

/// The skin of points; those that are not finite are left out.
/// @param spacing  of the points: the cube root of what each stands for [m]
/// @param values   one of each point, or none
/// @throws InputError for a spacing that is no length, and for another number of values than points
PointsSkin points_skin(const std::vector<Vec3d>& points, double spacing,
                       const std::vector<double>& values = {});

}  // namespace haptos
