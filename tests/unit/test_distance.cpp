// Closest points, distances and their derivatives, region by region. Differences are taken in
// double-double, so they are exact enough to test gaps far below the edge length.
#include "haptos/geometry/query/distance.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "haptos/base/math/lanes.h"
#include "haptos/geometry/query/double_double.h"

namespace haptos {
namespace {

template <class T>
using Points = std::array<Vec3<T>, 4>;
using Pack8 = Pack<double, 8>;

struct PointTriangleKind {
  static constexpr int kRegions = 7, kFirst = 1;  // kFirst: points that move with the first feature
  template <class T>
  static Stencil<T> stencil(const Points<T>& x) {
    return point_triangle_stencil(x[0], x[1], x[2], x[3]);
  }
};
struct EdgeEdgeKind {
  static constexpr int kRegions = 9, kFirst = 2;
  template <class T>
  static Stencil<T> stencil(const Points<T>& x) {
    return edge_edge_stencil(x[0], x[1], x[2], x[3]);
  }
};

template <class To>
Points<To> convert(const Points<double>& x) {
  Points<To> y;
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c) y[i][c] = To(x[i][c]);
  return y;
}

Points<double> random_points(std::mt19937& rng, double scale) {
  std::uniform_real_distribution<double> u(-scale, scale);
  Points<double> x;
  for (auto& p : x) p = {{u(rng), u(rng), u(rng)}};
  return x;
}

/// Random points whose closest pair lies in every region `per_region` times, moved along the
/// separation, which keeps the region, until d is `gap` (left as they are for gap = 0).
template <class Kind>
std::vector<Points<double>> in_every_region(int per_region, double scale, double gap) {
  std::mt19937 rng(7);
  std::vector<int> count(Kind::kRegions, 0);
  std::vector<Points<double>> out;
  for (int tries = 0; tries < 200000; ++tries) {
    Points<double> x = random_points(rng, scale);
    const Stencil<double> st = Kind::stencil(x);
    const int region = static_cast<int>(st.region);
    // Away from the borders of the regions, where the Hessian jumps.
    bool clear = st.d > 0.05 * scale;
    for (int i = 0; i < 4; ++i) {
      const double w = std::abs(st.w[i]);
      clear = clear && (w == 0 || w == 1 || (w > 0.05 && w < 0.95));
    }
    Points<double> y = x;
    for (int k = 0; k < 12; ++k) {
      y[k / 3][k % 3] += 1e-3 * scale * ((k * 7) % 5 - 2);
    }
    clear = clear && static_cast<int>(Kind::stencil(y).region) == region;
    if (!clear || count[region] >= per_region) continue;
    ++count[region];
    if (gap > 0)
      for (int i = 0; i < Kind::kFirst; ++i) x[i] += st.n * (gap - st.d);
    out.push_back(x);
  }
  for (int r = 0; r < Kind::kRegions; ++r) EXPECT_EQ(count[r], per_region) << "region " << r;
  return out;
}

/// Largest errors of gradient and Hessian against central differences in double-double, relative
/// to the largest entry.
template <class Kind>
std::array<double, 3> derivative_errors(const Points<double>& x) {
  const Stencil<double> st = Kind::stencil(x);
  const Vec<double, 12> g = distance_gradient(st);
  const Mat<double, 12, 12> h = distance_hessian(st, x[0], x[1], x[2], x[3]);
  const double edge = norm(x[3] - x[2]);
  const DoubleDouble step = 1e-6 * std::min(st.d, edge);
  double eg = 0, eh = 0, hmax = 0;
  for (int k = 0; k < 12; ++k) {
    Points<DoubleDouble> a = convert<DoubleDouble>(x), b = a;
    a[k / 3][k % 3] += step;
    b[k / 3][k % 3] -= step;
    const auto sa = Kind::stencil(a), sb = Kind::stencil(b);
    EXPECT_EQ(sa.region.hi, st.region);
    EXPECT_EQ(sb.region.hi, st.region);
    const DoubleDouble scale = DoubleDouble(0.5) / step;
    eg = std::max(eg, std::abs(((sa.d - sb.d) * scale).hi - g[k]));
    const auto ga = distance_gradient(sa), gb = distance_gradient(sb);
    for (int i = 0; i < 12; ++i) {
      eh = std::max(eh, std::abs(((ga[i] - gb[i]) * scale).hi - h(i, k)));
      hmax = std::max(hmax, std::abs(h(i, k)));
    }
  }
  const double exact = Kind::stencil(convert<DoubleDouble>(x)).d.hi;
  return {eg, hmax > 0 ? eh / hmax : eh, std::abs(st.d - exact) / exact};
}

template <class Kind>
void check_derivatives(double scale, double gap, double tol_g, double tol_h, double tol_d) {
  std::vector<double> eg(Kind::kRegions), eh(Kind::kRegions), ed(Kind::kRegions);
  for (const auto& x : in_every_region<Kind>(10, scale, gap)) {
    const int r = static_cast<int>(Kind::stencil(x).region);
    const auto e = derivative_errors<Kind>(x);
    eg[r] = std::max(eg[r], e[0]);
    eh[r] = std::max(eh[r], e[1]);
    ed[r] = std::max(ed[r], e[2]);
  }
  for (int r = 0; r < Kind::kRegions; ++r) {
    EXPECT_LT(eg[r], tol_g) << "gradient, region " << r << " scale " << scale << " gap " << gap;
    EXPECT_LT(eh[r], tol_h) << "Hessian, region " << r << " scale " << scale << " gap " << gap;
    EXPECT_LT(ed[r], tol_d) << "distance, region " << r << " scale " << scale << " gap " << gap;
  }
}

/// Optimality of a closest pair of convex features: no vertex lies nearer along the separation.
template <class Kind>
double optimality_error(const Points<double>& x) {
  const Stencil<double> st = Kind::stencil(x);
  double worst = std::abs(st.w[0] + st.w[1] + st.w[2] + st.w[3]);
  for (int i = 0; i < Kind::kFirst; ++i)
    for (int j = Kind::kFirst; j < 4; ++j) worst = std::max(worst, st.d - dot(st.n, x[i] - x[j]));
  for (int i = 0; i < 4; ++i) worst = std::max(worst, i < Kind::kFirst ? -st.w[i] : st.w[i]);
  return worst;
}

template <class Kind>
void check_lanes() {
  std::mt19937 rng(11);
  for (int round = 0; round < 200; ++round) {
    Points<double> lane[8];
    Points<Pack8> x;
    for (int k = 0; k < 8; ++k) {
      lane[k] = random_points(rng, 1.0);
      if (k == 5) lane[k][3] = lane[k][2];  // a feature without extent rides along
      for (int i = 0; i < 4; ++i)
        for (int c = 0; c < 3; ++c) x[i][c].set(k, lane[k][i][c]);
    }
    const Stencil<Pack8> st = Kind::stencil(x);
    const auto g = distance_gradient(st);
    const auto h = distance_hessian(st, x[0], x[1], x[2], x[3]);
    for (int k = 0; k < 8; ++k) {
      const Points<double>& y = lane[k];
      const Stencil<double> s = Kind::stencil(y);
      const auto gs = distance_gradient(s);
      const auto hs = distance_hessian(s, y[0], y[1], y[2], y[3]);
      ASSERT_EQ(st.d[k], s.d);
      ASSERT_EQ(st.region[k], s.region);
      for (int i = 0; i < 12; ++i) ASSERT_EQ(g[i][k], gs[i]);
      for (int i = 0; i < 144; ++i) ASSERT_EQ(h[i][k], hs[i]);
    }
  }
}

/// Forces sum to zero, turning all points turns the gradient, and size scales as it must.
template <class Kind>
void check_invariance() {
  const double a = 0.7, c = std::cos(a), s = std::sin(a);
  const Mat3d turn = Mat3d{{c, -s, 0, s, c, 0, 0, 0, 1}} * Mat3d{{1, 0, 0, 0, c, -s, 0, s, c}};
  const Vec3d shift{{3, -2, 1}};
  for (const auto& x : in_every_region<Kind>(5, 1.0, 0)) {
    Points<double> y, z;
    for (int i = 0; i < 4; ++i) y[i] = turn * x[i] + shift, z[i] = x[i] * 1e-3;
    const auto sx = Kind::stencil(x), sy = Kind::stencil(y), sz = Kind::stencil(z);
    EXPECT_EQ(sx.region, sy.region);
    EXPECT_EQ(sx.region, sz.region);
    EXPECT_NEAR(sx.d, sy.d, 1e-13);
    EXPECT_NEAR(sx.d, sz.d * 1e3, 1e-13);
    EXPECT_LT(norm(turn * sx.n - sy.n), 1e-12);
    const auto hx = distance_hessian(sx, x[0], x[1], x[2], x[3]);
    const auto hz = distance_hessian(sz, z[0], z[1], z[2], z[3]);
    double size = 0;
    for (int i = 0; i < 144; ++i) size = std::max(size, std::abs(hx[i]));
    for (int i = 0; i < 144; ++i) EXPECT_NEAR(hx[i], hz[i] * 1e-3, 1e-10 * (1 + size));
    // H (omega x x) = omega x g, row by row, and H applied to a translation is zero.
    const Vec3d omega{{0.3, -0.5, 0.9}};
    Vec3d torque = Vec3d::zero();
    for (int i = 0; i < 4; ++i) {
      torque += cross(x[i], sx.n * sx.w[i]);
      const Vec3d expected = cross(omega, sx.n * sx.w[i]);
      for (int r = 0; r < 3; ++r) {
        double turned = 0, moved = 0;
        for (int j = 0; j < 4; ++j) {
          const Vec3d v = cross(omega, x[j]);
          for (int k = 0; k < 3; ++k) {
            turned += hx(3 * i + r, 3 * j + k) * v[k];
            moved += hx(3 * i + r, 3 * j + k) * shift[k];
          }
        }
        EXPECT_NEAR(turned, expected[r], 1e-11 * (1 + size));
        EXPECT_NEAR(moved, 0, 1e-11 * (1 + size));
      }
    }
    EXPECT_LT(norm(torque), 1e-12);
  }
}

TEST(PointTriangle, RegionsAreNamedAsDeclared) {
  const Vec3d a{{0, 0, 0}}, b{{4, 0, 0}}, c{{0, 4, 0}};
  const auto region = [&](double x, double y) {
    return static_cast<PtRegion>(closest_on_triangle(Vec3d{{x, y, 0.5}}, a, b, c).region);
  };
  EXPECT_EQ(region(1, 1), PtRegion::face);
  EXPECT_EQ(region(2, -1), PtRegion::edge01);
  EXPECT_EQ(region(3, 3), PtRegion::edge12);
  EXPECT_EQ(region(-1, 2), PtRegion::edge20);
  EXPECT_EQ(region(-1, -1), PtRegion::vertex0);
  EXPECT_EQ(region(6, -1), PtRegion::vertex1);
  EXPECT_EQ(region(-1, 6), PtRegion::vertex2);
}

TEST(PointTriangle, ClosestPairIsOptimalAndNoSampleIsNearer) {
  std::mt19937 rng(3);
  double worst = 0;
  for (int i = 0; i < 20000; ++i)
    worst = std::max(worst, optimality_error<PointTriangleKind>(random_points(rng, 1.0)));
  EXPECT_LT(worst, 1e-12);
  for (int i = 0; i < 20; ++i) {
    const auto x = random_points(rng, 1.0);
    const double d = PointTriangleKind::stencil(x).d;
    double sampled = 1e9;
    for (int u = 0; u <= 200; ++u)
      for (int v = 0; u + v <= 200; ++v) {
        const Vec3d y = x[1] + (x[2] - x[1]) * (u / 200.0) + (x[3] - x[1]) * (v / 200.0);
        sampled = std::min(sampled, norm(x[0] - y));
      }
    EXPECT_LE(d, sampled + 1e-14);
    EXPECT_NEAR(d, sampled, 0.02);
  }
}

TEST(PointTriangle, DerivativesMatchDifferencesInEveryRegion) {
  for (double scale : {1e-3, 1.0, 1e3})
    check_derivatives<PointTriangleKind>(scale, 0, 1e-8, 1e-6, 1e-13);
}

TEST(PointTriangle, DerivativesHoldAtGapsFarBelowTheEdgeLength) {
  check_derivatives<PointTriangleKind>(1e-3, 1e-6, 1e-6, 1e-4, 1e-12);
  check_derivatives<PointTriangleKind>(1e-3, 1e-9, 1e-6, 1e-4, 1e-9);
}

TEST(PointTriangle, KeepsItsInvariances) { check_invariance<PointTriangleKind>(); }

TEST(PointTriangle, EveryLaneEqualsTheScalarBitForBit) { check_lanes<PointTriangleKind>(); }

TEST(PointTriangle, DegenerateTrianglesAreSegmentsAndPoints) {
  const Vec3d p{{1, 2, 0}}, a{{0, 0, 0}}, b{{4, 0, 0}}, mid{{1.5, 0, 0}};
  EXPECT_DOUBLE_EQ(point_triangle_stencil(p, a, b, mid).d, 2.0);
  EXPECT_DOUBLE_EQ(point_triangle_stencil(p, b, mid, a).d, 2.0);
  EXPECT_DOUBLE_EQ(point_triangle_stencil(p, a, a, a).d, std::sqrt(5.0));
  const auto st = point_triangle_stencil(mid, a, b, p);  // touching
  EXPECT_EQ(st.d, 0.0);
  const auto h = distance_hessian(st, mid, a, b, p);
  for (int i = 0; i < 12; ++i) EXPECT_EQ(distance_gradient(st)[i], 0.0);
  for (int i = 0; i < 144; ++i) EXPECT_EQ(std::abs(h[i]), 0.0);
}

TEST(EdgeEdge, RegionsAreNamedAsDeclared) {
  const Vec3d p0{{-1, 0, 0}}, p1{{1, 0, 0}};
  const auto region = [&](Vec3d q0, Vec3d q1) {
    return static_cast<EeRegion>(closest_on_segments(p0, p1, q0, q1).region);
  };
  EXPECT_EQ(region({{0, -1, 1}}, {{0, 1, 1}}), EeRegion::interior);
  EXPECT_EQ(region({{-2, -1, 1}}, {{-2, 1, 1}}), EeRegion::p0_q);
  EXPECT_EQ(region({{2, -1, 1}}, {{2, 1, 1}}), EeRegion::p1_q);
  EXPECT_EQ(region({{0, 1, 1}}, {{0, 2, 1}}), EeRegion::p_q0);
  EXPECT_EQ(region({{0, 2, 1}}, {{0, 1, 1}}), EeRegion::p_q1);
  EXPECT_EQ(region({{-2, 1, 1}}, {{-3, 2, 1}}), EeRegion::p0_q0);
  EXPECT_EQ(region({{-3, 2, 1}}, {{-2, 1, 1}}), EeRegion::p0_q1);
  EXPECT_EQ(region({{2, 1, 1}}, {{3, 2, 1}}), EeRegion::p1_q0);
  EXPECT_EQ(region({{3, 2, 1}}, {{2, 1, 1}}), EeRegion::p1_q1);
}

TEST(EdgeEdge, ClosestPairIsOptimal) {
  std::mt19937 rng(5);
  double worst = 0;
  for (int i = 0; i < 20000; ++i)
    worst = std::max(worst, optimality_error<EdgeEdgeKind>(random_points(rng, 1.0)));
  EXPECT_LT(worst, 1e-12);
}

TEST(EdgeEdge, DerivativesMatchDifferencesInEveryRegion) {
  for (double scale : {1e-3, 1.0, 1e3})
    check_derivatives<EdgeEdgeKind>(scale, 0, 1e-8, 1e-6, 1e-13);
}

TEST(EdgeEdge, DerivativesHoldAtGapsFarBelowTheEdgeLength) {
  check_derivatives<EdgeEdgeKind>(1e-3, 1e-6, 1e-6, 1e-4, 1e-12);
  check_derivatives<EdgeEdgeKind>(1e-3, 1e-9, 1e-6, 1e-4, 1e-9);
}

TEST(EdgeEdge, KeepsItsInvariances) { check_invariance<EdgeEdgeKind>(); }

TEST(EdgeEdge, EveryLaneEqualsTheScalarBitForBit) { check_lanes<EdgeEdgeKind>(); }

TEST(EdgeEdge, ParallelAndPointEdgesHaveTheRightDistance) {
  std::mt19937 rng(9);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int i = 0; i < 2000; ++i) {
    const Vec3d p0{{u(rng), u(rng), u(rng)}}, e{{u(rng), u(rng), u(rng)}};
    Vec3d side = cross(e, Vec3d{{u(rng), u(rng), u(rng)}});
    side = side * (0.1 / norm(side));
    // q runs along p from parameter lo to hi, and the gap in that direction is known.
    const double lo = 3 * u(rng), hi = 3 * u(rng);
    const double along = norm(e) * std::max({0.0, std::min(lo, hi) - 1, -std::max(lo, hi)});
    const auto st = edge_edge_stencil(p0, p0 + e, p0 + side + e * lo, p0 + side + e * hi);
    EXPECT_NEAR(st.d, std::hypot(0.1, along), 1e-14);
    EXPECT_NE(static_cast<EeRegion>(st.region), EeRegion::interior);
  }
  const Vec3d p{{1, 1, 0}}, a{{0, 0, 0}}, b{{2, 0, 0}};
  EXPECT_DOUBLE_EQ(edge_edge_stencil(p, p, a, b).d, 1.0);
  EXPECT_DOUBLE_EQ(edge_edge_stencil(a, b, p, p).d, 1.0);
  EXPECT_DOUBLE_EQ(edge_edge_stencil(p, p, a, a).d, std::sqrt(2.0));
  EXPECT_EQ(edge_edge_stencil(a, b, a, b).d, 0.0);
}

TEST(EdgeEdge, NearlyParallelEdgesKeepTheirDistanceToRounding) {
  // Edges that cross at height 1e-9 m and angle `tilt`: the distance is the height at any angle.
  for (double tilt = 1e-2; tilt > 1e-12; tilt *= 0.1) {
    const Vec3d p0{{-1e-3, 0, 0}}, p1{{1e-3, 0, 0}};
    const Vec3d q0{{-1e-3, -1e-3 * tilt, 1e-9}}, q1{{1e-3, 1e-3 * tilt, 1e-9}};
    EXPECT_NEAR(edge_edge_stencil(p0, p1, q0, q1).d, 1e-9, 1e-15) << tilt;
  }
}

TEST(Mollifier, DerivativesMatchDifferencesAndVanishForParallelEdges) {
  std::mt19937 rng(13);
  for (int i = 0; i < 50; ++i) {
    auto x = random_points(rng, 1.0);
    if (i % 2) x[3] = x[2] + (x[1] - x[0]) * 1.3 + random_points(rng, 0.02)[0];
    const double c = squared_norm(cross(x[1] - x[0], x[3] - x[2])), eps = i % 3 ? 2 * c : 0.5 * c;
    const auto f = edge_edge_mollifier_derivatives(x[0], x[1], x[2], x[3], eps);
    const auto at = [&](int k, double s) {
      auto y = convert<DoubleDouble>(x);
      y[k / 3][k % 3] += DoubleDouble(s);
      return edge_edge_mollifier_derivatives(y[0], y[1], y[2], y[3], DoubleDouble(eps));
    };
    const double h = 1e-7;
    double gmax = 0, hmax = 0;
    for (int k = 0; k < 12; ++k) gmax = std::max(gmax, std::abs(f.gradient[k]));
    for (int k = 0; k < 144; ++k) hmax = std::max(hmax, std::abs(f.hessian[k]));
    for (int k = 0; k < 12; ++k) {
      const auto a = at(k, h), b = at(k, -h);
      EXPECT_NEAR(f.gradient[k], (a.value - b.value).hi / (2 * h), 1e-8 * (1 + gmax));
      for (int j = 0; j < 12; ++j)
        EXPECT_NEAR(f.hessian(j, k), (a.gradient[j] - b.gradient[j]).hi / (2 * h),
                    1e-8 * (1 + hmax));
    }
    EXPECT_EQ(f.value == 1.0, i % 3 == 0);
  }
  const Vec3d o{{0, 0, 0}}, e{{1, 0, 0}}, q{{0, 0, 1}};
  EXPECT_EQ(edge_edge_mollifier(o, e, q, q + e, 1e-3).m, 0.0);
  EXPECT_EQ(edge_edge_mollifier_threshold(4.0, 9.0), 1e-3 * 36.0);
}

TEST(Plane, GivesSignedDistanceAndFoot) {
  const Vec3d n{{0, 0.6, 0.8}};
  const auto r = closest_on_plane(Vec3d{{1, 2, 3}}, n, 1.0);
  EXPECT_DOUBLE_EQ(r.distance, 2.6);
  EXPECT_NEAR(dot(n, r.point), 1.0, 1e-15);
  EXPECT_DOUBLE_EQ(closest_on_plane(Vec3d{{0, 0, 0}}, n, 1.0).distance, -1.0);
}

}  // namespace
}  // namespace haptos
