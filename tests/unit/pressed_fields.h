// Distance fields of shapes and meshes, for tests of pressure.
#pragma once

#include <memory>

#include "haptos/geometry/field/distance_field.h"

namespace haptos {

inline DistanceField of(ShapeKind kind, const Vec3d& size) {
  Shape s;
  s.kind = kind, s.size = size;
  return DistanceField(s);
}
inline DistanceField of(const TriMesh& mesh, int resolution) {
  Shape s;
  s.kind = ShapeKind::kMesh, s.mesh = std::make_shared<TriMesh>(mesh);
  return DistanceField(s, resolution);
}
inline Pose up(double z) { return {{{0, 0, z}}, {}}; }

}  // namespace haptos
