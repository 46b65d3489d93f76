// What every sample of faces and every point of edges presses with, in one form: for friction and
// for the contact records.
#pragma once

#include "haptos/contact/live/overlap/edge_points.h"

namespace haptos {

struct MortarPress {
  WeightedPoint slave, master;  ///< material points that meet
  int slave_triangle = -1, master_cell = -1;
  double u = 0, v = 0;  ///< weights of the slave triangle's second and third corner
  Vec3d force;          ///< on the slave [N]
  double gap = 0;       ///< [m]
  double scale = 0;     ///< stiffness times area [N/m]
  double area = 0;      ///< rest area of a sample of a face [m2]; 0 of an edge
  std::int64_t feature_a = -1, feature_b = -1;
};

/// The first kind of feature (record.h) that is mortar's; barrier's come before.
inline constexpr std::int64_t kMortarKind = 8;

std::vector<MortarPress> mortar_presses(const MortarSides& sides, const MortarSamples& faces,
                                        const EdgePoints& edges);

/// Its contact record.
ContactPoint record_press(const MortarPress& press, const MortarSides& sides, const Points& points);

}  // namespace haptos
