// Contact between two shapes at given poses: samples of the surfaces that face each other, their
// normal and gap. What point contact of stiff bodies starts from.
//
//   gap = n . (p_a - p_b),  n unit, from b to a;  negative where the shapes overlap
//
// All samples of a convex pair share the direction n of the shortest distance (or of the shallowest
// way out). Flat parts that face each other along n, polygons, discs and lines, are projected along
// n and intersected; the corners of the intersection whose gap is at most `margin` are the samples.
// How points, features and shares are chosen, and which pair uses what: docs/contact/shapes.md.
//
// The answer does not depend on the order of the two shapes (roles are swapped), nor, but for
// round-off, on where in the world the pair lies. Nothing is allocated but room in `out`.
//
// A half-space meets the convex hull of a mesh, which reaches down to it where the mesh does.
//
// Limits: meshes and height fields against each other, and height fields against half-spaces, give
// nothing. n of shapes that overlap deeply jumps where two ways out are equally short.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "haptos/base/math/rotation.h"
#include "haptos/geometry/convex/convex.h"
#include "haptos/geometry/query/bvh.h"
#include "haptos/geometry/shape/shape.h"

namespace haptos {

class TriangleField;

/// A shape made ready for collision: checked, its hull built. Cheap to copy.
class CollisionShape {
 public:
  /// Throws InputError naming `element` when the shape is not valid (see check_shape).
  explicit CollisionShape(const Shape& shape, const std::string& element = "shape");

  ShapeKind kind() const { return kind_; }
  bool is_convex() const { return !has_field() && kind_ != ShapeKind::kHalfSpace; }
  /// Whether it is a mesh or a height field.
  bool has_field() const { return kind_ == ShapeKind::kMesh || kind_ == ShapeKind::kHeightField; }
  /// The core and radius of a convex shape.
  const Convex& convex() const { return convex_; }
  /// Triangles of a mesh or a height field; null for others. Their tree is made when it is first
  /// asked for, once for all copies; any number of threads may ask.
  const TriangleField* field() const;
  /// The hull of a mesh, made likewise; null for others and for meshes in a plane.
  const CollisionShape* hull() const;
  /// World box at a pose; as shape_bounds(), but of a mesh or a hull the box around its own box
  /// [m].
  Aabb bounds(const Pose& pose) const;
  /// Half the shortest side of its own box [m]; infinite for a half-space.
  double half_thickness() const { return half_thickness_; }

 private:
  ShapeKind kind_;
  Shape shape_;
  Aabb box_;  // at no pose
  double half_thickness_ = Aabb::kInf;
  Convex convex_;
  std::shared_ptr<const Polytope> polytope_;
  struct LazyField;
  std::shared_ptr<LazyField> field_;
};

/// What of `a` meets `b`: its hull, where a is a mesh and b a half-space, else itself.
inline const CollisionShape& as_met(const CollisionShape& a, const CollisionShape& b) {
  const bool flat = a.kind() == ShapeKind::kMesh && b.kind() == ShapeKind::kHalfSpace;
  const CollisionShape* hull = flat ? a.hull() : nullptr;
  return hull ? *hull : a;
}

struct ContactSample {
  Vec3d p_a, p_b;      ///< on the surfaces, world [m]
  Vec3d n;             ///< unit, from b to a, world
  double gap = 0;      ///< n . (p_a - p_b) [m]
  double share = 1;    ///< of the pair's contact; the shares of a pair add up to 1
  double area = 0;     ///< that the sample stands for [m2]; 0 for contact at points and lines
  double stiffer = 1;  ///< factor of the stiffness
  std::int64_t feature_a = 0, feature_b = 0;  ///< see feature_id; together unique in a pair
};

/// Most samples that a convex pair may give.
constexpr int kMaxContactSamples = 8;

/// Appends to `out` the samples of a pair whose gap is at most `margin` [m]: for convex pairs at
/// most `max_points` (1 to 8; a disc that lies flat has eight from four on, and a witness), else as
/// many for every group of triangles that faces one way. A pose that is not finite touches nothing.
void collide(const CollisionShape& a, const Pose& pose_a, const CollisionShape& b,
             const Pose& pose_b, double margin, std::vector<ContactSample>& out,
             int max_points = 4);

/// Nearest points of two shapes, or where they overlap the shallowest way out.
struct ShapeDistance {
  double distance = 0;  ///< negative: depth [m]
  Vec3d p_a, p_b, n;    ///< as in ContactSample, world
};

/// Both shapes convex, or one a half-space and the other no height field. Throws InputError for
/// meshes and height fields else.
ShapeDistance distance(const CollisionShape& a, const Pose& pose_a, const CollisionShape& b,
                       const Pose& pose_b);

}  // namespace haptos
