// Pairs of triangles for tests of their distance, common and hard, and a reference for it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "haptos/geometry/query/closest.h"
#include "haptos/geometry/query/double_double.h"
#include "haptos/geometry/query/exact.h"

namespace haptos {

struct TwoTriangles {
  Vec3d a[3], b[3];

  /// The largest difference of coordinates [m], what errors are measured by.
  double size() const {
    double lo[3], hi[3], most = 0;
    for (int c = 0; c < 3; ++c) {
      lo[c] = hi[c] = a[0][c];
      for (int k = 0; k < 3; ++k) {
        lo[c] = std::min({lo[c], a[k][c], b[k][c]});
        hi[c] = std::max({hi[c], a[k][c], b[k][c]});
      }
      most = std::max(most, hi[c] - lo[c]);
    }
    return most;
  }
};

/// Makes pairs of every kind from a seed.
class TrianglePairs {
 public:
  static constexpr int kKinds = 15;

  explicit TrianglePairs(unsigned seed) : rng_(seed) {}

  double between(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(rng_);
  }
  /// 10^x, x even in [lo, hi].
  double power(double lo, double hi) { return std::pow(10.0, between(lo, hi)); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(rng_); }
  Vec3d point(double r) { return {{between(-r, r), between(-r, r), between(-r, r)}}; }
  Vec3d direction() { return normalized(point(1) + Vec3d{{1e-3, 0, 0}}); }

  TwoTriangles make(int kind) {
    TwoTriangles p = plain(kind);
    if (below(2)) scale(p, power(-4, 3), point(1));
    shuffle(p);
    return p;
  }

 private:
  static Vec3d mix(const Vec3d (&x)[3], double u, double v) {
    return x[0] * (1 - u - v) + x[1] * u + x[2] * v;
  }
  /// A point inside the face, on an edge or at a corner.
  Vec3d somewhere_on(const Vec3d (&x)[3]) {
    const int k = below(3);
    const double s = between(0, 1), t = between(0, 1);
    const int what = below(3);
    if (what == 0) return x[k];
    if (what == 1) return x[k] * (1 - s) + x[(k + 1) % 3] * s;
    return mix(x, std::min(s, 1 - s) * t, std::min(s, 1 - s) * (1 - t));
  }
  void scale(TwoTriangles& p, double s, const Vec3d& shift) {
    for (auto* x : {p.a, p.b})
      for (int k = 0; k < 3; ++k) x[k] = (x[k] + shift) * s;
  }
  void shuffle(TwoTriangles& p) {
    std::shuffle(p.a, p.a + 3, rng_);
    std::shuffle(p.b, p.b + 3, rng_);
    if (below(2)) std::swap(p.a, p.b);
  }
  /// A triangle of length about 1 that is `width` wide.
  void needle(Vec3d (&x)[3], double width) {
    const Vec3d e = direction() * between(0.5, 1), side = cross(e, direction()) * width;
    x[0] = point(0.5);
    x[1] = x[0] + e;
    x[2] = x[0] + e * between(-0.2, 1.2) + side;
  }
  TwoTriangles plain(int kind);

  std::mt19937_64 rng_;
};

inline TwoTriangles TrianglePairs::plain(int kind) {
  TwoTriangles p;
  for (int k = 0; k < 3; ++k) p.a[k] = point(1), p.b[k] = point(1);
  const Vec3d e = p.a[1] - p.a[0];
  const Vec3d n = normalized(cross(e, p.a[2] - p.a[0]));
  const Vec3d in_plane = p.a[2] - p.a[0];
  switch (kind) {
    case 0:  // anywhere: about a quarter cross
      break;
    case 1:  // apart
      for (Vec3d& y : p.b) y += Vec3d{{2, between(0, 3), 0}};
      break;
    case 2: {  // touching at a corner, or near it by a tiny gap
      const Vec3d shift = somewhere_on(p.a) - somewhere_on(p.b);
      for (Vec3d& y : p.b) y += shift + n * (below(2) ? power(-16, -3) : 0);
      break;
    }
    case 3: {  // parallel faces
      const double gap = below(4) ? power(-12, 0) : 0;
      for (Vec3d& y : p.b) y = p.a[0] + e * between(-1, 2) + in_plane * between(-1, 2) + n * gap;
      break;
    }
    case 4: {  // in one plane along the axes, so exactly
      const int axis = below(3);
      for (int k = 0; k < 3; ++k) p.a[k][axis] = 0.25, p.b[k][axis] = below(2) ? 0.25 : 0.5;
      break;
    }
    case 5:  // needles
      needle(p.a, power(-17, -1));
      if (below(2)) needle(p.b, power(-17, -1));
      break;
    case 6:  // segments and points
      if (below(2)) p.a[2] = below(2) ? p.a[0] : somewhere_on(p.a);
      if (below(2)) p.b[1] = p.b[2];
      if (below(4) == 0) p.a[0] = p.a[1] = p.a[2];
      if (below(4) == 0) p.b[0] = p.b[1] = p.b[2];
      break;
    case 7: {  // common corners: one, two, or all
      const int common = 1 + below(3);
      for (int k = 0; k < common; ++k) p.b[k] = p.a[k];
      break;
    }
    case 8: {  // parallel edges, side by side or one after the other, faces turned outward
      const Vec3d side = direction() * (below(3) ? power(-8, 0) : 0);
      p.b[0] = p.a[0] + e * between(-1.5, 1.5) + side;
      p.b[1] = p.b[0] + e * between(-2, 2);
      p.b[2] = p.b[0] + side - in_plane * between(0.1, 1) + n * between(0, 1);
      break;
    }
    case 9: {  // edges that cross at any small angle and gap
      const Vec3d m = somewhere_on(p.a) + n * (below(2) ? power(-12, -1) : 0);
      const Vec3d f = e * between(0.5, 2) + direction() * power(-16, -1);
      p.b[0] = m - f * between(0, 1);
      p.b[1] = p.b[0] + f;
      p.b[2] = m + n * between(0.1, 1) + direction() * 0.05;
      break;
    }
    case 10: {  // a needle that is pierced, or nearly
      const double width = power(-14, -1);
      needle(p.b, width);
      const Vec3d through = mix(p.b, 0.3, 0.4), d = direction();
      p.a[0] = through + d * power(-14, 0);
      p.a[1] = through - d * power(-14, 0) * (below(2) ? 1 : -1);
      break;
    }
    case 11:  // large and small
      for (Vec3d& y : p.b) y = somewhere_on(p.a) + point(power(-6, -2));
      break;
    case 12: {  // whole numbers, so that much is exactly parallel, touching or equal
      for (auto* x : {p.a, p.b})
        for (int k = 0; k < 3; ++k) x[k] = {{double(below(4)), double(below(4)), double(below(4))}};
      break;
    }
    case 13: {  // before and behind the tip of a needle, in its plane and near it
      needle(p.b, power(-16, -2));
      const Vec3d along = p.b[1] - p.b[0], across = normalized(cross(along, direction()));
      p.a[0] = p.b[below(3)] + along * (power(-15, -0.5) * (below(2) ? 1 : -1)) +
               across * (below(2) ? power(-17, -2) : 0);
      const Vec3d back = across * between(0.2, 1) + along * between(-0.3, 0.3);
      p.a[1] = p.a[0] + back + point(0.1), p.a[2] = p.a[0] + back + point(0.1);
      break;
    }
    default:  // far apart
      for (Vec3d& y : p.b) y += direction() * power(1, 4);
  }
  return p;
}

/// Distance of one case, with its features.
struct ReferenceCase {
  DoubleDouble square;
  int feature_a, feature_b;
};

inline Vec3<DoubleDouble> wide(const Vec3d& x) { return {{x[0], x[1], x[2]}}; }

/// The PtRegion of a point of edge k of a triangle: 0 inside, 1 at its start, 2 at its end.
inline int edge_region(int k, int where) {
  return where == 0 ? 1 + k : 4 + (where == 1 ? k : (k + 1) % 3);
}

/// All corners over the other triangle and all pairs of edges, each on its own and in double-double
/// (31 digits), so nothing is shared with the kernel.
inline std::array<ReferenceCase, 15> reference_cases(const TwoTriangles& p) {
  std::array<ReferenceCase, 15> out;
  Vec3<DoubleDouble> x[3], y[3];
  for (int k = 0; k < 3; ++k) x[k] = wide(p.a[k]), y[k] = wide(p.b[k]);
  int n = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const auto c = closest_on_segments(x[i], x[(i + 1) % 3], y[j], y[(j + 1) % 3]);
      const DoubleDouble one(1);
      const auto gap =
          x[i] * (one - c.s) + x[(i + 1) % 3] * c.s - y[j] * (one - c.t) - y[(j + 1) % 3] * c.t;
      constexpr int kAt[9][2] = {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {0, 2},
                                 {1, 1}, {1, 2}, {2, 1}, {2, 2}};
      const auto& at = kAt[static_cast<int>(c.region.hi)];
      out[n++] = {dot(gap, gap), edge_region(i, at[0]), edge_region(j, at[1])};
    }
  for (int k = 0; k < 3; ++k) {
    const auto ca = closest_on_triangle(x[k], y[0], y[1], y[2]);
    const auto ga = x[k] - y[0] * ca.beta[0] - y[1] * ca.beta[1] - y[2] * ca.beta[2];
    out[n++] = {dot(ga, ga), 4 + k, static_cast<int>(ca.region.hi)};
    const auto cb = closest_on_triangle(y[k], x[0], x[1], x[2]);
    const auto gb = y[k] - x[0] * cb.beta[0] - x[1] * cb.beta[1] - x[2] * cb.beta[2];
    out[n++] = {dot(gb, gb), static_cast<int>(cb.region.hi), 4 + k};
  }
  return out;
}

/// The distance [m]: zero where exact arithmetic finds a common point.
inline double reference_distance(const TwoTriangles& p,
                                 const std::array<ReferenceCase, 15>& cases) {
  if (triangles_intersect(p.a[0], p.a[1], p.a[2], p.b[0], p.b[1], p.b[2])) return 0;
  DoubleDouble least = cases[0].square;
  for (const ReferenceCase& c : cases)
    if (c.square < least) least = c.square;
  return sqrt(least).hi;
}

}  // namespace haptos
