// How far what touches a coat has carried it along: the rigid motion, along the surface, of the
// nodes that press. Where a body touches is looked for with the coat moved by this, not by all that
// it is displaced along itself: a gel that flows out from under a punch takes its surface with it,
// and nodes a fraction of a millimetre apart would leave the rim row by row.
#pragma once

#include <vector>

#include "haptos/system/coat/coat_compliance.h"

namespace haptos {

struct CoatCarry {
  Vec3d middle = Vec3d::zero();  ///< of what presses [m]
  Vec3d by = Vec3d::zero();      ///< there [m]
  Vec3d turn = Vec3d::zero();    ///< about it, a rotation vector

  /// Of a place of the coat at rest; not yet along its surface [m].
  Vec3d at(const Vec3d& x) const { return by + cross(turn, x - middle); }
};

/// That of some nodes, each with its normal force, by which it counts.
/// @param displaced  of every node of the coat [m]
CoatCarry carry_of(const CoatCompliance& coat, const std::vector<int>& nodes,
                   const std::vector<double>& force, const std::vector<Vec3d>& displaced);

}  // namespace haptos
