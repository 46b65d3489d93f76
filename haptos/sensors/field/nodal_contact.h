// What contact records say about the nodes of one soft body: force, contact area, stand-off.
//
// A record's force acts on a material point, a weighted sum of at most three points; the same
// weights share it among them, which is what the step's balance holds. Records of a body's own
// contact with itself act on both of its places.
#pragma once

#include <span>
#include <vector>

#include "haptos/contact/record.h"

namespace haptos {

struct NodalContact {
  std::vector<Vec3d> force;  ///< on each node, world or gel frame as asked [N]
  /// Area at rest of the samples in contact that each node stands for [m2]. In contact is what
  /// presses with at least 2 % of the largest pressure on the body: a barrier acts before.
  std::vector<double> area;
  /// From each node to the surface that presses on it, mean over its contacts by their normal
  /// forces [m]; zero where none does.
  std::vector<Vec3d> to_surface;
};

/// @param records  of a step
/// @param body     number of the soft body in them
/// @param points   the point of each of its nodes
NodalContact nodal_contact(std::span<const ContactPoint> records, int body,
                           std::span<const int> points);

}  // namespace haptos
