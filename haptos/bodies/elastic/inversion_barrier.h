// Keeps the tetrahedra inside composite elements from inverting.
//
// A composite element (bodies/elastic/soft_element.h) sees a projection of its eight tetrahedra's
// F, so its energy stays finite when one of them is crushed, as under a sharp edge. This term sees
// each tetrahedron s, of rest volume V_s and volume ratio J_s:
//
//   E = mu sum_s V_s B(J_s; J0),   B(J; J0) = -(J - J0)^2 ln(J / J0) for J < J0, 0 beyond,
//
// the barrier of contact/live/pairs/barrier_law.h in J. It is zero, and the element unchanged,
// while every J_s >= J0 = 0.3; it is twice continuously differentiable and grows without bound as
// J -> 0.
// Limits: a regularisation of the discrete element under crushing, not a law of the material.
#pragma once

#include <memory>

#include "haptos/bodies/elastic/soft_element.h"
#include "haptos/system/term.h"

namespace haptos {

/// The volume ratio below which the barrier acts.
constexpr double kInversionSupport = 0.3;

/// @param elements  composite ones
/// @param moduli  null: those of the material
std::unique_ptr<Term> make_inversion_barrier(std::shared_ptr<const SoftElements> elements,
                                             SharedLame moduli = nullptr);

}  // namespace haptos
