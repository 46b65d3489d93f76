#include "haptos/geometry/shape/shape_bounds.h"

#include <algorithm>

namespace haptos {
namespace {

// A disc of radius r across the axis d, per axis of the world.
Vec3d disc_extent(double r, const Vec3d& d) {
  Vec3d e;
  for (int k = 0; k < 3; ++k) e[k] = r * sqrt(vmax(0.0, 1 - d[k] * d[k]));
  return e;
}

Aabb field_box(const HeightField& f) {
  const double x = 0.5 * (f.columns - 1) * f.spacing[0], y = 0.5 * (f.rows - 1) * f.spacing[1];
  Aabb b;
  for (const double z : f.height) b.merge(Aabb::of({{-x, -y, z}}, {{x, y, z}}));
  return b;
}

Aabb half_space_box(const Vec3d& n, const Vec3d& p) {
  Aabb box{{{-Aabb::kInf, -Aabb::kInf, -Aabb::kInf}}, {{Aabb::kInf, Aabb::kInf, Aabb::kInf}}};
  // Bounded only where its plane is across an axis.
  for (int k = 0; k < 3; ++k)
    if (vabs(n[k]) == 1) (n[k] > 0 ? box.hi[k] : box.lo[k]) = p[k];
  return box;
}

}  // namespace

Aabb moved_bounds(const Aabb& box, const Pose& pose) {
  if (box.is_empty()) return box;
  const Mat3d r = to_matrix(pose.q);
  const Vec3d c = r * box.centre() + pose.p, e = box.extent() * 0.5;
  Vec3d half;
  for (int k = 0; k < 3; ++k)
    half[k] = vabs(r(k, 0)) * e[0] + vabs(r(k, 1)) * e[1] + vabs(r(k, 2)) * e[2];
  return {c - half, c + half};
}

Aabb shape_bounds(const Shape& s, const Pose& pose) {
  const Mat3d r = to_matrix(pose.q);
  const Vec3d z = column(r, 2), &size = s.size;
  Vec3d half = Vec3d::zero();
  switch (s.kind) {
    case ShapeKind::kSphere:
      half = {{size[0], size[0], size[0]}};
      break;
    case ShapeKind::kBox:
      return moved_bounds({-size, size}, pose);
    case ShapeKind::kEllipsoid:
      for (int k = 0; k < 3; ++k)
        half[k] =
            sqrt(square(r(k, 0) * size[0]) + square(r(k, 1) * size[1]) + square(r(k, 2) * size[2]));
      break;
    case ShapeKind::kCapsule:
      for (int k = 0; k < 3; ++k) half[k] = size[0] + vabs(z[k]) * size[1];
      break;
    case ShapeKind::kCylinder:
      half = disc_extent(size[0], z);
      for (int k = 0; k < 3; ++k) half[k] += vabs(z[k]) * size[1];
      break;
    case ShapeKind::kCone: {
      const Vec3d rim = disc_extent(size[0], z), base = pose.p - z * size[1];
      return Aabb::of(base - rim, base + rim).merge(pose.p + z * size[1]);
    }
    case ShapeKind::kHalfSpace:
      return half_space_box(z, pose.p);
    case ShapeKind::kHull:
    case ShapeKind::kMesh: {
      Aabb b;
      if (s.mesh)
        for (const Vec3d& x : s.mesh->vertices) b.merge(r * x + pose.p);
      if (s.kind == ShapeKind::kMesh && !b.is_empty()) b.inflate(s.size[0]);
      return b;
    }
    case ShapeKind::kHeightField:
      return s.field ? moved_bounds(field_box(*s.field), pose) : Aabb();
  }
  return {pose.p - half, pose.p + half};
}

}  // namespace haptos
