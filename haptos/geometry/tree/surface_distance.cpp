#include "haptos/geometry/tree/surface_distance.h"

#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/geometry/tree/surface_tree.h"

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
  for (std::size_t t = 0; t < surface.triangles.size(); ++t)
    for (int k = 0; k < 3; ++k)
      if (const int v = surface.triangles[t][k]; v < 0 || at_index(v) >= x.size())
        fail("triangle " + std::to_string(t), "vertex " + std::to_string(v),
             "the mesh has no such vertex");
  const SurfaceTree tree(surface);
  std::vector<double> distance(points.size());
  for_each(static_cast<std::ptrdiff_t>(points.size()), [&](std::ptrdiff_t i) {
    distance[at_index(i)] = std::sqrt(tree.nearest(points[at_index(i)]).squared_distance);
  });
  return distance;
}

}  // namespace haptos
