#include "haptos/contact/live/overlap/edge_points.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/geometry/query/closest.h"

namespace haptos {
namespace {

// Points along an edge are no farther apart than this part of the size of the slave's triangles.
constexpr double kSpacing = 0.5;
// An edge of the master stands for this part of that size across itself, a corner both ways.
constexpr double kBreadth = 0.3;

// A triangle or loose cell of a feature, and the weights of its corners at the point of the feature
// that is closest to p.
struct Place {
  int cell = -1;
  double weight[3] = {0, 0, 0};
};

Place closest_place(const ContactSurface& s, const std::vector<Vec3d>& x, const SeenFeature& f,
                    const Vec3d& p) {
  Place out;
  if (f.kind == FeatureKind::kFace) {
    const Vec3i& c = s.triangles[at_index(f.id)];
    const TriangleClosest<double> r =
        closest_on_triangle(p, s.position(x, c[0]), s.position(x, c[1]), s.position(x, c[2]));
    out.cell = f.id;
    for (int k = 0; k < 3; ++k) out.weight[k] = r.beta[k];
    return out;
  }
  const bool edge = f.kind == FeatureKind::kEdge;
  const auto around = edge ? s.topology.edge_triangles[f.id] : s.topology.vertex_triangles[f.id];
  out.cell = !around.empty() ? around[0]
             : edge          ? s.loose_of_edge(f.id)
                             : s.loose_of_vertex[at_index(f.id)];
  int ends[2] = {f.id, f.id};
  double t = 0;
  if (edge) {
    const Vec2i& v = s.topology.edges[at_index(f.id)];
    ends[0] = v[0];
    ends[1] = v[1];
    t = closest_on_segment(p, s.position(x, v[0]), s.position(x, v[1]));
  }
  const Vec3i& c = s.cell(out.cell);
  for (int i = 0; i < (edge ? 2 : 1); ++i)
    for (int k = 0; k < 3; ++k)
      if (c[k] == ends[i]) {
        out.weight[k] += edge ? (i == 0 ? 1 - t : t) : 1;
        break;  // a loose cell names a vertex more than once
      }
  return out;
}

}  // namespace

EdgePoints::EdgePoints(const MortarSides& sides) : sides_(&sides) {
  int points = 0;
  const auto add_all = [&](const ContactSurface& s, const Exposure& exposure, bool of_master,
                           Numbers& number) {
    const auto add_one = [&](int edge, int vertex, double length, int n, int& at) {
      at = static_cast<int>(edges_.size());
      edges_.push_back({of_master, edge, vertex, points, n, length / n, {}});
      points += n;
    };
    number.edge.assign(s.topology.edges.size(), -1);
    number.vertex.assign(s.point.size(), -1);
    for (int e = 0; e < static_cast<int>(number.edge.size()); ++e) {
      const double length = s.rest_length[at_index(e)], most = kSpacing * sides.typical_size;
      if (exposure.sharp(e) && length > 0)
        add_one(e, -1, length, std::max(2, static_cast<int>(std::ceil(length / most))),
                number.edge[at_index(e)]);
    }
    for (int v = 0; v < static_cast<int>(number.vertex.size()); ++v)
      if (exposure.corner(v)) add_one(-1, v, 0, 1, number.vertex[at_index(v)]);
  };
  add_all(*sides.master, sides.master_exposure, true, of_master_);
  add_all(*sides.slave, sides.slave_exposure, false, of_slave_);
  area_.assign(at_index(points), 0.0);
}

void EdgePoints::find_near(const IndexLists& near) {
  for (const int i : open_) edges_[at_index(i)].near.clear();
  open_.clear();
  const auto meet = [&](const std::vector<int>& number, int feature, int cell) {
    const int i = feature < 0 ? -1 : number[at_index(feature)];
    if (i < 0) return;
    std::vector<int>& l = edges_[at_index(i)].near;
    if (l.empty()) open_.push_back(i);
    l.push_back(cell);
  };
  const ContactSurface &slave = *sides_->slave, &master = *sides_->master;
  for (int ts = 0; ts < near.size(); ++ts)
    for (const int tm : near[ts])
      for (int k = 0; k < 3; ++k) {
        meet(of_master_.edge, master.owned_edge[at_index(tm)][k], ts);
        meet(of_master_.vertex, master.owned_vertex[at_index(tm)][k], ts);
        meet(of_slave_.edge, slave.owned_edge[at_index(ts)][k], tm);
        meet(of_slave_.vertex, slave.owned_vertex[at_index(ts)][k], tm);
      }
  std::sort(open_.begin(), open_.end());
}

void EdgePoints::refresh(const IndexLists& near, const std::vector<Vec3d>& x, Sampling sampling) {
  const bool kept = sampling == Sampling::kKept;
  pressing_.clear();
  pairs_.clear();
  if (!kept) std::fill(area_.begin(), area_.end(), 0.0);
  find_near(near);
  for (const int i : open_) {
    Edge& e = edges_[at_index(i)];
    for (int k = 0; k < e.count; ++k) add(e, k, x, kept);
  }
}

void EdgePoints::add(Edge& e, int number, const std::vector<Vec3d>& x, bool kept) {
  const ContactSurface& own = e.of_master ? *sides_->master : *sides_->slave;
  const ContactSurface& other = e.of_master ? *sides_->slave : *sides_->master;
  double& area = area_[at_index(e.first + number)];
  if (kept && !(area > 0)) return;
  const double support = sides_->support, t = (number + 0.5) / e.count;
  EdgePoint point;
  point.of_master = e.of_master;
  point.edge = e.edge;
  point.vertex = e.vertex;
  point.id = e.first + number;
  if (e.vertex >= 0) {
    point.at = single(own.point[at_index(e.vertex)]);
  } else {
    const Vec2i& ends = own.topology.edges[at_index(e.edge)];
    point.at.count = 2;
    for (int k = 0; k < 2; ++k) {
      point.at.point[k] = own.point[at_index(ends[k])];
      point.at.weight[k] = k == 0 ? 1 - t : t;
    }
  }
  const Vec3d p = at(x, point.at);
  seen_.clear();
  // Beyond the support too, so that a search knows what comes near in it.
  closest_features(other, x, p, e.near, kept ? support : kEdgeReach * support, seen_);
  if (seen_.empty()) return;
  // Where it looks: the mean of the ways to what it sees, evenly as that changes.
  Vec3d away = Vec3d::zero();
  double size = 0, weights = 0;
  const SeenFeature* nearest = &seen_[0];
  for (const SeenFeature& f : seen_) {
    if (f.distance < nearest->distance) nearest = &f;
    if (kept) continue;
    const Place place = closest_place(other, x, f, p);
    const Vec3i& c = other.cell(place.cell);
    Vec3d q = Vec3d::zero();
    double s = 0;
    for (int k = 0; k < 3; ++k) {
      q += other.position(x, c[k]) * place.weight[k];
      if (e.of_master) s += sides_->size[at_index(c[k])] * place.weight[k];
    }
    const double w = f.count * square(kEdgeReach * support - f.distance);
    away += (p - q) * (w / f.distance);
    size += w * s;
    weights += w;
  }
  if (!kept) {
    const double length = norm(away);
    if (!(length > 0) || !(weights > 0)) return;
    const Exposure& exposure = e.of_master ? sides_->master_exposure : sides_->slave_exposure;
    const Vec3d n = away * (1 / length);
    const double typical = sides_->typical_size;
    const double w = e.vertex >= 0 ? exposure.corner_weight(x, e.vertex, n, typical, support)
                                   : exposure.weight(x, e.edge, n, typical, support);
    const double here = e.of_master     ? kBreadth * std::max(0.0, size / weights)
                        : e.vertex >= 0 ? kBreadth * sides_->size[at_index(e.vertex)]
                                        : sides_->breadth[at_index(e.edge)];
    area = w * here * (e.vertex >= 0 ? here : e.length);
    if (!(area > 0)) return;
  }
  if (!(nearest->distance < support)) return;
  point.area = area;
  point.gap = nearest->distance;
  point.first = static_cast<int>(pairs_.size());
  point.force = Vec3d::zero();
  for (const SeenFeature& f : seen_) {
    if (!(f.distance < support)) continue;
    BarrierPair pair;
    pair.kind = e.of_master ? PairKind::kCorner : PairKind::kSample;
    pair.source = point.at;
    pair.feature = f.kind;
    pair.count = f.count;
    pair.gap = f.distance;
    pair.scale = sides_->stiffness * area;
    pair.source_id = point.id;
    pair.target_id = f.id;
    pair.rigid_target = other.driven;
    const Place place = closest_place(other, x, f, p);
    const Vec3i& c = other.cell(place.cell);
    Vec3d q = Vec3d::zero();
    for (int k = 0; k < 3; ++k) q += other.position(x, c[k]) * place.weight[k];
    if (f.kind == FeatureKind::kFace) {
      pair.target_count = 3;
      for (int k = 0; k < 3; ++k) pair.target[k] = other.point[at_index(c[k])];
    } else if (f.kind == FeatureKind::kEdge) {
      const Vec2i& v = other.topology.edges[at_index(f.id)];
      pair.target_count = 2;
      for (int k = 0; k < 2; ++k) pair.target[k] = other.point[at_index(v[k])];
    } else {
      pair.target_count = 1;
      pair.target[0] = other.point[at_index(f.id)];
    }
    const double push = -f.count * pair.scale * barrier(f.distance, support).first;
    point.force += (p - q) * ((e.of_master ? -1 : 1) * push / f.distance);
    if (&f == nearest) {
      point.other_cell = place.cell;
      point.other.count = 3;
      for (int k = 0; k < 3; ++k) {
        point.other.point[k] = other.point[at_index(c[k])];
        point.other.weight[k] = place.weight[k];
      }
    }
    pairs_.push_back(pair);
  }
  point.end = static_cast<int>(pairs_.size());
  pressing_.push_back(point);
}

Energy EdgePoints::evaluate(double support, const Evaluation& e) const {
  Energy total;
  for (const EdgePoint& p : pressing_) {
    RigidTarget sum;
    const bool rigid = pairs_[at_index(p.first)].rigid_target;
    for (int i = p.first; i < p.end; ++i)
      total += evaluate_pair(pairs_[at_index(i)], support, *e.points, e.assembly, e.project,
                             rigid ? &sum : nullptr);
    if (rigid && e.assembly && e.assembly->wants_hessian())
      add_rigid_target(sum, e.project, *e.assembly);
  }
  return total;
}

}  // namespace haptos
