#include "haptos/contact/barrier/candidates.h"

#include <algorithm>

#include "haptos/base/parallel.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

// Sorts pairs (key, item), drops duplicates, and splits them into lists by key in [0, n).
IndexLists lists_by_key(std::vector<std::array<int, 2>>& pairs, int n) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  IndexLists l;
  l.offset.assign(at_index(n) + 1, 0);
  for (const auto& p : pairs) ++l.offset[at_index(p[0]) + 1];
  for (int i = 0; i < n; ++i) l.offset[at_index(i) + 1] += l.offset[at_index(i)];
  l.item.reserve(pairs.size());
  for (const auto& p : pairs) l.item.push_back(p[1]);
  return l;
}

bool owns_vertex(const ContactSurface& s, int t, int v) {
  return s.topology.vertex_triangles[v][0] == t;
}
bool owns_edge(const ContactSurface& s, int t, int e) {
  return s.topology.edge_triangles[e][0] == t;
}
Aabb edge_box(const ContactSurface& s, const std::vector<Vec3d>& x, int e) {
  const Vec2i& v = s.topology.edges[at_index(e)];
  return Aabb::of(s.position(x, v[0]), s.position(x, v[1]));
}

// Whether a sample and a triangle, or two edges, of one surface share a vertex.
bool share_vertex(const ContactSurface& s, const WeightedPoint& w, int t) {
  const Vec3i& c = s.triangles[at_index(t)];
  for (int i = 0; i < w.count; ++i)
    for (int k = 0; k < 3; ++k)
      if (w.point[i] == s.point[at_index(c[k])]) return true;
  return false;
}
bool edges_meet(const ContactSurface& s, int e, int f) {
  const Vec2i &p = s.topology.edges[at_index(e)], &q = s.topology.edges[at_index(f)];
  return p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1];
}

}  // namespace

IndexLists owned_samples(const ContactSurface& a, const std::vector<SurfaceSample>& samples) {
  std::vector<std::array<int, 2>> pairs;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i].triangle >= 0) pairs.push_back({samples[i].triangle, static_cast<int>(i)});
  return lists_by_key(pairs, static_cast<int>(a.triangles.size()));
}

void candidate_couplings(const BarrierCandidates& candidates,
                         const std::vector<SurfaceSample>& samples, const ContactSurface& a,
                         const ContactSurface& b, const Points& points,
                         std::vector<std::array<int, 2>>& out) {
  std::vector<std::array<int, 2>> pairs;
  auto add = [&](int p, int q) {
    if (points.driven(p) || points.driven(q)) return;
    const int i = points.block(p), j = points.block(q);
    if (i != j) pairs.push_back({std::max(i, j), std::min(i, j)});
  };
  auto add_all = [&](const std::vector<int>& p, const std::vector<int>& q) {
    // Whatever meets shares a block with everything it meets, its own side included.
    for (std::size_t k = 0; k < p.size(); ++k) {
      for (int other : q) add(p[k], other);
      for (std::size_t l = 0; l < k; ++l) add(p[k], p[l]);
    }
    for (std::size_t k = 0; k < q.size(); ++k)
      for (std::size_t l = 0; l < k; ++l) add(q[k], q[l]);
  };
  auto corners = [](const ContactSurface& s, int t) {
    const Vec3i& c = s.triangles[at_index(t)];
    return std::vector<int>{s.point[at_index(c[0])], s.point[at_index(c[1])],
                            s.point[at_index(c[2])]};
  };
  auto ends = [](const ContactSurface& s, int e) {
    const Vec2i& c = s.topology.edges[at_index(e)];
    return std::vector<int>{s.point[at_index(c[0])], s.point[at_index(c[1])]};
  };
  for (int s = 0; s < candidates.sample_triangles.size(); ++s) {
    const WeightedPoint& w = samples[at_index(s)].at;
    const std::vector<int> of(w.point, w.point + w.count);
    for (int t : candidates.sample_triangles[s]) add_all(of, corners(b, t));
  }
  for (std::size_t i = 0; i < candidates.vertices.size(); ++i)
    for (int t : candidates.vertex_triangles[static_cast<int>(i)])
      add_all({b.point[at_index(candidates.vertices[i])]}, corners(a, t));
  for (const auto& [e, f] : candidates.edge_pairs) add_all(ends(a, e), ends(b, f));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  out.insert(out.end(), pairs.begin(), pairs.end());
}

void find_candidates(const ContactSurface& a, const std::vector<SurfaceSample>& samples,
                     const IndexLists& samples_of, const ContactSurface& b, const Bvh& b_tree,
                     const std::vector<Vec3d>& x, double reach, BarrierCandidates& out) {
  std::vector<std::array<int, 2>> sample_pairs, vertex_pairs;
  out.edge_pairs.clear();
  const bool self = &a == &b;
  const Aabb all = b_tree.bounds().inflated(reach);
  for (int ta = 0; ta < static_cast<int>(a.triangles.size()); ++ta) {
    const Aabb box = a.triangle_box(x, ta).inflated(reach);
    if (!box.overlaps(all)) continue;
    b_tree.query(box, [&](int tb) {
      const Aabb other = b.triangle_box(x, tb);
      for (int s : samples_of[ta]) {
        const Vec3d p = at(x, samples[at_index(s)].at);
        if (self && share_vertex(a, samples[at_index(s)].at, tb)) continue;
        if (other.overlaps(Aabb::of(p), reach)) sample_pairs.push_back({s, tb});
      }
      for (int k = 0; k < 3 && !self; ++k) {
        const int v = b.triangles[at_index(tb)][k];
        if (owns_vertex(b, tb, v) && box.contains(b.position(x, v)))
          vertex_pairs.push_back({v, ta});
      }
      for (int i = 0; i < 3; ++i) {
        const int ea = a.topology.triangle_edges[at_index(ta)][i];
        if (!owns_edge(a, ta, ea)) continue;
        const Aabb ba = edge_box(a, x, ea);
        for (int k = 0; k < 3; ++k) {
          const int eb = b.topology.triangle_edges[at_index(tb)][k];
          if (self && (eb <= ea || edges_meet(a, ea, eb))) continue;
          if (owns_edge(b, tb, eb) && ba.overlaps(edge_box(b, x, eb), reach))
            out.edge_pairs.push_back({ea, eb});
        }
      }
    });
  }
  out.sample_triangles = lists_by_key(sample_pairs, static_cast<int>(samples.size()));
  std::sort(out.edge_pairs.begin(), out.edge_pairs.end());
  std::sort(vertex_pairs.begin(), vertex_pairs.end());
  out.vertices.clear();
  for (auto& p : vertex_pairs) {
    if (out.vertices.empty() || out.vertices.back() != p[0]) out.vertices.push_back(p[0]);
    p[0] = static_cast<int>(out.vertices.size()) - 1;
  }
  out.vertex_triangles = lists_by_key(vertex_pairs, static_cast<int>(out.vertices.size()));
}

}  // namespace haptos
