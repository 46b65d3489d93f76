#include "haptos/geometry/soup/soup.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/base/progress.h"
#include "haptos/base/text/error.h"
#include "haptos/geometry/mesh/mesh_edit.h"

namespace haptos {
namespace {

// Vertices nearer than this part of the size are one.
constexpr double kWeld = 1e-9;

void require_indices(const TriMesh& mesh, const std::string& element) {
  const auto n = static_cast<int>(mesh.vertices.size());
  const auto refuse = [&](const char* kind, std::size_t i, int v) {
    throw InputError({"", 0, 0, element + " " + kind + " " + std::to_string(i), std::to_string(v),
                      "is no vertex: there are " + std::to_string(n), "correct the mesh"});
  };
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (const int v = mesh.triangles[i][k]; v < 0 || v >= n) refuse("triangle", i, v);
  for (std::size_t i = 0; i < mesh.segments.size(); ++i)
    for (int k = 0; k < 2; ++k)
      if (const int v = mesh.segments[i][k]; v < 0 || v >= n) refuse("segment", i, v);
  for (std::size_t i = 0; i < mesh.points.size(); ++i)
    if (const int v = mesh.points[i]; v < 0 || v >= n) refuse("point", i, v);
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (!std::isfinite(mesh.vertices[i][k]))
        throw InputError({"", 0, 0, element + " vertex " + std::to_string(i),
                          std::to_string(mesh.vertices[i][k]), "must be finite",
                          "correct the mesh"});
}

// Numbers from 0 on in the order in which they are first named.
std::vector<int> renumber(TriMesh& mesh) {
  std::vector<int> number(mesh.vertices.size(), -1);
  std::vector<Vec3d> kept;
  const auto rename = [&](int& v) {
    int& k = number[at_index(v)];
    if (k < 0) {
      k = static_cast<int>(kept.size());
      kept.push_back(mesh.vertices[at_index(v)]);
    }
    v = k;
  };
  for (Vec3i& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) rename(t[k]);
  for (Vec2i& s : mesh.segments)
    for (int k = 0; k < 2; ++k) rename(s[k]);
  for (int& p : mesh.points) rename(p);
  mesh.vertices = std::move(kept);
  return number;
}

// The two corners that are farthest apart.
Vec2i longest_edge(const TriMesh& m, const Vec3i& t) {
  int best = 0;
  double most = -1;
  for (int k = 0; k < 3; ++k) {
    const double l =
        squared_norm(m.vertices[at_index(t[k])] - m.vertices[at_index(t[(k + 1) % 3])]);
    if (l > most) most = l, best = k;
  }
  return {{t[best], t[(best + 1) % 3]}};
}

bool has_area(const TriMesh& m, const Vec3i& t) {
  return t[0] != t[1] && t[1] != t[2] && t[2] != t[0] &&
         flatness(m.vertices[at_index(t[0])], m.vertices[at_index(t[1])],
                  m.vertices[at_index(t[2])]) > kDegenerateFlatness;
}

// What has no area and is joined to no triangle is a segment or a point.
void keep_loose(TriMesh& m, const std::vector<Vec3i>& flat) {
  std::vector<char> used(m.vertices.size(), 0);
  for (const Vec3i& t : m.triangles)
    for (int k = 0; k < 3; ++k) used[at_index(t[k])] = 1;
  for (const Vec3i& t : flat) {
    if (used[at_index(t[0])] || used[at_index(t[1])] || used[at_index(t[2])]) continue;
    const Vec2i e = longest_edge(m, t);
    if (e[0] == e[1])
      m.points.push_back(e[0]);
    else
      m.segments.push_back(e);
  }
}

// Triangles with area, each once.
int keep_proper(TriMesh& m) {
  const auto before = m.triangles.size();
  std::vector<Vec3i> proper, flat;
  for (const Vec3i& t : m.triangles) (has_area(m, t) ? proper : flat).push_back(t);
  m.triangles = std::move(proper);
  remove_duplicate_triangles(m);
  const auto dropped = static_cast<int>(before - m.triangles.size());
  keep_loose(m, flat);
  return dropped;
}

void join_equal(TriMesh& m) {
  Aabb box;
  for (const Vec3d& x : m.vertices) box.merge(x);
  const std::vector<int> same = weld_map(m.vertices, kWeld * norm(box.extent()));
  for (Vec3i& t : m.triangles)
    for (int k = 0; k < 3; ++k) t[k] = same[at_index(t[k])];
  for (Vec2i& s : m.segments)
    for (int k = 0; k < 2; ++k) s[k] = same[at_index(s[k])];
  for (int& p : m.points) p = same[at_index(p)];
}

// Triangles that are near each other lie near each other in memory.
void put_in_order(TriMesh& m) {
  std::vector<Aabb> boxes(m.triangles.size());
  for_each(static_cast<std::ptrdiff_t>(boxes.size()), [&](std::ptrdiff_t i) {
    const Vec3i& t = m.triangles[at_index(i)];
    boxes[at_index(i)] = Aabb::of(m.vertices[at_index(t[0])], m.vertices[at_index(t[1])],
                                  m.vertices[at_index(t[2])]);
  });
  std::vector<Vec3i> sorted;
  sorted.reserve(boxes.size());
  for (const int i : spatial_order(boxes)) sorted.push_back(m.triangles[at_index(i)]);
  m.triangles = std::move(sorted);
}

void unique_segments(TriMesh& m, const std::vector<Vec2i>& taken) {
  std::vector<Vec2i> kept;
  for (Vec2i s : m.segments) {
    if (s[0] > s[1]) std::swap(s[0], s[1]);
    if (s[0] == s[1]) {
      m.points.push_back(s[0]);
      continue;
    }
    const auto less = [](const Vec2i& a, const Vec2i& b) {
      return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
    };
    if (!std::binary_search(taken.begin(), taken.end(), s, less)) kept.push_back(s);
  }
  std::sort(kept.begin(), kept.end(), [](const Vec2i& a, const Vec2i& b) {
    return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
  });
  kept.erase(
      std::unique(kept.begin(), kept.end(),
                  [](const Vec2i& a, const Vec2i& b) { return a[0] == b[0] && a[1] == b[1]; }),
      kept.end());
  m.segments = std::move(kept);
}

IndexLists lists_of(int count, const std::vector<std::array<int, 2>>& pairs) {
  IndexLists l;
  l.offset.assign(at_index(count + 1), 0);
  for (const auto& [i, _] : pairs) ++l.offset[at_index(i + 1)];
  std::partial_sum(l.offset.begin(), l.offset.end(), l.offset.begin());
  l.item.resize(pairs.size());
  std::vector<int> next(l.offset.begin(), l.offset.end() - 1);
  for (const auto& [i, j] : pairs) l.item[at_index(next[at_index(i)]++)] = j;
  return l;
}

}  // namespace

TriangleSoup::TriangleSoup(const TriMesh& given, const std::string& element, Sides sides,
                           double shrink_by) {
  // The parts are those that a scan of a million triangles takes.
  const auto done = [&](double part) { tell_progress("preparing " + element, part); };
  require_indices(given, element);
  TriMesh mesh = given;
  renumber(mesh);
  for (const Vec3d& x : mesh.vertices) box_.merge(x);
  if (mesh.empty())
    throw InputError({"", 0, 0, element, "", "has no triangle, segment or point", "give some"});
  done(0);
  join_equal(mesh);
  done(0.1);
  dropped_ = keep_proper(mesh);
  done(0.15);
  put_in_order(mesh);
  renumber(mesh);
  done(0.25);
  if (!mesh.triangles.empty()) {
    const std::vector<int> part = find_sides(mesh, sides);
    if (shrink_by > 0) shrink_core(mesh, part, shrink_by);
  }
  done(0.55);
  take_elements(mesh, element);
  done(0.8);
  find_planes();
  done(0.9);
  find_sharp();
  done(1);
}

// What shrinks to nothing is left out, and of a part of which nothing is left a segment or a point
// stays.
void TriangleSoup::shrink_core(TriMesh& mesh, const std::vector<int>& part, double by) {
  shrunk_ = shrink(mesh, part, by);
  join_equal(mesh);
  std::vector<Vec3i> proper, flat;
  std::vector<Face> faces;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Vec3i& v = mesh.triangles[t];
    if (!has_area(mesh, v)) {
      flat.push_back(v);
      continue;
    }
    proper.push_back(v);
    faces.push_back(faces_[t]);
  }
  mesh.triangles = std::move(proper);
  keep_loose(mesh, flat);
  renumber(mesh);
  faces_ = std::move(faces);
  for (std::size_t t = 0; t < faces_.size(); ++t) faces_[t].v = mesh.triangles[t];
}

void TriangleSoup::take_elements(const TriMesh& given, const std::string& element) {
  TriMesh mesh = given;
  SurfaceTopology topology;
  if (!mesh.triangles.empty()) topology = surface_topology(mesh);
  unique_segments(mesh, topology.edges);
  std::sort(mesh.points.begin(), mesh.points.end());
  mesh.points.erase(std::unique(mesh.points.begin(), mesh.points.end()), mesh.points.end());
  vertices_ = mesh.vertices;
  loose_points_ = mesh.points;
  loose_segments_ = static_cast<int>(mesh.segments.size());
  for (std::size_t t = 0; t < faces_.size(); ++t) faces_[t].edge = topology.triangle_edges[t];
  for (const Vec2i& e : topology.edges) edges_.push_back(e);
  for (const Vec2i& e : mesh.segments) edges_.push_back(e);
  edge_faces_ = std::move(topology.edge_triangles);
  if (edge_faces_.offset.empty()) edge_faces_.offset.push_back(0);
  edge_faces_.offset.resize(edges_.size() + 1, edge_faces_.offset.back());
  std::vector<std::array<int, 2>> ends;
  for (std::size_t e = 0; e < edges_.size(); ++e)
    for (int k = 0; k < 2; ++k) ends.push_back({edges_[e][k], static_cast<int>(e)});
  vertex_edges_ = lists_of(static_cast<int>(vertices_.size()), ends);
  std::vector<Aabb> boxes;
  for (int i = 0; i < element_count(); ++i) {
    const Vec3i c = corners(i);
    boxes.push_back(
        Aabb::of(vertices_[at_index(c[0])], vertices_[at_index(c[1])], vertices_[at_index(c[2])]));
  }
  if (boxes.empty())
    throw InputError({"", 0, 0, element, "", "has no triangle, segment or point", "give some"});
  tree_ = WideTree(boxes);
  box_ = {};
  for (const Aabb& b : boxes) box_.merge(b);
  for (const Vec3d& x : vertices_) extent_ = std::max(extent_, norm(x));
}

Vec3i TriangleSoup::corners(int element) const {
  const auto faces = static_cast<int>(faces_.size());
  if (element < faces) return faces_[at_index(element)].v;
  const int k = element - faces;
  if (k < loose_segments_) {
    const Vec2i& v = edges_[edges_.size() - at_index(loose_segments_ - k)];
    return {{v[0], v[1], v[1]}};
  }
  const int v = loose_points_[at_index(k - loose_segments_)];
  return {{v, v, v}};
}

double TriangleSoup::half_thickness() const {
  const Vec3d e = box_.extent();
  return 0.5 * std::min({e[0], e[1], e[2]});
}

int TriangleSoup::sided() const {
  return static_cast<int>(
      std::count_if(faces_.begin(), faces_.end(), [](const Face& f) { return f.sided; }));
}

Vec3d TriangleSoup::inward(int face, int edge) const {
  const Face& f = faces_[at_index(face)];
  const int k = f.edge[0] == edge ? 0 : f.edge[1] == edge ? 1 : 2;
  const Vec3d along = vertices_[at_index(f.v[(k + 1) % 3])] - vertices_[at_index(f.v[k])];
  return normalized(cross(planes_[at_index(f.plane)].n, along));
}

bool TriangleSoup::can_stand_out(int edge) const {
  // The largest, over directions, of the lowest elevation of the faces beside it.
  const auto around = edge_faces_[edge];
  double bound = 1;
  Vec3d sum = Vec3d::zero(), out = Vec3d::zero();
  bool sided = !around.empty();
  for (std::size_t i = 0; i < around.size(); ++i) {
    const Vec3d t = inward(around[i], edge);
    sum += t;
    const Face& f = faces_[at_index(around[i])];
    out += planes_[at_index(f.plane)].n;
    sided = sided && f.sided;
    for (std::size_t j = 0; j < i; ++j)
      bound = std::min(bound, sqrt(std::max(0.0, 0.5 * (1 + dot(t, inward(around[j], edge))))));
  }
  // Inside a solid nothing comes to touch it.
  if (sided && around.size() == 2 && dot(sum, out) > 0) return false;
  return bound > kFlat;
}

// Whether some direction n has every edge that leaves the vertex above the plane across it: the
// axis of the narrowest cone round the edges is along the middle of two of them or as far from
// three.
bool TriangleSoup::can_stand_out_vertex(int v) const {
  constexpr std::size_t kMany = 16;  // beyond, no triples: the answer is yes
  const auto around = vertex_edges_[v];
  std::vector<Vec3d> d;
  Vec3d out = Vec3d::zero();
  bool sided = !around.empty();
  for (const int e : around) {
    const Vec2i& w = edges_[at_index(e)];
    d.push_back(normalized(vertices_[at_index(w[0] == v ? w[1] : w[0])] - vertices_[at_index(v)]));
    for (const int f : edge_faces_[e]) {
      out += planes_[at_index(faces_[at_index(f)].plane)].n;
      sided = sided && faces_[at_index(f)].sided;
    }
    sided = sided && !edge_faces_[e].empty();
  }
  for (std::size_t i = 0; i < d.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (0.5 * (1 + dot(d[i], d[j])) <= kFlat * kFlat) return false;
  if (d.size() > kMany) return true;
  const auto above = [&](const Vec3d& n) {
    const double l = norm(n);
    // Inside a solid nothing comes to touch it.
    if (!(l > 1e-9) || (sided && dot(n, out) > 0)) return false;
    return std::all_of(d.begin(), d.end(), [&](const Vec3d& x) { return dot(n, x) > kFlat * l; });
  };
  if (d.size() < 2) return true;
  for (std::size_t i = 0; i < d.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      if (above(d[i] + d[j])) return true;
      for (std::size_t k = 0; k < j; ++k) {
        const Vec3d n = cross(d[j] - d[i], d[k] - d[i]);
        if (above(dot(n, d[i]) > 0 ? n : -n)) return true;
      }
    }
  return false;
}

void TriangleSoup::find_sharp() {
  const auto which = [](std::size_t n, auto&& can) {
    std::vector<char> yes(n);
    for_each(static_cast<std::ptrdiff_t>(n),
             [&](std::ptrdiff_t i) { yes[at_index(i)] = can(static_cast<int>(i)) ? 1 : 0; });
    return yes;
  };
  const auto vertices = which(vertices_.size(), [&](int v) { return can_stand_out_vertex(v); });
  const auto edges = which(edges_.size(), [&](int e) { return can_stand_out(e); });
  std::vector<Aabb> boxes;
  for (int v = 0; v < static_cast<int>(vertices_.size()); ++v)
    if (vertices[at_index(v)]) {
      sharp_vertices_.push_back(v);
      boxes.push_back(Aabb::of(vertices_[at_index(v)]));
    }
  for (int e = 0; e < static_cast<int>(edges_.size()); ++e)
    if (edges[at_index(e)]) {
      sharp_edges_.push_back(e);
      const Edge& v = edges_[at_index(e)];
      boxes.push_back(Aabb::of(vertices_[at_index(v[0])], vertices_[at_index(v[1])]));
    }
  sharp_tree_ = WideTree(boxes);
}

}  // namespace haptos
