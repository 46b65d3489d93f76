#include "haptos/geometry/mesh/topology.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>

#include "haptos/base/text/error.h"

namespace haptos {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

const Vec3d& vertex(const TriMesh& m, int v) { return m.vertices[at(v)]; }

// Lists by key of the items 0 .. n - 1, each item under `per_item` keys.
template <class KeyOf>
IndexLists group(int lists, int items, int per_item, const KeyOf& key_of) {
  IndexLists g;
  g.offset.assign(at(lists) + 1, 0);
  for (int i = 0; i < items; ++i)
    for (int k = 0; k < per_item; ++k) ++g.offset[at(key_of(i, k)) + 1];
  std::partial_sum(g.offset.begin(), g.offset.end(), g.offset.begin());
  g.item.resize(at(items) * at(per_item));
  std::vector<int> next(g.offset.begin(), g.offset.end() - 1);
  for (int i = 0; i < items; ++i)
    for (int k = 0; k < per_item; ++k) g.item[at(next[at(key_of(i, k))]++)] = i;
  return g;
}

void check_indices(const TriMesh& mesh) {
  const int n = static_cast<int>(mesh.vertices.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Vec3i& v = mesh.triangles[t];
    for (int k = 0; k < 3; ++k) {
      if (v[k] < 0 || v[k] >= n)
        throw InputError({.file = {},
                          .element = "triangle " + std::to_string(t),
                          .value = std::to_string(v[k]),
                          .rule = "must name vertices 0 to " + std::to_string(n - 1),
                          .remedy = "mend the triangle's indices"});
      if (v[k] == v[(k + 1) % 3])
        throw InputError({.file = {},
                          .element = "triangle " + std::to_string(t),
                          .value = std::to_string(v[k]),
                          .rule = "must name three different vertices",
                          .remedy = "remove triangles without area"});
    }
  }
}

struct Side {
  int low, high, triangle, corner;
};

// By lower vertex, then by higher one, then by triangle: short lists, each put in order.
std::vector<Side> sorted_sides(const TriMesh& mesh) {
  // Side 3 t + k of triangle t starts at its corner k.
  const auto ends = [&](int side) -> std::pair<int, int> {
    const Vec3i& t = mesh.triangles[at(side / 3)];
    return std::minmax({t[side % 3], t[(side + 1) % 3]});
  };
  const auto vertices = static_cast<int>(mesh.vertices.size());
  const IndexLists by_low = group(vertices, 3 * static_cast<int>(mesh.triangles.size()), 1,
                                  [&](int side, int) { return ends(side).first; });
  std::vector<Side> sides;
  sides.reserve(by_low.item.size());
  for (int v = 0; v < vertices; ++v) {
    const auto first = static_cast<std::ptrdiff_t>(sides.size());
    for (const int side : by_low[v]) sides.push_back({v, ends(side).second, side / 3, side % 3});
    std::sort(sides.begin() + first, sides.end(), [](const Side& x, const Side& y) {
      return x.high != y.high ? x.high < y.high : x.triangle < y.triangle;
    });
  }
  return sides;
}

// Whether triangle t runs through the edge from its low to its high vertex.
bool runs_upward(const Vec3i& t, const Vec2i& edge) {
  for (int k = 0; k < 3; ++k)
    if (t[k] == edge[0]) return t[(k + 1) % 3] == edge[1];
  return false;
}

double corner_angle(const Vec3d& at_corner, const Vec3d& next, const Vec3d& previous) {
  const Vec3d u = next - at_corner, v = previous - at_corner;
  return std::atan2(norm(cross(u, v)), dot(u, v));
}

Vec3d unit_or_zero(const Vec3d& v) {
  const double n = norm(v);
  return n > 0 ? v * (1 / n) : Vec3d::zero();
}

}  // namespace

SurfaceTopology surface_topology(const TriMesh& mesh) {
  check_indices(mesh);
  SurfaceTopology s;
  const int vertices = static_cast<int>(mesh.vertices.size());
  const int triangles = static_cast<int>(mesh.triangles.size());

  const std::vector<Side> sides = sorted_sides(mesh);
  s.triangle_edges.resize(mesh.triangles.size());
  s.boundary_vertex.assign(mesh.vertices.size(), 0);
  s.edge_triangles.offset.push_back(0);
  for (std::size_t i = 0; i < sides.size();) {
    std::size_t j = i;
    int upward = 0;
    const Vec2i edge{{sides[i].low, sides[i].high}};
    for (; j < sides.size() && sides[j].low == edge[0] && sides[j].high == edge[1]; ++j) {
      s.triangle_edges[at(sides[j].triangle)][sides[j].corner] = static_cast<int>(s.edges.size());
      s.edge_triangles.item.push_back(sides[j].triangle);
      upward += runs_upward(mesh.triangles[at(sides[j].triangle)], edge) ? 1 : 0;
    }
    const auto count = j - i;
    s.edges.push_back(edge);
    s.edge_triangles.offset.push_back(static_cast<int>(j));
    s.boundary_edge.push_back(count == 1);
    s.boundary_edge_count += count == 1;
    s.nonmanifold_edge_count += count > 2;
    s.misoriented_edge_count += count == 2 && upward != 1;
    if (count == 1) s.boundary_vertex[at(edge[0])] = s.boundary_vertex[at(edge[1])] = 1;
    i = j;
  }
  s.vertex_triangles =
      group(vertices, triangles, 3, [&](int t, int k) { return mesh.triangles[at(t)][k]; });
  s.vertex_edges = group(vertices, static_cast<int>(s.edges.size()), 2,
                         [&](int e, int k) { return s.edges[at(e)][k]; });
  return s;
}

SurfaceGeometry surface_geometry(const TriMesh& mesh, const SurfaceTopology& topology) {
  SurfaceGeometry g;
  const std::size_t triangles = mesh.triangles.size(), vertices = mesh.vertices.size();
  g.triangle_area.resize(triangles);
  g.triangle_normal.resize(triangles);
  g.vertex_area.assign(vertices, 0);
  g.vertex_normal.assign(vertices, Vec3d::zero());
  std::vector<double> angle_sum(vertices, 0);
  for (std::size_t t = 0; t < triangles; ++t) {
    const Vec3i& v = mesh.triangles[t];
    const Vec3d n =
        cross(vertex(mesh, v[1]) - vertex(mesh, v[0]), vertex(mesh, v[2]) - vertex(mesh, v[0]));
    g.triangle_area[t] = norm(n) / 2;
    g.triangle_normal[t] = unit_or_zero(n);
    for (int k = 0; k < 3; ++k) {
      const double a = corner_angle(vertex(mesh, v[k]), vertex(mesh, v[(k + 1) % 3]),
                                    vertex(mesh, v[(k + 2) % 3]));
      g.vertex_area[at(v[k])] += g.triangle_area[t] / 3;
      if (g.triangle_area[t] > 0) {
        g.vertex_normal[at(v[k])] += g.triangle_normal[t] * a;
        angle_sum[at(v[k])] += a;
      }
    }
  }

  const std::size_t edges = topology.edges.size();
  g.edge_dihedral.assign(edges, 0);
  g.edge_sharpness.assign(edges, 0);
  for (std::size_t e = 0; e < edges; ++e) {
    const auto around = topology.edge_triangles[static_cast<int>(e)];
    if (around.size() != 2) continue;
    const Vec2i& edge = topology.edges[e];
    const Vec3d& n0 = g.triangle_normal[at(around[0])];
    const Vec3d& n1 = g.triangle_normal[at(around[1])];
    // Along the edge as the first triangle runs through it, so that convex is positive.
    Vec3d along = unit_or_zero(vertex(mesh, edge[1]) - vertex(mesh, edge[0]));
    if (!runs_upward(mesh.triangles[at(around[0])], edge)) along = -along;
    const double angle = std::atan2(dot(cross(n0, n1), along), dot(n0, n1));
    g.edge_dihedral[e] = angle;
    if (angle > 0) g.edge_sharpness[e] = (1 - std::cos(angle)) / 2;
  }

  g.vertex_sharpness.assign(vertices, 0);
  for (std::size_t v = 0; v < vertices; ++v) {
    const double length = norm(g.vertex_normal[v]);
    g.vertex_normal[v] = unit_or_zero(g.vertex_normal[v]);
    if (!(angle_sum[v] > 0)) continue;
    bool below = false;
    for (const int e : topology.vertex_edges[static_cast<int>(v)]) {
      const Vec2i& edge = topology.edges[at(e)];
      const int other = edge[0] == static_cast<int>(v) ? edge[1] : edge[0];
      const Vec3d d = vertex(mesh, other) - mesh.vertices[v];
      // A slope of 1e-12 is round-off of a flat neighbourhood, not a corner.
      below = below || dot(d, g.vertex_normal[v]) < -1e-12 * norm(d);
    }
    if (below) g.vertex_sharpness[v] = std::max(0.0, 1 - length / angle_sum[v]);
  }
  return g;
}

std::vector<int> pinched_vertices(const TriMesh& mesh, const SurfaceTopology& topology) {
  std::vector<int> pinched;
  for (int v = 0; v < topology.vertex_triangles.size(); ++v) {
    const auto around = topology.vertex_triangles[v];
    if (around.empty()) continue;
    // Walks from triangle to triangle through edges at v; a second fan is never reached.
    std::vector<int> reached{around[0]};
    for (std::size_t i = 0; i < reached.size(); ++i)
      for (int k = 0; k < 3; ++k) {
        const int e = topology.triangle_edges[at(reached[i])][k];
        if (topology.edges[at(e)][0] != v && topology.edges[at(e)][1] != v) continue;
        for (const int t : topology.edge_triangles[e])
          if (std::find(reached.begin(), reached.end(), t) == reached.end()) reached.push_back(t);
      }
    if (reached.size() != around.size()) pinched.push_back(v);
  }
  (void)mesh;
  return pinched;
}

double enclosed_volume(const TriMesh& mesh) {
  if (mesh.vertices.empty()) return 0;
  const Vec3d o = mesh.vertices[0];  // a near origin loses fewer digits
  double sum = 0;
  for (const Vec3i& t : mesh.triangles)
    sum += dot(vertex(mesh, t[0]) - o, cross(vertex(mesh, t[1]) - o, vertex(mesh, t[2]) - o));
  return sum / 6;
}

double surface_area(const TriMesh& mesh) {
  double sum = 0;
  for (const Vec3i& t : mesh.triangles)
    sum += norm(
        cross(vertex(mesh, t[1]) - vertex(mesh, t[0]), vertex(mesh, t[2]) - vertex(mesh, t[0])));
  return sum / 2;
}

TriMesh boundary_surface(const TetMesh& mesh, std::vector<int>* surface_to_volume) {
  constexpr int kFaces[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};  // outward
  const int n = static_cast<int>(mesh.vertices.size());
  struct Face {
    std::array<int, 3> key;
    int place;  // 4 * tetrahedron + face
  };
  std::vector<Face> faces;
  faces.reserve(4 * mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t)
    for (int f = 0; f < 4; ++f) {
      std::array<int, 3> key;
      for (int k = 0; k < 3; ++k) key[at(k)] = mesh.tets[t][kFaces[f][k]];
      std::sort(key.begin(), key.end());
      if (key[0] < 0 || key[2] >= n)
        throw InputError({.file = {},
                          .element = "tetrahedron " + std::to_string(t),
                          .value = std::to_string(key[0] < 0 ? key[0] : key[2]),
                          .rule = "must name vertices 0 to " + std::to_string(n - 1),
                          .remedy = "mend the tetrahedron's indices"});
      faces.push_back({key, static_cast<int>(4 * t) + f});
    }
  std::sort(faces.begin(), faces.end(), [](const Face& x, const Face& y) {
    return x.key != y.key ? x.key < y.key : x.place < y.place;
  });
  std::vector<int> places;
  for (std::size_t i = 0; i < faces.size();) {
    std::size_t j = i + 1;
    while (j < faces.size() && faces[j].key == faces[i].key) ++j;
    if (j == i + 1) places.push_back(faces[i].place);
    i = j;
  }
  std::sort(places.begin(), places.end());

  TriMesh surface;
  std::vector<int> to_surface(mesh.vertices.size(), -1), to_volume;
  for (const int p : places)
    for (int k = 0; k < 3; ++k) to_surface[at(mesh.tets[at(p / 4)][kFaces[p % 4][k]])] = 0;
  for (int v = 0; v < n; ++v)
    if (to_surface[at(v)] == 0) {
      to_surface[at(v)] = static_cast<int>(to_volume.size());
      to_volume.push_back(v);
      surface.vertices.push_back(mesh.vertices[at(v)]);
    }
  for (const int p : places) {
    Vec3i t;
    for (int k = 0; k < 3; ++k) t[k] = to_surface[at(mesh.tets[at(p / 4)][kFaces[p % 4][k]])];
    surface.triangles.push_back(t);
  }
  if (surface_to_volume) *surface_to_volume = std::move(to_volume);
  return surface;
}

}  // namespace haptos
