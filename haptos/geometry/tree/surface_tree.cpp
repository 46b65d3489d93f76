#include "haptos/geometry/tree/surface_tree.h"

#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/geometry/query/closest.h"

namespace haptos {
namespace {

// Error of a distance in single precision, in parts of how far the point and the corners are from
// the middle of the group: eight roundings, and as much again.
constexpr float kRounding = 1e-6f;

std::vector<Aabb> boxes_of(const TriMesh& m) {
  std::vector<Aabb> boxes(m.triangles.size());
  for_each(static_cast<std::ptrdiff_t>(boxes.size()), [&](std::ptrdiff_t i) {
    const Vec3i& t = m.triangles[at_index(i)];
    boxes[at_index(i)] = Aabb::of(m.vertices[at_index(t[0])], m.vertices[at_index(t[1])],
                                  m.vertices[at_index(t[2])]);
  });
  return boxes;
}

}  // namespace

SurfaceTree::SurfaceTree(const TriMesh& surface)
    : tree_(boxes_of(surface)),
      groups_((surface.triangles.size() + kWidth - 1) / kWidth),
      vertices_(surface.vertices),
      triangles_(surface.triangles.size()) {
  const int count = size();
  for_each(static_cast<std::ptrdiff_t>(groups_.size()), [&](std::ptrdiff_t g) {
    const int first = static_cast<int>(g) * kWidth;
    Group& group = groups_[at_index(g)];
    Aabb box;
    for (int k = 0; k < kWidth; ++k) {
      // What is not there repeats the last one, and is masked out.
      const int place = std::min(first + k, count - 1);
      const Vec3i t = surface.triangles[at_index(tree_.item(place))];
      triangles_[at_index(place)] = t;
      for (int i = 0; i < 3; ++i) box.merge(vertices_[at_index(t[i])]);
    }
    group.middle = box.centre();
    group.size = 0.5 * norm(box.extent());
    if (!(group.size > 0)) group.size = 1;
    for (int k = 0; k < kWidth; ++k) {
      const Vec3i& t = triangles_[at_index(std::min(first + k, count - 1))];
      for (int i = 0; i < 3; ++i)
        for (int d = 0; d < 3; ++d)
          group.x[i][d][k] =
              static_cast<float>((vertices_[at_index(t[i])][d] - group.middle[d]) / group.size);
    }
  });
}

SurfaceTree::Nearest SurfaceTree::nearest(const Vec3d& p, double limit) const {
  using Lanes = Pack<float, kWidth>;
  Nearest best;
  best.squared_distance = limit * limit;
  struct Candidate {
    int place;
    float least;  // it is no nearer than this [m]
  };
  constexpr int kCandidates = 32;
  Candidate candidates[kCandidates];
  int count = 0;
  float most =
      static_cast<float>(limit) * (1 + kRounding);  // the nearest is no farther than this [m]
  const auto look = [&] {
    for (int i = 0; i < count; ++i) {
      if (candidates[i].least > most) continue;
      const Vec3i& t = triangles_[at_index(candidates[i].place)];
      const Vec3d &a = vertices_[at_index(t[0])], &b = vertices_[at_index(t[1])],
                  &c = vertices_[at_index(t[2])];
      const TriangleClosest<double> exact = closest_on_triangle(p, a, b, c);
      const Vec3d point = exact.beta[0] * a + exact.beta[1] * b + exact.beta[2] * c;
      const double found = squared_norm(p - point);
      if (found < best.squared_distance || (found == best.squared_distance && best.triangle < 0))
        best = {tree_.item(candidates[i].place), exact.beta, point, found};
    }
    count = 0;
    most = std::min(most, static_cast<float>(std::sqrt(best.squared_distance)) * (1 + kRounding));
  };
  tree_.nearest_groups<true>(p, best.squared_distance, [&](int g, unsigned mask) {
    const Group& group = groups_[at_index(g)];
    const Vec3d from = (p - group.middle) * (1 / group.size);
    const Vec3<Lanes> q{{Lanes(static_cast<float>(from[0])), Lanes(static_cast<float>(from[1])),
                         Lanes(static_cast<float>(from[2]))}};
    Vec3<Lanes> x[3];
    for (int i = 0; i < 3; ++i)
      for (int d = 0; d < 3; ++d) x[i][d] = Lanes::load(group.x[i][d]);
    const TriangleClosest<Lanes> near = closest_on_triangle(q, x[0], x[1], x[2]);
    const Vec3<Lanes> away = q - (near.beta[0] * x[0] + near.beta[1] * x[1] + near.beta[2] * x[2]);
    const auto size = static_cast<float>(group.size);
    float distance[kWidth];
    (sqrt(squared_norm(away)) * Lanes(size)).store(distance);
    const float off = kRounding * size * (1 + std::sqrt(static_cast<float>(squared_norm(from))));
    for (unsigned left = mask; left; left &= left - 1)
      most = std::min(most, distance[__builtin_ctz(left)] + off);
    for (unsigned left = mask; left; left &= left - 1) {
      const int k = __builtin_ctz(left);
      if (distance[k] - off > most) continue;
      if (count == kCandidates) look();
      candidates[count++] = {g * kWidth + k, distance[k] - off};
    }
    return square(static_cast<double>(most)) * (1 + kRounding);
  });
  look();
  if (best.triangle < 0) best.squared_distance = std::numeric_limits<double>::infinity();
  return best;
}

}  // namespace haptos
