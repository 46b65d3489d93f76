#include "haptos/geometry/collide/collide.h"

#include <atomic>
#include <cmath>
#include <mutex>

#include "haptos/base/text/error.h"
#include "haptos/geometry/collide/field.h"
#include "haptos/geometry/collide/pairs.h"
#include "haptos/geometry/mesh/made_of.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/geometry/shape/shape_properties.h"

namespace haptos {
namespace {

// Pairs are worked out with the lower rank first, so that their answer has one form.
int rank(const CollisionShape& s) {
  if (s.has_field()) return 8;
  switch (s.kind()) {
    case ShapeKind::kSphere:
      return 0;
    case ShapeKind::kCapsule:
      return 1;
    case ShapeKind::kBox:
      return 2;
    case ShapeKind::kCylinder:
      return 3;
    case ShapeKind::kCone:
      return 4;
    case ShapeKind::kEllipsoid:
      return 5;
    case ShapeKind::kHull:
      return 6;
    default:
      return 7;
  }
}

bool is_finite(const Pose& p) {
  return std::isfinite(p.p[0] + p.p[1] + p.p[2]) && std::isfinite(p.q.w + p.q.x + p.q.y + p.q.z);
}

struct Relative {
  Mat3d r;
  Vec3d p;
};
Relative relative(const Mat3d& ra, const Vec3d& pa, const Mat3d& rb, const Vec3d& pb) {
  const Mat3d t = transpose(ra);
  return {t * rb, t * (pb - pa)};
}

// Whether b comes before a. Two shapes of one kind are ordered by size, then by how each sees the
// other, which does not depend on the frame of the world; by that only beyond round-off.
bool swapped(const CollisionShape& a, const CollisionShape& b, const Mat3d& ra, const Vec3d& pa,
             const Mat3d& rb, const Vec3d& pb) {
  const int ka = rank(a), kb = rank(b);
  if (ka != kb) return kb < ka;
  if (!a.is_convex()) return false;
  const Convex &x = a.convex(), &y = b.convex();
  for (int k = 0; k < 3; ++k)
    if (x.size[k] != y.size[k]) return y.size[k] < x.size[k];
  if (x.polytope.vertex_count != y.polytope.vertex_count)
    return y.polytope.vertex_count < x.polytope.vertex_count;
  if (x.extent != y.extent) return y.extent < x.extent;
  const Relative ab = relative(ra, pa, rb, pb), ba = relative(rb, pb, ra, pa);
  const double doubt = 1e-9 * x.extent;
  for (int k = 2; k >= 0; --k)
    if (vabs(ab.p[k] - ba.p[k]) > doubt) return ab.p[k] > ba.p[k];
  for (int k = 0; k < 9; ++k)
    if (vabs(ab.r[k] - ba.r[k]) > 1e-9) return ab.r[k] > ba.r[k];
  for (int k = 0; k < 3; ++k)
    if (ab.p[k] != ba.p[k]) return ab.p[k] > ba.p[k];
  return false;
}

void exchange(ContactSample& s) {
  const Vec3d p = s.p_a;
  s.p_a = s.p_b, s.p_b = p;
  s.n = -s.n;
  const std::int64_t f = s.feature_a;
  s.feature_a = s.feature_b, s.feature_b = f;
}

Convex convex_of(const Shape& s, const Polytope* polytope) {
  Convex c;
  c.size = s.size;
  switch (s.kind) {
    case ShapeKind::kSphere:
      c.core = Core::kPoint;
      c.radius = c.extent = s.size[0];
      break;
    case ShapeKind::kCapsule:
      c.core = Core::kSegment;
      c.radius = s.size[0];
      c.extent = s.size[0] + s.size[1];
      break;
    case ShapeKind::kBox:
      c.core = Core::kBox;
      c.extent = norm(s.size);
      break;
    case ShapeKind::kCylinder:
    case ShapeKind::kCone:
      c.core = s.kind == ShapeKind::kCylinder ? Core::kCylinder : Core::kCone;
      c.extent = sqrt(s.size[0] * s.size[0] + s.size[1] * s.size[1]);
      break;
    case ShapeKind::kEllipsoid:
      c.core = Core::kEllipsoid;
      c.extent = vmax(vmax(s.size[0], s.size[1]), s.size[2]);
      break;
    default:
      c.core = Core::kPolytope;
      c.size = Vec3d::zero();
      break;
  }
  if (polytope) {
    c.polytope = polytope->view();
    if (c.core == Core::kPolytope) {
      for (const Vec3d& x : polytope->vertices) {
        c.extent = vmax(c.extent, norm(x));
        c.middle += x * (1.0 / c.polytope.vertex_count);
      }
    }
  }
  return c;
}

// Many bodies may share a mesh.
std::shared_ptr<const Polytope> hull_of(const std::shared_ptr<const TriMesh>& mesh) {
  static MadeOf<Polytope> hulls;
  return hulls.of(mesh,
                  [&] { return std::make_shared<const Polytope>(convex_hull(mesh->vertices)); });
}

std::shared_ptr<const TriangleField> field_of(const Shape& shape) {
  static MadeOf<TriangleField> fields;
  const auto make = [&] { return std::make_shared<const TriangleField>(shape); };
  return shape.kind == ShapeKind::kMesh ? fields.of(shape.mesh, make) : make();
}

}  // namespace

struct CollisionShape::LazyField {
  std::atomic<const TriangleField*> ready{nullptr};
  std::mutex mutex;
  std::shared_ptr<const TriangleField> field;
  std::once_flag hull_asked;
  std::shared_ptr<const CollisionShape> hull;
};

CollisionShape::CollisionShape(const Shape& shape, const std::string& element)
    : kind_(shape.kind), shape_(shape) {
  if (kind_ != ShapeKind::kHull) check_shape(shape, element);
  if (kind_ == ShapeKind::kBox) {
    polytope_ = std::make_shared<Polytope>(box_polytope(shape.size));
  } else if (kind_ == ShapeKind::kHull) {
    if (!shape.mesh || shape.mesh->vertices.size() < 4) check_shape(shape, element);
    try {
      polytope_ = hull_of(shape.mesh);
    } catch (const InputError&) {
      check_shape(shape, element);  // says the same, and whose hull it is
      throw;
    }
  } else if (has_field()) {
    field_ = std::make_shared<LazyField>();
  }
  if (kind_ == ShapeKind::kHalfSpace) return;
  box_ = shape_bounds(shape);
  for (int k = 0; k < 3; ++k)
    half_thickness_ = vmin(half_thickness_, 0.5 * (box_.hi[k] - box_.lo[k]));
  if (!field_) convex_ = convex_of(shape, polytope_.get());
}

const TriangleField* CollisionShape::field() const {
  if (!field_) return nullptr;
  if (const TriangleField* ready = field_->ready.load(std::memory_order_acquire)) return ready;
  const auto made = field_of(shape_);  // not under the lock, as in MadeOf
  const std::lock_guard lock(field_->mutex);
  if (!field_->field) {
    field_->field = made;
    field_->ready.store(made.get(), std::memory_order_release);
  }
  return field_->field.get();
}

const CollisionShape* CollisionShape::hull() const {
  if (kind_ != ShapeKind::kMesh) return nullptr;
  std::call_once(field_->hull_asked, [&] {
    Shape hull = shape_;
    hull.kind = ShapeKind::kHull;
    try {
      field_->hull = std::make_shared<const CollisionShape>(hull);
    } catch (const InputError&) {  // in a plane
    }
  });
  return field_->hull.get();
}

Aabb CollisionShape::bounds(const Pose& pose) const {
  return field_ || kind_ == ShapeKind::kHull ? moved_bounds(box_, pose)
                                             : shape_bounds(shape_, pose);
}

void collide(const CollisionShape& shape_a, const Pose& pose_a, const CollisionShape& shape_b,
             const Pose& pose_b, double margin, std::vector<ContactSample>& out, int max_points) {
  const CollisionShape &a = as_met(shape_a, shape_b), &b = as_met(shape_b, shape_a);
  if (!is_finite(pose_a) || !is_finite(pose_b)) return;
  const Mat3d ra = to_matrix(pose_a.q), rb = to_matrix(pose_b.q);
  const bool swap = swapped(a, b, ra, pose_a.p, rb, pose_b.p);
  const CollisionShape &x = swap ? b : a, &y = swap ? a : b;
  if (!x.is_convex()) return;
  const Mat3d &rx = swap ? rb : ra, &ry = swap ? ra : rb;
  const Vec3d &px = swap ? pose_b.p : pose_a.p, &py = swap ? pose_a.p : pose_b.p;
  const Relative rel = relative(rx, px, ry, py);
  const std::size_t first = out.size();
  if (y.field()) {
    y.field()->collide(x.convex(), rel.r, rel.p, margin, max_points, out);
  } else {
    const detail::ShapePair pair{{&x.convex(), y.is_convex() ? &y.convex() : nullptr, rel.r, rel.p},
                                 margin};
    const Witness w = detail::shape_witness(pair);
    if (w.beyond) return;
    ContactSample samples[kMaxContactSamples + 1];
    const int n = detail::manifold(pair, w, max_points, samples);
    out.insert(out.end(), samples, samples + n);
  }
  for (std::size_t i = first; i < out.size(); ++i) {
    ContactSample& s = out[i];
    s.p_a = rx * s.p_a + px, s.p_b = rx * s.p_b + px, s.n = rx * s.n;
    if (swap) exchange(s);
  }
}

ShapeDistance distance(const CollisionShape& shape_a, const Pose& pose_a,
                       const CollisionShape& shape_b, const Pose& pose_b) {
  const CollisionShape &a = as_met(shape_a, shape_b), &b = as_met(shape_b, shape_a);
  const Mat3d ra = to_matrix(pose_a.q), rb = to_matrix(pose_b.q);
  const bool swap = swapped(a, b, ra, pose_a.p, rb, pose_b.p);
  const CollisionShape &x = swap ? b : a, &y = swap ? a : b;
  if (!x.is_convex() || y.has_field()) {
    Diagnostic d;
    d.element = "distance between shapes";
    d.rule = "needs two convex shapes, or one and a half-space";
    d.remedy = "use collide() for meshes and height fields";
    throw InputError(d);
  }
  const Mat3d &rx = swap ? rb : ra, &ry = swap ? ra : rb;
  const Vec3d &px = swap ? pose_b.p : pose_a.p, &py = swap ? pose_a.p : pose_b.p;
  const Relative rel = relative(rx, px, ry, py);
  const detail::ShapePair pair{{&x.convex(), y.is_convex() ? &y.convex() : nullptr, rel.r, rel.p},
                               1e300};
  const Witness w = detail::shape_witness(pair);
  ContactSample s;
  s.n = rx * w.n;
  s.gap = w.distance - pair.radius();
  s.p_a = rx * (w.a - w.n * x.convex().radius) + px;
  s.p_b = s.p_a - s.n * s.gap;
  if (swap) exchange(s);
  return {s.gap, s.p_a, s.p_b, s.n};
}

}  // namespace haptos
