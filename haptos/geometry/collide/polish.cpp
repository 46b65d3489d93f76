// Sharpening the direction of contact between smooth cores (see gjk.h).
//
// The gap along n is s(n) = -h(-n) with the gradient w(-n), the extreme point of A - B. At the
// answer w is along n. On the sphere of directions, with tangents t,
//
//   gradient g = t . w,   Hessian H = t . D t - (w . n) 1,   D = dw/dn by differences,
//
// and a Newton step is taken only where the gap grows by it (that of the answer is the largest).
#include "haptos/geometry/collide/pairs.h"
#include "haptos/geometry/convex/gjk.h"

namespace haptos::detail {

namespace {

// The directions nearest to n in which a core is flat along a line or a disc; frame of a.
int flat_directions(const Convex& c, const Vec3d& axis, const Vec3d& n, Vec3d (&out)[2]) {
  const double z = dot(axis, n);
  const Vec3d radial = n - axis * z;
  const double length = norm(radial);
  int count = 0;
  if (c.core == Core::kSegment || c.core == Core::kCylinder || c.core == Core::kCone) {
    // The normal of a cone's side leans towards its tip.
    const double lean = c.core == Core::kCone ? c.size[0] / (2 * c.size[1]) : 0;
    if (length > 1e-9) out[count++] = normalized(radial * (1 / length) + axis * lean);
  }
  if (c.core == Core::kCylinder || (c.core == Core::kCone && z < 0))
    out[count++] = z > 0 ? axis : -axis;
  return count;
}

// Newton for the largest gap among the directions across a line, from n on.
template <class Point>
void turn_about(const Vec3d& line, const Point& point, double enough, Vec3d& n, Vec3d& x,
                double& gap) {
  constexpr double kDifference = 1e-7;
  for (int step = 0; step < 12; ++step) {
    const Vec3d t = normalized(cross(line, n));
    const double g = dot(t, x);
    const Vec3d d = point(n + t * kDifference) - point(n - t * kDifference);
    const double h = dot(t, d) * (0.5 / kDifference) - gap;
    if (vabs(g) <= enough) return;
    // Far from the answer: uphill.
    const double s = h < 0 ? clamp(g / h, -0.5, 0.5) : (g > 0 ? -0.5 : 0.5);
    const Vec3d m = normalized(n - t * s), y = point(m);
    if (!(dot(m, y) > gap)) return;
    n = m, x = y, gap = dot(m, y);
  }
}

}  // namespace

void polish(const CorePair& pair, Witness& w) {
  constexpr int kSteps = 12;
  constexpr double kDifference = 1e-7;
  const double scale = pair.a->extent + pair.b->extent + norm(pair.p);
  int ha = w.vertex_a, hb = w.vertex_b;
  const auto point = [&](const Vec3d& n) { return minkowski(pair, -n, ha, hb).w; };
  Vec3d n = w.n, x = point(n);
  double gap = dot(n, x);
  bool edge = false;
  Vec3d line = Vec3d::zero();
  // Flat parts first: beside them n has fewer digits, and Newton does not see them.
  for (const bool first : {true, false}) {
    Vec3d d[2];
    const int count = first ? flat_directions(*pair.a, {{0, 0, 1}}, -n, d)
                            : flat_directions(*pair.b, column(pair.r, 2), n, d);
    for (int k = 0; k < count; ++k) {
      const Vec3d m = first ? -d[k] : d[k], y = point(m);
      if (!(dot(m, y) > gap)) continue;
      n = m, x = y, gap = dot(m, y), edge = true;
      // Across the line of a side; a cap is final.
      const Core core = first ? pair.a->core : pair.b->core;
      if (k == 0 && core != Core::kCone) line = first ? Vec3d{{0, 0, 1}} : column(pair.r, 2);
    }
  }
  if (squared_norm(line) > 0) {
    turn_about(line, point, 1e-15 * scale, n, x, gap);
    w.n = n, w.distance = gap;
  }
  for (int step = 0; step < kSteps; ++step) {
    Vec3d t[2];
    tangents(n, t[0], t[1]);
    const double g[2] = {dot(t[0], x), dot(t[1], x)};
    if (g[0] * g[0] + g[1] * g[1] <= 1e-30 * scale * scale) break;
    double h[2][2];
    for (int j = 0; j < 2; ++j) {
      const Vec3d d =
          (point(n + t[j] * kDifference) - point(n - t[j] * kDifference)) * (0.5 / kDifference);
      for (int i = 0; i < 2; ++i) h[i][j] = dot(t[i], d) - (i == j ? gap : 0);
    }
    // Axes of H. Where the extreme point jumps (over an edge of A - B) H is huge along one of them
    // and n already lies across that edge: it moves along the other only.
    const double off = 0.5 * (h[0][1] + h[1][0]), half = 0.5 * (h[0][0] - h[1][1]);
    const double mean = 0.5 * (h[0][0] + h[1][1]), r = sqrt(half * half + off * off);
    double c = 1, q = 0;  // the axis of the eigenvalue mean + r
    if (r > 0) {
      c = half > 0 ? r + half : vabs(off), q = half > 0 ? off : (off < 0 ? -1 : 1) * (r - half);
      const double l = sqrt(c * c + q * q);
      c /= l, q /= l;
    }
    const double jump = -1e3 * scale;
    const double weak = mean + r, strong = mean - r;
    if (!(weak < 0) || weak < jump) break;
    const double along = (c * g[0] + q * g[1]) / weak;
    const double across = strong < jump ? 0 : (c * g[1] - q * g[0]) / strong;
    const double d0 = c * along - q * across, d1 = q * along + c * across;
    if (strong < jump && vabs(c * g[0] + q * g[1]) <= 1e-15 * scale) break;
    if (!(d0 * d0 + d1 * d1 < 0.04)) break;
    const Vec3d m = normalized(n - t[0] * d0 - t[1] * d1), y = point(m);
    const double better = dot(m, y);
    // Near the answer the gap is flat: there the gradient decides.
    const double u = dot(y, y) - better * better, v = dot(x, x) - gap * gap;
    if (!(better > gap || (strong >= jump && better >= gap - 1e-14 * scale && u < v))) break;
    edge = edge || strong < jump;
    n = m, x = y, gap = better;
  }
  const bool moved = squared_norm(n - w.n) > 0;
  if (edge && gap > 0) return;  // apart, GJK has the points, and from them n
  w.n = n;
  w.distance = gap;
  // The extreme point of an ellipsoid is where it is touched.
  const bool a_round = pair.a->core == Core::kEllipsoid || pair.a->core == Core::kPoint;
  const bool b_round = pair.b->core == Core::kEllipsoid || pair.b->core == Core::kPoint;
  if (!moved && (gap > 0 || (!a_round && !b_round))) return;
  const MinkowskiPoint p = minkowski(pair, -n, ha, hb);
  w.vertex_a = p.vertex_a, w.vertex_b = p.vertex_b;
  if (a_round) {
    w.a = p.a, w.b = w.a - n * gap;
  } else if (b_round) {
    w.b = p.b, w.a = w.b + n * gap;
  }
}

}  // namespace haptos::detail
