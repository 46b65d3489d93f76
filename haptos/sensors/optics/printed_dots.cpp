#include "haptos/sensors/optics/printed_dots.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/geometry/query/raster.h"

namespace haptos {
namespace {

Vec2d flat(const Vec3d& v) { return {{v[0], v[1]}}; }

double cross2(const Vec2d& a, const Vec2d& b) { return a[0] * b[1] - a[1] * b[0]; }

/// How far the origin is from a triangle that winds counter-clockwise; 0 inside.
double distance_to(const Vec2d x[3]) {
  bool inside = true;
  double nearest = INFINITY;
  for (int k = 0; k < 3; ++k) {
    const Vec2d &a = x[k], e = x[(k + 1) % 3] - a;
    inside = inside && cross2(e, -a) >= 0;
    const double t = std::clamp(-dot(a, e) / squared_norm(e), 0.0, 1.0);
    nearest = std::min(nearest, norm(a + e * t));
  }
  return inside ? 0 : nearest;
}

}  // namespace

PrintedDots::PrintedDots(const MarkerSensor& markers, std::span<const Vec3d> rest,
                         std::span<const Vec3i> coat, double radius, double ink)
    : camera_(markers.camera()), radius_(radius), ink_(ink) {
  // A dot's rim may be seen a pixel beyond its radius.
  const double reach = radius + 2 * camera_.pitch_at_rest();
  for (const Vec3d& middle : markers.rest_positions())
    for (const Vec3i& t : coat) {
      Piece piece{t, {}};
      for (int k = 0; k < 3; ++k) piece.x[k] = flat(rest[at_index(t[k])] - middle);
      const bool faces_out = cross2(piece.x[1] - piece.x[0], piece.x[2] - piece.x[0]) > 0;
      if (faces_out && distance_to(piece.x) < reach) pieces_.push_back(piece);
    }
}

void PrintedDots::cover(std::span<const Vec3d> nodes, std::vector<float>& out) const {
  const std::size_t width = at_index(camera_.width);
  out.assign(width * at_index(camera_.height), 0.0f);
  const PixelWindow all{0, camera_.width, 0, camera_.height};
  for (const Piece& piece : pieces_) {
    ScreenTriangle t;
    for (int k = 0; k < 3; ++k) {
      const Vec2d p = camera_.project(nodes[at_index(piece.nodes[k])]);
      t.x[k] = p[0], t.y[k] = p[1];
    }
    t.prepare();
    const Vec2d* x = piece.x;
    const PixelGradient gx = t.gradient(x[0][0], x[1][0], x[2][0]);
    const PixelGradient gy = t.gradient(x[0][1], x[1][1], x[2][1]);
    // Rows run down and y up, so that a triangle that shows its outside has a negative one.
    const double area = gx.dx * gy.dy - gx.dy * gy.dx;
    if (!(area < 0)) continue;
    const double per_width = 1 / std::sqrt(-area);
    scan_triangle(t.x, t.y, all, [&](int row, int begin, int end) {
      for (int c = begin; c < end; ++c) {
        const double dc = c - t.x[0], dr = row - t.y[0];
        const Vec2d from{{x[0][0] + gx.dx * dc + gx.dy * dr, x[0][1] + gy.dx * dc + gy.dy * dr}};
        const double part = 0.5 + (radius_ - norm(from)) * per_width;
        float& value = out[at_index(row) * width + at_index(c)];
        value = std::max(value, static_cast<float>(std::min(part, 1.0)));
      }
    });
  }
}

void PrintedDots::print(std::span<const Vec3d> nodes, std::vector<float>& image) const {
  std::vector<float> covered;
  cover(nodes, covered);
  const float lost = static_cast<float>(1 - ink_);
  for (std::size_t i = 0; i < covered.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) image[3 * i + c] *= 1 - lost * covered[i];
}

}  // namespace haptos
