// press(): the pressure of probes that lets none of them into the other surface.
#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <limits>

#include "haptos/base/math/index.h"
#include "haptos/contact/frozen/coat/coat_press.h"

namespace haptos {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

// Gaps that are left, of the deepest, and of those at the start: what presses is found in several
// passes. Steps until then.
constexpr double kLeft = 1e-5, kLess = 0.01;
constexpr int kSteps = 2000;
// Of a node's hat at least so much counts as pressing.
constexpr double kLeastCover = 0.05;

// A, to multiply with.
class ProbeCompliance {
 public:
  ProbeCompliance(const CoatCompliance& coat, const std::vector<CoatNode>& nodes,
                  const std::vector<CoatProbe>& probes) {
    const auto n = static_cast<Index>(nodes.size());
    std::vector<int> place(coat.rest.size(), -1), number(coat.probe.size(), -1);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      place[at_index(nodes[i].node)] = static_cast<int>(i);
    for (std::size_t i = 0; i < probes.size(); ++i)
      number[at_index(probes[i].probe)] = static_cast<int>(i);
    by_nodes_.resize(n, n);
    for (Index j = 0; j < n; ++j) {
      const CoatNode& b = nodes[at_index(j)];
      for (Index i = j; i < n; ++i) {
        const CoatNode& a = nodes[at_index(i)];
        by_nodes_(i, j) = by_nodes_(j, i) = dot(a.n, coat.give(a.node, b.node) * b.n);
      }
    }
    for (const CoatProbe& p : probes) {
      const CoatCompliance::Probe& at = coat.probe[at_index(p.probe)];
      own_.push_back(p.own);
      part_.push_back({place[at_index(at.a)], place[at_index(at.b)]});
      first_.push_back(static_cast<int>(near_.size()));
      for (int k = coat.first_near[at_index(p.probe)]; k < coat.first_near[at_index(p.probe) + 1];
           ++k) {
        const CoatCompliance::Near& other = coat.near[at_index(k)];
        if (const int i = number[at_index(other.probe)]; i >= 0) near_.push_back({i, other.give});
      }
    }
    first_.push_back(static_cast<int>(near_.size()));
  }

  /// What nodes are handed.
  Vector on_nodes(const Vector& p) const {
    Vector f = Vector::Zero(by_nodes_.rows());
    for (std::size_t i = 0; i < part_.size(); ++i)
      for (const int a : part_[i]) f[a] += 0.5 * p[static_cast<Index>(i)];
    return f;
  }

  Vector operator*(const Vector& p) const {
    const Vector u = by_nodes_ * on_nodes(p);
    Vector out(p.size());
    for (std::size_t i = 0; i < part_.size(); ++i) {
      double sum = 0.5 * (u[part_[i][0]] + u[part_[i][1]]) + own_[i] * p[static_cast<Index>(i)];
      for (int k = first_[i]; k < first_[i + 1]; ++k)
        sum += static_cast<double>(near_[at_index(k)].give) * p[near_[at_index(k)].probe];
      out[static_cast<Index>(i)] = sum;
    }
    return out;
  }

  /// At least the largest that it makes of a vector of length one.
  double most() const {
    const Vector one = Vector::Ones(static_cast<Index>(part_.size()));
    const Vector nodes = by_nodes_.cwiseAbs() * on_nodes(one);
    double most = 0;
    for (std::size_t i = 0; i < part_.size(); ++i) {
      double sum = 0.5 * (nodes[part_[i][0]] + nodes[part_[i][1]]) + own_[i];
      for (int k = first_[i]; k < first_[i + 1]; ++k)
        sum += std::abs(static_cast<double>(near_[at_index(k)].give));
      most = std::max(most, sum);
    }
    return most;
  }

 private:
  Matrix by_nodes_;
  std::vector<std::array<int, 2>> part_;
  std::vector<double> own_;
  std::vector<int> first_;
  std::vector<CoatCompliance::Near> near_;
};

// The gradient where it may be followed: along what presses, and into pressing.
struct Slope {
  Vector free, into;
  Slope(const Vector& p, const Vector& g) : free(g), into(g) {
    for (Index i = 0; i < p.size(); ++i) {
      if (p[i] > 0)
        into[i] = 0;
      else
        free[i] = 0, into[i] = std::min(g[i], 0.0);
    }
  }
  double largest() const {
    return std::max(free.cwiseAbs().maxCoeff(), into.cwiseAbs().maxCoeff());
  }
  // Whether to go on with what presses, before more comes to press.
  bool stays(const Vector& p, double step) const {
    double reduced = 0;
    for (Index i = 0; i < p.size(); ++i)
      if (p[i] > 0) reduced += (free[i] > 0 ? std::min(p[i] / step, free[i]) : free[i]) * free[i];
    return into.squaredNorm() <= reduced;
  }
};

// The largest step along -d that keeps p at or above zero.
double feasible(const Vector& p, const Vector& d) {
  double step = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < p.size(); ++i)
    if (d[i] > 0) step = std::min(step, p[i] / d[i]);
  return step;
}

}  // namespace

void press(const CoatCompliance& coat, std::vector<CoatNode>& nodes,
           std::vector<CoatProbe>& probes) {
  const auto n = static_cast<Index>(probes.size());
  if (n == 0) return;
  const ProbeCompliance a(coat, nodes, probes);
  Vector p(n), gap(n);
  for (Index i = 0; i < n; ++i)
    p[i] = std::max(probes[at_index(i)].force, 0.0), gap[i] = probes[at_index(i)].gap;
  const double step = 1 / a.most();
  Vector g = a * p + gap;
  Slope slope(p, g);
  const double enough = std::max(kLeft * std::max(-gap.minCoeff(), 0.0), kLess * slope.largest());
  Vector d = slope.free;
  for (int k = 0; k < kSteps && slope.largest() > enough; ++k) {
    if (slope.stays(p, step)) {
      const Vector ad = a * d;
      const double curve = d.dot(ad), way = g.dot(d) / curve, most = feasible(p, d);
      if (way <= most) {
        p -= way * d, g -= way * ad;
        slope = Slope(p, g);
        d = (slope.free - (slope.free.dot(ad) / curve) * d).eval();
        continue;
      }
      p = (p - most * d).cwiseMax(0.0), g -= most * ad;
      p = (p - step * Slope(p, g).free).cwiseMax(0.0);
      g = a * p + gap;
    } else {
      const Vector ad = a * slope.into;
      const double way = g.dot(slope.into) / slope.into.dot(ad);
      p -= way * slope.into, g -= way * ad;
    }
    slope = Slope(p, g);
    d = slope.free;
  }
  for (Index i = 0; i < n; ++i) probes[at_index(i)].force = p[i];
  const Vector f = a.on_nodes(p);
  std::vector<char> presses(coat.probe.size(), 0);
  for (const CoatProbe& q : probes) presses[at_index(q.probe)] = q.force > 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    CoatNode& node = nodes[i];
    node.force = f[static_cast<Index>(i)], node.cover = 0;
    for (int k = coat.first_part[at_index(node.node)]; k < coat.first_part[at_index(node.node) + 1];
         ++k)
      if (const CoatCompliance::Part& part = coat.part[at_index(k)]; presses[at_index(part.probe)])
        node.cover += part.weight;
    node.cover = std::clamp(node.cover, kLeastCover, 1.0);
  }
}

}  // namespace haptos
