#include "haptos/contact/live/barrier/closest_features.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/geometry/query/closest.h"

namespace haptos {
void closest_features(const ContactSurface& s, const std::vector<Vec3d>& x, const Vec3d& p,
                      std::span<const int> candidates, double radius,
                      std::vector<SeenFeature>& out) {
  const std::size_t begin = out.size();
  thread_local std::vector<int> edges, vertices;
  edges.clear();
  vertices.clear();
  for (int t : candidates) {
    const Vec3i& c = s.cell(t);
    if (!s.is_triangle(t)) {  // nothing but its edge and its ends
      if (const int e = s.edge_of_loose(t); e >= 0) edges.push_back(e);
      vertices.insert(vertices.end(), {c[0], c[1]});
      continue;
    }
    const Vec3d &a = s.position(x, c[0]), &b = s.position(x, c[1]), &d = s.position(x, c[2]);
    const TriangleClosest<double> r = closest_on_triangle(p, a, b, d);
    const Vec3d q = (p - a) * r.beta[0] + (p - b) * r.beta[1] + (p - d) * r.beta[2];
    const double distance = norm(q);
    if (!(distance < radius)) continue;
    const Vec3i& e = s.topology.triangle_edges[at_index(t)];
    const int region = static_cast<int>(r.region);
    if (region == 0)
      out.push_back({FeatureKind::kFace, t, 1, distance});
    else if (region <= 3)
      out.push_back({FeatureKind::kEdge, e[region - 1], 1, distance});
    else
      out.push_back({FeatureKind::kVertex, c[region - 4], 1, distance});
    for (int k = 0; k < 3; ++k) {
      edges.push_back(e[k]);
      vertices.push_back(c[k]);
    }
  }
  auto unique = [](std::vector<int>& v) {
    std::sort(v.begin(), v.end());
    v.erase(std::unique(v.begin(), v.end()), v.end());
  };
  unique(edges);
  unique(vertices);
  for (int e : edges) {
    const int count = s.edge_count[at_index(e)];
    if (count == 0) continue;
    const Vec2i& v = s.topology.edges[at_index(e)];
    const Vec3d &a = s.position(x, v[0]), &b = s.position(x, v[1]);
    const double t = closest_on_segment(p, a, b);
    const double distance = norm((p - a) * (1 - t) + (p - b) * t);
    if (!(distance < radius)) continue;
    if (t > 0 && t < 1)
      out.push_back({FeatureKind::kEdge, e, count, distance});
    else
      out.push_back({FeatureKind::kVertex, t <= 0 ? v[0] : v[1], count, distance});
  }
  for (int v : vertices) {
    const int count = s.vertex_count[at_index(v)];
    const double distance = norm(p - s.position(x, v));
    if (count != 0 && distance < radius) out.push_back({FeatureKind::kVertex, v, count, distance});
  }
  // Gather by feature; what cancels is dropped.
  std::sort(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end(),
            [](const SeenFeature& a, const SeenFeature& b) {
              return std::pair(a.kind, a.id) < std::pair(b.kind, b.id);
            });
  std::size_t w = begin;
  for (std::size_t i = begin; i < out.size();) {
    SeenFeature f = out[i];
    for (++i; i < out.size() && out[i].kind == f.kind && out[i].id == f.id; ++i)
      f.count += out[i].count;
    if (f.count != 0) out[w++] = f;
  }
  out.resize(w);
}

}  // namespace haptos
