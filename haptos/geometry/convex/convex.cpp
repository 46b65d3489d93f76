#include "haptos/geometry/convex/convex.h"

namespace haptos {
namespace {

double xy_norm(const Vec3d& d) { return sqrt(d[0] * d[0] + d[1] * d[1]); }

// Rim of radius r at height z, extreme along d; the centre when d has no direction in the plane.
Vec3d rim(double r, double z, const Vec3d& d) {
  const double s = xy_norm(d);
  if (!(s > 0)) return {{0, 0, z}};
  return {{r * d[0] / s, r * d[1] / s, z}};
}

// Four points round the rim of a disc across z. The first is the lowest one (the extreme along d)
// where the disc is tilted by more than 1e-4, and at the x axis of the shape where it is tilted by
// less than 1e-5, so that a disc that lies flat is touched at points fixed to it. In between they
// turn; moments of the four up to the second do not depend on the turn.
void disc(Flat& f, double r, double z, const Vec3d& d, double sign) {
  constexpr double kFixed = 1e-5, kFree = 1e-4;
  const double s = xy_norm(d);
  double c = 1, t = 0;
  if (s > kFixed) {
    // The direction of d, turned by right angles into the sector about x.
    double u = d[0] / s, v = d[1] / s;
    int turn = 0;
    while (vabs(v) > u) {
      const double w = u;
      u = v, v = -w;
      ++turn;
    }
    const double blend = clamp((s - kFixed) / (kFree - kFixed), 0.0, 1.0);
    double a = (1 - blend) + blend * u, b = blend * v;
    const double n = sqrt(a * a + b * b);
    a /= n, b /= n;
    for (; turn > 0; --turn) {
      const double w = a;
      a = -b, b = w;
    }
    c = a, t = b;
  }
  f.count = 4;
  for (int k = 0; k < 4; ++k) {
    f.x[k] = {{r * c, r * t, z}};
    f.id[k] = feature_id(ShapeFeature::kRim, sign > 0 ? 1 : 0, 4 * k);
    const double w = c;
    c = -sign * t, t = sign * w;
  }
  f.normal = {{0, 0, sign}};
  f.face = feature_id(ShapeFeature::kFace, sign > 0 ? 1 : 0);
  f.disc = true;
  f.disc_centre = {{0, 0, z}};
  f.disc_radius = r;
}

void segment(Flat& f, const Vec3d& x0, const Vec3d& x1, double r0, double r1) {
  f.count = 2;
  f.x[0] = x0, f.x[1] = x1;
  f.id[0] = feature_id(ShapeFeature::kVertex, 0), f.id[1] = feature_id(ShapeFeature::kVertex, 1);
  f.face = feature_id(ShapeFeature::kEdge, 0, 1);
  f.curvature_radius[0] = r0, f.curvature_radius[1] = r1;
}

// Of the faces about the extreme vertex those that hold most of the extreme feature (both ends of
// an edge), and of them the one that faces along d best.
void polygon(const PolytopeView& p, const Vec3d& d, int vertex, double near, Flat& f) {
  const double top = dot(p.vertices[vertex], d) - near;
  int best = p.around[p.around_start[vertex]], most = 0;
  double value = -2;
  for (int k = p.around_start[vertex]; k < p.around_start[vertex + 1]; ++k) {
    const int face = p.around[k];
    int held = 0;
    for (int i = p.face_start[face]; i < p.face_start[face + 1] && held < 3; ++i)
      held += dot(p.vertices[p.face_vertices[i]], d) >= top;
    if (held < most) continue;
    const double v = dot(p.normals[face], d);
    // Of faces that lie equally the first, whatever the rounding.
    if (held > most || v > value + 1e-10) value = v, best = face, most = held;
  }
  const int lo = p.face_start[best], n = p.face_start[best + 1] - lo;
  // Polygons with more corners than fit are thinned evenly.
  const int take = n < Flat::kMax ? n : Flat::kMax;
  f.count = take;
  for (int k = 0; k < take; ++k) {
    const int v = p.face_vertices[lo + static_cast<int>(static_cast<std::int64_t>(k) * n / take)];
    f.x[k] = p.vertices[v];
    f.id[k] = feature_id(ShapeFeature::kVertex, v);
  }
  f.normal = p.normals[best];
  f.face = feature_id(ShapeFeature::kFace, best);
}

}  // namespace

Vec3d support(const Convex& c, const Vec3d& d, int& hint) {
  const Vec3d& s = c.size;
  switch (c.core) {
    case Core::kPoint:
      hint = 0;
      return Vec3d::zero();
    case Core::kSegment:
      hint = d[2] > 0 ? 1 : 0;
      return {{0, 0, d[2] > 0 ? s[1] : -s[1]}};
    case Core::kBox:
      hint = (d[0] > 0 ? 1 : 0) | (d[1] > 0 ? 2 : 0) | (d[2] > 0 ? 4 : 0);
      return {{d[0] > 0 ? s[0] : -s[0], d[1] > 0 ? s[1] : -s[1], d[2] > 0 ? s[2] : -s[2]}};
    case Core::kCylinder:
      hint = -1;
      return rim(s[0], d[2] > 0 ? s[1] : -s[1], d);
    case Core::kCone:
      hint = -1;
      if (2 * s[1] * d[2] > s[0] * xy_norm(d)) return {{0, 0, s[1]}};
      return rim(s[0], -s[1], d);
    case Core::kEllipsoid: {
      hint = -1;
      const Vec3d e{{s[0] * d[0], s[1] * d[1], s[2] * d[2]}};
      const double n = norm(e);
      if (!(n > 0)) return {{s[0], 0, 0}};
      return {{s[0] * e[0] / n, s[1] * e[1] / n, s[2] * e[2] / n}};
    }
    case Core::kPolytope:
      hint = support_vertex(c.polytope, d, hint);
      return c.polytope.vertices[hint];
  }
  return Vec3d::zero();
}

void flat_part(const Convex& c, const Vec3d& d, int vertex, Flat& f) {
  const Vec3d& s = c.size;
  f.disc = false;
  f.count = 1;
  f.face = feature_id(ShapeFeature::kSurface);
  const double across = xy_norm(d);
  switch (c.core) {
    case Core::kPoint:
    case Core::kEllipsoid:
      return;
    case Core::kSegment:
      return segment(f, {{0, 0, -s[1]}}, {{0, 0, s[1]}}, c.radius, c.radius);
    case Core::kBox:
    case Core::kPolytope:
      if (vertex < 0) support(c, d, vertex);
      return polygon(c.polytope, d, vertex, 1e-8 * c.extent, f);
    case Core::kCylinder:
      if (vabs(d[2]) > across) return disc(f, s[0], d[2] > 0 ? s[1] : -s[1], d, d[2] > 0 ? 1 : -1);
      return segment(f, rim(s[0], -s[1], d), rim(s[0], s[1], d), s[0], s[0]);
    case Core::kCone: {
      // The line of the side has the normal (2 l, r) in the plane of the axis; the base has (0,
      // -1).
      const double slant = sqrt(4 * s[1] * s[1] + s[0] * s[0]);
      const double side = (2 * s[1] * across + s[0] * d[2]) / slant;
      if (-d[2] > side) return disc(f, s[0], -s[1], d, -1);
      if (!(across > 1e-9)) return;  // the tip, straight on
      return segment(f, rim(s[0], -s[1], d), {{0, 0, s[1]}}, s[0] * slant / (2 * s[1]), 0);
    }
  }
}

void refine_disc(Flat& f) {
  constexpr double kC1 = 0.92387953251128675613, kS1 = 0.38268343236508977173;  // 22.5 degrees
  constexpr double kC[4] = {1, kC1, 0.70710678118654752440, kS1};
  constexpr double kS[4] = {0, kS1, 0.70710678118654752440, kC1};
  const int side = static_cast<int>(f.id[0] >> 28 & 0xfffffff);
  Vec3d arm[4];
  for (int k = 0; k < 4; ++k) arm[k] = f.x[k] - f.disc_centre;
  for (int k = 0; k < 16; ++k) {
    f.x[k] = f.disc_centre + arm[k / 4] * kC[k % 4] + arm[(k / 4 + 1) % 4] * kS[k % 4];
    f.id[k] = feature_id(ShapeFeature::kRim, side, k);
  }
  f.count = 16;
}

}  // namespace haptos
