// Points that fill the inside of a shape evenly.
//
//   Poisson disk  places at random, none nearer to another than r = (0.55 / n)^(1/3) with n points
//                 per volume (Bridson 2007): first a layer of them half a spacing n^(-1/3) inside
//                 the surface, then the rest of the inside
//   lattice       rows along the axes of the shape's box, a whole number of equal spacings along
//                 each, half a spacing inside its sides
//
// Either way what is at the surface is half a spacing from it.
//
// The number comes out near volume x n; whoever uses the points gives each the volume of the shape
// over their number, so that it adds up.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "haptos/geometry/shape/shape.h"

namespace haptos {

struct Filling {
  std::vector<Vec3d> points;  ///< in the frame of the shape [m]
  double volume = 0;          ///< of the shape [m3]
};

enum class Fill : std::uint8_t { kPoisson, kLattice };

/// Most points of one shape.
inline constexpr double kMostPoints = 2e7;

/// @param density  points per volume [1/m3]
/// @param seed     of the random places: the same one gives the same points on every machine
/// @throws InputError naming `element` for a shape without a volume (an open mesh, a half-space, a
///         field of heights), for more than kMostPoints and for none
Filling fill_points(const Shape& shape, double density, Fill fill, std::uint64_t seed,
                    const std::string& element);

}  // namespace haptos
