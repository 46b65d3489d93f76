#include "haptos/sensors/tactile/coat.h"

#include <string>

#include "haptos/base/math/index.h"
#include "haptos/base/text/refuse.h"

namespace haptos {
Coat::Coat(std::size_t nodes, std::span<const Vec3i> coat) : node_count(static_cast<int>(nodes)) {
  std::vector<int> local(nodes, -1);
  triangles.reserve(coat.size());
  for (std::size_t t = 0; t < coat.size(); ++t) {
    Vec3i tri;
    for (int k = 0; k < 3; ++k) {
      const int n = coat[t][k];
      if (n < 0 || n >= node_count)
        refuse("coat triangle " + std::to_string(t), std::to_string(n),
               "must name a node in 0 .. " + std::to_string(node_count - 1),
               "take the coat from the same mesh as its nodes");
      int& l = local[at_index(n)];
      if (l < 0) {
        l = static_cast<int>(node.size());
        node.push_back(n);
      }
      tri[k] = l;
    }
    triangles.push_back(tri);
  }
}

std::vector<Vec3d> Coat::gather(std::span<const Vec3d> values) const {
  if (static_cast<int>(values.size()) != node_count)
    refuse("nodes", std::to_string(values.size()),
           "must be as many as at rest, " + std::to_string(node_count),
           "pass one value for every node of the gel");
  std::vector<Vec3d> out;
  out.reserve(node.size());
  for (int n : node) out.push_back(values[at_index(n)]);
  return out;
}

CoatShape shape_of(const Coat& coat, const std::vector<Vec3d>& x) {
  CoatShape s;
  s.vertex_area.assign(coat.size(), 0.0);
  s.normal.assign(coat.size(), Vec3d::zero());
  s.triangle_area.reserve(coat.triangles.size());
  for (const Vec3i& t : coat.triangles) {
    const Vec3d& a = x[at_index(t[0])];
    const Vec3d n = cross(x[at_index(t[1])] - a, x[at_index(t[2])] - a);
    const double area = 0.5 * norm(n);
    s.triangle_area.push_back(area);
    for (int k = 0; k < 3; ++k) {
      s.vertex_area[at_index(t[k])] += area / 3;
      s.normal[at_index(t[k])] += n;
    }
  }
  for (Vec3d& n : s.normal) {
    const double length = norm(n);
    n = length > 0 ? n * (1 / length) : Vec3d{{0, 0, 1}};
  }
  return s;
}

}  // namespace haptos
