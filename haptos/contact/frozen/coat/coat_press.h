// Where a coat presses and with what force: the linear complementarity problem
//
//   gap_i = gap0_i + sum_j A_ij p_j,   p_i >= 0, gap_i >= 0, p_i gap_i = 0,
//   A = W G W^T + near + own,   G_ab = n_a . C_ab n_b
//
// over the probes that may touch, W their parts of nodes (system/coat/coat_compliance.h). It is the
// least of 1/2 p.A p + gap0.p over p >= 0, found by conjugate gradients that project (Dostal and
// Schoberl 2005, MPRGP): A is only multiplied with. A function of its input alone.
#pragma once

#include <vector>

#include "haptos/system/coat/coat_compliance.h"

namespace haptos {

/// A node of a coat that may touch, and what it is to contact.
struct CoatNode {
  int node = 0;
  Vec3d n{{0, 0, 1}};     ///< unit, by which the other surface pushes it
  double force = 0;       ///< that its probes hand it, found [N]
  double stiffness = 0;   ///< of p against the motion of all that presses along n, found [N/m]
  double tangential = 0;  ///< the same along the surface, of what sticks [N/m]
  double cover = 1;       ///< part of its hat that presses, found
  bool slips = false;     ///< already: its friction does not follow the motion
  double stiffer = 1;     ///< factor of `force` for what squeezes the pad, found
};

/// A probe of a coat that may touch.
struct CoatProbe {
  int probe = 0;
  double gap = 0;    ///< without any of the forces that are sought [m]
  double force = 0;  ///< p, found [N]
  double own = 0;    ///< by how much it gives way more under its own force [m/N]
};

/// Finds `force` of each probe, starting from what it is, until gaps are a hundredth of what they
/// were, or 1e-5 of the deepest; and `force` and `cover` of each node.
/// Both rise; nodes are those of all probes, and maybe others.
void press(const CoatCompliance& coat, std::vector<CoatNode>& nodes,
           std::vector<CoatProbe>& probes);

/// Finds by what factor squeezing makes those that press stiffer.
void find_squeeze(const CoatCompliance& coat, std::vector<CoatNode>& nodes);

/// What a node gives way by more along the surface because only a part of its hat presses [m/N].
inline double more_give(const CoatNode& n, double own) { return own * (1 / n.cover - 1); }

/// Finds the stiffnesses of those that press. What slips has the tangential stiffness of a coat
/// that sticks all over.
void find_stiffness(const CoatCompliance& coat, std::vector<CoatNode>& nodes);

}  // namespace haptos
