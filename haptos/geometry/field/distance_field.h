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

  /// At x in the frame of the shape [m].
  SignedDistance<double> at(const Vec3d& x) const {
    return sampled_ ? sampled_->at(x) : shape_distance(kind_, size_, x);
  }
  double phi(const Vec3d& x) const {
    return sampled_ ? sampled_->phi(x) : shape_distance(kind_, size_, x).phi;
  }
  /// At the n x n x n places start + i step[0] + j step[1] + k step[2], i fastest.
  void phi_on_lattice(const Vec3d& start, const Vec3d (&step)[3], int n, double* out) const;
  /// How far `phi`, that of x, may be from phi of any place inside within r of x [m].
  double change(const Vec3d& x, double phi, double r) const {
    return sampled_ ? sampled_->change(x, phi, r) : r;
  }
  /// What the gradient is within r of x; false: unknown.
  bool slopes(const Vec3d& x, double r, SlopeBound& bound) const;
  /// Box around the inside, in the frame of the shape; of a half-space without bounds.
  const Aabb& box() const { return box_; }
  bool bounded() const { return kind_ != ShapeKind::kHalfSpace; }
  /// Of the samples [m]; 0: there are none.
  double cell() const { return sampled_ ? sampled_->cell() : 0; }
  const SampledField* sampled() const { return sampled_.get(); }
  /// Whether phi is a convex function: of shapes that have a formula, all of them convex.
  bool convex() const { return !sampled_; }

 private:
  ShapeKind kind_;
  Vec3d size_;
  Aabb box_;
  std::shared_ptr<const SampledField> sampled_;
};

}  // namespace haptos
