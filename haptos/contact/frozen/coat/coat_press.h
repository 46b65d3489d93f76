// Where a coat presses and with what force: the linear complementarity problem
//
//   f_i = p_i n_i,   gap_i = gap0_i + n_i . sum_j C_ij f_j,   p_i >= 0, gap_i >= 0, p_i gap_i = 0
//
// over the nodes that may touch, solved by exchanging whole blocks of nodes (Judice and Pires
// 1994), then one at a time. Exact up to round-off, and a function of its input alone.
#pragma once

#include <vector>

#include "haptos/system/coat/coat_compliance.h"

namespace haptos {

/// A node of a coat that may touch, and what it is to contact.
struct CoatNode {
  int node = 0;
  Vec3d n{{0, 0, 1}};     ///< unit, by which the other surface pushes it
  double gap = 0;         ///< without any of the forces that are sought [m]
  double force = 0;       ///< p, found [N]
  double stiffness = 0;   ///< of p against the motion of all that presses along n, found [N/m]
  double tangential = 0;  ///< the same along the surface, of what sticks [N/m]
  bool slips = false;     ///< already: its friction does not follow the motion
  double stiffer = 1;     ///< factor of `force` for what squeezes the pad, found
};

/// Finds `force` of each node; starts from those of which it is above zero.
void press(const CoatCompliance& coat, std::vector<CoatNode>& nodes);

/// Finds by what factor squeezing makes those that press stiffer.
void find_squeeze(const CoatCompliance& coat, std::vector<CoatNode>& nodes);

/// Finds the stiffnesses of those that press. What slips has the tangential stiffness of a coat
/// that sticks all over.
void find_stiffness(const CoatCompliance& coat, std::vector<CoatNode>& nodes);

}  // namespace haptos
