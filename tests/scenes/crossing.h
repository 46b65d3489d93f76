// Whether surfaces pass through each other, by exact predicates.
#pragma once

#include <string>

#include "haptos/geometry/exact.h"
#include "haptos/sim/sim.h"

namespace haptos::test {

/// Triangles of a soft body's surface that meet those of a prescribed or an affine body now.
inline std::size_t crossings(const Sim& sim, const std::string& soft, const std::string& stiff) {
  const SoftModel& model = sim.soft_model(soft);
  const std::vector<Vec3d> x = sim.soft_positions(soft);
  TriMesh gel, tool;
  gel.triangles = model.surface.triangles;
  for (const int v : model.surface_vertex) gel.vertices.push_back(x[static_cast<std::size_t>(v)]);
  for (const PrescribedBody& b : sim.scene().prescribed)
    if (b.name == stiff) {
      tool.triangles = b.surface.triangles;
      tool.vertices = sim.prescribed_positions(stiff);
    }
  for (const AffineBody& b : sim.scene().affine)
    if (b.name == stiff) {
      tool.triangles = b.surface.triangles;
      tool.vertices = sim.affine_positions(stiff);
    }
  EXPECT_GT(tool.triangles.size(), 0u) << stiff;
  return intersecting_pairs(gel, tool).size();
}

}  // namespace haptos::test
