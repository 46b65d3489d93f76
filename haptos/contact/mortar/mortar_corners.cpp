#include "haptos/contact/mortar/mortar_corners.h"

#include <algorithm>

#include "haptos/contact/mortar/exposure.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// The nearest of some triangles of a surface: weights of its corners, and its normal.
struct Nearest {
  int triangle = -1;
  double distance = 1e300;
  double weight[3] = {};
  Vec3d normal = Vec3d::zero();
};

Nearest nearest(const ContactSurface& s, std::span<const int> cells, const Vec3d& p,
                const std::vector<Vec3d>& x) {
  Nearest best;
  for (const int t : cells) {
    if (!s.is_triangle(t)) continue;
    const Vec3i& c = s.triangles[at_index(t)];
    const Vec3d &a = s.position(x, c[0]), &b = s.position(x, c[1]), &d = s.position(x, c[2]);
    const Stencil<double> r = point_triangle_stencil(p, a, b, d);
    if (!(r.d < best.distance)) continue;
    best = {t, r.d, {-r.w[1], -r.w[2], -r.w[3]}, normalized(cross(b - a, d - a))};
  }
  return best;
}

}  // namespace

MortarCorners::MortarCorners(const MortarSides& sides) : sides_(sides) {
  const ContactSurface& s = *sides.slave;
  for (std::size_t v = 0; v < s.point.size(); ++v) {
    const auto n = s.topology.vertex_triangles[static_cast<int>(v)].size();
    share_.push_back(n > 0 ? 3 * s.rest.vertex_area[v] / static_cast<double>(n) : 0.0);
  }
  slave_area_.assign(s.point.size(), 0.0);
  master_area_.assign(sides.master->point.size(), 0.0);
}

double MortarCorners::weigh_master(int v, std::span<const int> near,
                                   const std::vector<Vec3d>& x) const {
  const ContactSurface& s = *sides_.slave;
  const Nearest at = nearest(s, near, sides_.master->position(x, v), x);
  if (at.triangle < 0) return 0;
  const Vec3i& c = s.triangles[at_index(at.triangle)];
  double area = 0;
  for (int k = 0; k < 3; ++k) area += at.weight[k] * share_[at_index(c[k])];
  return area * sides_.master_exposure.of_vertex(x, v, at.normal, sqrt(2 * area), sides_.support);
}

double MortarCorners::weigh_slave(int v, std::span<const int> near,
                                  const std::vector<Vec3d>& x) const {
  const Nearest at = nearest(*sides_.master, near, sides_.slave->position(x, v), x);
  if (at.triangle < 0) return 0;
  const double area = share_[at_index(v)];
  return area * sides_.slave_exposure.of_vertex(x, v, at.normal, sqrt(2 * area), sides_.support);
}

double MortarCorners::weigh_crossing(int es, int em, const std::vector<Vec3d>& x) const {
  const ContactSurface &s = *sides_.slave, &m = *sides_.master;
  const Vec2i &vs = s.topology.edges[at_index(es)], &vm = m.topology.edges[at_index(em)];
  const Vec3d &p = s.position(x, vs[0]), &q = m.position(x, vm[0]);
  Vec3d n = cross(s.position(x, vs[1]) - p, m.position(x, vm[1]) - q);
  const double length = norm(n);
  if (!(length > 0)) return 0;
  n *= (dot(n, q - p) < 0 ? -1 : 1) / length;  // from the slave to the master
  const double area = sides_.breadth[at_index(es)] * s.rest_length[at_index(es)];
  const double size = sqrt(3 * area);  // of the triangles beside: about 2 A, A = 3/2 of a share
  return area * sides_.master_exposure.of_edge(x, em, n, size, sides_.support) *
         sides_.slave_exposure.of_edge(x, es, -n, size, sides_.support);
}

void MortarCorners::found(const BarrierCandidates& near) {
  crossings_.clear();
  for (std::size_t i = 0; i < near.edge_pairs.size(); ++i) {
    const auto& [es, em] = near.edge_pairs[i];
    if (sides_.slave_exposure.sharp(es) && sides_.master_exposure.sharp(em))
      crossings_.push_back({es, em, near.edge_stencils[i], 0.0});
  }
}

void MortarCorners::add_seen(PairKind kind, const ContactSurface& target, int point, int id,
                             double area, std::vector<BarrierPair>& out) const {
  for (const SeenFeature& f : seen_) {
    BarrierPair p;
    p.kind = kind;
    p.source = single(point);
    p.feature = f.kind;
    p.count = f.count;
    p.gap = f.distance;
    p.scale = sides_.stiffness * area;
    p.source_id = id;
    p.target_id = f.id;
    const int* v = f.kind == FeatureKind::kFace   ? target.triangles[at_index(f.id)].a
                   : f.kind == FeatureKind::kEdge ? target.topology.edges[at_index(f.id)].a
                                                  : &f.id;
    p.target_count = f.kind == FeatureKind::kFace ? 3 : f.kind == FeatureKind::kEdge ? 2 : 1;
    for (int k = 0; k < p.target_count; ++k) p.target[k] = target.point[at_index(v[k])];
    out.push_back(p);
  }
}

void MortarCorners::collect(const BarrierCandidates& near, const std::vector<Vec3d>& x, bool held,
                            std::vector<BarrierPair>& out) {
  const ContactSurface &s = *sides_.slave, &m = *sides_.master;
  for (std::size_t i = 0; i < near.vertices.size(); ++i) {
    const int v = near.vertices[i];
    if (!sides_.master_exposure.convex(v)) continue;
    const auto triangles = near.vertex_triangles[static_cast<int>(i)];
    seen_.clear();
    closest_features(s, x, m.position(x, v), triangles, sides_.support, seen_);
    double& area = master_area_[at_index(v)];
    if (!held) area = seen_.empty() ? 0 : weigh_master(v, triangles, x);
    if (area > 0) add_seen(PairKind::kCorner, s, m.point[at_index(v)], v, area, out);
  }
  const int vertices = std::min(static_cast<int>(s.point.size()), near.sample_cells.size());
  for (int v = 0; v < vertices; ++v) {
    const auto cells = near.sample_cells[v];
    if (cells.empty() || !sides_.slave_exposure.convex(v)) continue;
    seen_.clear();
    closest_features(m, x, s.position(x, v), cells, sides_.support, seen_);
    double& area = slave_area_[at_index(v)];
    if (!held) area = seen_.empty() ? 0 : weigh_slave(v, cells, x);
    if (area > 0) add_seen(PairKind::kSample, m, s.point[at_index(v)], v, area, out);
  }
  collect_crossings(x, held, out);
}

void MortarCorners::collect_crossings(const std::vector<Vec3d>& x, bool held,
                                      std::vector<BarrierPair>& out) {
  const ContactSurface &s = *sides_.slave, &m = *sides_.master;
  for (Crossing& c : crossings_) {
    if (held && !(c.area > 0)) continue;
    const auto corner = [&](int k) -> const Vec3d& { return x[at_index(c.stencil[at_index(k)])]; };
    const double gap = edge_edge_stencil(corner(0), corner(1), corner(2), corner(3)).d;
    const bool seen = gap < sides_.support;
    if (!held) c.area = seen ? weigh_crossing(c.slave, c.master, x) : 0;
    if (!seen || !(c.area > 0)) continue;
    BarrierPair p;
    p.kind = PairKind::kEdges;
    p.source.count = 2;
    for (int k = 0; k < 2; ++k) {
      p.source.point[k] = c.stencil[at_index(k)];
      p.target[k] = c.stencil[at_index(k) + 2];
    }
    p.target_count = 2;
    p.gap = gap;
    p.scale = sides_.stiffness * c.area;
    p.source_id = c.slave;
    p.target_id = c.master;
    p.mollifier = edge_edge_mollifier_threshold(square(s.rest_length[at_index(c.slave)]),
                                                square(m.rest_length[at_index(c.master)]));
    out.push_back(p);
  }
}

}  // namespace haptos
