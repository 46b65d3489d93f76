// Directions of a surface: neighbours made to agree, closed parts made to face outward.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/mesh/topology.h"

namespace haptos {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

struct Part {
  std::vector<int> triangles;
  Aabb box;
  bool closed = true;
  double volume = 0;  ///< [m^3] signed, with the directions found so far
};

// Whether triangle t runs through its edge k from the lower to the higher vertex, once turned.
bool upward(const TriMesh& mesh, const std::vector<char>& turned, int t, int k) {
  const Vec3i& v = mesh.triangles[at(t)];
  return (v[k] < v[(k + 1) % 3]) != (turned[at(t)] != 0);
}

int edge_slot(const SurfaceTopology& topology, int t, int edge) {
  const Vec3i& e = topology.triangle_edges[at(t)];
  return e[0] == edge ? 0 : e[1] == edge ? 1 : 2;
}

// Parts joined by edges with exactly two triangles; `turned` makes each part agree with its first
// triangle.
std::vector<Part> find_parts(const TriMesh& mesh, const SurfaceTopology& topology,
                             std::vector<int>& part_of, std::vector<char>& turned) {
  std::vector<Part> parts;
  for (std::size_t seed = 0; seed < mesh.triangles.size(); ++seed) {
    if (part_of[seed] >= 0) continue;
    const auto id = static_cast<int>(parts.size());
    Part& part = parts.emplace_back();
    part.triangles.push_back(static_cast<int>(seed));
    part_of[seed] = id;
    for (std::size_t next = 0; next < part.triangles.size(); ++next) {
      const int t = part.triangles[next];
      for (int k = 0; k < 3; ++k) {
        part.box.merge(mesh.vertices[at(mesh.triangles[at(t)][k])]);
        const int edge = topology.triangle_edges[at(t)][k];
        const auto around = topology.edge_triangles[edge];
        if (around.size() != 2) continue;
        const int other = around[0] == t ? around[1] : around[0];
        if (part_of[at(other)] >= 0) continue;
        part_of[at(other)] = id;
        if (upward(mesh, turned, t, k) ==
            upward(mesh, turned, other, edge_slot(topology, other, edge)))
          turned[at(other)] ^= 1;
        part.triangles.push_back(other);
      }
    }
  }
  return parts;
}

// A part is closed where each of its edges belongs to an even number of its own triangles.
void find_closed(const SurfaceTopology& topology, const std::vector<int>& part_of,
                 std::vector<Part>& parts) {
  std::vector<int> ids;
  for (int e = 0; e < topology.edge_triangles.size(); ++e) {
    const auto around = topology.edge_triangles[e];
    if (around.size() == 2) continue;
    ids.clear();
    for (const int t : around) ids.push_back(part_of[at(t)]);
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 0; i < ids.size();) {
      std::size_t j = i;
      while (j < ids.size() && ids[j] == ids[i]) ++j;
      if ((j - i) % 2 == 1) parts[at(ids[i])].closed = false;
      i = j;
    }
  }
}

double part_volume(const TriMesh& mesh, const std::vector<char>& turned, const Part& part) {
  const Vec3d o = part.box.centre();
  double sum = 0;
  for (const int t : part.triangles) {
    const Vec3i& v = mesh.triangles[at(t)];
    const double six = dot(cross(mesh.vertices[at(v[0])] - o, mesh.vertices[at(v[1])] - o),
                           mesh.vertices[at(v[2])] - o);
    sum += turned[at(t)] ? -six : six;
  }
  return sum / 6;
}

// How often a closed part winds round p: the solid angles of its triangles over 4 pi (van Oosterom
// and Strackee 1983, IEEE Transactions on Biomedical Engineering 30:125).
double winding(const TriMesh& mesh, const std::vector<char>& turned, const Part& part,
               const Vec3d& p) {
  double sum = 0;
  for (const int t : part.triangles) {
    const Vec3i& v = mesh.triangles[at(t)];
    const Vec3d a = mesh.vertices[at(v[0])] - p, b = mesh.vertices[at(v[1])] - p,
                c = mesh.vertices[at(v[2])] - p;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    const double angle = 2 * std::atan2(dot(a, cross(b, c)), la * lb * lc + dot(a, b) * lc +
                                                                 dot(b, c) * la + dot(c, a) * lb);
    sum += turned[at(t)] ? -angle : angle;
  }
  return sum / (4 * std::numbers::pi);
}

}  // namespace

int orient(TriMesh& mesh) {
  const SurfaceTopology topology = surface_topology(mesh);
  std::vector<int> part_of(mesh.triangles.size(), -1);
  std::vector<char> turned(mesh.triangles.size(), 0);
  std::vector<Part> parts = find_parts(mesh, topology, part_of, turned);
  find_closed(topology, part_of, parts);

  std::vector<Aabb> boxes;
  boxes.reserve(parts.size());
  for (const Part& part : parts) boxes.push_back(part.box);
  const Bvh tree(boxes);
  std::vector<char> reverse(parts.size(), 0);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    part.volume = part_volume(mesh, turned, part);
    if (!part.closed || part.volume == 0) {
      std::size_t count = 0;
      for (const int t : part.triangles) count += turned[at(t)] != 0;
      reverse[i] = 2 * count > part.triangles.size();
      continue;
    }
    const Vec3d& p = mesh.vertices[at(mesh.triangles[at(part.triangles[0])][0])];
    int depth = 0;
    tree.query(Aabb::of(p), [&](int j) {
      if (at(j) != i && parts[at(j)].closed)
        depth += std::fabs(winding(mesh, turned, parts[at(j)], p)) > 0.5;
    });
    reverse[i] = (part.volume > 0) == (depth % 2 == 1);
  }
  int count = 0;
  for (std::size_t t = 0; t < turned.size(); ++t)
    if ((turned[t] != 0) != (reverse[at(part_of[t])] != 0)) {
      std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
      ++count;
    }
  return count;
}

}  // namespace haptos
