#include "haptos/contact/frozen/coat/coat_press.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <numbers>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// A node's share of the stiffness is at least so much of the mean: all of them press.
constexpr double kLeastShare = 0.05;
// A pressure counts as no more than so many times the mean about it.
constexpr double kPeak = 2;

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
        answer_to_one(coat, nodes, which, [](const CoatNode& a, const CoatNode& b, const Mat3d& c) {
          return c(0, 0) + (&a == &b ? more_give(a, c(0, 0)) : 0);
        });
    const Vector y =
        answer_to_one(coat, nodes, which, [](const CoatNode& a, const CoatNode& b, const Mat3d& c) {
          return c(1, 1) + (&a == &b ? more_give(a, c(1, 1)) : 0);
        });
    share(0.5 * (x + y), which, nodes, &CoatNode::tangential);
  };
  across();
  const std::size_t all = which.size();
  std::erase_if(which, [&](std::size_t i) { return nodes[i].slips; });
  if (which.size() < all) across();
}

}  // namespace haptos
