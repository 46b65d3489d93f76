#include "haptos/geometry/field/distance_field.h"

#include "haptos/geometry/field/field_kept.h"
#include "haptos/geometry/shape/hull.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/geometry/shape/shape_properties.h"

namespace haptos {

DistanceField::DistanceField(const Shape& shape, int resolution, const std::string& element)
    : kind_(shape.kind), size_(shape.size) {
  check_shape(shape, element);
  if (!bounded()) return;
  if (has_distance(kind_)) {
    box_ = shape_bounds(shape);
    return;
  }
  sampled_ = kept_field(shape_mesh(shape, 0.1), resolution, element);
  box_ = sampled_->inside();
}

bool DistanceField::slopes(const Vec3d& x, double r, Vec3d& middle, double& spread) const {
  if (sampled_) return sampled_->slopes(x, r, middle, spread);
  if (kind_ == ShapeKind::kSphere) {
    const double far = norm(x);
    if (r > 0.5 * far) return false;
    middle = x * (1 / far), spread = 1.04 * r / far;  // 2 sin(asin(r / far) / 2) is less
    return true;
  }
  if (kind_ == ShapeKind::kBox) {
    // One face is the nearest all around.
    double q[3];
    for (int k = 0; k < 3; ++k) q[k] = vabs(x[k]) - size_[k];
    const int face = q[0] >= q[1] && q[0] >= q[2] ? 0 : q[1] >= q[2] ? 1 : 2;
    const double next = vmax(q[(face + 1) % 3], q[(face + 2) % 3]);
    if (next > -r || q[face] - next < 2 * r || vabs(x[face]) < r) return false;
    middle = Vec3d::zero(), middle[face] = x[face] < 0 ? -1 : 1, spread = 0;
    return true;
  }
  if (kind_ != ShapeKind::kHalfSpace) return false;
  middle = {{0, 0, 1}}, spread = 0;
  return true;
}

}  // namespace haptos
