// Sums over the pairs of two stiff bodies against the same sums pair by pair and point by point.
#include "haptos/contact/live/pairs/soft_affine_pairs.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "haptos/base/parallel.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kSupport = 0.3;

enum class Moves { kAffine, kDriven, kNodes };

// Two boxes near each other, each affine, driven or of nodes, one of which is driven, and pairs of
// every sort between them.
struct Two {
  Points points;
  ContactSurface soft, collider;
  std::vector<BarrierPair> pairs;
  std::vector<Vec3d> motion;
  std::shared_ptr<const BlockPattern> pattern;

  Two(Moves soft_moves, Moves collider_moves) {
    test::Random random(3);
    std::vector<int> sizes;
    const auto add_block = [&](int size) {
      sizes.push_back(size);
      return static_cast<int>(sizes.size()) - 1;
    };
    const auto add = [&](Moves moves, int body, double lift) {
      const TriMesh mesh = box({{1, 1, 1}}, {{2, 2, 2}});
      std::vector<int> of;
      const int block = moves == Moves::kAffine ? add_block(12) : 0;
      for (const Vec3d& v : mesh.vertices) {
        const Vec3d x = v + Vec3d{{0.1, 0.05, lift}} + 0.05 * random.vector();
        if (moves == Moves::kAffine)
          of.push_back(points.add_affine(block, body, 0, x, v));
        else if (moves == Moves::kDriven || of.empty())
          of.push_back(points.add_driven(body, 0, x));
        else
          of.push_back(points.add_node(add_block(3), body, 0, x));
      }
      return ContactSurface(mesh, of, body, 0, moves == Moves::kDriven);
    };
    soft = add(soft_moves, 0, 1.1);
    collider = add(collider_moves, 1, 0);
    points.finish_permanent();
    for (int p = 0; p < points.size(); ++p) motion.push_back(0.1 * random.vector());
    std::vector<std::array<int, 2>> couplings;
    for (int i = 0; i < static_cast<int>(sizes.size()); ++i)
      for (int j = 0; j < i; ++j) couplings.push_back({i, j});
    pattern = std::make_shared<BlockPattern>(std::move(sizes), couplings);
    add_points(soft, collider, PairKind::kSample);
    add_points(collider, soft, PairKind::kCorner);
    add_edges();
  }

  void keep(BarrierPair p) {
    if (!(p.gap > 0.02 && p.gap < kSupport)) return;
    p.count = pairs.size() % 3 == 0 ? -1 : 1;
    p.scale = 2.0 + 0.1 * static_cast<double>(pairs.size() % 7);
    pairs.push_back(p);
  }

  void add_points(const ContactSurface& from, const ContactSurface& to, PairKind kind) {
    for (std::size_t v = 0; v < from.point.size(); ++v)
      for (int t = 0; t < static_cast<int>(to.triangles.size()); ++t)
        for (int corners = 1; corners <= 3; ++corners) {
          BarrierPair p;
          p.kind = kind;
          p.source = single(from.point[v]);
          if (kind == PairKind::kSample && v + 2 < from.point.size()) {  // inside a triangle
            p.source.count = 3;
            for (int k = 0; k < 3; ++k) {
              p.source.point[k] = from.point[v + static_cast<std::size_t>(k)];
              p.source.weight[k] = k == 0 ? 0.8 : 0.1;
            }
          }
          p.target_count = corners;
          for (int k = 0; k < corners; ++k)
            p.target[k] =
                to.point[static_cast<std::size_t>(to.triangles[static_cast<std::size_t>(t)][k])];
          const auto x = [&](int k) { return points.x[static_cast<std::size_t>(p.target[k])]; };
          const Vec3d s = at(points.x, p.source);
          p.gap = corners == 1   ? point_point_stencil(s, x(0)).d
                  : corners == 2 ? point_edge_stencil(s, x(0), x(1)).d
                                 : point_triangle_stencil(s, x(0), x(1), x(2)).d;
          keep(p);
        }
  }

  void add_edges() {
    for (const Vec2i& e : soft.topology.edges)
      for (const Vec2i& f : collider.topology.edges) {
        BarrierPair p;
        p.kind = PairKind::kEdges;
        p.source.count = p.target_count = 2;
        for (int k = 0; k < 2; ++k) {
          p.source.point[k] = soft.point[static_cast<std::size_t>(e[k])];
          p.target[k] = collider.point[static_cast<std::size_t>(f[k])];
        }
        const auto x = [&](int q) { return points.x[static_cast<std::size_t>(q)]; };
        p.gap = edge_edge_stencil(x(p.source.point[0]), x(p.source.point[1]), x(p.target[0]),
                                  x(p.target[1]))
                    .d;
        p.mollifier = 0.02;
        keep(p);
      }
  }

  Assembly assembly(bool stiff, Energy& energy, bool project = false, bool moving = true) const {
    Assembly a;
    a.reset(pattern);
    a.begin(points, true, moving ? &motion : nullptr);
    a.set_factors(0.5, 0.25);
    if (stiff && !both_stiff(soft, collider, points))
      energy = evaluate_soft_affine_pairs(pairs, kSupport, collider, points, &a);
    else if (stiff)
      energy = evaluate_stiff_pairs(pairs, kSupport, soft, collider, points, &a, project);
    else
      for (const BarrierPair& p : pairs) energy += evaluate_pair(p, kSupport, points, &a, false);
    a.finish();
    return a;
  }
};

double scale_of(const std::vector<double>& v) {
  double s = 0;
  for (double x : v) s = std::max(s, std::abs(x));
  return s;
}

void expect_equal(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size());
  const double scale = scale_of(a);
  EXPECT_GT(scale, 0) << what;
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-11 * scale) << what << i;
}

std::vector<double> values(const Assembly& a) {
  const BlockMatrix& m = a.matrix();
  std::vector<double> v;
  for (int e = 0; e < m.pattern().entry_count(); ++e) {
    const int n = m.pattern().size(m.pattern().row(e)) * m.pattern().size(m.pattern().column(e));
    v.insert(v.end(), m.entry(e), m.entry(e) + n);
  }
  return v;
}

class AffinePairs : public testing::TestWithParam<int> {
 protected:
  const Two two{GetParam() == 1 ? Moves::kDriven : Moves::kAffine,
                GetParam() == 2 ? Moves::kDriven : Moves::kAffine};
};

TEST_P(AffinePairs, SumsEqualThoseOfPairsOnePointAtATime) {
  int sorts[3][4] = {};
  for (const BarrierPair& p : two.pairs) ++sorts[static_cast<int>(p.kind)][p.target_count];
  for (int kind = 0; kind < 2; ++kind)
    for (int corners = 1; corners <= 3; ++corners) EXPECT_GT(sorts[kind][corners], 5);
  EXPECT_GT(sorts[2][2], 20);
  ASSERT_TRUE(both_stiff(two.soft, two.collider, two.points));
  Energy fast, slow;
  const Assembly a = two.assembly(true, fast), b = two.assembly(false, slow);
  EXPECT_NEAR(fast.value, slow.value, 1e-12 * slow.magnitude);
  EXPECT_NEAR(fast.magnitude, slow.magnitude, 1e-12 * slow.magnitude);
  expect_equal(b.gradient(), a.gradient(), "gradient ");
  expect_equal(values(b), values(a), "hessian ");
  if (GetParam() > 0) {
    expect_equal(b.driven_rhs(), a.driven_rhs(), "motion ");
  }
  for (int p = 0; p < two.points.size(); ++p)
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(a.point_gradient()[static_cast<std::size_t>(p)][c],
                  b.point_gradient()[static_cast<std::size_t>(p)][c],
                  1e-11 * scale_of(b.gradient()));
  const Energy alone =
      evaluate_stiff_pairs(two.pairs, kSupport, two.soft, two.collider, two.points, nullptr, false);
  EXPECT_EQ(alone.value, fast.value);
}

TEST(SoftAffinePairs, SumsEqualThoseOfPairsOnePointAtATime) {
  const Two two(Moves::kNodes, Moves::kAffine);
  ASSERT_TRUE(soft_on_affine(two.soft, two.collider, two.points));
  ASSERT_FALSE(soft_on_affine(two.collider, two.collider, two.points));
  for (const bool moving : {false, true}) {
    Energy fast, slow;
    const Assembly a = two.assembly(true, fast, false, moving),
                   b = two.assembly(false, slow, false, moving);
    EXPECT_TRUE(a.missing().empty() && b.missing().empty());
    EXPECT_NEAR(fast.value, slow.value, 1e-12 * slow.magnitude);
    EXPECT_NEAR(fast.magnitude, slow.magnitude, 1e-12 * slow.magnitude);
    expect_equal(b.gradient(), a.gradient(), "gradient ");
    expect_equal(values(b), values(a), "hessian ");
    if (moving) {
      expect_equal(b.driven_rhs(), a.driven_rhs(), "motion ");
    }
    const Energy alone =
        evaluate_soft_affine_pairs(two.pairs, kSupport, two.collider, two.points, nullptr);
    EXPECT_EQ(alone.value, fast.value);
  }
}

// The whole matrix, axes in metres at a radius of 1/2.
Eigen::MatrixXd dense(const Assembly& a) {
  const BlockPattern& pattern = a.matrix().pattern();
  const int n = pattern.scalar_count();
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(n, n);
  for (int e = 0; e < pattern.entry_count(); ++e)
    for (int r = 0; r < 12; ++r)
      for (int c = 0; c < 12; ++c) {
        const double scale = (r < 3 ? 1.0 : 2.0) * (c < 3 ? 1.0 : 2.0);
        m(12 * pattern.row(e) + r, 12 * pattern.column(e) + c) =
            scale * a.matrix().entry(e)[12 * r + c];
      }
  return m.selfadjointView<Eigen::Lower>();
}

TEST_P(AffinePairs, ClampedHessianIsTheNearestPositiveSemidefiniteOne) {
  Energy e;
  const Eigen::MatrixXd h = dense(two.assembly(true, e)), p = dense(two.assembly(true, e, true));
  const Eigen::VectorXd of_h = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(h).eigenvalues(),
                        of_p = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(p).eigenvalues();
  const double scale = of_h.cwiseAbs().maxCoeff();
  EXPECT_LT(of_h.minCoeff(), -0.01 * scale);  // there is something to clamp
  EXPECT_GT(of_p.minCoeff(), -1e-12 * scale);
  // No vector's energy falls, and where there is no curvature downwards none changes much.
  EXPECT_GT(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(p - h).eigenvalues().minCoeff(),
            -1e-9 * scale);
  EXPECT_NEAR(of_p.maxCoeff(), of_h.maxCoeff(), 0.3 * scale);
}

TEST_P(AffinePairs, BitsDoNotDependOnTheNumberOfThreads) {
  std::vector<double> bits[2];
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    Energy e;
    const Assembly a = two.assembly(true, e);
    bits[threads / 2] = values(a);
    bits[threads / 2].push_back(e.value);
    bits[threads / 2].insert(bits[threads / 2].end(), a.gradient().begin(), a.gradient().end());
  }
  set_thread_count(0);
  EXPECT_EQ(bits[0], bits[1]);
}

std::string case_name(const testing::TestParamInfo<int>& info) {
  return info.param == 0 ? "BothAffine" : info.param == 1 ? "SoftDriven" : "ColliderDriven";
}

INSTANTIATE_TEST_SUITE_P(All, AffinePairs, testing::Range(0, 3), case_name);

}  // namespace
}  // namespace haptos
