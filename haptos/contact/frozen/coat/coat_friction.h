// The friction by which a surface holds a coat that its own pressure moves aside: a gel that is
// pressed flows out from under what presses, and is held back. Of all forces along the surface that
// friction allows it is the one that leaves each node where it was, or has all of it (Kalker 1990,
// the principle of the tangential problem):
//
//   least of  1/2 t.C t + t.w  over  |t_i| <= most_i,
//
// with w how far each node has been moved since the start of the step by all but this friction.
#pragma once

#include <vector>

#include "haptos/contact/frozen/coat/coat_press.h"

namespace haptos {

/// Finds `friction` of each node, starting from what it is; across the normals of the nodes [N].
/// @param most   of each node, what friction allows [N]
/// @param moved  of each node by all but this friction, what is not across its normal is left out
///               [m]
/// @param before  the friction of each node at the start of the step [N]
void hold_back(const CoatCompliance& coat, const std::vector<CoatNode>& nodes,
               const std::vector<double>& most, const std::vector<Vec3d>& moved,
               const std::vector<Vec3d>& before, std::vector<Vec3d>& friction);

}  // namespace haptos
