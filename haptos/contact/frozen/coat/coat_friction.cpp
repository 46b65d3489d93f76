#include "haptos/contact/frozen/coat/coat_friction.h"

#include <Eigen/Core>
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/math/tangent.h"

namespace haptos {
namespace {

// Sweeps over all nodes, until friction changes by less than that part of it.
constexpr int kSweeps = 200;
constexpr double kStill = 1e-4;

struct Held {
  std::size_t which;
  Vec3d axis[2];
};

Vec2d within(const Vec2d& t, double most) {
  const double size = norm(t);
  return size > most ? (most / size) * t : t;
}

}  // namespace

void hold_back(const CoatCompliance& coat, const std::vector<CoatNode>& nodes,
               const std::vector<double>& most, const std::vector<Vec3d>& moved,
               const std::vector<Vec3d>& before, std::vector<Vec3d>& friction) {
  std::vector<Held> held;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!(most[i] > 0)) {
      friction[i] = Vec3d::zero();
      continue;
    }
    const Vec3d axis = tangent(nodes[i].n);
    held.push_back({i, {axis, cross(nodes[i].n, axis)}});
  }
  const auto n = static_cast<Eigen::Index>(held.size());
  Eigen::MatrixXd c(2 * n, 2 * n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i) {
      const Held &a = held[at_index(i)], &b = held[at_index(j)];
      const Mat3d give = coat.give(nodes[a.which].node, nodes[b.which].node);
      for (int s = 0; s < 2; ++s) {
        const Vec3d u = give * b.axis[s];
        for (int r = 0; r < 2; ++r) c(2 * i + r, 2 * j + s) = dot(a.axis[r], u);
      }
    }
  Eigen::VectorXd t(2 * n), left(2 * n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Held& h = held[at_index(i)];
    for (int r = 0; r < 2; ++r) {
      t[2 * i + r] = dot(h.axis[r], friction[h.which]);
      left[2 * i + r] = dot(h.axis[r], moved[h.which]);
    }
  }
  left += c * t;
  // More by its own, from what it was at the start of the step.
  for (Eigen::Index i = 0; i < n; ++i) {
    const Held& h = held[at_index(i)];
    for (int r = 0; r < 2; ++r) {
      const Eigen::Index at = 2 * i + r;
      const double more = more_give(nodes[h.which], c(at, at));
      left[at] += more * (t[at] - dot(h.axis[r], before[h.which]));
      c(at, at) += more;
    }
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double changed = 0, all = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Index at = 2 * i;
      const double give = std::max(c(at, at), c(at + 1, at + 1)) + std::abs(c(at, at + 1));
      const Vec2d was{{t[at], t[at + 1]}}, r{{left[at], left[at + 1]}};
      const Vec2d now = within(was - (1 / give) * r, most[held[at_index(i)].which]);
      const Vec2d by = now - was;
      all += norm(now);
      if (by[0] == 0 && by[1] == 0) continue;
      t[at] = now[0], t[at + 1] = now[1];
      left += by[0] * c.col(at) + by[1] * c.col(at + 1);
      changed += norm(by);
    }
    if (changed <= kStill * all) break;
  }
  for (Eigen::Index i = 0; i < n; ++i) {
    const Held& h = held[at_index(i)];
    friction[h.which] = t[2 * i] * h.axis[0] + t[2 * i + 1] * h.axis[1];
  }
}

}  // namespace haptos
