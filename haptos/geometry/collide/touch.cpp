#include "haptos/geometry/collide/touch.h"

#include <algorithm>
#include <cmath>

#include "haptos/geometry/collide/field.h"
#include "haptos/geometry/collide/pairs.h"

namespace haptos {
namespace {

// Steps of one search; shapes that graze each other while they turn need many.
constexpr int kMostSteps = 64;

Vec3d rotation_vector(const Quat& q) {
  const Vec3d v{{q.x, q.y, q.z}};
  const double s = norm(v);
  if (!(s > 1e-12)) return v * (q.w < 0 ? -2.0 : 2.0);
  const double angle = 2 * std::atan2(q.w < 0 ? -s : s, std::abs(q.w));
  return v * (angle / s);
}

// How far a point of the shape that matters for contact is from the origin of its frame, less its
// radius: turning a ball does not move its surface.
double arm(const CollisionShape& s, const ShapePath& own, const CollisionShape& other,
           const ShapePath& path) {
  if (s.is_convex()) return s.convex().extent - s.convex().radius;
  if (s.field()) return s.field()->extent();
  // Of a half-space only what is near the other one.
  const double way = norm(path.way) + norm(path.rate) + norm(own.way) + norm(own.rate);
  const double size = other.is_convex() ? other.convex().extent : 0;
  return norm(path.start.p - own.start.p) + size + way;
}

// The fastest that turning moves a point of a shape along n, until `left` later: rate . x is how
// fast its point x from the origin of the frame does now.
double turning(const CollisionShape& s, const ShapePath& path, const Pose& at, const Vec3d& rate,
               double arm, double left) {
  const double most = norm(rate) * arm;
  if (!s.is_convex() || most == 0) return most;
  int vertex = 0;
  const Vec3d local = transpose(to_matrix(at.q)) * rate;
  const double now = dot(local, support(s.convex(), local, vertex));
  return std::min(most, now + most * norm(path.turn) * left);
}

// As closing(), where the shapes are at t.
double closing_from(const CollisionShape& a, const ShapePath& path_a, const Pose& at_a,
                    const CollisionShape& b, const ShapePath& path_b, const Pose& at_b,
                    const Vec3d& n, double t, double end) {
  const double from = dot(n, path_b.speed(t) - path_a.speed(t));
  const double to = dot(n, path_b.speed(end) - path_a.speed(end));
  double c = vmax(from, to);
  if (squared_norm(path_a.turn) > 0)
    c += turning(a, path_a, at_a, cross(path_a.turn, n), arm(a, path_a, b, path_b), end - t);
  if (squared_norm(path_b.turn) > 0)
    c += turning(b, path_b, at_b, cross(n, path_b.turn), arm(b, path_b, a, path_a), end - t);
  return c;
}

}  // namespace

ShapePath ShapePath::between(const Pose& start, const Pose& end, const Vec3d& rate) {
  return {start, rate, end.p - start.p, rotation_vector(end.q * conjugate(start.q))};
}

Pose ShapePath::at(double t) const {
  Pose x = start;
  x.p += rate * t + (way - rate) * (t * t);
  if (squared_norm(turn) > 0) x.q = normalized(rotation_by(turn * t) * start.q);
  return x;
}

double closing(const CollisionShape& a, const ShapePath& path_a, const CollisionShape& b,
               const ShapePath& path_b, const Vec3d& n, double end) {
  return closing_from(a, path_a, path_a.start, b, path_b, path_b.start, n, 0, end);
}

bool first_touch(const CollisionShape& shape_a, const ShapePath& path_a,
                 const CollisionShape& shape_b, const ShapePath& path_b, double tolerance,
                 double& t, double end, double apart) {
  const CollisionShape &a = as_met(shape_a, shape_b), &b = as_met(shape_b, shape_a);
  if (a.has_field())
    return b.is_convex() && a.field()->first_touch(b, path_b, path_a, tolerance, t, end);
  if (b.has_field())
    return a.is_convex() && b.field()->first_touch(a, path_a, path_b, tolerance, t, end);
  t = apart;
  for (int k = 0; k < kMostSteps; ++k) {
    const Pose at_a = path_a.at(t), at_b = path_b.at(t);
    const ShapeDistance d = distance(a, at_a, b, at_b);
    if (d.distance <= tolerance) return true;
    const double c = closing_from(a, path_a, at_a, b, path_b, at_b, d.n, t, end);
    const double ahead = d.distance - 0.5 * tolerance;
    if (!(c * (end - t) > ahead)) return false;
    t += ahead / c;
  }
  return true;  // still closing: rather a contact too many
}

void collide_along(const CollisionShape& a, const Pose& pose_a, const CollisionShape& b,
                   const Pose& pose_b, const Vec3d& n, double margin,
                   std::vector<ContactSample>& out, int max_points) {
  if (!a.is_convex() || !b.is_convex()) return;
  const Mat3d ra = to_matrix(pose_a.q), rb = to_matrix(pose_b.q), back = transpose(ra);
  const Mat3d r = back * rb;
  const Vec3d p = back * (pose_b.p - pose_a.p), m = back * n;
  const detail::ShapePair pair{{&a.convex(), &b.convex(), r, p}, margin};
  Witness w;
  w.n = m;
  int of_a = 0, of_b = 0;
  w.a = support(a.convex(), -m, of_a);
  w.b = r * support(b.convex(), transpose(r) * m, of_b) + p;
  w.vertex_a = of_a, w.vertex_b = of_b;
  w.distance = dot(m, w.a - w.b);
  if (w.distance - pair.radius() > margin) return;
  ContactSample samples[kMaxContactSamples];
  const int count = detail::manifold(pair, w, max_points, samples, true);
  for (int k = 0; k < count; ++k) {
    ContactSample s = samples[k];
    s.p_a = ra * s.p_a + pose_a.p, s.p_b = ra * s.p_b + pose_a.p, s.n = n;
    out.push_back(s);
  }
}

bool find_face(const CollisionShape& s, const Pose& pose, const Vec3d& x, double above, Vec3d& n) {
  constexpr double kNear = 1 - 5e-5;  // cosine of 10 mrad
  const Mat3d r = to_matrix(pose.q);
  Vec3d m = transpose(r) * n, best = Vec3d::zero();
  double most = kNear;
  const auto offer = [&](const Vec3d& normal) {
    if (const double c = dot(normal, m); c > most) most = c, best = normal;
  };
  if (s.field()) {
    if (!s.field()->find_face(transpose(r) * (x - pose.p), above, kNear, m)) return false;
    n = r * m;
    return true;
  }
  const Core core = s.is_convex() ? s.convex().core : Core::kPoint;
  if (!s.is_convex() || core == Core::kCylinder) offer({{0, 0, 1}});
  if (core == Core::kCylinder || core == Core::kCone) offer({{0, 0, -1}});
  if (core == Core::kBox || core == Core::kPolytope)
    for (int f = 0; f < s.convex().polytope.face_count; ++f) offer(s.convex().polytope.normals[f]);
  if (most == kNear) return false;
  n = r * best;
  return true;
}

double highest(const CollisionShape& s, const Pose& pose, const Vec3d& n) {
  if (s.is_convex()) {
    const Mat3d r = to_matrix(pose.q);
    int hint = 0;
    return dot(n, r * support(s.convex(), transpose(r) * n, hint) + pose.p) + s.convex().radius;
  }
  if (!s.has_field())
    return dot(column(to_matrix(pose.q), 2), n) > 1 - 1e-12 ? dot(n, pose.p) : Aabb::kInf;
  const Aabb box = s.bounds(pose);
  double top = 0;
  for (int k = 0; k < 3; ++k) top += n[k] * (n[k] > 0 ? box.hi[k] : box.lo[k]);
  return top;
}

}  // namespace haptos
