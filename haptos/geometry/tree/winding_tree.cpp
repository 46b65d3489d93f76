#include "haptos/geometry/tree/winding_tree.h"

#include <cmath>
#include <numbers>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"

namespace haptos {
namespace {

constexpr double kFar = 2;  // radii from which on a node is its dipole

Mat3d outer(const Vec3d& a, const Vec3d& b) {
  Mat3d m;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) m(i, j) = a[i] * b[j];
  return m;
}

}  // namespace

WindingTree::WindingTree(const TriMesh& surface, const SurfaceTree& tree)
    : corner_(3 * surface.triangles.size()) {
  const int count = tree.size();
  std::vector<double> area(at_index(count));  // of each triangle, then of each node of a level
  for_each(count, [&](std::ptrdiff_t i) {
    const Vec3i& t = surface.triangles[at_index(tree.tree().item(static_cast<int>(i)))];
    for (int k = 0; k < 3; ++k) corner_[at_index(3 * i + k)] = surface.vertices[at_index(t[k])];
  });
  const auto normal_of = [&](int i) {
    const Vec3d* x = &corner_[at_index(3 * i)];
    return 0.5 * cross(x[1] - x[0], x[2] - x[0]);
  };
  const auto middle_of = [&](int i) {
    const Vec3d* x = &corner_[at_index(3 * i)];
    return (x[0] + x[1] + x[2]) * (1.0 / 3);
  };
  int below = count;
  while (below > 0) {
    const int groups = (below + kWidth - 1) / kWidth;
    const bool leaf = level_.empty();
    std::vector<Node> nodes(at_index(groups));
    std::vector<double> sum(at_index(groups));
    for_each(groups, [&](std::ptrdiff_t g) {
      Node& n = nodes[at_index(g)];
      const int first = static_cast<int>(g) * kWidth, last = std::min(first + kWidth, below);
      for (int i = first; i < last; ++i) {
        const double a = leaf ? norm(normal_of(i)) : area[at_index(i)];
        sum[at_index(g)] += a;
        n.middle += a * (leaf ? middle_of(i) : level_.back()[at_index(i)].middle);
        n.normal += leaf ? normal_of(i) : level_.back()[at_index(i)].normal;
      }
      if (sum[at_index(g)] > 0)
        n.middle *= 1 / sum[at_index(g)];
      else
        n.middle = leaf ? middle_of(first) : level_.back()[at_index(first)].middle;
      for (int i = first; i < last; ++i) {
        if (leaf) {
          n.second += outer(middle_of(i) - n.middle, normal_of(i));
          for (int k = 0; k < 3; ++k)
            n.radius = std::max(n.radius, norm(corner_[at_index(3 * i + k)] - n.middle));
        } else {
          const Node& m = level_.back()[at_index(i)];
          n.second += m.second + outer(m.middle - n.middle, m.normal);
          n.radius = std::max(n.radius, norm(m.middle - n.middle) + m.radius);
        }
      }
    });
    level_.push_back(std::move(nodes));
    area.swap(sum);
    if (groups == 1) break;
    below = groups;
  }
}

// Solid angles over 4 pi: each is twice the angle of a complex number. The numbers are multiplied,
// and half turns that are passed counted.
double WindingTree::triangles(const Vec3d& q, int group) const {
  const std::size_t first = at_index(group) * 3 * kWidth,
                    last = std::min(first + 3 * kWidth, corner_.size());
  double re = 1, im = 0, turns = 0;
  for (std::size_t i = first; i < last; i += 3) {
    const Vec3d a = corner_[i] - q, b = corner_[i + 1] - q, c = corner_[i + 2] - q;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    const double y = dot(a, cross(b, c));
    const double x = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    const double next_re = re * x - im * y, next_im = re * y + im * x;
    const double size = std::sqrt(next_re * next_re + next_im * next_im);
    if (!(size > 1e-150)) continue;  // on an edge of it
    if (im >= 0 && y >= 0 && next_im < 0) turns += 1;
    if (im < 0 && y < 0 && next_im >= 0) turns -= 1;
    re = next_re / size, im = next_im / size;
  }
  return std::atan2(im, re) / (2 * std::numbers::pi) + turns;
}

double WindingTree::winding(const Vec3d& q) const {
  if (level_.empty()) return 0;
  struct Place {
    int level, index;
  };
  Place stack[12 * kWidth];
  int n = 0;
  stack[n++] = {static_cast<int>(level_.size()) - 1, 0};
  double sum = 0, near = 0;
  while (n > 0) {
    const Place at = stack[--n];
    const Node& node = level_[at_index(at.level)][at_index(at.index)];
    const Vec3d d = node.middle - q;
    const double r2 = squared_norm(d);
    if (r2 > square(kFar * node.radius)) {
      const double inverse = 1 / r2, cubed = inverse * std::sqrt(inverse);
      double second = 0;
      for (int i = 0; i < 3; ++i) {
        second += node.second(i, i);
        for (int j = 0; j < 3; ++j) second -= 3 * node.second(i, j) * d[i] * d[j] * inverse;
      }
      sum += (dot(node.normal, d) + second) * cubed;
    } else if (at.level == 0) {
      near += triangles(q, at.index);
    } else {
      const int below = static_cast<int>(level_[at_index(at.level - 1)].size());
      const int first = at.index * kWidth, last = std::min(first + kWidth, below);
      for (int i = last - 1; i >= first; --i) stack[n++] = {at.level - 1, i};
    }
  }
  return near + sum / (4 * std::numbers::pi);
}

}  // namespace haptos
