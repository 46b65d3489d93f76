#include "haptos/contact/friction/walls.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/borrowed.h"

namespace haptos {
namespace {

// Cosine of the largest angle between the normals of one wall.
const double kSameWall = std::sqrt(0.75);

}  // namespace

bool one_wall(std::span<const Vec3d> forces, const Vec3d& net) {
  const double length = norm(net);
  return std::none_of(forces.begin(), forces.end(), [&](const Vec3d& f) {
    const double size = norm(f);
    return size > 0 && dot(f, net) < kSameWall * length * size;
  });
}

void find_walls(std::span<const Vec3d> forces, std::vector<Wall>& walls) {
  Borrowed<std::vector<std::size_t>> ranked;
  Borrowed<std::vector<double>> sizes;
  std::vector<std::size_t>& order = *ranked;
  std::vector<double>& size = *sizes;
  order.clear();
  size.clear();
  walls.clear();
  for (std::size_t i = 0; i < forces.size(); ++i) {
    size.push_back(norm(forces[i]));
    if (size[i] > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return size[a] != size[b] ? size[a] > size[b] : a < b;
  });
  for (const std::size_t i : order) {
    auto w = std::find_if(walls.begin(), walls.end(), [&](const Wall& wall) {
      const std::size_t s = wall.strongest;
      return dot(forces[s], forces[i]) > kSameWall * size[s] * size[i];
    });
    if (w == walls.end()) w = walls.insert(w, {Vec3d::zero(), i});
    w->force += forces[i];
  }
}

}  // namespace haptos
