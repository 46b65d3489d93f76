// Where surfaces are, and whether they pass through each other, by exact predicates.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "haptos/geometry/exact.h"
#include "haptos/sim/sim.h"

namespace haptos::test {

/// The surface of a soft, affine or prescribed body where it is now.
inline TriMesh present_surface(const Sim& sim, const std::string& name) {
  for (const SoftBody& b : sim.scene().soft) {
    if (b.name != name) continue;
    const SoftModel& model = sim.soft_model(name);
    const std::vector<Vec3d> x = sim.soft_positions(name);
    TriMesh m;
    m.triangles = model.surface.triangles;
    for (const int v : model.surface_vertex) m.vertices.push_back(x[static_cast<std::size_t>(v)]);
    return m;
  }
  for (const AffineBody& b : sim.scene().affine)
    if (b.name == name) return {sim.affine_positions(name), b.surface.triangles};
  for (const PrescribedBody& b : sim.scene().prescribed)
    if (b.name == name) return {sim.prescribed_positions(name), b.surface.triangles};
  ADD_FAILURE() << name << " is no body of the scene";
  return {};
}

/// Pairs of triangles of two bodies' surfaces that meet now.
inline std::size_t crossings(const Sim& sim, const std::string& a, const std::string& b) {
  const TriMesh first = present_surface(sim, a), second = present_surface(sim, b);
  EXPECT_GT(second.triangles.size(), 0u) << b;
  return intersecting_pairs(first, second).size();
}

}  // namespace haptos::test
