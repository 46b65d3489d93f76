#include "haptos/geometry/field/distance_field.h"

#include "haptos/geometry/field/field_kept.h"
#include "haptos/geometry/shape/hull.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/geometry/shape/shape_properties.h"

namespace haptos {

DistanceField::DistanceField(const Shape& shape, int resolution, const std::string& element)
    : view_{shape.kind, shape.size, false, {}} {
  check_shape(shape, element);
  if (!bounded()) return;
  if (has_distance(shape.kind)) {
    box_ = shape_bounds(shape);
    return;
  }
  sampled_ = kept_field(shape_mesh(shape, 0.1), resolution, element);
  box_ = sampled_->inside();
  view_.sampled = true, view_.samples = sampled_->view();
}

bool DistanceField::slopes(const Vec3d& x, double r, SlopeBound& bound) const {
  if (sampled_) return sampled_->slopes(x, r, bound);
  const auto is = [&](const Vec3d& middle, double spread) {
    bound = {middle, spread, {{spread, spread, spread}}};
    return true;
  };
  const ShapeKind kind = view_.kind;
  if (kind == ShapeKind::kSphere) {
    const double far = norm(x);
    if (r > 0.5 * far) return false;
    return is(x * (1 / far), 1.04 * r / far);  // 2 sin(asin(r / far) / 2) is less
  }
  if (kind == ShapeKind::kBox) {
    // One face is the nearest all around.
    double q[3];
    for (int k = 0; k < 3; ++k) q[k] = vabs(x[k]) - view_.size[k];
    const int face = q[0] >= q[1] && q[0] >= q[2] ? 0 : q[1] >= q[2] ? 1 : 2;
    const double next = vmax(q[(face + 1) % 3], q[(face + 2) % 3]);
    if (next > -r || q[face] - next < 2 * r || vabs(x[face]) < r) return false;
    Vec3d out = Vec3d::zero();
    out[face] = x[face] < 0 ? -1 : 1;
    return is(out, 0);
  }
  return kind == ShapeKind::kHalfSpace && is({{0, 0, 1}}, 0);
}

}  // namespace haptos
