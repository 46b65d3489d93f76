// Shapes, poses and independent checks that the tests of collision share.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "haptos/geometry/collide/collide.h"
#include "haptos/geometry/make/shapes.h"

namespace haptos::collide_test {

inline constexpr ShapeKind kConvexKinds[] = {
    ShapeKind::kSphere, ShapeKind::kBox,       ShapeKind::kCapsule, ShapeKind::kCylinder,
    ShapeKind::kCone,   ShapeKind::kEllipsoid, ShapeKind::kHull};

inline Shape shape_of(ShapeKind kind, double a = 0, double b = 0, double c = 0) {
  Shape s;
  s.kind = kind;
  s.size = {{a, b, c}};
  return s;
}
inline CollisionShape sphere(double r) { return CollisionShape(shape_of(ShapeKind::kSphere, r)); }
inline CollisionShape cube(double a, double b, double c) {
  return CollisionShape(shape_of(ShapeKind::kBox, a, b, c));
}
inline CollisionShape tube(double r, double l) {
  return CollisionShape(shape_of(ShapeKind::kCylinder, r, l));
}
inline CollisionShape pill(double r, double l) {
  return CollisionShape(shape_of(ShapeKind::kCapsule, r, l));
}
inline CollisionShape floor_plane() { return CollisionShape(shape_of(ShapeKind::kHalfSpace)); }
inline CollisionShape hull_of(std::vector<Vec3d> points) {
  Shape s;
  s.kind = ShapeKind::kHull;
  s.mesh = std::make_shared<TriMesh>(TriMesh{std::move(points), {}});
  return CollisionShape(s);
}

struct Random {
  std::mt19937 rng;
  explicit Random(unsigned seed) : rng(seed) {}
  double uniform(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(rng);
  }
  double normal() { return std::normal_distribution<double>()(rng); }
  Vec3d direction() { return normalized(Vec3d{{normal(), normal(), normal()}}); }
  Quat turn() { return normalized(Quat{normal(), normal(), normal(), normal()}); }
  Pose pose(double far) { return {direction() * uniform(0, far), turn()}; }
  Shape shape(ShapeKind kind) {
    Shape s = shape_of(kind, uniform(.05, .3), uniform(.05, .3), uniform(.05, .3));
    if (kind == ShapeKind::kHull) {
      auto m = std::make_shared<TriMesh>();
      const int n = 5 + static_cast<int>(rng() % 40);
      for (int i = 0; i < n; ++i) m->vertices.push_back(direction() * uniform(.1, .3));
      s.mesh = m;
    }
    return s;
  }
};

inline double extent(const CollisionShape& a, const CollisionShape& b) {
  return (a.is_convex() ? a.convex().extent : 0) + (b.is_convex() ? b.convex().extent : 0);
}

/// The largest n . x of a convex shape at a pose.
inline double reach(const CollisionShape& s, const Pose& pose, const Vec3d& n) {
  const Mat3d r = to_matrix(pose.q);
  int hint = 0;
  return dot(n, r * support(s.convex(), transpose(r) * n, hint) + pose.p) + s.convex().radius;
}

/// Gap of two convex shapes along n: no distance is smaller, no depth larger than -gap.
inline double gap_along(const CollisionShape& a, const Pose& pa, const CollisionShape& b,
                        const Pose& pb, const Vec3d& n) {
  return -reach(a, pa, -n) - reach(b, pb, n);
}

/// How far x lies outside of the shape, from its inequalities (not always a distance, but zero on
/// the surface and negative inside) [m].
inline double outside(const CollisionShape& s, const Pose& pose, const Vec3d& x) {
  const Vec3d p = to_local(pose, x), &h = s.convex().size;
  const double rho = std::hypot(p[0], p[1]);
  switch (s.kind()) {
    case ShapeKind::kSphere:
      return norm(p) - s.convex().radius;
    case ShapeKind::kBox:
      return std::max({std::abs(p[0]) - h[0], std::abs(p[1]) - h[1], std::abs(p[2]) - h[2]});
    case ShapeKind::kCapsule:
      return std::hypot(rho, p[2] - std::clamp(p[2], -h[1], h[1])) - h[0];
    case ShapeKind::kCylinder:
      return std::max(rho - h[0], std::abs(p[2]) - h[1]);
    case ShapeKind::kCone:
      return std::max(-h[1] - p[2],
                      (2 * h[1] * rho + h[0] * (p[2] - h[1])) / std::hypot(2 * h[1], h[0]));
    case ShapeKind::kEllipsoid:
      return (std::hypot(p[0] / h[0], p[1] / h[1], p[2] / h[2]) - 1) * std::min({h[0], h[1], h[2]});
    case ShapeKind::kHull: {
      const PolytopeView& v = s.convex().polytope;
      double worst = -1e300;
      for (int f = 0; f < v.face_count; ++f)
        worst =
            std::max(worst, dot(v.normals[f], p - v.vertices[v.face_vertices[v.face_start[f]]]));
      return worst;
    }
    case ShapeKind::kHalfSpace:
      return p[2];
    default:
      return 0;
  }
}

/// The largest gap over many directions, the best of them sharpened by random search.
inline double swept_gap(const CollisionShape& a, const Pose& pa, const CollisionShape& b,
                        const Pose& pb, const std::vector<Vec3d>& directions, Random& random,
                        int steps) {
  double best = -1e300;
  Vec3d n{{0, 0, 1}};
  for (const Vec3d& d : directions)
    if (const double g = gap_along(a, pa, b, pb, d); g > best) best = g, n = d;
  double size = 0.05;
  for (int k = 0; k < steps && size > 1e-9; ++k) {
    const Vec3d d =
        normalized(n + Vec3d{{random.normal(), random.normal(), random.normal()}} * size);
    const double g = gap_along(a, pa, b, pb, d);
    size *= g > best ? 1.6 : 0.93;
    if (g > best) best = g, n = d;
  }
  return best;
}

inline std::vector<ContactSample> contacts(const CollisionShape& a, const Pose& pa,
                                           const CollisionShape& b, const Pose& pb,
                                           double margin = 1e-3, int max_points = 4) {
  std::vector<ContactSample> out;
  collide(a, pa, b, pb, margin, out, max_points);
  return out;
}

inline double least_gap(const std::vector<ContactSample>& s) {
  double least = 1e300;
  for (const ContactSample& c : s) least = std::min(least, c.gap);
  return least;
}

inline Pose at(double x, double y, double z, const Vec3d& turn = {{0, 0, 0}}) {
  return {{{x, y, z}}, rotation_by(turn)};
}

inline Pose moved(const Pose& by, const Pose& pose) {
  return {to_matrix(by.q) * pose.p + by.p, by.q * pose.q};
}

}  // namespace haptos::collide_test
