// The block Cholesky factor against Eigen's dense one, and its promises: bits, names, no heap.
#include "haptos/solve/linear/cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>

#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/solve/dense/dense_kernels.h"
#include "haptos/solve/linear/cholesky_plan.h"
#include "haptos/solve/ordering/ordering.h"
#include "tests/unit/allocation_count.h"
#include "tests/unit/block_systems.h"

namespace haptos {

using namespace test;

TEST(BlockCholesky, AgreesWithDenseCholeskyOnRandomPatternsOfMixedSizes) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const int n = 1 + static_cast<int>(seed * 37 % 90);
    const System s = random_system(mixed_sizes(n, seed), random_couplings(n, 2.0, seed), seed);
    for (const auto order :
         {CholeskyPlan::Order::kBest, CholeskyPlan::Order::kMinimumDegree,
          CholeskyPlan::Order::kNestedDissection, CholeskyPlan::Order::kNatural}) {
      const auto plan = std::make_shared<const CholeskyPlan>(s.pattern, order);
      const DenseKernelList<double> kernels = all_dense_kernels<double>();
      for (int k = 0; k < kernels.count; ++k) {
        BlockCholesky factor;
        factor.use(*kernels.version[k]);
        factor.analyze(plan);
        ASSERT_TRUE(factor.factor(s.matrix)) << "seed " << seed;
        const std::vector<double> b = random_vector(s.pattern->scalar_count(), seed);
        std::vector<double> x = b;
        factor.solve(x.data());
        EXPECT_LT(residual(s.matrix, x, b), 1e-12) << "seed " << seed;
        const Eigen::VectorXd reference = dense(s.matrix).llt().solve(
            Eigen::Map<const Eigen::VectorXd>(b.data(), static_cast<Eigen::Index>(b.size())));
        for (std::size_t i = 0; i < x.size(); ++i)
          EXPECT_NEAR(x[i], reference[static_cast<Eigen::Index>(i)], 1e-12);
      }
    }
  }
}

TEST(BlockCholesky, IsBackwardStableWhenStiffnessesSpanTenDecades) {
  const Couplings couplings = grid(8, 6, 3);
  System s = random_system(std::vector<int>(144, 3), couplings, 5, 1e-3);
  std::mt19937 rng(7);
  const BlockPattern& p = *s.pattern;
  // Contacts: k n n^T on a block, k from 1 to 1e10 of the elastic stiffness.
  for (int contact = 0; contact < 60; ++contact) {
    const int b = static_cast<int>(rng() % 144);
    const double k = std::pow(10.0, static_cast<double>(contact % 11));
    Eigen::Vector3d n = Eigen::Vector3d::Random().normalized();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) s.matrix.entry(p.diagonal(b))[3 * r + c] += k * n[r] * n[c];
  }
  BlockCholesky factor;
  factor.analyze(s.pattern);
  ASSERT_TRUE(factor.factor(s.matrix));
  const std::vector<double> b = random_vector(p.scalar_count(), 3);
  std::vector<double> x = b;
  factor.solve(x.data());
  // Backward stable: the residual is round-off of the products in A x, row by row (about n eps).
  const Eigen::MatrixXd a = dense(s.matrix);
  const auto rhs = Eigen::Map<const Eigen::VectorXd>(b.data(), p.scalar_count());
  const auto worst = [&](const Eigen::VectorXd& y) {
    const Eigen::VectorXd scale = a.cwiseAbs() * y.cwiseAbs() + rhs.cwiseAbs();
    return ((a * y - rhs).cwiseAbs().array() / scale.array()).maxCoeff();
  };
  const double ours = worst(Eigen::Map<const Eigen::VectorXd>(x.data(), p.scalar_count()));
  EXPECT_LT(ours, 1e-14);
  EXPECT_LT(ours, 10 * worst(a.llt().solve(rhs)));
}

TEST(BlockCholesky, CountsNonzerosAndOperationsOfADenseMatrix) {
  Couplings all;
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < i; ++j) all.push_back({i, j});
  const System s = random_system({3, 1, 6, 3, 12, 3, 2}, all, 1);
  BlockCholesky factor;
  factor.analyze(s.pattern);
  EXPECT_EQ(factor.nonzeros(), 30 * 31 / 2);
  EXPECT_DOUBLE_EQ(factor.flops(), 30.0 * 31 * 61 / 6);
  EXPECT_EQ(factor.plan()->nodes.size(), 1u);
}

TEST(BlockCholesky, TridiagonalMatrixHasNoFill) {
  Couplings chain;
  for (int i = 1; i < 50; ++i) chain.push_back({i - 1, i});
  const BlockGraph g = graph_of(BlockPattern(std::vector<int>(50, 3), chain));
  for (const auto& order : {minimum_degree_order(g), nested_dissection_order(g, 8)}) {
    std::vector<int> seen(50, 0);
    for (int b : order) ++seen[static_cast<std::size_t>(b)];
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), 50);
  }
  const auto plan =
      CholeskyPlan(std::make_shared<const BlockPattern>(std::vector<int>(50, 3), chain),
                   CholeskyPlan::Order::kMinimumDegree);
  // Without merged fronts: 50 diagonal triangles of 6 and 49 couplings of 9. Merging may add zeros,
  // at most to a dense band.
  EXPECT_GE(plan.nonzeros, 50 * 6 + 49 * 9);
  EXPECT_LE(plan.nonzeros, 150 * 40);
}

TEST(BlockCholesky, OrdersAGridWithLittleFill) {
  // The band factor of the natural order against both reordered ones.
  const auto pattern =
      std::make_shared<const BlockPattern>(std::vector<int>(961, 1), grid(31, 31, 1));
  const CholeskyPlan md(pattern, CholeskyPlan::Order::kMinimumDegree);
  const CholeskyPlan nd(pattern, CholeskyPlan::Order::kNestedDissection);
  const CholeskyPlan natural(pattern, CholeskyPlan::Order::kNatural);
  EXPECT_LT(md.flops, 0.6 * natural.flops);
  EXPECT_LT(nd.flops, 0.6 * natural.flops);
}

TEST(BlockCholesky, NamesTheBlockWhosePivotIsNotPositive) {
  for (const int bad : {0, 17, 59}) {
    System s = random_system(mixed_sizes(60, 4), random_couplings(60, 2.0, 4), 4);
    const BlockPattern& p = *s.pattern;
    double* d = s.matrix.entry(p.diagonal(bad));
    d[0] = -1e3;
    BlockCholesky factor;
    factor.analyze(s.pattern);
    EXPECT_FALSE(factor.factor(s.matrix));
    EXPECT_EQ(factor.failed_block(), bad);
    EXPECT_LT(factor.failed_pivot(), 0);
    d[0] = 1e3;
    EXPECT_TRUE(factor.factor(s.matrix));
    EXPECT_EQ(factor.failed_block(), -1);
  }
}

TEST(BlockCholesky, DetectsASingularMatrixAndOneThatIsNotANumber) {
  // A free spring chain: one rigid motion.
  Couplings chain;
  for (int i = 1; i < 6; ++i) chain.push_back({i - 1, i});
  const auto pattern = std::make_shared<const BlockPattern>(std::vector<int>(6, 1), chain);
  BlockMatrix m(pattern);
  for (int i = 1; i < 6; ++i) {
    *m.entry(pattern->diagonal(i)) += 1;
    *m.entry(pattern->diagonal(i - 1)) += 1;
    *m.entry(pattern->find(i, i - 1)) -= 1;
  }
  BlockCholesky factor;
  factor.analyze(pattern);
  EXPECT_FALSE(factor.factor(m));
  EXPECT_GE(factor.failed_block(), 0);
  EXPECT_EQ(factor.failed_pivot(), 0);
  *m.entry(pattern->diagonal(3)) += 1;
  EXPECT_TRUE(factor.factor(m));
  *m.entry(pattern->diagonal(2)) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(factor.factor(m));
  *m.entry(pattern->diagonal(2)) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(factor.factor(m));
}

TEST(BlockCholesky, AcceptsANewPatternAndRefusesAStaleOne) {
  const System a = random_system(std::vector<int>(20, 3), random_couplings(20, 1.5, 1), 1);
  const System b = random_system(std::vector<int>(20, 3), random_couplings(20, 3.0, 2), 2);
  BlockCholesky factor;
  EXPECT_THROW(factor.factor(a.matrix), InputError);
  factor.analyze(a.pattern);
  EXPECT_TRUE(factor.factor(a.matrix));
  EXPECT_THROW(factor.factor(b.matrix), InputError);
  factor.analyze(b.pattern);
  ASSERT_TRUE(factor.factor(b.matrix));
  const std::vector<double> rhs = random_vector(60, 9);
  std::vector<double> x = rhs;
  factor.solve(x.data());
  EXPECT_LT(residual(b.matrix, x, rhs), 1e-12);
  // Equal patterns are as good as the same one.
  const System c = random_system(std::vector<int>(20, 3), random_couplings(20, 3.0, 2), 3);
  EXPECT_TRUE(factor.factor(c.matrix));
}

TEST(BlockCholesky, SolvesManySidesWithTheBitsOfOne) {
  const System s = random_system(mixed_sizes(70, 8), random_couplings(70, 2.0, 8), 8);
  BlockCholesky factor;
  factor.analyze(s.pattern);
  ASSERT_TRUE(factor.factor(s.matrix));
  const int n = s.pattern->scalar_count(), sides = 19;
  std::vector<double> many = random_vector(n * sides, 2), one = many;
  factor.solve(many.data(), sides, n);
  for (int c = 0; c < sides; ++c) factor.solve(one.data() + c * n);
  EXPECT_EQ(std::memcmp(many.data(), one.data(), many.size() * sizeof(double)), 0);
}

TEST(BlockCholesky, GivesTheSameBitsForEveryInstructionSetAndThreadCount) {
  // Large enough for subtrees on threads and for a shared update at the top.
  for (const bool large : {false, true}) {
    const int nx = large ? 14 : 6, ny = large ? 13 : 5, nz = large ? 9 : 3;
    const System s = random_system(std::vector<int>(static_cast<std::size_t>(nx * ny * nz), 3),
                                   grid(nx, ny, nz), 11);
    const auto plan = std::make_shared<const CholeskyPlan>(s.pattern);
    if (large) {
      EXPECT_GE(plan->tasks.size(), 4u);
    }
    const std::vector<double> b = random_vector(s.pattern->scalar_count(), 4);
    std::vector<double> first;
    const DenseKernelList<double> kernels = all_dense_kernels<double>();
    for (const int threads : {1, 2, 3, 8})
      for (int k = 0; k < kernels.count; ++k) {
        set_thread_count(threads);
        BlockCholesky factor;
        factor.use(*kernels.version[k]);
        factor.analyze(plan);
        ASSERT_TRUE(factor.factor(s.matrix));
        std::vector<double> x = b;
        factor.solve(x.data());
        if (first.empty()) {
          first = x;
          EXPECT_LT(residual(s.matrix, x, b), 1e-12);
        }
        EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(double)), 0)
            << threads << " threads, " << kernels.version[k]->name;
      }
    set_thread_count(0);
  }
}

TEST(BlockCholesky, NeverAllocatesAfterTheAnalysis) {
  const System s = random_system(std::vector<int>(14 * 13 * 9, 3), grid(14, 13, 9), 3);
  BlockCholesky factor;
  factor.analyze(s.pattern);
  const int n = s.pattern->scalar_count();
  std::vector<double> x = random_vector(3 * n, 1), y(x.size());
  for (const int threads : {1, 2}) {
    set_thread_count(threads);
    ASSERT_TRUE(factor.factor(s.matrix));  // warms the threads up
    const std::int64_t before = test::allocation_count();
    const bool positive = factor.factor(s.matrix);
    factor.solve(x.data());
    factor.solve(x.data(), 3, n);
    s.matrix.multiply(x.data(), y.data());
    const std::int64_t after = test::allocation_count();
    EXPECT_TRUE(positive);
    EXPECT_EQ(after, before) << threads << " threads";
  }
  set_thread_count(0);
  EXPECT_GT(test::allocation_count(), 0) << "the counter is not linked in";
}

TEST(BlockCholesky, FactorsAnEmptyAndAOneByOneSystem) {
  BlockCholesky factor;
  const auto none = std::make_shared<const BlockPattern>(std::vector<int>{}, Couplings{});
  factor.analyze(none);
  EXPECT_TRUE(factor.factor(BlockMatrix(none)));
  factor.solve(nullptr);
  const auto one = std::make_shared<const BlockPattern>(std::vector<int>{1}, Couplings{});
  BlockMatrix m(one);
  *m.entry(0) = 4;
  factor.analyze(one);
  ASSERT_TRUE(factor.factor(m));
  double x = 2;
  factor.solve(&x);
  EXPECT_DOUBLE_EQ(x, 0.5);
}

}  // namespace haptos
