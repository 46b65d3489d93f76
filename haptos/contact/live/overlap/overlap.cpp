#include "haptos/contact/live/overlap/overlap.h"

#include <algorithm>

namespace haptos {
namespace {

// Polygons of less than this part of the base's area are slivers that rounding makes.
constexpr double kSliver = 1e-14;

OverlapCorner between(const OverlapCorner& p, const OverlapCorner& q, double t) {
  const auto mix = [t](double a, double b) { return a + t * (b - a); };
  return {mix(p.u, q.u), mix(p.v, q.v), mix(p.gap, q.gap), mix(p.beta, q.beta),
          mix(p.beta2, q.beta2)};
}

// Keeps the part of the polygon where side(corner) >= 0, a linear function.
template <class Side>
void clip(Overlap& polygon, const Side& side) {
  double s[8];
  bool all = true;
  for (int i = 0; i < polygon.count; ++i) {
    s[i] = side(polygon.corner[i]);
    all = all && s[i] >= 0;
  }
  if (all) return;
  Overlap kept;
  // A convex polygon gains one corner at most; of a sliver that rounding has bent there is no area.
  const auto keep = [&](const OverlapCorner& c) {
    if (kept.count < 8) kept.corner[kept.count++] = c;
  };
  for (int i = 0; i < polygon.count; ++i) {
    const int j = i + 1 < polygon.count ? i + 1 : 0;
    if (s[i] >= 0) keep(polygon.corner[i]);
    if ((s[i] < 0) != (s[j] < 0))
      keep(between(polygon.corner[i], polygon.corner[j], s[i] / (s[i] - s[j])));
  }
  polygon = kept;
}

}  // namespace

double part_of_base(const Overlap& p) {
  double sum = 0;
  for (int i = 2; i < p.count; ++i)
    sum += (p.corner[i - 1].u - p.corner[0].u) * (p.corner[i].v - p.corner[0].v) -
           (p.corner[i].u - p.corner[0].u) * (p.corner[i - 1].v - p.corner[0].v);
  return sum;
}

BaseFrame::BaseFrame(const Vec3d& a_, const Vec3d& b, const Vec3d& c) : a(a_) {
  const Vec3d e = b - a, f = c - a, normal = cross(e, f);
  twice_area = norm(normal);
  if (!(twice_area > 0)) {
    n = du = dv = Vec3d::zero();
    return;
  }
  n = normal * (1 / twice_area);
  du = cross(f, n) * (1 / twice_area);
  dv = cross(n, e) * (1 / twice_area);
}

Overlap overlap(const BaseFrame& base, const Vec3d (&x)[3], double support) {
  Overlap p;
  double g[3], u[3], v[3];
  for (int i = 0; i < 3; ++i) g[i] = dot(base.n, x[i] - base.a);
  if (std::min({g[0], g[1], g[2]}) >= support || std::max({g[0], g[1], g[2]}) <= 0) return p;
  for (int i = 0; i < 3; ++i) u[i] = dot(base.du, x[i] - base.a);
  if (std::max({u[0], u[1], u[2]}) <= 0 || std::min({u[0], u[1], u[2]}) >= 1) return p;
  for (int i = 0; i < 3; ++i) v[i] = dot(base.dv, x[i] - base.a);
  if (std::max({v[0], v[1], v[2]}) <= 0) return p;
  // Facing: the projection runs the other way round.
  if (!((u[1] - u[0]) * (v[2] - v[0]) - (u[2] - u[0]) * (v[1] - v[0]) < -kSliver)) return p;
  p.count = 3;
  for (int i = 0; i < 3; ++i)
    p.corner[i] = {u[2 - i], v[2 - i], g[2 - i], i == 1 ? 1.0 : 0.0, i == 0 ? 1.0 : 0.0};
  clip(p, [](const OverlapCorner& c) { return c.u; });
  clip(p, [](const OverlapCorner& c) { return c.v; });
  clip(p, [](const OverlapCorner& c) { return 1 - c.u - c.v; });
  clip(p, [support](const OverlapCorner& c) { return support - c.gap; });
  clip(p, [](const OverlapCorner& c) { return c.gap; });
  if (!(part_of_base(p) > kSliver)) p.count = 0;
  return p;
}

}  // namespace haptos
