// Where surfaces are, and whether they pass through each other, by exact predicates.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "haptos/geometry/query/bvh.h"
#include "haptos/geometry/query/exact.h"
#include "haptos/sim/sim.h"

namespace haptos::test {

inline TriMesh joined(const std::vector<TriMesh>& parts) {
  TriMesh all;
  for (const TriMesh& part : parts) {
    const int n = static_cast<int>(all.vertices.size());
    all.vertices.insert(all.vertices.end(), part.vertices.begin(), part.vertices.end());
    for (const Vec3i& t : part.triangles) all.triangles.push_back({{t[0] + n, t[1] + n, t[2] + n}});
  }
  return all;
}

/// The surface of a soft, affine or prescribed body, or of a link, where it is now.
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
    if (b.name == name) {
      TriMesh m = b.surface;
      m.vertices = sim.prescribed_positions(name);
      return m;
    }
  if (const std::vector<TriMesh> of_link = sim.link_surfaces(name); !of_link.empty())
    return joined(of_link);
  ADD_FAILURE() << name << " is no body of the scene";
  return {};
}

/// Pairs of triangles, segments and points of two surfaces that meet (of the latter two with
/// triangles).
inline std::size_t crossings(const TriMesh& a, const TriMesh& b) {
  return intersecting_pairs(a, b).size() + loose_triangle_pairs(a, b).size() +
         loose_triangle_pairs(b, a).size();
}

/// The same of two bodies' surfaces now.
inline std::size_t crossings(const Sim& sim, const std::string& a, const std::string& b) {
  const TriMesh first = present_surface(sim, a), second = present_surface(sim, b);
  EXPECT_FALSE(second.empty()) << b;
  return crossings(first, second);
}

/// Vertices of `loose` that its segments and points name and that are in a tetrahedron of a soft
/// body (exact).
inline std::size_t vertices_inside(const Sim& sim, const std::string& soft, const TriMesh& loose) {
  const std::vector<Vec3d> x = sim.soft_positions(soft);
  std::vector<Aabb> boxes;
  const std::vector<Vec4i>& tets = sim.soft_model(soft).rest.tets;
  const auto at = [&](const Vec4i& t, int k) { return x[static_cast<std::size_t>(t[k])]; };
  for (const Vec4i& t : tets)
    boxes.push_back(Aabb::of(at(t, 0), at(t, 1), at(t, 2)).merge(at(t, 3)));
  const Bvh tree(boxes);
  std::vector<int> vertices = loose.points;
  for (const Vec2i& s : loose.segments) vertices.insert(vertices.end(), {s[0], s[1]});
  std::size_t inside = 0;
  for (const int v : vertices) {
    const Vec3d& p = loose.vertices[static_cast<std::size_t>(v)];
    tree.query(Aabb::of(p, p, p), [&](int i) {
      const Vec4i& t = tets[static_cast<std::size_t>(i)];
      constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};  // outward
      bool out = false;
      for (const auto& f : kFaces)
        out = out || orient3d_sign(at(t, f[0]), at(t, f[1]), at(t, f[2]), p) > 0;
      inside += !out;
    });
  }
  return inside;
}

}  // namespace haptos::test
