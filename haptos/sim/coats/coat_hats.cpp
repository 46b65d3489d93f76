#include "haptos/sim/coats/coat_hats.h"

#include <algorithm>
#include <array>
#include <map>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// Triangles over points, split in four by the middles of their edges.
struct Split {
  std::vector<CoatCompliance::Probe> point;  // the given ones first
  std::vector<Vec3i> triangles;
  std::vector<int> first_part;  // hats of the given points, on all
  std::vector<CoatCompliance::Part> part;
  std::vector<double> area;  // their integrals
};
Split split(const std::vector<Vec3d>& x, const std::vector<Vec3i>& triangles) {
  Split s;
  for (int i = 0; i < static_cast<int>(x.size()); ++i) s.point.push_back({i, i});
  s.area.assign(x.size(), 0.0);
  std::map<std::array<int, 2>, int> middle;
  std::vector<std::map<int, double>> hat(x.size());
  for (const Vec3i& t : triangles) {
    int mid[3];
    for (int k = 0; k < 3; ++k) {
      const int a = std::min(t[k], t[(k + 1) % 3]), b = std::max(t[k], t[(k + 1) % 3]);
      const auto [it, made] = middle.try_emplace({a, b}, static_cast<int>(s.point.size()));
      if (made) s.point.push_back({a, b});
      mid[k] = it->second;
    }
    const Vec3d& corner = x[at_index(t[0])];
    const double area = 0.5 * norm(cross(x[at_index(t[1])] - corner, x[at_index(t[2])] - corner));
    const Vec3i piece[4] = {{{t[0], mid[0], mid[2]}},
                            {{mid[0], t[1], mid[1]}},
                            {{mid[2], mid[1], t[2]}},
                            {{mid[0], mid[1], mid[2]}}};
    s.triangles.insert(s.triangles.end(), std::begin(piece), std::end(piece));
    for (int k = 0; k < 3; ++k) {
      const std::size_t i = at_index(t[k]);
      s.area[i] += area / 3;
      const auto height = [&](int p) {
        return p == t[k] ? 1.0 : p == mid[k] || p == mid[(k + 2) % 3] ? 0.5 : 0.0;
      };
      for (const Vec3i& p : piece) {
        const double sum = height(p[0]) + height(p[1]) + height(p[2]);
        for (int q = 0; q < 3; ++q) hat[i][p[q]] += area / 48 * (sum + height(p[q]));
      }
    }
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    s.first_part.push_back(static_cast<int>(s.part.size()));
    for (const auto& [p, weight] : hat[i])
      if (weight > 0) s.part.push_back({p, weight / s.area[i]});
  }
  s.first_part.push_back(static_cast<int>(s.part.size()));
  return s;
}

}  // namespace

std::vector<double> find_hats(const SoftBody& pad, CoatCompliance& c) {
  std::map<int, int> node;  // by vertex
  for (const Vec3i& t : pad.coat)
    for (int k = 0; k < 3; ++k) node.emplace(t[k], 0);
  for (auto& [vertex, number] : node) {
    number = c.nodes();
    c.rest.push_back(pad.mesh.vertices[at_index(vertex)]);
    c.vertex.push_back(vertex);
  }
  std::vector<Vec3i> triangles;
  for (const Vec3i& t : pad.coat) triangles.push_back({{node[t[0]], node[t[1]], node[t[2]]}});
  c.normal.assign(c.rest.size(), Vec3d::zero());
  for (const Vec3i& t : triangles) {
    const Vec3d& x = c.rest[at_index(t[0])];
    const Vec3d twice = cross(c.rest[at_index(t[1])] - x, c.rest[at_index(t[2])] - x);
    for (int k = 0; k < 3; ++k) c.normal[at_index(t[k])] += twice;
  }
  for (Vec3d& v : c.normal) v = normalized(v);
  Split probes = split(c.rest, triangles);
  std::vector<Vec3d> x;
  for (const CoatCompliance::Probe& p : probes.point)
    x.push_back(0.5 * (c.rest[at_index(p.a)] + c.rest[at_index(p.b)]));
  Split looks = split(x, probes.triangles);
  c.area = std::move(probes.area), c.probe = std::move(probes.point);
  c.first_part = std::move(probes.first_part), c.part = std::move(probes.part);
  c.look = std::move(looks.point);
  c.first_look = std::move(looks.first_part), c.look_part = std::move(looks.part);
  return std::move(looks.area);
}

}  // namespace haptos
