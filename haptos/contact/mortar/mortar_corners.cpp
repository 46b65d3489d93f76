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
  begin();
}

void MortarCorners::begin() {
  master_area_.assign(sides_.master->point.size(), -1.0);
  slave_area_.assign(sides_.slave->point.size(), -1.0);
}

void MortarCorners::weigh_master(const BarrierCandidates& near, int i, const Points& points) {
  const ContactSurface &s = *sides_.slave, &m = *sides_.master;
  const int v = near.vertices[at_index(i)];
  double& area = master_area_[at_index(v)];
  if (area >= 0) return;
  area = 0;
  const Nearest at =
      nearest(s, near.vertex_triangles[i], m.position(points.x_start, v), points.x_start);
  if (at.triangle < 0) return;
  const Vec3i& c = s.triangles[at_index(at.triangle)];
  for (int k = 0; k < 3; ++k) area += at.weight[k] * share_[at_index(c[k])];
  area *= exposed(vertex_slope(m, points.x_start, v, at.normal), sqrt(2 * area), sides_.support);
}

void MortarCorners::weigh_slave(int v, std::span<const int> near, const Points& points) {
  double& area = slave_area_[at_index(v)];
  if (area >= 0 || near.empty()) return;
  const ContactSurface& s = *sides_.slave;
  const Nearest at = nearest(*sides_.master, near, s.position(points.x_start, v), points.x_start);
  area = at.triangle < 0
             ? 0
             : share_[at_index(v)] * exposed(vertex_slope(s, points.x_start, v, at.normal),
                                             sqrt(2 * share_[at_index(v)]), sides_.support);
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
  return area * exposed(edge_slope(m, x, em, n), size, sides_.support) *
         exposed(edge_slope(s, x, es, -n), size, sides_.support);
}

void MortarCorners::found(const BarrierCandidates& near, const Points& points) {
  for (std::size_t i = 0; i < near.vertices.size(); ++i)
    weigh_master(near, static_cast<int>(i), points);
  const int vertices = static_cast<int>(slave_area_.size());
  for (int v = 0; v < std::min(vertices, near.sample_cells.size()); ++v)
    weigh_slave(v, near.sample_cells[v], points);
  crossings_.clear();
  for (std::size_t i = 0; i < near.edge_pairs.size(); ++i) {
    const auto& [es, em] = near.edge_pairs[i];
    if (!sides_.slave_edge[at_index(es)] || !sides_.master_edge[at_index(em)]) continue;
    const double area = weigh_crossing(es, em, points.x_start);
    if (area > 0) crossings_.push_back({es, em, near.edge_stencils[i], area});
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

void MortarCorners::collect(const BarrierCandidates& near, const std::vector<Vec3d>& x,
                            std::vector<BarrierPair>& out) {
  const ContactSurface &s = *sides_.slave, &m = *sides_.master;
  for (std::size_t i = 0; i < near.vertices.size(); ++i) {
    const int v = near.vertices[i];
    const double area = master_area_[at_index(v)];
    if (!(area > 0)) continue;
    seen_.clear();
    closest_features(s, x, m.position(x, v), near.vertex_triangles[static_cast<int>(i)],
                     sides_.support, seen_);
    add_seen(PairKind::kCorner, s, m.point[at_index(v)], v, area, out);
  }
  const int vertices = static_cast<int>(slave_area_.size());
  for (int v = 0; v < std::min(vertices, near.sample_cells.size()); ++v) {
    const double area = slave_area_[at_index(v)];
    if (!(area > 0)) continue;
    seen_.clear();
    closest_features(m, x, s.position(x, v), near.sample_cells[v], sides_.support, seen_);
    add_seen(PairKind::kSample, m, s.point[at_index(v)], v, area, out);
  }
  for (const Crossing& c : crossings_) {
    const auto corner = [&](int k) -> const Vec3d& { return x[at_index(c.stencil[at_index(k)])]; };
    const double gap = edge_edge_stencil(corner(0), corner(1), corner(2), corner(3)).d;
    if (!(gap < sides_.support)) continue;
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
