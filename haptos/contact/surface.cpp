#include "haptos/contact/surface.h"

#include <algorithm>
#include <map>
#include <utility>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// An open surface is touched from both sides: what is a valley on one is a ridge on the other.
void add_other_side(TriMesh mesh, const SurfaceTopology& topology, SurfaceGeometry& rest) {
  for (Vec3i& t : mesh.triangles) std::swap(t[1], t[2]);
  const SurfaceGeometry back = surface_geometry(mesh, topology);
  const auto add = [](std::vector<double>& all, const std::vector<double>& more) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::max(all[i], more[i]);
  };
  add(rest.edge_sharpness, back.edge_sharpness);
  add(rest.vertex_sharpness, back.vertex_sharpness);
}

IndexLists edges_by_vertex(const std::vector<Vec2i>& edges, int vertices) {
  std::vector<std::vector<int>> of(at_index(vertices));
  for (std::size_t e = 0; e < edges.size(); ++e)
    for (int k = 0; k < 2; ++k) of[at_index(edges[e][k])].push_back(static_cast<int>(e));
  IndexLists lists;
  lists.offset.push_back(0);
  for (const std::vector<int>& l : of) {
    lists.item.insert(lists.item.end(), l.begin(), l.end());
    lists.offset.push_back(static_cast<int>(lists.item.size()));
  }
  return lists;
}

// Of a vertex with loose segments, or of a loose point: a needle, but where a line only bends by an
// angle phi it stands out by a slope of tan(phi / 2).
double loose_sharpness(const TriMesh& mesh, const SurfaceTopology& topology, int vertex) {
  const auto edges = topology.vertex_edges[vertex];
  if (edges.size() != 2 || !topology.vertex_triangles[vertex].empty()) return 1;
  const auto along = [&](int e) {
    const Vec2i& v = topology.edges[at_index(e)];
    const int other = v[0] == vertex ? v[1] : v[0];
    return normalized(mesh.vertices[at_index(other)] - mesh.vertices[at_index(vertex)]);
  };
  return 1 - sqrt(std::max(0.0, 0.5 - 0.5 * dot(along(edges[0]), along(edges[1]))));
}

}  // namespace

ContactSurface::ContactSurface(const TriMesh& mesh, std::vector<int> points, int body_, int env_,
                               bool driven_)
    : body(body_),
      env(env_),
      driven(driven_),
      point(std::move(points)),
      triangles(mesh.triangles),
      topology(surface_topology(mesh)),
      rest(surface_geometry(mesh, topology)) {
  if (!topology.is_closed()) add_other_side(mesh, topology, rest);
  // The rim of an open surface is as sharp as a needle: nothing beside it carries a contact there.
  for (std::size_t e = 0; e < topology.edges.size(); ++e)
    if (topology.boundary_edge[e]) rest.edge_sharpness[e] = 1;
  for (std::size_t v = 0; v < point.size(); ++v)
    if (topology.boundary_vertex[v]) rest.vertex_sharpness[v] = 1;
  if (!mesh.only_triangles()) add_loose(mesh);
  for (std::size_t e = 0; e < topology.edges.size(); ++e)
    edge_count.push_back(1 - static_cast<int>(topology.edge_triangles[static_cast<int>(e)].size()));
  for (int v = 0; v < static_cast<int>(point.size()); ++v) {
    int count = 1 - static_cast<int>(topology.vertex_triangles[v].size());
    for (int e : topology.vertex_edges[v]) count -= edge_count[at_index(e)];
    vertex_count.push_back(count);
  }
  for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
    Vec3i v, e;
    for (int k = 0; k < 3; ++k) {
      const int corner = triangles[at_index(t)][k], edge = topology.triangle_edges[at_index(t)][k];
      v[k] = topology.vertex_triangles[corner][0] == t ? corner : -1;
      e[k] = topology.edge_triangles[edge][0] == t ? edge : -1;
    }
    owned_vertex.push_back(v);
    owned_edge.push_back(e);
  }
  for (std::size_t e = 0; e < topology.edges.size(); ++e) {
    const Vec2i& v = topology.edges[e];
    rest_length.push_back(norm(mesh.vertices[at_index(v[0])] - mesh.vertices[at_index(v[1])]));
    double area = 0;
    for (int t : topology.edge_triangles[static_cast<int>(e)])
      area += rest.triangle_area[at_index(t)] / 3.0;
    edge_area.push_back(area);
  }
  for (std::size_t i = 0; i < loose.size(); ++i) {
    const int own = static_cast<int>(triangles.size() + i), edge = edge_of_loose(own);
    Vec3i v{{-1, -1, -1}};
    for (int k = 0; k < (edge < 0 ? 1 : 2); ++k)
      if (const int c = loose[i][k];
          topology.vertex_triangles[c].empty() && loose_of_vertex[at_index(c)] == own)
        v[k] = c;
    owned_vertex.push_back(v);
    owned_edge.push_back({{edge, -1, -1}});
  }
}

// Segments that are edges of triangles, and points that are part of something else, are there
// already.
void ContactSurface::add_loose(const TriMesh& mesh) {
  first_loose_edge = static_cast<int>(topology.edges.size());
  loose_of_vertex.assign(point.size(), -1);
  const auto before = [](const Vec2i& a, const Vec2i& b) {
    return std::pair(a[0], a[1]) < std::pair(b[0], b[1]);
  };
  const auto add = [&](const Vec3i& cell) {
    for (int k = 0; k < 2; ++k)
      if (int& of = loose_of_vertex[at_index(cell[k])]; of < 0) of = cell_count();
    loose.push_back(cell);
  };
  for (const Vec2i& s : mesh.segments) {
    const Vec2i edge{{std::min(s[0], s[1]), std::max(s[0], s[1])}};
    if (std::binary_search(topology.edges.begin(), topology.edges.begin() + first_loose_edge, edge,
                           before))
      continue;
    add({{s[0], s[1], s[1]}});
    topology.edges.push_back(edge);
    topology.edge_triangles.offset.push_back(topology.edge_triangles.offset.back());
    topology.boundary_edge.push_back(0);
    rest.edge_dihedral.push_back(0);
    rest.edge_sharpness.push_back(1);
  }
  loose_segments = static_cast<int>(loose.size());
  for (const int v : mesh.points)
    if (topology.vertex_triangles[v].empty() && loose_of_vertex[at_index(v)] < 0) add({{v, v, v}});
  topology.vertex_edges = edges_by_vertex(topology.edges, static_cast<int>(point.size()));
  for (const Vec3i& c : loose)
    for (int k = 0; k < 2; ++k)
      rest.vertex_sharpness[at_index(c[k])] = loose_sharpness(mesh, topology, c[k]);
  find_holds(mesh);
}

void ContactSurface::find_holds(const TriMesh& mesh) {
  const auto x = [&](int v) -> const Vec3d& { return mesh.vertices[at_index(v)]; };
  std::vector<int> used;
  for (int c = 0; c < cell_count(); ++c)
    for (int k = 0; k < 3; ++k) used.push_back(cell(c)[k]);
  // Vertices far out, and the one furthest from their line: not on one line unless all are.
  std::vector<int> far;
  const auto furthest = [&](const std::vector<int>& of, const auto& how_far) {
    int best = of.front();
    for (const int v : of)
      if (how_far(v) > how_far(best)) best = v;
    return best;
  };
  const auto off_line = [&](const Vec3d& o, const Vec3d& e) {
    return [&x, o, e](int v) { return squared_norm(cross(x(v) - o, e)); };
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0})
      far.push_back(furthest(used, [&](int v) { return side * x(v)[axis]; }));
  const int from = far[0];
  const int to = furthest(far, [&](int v) { return squared_norm(x(v) - x(from)); });
  far.push_back(furthest(used, off_line(x(from), x(to) - x(from))));
  for (const Vec3i& c : loose) {
    const int a = c[0];
    int b = c[1];
    if (a == b) b = furthest(far, [&](int v) { return squared_norm(x(v) - x(a)); });
    const Vec3d e = x(b) - x(a);
    const int third = furthest(far, off_line(x(a), e));
    const double ee = squared_norm(e), ff = squared_norm(x(third) - x(a));
    const bool flat = off_line(x(a), e)(third) > 1e-9 * ee * ff;
    loose_hold.push_back(flat ? Vec3i{{a, b, third}} : Vec3i{{a, b, b}});
  }
}

Aabb ContactSurface::cell_box(const std::vector<Vec3d>& x, int i) const {
  const Vec3i& c = cell(i);
  return Aabb::of(position(x, c[0]), position(x, c[1]), position(x, c[2]));
}

std::vector<double> edge_sharpness(const ContactSurface& s, const std::vector<Vec3d>& x) {
  std::vector<double> all = s.rest.edge_sharpness;
  const auto normal = [&](int t) {
    const Vec3i& c = s.triangles[at_index(t)];
    const Vec3d n =
        cross(s.position(x, c[1]) - s.position(x, c[0]), s.position(x, c[2]) - s.position(x, c[0]));
    const double l = norm(n);
    return l > 0 ? n * (1 / l) : Vec3d::zero();
  };
  for (int e = 0; e < static_cast<int>(all.size()); ++e) {
    const auto around = s.topology.edge_triangles[e];
    if (around.size() != 2) continue;
    const Vec3d n0 = normal(around[0]), n1 = normal(around[1]);
    // Convex where the second triangle lies below the first one's plane.
    const Vec2i& edge = s.topology.edges[at_index(e)];
    const Vec3i& c = s.triangles[at_index(around[1])];
    int far = c[0];
    for (int k = 0; k < 3; ++k)
      if (c[k] != edge[0] && c[k] != edge[1]) far = c[k];
    const bool convex = dot(n0, s.position(x, far) - s.position(x, edge[0])) < 0;
    all[at_index(e)] = convex ? 0.5 * (1 - dot(n0, n1)) : 0.0;
  }
  return all;
}

std::vector<SurfaceSample> surface_samples(const ContactSurface& s, int n,
                                           std::vector<int>* lattice) {
  std::vector<SurfaceSample> samples(s.point.size());
  for (std::size_t v = 0; v < s.point.size(); ++v) {
    samples[v].at.count = 1;
    samples[v].at.point[0] = s.point[v];
    samples[v].at.weight[0] = 1;
  }
  std::map<std::array<int, 3>, std::size_t> on_edge;  // low vertex, high vertex, steps from low
  for (int t = 0; t < static_cast<int>(s.triangles.size()); ++t) {
    const Vec3i& c = s.triangles[at_index(t)];
    const double unit = s.rest.triangle_area[at_index(t)] / (n * n);
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) {
        const int w[3] = {n - i - j, i, j};
        int corners[3], used = 0;
        for (int k = 0; k < 3; ++k)
          if (w[k] > 0) corners[used++] = k;
        std::size_t index;
        if (used == 1) {
          index = at_index(c[corners[0]]);
        } else if (used == 2) {
          int a = corners[0], b = corners[1];
          if (c[a] > c[b]) std::swap(a, b);
          const auto [it, fresh] = on_edge.try_emplace({c[a], c[b], w[b]}, samples.size());
          index = it->second;
          if (fresh) samples.emplace_back();
        } else {
          index = samples.size();
          samples.emplace_back();
        }
        if (lattice) lattice->push_back(static_cast<int>(index));
        SurfaceSample& sample = samples[index];
        if (sample.triangle < 0) sample.triangle = t;
        if (sample.at.count == 0)
          for (int k = 0; k < used; ++k) {
            sample.at.point[k] = s.point[at_index(c[corners[k]])];
            sample.at.weight[k] = static_cast<double>(w[corners[k]]) / n;
            sample.at.count = used;
          }
        // Of the n^2 small triangles, a corner touches one, an edge sample three, an inner one six.
        sample.area += unit * (used == 1 ? 1.0 : used == 2 ? 3.0 : 6.0) / 3.0;
      }
  }
  return samples;
}

}  // namespace haptos
