#include "haptos/contact/live/mortar/mortar_press.h"

#include "haptos/base/math/index.h"
#include "haptos/contact/live/pairs/barrier_law.h"

namespace haptos {
namespace {

enum Kind : std::int64_t { kFace = kMortarKind, kMasterEdge, kSlaveEdge };

// Samples of a patch: 6 triangles of 12 nodes.
constexpr std::int64_t kMostSamples = 128;

WeightedPoint weighted(const int (&points)[3], const double (&weights)[3]) {
  WeightedPoint w;
  w.count = 3;
  for (int k = 0; k < 3; ++k) {
    w.point[k] = points[k];
    w.weight[k] = weights[k];
  }
  return w;
}

MortarPress press_of(const MortarPatch& p, const MortarSample& s, int k, double support) {
  MortarPress out;
  out.slave = weighted(p.base, s.base);
  out.master = weighted(p.probe, s.probe);
  out.slave_triangle = p.base_id;
  out.master_cell = p.probe_id;
  out.u = s.base[1];
  out.v = s.base[2];
  out.force = p.m * (s.scale * barrier(s.gap, support).first);
  out.gap = s.gap;
  out.scale = s.scale;
  out.area = s.area;
  out.feature_a = kFace * kFeatureKind + p.base_id;
  out.feature_b = kFace * kFeatureKind + p.probe_id * kMostSamples + k;
  return out;
}

// A triangle or loose cell that a point belongs to.
int cell_beside(const ContactSurface& s, const EdgePoint& p) {
  const bool edge = p.edge >= 0;
  const auto t = edge ? s.topology.edge_triangles[p.edge] : s.topology.vertex_triangles[p.vertex];
  if (!t.empty()) return t[0];
  return edge ? s.loose_of_edge(p.edge) : s.loose_of_vertex[at_index(p.vertex)];
}

MortarPress press_of(const EdgePoint& p, const MortarSides& sides) {
  MortarPress out;
  out.force = p.force;
  out.gap = p.gap;
  out.scale = sides.stiffness * p.area;
  if (p.of_master) {
    out.slave = p.other;
    out.master = p.at;
    out.slave_triangle = p.other_cell;
    out.master_cell = cell_beside(*sides.master, p);
    out.u = p.other.weight[1];
    out.v = p.other.weight[2];
    out.feature_a = kMasterEdge * kFeatureKind + p.other_cell;
    out.feature_b = kMasterEdge * kFeatureKind + p.id;
    return out;
  }
  out.slave = p.at;
  out.master = p.other;
  out.slave_triangle = cell_beside(*sides.slave, p);
  out.master_cell = p.other_cell;
  const Vec3i& c = sides.slave->triangles[at_index(out.slave_triangle)];
  for (int i = 0; i < p.at.count; ++i) {
    if (sides.slave->point[at_index(c[1])] == p.at.point[i]) out.u = p.at.weight[i];
    if (sides.slave->point[at_index(c[2])] == p.at.point[i]) out.v = p.at.weight[i];
  }
  out.feature_a = kSlaveEdge * kFeatureKind + p.id;
  out.feature_b = kSlaveEdge * kFeatureKind + p.other_cell;
  return out;
}

}  // namespace

std::vector<MortarPress> mortar_presses(const MortarSides& sides, const MortarSamples& faces,
                                        const EdgePoints& edges) {
  std::vector<MortarPress> out;
  out.reserve(faces.samples.size() + edges.points().size());
  for (const MortarPatch& p : faces.patches)
    for (int k = p.first; k < p.end; ++k)
      out.push_back(press_of(p, faces.samples[at_index(k)], k - p.first, sides.support));
  for (const EdgePoint& p : edges.points()) out.push_back(press_of(p, sides));
  return out;
}

ContactPoint record_press(const MortarPress& press, const MortarSides& sides,
                          const Points& points) {
  ContactPoint c;
  c.env = sides.slave->env;
  c.body_a = sides.slave->body;
  c.body_b = sides.master->body;
  c.surface_a = sides.slave->part;
  c.surface_b = sides.master->part;
  c.feature_a = press.feature_a;
  c.feature_b = press.feature_b;
  c.point_a = press.slave;
  c.point_b = press.master;
  c.p = (at(points.x, c.point_a) + at(points.x, c.point_b)) * 0.5;
  c.force = press.force;
  c.normal_force = norm(press.force);
  if (c.normal_force > 0) c.n = press.force * (1 / c.normal_force);
  c.gap = press.gap;
  c.area = press.area;
  const Vec3d slip = at(points.u, c.point_a) - at(points.u, c.point_b);
  c.slip = slip - c.n * dot(slip, c.n);
  return c;
}

}  // namespace haptos
