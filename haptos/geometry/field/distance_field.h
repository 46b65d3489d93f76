// The signed distance to a body, by its shape's formula or, of a mesh, by samples.
#pragma once

#include <limits>
#include <memory>
#include <string>

#include "haptos/base/math/rotation.h"
#include "haptos/geometry/field/sampled_field.h"

namespace haptos {

class DistanceField {
 public:
  /// Of a mesh, a hull or a height field a sampled one, with `resolution` cells along its longest
  /// side. Throws InputError naming `element` where the shape is not valid or has no inside.
  explicit DistanceField(const Shape& shape, int resolution = 64,
                         const std::string& element = "shape");

  /// For kernels; this field must outlive it.
  const FieldView& view() const { return view_; }
  /// At x in the frame of the shape [m].
  SignedDistance<double> at(const Vec3d& x) const { return view_.at(x); }
  double phi(const Vec3d& x) const { return view_.phi(x); }
  /// How far `phi`, that of x, may be from phi of any place inside within r of x [m].
  double change(const Vec3d& x, double phi, double r) const {
    return sampled_ ? sampled_->change(x, phi, r) : r;
  }
  /// What the gradient is within r of x; false: unknown.
  bool slopes(const Vec3d& x, double r, SlopeBound& bound) const;
  /// Box around the inside, in the frame of the shape; of a half-space without bounds.
  const Aabb& box() const { return box_; }
  bool bounded() const { return view_.kind != ShapeKind::kHalfSpace; }
  /// Of the samples [m]; 0: there are none.
  double cell() const { return sampled_ ? sampled_->cell() : 0; }
  const SampledField* sampled() const { return sampled_.get(); }
  /// Whether phi is a convex function: of shapes that have a formula, all of them convex.
  bool convex() const { return !sampled_; }

 private:
  FieldView view_;
  Aabb box_;
  std::shared_ptr<const SampledField> sampled_;
};

}  // namespace haptos
