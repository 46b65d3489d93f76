#include "haptos/contact/search/candidates.h"

#include <algorithm>

#include "haptos/base/borrowed.h"
#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"

namespace haptos {
namespace {

using IndexPairs = std::vector<std::array<int, 2>>;

// Splits pairs (key, item) into lists by key in [0, n), each sorted.
void split_by_key(const IndexPairs& pairs, int n, IndexLists& l) {
  l.offset.assign(at_index(n) + 1, 0);
  for (const auto& p : pairs) ++l.offset[at_index(p[0]) + 1];
  for (int i = 0; i < n; ++i) l.offset[at_index(i) + 1] += l.offset[at_index(i)];
  Borrowed<std::vector<int>> next;
  next->assign(l.offset.begin(), l.offset.end() - 1);
  l.item.resize(pairs.size());
  for (const auto& p : pairs) l.item[at_index((*next)[at_index(p[0])]++)] = p[1];
  for (int i = 0; i < n; ++i)
    std::sort(l.item.begin() + l.offset[at_index(i)], l.item.begin() + l.offset[at_index(i) + 1]);
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

// Pairs of features with what their distance takes: points, or the corners of the stencil.
template <class Corners>
struct Hits {
  IndexPairs pairs;
  std::vector<Corners> corners;

  void clear() {
    pairs.clear();
    corners.clear();
  }
  void add(int i, int j, const Corners& c) {
    pairs.push_back({i, j});
    corners.push_back(c);
  }
  // Keeps what is within reach: boxes of long thin triangles reach much further.
  void prune(const std::vector<double>& distance, double reach) {
    std::size_t w = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      if (distance[i] <= reach) pairs[w++] = pairs[i];
    pairs.resize(w);
  }
};

// The plane of a triangle: which others lie beyond reach on one side of it.
struct Side {
  Vec3d point, normal;

  explicit Side(const Vec3d* x) : point(x[0]) {
    const Vec3d n = cross(x[1] - x[0], x[2] - x[0]);
    const double l = norm(n);
    normal = l > 0 ? n * (1 / l) : Vec3d::zero();
  }
  bool apart(const Vec3d* x, double reach) const {
    const double d[3] = {dot(normal, x[0] - point), dot(normal, x[1] - point),
                         dot(normal, x[2] - point)};
    return std::min({d[0], d[1], d[2]}) > reach || std::max({d[0], d[1], d[2]}) < -reach;
  }
};

// In place: compilers copy a returned box slowly.
void set_box(const Vec3d& p, const Vec3d& q, Aabb& box) {
  for (int c = 0; c < 3; ++c) {
    box.lo[c] = p[c] < q[c] ? p[c] : q[c];
    box.hi[c] = p[c] < q[c] ? q[c] : p[c];
  }
}

struct ChunkHits {
  Hits<std::array<Vec3d, 4>> samples;
  Hits<StencilPoints> vertices, edges;
  IndexPairs faces;
  std::vector<double> distance;  // of what is looked at

  void clear() {
    samples.clear();
    vertices.clear();
    edges.clear();
    faces.clear();
  }
};

// What the triangles begin..end of a, which own features, are near to on b.
class Search {
 public:
  Search(const ContactSurface& a, const std::vector<SurfaceSample>& samples,
         const IndexLists& samples_of, const ContactSurface& b, const Bvh& b_tree,
         const std::vector<Vec3d>& x, double reach, bool faces)
      : a_(a),
        b_(b),
        samples_(samples),
        samples_of_(samples_of),
        tree_(b_tree),
        x_(x),
        reach_(reach),
        all_(b_tree.bounds().inflated(reach)),
        self_(&a == &b),
        faces_(faces) {}

  void run(int begin, int end, ChunkHits& out) const {
    out.clear();
    for (int t = begin; t < end; ++t) triangle(t, out);
    // A little more than asked for, so that rounding drops no pair at the limit.
    const double reach = reach_ * (1 + 1e-9);
    std::vector<double>& d = out.distance;
    d.resize(
        std::max({out.samples.pairs.size(), out.vertices.pairs.size(), out.edges.pairs.size()}));
    stencil_distances(StencilShape::kPointTriangle, out.samples.corners, d.data());
    out.samples.prune(d, reach);
    stencil_distances(StencilShape::kPointTriangle, out.vertices.corners, x_, d.data());
    out.vertices.prune(d, reach);
    stencil_distances(StencilShape::kEdgeEdge, out.edges.corners, x_, d.data());
    out.edges.prune(d, reach);
  }

 private:
  void triangle(int ta, ChunkHits& out) const {
    const CellCorners a(a_, ta, x_);
    const Aabb box = Aabb::of(a.x[0], a.x[1], a.x[2]).inflated(reach_);
    if (!box.overlaps(all_)) return;
    const Vec3i& edges = a_.owned_edge[at_index(ta)];
    const double square_reach = reach_ * reach_ * (1 + 1e-9);
    Aabb edge_boxes[3];
    for (int i = 0; i < 3; ++i) set_box(a.x[i], a.x[(i + 1) % 3], edge_boxes[i]);
    const Side side(a.x);
    tree_.query(box, [&](int tb) {
      const CellCorners b(b_, tb, x_);
      if (side.apart(b.x, reach_)) return;
      if (b_.is_triangle(tb) && Side(b.x).apart(a.x, reach_)) return;
      if (faces_) out.faces.push_back({ta, tb});
      add_samples(ta, tb, b, out);
      const Vec3i& vertices = b_.owned_vertex[at_index(tb)];
      for (int k = 0; k < 3 && !self_; ++k)
        if (vertices[k] >= 0 && box.contains(b.x[k]))
          out.vertices.add(vertices[k], ta, {b.point[k], a.point[0], a.point[1], a.point[2]});
      for (int k = 0; k < 3; ++k) {
        const int eb = b_.owned_edge[at_index(tb)][k], l = (k + 1) % 3;
        if (eb < 0) continue;
        Aabb box_b;
        set_box(b.x[k], b.x[l], box_b);
        for (int i = 0; i < 3; ++i) {
          if (edges[i] < 0 || edge_boxes[i].squared_distance(box_b) > square_reach) continue;
          if (self_ && (eb <= edges[i] || edges_meet(a_, edges[i], eb))) continue;
          out.edges.add(edges[i], eb, {a.point[i], a.point[(i + 1) % 3], b.point[k], b.point[l]});
        }
      }
    });
  }

  void add_samples(int ta, int tb, const CellCorners& b, ChunkHits& out) const {
    const double square_reach = reach_ * reach_ * (1 + 1e-9);
    Aabb other;
    set_box(b.x[0], b.x[1], other);
    other.merge(b.x[2]);
    for (int s : samples_of_[ta]) {
      const WeightedPoint& w = samples_[at_index(s)].at;
      if (self_ && share_vertex(a_, w, tb)) continue;
      const Vec3d p = at(x_, w);
      if (other.squared_distance(p) <= square_reach)
        out.samples.add(s, tb, {p, b.x[0], b.x[1], b.x[2]});
    }
  }

  const ContactSurface &a_, &b_;
  const std::vector<SurfaceSample>& samples_;
  const IndexLists& samples_of_;
  const Bvh& tree_;
  const std::vector<Vec3d>& x_;
  double reach_;
  Aabb all_;
  bool self_, faces_;
};

constexpr int kTriangles = 64;  // of a, worth handing to a thread

// What all chunks found of a kind, by key in [0, n).
template <class Pairs>
void join(std::span<const ChunkHits> chunks, int n, const Pairs& of, IndexLists& out) {
  Borrowed<IndexPairs> all;
  all->clear();
  for (const ChunkHits& c : chunks) all->insert(all->end(), of(c).begin(), of(c).end());
  split_by_key(*all, n, out);
}

// The stencils of the candidates, for continuous collision detection.
void make_stencils(const ContactSurface& a, const ContactSurface& b, BarrierCandidates& c) {
  const auto triangle = [](int p, const ContactSurface& s, int t) {
    const Vec3i& v = s.cell(t);
    return StencilPoints{p, s.point[at_index(v[0])], s.point[at_index(v[1])],
                         s.point[at_index(v[2])]};
  };
  c.point_stencils.clear();
  c.edge_stencils.clear();
  const int vertices = std::min(static_cast<int>(a.point.size()), c.sample_cells.size());
  for (int v = 0; v < vertices; ++v)
    for (int t : c.sample_cells[v])
      c.point_stencils.push_back(triangle(a.point[at_index(v)], b, t));
  for (std::size_t i = 0; i < c.vertices.size(); ++i)
    for (int t : c.vertex_triangles[static_cast<int>(i)])
      c.point_stencils.push_back(triangle(b.point[at_index(c.vertices[i])], a, t));
  for (const auto& [e, f] : c.edge_pairs) {
    const Vec2i &p = a.topology.edges[at_index(e)], &q = b.topology.edges[at_index(f)];
    c.edge_stencils.push_back({a.point[at_index(p[0])], a.point[at_index(p[1])],
                               b.point[at_index(q[0])], b.point[at_index(q[1])]});
  }
}

}  // namespace

IndexLists owned_samples(const ContactSurface& a, const std::vector<SurfaceSample>& samples) {
  IndexPairs pairs;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (samples[i].triangle >= 0) pairs.push_back({samples[i].triangle, static_cast<int>(i)});
  IndexLists lists;
  split_by_key(pairs, static_cast<int>(a.triangles.size()), lists);
  return lists;
}

void candidate_couplings(const BarrierCandidates& candidates,
                         const std::vector<SurfaceSample>& samples, const ContactSurface& a,
                         const ContactSurface& b, const Points& points, double reach,
                         std::vector<std::array<int, 2>>& out) {
  Borrowed<IndexPairs> found;
  IndexPairs& pairs = *found;
  pairs.clear();
  const auto near = [&](const Aabb& box, const Aabb& other) { return box.overlaps(other, reach); };
  auto add = [&](int p, int q) {
    if (points.driven(p) || points.driven(q)) return;
    const int i = points.block(p), j = points.block(q);
    if (i != j) pairs.push_back({std::max(i, j), std::min(i, j)});
  };
  auto add_all = [&](std::span<const int> p, std::span<const int> q) {
    // Whatever meets shares a block with everything it meets, its own side included.
    for (std::size_t k = 0; k < p.size(); ++k) {
      for (int other : q) add(p[k], other);
      for (std::size_t l = 0; l < k; ++l) add(p[k], p[l]);
    }
    for (std::size_t k = 0; k < q.size(); ++k)
      for (std::size_t l = 0; l < k; ++l) add(q[k], q[l]);
  };
  auto corners = [](const ContactSurface& s, int t) {
    const Vec3i& c = s.cell(t);
    return std::array<int, 3>{s.point[at_index(c[0])], s.point[at_index(c[1])],
                              s.point[at_index(c[2])]};
  };
  auto ends = [](const ContactSurface& s, int e) {
    const Vec2i& c = s.topology.edges[at_index(e)];
    return std::array<int, 2>{s.point[at_index(c[0])], s.point[at_index(c[1])]};
  };
  for (int s = 0; s < candidates.sample_cells.size(); ++s) {
    const WeightedPoint& w = samples[at_index(s)].at;
    const std::span<const int> of(w.point, at_index(w.count));
    const Aabb place = Aabb::of(at(points.x, w));
    for (int t : candidates.sample_cells[s])
      if (near(place, b.cell_box(points.x, t))) add_all(of, corners(b, t));
  }
  for (std::size_t i = 0; i < candidates.vertices.size(); ++i) {
    const Aabb place = Aabb::of(b.position(points.x, candidates.vertices[i]));
    for (int t : candidates.vertex_triangles[static_cast<int>(i)])
      if (near(place, a.cell_box(points.x, t)))
        add_all(std::span(&b.point[at_index(candidates.vertices[i])], 1), corners(a, t));
  }
  const auto edge_box = [&](const ContactSurface& s, int e) {
    const Vec2i& c = s.topology.edges[at_index(e)];
    return Aabb::of(s.position(points.x, c[0]), s.position(points.x, c[1]));
  };
  for (const auto& [e, f] : candidates.edge_pairs)
    if (near(edge_box(a, e), edge_box(b, f))) add_all(ends(a, e), ends(b, f));
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  out.insert(out.end(), pairs.begin(), pairs.end());
}

bool few_near_triangles(const ContactSurface& a, const Bvh& b_tree, const std::vector<Vec3d>& x,
                        double reach, std::size_t most) {
  const Aabb all = b_tree.bounds().inflated(reach);
  std::size_t n = 0;
  for (int t = 0; t < static_cast<int>(a.triangles.size()) && n <= most; ++t) {
    const Aabb box = a.cell_box(x, t).inflated(reach);
    if (box.overlaps(all)) b_tree.query(box, [&](int) { ++n; });
  }
  return n <= most;
}

void find_candidates(const ContactSurface& a, const std::vector<SurfaceSample>& samples,
                     const IndexLists& samples_of, const ContactSurface& b, const Bvh& b_tree,
                     const std::vector<Vec3d>& x, double reach, bool faces,
                     BarrierCandidates& out) {
  const Search search(a, samples, samples_of, b, b_tree, x, reach, faces);
  const int n = static_cast<int>(a.triangles.size());
  Borrowed<std::vector<ChunkHits>> room;
  const std::size_t count = at_index((n + kTriangles - 1) / kTriangles);
  if (room->size() < count) room->resize(count);
  const std::span<ChunkHits> chunks = std::span(*room).first(count);
  for_each(
      static_cast<std::ptrdiff_t>(chunks.size()),
      [&](std::ptrdiff_t c) {
        const int begin = static_cast<int>(c) * kTriangles;
        search.run(begin, std::min(begin + kTriangles, n), chunks[at_index(c)]);
      },
      1);
  join(
      chunks, faces ? n : 0, [](const ChunkHits& c) { return std::span(c.faces); }, out.face_cells);
  join(
      chunks, static_cast<int>(samples.size()),
      [](const ChunkHits& c) { return std::span(c.samples.pairs); }, out.sample_cells);
  Borrowed<IndexLists> edges;
  join(
      chunks, static_cast<int>(a.topology.edges.size()),
      [](const ChunkHits& c) { return std::span(c.edges.pairs); }, *edges);
  out.edge_pairs.clear();
  for (int e = 0; e < edges->size(); ++e)
    for (int f : (*edges)[e]) out.edge_pairs.push_back({e, f});
  // Vertices without triangles are left out.
  join(
      chunks, static_cast<int>(b.point.size()),
      [](const ChunkHits& c) { return std::span(c.vertices.pairs); }, out.vertex_triangles);
  out.vertices.clear();
  std::vector<int>& offset = out.vertex_triangles.offset;
  for (int v = 0; v < static_cast<int>(b.point.size()); ++v)
    if (const int end = offset[at_index(v) + 1]; end > offset[out.vertices.size()]) {
      out.vertices.push_back(v);
      offset[out.vertices.size()] = end;
    }
  offset.resize(out.vertices.size() + 1);
  make_stencils(a, b, out);
}

double gap_between(const ContactSurface& a, const ContactSurface& b, const std::vector<Vec3d>& x,
                   double reach) {
  std::vector<Aabb> boxes;
  boxes.reserve(at_index(b.cell_count()));
  for (int c = 0; c < b.cell_count(); ++c) boxes.push_back(b.cell_box(x, c));
  Bvh tree;
  tree.build(boxes);
  const std::vector<SurfaceSample> vertices = surface_samples(a, 1);
  BarrierCandidates found;
  find_candidates(a, vertices, owned_samples(a, vertices), b, tree, x, reach, false, found);
  double gap = reach;
  const auto look = [&](StencilShape shape, const std::vector<StencilPoints>& stencils) {
    std::vector<double> distance(stencils.size());
    stencil_distances(shape, stencils, x, distance.data());
    for (const double d : distance) gap = std::min(gap, d);
  };
  look(StencilShape::kPointTriangle, found.point_stencils);
  look(StencilShape::kEdgeEdge, found.edge_stencils);
  return gap;
}

}  // namespace haptos
