#include "haptos/geometry/mesh/mesh_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/mesh/topology.h"
#include "haptos/geometry/query/exact.h"

namespace haptos {

namespace {

constexpr double kFlatTet = 1e-12;  // six volumes over the cube of the longest edge

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class T>
void add(Found<T>& found, const T& id, const CheckOptions& options) {
  if (found.count++ < options.max_listed) found.first.push_back(id);
}

bool is_finite(const Vec3d& p) {
  return std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
}

// What surfaces and volumes have in common: which vertices and elements may be looked at further.
struct Sound {
  std::vector<char> vertex;   ///< finite
  std::vector<char> element;  ///< names finite vertices that exist
};

template <class Element, class Report>
Sound check_common(const std::vector<Vec3d>& vertices, const std::vector<Element>& elements,
                   int corners, Found<int>& invalid, Report& report, const CheckOptions& options,
                   std::vector<char> used) {
  Sound sound;
  sound.vertex.assign(vertices.size(), 1);
  std::vector<Vec3d> finite = vertices;
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (is_finite(vertices[v])) {
      report.box.merge(vertices[v]);
      continue;
    }
    sound.vertex[v] = 0;
    finite[v] = Vec3d::zero();
    add(report.nonfinite_vertices, static_cast<int>(v), options);
  }
  const std::vector<int> first = weld_map(finite, 0);
  // A vertex that is not finite stands at the origin in `finite`; it is no duplicate of anything.
  std::vector<int> first_finite(vertices.size(), -1);
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    if (!sound.vertex[v]) continue;
    int& f = first_finite[at(first[v])];
    if (f >= 0)
      add(report.duplicate_vertices, Vec2i{{static_cast<int>(v), f}}, options);
    else
      f = static_cast<int>(v);
  }
  sound.element.assign(elements.size(), 1);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    bool exists = true;
    for (int k = 0; k < corners; ++k)
      exists = exists && elements[e][k] >= 0 && at(elements[e][k]) < vertices.size();
    if (!exists) {
      sound.element[e] = 0;
      add(invalid, static_cast<int>(e), options);
      continue;
    }
    for (int k = 0; k < corners; ++k) {
      used[at(elements[e][k])] = 1;
      if (!sound.vertex[at(elements[e][k])]) sound.element[e] = 0;
    }
  }
  for (std::size_t v = 0; v < vertices.size(); ++v)
    if (!used[v]) add(report.unreferenced_vertices, static_cast<int>(v), options);
  return sound;
}

class DisjointSets {
 public:
  explicit DisjointSets(std::size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  int root(int i) {
    while (parent_[at(i)] != i) i = parent_[at(i)] = parent_[at(parent_[at(i)])];
    return i;
  }
  void join(int a, int b) { parent_[at(root(a))] = root(b); }

 private:
  std::vector<int> parent_;
};

// Sets of elements that share vertices.
template <class Element>
int count_components(std::size_t vertex_count, const std::vector<Element>& elements, int corners) {
  DisjointSets sets(vertex_count);
  for (const Element& e : elements)
    for (int k = 1; k < corners; ++k) sets.join(e[k], e[0]);
  std::vector<char> seen(vertex_count, 0);
  int count = 0;
  for (const Element& e : elements) {
    char& s = seen[at(sets.root(e[0]))];
    count += s == 0;
    s = 1;
  }
  return count;
}

// Reports elements with the same vertices as an earlier one.
template <int N, class Element>
void find_duplicates(const std::vector<Element>& elements, const std::vector<int>& id,
                     Found<Vec2i>& found, const CheckOptions& options) {
  std::vector<std::array<int, N + 1>> keys(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (int k = 0; k < N; ++k) keys[e][at(k)] = elements[e][k];
    std::sort(keys[e].begin(), keys[e].begin() + N);
    keys[e][N] = id[e];
  }
  std::sort(keys.begin(), keys.end());
  std::vector<Vec2i> pairs;
  for (std::size_t i = 0, lead = 0; i < keys.size(); ++i) {
    if (i > 0 && std::equal(keys[i].begin(), keys[i].begin() + N, keys[lead].begin()))
      pairs.push_back({{keys[i][N], keys[lead][N]}});
    else
      lead = i;
  }
  std::sort(pairs.begin(), pairs.end(), [](const Vec2i& a, const Vec2i& b) { return a[0] < b[0]; });
  for (const Vec2i& p : pairs) add(found, p, options);
}

// Segments and points; returns which vertices they use.
std::vector<char> check_loose(const TriMesh& mesh, SurfaceReport& report,
                              const CheckOptions& options) {
  report.segments = static_cast<std::int64_t>(mesh.segments.size());
  report.points = static_cast<std::int64_t>(mesh.points.size());
  std::vector<char> used(mesh.vertices.size(), 0);
  const auto exists = [&](int v) { return v >= 0 && at(v) < mesh.vertices.size(); };
  std::vector<Vec2i> segments;
  std::vector<int> id;
  for (std::size_t i = 0; i < mesh.segments.size(); ++i) {
    const Vec2i& s = mesh.segments[i];
    const int number = static_cast<int>(i);
    if (!exists(s[0]) || !exists(s[1])) {
      add(report.invalid_segments, number, options);
      continue;
    }
    used[at(s[0])] = used[at(s[1])] = 1;
    const Vec3d along = mesh.vertices[at(s[1])] - mesh.vertices[at(s[0])];
    // Closest points count what is shorter as a point (closest.h); what is not finite is told as a
    // vertex.
    if (squared_norm(along) <= 1e-150) {
      add(report.degenerate_segments, number, options);
      continue;
    }
    segments.push_back(s);
    id.push_back(number);
  }
  find_duplicates<2>(segments, id, report.duplicate_segments, options);
  std::vector<Vec<int, 1>> points;
  id.clear();
  for (std::size_t i = 0; i < mesh.points.size(); ++i) {
    if (!exists(mesh.points[i])) {
      add(report.invalid_points, static_cast<int>(i), options);
      continue;
    }
    used[at(mesh.points[i])] = 1;
    points.push_back({{mesh.points[i]}});
    id.push_back(static_cast<int>(i));
  }
  find_duplicates<1>(points, id, report.duplicate_points, options);
  return used;
}

// Whether two triangles of an edge run through it in the same direction.
bool inconsistent(const TriMesh& mesh, const SurfaceTopology& topology, int edge) {
  const auto around = topology.edge_triangles[edge];
  if (around.size() != 2) return false;
  bool up[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const Vec3i& e = topology.triangle_edges[at(around[i])];
    const int k = e[0] == edge ? 0 : e[1] == edge ? 1 : 2;
    const Vec3i& v = mesh.triangles[at(around[i])];
    up[i] = v[k] < v[(k + 1) % 3];
  }
  return up[0] == up[1];
}

// The corner of triangle t at vertex v, counted over all triangles.
int corner_at(const TriMesh& mesh, int t, int v) {
  const Vec3i& c = mesh.triangles[at(t)];
  return 3 * t + (c[0] == v ? 0 : c[1] == v ? 1 : 2);
}

// Vertices whose corners fall into several sets when corners are joined across edges. One pass over
// the edges, so that a vertex or an edge with very many triangles costs no more than any other.
std::vector<int> find_bow_ties(const TriMesh& mesh, const SurfaceTopology& topology) {
  DisjointSets fans(3 * mesh.triangles.size());
  for (int e = 0; e < topology.edge_triangles.size(); ++e) {
    const auto around = topology.edge_triangles[e];
    for (std::size_t i = 1; i < around.size(); ++i)
      for (int k = 0; k < 2; ++k) {
        const int v = topology.edges[at(e)][k];
        fans.join(corner_at(mesh, around[i - 1], v), corner_at(mesh, around[i], v));
      }
  }
  std::vector<int> fan_count(mesh.vertices.size(), 0);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k) {
      const int corner = static_cast<int>(3 * t) + k;
      fan_count[at(mesh.triangles[t][k])] += fans.root(corner) == corner;
    }
  std::vector<int> found;
  for (std::size_t v = 0; v < fan_count.size(); ++v)
    if (fan_count[v] > 1) found.push_back(static_cast<int>(v));
  return found;
}

// Whether the pairs of triangles with overlapping boxes are few enough to be tested one by one. A
// mesh has some ten for each triangle; a hostile file can have all n^2.
bool few_candidates(const TriMesh& mesh) {
  constexpr std::int64_t kBase = 4'000'000, kEach = 100;
  const std::int64_t most = kBase + kEach * static_cast<std::int64_t>(mesh.triangles.size());
  std::vector<Aabb> boxes;
  boxes.reserve(mesh.triangles.size());
  for (const Vec3i& t : mesh.triangles)
    boxes.push_back(
        Aabb::of(mesh.vertices[at(t[0])], mesh.vertices[at(t[1])], mesh.vertices[at(t[2])]));
  const Bvh tree(boxes);
  std::int64_t twice = 0;  // a pair is met from both sides
  for (const Aabb& box : boxes) {
    tree.query(box, [&](int) { ++twice; });
    if (twice / 2 > most) return false;
  }
  return true;
}

// Pairs of distinct triangles with area that meet beyond shared corners. Corners are shared when
// their coordinates are equal, so that an unwelded mesh is not one great intersection.
void find_intersections(const TriMesh& mesh, const std::vector<int>& id, SurfaceReport& report,
                        const CheckOptions& options) {
  const std::vector<int> first = weld_map(mesh.vertices, 0);
  struct Corners {
    std::array<int, 3> sorted;
    int triangle;
    bool operator<(const Corners& o) const {
      return std::tie(sorted, triangle) < std::tie(o.sorted, o.triangle);
    }
  };
  std::vector<Corners> all;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Vec3i& v = mesh.triangles[t];
    if (collinear(mesh.vertices[at(v[0])], mesh.vertices[at(v[1])], mesh.vertices[at(v[2])]))
      continue;
    Corners c{{first[at(v[0])], first[at(v[1])], first[at(v[2])]}, static_cast<int>(t)};
    std::sort(c.sorted.begin(), c.sorted.end());
    all.push_back(c);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end(),
                        [](const Corners& a, const Corners& b) { return a.sorted == b.sorted; }),
            all.end());
  std::sort(all.begin(), all.end(),
            [](const Corners& a, const Corners& b) { return a.triangle < b.triangle; });
  TriMesh solid;
  solid.vertices = mesh.vertices;
  for (const Corners& c : all) solid.triangles.push_back({{c.sorted[0], c.sorted[1], c.sorted[2]}});
  if (!few_candidates(solid)) return;
  for (const std::array<int, 2>& p : self_intersections(solid))
    add(report.intersecting_triangles,
        Vec2i{{id[at(all[at(p[0])].triangle)], id[at(all[at(p[1])].triangle)]}}, options);
  report.intersections_checked = true;
}

}  // namespace

SurfaceReport check_surface(const TriMesh& mesh, const CheckOptions& options) {
  SurfaceReport report;
  report.vertices = static_cast<std::int64_t>(mesh.vertices.size());
  report.triangles = static_cast<std::int64_t>(mesh.triangles.size());
  const Sound sound = check_common(mesh.vertices, mesh.triangles, 3, report.invalid_triangles,
                                   report, options, check_loose(mesh, report, options));
  // From here on only triangles whose corners exist, are finite and differ.
  TriMesh usable;
  usable.vertices = mesh.vertices;
  for (std::size_t v = 0; v < usable.vertices.size(); ++v)
    if (!sound.vertex[v]) usable.vertices[v] = Vec3d::zero();
  std::vector<int> id;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    if (!sound.element[t]) continue;
    const Vec3i& v = mesh.triangles[t];
    const bool repeats = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
    if (repeats || flatness(mesh.vertices[at(v[0])], mesh.vertices[at(v[1])],
                            mesh.vertices[at(v[2])]) <= kDegenerateFlatness)
      add(report.degenerate_triangles, static_cast<int>(t), options);
    if (repeats) continue;
    usable.triangles.push_back(v);
    id.push_back(static_cast<int>(t));
  }
  find_duplicates<3>(usable.triangles, id, report.duplicate_triangles, options);
  const SurfaceTopology topology = surface_topology(usable);
  report.edges = static_cast<std::int64_t>(topology.edges.size());
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    const auto around = topology.edge_triangles[static_cast<int>(e)].size();
    if (around == 1) add(report.open_edges, topology.edges[e], options);
    if (around > 2) add(report.nonmanifold_edges, topology.edges[e], options);
    if (inconsistent(usable, topology, static_cast<int>(e)))
      add(report.inconsistent_edges, topology.edges[e], options);
  }
  for (const int v : find_bow_ties(usable, topology)) add(report.bow_tie_vertices, v, options);
  report.components = count_components(usable.vertices.size(), usable.triangles, 3);
  report.area = surface_area(usable);
  report.volume = enclosed_volume(usable);
  if (options.self_intersection) find_intersections(usable, id, report, options);
  return report;
}

double tet_quality(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
  const double six = six_volume(a, b, c, d);
  const double edges = squared_norm(b - a) + squared_norm(c - a) + squared_norm(d - a) +
                       squared_norm(c - b) + squared_norm(d - b) + squared_norm(d - c);
  const double root = std::cbrt(six / 2);
  return edges > 0 ? std::copysign(12 * root * root / edges, six) : 0;
}

VolumeReport check_volume(const TetMesh& mesh, const CheckOptions& options) {
  VolumeReport report;
  report.vertices = static_cast<std::int64_t>(mesh.vertices.size());
  report.tets = static_cast<std::int64_t>(mesh.tets.size());
  const Sound sound = check_common(mesh.vertices, mesh.tets, 4, report.invalid_tets, report,
                                   options, std::vector<char>(mesh.vertices.size(), 0));
  std::vector<Vec4i> usable;
  std::vector<int> id;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    if (!sound.element[t]) continue;
    const Vec4i& v = mesh.tets[t];
    bool repeats = false;
    for (int i = 0; i < 4; ++i)
      for (int k = i + 1; k < 4; ++k) repeats = repeats || v[i] == v[k];
    if (repeats) {
      add(report.repeated_index_tets, static_cast<int>(t), options);
      continue;
    }
    const Vec3d &a = mesh.vertices[at(v[0])], &b = mesh.vertices[at(v[1])],
                &c = mesh.vertices[at(v[2])], &d = mesh.vertices[at(v[3])];
    const double six = six_volume(a, b, c, d);
    const double longest =
        std::sqrt(std::max({squared_norm(b - a), squared_norm(c - a), squared_norm(d - a),
                            squared_norm(c - b), squared_norm(d - b), squared_norm(d - c)}));
    if (std::fabs(six) <= kFlatTet * longest * longest * longest)
      add(report.zero_volume_tets, static_cast<int>(t), options);
    else if (six < 0)
      add(report.inverted_tets, static_cast<int>(t), options);
    report.volume += six / 6;
    const double eta = tet_quality(a, b, c, d);
    if (report.worst_tet < 0 || eta < report.worst_quality) {
      report.worst_quality = eta;
      report.worst_tet = static_cast<int>(t);
    }
    usable.push_back(v);
    id.push_back(static_cast<int>(t));
  }
  find_duplicates<4>(usable, id, report.duplicate_tets, options);
  report.components = count_components(mesh.vertices.size(), usable, 4);

  std::vector<std::array<int, 3>> faces;
  faces.reserve(4 * usable.size());
  for (const Vec4i& v : usable)
    for (int skip = 0; skip < 4; ++skip) {
      std::array<int, 3> f{v[(skip + 1) % 4], v[(skip + 2) % 4], v[(skip + 3) % 4]};
      std::sort(f.begin(), f.end());
      faces.push_back(f);
    }
  std::sort(faces.begin(), faces.end());
  std::vector<Vec3i> boundary;
  for (std::size_t i = 0, j = 0; i < faces.size(); i = j) {
    while (j < faces.size() && faces[j] == faces[i]) ++j;
    const Vec3i f{{faces[i][0], faces[i][1], faces[i][2]}};
    if (j - i == 1) boundary.push_back(f);
    if (j - i > 2) add(report.nonmanifold_faces, f, options);
  }
  report.boundary_components = count_components(mesh.vertices.size(), boundary, 3);
  return report;
}

}  // namespace haptos
