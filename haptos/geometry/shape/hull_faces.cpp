#include <algorithm>
#include <map>
#include <numeric>

#include "haptos/geometry/shape/hull_detail.h"

namespace haptos {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Vec3d area_vector(const std::vector<Vec3d>& x, const Vec3i& t) {
  return cross(x[at(t[1])] - x[at(t[0])], x[at(t[2])] - x[at(t[0])]) * 0.5;
}

// Twice the vector area of a polygon.
Vec3d newell(const std::vector<Vec3d>& x, const std::vector<int>& loop) {
  Vec3d m = Vec3d::zero();
  for (std::size_t k = 1; k + 1 < loop.size(); ++k)
    m += cross(x[at(loop[k])] - x[at(loop[0])], x[at(loop[k + 1])] - x[at(loop[0])]);
  return m;
}

// Groups of triangles in one plane, grown from the largest triangle left.
std::vector<int> group(const std::vector<Vec3d>& x, const std::vector<Vec3i>& tri, double flat) {
  std::map<std::pair<int, int>, int> owner;
  for (int t = 0; t < static_cast<int>(tri.size()); ++t)
    for (int s = 0; s < 3; ++s) owner[{tri[at(t)][s], tri[at(t)][(s + 1) % 3]}] = t;
  std::vector<double> area(tri.size());
  std::vector<int> order(tri.size()), of(tri.size(), -1);
  for (std::size_t t = 0; t < tri.size(); ++t) area[t] = norm(area_vector(x, tri[t]));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return area[at(a)] > area[at(b)]; });
  for (int seed : order) {
    if (of[at(seed)] >= 0) continue;
    const Vec3d m = area_vector(x, tri[at(seed)]);
    const double length = norm(m);
    of[at(seed)] = seed;
    if (!(length > 0)) continue;
    const Vec3d n = m * (1 / length), o = x[at(tri[at(seed)][0])];
    std::vector<int> stack{seed};
    while (!stack.empty()) {
      const Vec3i t = tri[at(stack.back())];
      stack.pop_back();
      for (int s = 0; s < 3; ++s) {
        const int u = owner.at({t[(s + 1) % 3], t[s]});
        if (of[at(u)] >= 0) continue;
        // The normal of a sliver says nothing.
        const Vec3i& w = tri[at(u)];
        double longest = 0;
        for (int k = 0; k < 3; ++k)
          longest = vmax(longest, squared_norm(x[at(w[(k + 1) % 3])] - x[at(w[k])]));
        bool in_plane = dot(area_vector(x, w), n) >= 0.5 * area[at(u)] ||
                        2 * area[at(u)] <= flat * sqrt(longest);
        for (int k = 0; k < 3; ++k)
          in_plane = in_plane && vabs(dot(n, x[at(tri[at(u)][k])] - o)) <= flat;
        if (in_plane) of[at(u)] = seed, stack.push_back(u);
      }
    }
  }
  return of;
}

// The outline of a group, counter-clockwise from outside.
std::vector<int> outline(const std::map<int, int>& next) {
  std::vector<int> loop;
  const int first = next.begin()->first;
  int v = first;
  do {
    loop.push_back(v);
    const auto it = next.find(v);
    if (it == next.end()) return {};
    v = it->second;
  } while (v != first && loop.size() <= next.size());
  return loop;
}

}  // namespace

namespace detail {

void link(Polytope& p, const std::vector<Vec2i>& edges) {
  const int n = static_cast<int>(p.vertices.size()), f = static_cast<int>(p.normals.size());
  std::vector<std::vector<int>> faces(at(n)), joined(at(n));
  for (int k = 0; k < f; ++k) {
    const int lo = p.face_start[at(k)], hi = p.face_start[at(k + 1)];
    for (int i = lo; i < hi; ++i) {
      const int v = p.face_vertices[at(i)], w = p.face_vertices[at(i + 1 < hi ? i + 1 : lo)];
      faces[at(v)].push_back(k);
      joined[at(v)].push_back(w);
      joined[at(w)].push_back(v);
    }
  }
  for (const Vec2i& e : edges) joined[at(e[0])].push_back(e[1]), joined[at(e[1])].push_back(e[0]);
  p.around_start.assign(1, 0), p.neighbour_start.assign(1, 0);
  p.around.clear(), p.neighbours.clear();
  for (int v = 0; v < n; ++v) {
    auto& j = joined[at(v)];
    std::sort(j.begin(), j.end());
    j.erase(std::unique(j.begin(), j.end()), j.end());
    p.around.insert(p.around.end(), faces[at(v)].begin(), faces[at(v)].end());
    p.neighbours.insert(p.neighbours.end(), j.begin(), j.end());
    p.around_start.push_back(static_cast<int>(p.around.size()));
    p.neighbour_start.push_back(static_cast<int>(p.neighbours.size()));
  }
}

Polytope merge_faces(const std::vector<Vec3d>& points, const std::vector<Vec3i>& triangles,
                     double flat) {
  std::vector<int> of = group(points, triangles, flat);
  std::map<int, std::map<int, int>> next;  // group -> first vertex of a rim edge -> its second
  std::vector<int> degree;
  for (bool whole = false; !whole;) {
    next.clear();
    degree.assign(points.size(), 0);
    std::map<std::pair<int, int>, int> owner;
    for (std::size_t t = 0; t < triangles.size(); ++t)
      for (int s = 0; s < 3; ++s) owner[{triangles[t][s], triangles[t][(s + 1) % 3]}] = of[t];
    std::map<int, std::size_t> rim;
    for (const auto& [edge, g] : owner)
      if (owner.at({edge.second, edge.first}) != g) {
        next[g][edge.first] = edge.second;
        ++rim[g];
        ++degree[at(edge.first)];
      }
    // A group that is not a disc (a sliver folded back by round-off) stays as it was.
    whole = true;
    for (const auto& [g, edges] : next)
      if (outline(edges).size() != rim[g]) {
        whole = false;
        for (std::size_t t = 0; t < of.size(); ++t)
          if (of[t] == g) of[t] = static_cast<int>(t);
      }
  }
  Polytope p;
  std::vector<int> index(points.size(), -1);
  p.face_start.push_back(0);
  for (const auto& [g, edges] : next) {
    std::vector<int> loop;
    // A vertex with two faces only lies inside an edge.
    for (int v : outline(edges))
      if (degree[at(v)] >= 3) loop.push_back(v);
    if (loop.size() < 3) continue;
    const Vec3d m = newell(points, loop);
    if (!(norm(m) > 0)) continue;
    for (int v : loop) {
      if (index[at(v)] < 0) {
        index[at(v)] = static_cast<int>(p.vertices.size());
        p.vertices.push_back(points[at(v)]);
      }
      p.face_vertices.push_back(index[at(v)]);
    }
    p.face_start.push_back(static_cast<int>(p.face_vertices.size()));
    p.normals.push_back(normalized(m));
    for (int v : loop)
      for (int w : loop)
        p.flatness = vmax(p.flatness, vabs(dot(p.normals.back(), points[at(v)] - points[at(w)])));
  }
  std::vector<Vec2i> edges;
  for (const Vec3i& t : triangles)
    for (int s = 0; s < 3; ++s) {
      const int a = index[at(t[s])], b = index[at(t[(s + 1) % 3])];
      if (a >= 0 && b >= 0 && a < b) edges.push_back({{a, b}});
    }
  link(p, edges);
  return p;
}

}  // namespace detail

PolytopeView Polytope::view() const {
  PolytopeView v;
  v.vertex_count = static_cast<int>(vertices.size());
  v.face_count = static_cast<int>(normals.size());
  v.flatness = flatness;
  v.vertices = vertices.data(), v.normals = normals.data();
  v.face_start = face_start.data(), v.face_vertices = face_vertices.data();
  v.around_start = around_start.data(), v.around = around.data();
  v.neighbour_start = neighbour_start.data(), v.neighbours = neighbours.data();
  return v;
}

TriMesh Polytope::mesh() const {
  TriMesh m;
  m.vertices = vertices;
  for (std::size_t f = 0; f + 1 < face_start.size(); ++f)
    for (int k = face_start[f] + 1; k + 1 < face_start[f + 1]; ++k)
      m.triangles.push_back(
          {{face_vertices[at(face_start[f])], face_vertices[at(k)], face_vertices[at(k + 1)]}});
  return m;
}

Polytope box_polytope(const Vec3d& half) {
  Polytope p;
  for (int i = 0; i < 8; ++i)
    p.vertices.push_back(
        {{i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]}});
  constexpr int kFaces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (int f = 0; f < 6; ++f) {
    p.face_start.push_back(4 * f);
    p.face_vertices.insert(p.face_vertices.end(), kFaces[f], kFaces[f] + 4);
    Vec3d n = Vec3d::zero();
    n[f / 2] = f & 1 ? 1 : -1;
    p.normals.push_back(n);
  }
  p.face_start.push_back(24);
  detail::link(p);
  return p;
}

}  // namespace haptos
