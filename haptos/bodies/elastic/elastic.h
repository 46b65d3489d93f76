// The elastic energy of a soft body, a position term: live, but for the linear corotated law, of
// which each point keeps the rotation R_n that it has at the start of the step,
//
//   psi(R_n^T F)  of the linear law,
//
// so that it is quadratic in x and convex, with one Hessian for the step; for linear tetrahedra it
// is frozen, without a step cap (composite ones have a barrier against inversion beside it).
//
// A live one also caps the step so that no tetrahedron inverts: along x + a dx the volume of a
// tetrahedron is a cubic in a; the cap keeps at least a tenth of the present volume, found on a
// polynomial that is below the true one, so it is never too large.
#pragma once

#include <memory>

#include "haptos/bodies/elastic/soft_element.h"
#include "haptos/system/term.h"

namespace haptos {

/// @param elements  shared with other terms of the same body, and of other environments
/// @param moduli  null: those of the material
std::unique_ptr<Term> make_elastic_term(std::shared_ptr<const SoftElements> elements,
                                        ElasticLaw law, SharedLame moduli = nullptr);

/// Per tetrahedron J = det F and Cauchy pressure-free data for reports: smallest J of a body at x.
double smallest_volume_ratio(const SoftElements& elements, const std::vector<Vec3d>& x);

/// The largest a in (0, limit] that keeps det(E + a D) >= keep * det(E) by a conservative bound;
/// E holds the edges x_1-x_0, x_2-x_0, x_3-x_0 as columns, det E > 0.
double inversion_step(const Mat3d& E, const Mat3d& D, double limit, double keep = 0.1);

}  // namespace haptos
