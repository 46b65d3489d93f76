// The law suite on barrier contact, part by part: the scalar law, weights, and every kind of pair
// with every feature, against driven and free colliders. test_barrier_term.cpp holds the whole
// term.
#include "haptos/base/math/clamp_positive.h"
#include "haptos/contact/live/barrier/feature_weight.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/contact/live/pairs/stencil_pair.h"
#include "tests/laws/barrier_cases.h"
#include "tests/laws/law_suite.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::kCorner;
using test::kSupport;
using test::kUnit;
using test::LawCase;
using test::point_in_region;
using test::Random;

double pressure_factor(double t) { return -barrier(t, 1.0).first; }

TEST(BarrierLaw, PressureFactorHasTheTabulatedValues) {
  EXPECT_NEAR(pressure_factor(0.9), 0.0322, 5e-5);
  EXPECT_NEAR(pressure_factor(0.5), 1.193, 5e-4);
  EXPECT_NEAR(pressure_factor(0.25), 4.329, 5e-4);
  EXPECT_NEAR(pressure_factor(0.1), 12.24, 5e-3);
}

TEST(BarrierLaw, DerivativesMatchDifferencesOverTheWholeSupport) {
  for (double t = 1e-4; t < 0.99; t *= 1.1) {
    const double h = 1e-5 * t;
    const BarrierValue<double> b = barrier(t, 1.0), up = barrier(t + h, 1.0),
                               down = barrier(t - h, 1.0);
    EXPECT_NEAR((up.value - down.value) / (2 * h), b.first, 1e-7 * std::abs(b.first)) << t;
    EXPECT_NEAR((up.first - down.first) / (2 * h), b.second, 1e-7 * b.second) << t;
  }
}

TEST(BarrierLaw, FallsIsConvexAndJoinsZeroTwiceDifferentiably) {
  double last = 1e300;
  for (int i = 1; i < 1000; ++i) {
    const BarrierValue<double> b = barrier(i / 1000.0, 1.0);
    EXPECT_GT(b.value, 0);
    EXPECT_LT(b.first, 0);
    EXPECT_GT(b.second, 0);
    EXPECT_LT(b.value, last);
    last = b.value;
  }
  const BarrierValue<double> near = barrier(1 - 1e-6, 1.0), at = barrier(1.0, 1.0),
                             beyond = barrier(7.0, 1.0);
  // To leading order (1 - t)^3, -3 (1 - t)^2, 6 (1 - t).
  EXPECT_NEAR(near.value / 1e-18, 1, 1e-3);
  EXPECT_NEAR(near.first / -3e-12, 1, 1e-3);
  EXPECT_NEAR(near.second / 6e-6, 1, 1e-3);
  for (const BarrierValue<double>& b : {at, beyond}) {
    EXPECT_EQ(b.value, 0);
    EXPECT_EQ(b.first, 0);
    EXPECT_EQ(b.second, 0);
  }
}

TEST(BarrierLaw, ScalesWithTheSupport) {
  // B(s g; s d) = s^2 B(g; d).
  for (double t : {0.05, 0.3, 0.8}) {
    const BarrierValue<double> one = barrier(t, 1.0), small = barrier(t * 2e-5, 2e-5);
    EXPECT_NEAR(small.value / (4e-10 * one.value), 1, 1e-12);
    EXPECT_NEAR(small.first / (2e-5 * one.first), 1, 1e-12);
    EXPECT_NEAR(small.second / one.second, 1, 1e-12);
  }
}

TEST(BarrierLaw, LanesEqualScalarsBitForBit) {
  using P = Pack<double, 8>;
  P gap;
  for (int l = 0; l < 8; ++l) gap.set(l, 0.03 + 0.17 * l);  // the last two are beyond the support
  const BarrierValue<P> b = barrier(gap, P(1.0));
  for (int l = 0; l < 8; ++l) {
    const BarrierValue<double> s = barrier(gap[l], 1.0);
    EXPECT_EQ(b.value[l], s.value);
    EXPECT_EQ(b.first[l], s.first);
    EXPECT_EQ(b.second[l], s.second);
  }
}

TEST(ClampPositive, KeepsPositiveMatricesAndRemovesNegativeEigenvalues) {
  Random random(3);
  for (int n = 1; n <= 12; ++n) {
    Eigen::MatrixXd r(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) r(i, j) = random();
    for (const bool positive : {true, false}) {
      const Eigen::MatrixXd a = positive ? (r * r.transpose()).eval() : (r + r.transpose()).eval();
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> s(a);
      const Eigen::MatrixXd expected = s.eigenvectors() * s.eigenvalues().cwiseMax(0).asDiagonal() *
                                       s.eigenvectors().transpose();
      Mat<double, 12, 12> m = Mat<double, 12, 12>::zero();
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) m(i, j) = a(i, j);
      clamp_positive_block(m, n);
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) EXPECT_NEAR(m(i, j), expected(i, j), 1e-12 * n) << n;
    }
  }
}

TEST(FeatureWeight, IsWhatSamplesOfASpacingMissOfARoof) {
  // A roof of slope tan(a): sharpness of the ridge sin^2(a), of a corner with that tilt 1 - cos(a).
  for (const double a : {0.001, 0.05, 0.6, 1.4})
    for (const double spacing : {1e-5, 3e-4}) {
      const double r = spacing * std::tan(a) / (2 * 2e-5), w = r * r / (1 + r * r);
      EXPECT_NEAR(edge_weight(square(std::sin(a)), spacing, 2e-5) / w, 1, 1e-9);
      EXPECT_NEAR(vertex_weight(1 - std::cos(a), spacing, 2e-5) / w, 1, 1e-9);
    }
  EXPECT_EQ(edge_weight(1, 1e-4, 2e-5), 1);  // a rim or a needle
  EXPECT_EQ(vertex_weight(1, 1e-4, 2e-5), 1);
  EXPECT_EQ(edge_weight(0, 1e-4, 2e-5), 0);  // flat
}

// One pair as a term: the gap follows the points, the feature stays.
class PairTerm final : public Term {
 public:
  explicit PairTerm(const BarrierPair& p) : pair_(p) {}
  const char* name() const override { return "barrier pair"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return false; }
  bool refresh(const Points& points, Sampling) override {
    const Vec3d s = pair_.kind == PairKind::kEdges ? Vec3d::zero() : at(points.x, pair_.source);
    auto x = [&](int p) { return points.x[static_cast<std::size_t>(p)]; };
    const int* t = pair_.target;
    if (pair_.kind == PairKind::kEdges)
      pair_.gap =
          edge_edge_stencil(x(pair_.source.point[0]), x(pair_.source.point[1]), x(t[0]), x(t[1])).d;
    else if (pair_.target_count == 3)
      pair_.gap = point_triangle_stencil(s, x(t[0]), x(t[1]), x(t[2])).d;
    else if (pair_.target_count == 2)
      pair_.gap = point_edge_stencil(s, x(t[0]), x(t[1])).d;
    else
      pair_.gap = norm(s - x(t[0]));
    return false;
  }
  Energy evaluate(const Evaluation& e) override {
    if (!pair_.rigid_target)
      return evaluate_pair(pair_, kSupport, *e.points, e.assembly, e.project);
    RigidTarget sum;
    const Energy v = evaluate_pair(pair_, kSupport, *e.points, e.assembly, e.project, &sum);
    if (e.assembly && e.assembly->wants_hessian()) add_rigid_target(sum, e.project, *e.assembly);
    return v;
  }
  double gap() const { return pair_.gap; }

 private:
  BarrierPair pair_;
};

struct PairCase {
  LawCase law;
  std::unique_ptr<PairTerm> term;
  BarrierPair pair;

  PairCase() {
    law.length = kUnit;
    pair.scale = 1e9 * kUnit * kUnit;
  }
  // Points of the soft side are free; those of the collider are free or driven.
  int soft(const Vec3d& x) { return law.points.add_node(blocks_++, 0, 0, kUnit * x); }
  int collider(const Vec3d& x, bool driven) {
    return driven ? law.points.add_driven(1, 0, kUnit * x)
                  : law.points.add_node(blocks_++, 1, 0, kUnit * x);
  }
  void finish() {
    law.points.finish_permanent();
    term = std::make_unique<PairTerm>(pair);
    law.term = term.get();
    term->refresh(law.points, Sampling::kAnew);
    ASSERT_GT(term->gap(), 0);
    ASSERT_LT(term->gap(), 0.9 * kSupport);
  }
  void check() {
    test::check_derivatives(law);
    test::check_projection(law);
    test::check_rigid_invariance(law);
    EXPECT_GT(test::energy_of(law), 0);
  }

 private:
  int blocks_ = 0;
};

TEST(PointTrianglePair, HoldsTheLawsInEveryRegionForSamplesAndCornersDrivenAndFree) {
  for (int region = 0; region < 7; ++region)
    for (const PairKind kind : {PairKind::kSample, PairKind::kCorner})
      for (const bool driven : {false, true}) {
        SCOPED_TRACE("region " + std::to_string(region) + (driven ? ", driven" : ", free") +
                     (kind == PairKind::kSample ? ", sample" : ", corner"));
        PairCase c;
        const Vec3d p = point_in_region(region, 0.07);
        const Stencil<double> s = point_triangle_stencil(p, kCorner[0], kCorner[1], kCorner[2]);
        ASSERT_EQ(static_cast<int>(s.region), region);
        c.pair.kind = kind;
        // A sample inside an edge of the soft surface; a corner is one vertex of the collider.
        const bool sample = kind == PairKind::kSample;
        c.pair.source.count = sample ? 2 : 1;
        if (sample) {
          const Vec3d along{{0.3, -0.2, 0.5}};
          c.pair.source.point[0] = c.soft(p + along);
          c.pair.source.point[1] = c.soft(p - along);
          c.pair.source.weight[0] = c.pair.source.weight[1] = 0.5;
        } else {
          c.pair.source.point[0] = c.collider(p, driven);
          c.pair.source.weight[0] = 1;
        }
        int used[3] = {0, 1, 2};
        c.pair.target_count = region == 0 ? 3 : region <= 3 ? 2 : 1;
        if (region > 0) used[0] = region <= 3 ? region - 1 : region - 4, used[1] = region % 3;
        for (int k = 0; k < c.pair.target_count; ++k)
          c.pair.target[k] =
              sample ? c.collider(kCorner[used[k]], driven) : c.soft(kCorner[used[k]]);
        c.pair.rigid_target = sample && driven;
        c.finish();
        c.check();
      }
}

// Edges p along y and q along x at height 0.07, shifted so that the closest pair is in the region.
void edges_in_region(int region, Vec3d x[4]) {
  double x0 = 0.4, y0 = -0.45;  // p's place along q, p's start along y
  switch (static_cast<EeRegion>(region)) {
    case EeRegion::interior:
      break;
    case EeRegion::p0_q:
      y0 = 0.03;
      break;
    case EeRegion::p1_q:
      y0 = -1.03;
      break;
    case EeRegion::p_q0:
      x0 = -0.03;
      break;
    case EeRegion::p_q1:
      x0 = 1.03;
      break;
    case EeRegion::p0_q0:
      x0 = -0.03, y0 = 0.03;
      break;
    case EeRegion::p0_q1:
      x0 = 1.03, y0 = 0.03;
      break;
    case EeRegion::p1_q0:
      x0 = -0.03, y0 = -1.03;
      break;
    case EeRegion::p1_q1:
      x0 = 1.03, y0 = -1.03;
      break;
  }
  const Vec3d points[4] = {
      {{x0, y0, 0.07}}, {{x0 + 0.002, y0 + 1, 0.071}}, {{0, 0, 0}}, {{1, 0, 0}}};
  for (int k = 0; k < 4; ++k) x[k] = points[k];
}

TEST(EdgeEdgePair, HoldsTheLawsInEveryRegionDrivenAndFree) {
  for (int region = 0; region < 9; ++region)
    for (const bool driven : {false, true}) {
      SCOPED_TRACE("region " + std::to_string(region) + (driven ? ", driven" : ", free"));
      Vec3d x[4];
      edges_in_region(region, x);
      ASSERT_EQ(static_cast<int>(edge_edge_stencil(x[0], x[1], x[2], x[3]).region), region);
      PairCase c;
      c.pair.kind = PairKind::kEdges;
      c.pair.source.count = 2;
      c.pair.target_count = 2;
      for (int k = 0; k < 2; ++k) {
        c.pair.source.point[k] = c.soft(x[k]);
        c.pair.target[k] = c.collider(x[k + 2], driven);
      }
      c.pair.mollifier = edge_edge_mollifier_threshold(kUnit * kUnit, kUnit * kUnit);
      c.finish();
      c.check();
    }
}

TEST(EdgeEdgePair, HoldsTheLawsWhereTheMollifierActsAndVanishesForParallelEdges) {
  for (const double angle : {0.03, 0.02, 0.01, 0.003})
    for (const bool driven : {false, true}) {
      SCOPED_TRACE("angle " + std::to_string(angle) + (driven ? ", driven" : ", free"));
      PairCase c;
      c.law.step = 1e-6;  // the mollifier's own scale is the angle
      const Vec3d x[4] = {
          {{0.1, -0.5 * angle, 0.07}}, {{1.1, 0.5 * angle, 0.072}}, {{0, 0, 0}}, {{1, 0, 0}}};
      c.pair.kind = PairKind::kEdges;
      c.pair.source.count = 2;
      c.pair.target_count = 2;
      for (int k = 0; k < 2; ++k) {
        c.pair.source.point[k] = c.soft(x[k]);
        c.pair.target[k] = c.collider(x[k + 2], driven);
      }
      c.pair.mollifier = edge_edge_mollifier_threshold(kUnit * kUnit, kUnit * kUnit);
      const double m = edge_edge_mollifier(kUnit * x[0], kUnit * x[1], kUnit * x[2], kUnit * x[3],
                                           c.pair.mollifier)
                           .m;
      ASSERT_GT(m, 0);
      ASSERT_LT(m, 1);
      c.finish();
      c.check();
    }
  // Nearly parallel edges carry next to nothing: m ~ 2 sin^2(angle) / 1e-3.
  const Vec3d a{{0, 0, 0}}, b{{1, 0, 0}}, p{{0, 0, 0.1}}, q{{1, 1e-5, 0.1}};
  EXPECT_NEAR(edge_edge_mollifier(a, b, p, q, edge_edge_mollifier_threshold(1.0, 1.0)).m, 2e-7,
              1e-9);
}

}  // namespace
}  // namespace haptos
