#include "haptos/contact/frozen/coat/coat_press.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <numbers>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Exchanges of whole blocks that may fail to make fewer wrong nodes before one goes at a time.
constexpr int kTries = 5;
// Pressures and gaps that round-off leaves, of the largest.
constexpr double kRound = 1e-9;
// A node's share of the stiffness is at least so much of the mean: all of them press.
constexpr double kLeastShare = 0.05;
// A pressure counts as no more than so many times the mean about it.
constexpr double kPeak = 2;

// Solves with the rows and columns `kept` of a matrix.
Vector solve_part(const Matrix& g, const std::vector<Eigen::Index>& kept, const Vector& side) {
  const auto n = static_cast<Eigen::Index>(kept.size());
  Matrix part(n, n);
  Vector x(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = j; i < n; ++i) part(i, j) = g(kept[at_index(i)], kept[at_index(j)]);
    x[j] = side[kept[at_index(j)]];
  }
  Eigen::LLT<Eigen::Ref<Matrix>> factor(part);
  factor.solveInPlace(x);
  return x;
}

std::vector<std::size_t> pressed(const std::vector<CoatNode>& nodes) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].force > 0) all.push_back(i);
  return all;
}

// Forces by which nodes move by one: the sums of the rows of an inverse.
template <class F>
Vector answer_to_one(const CoatCompliance& coat, const std::vector<CoatNode>& nodes,
                     const std::vector<std::size_t>& which, const F& entry) {
  const auto n = static_cast<Eigen::Index>(which.size());
  Matrix m(n, n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j; i < n; ++i) {
      const CoatNode &a = nodes[which[at_index(i)]], &b = nodes[which[at_index(j)]];
      m(i, j) = entry(a, b, coat.give(a.node, b.node));
    }
  Vector x = Vector::Ones(n);
  Eigen::LLT<Eigen::Ref<Matrix>>(m).solveInPlace(x);
  return x;
}

void share(const Vector& found, const std::vector<std::size_t>& which, std::vector<CoatNode>& nodes,
           double CoatNode::*to) {
  const double least = kLeastShare * std::max(found.sum(), 0.0) / static_cast<double>(which.size());
  for (std::size_t k = 0; k < which.size(); ++k)
    nodes[which[k]].*to = std::max(found[static_cast<Eigen::Index>(k)], least);
}

}  // namespace

void press(const CoatCompliance& coat, std::vector<CoatNode>& nodes) {
  const auto n = static_cast<Eigen::Index>(nodes.size());
  if (n == 0) return;
  Matrix g(n, n);
  Vector gap(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const CoatNode& b = nodes[at_index(j)];
    gap[j] = b.gap;
    for (Eigen::Index i = j; i < n; ++i) {
      const CoatNode& a = nodes[at_index(i)];
      g(i, j) = g(j, i) = dot(a.n, coat.give(a.node, b.node) * b.n);
    }
  }
  std::vector<char> presses(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i)
    presses[i] = nodes[i].force > 0 || nodes[i].gap < 0;
  Vector p = Vector::Zero(n);
  Eigen::Index fewest = n + 1;
  int tries = kTries;
  for (Eigen::Index round = 0; round < 10 * n + 100; ++round) {
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < n; ++i)
      if (presses[at_index(i)]) kept.push_back(i);
    p.setZero();
    if (!kept.empty()) {
      const Vector x = solve_part(g, kept, -gap);
      for (std::size_t k = 0; k < kept.size(); ++k) p[kept[k]] = x[static_cast<Eigen::Index>(k)];
    }
    const Vector left = gap + g * p;
    const double least_p = kRound * std::max(p.maxCoeff(), 0.0);
    const double least_gap = kRound * gap.cwiseAbs().maxCoeff();
    std::vector<Eigen::Index> wrong;
    for (Eigen::Index i = 0; i < n; ++i)
      if (presses[at_index(i)] ? p[i] < -least_p : left[i] < -least_gap) wrong.push_back(i);
    if (wrong.empty()) break;
    const auto count = static_cast<Eigen::Index>(wrong.size());
    if (count < fewest)
      fewest = count, tries = kTries;
    else
      --tries;
    if (tries < 0) wrong.assign(1, wrong.back());
    for (const Eigen::Index i : wrong) presses[at_index(i)] = !presses[at_index(i)];
  }
  for (Eigen::Index i = 0; i < n; ++i) nodes[at_index(i)].force = std::max(p[i], 0.0);
}

// 1 + c q / M (CoatCompliance). A peak that is narrower than the layer squeezes nothing: q is at
// most kPeak times the mean over half a thickness about it.
void find_squeeze(const CoatCompliance& coat, std::vector<CoatNode>& nodes) {
  const std::vector<std::size_t> which = pressed(nodes);
  const double radius = 0.5 * coat.thickness, disc = std::numbers::pi * radius * radius;
  for (const std::size_t i : which) {
    const Vec3d& x = coat.rest[at_index(nodes[i].node)];
    double force = 0;
    for (const std::size_t j : which)
      if (squared_norm(coat.rest[at_index(nodes[j].node)] - x) < radius * radius)
        force += nodes[j].force;
    const double q = nodes[i].force / coat.area[at_index(nodes[i].node)];
    nodes[i].stiffer = 1 + coat.stiffening * std::min(q, kPeak * force / disc) / coat.confined;
  }
}

void find_stiffness(const CoatCompliance& coat, std::vector<CoatNode>& nodes) {
  std::vector<std::size_t> which = pressed(nodes);
  if (which.empty()) return;
  share(answer_to_one(
            coat, nodes, which,
            [](const CoatNode& a, const CoatNode& b, const Mat3d& c) { return dot(a.n, c * b.n); }),
        which, nodes, &CoatNode::stiffness);
  const auto across = [&] {
    const Vector x =
        answer_to_one(coat, nodes, which,
                      [](const CoatNode&, const CoatNode&, const Mat3d& c) { return c(0, 0); });
    const Vector y =
        answer_to_one(coat, nodes, which,
                      [](const CoatNode&, const CoatNode&, const Mat3d& c) { return c(1, 1); });
    share(0.5 * (x + y), which, nodes, &CoatNode::tangential);
  };
  across();
  const std::size_t all = which.size();
  std::erase_if(which, [&](std::size_t i) { return nodes[i].slips; });
  if (which.size() < all) across();
}

}  // namespace haptos
