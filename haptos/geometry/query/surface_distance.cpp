#include "haptos/geometry/query/surface_distance.h"

#include <cmath>

#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/geometry/query/bvh.h"
#include "haptos/geometry/query/closest.h"

namespace haptos {
namespace {

[[noreturn]] void fail(std::string element, std::string value, std::string rule) {
  Diagnostic d;
  d.element = std::move(element);
  d.value = std::move(value);
  d.rule = std::move(rule);
  d.remedy = "mend the mesh first";
  throw InputError(d);
}

void check_finite(const char* kind, const std::vector<Vec3d>& points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int k = 0; k < 3; ++k)
      if (!std::isfinite(points[i][k]))
        fail(std::string(kind) + " " + std::to_string(i), std::to_string(points[i][k]),
             "must be finite for distances");
}

}  // namespace

std::vector<double> distance_to_surface(const std::vector<Vec3d>& points, const TriMesh& surface) {
  const std::vector<Vec3d>& x = surface.vertices;
  if (surface.triangles.empty()) fail("surface", "", "has no triangles to measure distances to");
  check_finite("point", points);
  check_finite("vertex", x);
  const auto at = [&](int v) -> const Vec3d& { return x[static_cast<std::size_t>(v)]; };
  std::vector<Aabb> boxes;
  boxes.reserve(surface.triangles.size());
  for (const Vec3i& t : surface.triangles) {
    for (int k = 0; k < 3; ++k)
      if (t[k] < 0 || static_cast<std::size_t>(t[k]) >= x.size())
        fail("triangle " + std::to_string(boxes.size()), "vertex " + std::to_string(t[k]),
             "the mesh has no such vertex");
    boxes.push_back(Aabb::of(at(t[0]), at(t[1]), at(t[2])));
  }
  const Bvh tree(boxes);
  std::vector<double> distance(points.size());
  for_each(static_cast<std::ptrdiff_t>(points.size()), [&](std::ptrdiff_t i) {
    const Vec3d& p = points[static_cast<std::size_t>(i)];
    const Bvh::Nearest nearest = tree.nearest(p, [&](int j) {
      const Vec3i& t = surface.triangles[static_cast<std::size_t>(j)];
      const Vec3d &a = at(t[0]), &b = at(t[1]), &c = at(t[2]);
      const TriangleClosest<double> q = closest_on_triangle(p, a, b, c);
      return squared_norm(p - (a * q.beta[0] + b * q.beta[1] + c * q.beta[2]));
    });
    distance[static_cast<std::size_t>(i)] = std::sqrt(nearest.squared_distance);
  });
  return distance;
}

}  // namespace haptos
