#include "haptos/contact/live/barrier/pair_friction.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"
#include "haptos/contact/friction/walls.h"

namespace haptos {
namespace {

// A triangle beside the feature, the one that lies best across the normal; a loose cell where there
// is none.
int cell_of(const BarrierPair& pair, const ContactSurface& s, const std::vector<Vec3d>& x,
            const Vec3d& n) {
  const int id = static_cast<int>(pair.target_id);
  if (pair.kind != PairKind::kEdges && pair.feature == FeatureKind::kFace) return id;
  const bool edge = pair.kind == PairKind::kEdges || pair.feature == FeatureKind::kEdge;
  const auto around = edge ? s.topology.edge_triangles[id] : s.topology.vertex_triangles[id];
  if (around.empty()) return edge ? s.loose_of_edge(id) : s.loose_of_vertex[at_index(id)];
  int best = -1;
  double most = -1;
  for (int t : around) {
    const Vec3i& c = s.triangles[at_index(t)];
    const Vec3d m =
        cross(s.position(x, c[1]) - s.position(x, c[0]), s.position(x, c[2]) - s.position(x, c[0]));
    const double flat = std::abs(dot(m, n)) / norm(m);
    if (flat > most) most = flat, best = t;
  }
  return best;
}

// The part of a pair that its mollifier leaves, 0 to 1.
double mollified(const BarrierPair& pair, const Points& points) {
  if (!(pair.mollifier > 0)) return 1;
  const auto x = [&](int p) -> const Vec3d& { return points.x[at_index(p)]; };
  return edge_edge_mollifier(x(pair.source.point[0]), x(pair.source.point[1]), x(pair.target[0]),
                             x(pair.target[1]), pair.mollifier)
      .m;
}

// Under which the source of a pair is remembered.
FeaturePair friction_key(const BarrierPair& p, const ContactSurface& soft,
                         const ContactSurface& collider) {
  FeaturePair key;
  key.env = soft.env;
  key.body_a = soft.body;
  key.body_b = collider.body;
  key.part_a = soft.part;
  key.part_b = collider.part;
  key.feature_a = static_cast<std::int64_t>(p.kind) * kFeatureKind + p.source_id;
  key.feature_b = p.kind == PairKind::kEdges ? p.target_id : 0;
  return key;
}

// What the features that count negatively leave of the forces of walls: the nearest forces along
// the same normals, by sum (N_k' - N_k)^2 / N_k, that add up to `net`.
void share(const Vec3d& net, std::vector<Wall>& walls) {
  Mat3d m = Mat3d::zero();
  Vec3d rest = net;
  double sum = 0;
  for (const Wall& w : walls) {
    const double n = norm(w.force);
    m += outer(w.force, w.force) * (1 / n);
    rest -= w.force;
    sum += n;
  }
  const Vec3d pull = inverse(m + Mat3d::identity() * (1e-9 * sum)) * rest;
  for (Wall& w : walls) w.force = w.force * std::max(0.0, 1 + dot(w.force, pull) / norm(w.force));
}

}  // namespace

const ContactSurface* anchor_surface(const FeaturePair& key, const ContactSurface& soft,
                                     const ContactSurface& collider) {
  return key.feature_a / kFeatureKind == static_cast<std::int64_t>(PairKind::kCorner) ? &soft
                                                                                      : &collider;
}

void friction_contacts(const std::vector<BarrierPair>& pairs, double support, double stiffness,
                       const Points& points, const ContactSurface& soft,
                       const ContactSurface& collider, std::vector<FrictionContact>& out) {
  Borrowed<std::vector<PairPress>> of_source;
  Borrowed<std::vector<Vec3d>> forces;
  Borrowed<std::vector<Wall>> found;
  std::vector<PairPress>& presses = *of_source;
  std::vector<Vec3d>& pressing = *forces;
  std::vector<Wall>& walls = *found;
  for (std::size_t first = 0, end = 0; first < pairs.size(); first = end) {
    FrictionContact c;
    c.key = friction_key(pairs[first], soft, collider);
    c.walls = pairs[first].kind != PairKind::kEdges;
    presses.clear();
    pressing.clear();
    double spring = 0;
    Wall all;
    for (; end < pairs.size() && friction_key(pairs[end], soft, collider) == c.key; ++end) {
      const PairPress& r = presses.emplace_back(press_of(pairs[end], support, points));
      const Vec3d force = r.n * r.force;
      spring += pairs[end].count * pairs[end].scale * mollified(pairs[end], points);
      all.force += force;
      pressing.push_back(r.force > 0 ? force : Vec3d::zero());
      if (r.force > presses[all.strongest].force) all.strongest = presses.size() - 1;
    }
    const double net = norm(all.force);
    if (!(net > 0) || !(spring > 0) || !(presses[all.strongest].force > 0)) continue;
    c.stiffness = stiffness * spring;
    walls.assign(1, all);
    if (!one_wall(pressing, all.force)) {
      find_walls(pressing, walls);
      share(all.force, walls);
    }
    for (const Wall& w : walls) {
      const BarrierPair& pair = pairs[first + w.strongest];
      c.normal_force = norm(w.force);
      if (!(c.normal_force > 0)) continue;
      // Records hold the force on the soft body; the source of a corner is of the other.
      const bool corner = pair.kind == PairKind::kCorner;
      c.normal = w.force * ((corner ? -1 : 1) / c.normal_force);
      c.record = first + w.strongest;
      c.depth = support - pair.gap;
      c.a = corner ? presses[w.strongest].b : presses[w.strongest].a;
      c.edge = c.a.count == 2 ? c.a.weight[1] : 0;
      c.triangle = cell_of(pair, *anchor_surface(c.key, soft, collider), points.x, c.normal);
      if (c.triangle >= 0) out.push_back(c);
    }
  }
}

}  // namespace haptos
