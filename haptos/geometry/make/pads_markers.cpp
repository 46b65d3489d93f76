#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>

#include "haptos/base/text/error.h"
#include "haptos/geometry/make/pads.h"

namespace haptos {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

[[noreturn]] void reject(std::string element, double value, std::string rule, std::string remedy) {
  throw InputError({.file = {},
                    .element = std::move(element),
                    .value = std::to_string(value),
                    .rule = std::move(rule),
                    .remedy = std::move(remedy)});
}

}  // namespace

std::vector<Pad::Marker> Pad::markers(int rows, int cols, double pitch) const {
  if (!(pitch > 0) || !std::isfinite(pitch))
    reject("marker pitch", pitch, "must be a finite length greater than 0", "give it in metres");
  if (rows < 1 || cols < 1 || rows > 10000 || cols > 10000)
    reject("marker rows and columns", std::min(rows, cols), "must be 1 to 10000",
           "give the number of markers along y and along x");
  std::vector<Marker> found;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) {
      const Vec2d p{{(c - (cols - 1) * 0.5) * pitch, (r - (rows - 1) * 0.5) * pitch}};
      // The triangle whose least weight is largest: inside, or on the side that is shared.
      Marker best{-1, Vec3d::zero()};
      double depth = -1e-9;
      for (std::size_t t = 0; t < coat.size(); ++t) {
        const Vec3d &u = mesh.vertices[at(coat[t][0])], &v = mesh.vertices[at(coat[t][1])],
                    &w = mesh.vertices[at(coat[t][2])];
        const auto area = [](double ax, double ay, double bx, double by) {
          return ax * by - ay * bx;
        };
        const double whole = area(v[0] - u[0], v[1] - u[1], w[0] - u[0], w[1] - u[1]);
        const double b = area(p[0] - u[0], p[1] - u[1], w[0] - u[0], w[1] - u[1]) / whole;
        const double g = area(v[0] - u[0], v[1] - u[1], p[0] - u[0], p[1] - u[1]) / whole;
        const Vec3d weight{{1 - b - g, b, g}};
        const double least = std::min({weight[0], weight[1], weight[2]});
        if (least > depth) {
          depth = least;
          best = {static_cast<int>(t), weight};
        }
      }
      if (best.triangle < 0)
        reject("marker at row " + std::to_string(r) + ", column " + std::to_string(c), pitch,
               "must lie on the coat", "use fewer markers or a smaller pitch");
      found.push_back(best);
    }
  return found;
}

double total_volume(const TetMesh& mesh) {
  double sum = 0;
  for (const Vec4i& t : mesh.tets) {
    const Vec3d& a = mesh.vertices[at(t[0])];
    sum += dot(cross(mesh.vertices[at(t[1])] - a, mesh.vertices[at(t[2])] - a),
               mesh.vertices[at(t[3])] - a);
  }
  return sum / 6;
}

}  // namespace haptos
