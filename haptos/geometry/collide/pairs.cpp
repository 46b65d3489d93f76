#include "haptos/geometry/collide/pairs.h"

#include "haptos/geometry/query/closest.h"

namespace haptos::detail {
namespace {

// Signed distance of a point to a solid in the solid's frame: nearest surface point and outward
// normal there.
struct PointNearest {
  double distance;
  Vec3d on, n;
};

PointNearest point_box(const Vec3d& h, const Vec3d& c) {
  PointNearest r;
  Vec3d q;
  for (int k = 0; k < 3; ++k) q[k] = clamp(c[k], -h[k], h[k]);
  const Vec3d d = c - q;
  const double length = norm(d);
  if (length > 0) {
    r.distance = length, r.on = q, r.n = d * (1 / length);
    return r;
  }
  int best = 0;
  double depth = h[0] - vabs(c[0]);
  for (int k = 1; k < 3; ++k)
    if (const double e = h[k] - vabs(c[k]); e < depth - 1e-14 * h[k]) depth = e, best = k;
  r.n = Vec3d::zero();
  r.n[best] = c[best] < 0 ? -1 : 1;
  r.on = c;
  r.on[best] = r.n[best] * h[best];
  r.distance = -depth;
  return r;
}

// A convex profile in the half-plane (rho >= 0, z), turned about z: nearest point of its outline
// from vertex 0 to vertex `count` - 1, both on the axis or not, counter-clockwise.
PointNearest point_turned(const double (*profile)[2], int count, const Vec3d& c) {
  const double rho = sqrt(c[0] * c[0] + c[1] * c[1]);
  bool inside = true;
  double best = 1e300, on_r = 0, on_z = 0, n_r = 0, n_z = 1;
  for (int k = 0; k + 1 < count; ++k) {
    const double er = profile[k + 1][0] - profile[k][0], ez = profile[k + 1][1] - profile[k][1];
    const double length = sqrt(er * er + ez * ez);
    const double xr = rho - profile[k][0], xz = c[2] - profile[k][1];
    // The outward normal of an edge that goes counter-clockwise.
    const double nr = ez / length, nz = -er / length;
    if (xr * nr + xz * nz > 0) inside = false;
    const double t = clamp((xr * er + xz * ez) / (length * length), 0.0, 1.0);
    const double dr = xr - t * er, dz = xz - t * ez, d = dr * dr + dz * dz;
    if (d < best * (1 - 1e-14)) {
      best = d;
      on_r = profile[k][0] + t * er, on_z = profile[k][1] + t * ez;
      n_r = nr, n_z = nz;
    }
  }
  const double d = sqrt(best);
  PointNearest r;
  double ur = 1, us = 0;  // direction of the point round the axis; any on it
  if (rho > 0) ur = c[0] / rho, us = c[1] / rho;
  r.distance = inside ? -d : d;
  if (!inside && d > 0) n_r = (rho - on_r) / d, n_z = (c[2] - on_z) / d;
  r.on = {{on_r * ur, on_r * us, on_z}};
  r.n = {{n_r * ur, n_r * us, n_z}};
  return r;
}

}  // namespace

bool point_witness(const CorePair& pair, Witness& out) {
  const Convex& b = *pair.b;
  const Vec3d& s = b.size;
  const Vec3d c = transpose(pair.r) * -pair.p;  // the point in b's frame
  PointNearest r;
  switch (b.core) {
    case Core::kPoint:
    case Core::kSegment: {
      r.on = b.core == Core::kPoint ? Vec3d::zero() : Vec3d{{0, 0, clamp(c[2], -s[1], s[1])}};
      const Vec3d d = c - r.on;
      r.distance = norm(d);
      r.n = r.distance > 0 ? d * (1 / r.distance)
                           : (b.core == Core::kPoint ? Vec3d{{0, 0, 1}} : Vec3d{{1, 0, 0}});
      break;
    }
    case Core::kBox:
      r = point_box(s, c);
      break;
    case Core::kCylinder: {
      const double profile[4][2] = {{0, -s[1]}, {s[0], -s[1]}, {s[0], s[1]}, {0, s[1]}};
      r = point_turned(profile, 4, c);
      break;
    }
    case Core::kCone: {
      const double profile[3][2] = {{0, -s[1]}, {s[0], -s[1]}, {0, s[1]}};
      r = point_turned(profile, 3, c);
      break;
    }
    default:
      return false;
  }
  out.distance = r.distance;
  out.n = pair.r * r.n;
  out.a = Vec3d::zero();
  out.b = pair.r * r.on + pair.p;
  out.feature_a = out.feature_b = feature_id(ShapeFeature::kSurface);
  return true;
}

bool segment_witness(const CorePair& pair, Witness& out) {
  if (pair.a->core != Core::kSegment || pair.b->core != Core::kSegment) return false;
  const double la = pair.a->size[1], lb = pair.b->size[1];
  const Vec3d u{{0, 0, la}}, v = column(pair.r, 2) * lb;
  const auto r = closest_on_segments(-u, u, pair.p - v, pair.p + v);
  out.a = u * (2 * r.s - 1);
  out.b = pair.p + v * (2 * r.t - 1);
  const Vec3d d = out.a - out.b;
  out.distance = norm(d);
  if (out.distance > 1e-14 * (la + lb + norm(pair.p))) {
    out.n = d * (1 / out.distance);
  } else {
    // Axes that cross part along their common normal; axes on one line along anything across it.
    Vec3d m = cross(u, v);
    if (!(norm(m) > 1e-12 * la * lb)) m = Vec3d{{1, 0, 0}};
    out.n = normalized(m);
    if (dot(out.n, pair.p) > 0) out.n = -out.n;
    out.distance = 0;
  }
  out.feature_a = r.s <= 0 || r.s >= 1 ? feature_id(ShapeFeature::kVertex, r.s >= 1)
                                       : feature_id(ShapeFeature::kEdge, 0, 1);
  out.feature_b = r.t <= 0 || r.t >= 1 ? feature_id(ShapeFeature::kVertex, r.t >= 1)
                                       : feature_id(ShapeFeature::kEdge, 0, 1);
  return true;
}

void half_space_witness(const ShapePair& pair, Witness& out) {
  const CorePair& c = pair.core;
  out.n = column(c.r, 2);
  int hint = 0;
  out.a = support(*c.a, -out.n, hint);
  out.vertex_a = hint;
  out.distance = dot(out.n, out.a - c.p);
  out.b = out.a - out.n * out.distance;
  out.feature_a = hint >= 0 && c.a->core != Core::kPoint ? feature_id(ShapeFeature::kVertex, hint)
                                                         : feature_id(ShapeFeature::kSurface);
  out.feature_b = feature_id(ShapeFeature::kFace);
}

Witness shape_witness(const ShapePair& pair) {
  Witness w;
  const double limit = pair.margin + pair.radius();
  if (pair.core.b == nullptr) {
    half_space_witness(pair, w);
  } else if (!(pair.core.a->core == Core::kPoint && point_witness(pair.core, w)) &&
             !segment_witness(pair.core, w)) {
    const bool boxes = pair.core.a->core == Core::kBox && pair.core.b->core == Core::kBox;
    w = boxes ? box_witness(pair.core, limit) : signed_distance(pair.core, limit);
  }
  w.beyond = w.beyond || w.distance > limit;
  return w;
}

void tangents(const Vec3d& n, Vec3d& t1, Vec3d& t2) {
  int k = 0;
  for (int i = 1; i < 3; ++i)
    if (vabs(n[i]) < vabs(n[k])) k = i;
  Vec3d axis = Vec3d::zero();
  axis[k] = 1;
  t1 = normalized(cross(n, axis));
  t2 = cross(n, t1);
}

}  // namespace haptos::detail
