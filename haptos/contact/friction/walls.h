// The walls that a source of friction touches: forces that press the same way, within 30 degrees.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

struct Wall {
  Vec3d force = Vec3d::zero();  ///< of those that press [N]
  std::size_t strongest = 0;    ///< the one that presses most
};

/// Whether all forces lie along the net one; zero ones do not count.
bool one_wall(std::span<const Vec3d> forces, const Vec3d& net);
/// The forces in order of their size: each joins the first wall whose strongest force it lies
/// along. Zero ones join none.
void find_walls(std::span<const Vec3d> forces, std::vector<Wall>& walls);

}  // namespace haptos
