#include "haptos/geometry/convex/gjk.h"

#include "haptos/geometry/query/closest.h"

namespace haptos {
namespace detail {

MinkowskiPoint minkowski(const CorePair& pair, const Vec3d& d, int& hint_a, int& hint_b) {
  MinkowskiPoint m;
  m.a = support(*pair.a, d, hint_a);
  m.b = pair.r * support(*pair.b, -(transpose(pair.r) * d), hint_b) + pair.p;
  m.w = m.a - m.b;
  m.vertex_a = hint_a, m.vertex_b = hint_b;
  return m;
}

namespace {

// The feature that up to four vertices span: a vertex, an edge, else the surface.
std::int64_t spanned(const MinkowskiPoint* s, const double* weight, int count,
                     int MinkowskiPoint::*vertex) {
  int v[4], n = 0;
  for (int i = 0; i < count; ++i) {
    if (!(weight[i] > 0)) continue;
    if (s[i].*vertex < 0) return feature_id(ShapeFeature::kSurface);
    bool seen = false;
    for (int j = 0; j < n; ++j) seen = seen || v[j] == s[i].*vertex;
    if (!seen) v[n++] = s[i].*vertex;
  }
  if (n == 1) return feature_id(ShapeFeature::kVertex, v[0]);
  if (n == 2) return edge_id(v[0], v[1]);
  return feature_id(ShapeFeature::kSurface);
}

}  // namespace

void finish(const CorePair& pair, const MinkowskiPoint* s, const double* weight, int count,
            Witness& out) {
  out.a = out.b = Vec3d::zero();
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += weight[i];
  for (int i = 0; i < count; ++i) {
    out.a += s[i].a * (weight[i] / sum);
    out.b += s[i].b * (weight[i] / sum);
  }
  out.feature_a = spanned(s, weight, count, &MinkowskiPoint::vertex_a);
  out.feature_b = spanned(s, weight, count, &MinkowskiPoint::vertex_b);
  int ha = s[0].vertex_a, hb = s[0].vertex_b;
  const MinkowskiPoint m = minkowski(pair, -out.n, ha, hb);
  out.vertex_a = m.vertex_a, out.vertex_b = m.vertex_b;
}

}  // namespace detail

namespace {

using detail::minkowski;

struct Simplex {
  MinkowskiPoint p[4];
  double weight[4];
  int count = 0;
  Vec3d v;              // nearest point to the origin
  bool inside = false;  // a tetrahedron about the origin
};

// The nearest point of triangle i j k, as weights; also v, from its normal where it is a face.
double nearest_on_triangle(const Simplex& s, int i, int j, int k, Vec3d& weight, Vec3d& v) {
  const Vec3d &a = s.p[i].w, &b = s.p[j].w, &c = s.p[k].w;
  const auto r = closest_on_triangle(Vec3d::zero(), a, b, c);
  weight = r.beta;
  v = a * r.beta[0] + b * r.beta[1] + c * r.beta[2];
  if (r.region == 0) {
    const Vec3d m = cross(b - a, c - a);
    v = m * (dot(m, a) / dot(m, m));
  }
  return squared_norm(v);
}

void keep(Simplex& s, const int* index, const double* weight, int n) {
  MinkowskiPoint p[4];
  int count = 0;
  double w[4];
  for (int k = 0; k < n; ++k)
    if (weight[k] > 0) p[count] = s.p[index[k]], w[count++] = weight[k];
  for (int k = 0; k < count; ++k) s.p[k] = p[k], s.weight[k] = w[k];
  s.count = count;
}

// Reduces the simplex to the part nearest to the origin.
void reduce(Simplex& s) {
  s.inside = false;
  if (s.count == 1) {
    s.weight[0] = 1, s.v = s.p[0].w;
  } else if (s.count == 2) {
    const Vec3d e = s.p[1].w - s.p[0].w;
    const double t = closest_on_segment(Vec3d::zero(), s.p[0].w, s.p[1].w);
    const int index[2] = {0, 1};
    const double w[2] = {1 - t, t};
    s.v = s.p[0].w + e * t;
    keep(s, index, w, 2);
  } else if (s.count == 3) {
    Vec3d w;
    nearest_on_triangle(s, 0, 1, 2, w, s.v);
    const int index[3] = {0, 1, 2};
    keep(s, index, w.a, 3);
  } else {
    constexpr int kFace[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
    const Vec3d o = Vec3d::zero();
    bool inside = true;
    int best = 0;
    double best_d = -1;
    Vec3d best_w = o, best_v = o;
    for (int f = 0; f < 4; ++f) {
      const int* i = kFace[f];
      const Vec3d &a = s.p[i[0]].w, &b = s.p[i[1]].w, &c = s.p[i[2]].w;
      const Vec3d m = cross(b - a, c - a);
      const double here = -dot(m, a), there = dot(m, s.p[i[3]].w - a);
      // A flat tetrahedron holds nothing.
      const double flat = 1e-14 * norm(m) * norm(s.p[i[3]].w - a);
      inside = inside && vabs(there) > flat && (here > 0) == (there > 0) && here != 0;
      Vec3d w, v;
      const double d = nearest_on_triangle(s, i[0], i[1], i[2], w, v);
      if (best_d < 0 || d < best_d) best_d = d, best = f, best_w = w, best_v = v;
    }
    if (inside) {
      s.inside = true;
      return;
    }
    s.v = best_v;
    keep(s, kFace[best], best_w.a, 3);
  }
}

}  // namespace

Witness signed_distance(const CorePair& pair, double limit) {
  constexpr int kIterations = 200;
  const double scale = pair.a->extent + pair.b->extent + norm(pair.p);
  const double touch = 1e-14 * scale;
  Witness out;
  int ha = 0, hb = 0;
  Simplex s;
  Vec3d d = pair.a->middle - (pair.r * pair.b->middle + pair.p);
  if (!(squared_norm(d) > 0)) d = {{1, 0, 0}};
  s.p[0] = minkowski(pair, -d, ha, hb);
  s.count = 1;
  reduce(s);
  Simplex last = s;
  bool overlap = false;
  int iteration = 0;
  for (;; ++iteration) {
    const double vv = squared_norm(s.v), length = sqrt(vv);
    if (length <= touch) {
      overlap = true;
      break;
    }
    if (iteration == kIterations) {
      out.converged = false;
      break;
    }
    const MinkowskiPoint m = minkowski(pair, -s.v, ha, hb);
    const double lower = dot(s.v, m.w);
    if (lower > limit * length) {
      out.beyond = true;
      return out;
    }
    if (vv - lower <= 1e-15 * vv + 4e-16 * scale * length) break;
    bool again = false;
    for (int i = 0; i < s.count; ++i) again = again || squared_norm(m.w - s.p[i].w) == 0;
    if (again) break;
    last = s;
    s.p[s.count++] = m;
    reduce(s);
    if (s.inside) {
      overlap = true;
      break;
    }
    if (!(squared_norm(s.v) < vv)) {
      s = last;  // round-off: the last simplex was the best
      break;
    }
  }
  const bool curved = is_curved(pair.a->core) || is_curved(pair.b->core);
  if (!overlap && curved && squared_norm(s.v) < square(1e-5 * scale)) {
    // So near that round-off may have stopped the walk early: EPA copes with both sides of
    // touching. The larger of the gaps that they prove is the better answer.
    const double length = norm(s.v);
    const double proved = dot(s.v, minkowski(pair, -s.v, ha, hb).w) / length;
    if (length - proved > 1e-3 * length + 1e-14 * scale) {
      const Witness other = detail::penetration(pair, s.p, s.count);
      if (other.distance > proved) return other;
    }
  }
  if (overlap) return detail::penetration(pair, s.p, s.count);
  out.distance = norm(s.v);
  out.n = s.v * (1 / out.distance);
  detail::finish(pair, s.p, s.weight, s.count, out);
  // Nearly touching, v has few digits left. A face of the difference as far away has them all.
  if (out.distance < 1e-5 * scale && !curved) {
    const Witness face = detail::penetration(pair, s.p, s.count);
    if (face.distance >= out.distance - 4e-16 * scale) out.n = face.n;
  }
  if (pair.a->core == Core::kEllipsoid || pair.b->core == Core::kEllipsoid)
    detail::polish(pair, out);
  return out;
}

}  // namespace haptos
