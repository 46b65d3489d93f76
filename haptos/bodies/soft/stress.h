// Cauchy stress in a soft body, from its law and its deformation:
//
//   sigma = P F^T / det F        (sigma = P for the linear law, which does not tell them apart)
//
// at the points of each element with the element's own volumetric part, so it is what the nodal
// forces come from. Of an element the mean over its points; at a node what the linear field through
// the points of each neighbour gives there (the constant of a linear tetrahedron), mean over the
// neighbours by volume. Damping and the barrier against inversion are left out.
// Limits: at nodes of the surface the mean is one-sided and converges by one order less than
// inside.
#pragma once

#include <span>
#include <vector>

#include "haptos/bodies/elastic/soft_element.h"

namespace haptos {

struct SoftStress {
  std::vector<Mat3d> element;  ///< per given tetrahedron, world axes [Pa]
  std::vector<Mat3d> node;     ///< per vertex of the refined mesh, world axes [Pa]
};

/// @param elements, model  of the same body
/// @param x  world positions of the model's vertices [m], (V)
SoftStress cauchy_stress(const SoftElements& elements, const Lame& moduli, const SoftModel& model,
                         std::span<const Vec3d> x);

/// sqrt(3/2 s : s) with the deviator s of a stress [Pa].
double von_mises(const Mat3d& stress);

}  // namespace haptos
