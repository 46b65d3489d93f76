#include "haptos/contact/barrier/pair_friction.h"

#include <cmath>
#include <limits>

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

constexpr std::int64_t kBlock = std::int64_t(1) << 40;

// A triangle beside the feature, the one that lies best across the normal.
int triangle_of(const BarrierPair& pair, const ContactSurface& s, const std::vector<Vec3d>& x,
                const Vec3d& n) {
  const int id = static_cast<int>(pair.target_id);
  if (pair.kind != PairKind::kEdges && pair.feature == FeatureKind::kFace) return id;
  const bool edge = pair.kind == PairKind::kEdges || pair.feature == FeatureKind::kEdge;
  const auto around = edge ? s.topology.edge_triangles[id] : s.topology.vertex_triangles[id];
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

}  // namespace

FeaturePair friction_key(const BarrierPair& p, const ContactSurface& soft,
                         const ContactSurface& collider) {
  FeaturePair key;
  key.env = soft.env;
  key.body_a = soft.body;
  key.body_b = collider.body;
  key.feature_a = static_cast<std::int64_t>(p.kind) * kBlock + p.source_id;
  key.feature_b = p.kind == PairKind::kEdges ? p.target_id : 0;
  return key;
}

const ContactSurface* anchor_surface(const FeaturePair& key, const ContactSurface& soft,
                                     const ContactSurface& collider) {
  return key.feature_a / kBlock == static_cast<std::int64_t>(PairKind::kCorner) ? &soft : &collider;
}

void friction_contacts(const std::vector<BarrierPair>& pairs, double support, double stiffness,
                       const Points& points, const ContactSurface& soft,
                       const ContactSurface& collider, std::vector<FrictionContact>& out) {
  for (std::size_t i = 0; i < pairs.size();) {
    FrictionContact c;
    c.key = friction_key(pairs[i], soft, collider);
    const BarrierPair* largest = nullptr;
    double most = 0, spring = 0;
    Vec3d force = Vec3d::zero();
    ContactPoint at_largest;
    for (; i < pairs.size() && friction_key(pairs[i], soft, collider) == c.key; ++i) {
      const ContactPoint r = record_pair(pairs[i], support, points, soft, collider);
      force += r.force;
      spring += pairs[i].count * pairs[i].scale * mollified(pairs[i], points);
      if (r.normal_force > most) most = r.normal_force, largest = &pairs[i], at_largest = r;
    }
    c.normal_force = norm(force);
    if (!largest || !(c.normal_force > 0) || !(spring > 0)) continue;
    c.normal = force * (1 / c.normal_force);
    c.stiffness = stiffness * spring;
    const bool corner = largest->kind == PairKind::kCorner;
    c.a = corner ? at_largest.point_b : at_largest.point_a;
    if (c.a.count == 2) c.edge = c.a.weight[1];
    c.triangle = triangle_of(*largest, *anchor_surface(c.key, soft, collider), points.x, c.normal);
    if (c.triangle >= 0) out.push_back(c);
  }
}

}  // namespace haptos
