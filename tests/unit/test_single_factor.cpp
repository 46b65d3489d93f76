// Factors in single precision, made good in double, and the solver that chooses between them.
#include "haptos/solve/linear/single_factor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "haptos/base/parallel.h"
#include "haptos/solve/dense/dense_kernels.h"
#include "haptos/solve/linear/cholesky_plan.h"
#include "haptos/solve/multilevel/linear_solver.h"
#include "tests/unit/allocation_count.h"
#include "tests/unit/block_systems.h"

namespace haptos {

using namespace test;

namespace {

LinearSolver solver_of(const System& s, int precision) {
  SolverOptions options;
  options.precision = precision;
  LinearSolver solver;
  solver.configure(options);
  solver.analyze(s.pattern);
  return solver;
}

// A chain of springs of stiffness 1 with one end held by `last`: its condition number grows like
// n^2 / last.
System chain(int n, double last) {
  Couplings couplings;
  for (int i = 1; i < n; ++i) couplings.push_back({i, i - 1});
  System s;
  s.pattern = std::make_shared<const BlockPattern>(std::vector<int>(static_cast<std::size_t>(n), 1),
                                                   couplings);
  s.matrix = BlockMatrix(s.pattern);
  const double one = 1, minus = -1;
  for (int i = 1; i < n; ++i) {
    s.matrix.add(i, i, &one);
    s.matrix.add(i - 1, i - 1, &one);
    s.matrix.add(i, i - 1, &minus);
  }
  s.matrix.add(0, 0, &last);
  return s;
}

// Springs between all nodes of a grid that are at most two apart, as under quadratic splines, with
// a mass of `mass` at each.
System spline_grid(int n, double mass) {
  Couplings couplings;
  const auto name = [&](int x, int y, int z) { return (z * n + y) * n + x; };
  const auto each = [&](const auto& body) {
    for (int a = 0; a < n * n * n; ++a)
      for (int b = 0; b < a; ++b) {
        const int x = a % n - b % n, y = a / n % n - b / n % n, z = a / (n * n) - b / (n * n);
        if (std::max({std::abs(x), std::abs(y), std::abs(z)}) <= 2) body(a, b, x, y, z);
      }
  };
  each([&](int a, int b, int, int, int) { couplings.push_back({a, b}); });
  System s;
  s.pattern = std::make_shared<const BlockPattern>(
      std::vector<int>(static_cast<std::size_t>(name(n - 1, n - 1, n - 1)) + 1, 3), couplings);
  s.matrix = BlockMatrix(s.pattern);
  each([&](int a, int b, int x, int y, int z) {
    const double d[3] = {double(x), double(y), double(z)};
    double k[9], minus[9];
    for (int i = 0; i < 9; ++i)
      minus[i] = -(k[i] = d[i / 3] * d[i % 3] / (x * x + y * y + z * z) + (i % 4 == 0 ? 0.1 : 0));
    s.matrix.add(a, a, k);
    s.matrix.add(b, b, k);
    s.matrix.add(a, b, minus);
  });
  s.matrix.add_diagonal(mass);
  return s;
}

}  // namespace

TEST(SingleFactor, AgreesWithDenseCholeskyToItsOwnRounding) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const int n = 1 + static_cast<int>(seed * 37 % 90);
    const System s = random_system(mixed_sizes(n, seed), random_couplings(n, 2.0, seed), seed);
    const auto plan = std::make_shared<const CholeskyPlan>(s.pattern);
    const DenseKernelList<float> kernels = all_dense_kernels<float>();
    for (int k = 0; k < kernels.count; ++k) {
      CholeskyOf<float> factor;
      factor.use(*kernels.version[k]);
      factor.analyze(plan);
      ASSERT_TRUE(factor.factor(s.matrix)) << "seed " << seed;
      const std::vector<double> b = random_vector(s.pattern->scalar_count(), seed);
      std::vector<double> x = b;
      factor.solve(x.data());
      const double rest = residual(s.matrix, x, b);
      EXPECT_LT(rest, 1e-5) << "seed " << seed;
      if (n > 10) {
        EXPECT_GT(rest, 1e-9) << "this is no factor in single precision";
      }
    }
  }
}

TEST(SingleFactor, GivesTheSameBitsForEveryInstructionSetAndThreadCount) {
  const System s = random_system(std::vector<int>(14 * 13 * 9, 3), grid(14, 13, 9), 11);
  const auto plan = std::make_shared<const CholeskyPlan>(s.pattern);
  ASSERT_GE(plan->tasks.size(), 4u);
  const int n = s.pattern->scalar_count();
  const std::vector<double> b = random_vector(11 * n, 4);
  std::vector<double> first;
  const DenseKernelList<float> kernels = all_dense_kernels<float>();
  for (const int threads : {1, 2, 3, 8})
    for (int k = 0; k < kernels.count; ++k) {
      set_thread_count(threads);
      CholeskyOf<float> factor;
      factor.use(*kernels.version[k]);
      factor.analyze(plan);
      ASSERT_TRUE(factor.factor(s.matrix));
      std::vector<double> x = b, one = b;
      factor.solve(x.data(), 11, n);
      for (int c = 0; c < 11; ++c) factor.solve(one.data() + c * n);
      EXPECT_EQ(std::memcmp(x.data(), one.data(), x.size() * sizeof(double)), 0);
      if (first.empty()) first = x;
      EXPECT_EQ(std::memcmp(first.data(), x.data(), x.size() * sizeof(double)), 0)
          << threads << " threads, " << kernels.version[k]->name;
    }
  set_thread_count(0);
}

TEST(SingleFactor, IsMadeGoodInDouble) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const int n = 20 + static_cast<int>(seed * 37 % 90);
    const System s =
        random_system(mixed_sizes(n, seed), random_couplings(n, 2.0, seed), seed, 1e-3);
    LinearSolver solver = solver_of(s, SolverOptions::kSingle);
    const std::vector<double> b = random_vector(s.pattern->scalar_count(), seed);
    std::vector<double> x = b;
    ASSERT_TRUE(solver.solve(s.matrix, x.data(), 0, nullptr));
    EXPECT_GE(solver.iterations(), 1);
    EXPECT_LE(solver.iterations(), 4);
    EXPECT_LT(residual(s.matrix, x, b), 1e-9);
  }
}

TEST(SingleFactor, TakesSidesOfAnySize) {
  const System s = random_system(mixed_sizes(60, 3), random_couplings(60, 2.0, 3), 3);
  LinearSolver solver = solver_of(s, SolverOptions::kSingle);
  const std::vector<double> b = random_vector(s.pattern->scalar_count(), 5);
  std::vector<double> reference = b;
  ASSERT_TRUE(solver.solve(s.matrix, reference.data(), 0, nullptr));
  for (const int exponent : {-400, -200, 200, 400}) {
    std::vector<double> x(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) x[i] = std::ldexp(b[i], exponent);
    ASSERT_TRUE(solver.solve(s.matrix, x.data(), 0, nullptr)) << exponent;
    for (std::size_t i = 0; i < b.size(); ++i)
      EXPECT_NEAR(std::ldexp(x[i], -exponent), reference[i], 1e-8);
  }
}

TEST(SingleFactor, SaysIndefiniteOnlyWhereNoRoundingDoes) {
  System s = chain(50, 1);
  SingleFactor factor;
  factor.analyze(std::make_shared<const CholeskyPlan>(s.pattern));
  EXPECT_EQ(factor.factor(s.matrix), SingleFactor::Outcome::kFactored);
  double& d = *s.matrix.entry(s.pattern->diagonal(20));
  d -= 1;
  EXPECT_EQ(factor.factor(s.matrix), SingleFactor::Outcome::kIndefinite);
  d = std::nan("");
  EXPECT_EQ(factor.factor(s.matrix), SingleFactor::Outcome::kUnsure);
  // Positive definite, as a factor in double precision sees; single precision drops the hold.
  s = chain(50, 1e-12);
  EXPECT_EQ(factor.factor(s.matrix), SingleFactor::Outcome::kUnsure);
}

TEST(SingleFactor, AsksDoubleWhereItCannotTellAndForTheRestOfTheStep) {
  const System s = chain(50, 1e-12);
  LinearSolver solver = solver_of(s, SolverOptions::kSingle);
  solver.begin_step();
  const std::vector<double> b = random_vector(50, 2);
  std::vector<double> x = b, y = b;
  ASSERT_TRUE(solver.solve(s.matrix, x.data(), 0, nullptr));
  EXPECT_EQ(solver.iterations(), 0) << "solved in single precision";
  LinearSolver by_double = solver_of(s, SolverOptions::kDouble);
  ASSERT_TRUE(by_double.solve(s.matrix, y.data(), 0, nullptr));
  EXPECT_EQ(std::memcmp(x.data(), y.data(), x.size() * sizeof(double)), 0);
  // Another matrix of the same step, which single precision could factor.
  const System good = chain(50, 1);
  x = b;
  ASSERT_TRUE(solver.solve(good.matrix, x.data(), 0, nullptr));
  EXPECT_EQ(solver.iterations(), 0);
  solver.begin_step();
  x = b;
  ASSERT_TRUE(solver.solve(good.matrix, x.data(), 0, nullptr));
  EXPECT_GE(solver.iterations(), 1);
}

// A step's next matrix, of which a tenth of the diagonal blocks is another, is solved with the
// factor that is there, for a tolerance that a Newton iteration asks for.
TEST(SingleFactor, ServesTheNextMatricesOfItsStep) {
  const System first = random_system(std::vector<int>(14 * 13 * 9, 3), grid(14, 13, 9), 11);
  System next = first;
  for (int b = 0; b < next.pattern->block_count(); b += 10)
    for (int k = 0; k < 9; k += 4) next.matrix.entry(next.pattern->diagonal(b))[k] *= 3;
  const std::vector<double> b = random_vector(first.pattern->scalar_count(), 4);
  constexpr double kTolerance = 1e-2;
  LinearSolver fresh = solver_of(next, SolverOptions::kSingle);
  std::vector<double> own = b;
  ASSERT_TRUE(fresh.solve(next.matrix, own.data(), kTolerance, nullptr));
  EXPECT_EQ(fresh.iterations(), 1);

  LinearSolver solver = solver_of(first, SolverOptions::kSingle);
  solver.begin_step();
  std::vector<double> x = b;
  ASSERT_TRUE(solver.solve(first.matrix, x.data(), kTolerance, nullptr));
  EXPECT_EQ(solver.iterations(), 1);
  x = b;
  ASSERT_TRUE(solver.solve(next.matrix, x.data(), kTolerance, nullptr));
  EXPECT_GT(solver.iterations(), 1) << "this took a factor of its own";
  EXPECT_LE(residual(next.matrix, x, b), 2 * kTolerance);  // in another norm
  EXPECT_NE(std::memcmp(x.data(), own.data(), x.size() * sizeof(double)), 0);

  // Not for a tolerance that takes longer than a factor.
  x = b;
  ASSERT_TRUE(solver.solve(next.matrix, x.data(), 1e-9, nullptr));
  EXPECT_LE(residual(next.matrix, x, b), 1e-9);

  // A step does not know of the ones before.
  solver.begin_step();
  x = b;
  ASSERT_TRUE(solver.solve(next.matrix, x.data(), kTolerance, nullptr));
  EXPECT_EQ(std::memcmp(x.data(), own.data(), x.size() * sizeof(double)), 0);
}

// Negative curvature that iterations with the factor of an earlier matrix meet is told.
TEST(SingleFactor, OfAnEarlierMatrixTellsNegativeCurvatureToo) {
  const System first = random_system(std::vector<int>(14 * 13 * 9, 3), grid(14, 13, 9), 11);
  System next = first;
  for (int k = 0; k < 9; k += 4) next.matrix.entry(next.pattern->diagonal(100))[k] *= -1;
  const std::vector<double> b = random_vector(first.pattern->scalar_count(), 4);
  LinearSolver solver = solver_of(first, SolverOptions::kSingle);
  solver.begin_step();
  std::vector<double> x = b;
  ASSERT_TRUE(solver.solve(first.matrix, x.data(), 1e-2, nullptr));
  x = b;
  EXPECT_FALSE(solver.solve(next.matrix, x.data(), 1e-2, nullptr));
}

TEST(SingleFactor, ServesStiffContactsTenDecadesApart) {
  System s = random_system(std::vector<int>(144, 3), grid(8, 6, 3), 5, 1e-3);
  std::mt19937 rng(7);
  const BlockPattern& p = *s.pattern;
  for (int contact = 0; contact < 60; ++contact) {
    const int b = static_cast<int>(rng() % 144);
    const double k = std::pow(10.0, static_cast<double>(contact % 11));
    const Eigen::Vector3d n = Eigen::Vector3d::Random().normalized();
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c) s.matrix.entry(p.diagonal(b))[3 * r + c] += k * n[r] * n[c];
  }
  const std::vector<double> b = random_vector(p.scalar_count(), 3);
  std::vector<double> x = b, y = b;
  LinearSolver single = solver_of(s, SolverOptions::kSingle);
  LinearSolver by_double = solver_of(s, SolverOptions::kDouble);
  ASSERT_TRUE(single.solve(s.matrix, x.data(), 0, nullptr));
  ASSERT_TRUE(by_double.solve(s.matrix, y.data(), 0, nullptr));
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-7 * (1 + std::abs(y[i])));
}

TEST(SingleFactor, NeverAllocatesAfterTheAnalysis) {
  const System s = random_system(std::vector<int>(14 * 13 * 9, 3), grid(14, 13, 9), 3);
  LinearSolver solver = solver_of(s, SolverOptions::kSingle);
  const std::vector<double> b = random_vector(s.pattern->scalar_count(), 1);
  std::vector<double> x = b;
  ASSERT_TRUE(solver.solve(s.matrix, x.data(), 0, nullptr));
  x = b;
  const std::int64_t before = allocation_count();
  const bool solved = solver.solve(s.matrix, x.data(), 0, nullptr);
  const std::int64_t after = allocation_count();
  EXPECT_TRUE(solved);
  EXPECT_EQ(after, before);
}

// A grid is dense: where the hierarchy would be taken its diagonal blocks serve, and where they do
// not converge all that follows does.
TEST(LinearSolver, TriesDiagonalBlocksOnAGridBeforeTheHierarchy) {
  const System s = spline_grid(7, 0.1);
  const std::vector<double> b = random_vector(s.pattern->scalar_count(), 2);
  const std::vector<char> is_node(343, 1);
  std::vector<Vec3d> place(343);
  for (int v = 0; v < 343; ++v)
    for (int e = 0, left = v; e < 3; ++e, left /= 7)
      place[static_cast<std::size_t>(v)][e] = left % 7;
  LinearSolver direct = solver_of(s, SolverOptions::kDouble);
  std::vector<double> reference = b;
  ASSERT_TRUE(direct.solve(s.matrix, reference.data(), 0, nullptr));
  EXPECT_EQ(direct.iterations(), 0);
  for (const int most : {1000, 3}) {
    SolverOptions options;
    options.precision = SolverOptions::kDouble;
    options.direct_limit = 3000;  // unknowns of a grid count four times
    options.max_iterations = most;
    LinearSolver solver;
    solver.configure(options);
    solver.analyze(s.pattern);
    ASSERT_TRUE(solver.iterative());
    solver.begin_step();
    solver.set_geometry(rigid_motions(*s.pattern, is_node, place, {}));
    std::vector<double> x = b, again = b;
    ASSERT_TRUE(solver.solve(s.matrix, x.data(), 1e-9, nullptr));
    ASSERT_TRUE(solver.solve_again(again.data()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(x[i], reference[i], 1e-7) << most;
      EXPECT_NEAR(again[i], reference[i], 1e-4) << most;
    }
    if (most == 3) {
      EXPECT_EQ(solver.iterations(), 6) << "both tried";
    } else {
      EXPECT_GE(solver.iterations(), 10);
    }
    x = b;
    ASSERT_TRUE(solver.solve(s.matrix, x.data(), 1e-9, nullptr));
    if (most == 3) {
      EXPECT_EQ(solver.iterations(), 0) << "the rest of the step";
    }
  }
}

TEST(LinearSolver, DiagonalBlocksSayWhenAMatrixIsIndefinite) {
  System s = spline_grid(7, 1.0);
  SolverOptions options;
  options.direct_limit = 3000;
  LinearSolver solver;
  solver.configure(options);
  solver.analyze(s.pattern);
  ASSERT_TRUE(solver.iterative());
  std::vector<double> x = random_vector(s.pattern->scalar_count(), 2);
  // Blocks that are good by themselves, and a grid of them that is not.
  for (int e = 0; e < s.pattern->entry_count(); ++e)
    if (s.pattern->row(e) != s.pattern->column(e))
      for (int i = 0; i < 9; ++i) s.matrix.entry(e)[i] *= 3;
  EXPECT_FALSE(solver.solve(s.matrix, x.data(), 0, nullptr));
}

}  // namespace haptos
