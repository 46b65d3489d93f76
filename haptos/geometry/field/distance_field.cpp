#include "haptos/geometry/field/distance_field.h"

#include <cmath>

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
  least_slack_ = 0.5 * std::sqrt(3.0) * (1 + 1e-6) * sampled_->cell();
  box_ = sampled_->inside();
}

}  // namespace haptos
