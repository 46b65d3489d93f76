// PCG, its preconditioners and the hierarchy behind the multilevel one.
#include "haptos/solve/linear/pcg.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/solve/multilevel/linear_solver.h"
#include "tests/scenes/pad_system.h"
#include "tests/unit/allocation_count.h"
#include "tests/unit/block_systems.h"

namespace haptos {
namespace {

using test::Couplings, test::random_vector;

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double s = 0;
  for (std::size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double d = 0, scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    d += (a[i] - b[i]) * (a[i] - b[i]);
    scale += b[i] * b[i];
  }
  return std::sqrt(d / scale);
}

// Adds the contact of a body of `size` unknowns with three nodes: stiffness k along a random
// direction, J random.
void add_contact(BlockMatrix& a, int body, const std::array<int, 3>& nodes, double k,
                 std::mt19937& rng) {
  std::uniform_real_distribution<double> u(-1, 1);
  const int n = a.pattern().size(body);
  std::vector<double> jb(at_index(n)), jn(3);
  for (double& v : jb) v = u(rng);
  for (double& v : jn) v = u(rng) / 3;
  const auto outer = [&](int i, int j, const std::vector<double>& x, const std::vector<double>& y,
                         double s) {
    std::vector<double> block;
    for (double v : x)
      for (double w : y) block.push_back(s * v * w);
    a.add(i, j, block.data());
  };
  outer(body, body, jb, jb, k);
  for (int p : nodes) outer(body, p, jb, jn, -k);
  for (int p : nodes)
    for (int q : nodes)
      if (p >= q) outer(p, q, jn, jn, k);
}

// A pad and bodies with blocks of 6 and 12 unknowns that touch it, and joints that nothing touches.
struct Mixed {
  explicit Mixed(int nx = 6) {
    test::PadSystemSpec spec;
    spec.nx = spec.ny = nx;
    spec.nz = 2;
    const test::PadSystem pad(spec);
    const BlockPattern& p = pad.matrix().pattern();
    std::vector<int> sizes(at_index(p.block_count()), 3);
    Couplings couplings;
    for (int e = 0; e < p.entry_count(); ++e) couplings.push_back({p.row(e), p.column(e)});
    std::mt19937 rng(5);
    std::vector<std::array<int, 3>> touched;
    for (int k = 0; k < 8; ++k) {
      const int body = static_cast<int>(sizes.size());
      sizes.push_back(k % 2 ? 6 : 12);
      for (int c = 0; c < 15; ++c) {
        std::array<int, 3> t;
        for (int& v : t) v = static_cast<int>(rng() % static_cast<unsigned>(p.block_count()));
        if (t[0] == t[1] || t[1] == t[2] || t[0] == t[2]) continue;
        touched.push_back(t);
        of.push_back(body);
        for (int v : t) couplings.push_back({body, v});
        couplings.push_back({t[0], t[1]});
        couplings.push_back({t[1], t[2]});
        couplings.push_back({t[0], t[2]});
      }
    }
    sizes.push_back(7);
    pattern = std::make_shared<const BlockPattern>(sizes, couplings);
    matrix = BlockMatrix(pattern);
    double stiffest = 0;
    for (int e = 0; e < p.entry_count(); ++e) {
      std::copy_n(pad.matrix().entry(e), 9, matrix.entry(pattern->find(p.row(e), p.column(e))));
      stiffest = std::max(stiffest, pad.matrix().entry(e)[0]);
    }
    for (int b = p.block_count(); b < pattern->block_count(); ++b) {
      const int n = pattern->size(b);
      for (int r = 0; r < n; ++r) matrix.entry(pattern->diagonal(b))[r * n + r] = 0.1 * stiffest;
    }
    for (std::size_t c = 0; c < touched.size(); ++c)
      add_contact(matrix, of[c], touched[c], 10 * stiffest, rng);
    is_node.assign(sizes.size(), 0);
    std::fill_n(is_node.begin(), p.block_count(), 1);
    position = pad.position;
    position.resize(sizes.size(), Vec3d::zero());
  }
  NearNullSpace space() const { return rigid_motions(*pattern, is_node, position, {}); }

  std::shared_ptr<const BlockPattern> pattern;
  BlockMatrix matrix;
  std::vector<int> of;
  std::vector<char> is_node;
  std::vector<Vec3d> position;
};

TEST(Pcg, AgreesWithTheDirectSolverOnMixedBlocks) {
  const Mixed m;
  ASSERT_GT(m.pattern->scalar_count(), 1500);
  const std::vector<double> b = random_vector(m.pattern->scalar_count(), 1);
  BlockCholesky direct;
  direct.analyze(m.pattern);
  ASSERT_TRUE(direct.factor(m.matrix));
  std::vector<double> exact = b;
  direct.solve(exact.data());

  Pcg pcg;
  std::vector<double> x(b.size());
  BlockJacobi jacobi;
  ASSERT_TRUE(jacobi.setup(m.matrix));
  const PcgResult with_jacobi = pcg.solve(m.matrix, jacobi, b.data(), x.data(), 1e-12, 5000);
  EXPECT_TRUE(with_jacobi.converged);
  EXPECT_LT(distance(x, exact), 1e-9);

  Multilevel multilevel;
  ASSERT_TRUE(multilevel.restructure(m.matrix, m.space()));
  EXPECT_GE(multilevel.level_count(), 2);
  const PcgResult with_levels = pcg.solve(m.matrix, multilevel, b.data(), x.data(), 1e-12, 5000);
  EXPECT_TRUE(with_levels.converged);
  EXPECT_LT(distance(x, exact), 1e-9);
  EXPECT_LT(with_levels.iterations, with_jacobi.iterations / 3);
  std::printf("FIGURE mixed_blocks = %d iterations, block-Jacobi %d\n", with_levels.iterations,
              with_jacobi.iterations);
}

TEST(Pcg, FindsNegativeCurvature) {
  Mixed m;
  // Soft directions of the whole pad are turned around; every diagonal block stays positive.
  const int n = m.pattern->scalar_count();
  double softest = 1e300;
  for (int b = 0; m.is_node[at_index(b)]; ++b)
    for (int c = 0; c < 3; ++c)
      softest = std::min(softest, m.matrix.entry(m.pattern->diagonal(b))[4 * c]);
  m.matrix.add_diagonal(-0.2 * softest);
  BlockCholesky direct;
  direct.analyze(m.pattern);
  ASSERT_FALSE(direct.factor(m.matrix));
  BlockJacobi jacobi;
  ASSERT_TRUE(jacobi.setup(m.matrix));
  const std::vector<double> b = random_vector(n, 2);
  std::vector<double> x(b.size());
  Pcg pcg;
  const PcgResult r = pcg.solve(m.matrix, jacobi, b.data(), x.data(), 1e-10, 5000);
  EXPECT_TRUE(r.negative_curvature);
  EXPECT_FALSE(r.converged);

  SolverOptions options;
  options.method = SolverOptions::kIterative;
  LinearSolver solver;
  solver.configure(options);
  solver.analyze(m.pattern);
  solver.set_geometry(m.space());
  EXPECT_FALSE(solver.solve(m.matrix, x.data(), 1e-10, nullptr));
  // And it goes on with the next matrix that is positive definite.
  x = b;
  EXPECT_TRUE(solver.solve(Mixed().matrix, x.data(), 1e-10, nullptr));
}

TEST(Pcg, StopsAtItsLimitWithADescentDirection) {
  const Mixed m;
  BlockJacobi jacobi;
  ASSERT_TRUE(jacobi.setup(m.matrix));
  const std::vector<double> b = random_vector(m.pattern->scalar_count(), 3);
  std::vector<double> x(b.size());
  Pcg pcg;
  const PcgResult r = pcg.solve(m.matrix, jacobi, b.data(), x.data(), 1e-12, 7);
  EXPECT_EQ(r.iterations, 7);
  EXPECT_FALSE(r.converged || r.negative_curvature);
  EXPECT_GT(dot(x, b), 0);
  const std::vector<double> zero(b.size(), 0.0);
  EXPECT_TRUE(pcg.solve(m.matrix, jacobi, zero.data(), x.data(), 1e-12, 7).converged);
  EXPECT_EQ(dot(x, x), 0);
}

TEST(Multilevel, IsSymmetricAndPositiveDefinite) {
  const Mixed m;
  Multilevel b;
  ASSERT_TRUE(b.restructure(m.matrix, m.space()));
  const int n = m.pattern->scalar_count();
  std::vector<double> bx(at_index(n)), by(at_index(n));
  for (unsigned seed = 0; seed < 5; ++seed) {
    const std::vector<double> x = random_vector(n, 10 + seed), y = random_vector(n, 20 + seed);
    b.apply(x.data(), bx.data());
    b.apply(y.data(), by.data());
    const double scale = std::sqrt(dot(x, bx) * dot(y, by));
    EXPECT_NEAR(dot(y, bx), dot(x, by), 1e-13 * scale);
    EXPECT_GT(dot(x, bx), 0);
  }
}

// For a body that nothing holds, A times a rigid motion is zero, and so it is on the coarse level:
// the coarse coefficients give the rigid motions back, through the smoothed prolongator too.
TEST(Multilevel, KeepsRigidMotionsThroughItsProlongator) {
  test::PadSystemSpec spec;
  spec.nx = spec.ny = 4;
  spec.free = true;
  spec.shear = 0;
  const test::PadSystem pad(spec);
  const BlockMatrix& a = pad.matrix();
  const NearNullSpace space = pad.near_null();
  BlockJacobi diagonal;
  ASSERT_TRUE(diagonal.setup(a));
  std::vector<float> strength;
  coupling_strength(a, diagonal, strength);
  Prolongation p;
  p.aggregates() = aggregate(a.pattern(), strength, 0.0064f, space.alone);
  EXPECT_TRUE(p.set_basis(a.pattern(), space));
  EXPECT_FALSE(p.set_basis(a.pattern(), space));
  p.couple(a.pattern(), strength, 0.0f);
  BlockMatrix coarse(p.coarse_pattern());
  p.compute(a, diagonal, 0.2, coarse);
  const int n = a.pattern().scalar_count(), nc = coarse.pattern().scalar_count();
  EXPECT_LT(nc, n / 5);
  double size = 0;
  for (int e = 0; e < coarse.pattern().entry_count(); ++e)
    size = std::max(size, std::abs(coarse.entry(e)[0]));
  for (int mode = 0; mode < NearNullSpace::kModes; ++mode) {
    std::vector<double> c(at_index(nc)), fine(at_index(n), 0.0), ac(at_index(nc));
    double largest = 0;
    for (int i = 0; i < nc; ++i) {
      c[at_index(i)] = p.coarse_space().modes[at_index(i * NearNullSpace::kModes + mode)];
      largest = std::max(largest, std::abs(c[at_index(i)]));
    }
    p.prolong_add(c.data(), fine.data());
    double worst = 0, scale = 0;
    for (int i = 0; i < n; ++i) {
      const double v = space.modes[at_index(i * NearNullSpace::kModes + mode)];
      worst = std::max(worst, std::abs(fine[at_index(i)] - v));
      scale = std::max(scale, std::abs(v));
    }
    EXPECT_LT(worst, 1e-11 * scale) << "mode " << mode;
    coarse.multiply(c.data(), ac.data());
    for (double v : ac) EXPECT_LT(std::abs(v), 1e-11 * size * largest);
  }
}

// Two rows of nodes in springs, and one stiff contact between them.
TEST(Multilevel, AggregatesAcrossAContact) {
  const int n = 12;
  Couplings couplings;
  for (int i = 0; i + 1 < n; ++i)
    if (i != n / 2 - 1) couplings.push_back({i + 1, i});
  for (const double stiffness : {0.0, 100.0}) {
    Couplings all = couplings;
    all.push_back({n / 2, n / 2 - 1});
    BlockMatrix a(std::make_shared<const BlockPattern>(std::vector<int>(at_index(n), 3), all));
    const auto spring = [&](int i, int j, double k) {
      const double plus[9] = {k, 0, 0, 0, k, 0, 0, 0, k};
      const double minus[9] = {-k, 0, 0, 0, -k, 0, 0, 0, -k};
      a.add(i, i, plus);
      a.add(j, j, plus);
      a.add(i, j, minus);
    };
    for (const auto& [i, j] : couplings) spring(i, j, 1);
    spring(n / 2, n / 2 - 1, stiffness);
    a.add_diagonal(0.01);
    BlockJacobi diagonal;
    ASSERT_TRUE(diagonal.setup(a));
    std::vector<float> strength;
    coupling_strength(a, diagonal, strength);
    const Aggregates g = aggregate(a.pattern(), strength, 0.2f, {});
    EXPECT_EQ(g.of[n / 2] == g.of[n / 2 - 1], stiffness > 0);
    EXPECT_TRUE(std::all_of(g.of.begin(), g.of.end(), [](int v) { return v >= 0; }));
  }
}

// Held unknowns have unit rows; the solution is that of the direct solver and they stay put.
TEST(Multilevel, LeavesHeldUnknownsAlone) {
  test::PadSystemSpec spec;
  spec.nx = spec.ny = 6;
  const test::PadSystem pad(spec);
  BlockMatrix a = pad.matrix();
  const BlockPattern& p = a.pattern();
  std::vector<char> held(at_index(p.scalar_count()), 0);
  for (int b = 0; b < p.block_count(); ++b) {
    if (pad.position[at_index(b)][0] < -9.9e-3) held[at_index(3 * b)] = 1;
    if (b < 40) held[at_index(3 * b)] = held[at_index(3 * b + 1)] = held[at_index(3 * b + 2)] = 1;
  }
  for (int e = 0; e < p.entry_count(); ++e)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        if (held[at_index(3 * p.row(e) + r)] || held[at_index(3 * p.column(e) + c)])
          a.entry(e)[3 * r + c] = p.row(e) == p.column(e) && r == c;
  std::vector<double> b = random_vector(p.scalar_count(), 4);
  for (std::size_t i = 0; i < b.size(); ++i)
    if (held[i]) b[i] = 0;
  const NearNullSpace space =
      rigid_motions(p, std::vector<char>(at_index(p.block_count()), 1), pad.position, held);
  Multilevel levels;
  ASSERT_TRUE(levels.restructure(a, space));
  Pcg pcg;
  std::vector<double> x(b.size()), exact = b;
  const PcgResult r = pcg.solve(a, levels, b.data(), x.data(), 1e-12, 200);
  EXPECT_TRUE(r.converged);
  BlockCholesky direct;
  direct.analyze(a.shared_pattern());
  ASSERT_TRUE(direct.factor(a));
  direct.solve(exact.data());
  EXPECT_LT(distance(x, exact), 1e-9);
  for (std::size_t i = 0; i < b.size(); ++i)
    if (held[i]) {
      EXPECT_EQ(x[i], 0);
    }
}

// Nothing to aggregate: blocks without couplings, and bodies that all stand alone.
TEST(Multilevel, TakesMatricesThatCannotBeCoarsened) {
  const int n = 400;
  for (const bool chain : {false, true}) {
    Couplings couplings;
    for (int i = 0; chain && i + 1 < n; ++i) couplings.push_back({i + 1, i});
    BlockMatrix a(std::make_shared<const BlockPattern>(std::vector<int>(at_index(n), chain ? 6 : 3),
                                                       couplings));
    const int size = a.pattern().size(0);
    for (const auto& [i, j] : couplings)
      for (int r = 0; r < size; ++r) a.entry(a.pattern().find(i, j))[r * size + r] = -1;
    a.add_diagonal(2.5);
    const NearNullSpace space =
        rigid_motions(a.pattern(), std::vector<char>(at_index(n), chain ? 0 : 1),
                      std::vector<Vec3d>(at_index(n), Vec3d::zero()), {});
    const std::vector<double> b = random_vector(a.pattern().scalar_count(), 9);
    std::vector<double> x(b.size()), ax(b.size());
    Multilevel levels;
    for (int again = 0; again < 2; ++again) {
      ASSERT_TRUE(levels.restructure(a, space));
      ASSERT_TRUE(levels.setup(a));
      Pcg pcg;
      const PcgResult r = pcg.solve(a, levels, b.data(), x.data(), 1e-12, 50);
      EXPECT_TRUE(r.converged);
      a.multiply(x.data(), ax.data());
      EXPECT_LT(distance(ax, b), 1e-11);
    }
  }
}

TEST(Multilevel, GivesTheSameBitsForAnyNumberOfThreadsAndAnyHistory) {
  const Mixed m(14);
  ASSERT_GT(m.pattern->value_count(), 200000);
  const std::vector<double> b = random_vector(m.pattern->scalar_count(), 6);
  Mixed other(14);
  for (int e = 0; e < other.pattern->entry_count(); e += 7)
    if (other.pattern->row(e) != other.pattern->column(e))
      std::fill_n(other.matrix.entry(e),
                  other.pattern->value_offset(e + 1) - other.pattern->value_offset(e), 0.0);
  std::vector<double> first;
  int iterations = 0;
  for (int threads : {1, 2, 3}) {
    set_thread_count(threads);
    Multilevel levels;
    // The third time another matrix comes first.
    if (threads == 3) levels.restructure(other.matrix, m.space());
    ASSERT_TRUE(levels.restructure(m.matrix, m.space()));
    Pcg pcg;
    std::vector<double> x(b.size());
    const PcgResult r = pcg.solve(m.matrix, levels, b.data(), x.data(), 1e-9, 500);
    ASSERT_TRUE(r.converged);
    if (threads == 1) {
      first = x;
      iterations = r.iterations;
    }
    EXPECT_EQ(r.iterations, iterations);
    EXPECT_TRUE(x == first) << threads << " threads";
  }
  set_thread_count(0);
}

TEST(Multilevel, DoesNotAllocateAfterWarmUp) {
  set_thread_count(1);
  const Mixed m;
  const std::vector<double> b = random_vector(m.pattern->scalar_count(), 7);
  std::vector<double> x(b.size());
  Multilevel levels;
  Pcg pcg;
  ASSERT_TRUE(levels.restructure(m.matrix, m.space()));
  pcg.solve(m.matrix, levels, b.data(), x.data(), 1e-9, 500);
  const std::int64_t before = test::allocation_count();
  EXPECT_TRUE(levels.setup(m.matrix));
  EXPECT_TRUE(pcg.solve(m.matrix, levels, b.data(), x.data(), 1e-9, 500).converged);
  EXPECT_EQ(test::allocation_count(), before);
  set_thread_count(0);
}

TEST(LinearSolver, ChoosesByTheNumberOfUnknowns) {
  const Mixed m;
  SolverOptions options;
  options.precision = SolverOptions::kDouble;
  options.direct_limit = m.pattern->scalar_count();
  for (const bool direct : {true, false}) {
    if (!direct) --options.direct_limit;
    LinearSolver solver;
    solver.configure(options);
    solver.analyze(m.pattern);
    EXPECT_EQ(solver.iterative(), !direct);
    EXPECT_EQ(solver.wants_geometry(), !direct);
    if (!direct) solver.set_geometry(m.space());
    std::vector<double> x = random_vector(m.pattern->scalar_count(), 8);
    ASSERT_TRUE(solver.solve(m.matrix, x.data(), 1e-6, nullptr));
    EXPECT_EQ(solver.iterations() > 0, !direct);
    EXPECT_GT(solver.bytes(), 10000u);
  }
}

TEST(LinearSolver, CountsUnknownsOfAGridMoreThanThoseOfAMesh) {
  // 1,000 nodes, each coupled with the 124 about it as material points couple them, and with 6.
  constexpr int kSide = 10;
  for (const int reach : {1, 2}) {
    std::vector<std::array<int, 2>> coupled;
    for (int a = 0; a < kSide * kSide * kSide; ++a)
      for (int b = 0; b < a; ++b) {
        const int i = std::abs(a % kSide - b % kSide),
                  j = std::abs(a / kSide % kSide - b / kSide % kSide),
                  k = std::abs(a / kSide / kSide - b / kSide / kSide);
        if (reach == 2 ? std::max({i, j, k}) <= 2 : i + j + k <= 1) coupled.push_back({a, b});
      }
    const auto pattern =
        std::make_shared<const BlockPattern>(std::vector<int>(kSide * kSide * kSide, 3), coupled);
    SolverOptions options;
    LinearSolver solver;
    options.direct_limit = 3000;
    solver.configure(options);
    solver.analyze(pattern);
    EXPECT_EQ(solver.iterative(), reach == 2);
    options.direct_limit = 12000;
    solver.configure(options);
    solver.analyze(pattern);
    EXPECT_EQ(solver.iterative(), reach == 2);  // 129 numbers each, so four times as many
    options.direct_limit = 30000;
    solver.configure(options);
    solver.analyze(pattern);
    EXPECT_FALSE(solver.iterative());
  }
}

TEST(LinearSolver, SolvesDirectlyForTheRestOfTheStepWhereIterationsDoNotConverge) {
  const Mixed m;
  SolverOptions options;
  options.precision = SolverOptions::kDouble;
  options.direct_limit = m.pattern->scalar_count() - 1;
  options.max_iterations = 2;
  for (const int method : {0, 2}) {  // by size, or iterative by choice
    options.method = method;
    LinearSolver solver;
    solver.configure(options);
    solver.analyze(m.pattern);
    solver.set_geometry(m.space());
    const std::vector<double> b = random_vector(m.pattern->scalar_count(), 9);
    std::vector<double> x = b, r(b.size());
    ASSERT_TRUE(solver.solve(m.matrix, x.data(), 1e-12, nullptr));
    EXPECT_EQ(solver.iterations(), 2);
    EXPECT_EQ(solver.wants_geometry(), false);
    m.matrix.multiply(x.data(), r.data());
    double worst = 0, scale = 0;
    for (std::size_t i = 0; i < b.size(); ++i) {
      worst = std::max(worst, std::abs(r[i] - b[i]));
      scale = std::max(scale, std::abs(b[i]));
    }
    if (method == 2) {
      EXPECT_GT(worst, 1e-6 * scale);
      continue;
    }
    EXPECT_LE(worst, 1e-9 * scale);
    x = b;
    ASSERT_TRUE(solver.solve(m.matrix, x.data(), 1e-12, nullptr));
    EXPECT_EQ(solver.iterations(), 0);  // the rest of the step
    solver.begin_step();
    EXPECT_TRUE(solver.wants_geometry());
  }
}

}  // namespace
}  // namespace haptos
