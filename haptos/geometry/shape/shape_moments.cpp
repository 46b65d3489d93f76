#include "haptos/geometry/shape/shape_moments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "haptos/base/text/error.h"
#include "haptos/geometry/shape/hull.h"

namespace haptos {

namespace {

constexpr double kPi = 3.14159265358979323846;

Moments about_centre(double mass, double xx, double yy, double zz) {
  return moments_from(mass, Vec3d::zero(), {{xx, 0, 0, 0, yy, 0, 0, 0, zz}});
}

// Whether every edge is run through as often one way as the other, so that the triangles bound a
// solid, if one that may touch itself.
bool bounds_a_solid(const TriMesh& mesh) {
  const int n = static_cast<int>(mesh.vertices.size());
  std::vector<std::array<int, 3>> edges;  // lower vertex, higher vertex, direction
  edges.reserve(3 * mesh.triangles.size());
  for (const Vec3i& t : mesh.triangles)
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      if (a < 0 || b < 0 || a >= n || b >= n) return false;
      edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  std::sort(edges.begin(), edges.end());
  for (std::size_t i = 0; i < edges.size();) {
    int sum = 0;
    std::size_t j = i;
    for (; j < edges.size() && edges[j][0] == edges[i][0] && edges[j][1] == edges[i][1]; ++j)
      sum += edges[j][2];
    if (sum != 0) return false;
    i = j;
  }
  return !edges.empty();
}

std::optional<Moments> hull_moments(const TriMesh& mesh, double density) {
  try {
    return solid_moments(convex_hull(mesh.vertices).mesh(), density);
  } catch (const InputError&) {  // flat, or fewer than four points
    return std::nullopt;
  }
}

std::optional<Moments> mesh_moments(const Shape& shape, double density) {
  if (!shape.mesh) return std::nullopt;
  if (!bounds_a_solid(*shape.mesh))
    return shape.kind == ShapeKind::kHull ? hull_moments(*shape.mesh, density) : std::nullopt;
  Moments m = solid_moments(*shape.mesh, density);
  if (m.mass < 0) m.mass = -m.mass, m.first = -m.first, m.second = -m.second;  // inside out
  if (!(m.mass > 0)) return std::nullopt;
  return m;
}

}  // namespace

std::optional<Moments> shape_moments(const Shape& shape, double density) {
  const double a = shape.size[0], b = shape.size[1], c = shape.size[2];
  switch (shape.kind) {
    case ShapeKind::kSphere: {
      const double m = 4.0 / 3 * kPi * a * a * a * density, i = 0.4 * m * a * a;
      return about_centre(m, i, i, i);
    }
    case ShapeKind::kBox: {
      const double m = 8 * a * b * c * density;
      return about_centre(m, m * (b * b + c * c) / 3, m * (a * a + c * c) / 3,
                          m * (a * a + b * b) / 3);
    }
    case ShapeKind::kCylinder: {
      const double m = 2 * kPi * a * a * b * density, i = m * (a * a / 4 + b * b / 3);
      return about_centre(m, i, i, 0.5 * m * a * a);
    }
    case ShapeKind::kCapsule: {
      const double tube = 2 * kPi * a * a * b * density, ball = 4.0 / 3 * kPi * a * a * a * density;
      const double i = tube * (a * a / 4 + b * b / 3) + ball * (0.4 * a * a + b * b + 0.75 * a * b);
      return about_centre(tube + ball, i, i, 0.5 * tube * a * a + 0.4 * ball * a * a);
    }
    case ShapeKind::kCone: {
      const double m = 2.0 / 3 * kPi * a * a * b * density, i = 0.15 * m * (a * a + b * b);
      return moments_from(m, {{0, 0, -0.5 * b}}, {{i, 0, 0, 0, i, 0, 0, 0, 0.3 * m * a * a}});
    }
    case ShapeKind::kEllipsoid: {
      const double m = 4.0 / 3 * kPi * a * b * c * density;
      return about_centre(m, m * (b * b + c * c) / 5, m * (a * a + c * c) / 5,
                          m * (a * a + b * b) / 5);
    }
    case ShapeKind::kHull:
    case ShapeKind::kMesh:
      return mesh_moments(shape, density);
    case ShapeKind::kHalfSpace:
    case ShapeKind::kHeightField:
      return std::nullopt;
  }
  return std::nullopt;
}

Moments moved(const Moments& moments, const Pose& pose) {
  const Mat3d r = to_matrix(pose.q);
  const Vec3d f = r * moments.first, &p = pose.p;
  Moments m;
  m.mass = moments.mass;
  m.first = f + p * moments.mass;
  m.second =
      r * moments.second * transpose(r) + outer(p, f) + outer(f, p) + outer(p, p) * moments.mass;
  return m;
}

}  // namespace haptos
