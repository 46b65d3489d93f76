// The block pattern's bookkeeping and the matrix's product against a dense matrix.
#include "haptos/system/block_matrix.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cstring>
#include <random>

#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "tests/unit/block_systems.h"

namespace haptos {

using test::dense, test::random_vector;

namespace {

BlockMatrix random_matrix(const std::shared_ptr<const BlockPattern>& pattern, unsigned seed) {
  BlockMatrix m(pattern);
  std::mt19937 rng(seed);
  std::uniform_real_distribution<double> u(-1, 1);
  for (int e = 0; e < pattern->entry_count(); ++e) {
    const int i = pattern->row(e), j = pattern->column(e), w = pattern->size(j);
    double* b = m.entry(e);
    for (int r = 0; r < pattern->size(i); ++r)
      for (int c = 0; c < w; ++c) b[r * w + c] = i == j && c > r ? 0 : u(rng);
    if (i == j)
      for (int r = 0; r < w; ++r)
        for (int c = r + 1; c < w; ++c) b[r * w + c] = b[c * w + r];
  }
  return m;
}

}  // namespace

TEST(BlockPattern, SortsCouplingsAndDropsDuplicates) {
  const BlockPattern p({3, 1, 6, 2}, {{0, 2}, {2, 0}, {3, 2}, {1, 1}, {3, 0}, {2, 3}});
  EXPECT_EQ(p.block_count(), 4);
  EXPECT_EQ(p.scalar_count(), 12);
  EXPECT_EQ(p.offset(2), 4);
  ASSERT_EQ(p.entry_count(), 7);
  const std::vector<std::array<int, 2>> expected{{0, 0}, {1, 1}, {2, 0}, {2, 2},
                                                 {3, 0}, {3, 2}, {3, 3}};
  for (int e = 0; e < 7; ++e) {
    EXPECT_EQ(p.row(e), expected[static_cast<std::size_t>(e)][0]);
    EXPECT_EQ(p.column(e), expected[static_cast<std::size_t>(e)][1]);
    EXPECT_EQ(p.find(p.row(e), p.column(e)), e);
  }
  EXPECT_EQ(p.diagonal(2), 3);
  EXPECT_EQ(p.find(1, 0), -1);
  EXPECT_EQ(p.find(0, 2), -1);  // above the diagonal
  EXPECT_EQ(p.find(9, 0), -1);
  EXPECT_EQ(p.value_count(), 9 + 1 + 18 + 36 + 6 + 12 + 4);
  EXPECT_EQ(p.column_end(0) - p.column_begin(0), 2);
  EXPECT_EQ(p.row(p.column_entry(p.column_begin(0) + 1)), 3);
}

TEST(BlockPattern, RefusesBadSizesAndCouplingsByName) {
  const auto message = [](std::vector<int> sizes,
                          const std::vector<std::array<int, 2>>& couplings) {
    try {
      BlockPattern(std::move(sizes), couplings);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_NE(message({3, 0}, {}).find("block 1"), std::string::npos);
  EXPECT_NE(message({3, 4097}, {}).find("size 4097"), std::string::npos);
  EXPECT_NE(message({3, -2}, {}).find("size -2"), std::string::npos);
  EXPECT_NE(message({3, 3}, {{0, 1}, {1, 2}}).find("coupling 1"), std::string::npos);
  EXPECT_NE(message({3, 3}, {{-1, 0}}).find("(-1, 0)"), std::string::npos);
  EXPECT_NE(message({}, {{0, 0}}).find("coupling 0"), std::string::npos);
  EXPECT_EQ(message({64, 1}, {{1, 0}}), "accepted");
}

TEST(BlockMatrix, ProductAgreesWithDense) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 rng(seed);
    const int n = 1 + static_cast<int>(rng() % 40);
    std::vector<int> sizes;
    sizes.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) sizes.push_back(seed % 2 ? 3 : 1 + static_cast<int>(rng() % 12));
    std::vector<std::array<int, 2>> couplings;
    std::uniform_int_distribution<int> pick(0, n - 1);
    for (int k = 0; k < 3 * n; ++k) {
      const int i = pick(rng), j = pick(rng);
      couplings.push_back({i, j});
    }
    const auto pattern = std::make_shared<const BlockPattern>(sizes, couplings);
    const BlockMatrix m = random_matrix(pattern, seed);
    const std::vector<double> x = random_vector(pattern->scalar_count(), seed + 100);
    std::vector<double> y(x.size(), 7.0);
    m.multiply(x.data(), y.data());
    const Eigen::VectorXd expected =
        dense(m) * Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i)
      EXPECT_NEAR(y[i], expected[static_cast<Eigen::Index>(i)], 1e-12);
  }
}

TEST(BlockMatrix, ProductHasTheSameBitsForAnyThreadCount) {
  // Beyond the size from which rows are shared, nodes and a few large bodies.
  const int n = 4000;
  std::vector<int> sizes(n, 3);
  for (int i = 0; i < n; i += 97) sizes[static_cast<std::size_t>(i)] = 12;
  std::vector<std::array<int, 2>> couplings;
  for (int i = 0; i < n; ++i)
    for (const int d : {1, 2, 17, 18, 300, 301, 611}) couplings.push_back({i, (i + d) % n});
  const auto pattern = std::make_shared<const BlockPattern>(sizes, couplings);
  ASSERT_GT(pattern->value_count(), 200000);
  const BlockMatrix m = random_matrix(pattern, 1);
  const std::vector<double> x = random_vector(pattern->scalar_count(), 2);
  std::vector<double> first(x.size()), y(x.size());
  set_thread_count(1);
  m.multiply(x.data(), first.data());
  for (const int threads : {2, 3, 8}) {
    set_thread_count(threads);
    m.multiply(x.data(), y.data());
    EXPECT_EQ(std::memcmp(first.data(), y.data(), y.size() * sizeof(double)), 0) << threads;
  }
  set_thread_count(0);
}

TEST(BlockMatrix, AddPutsACouplingOnEitherSideOfTheDiagonal) {
  const auto pattern = std::make_shared<const BlockPattern>(
      std::vector<int>{2, 3}, std::vector<std::array<int, 2>>{{0, 1}});
  BlockMatrix m(pattern);
  const double upper[6] = {1, 2, 3, 4, 5, 6};        // block (0, 1), 2 x 3
  const double lower[6] = {10, 40, 20, 50, 30, 60};  // block (1, 0), 3 x 2
  m.add(0, 1, upper);
  m.add(1, 0, lower);
  const double* b = m.entry(pattern->find(1, 0));
  const double expected[6] = {11, 44, 22, 55, 33, 66};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(b[i], expected[i]);
  m.add_diagonal(4);
  EXPECT_EQ(m.entry(pattern->diagonal(1))[4], 4);
  EXPECT_EQ(m.entry(pattern->diagonal(1))[1], 0);
  m.set_zero();
  for (std::ptrdiff_t i = 0; i < pattern->value_count(); ++i) EXPECT_EQ(m.values()[i], 0);
  const auto bare = std::make_shared<const BlockPattern>(std::vector<int>{2, 3});
  BlockMatrix none(bare);
  EXPECT_THROW(none.add(0, 1, upper), InputError);
}

}  // namespace haptos
