// Many pairs of features at once: their distances, and how far a motion may go before any of them
// comes too close. Pairs ride in the lanes of a pack, packs on threads.
//
// A stencil is four points: (p, a, b, c) for a point and a triangle, (p, q, r, s) for edges pq and
// rs. Every lane equals the scalar query bit for bit, and so does any number of threads.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

enum class StencilShape : std::uint8_t { kPointTriangle, kEdgeEdge };

using StencilPoints = std::array<int, 4>;

/// Distances [m] of the stencils at positions x, one for each.
void stencil_distances(StencilShape shape, std::span<const StencilPoints> stencils,
                       const std::vector<Vec3d>& x, double* distance);

/// The same for stencils whose corners are given.
void stencil_distances(StencilShape shape, std::span<const std::array<Vec3d, 4>> corners,
                       double* distance);

/// The largest share in [0, 1] of the motion x -> x + limit dx that leaves every stencil a quarter
/// of its gap, or half the support if that is less.
double stencil_step_cap(StencilShape shape, std::span<const StencilPoints> stencils,
                        const std::vector<Vec3d>& x, const std::vector<Vec3d>& dx, double limit,
                        double support);

}  // namespace haptos
