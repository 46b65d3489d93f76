// Cameras that see a whole scene.
#include <algorithm>
#include <cmath>

#include "haptos/render/render.h"
#include "haptos/render/render_view.h"

namespace haptos {

using internal::View;

bool scene_bounds(const RenderScene& scene, Vec3d& lo, Vec3d& hi) {
  bool any = false;
  const auto add = [&](const Vec3d& x, double r) {
    for (int k = 0; k < 3; ++k) {
      lo[k] = any ? std::min(lo[k], x[k] - r) : x[k] - r;
      hi[k] = any ? std::max(hi[k], x[k] + r) : x[k] + r;
    }
    any = true;
  };
  for (const RenderMesh& m : scene.meshes)
    for (const Vec3d& x : m.vertices) add(x, 0);
  for (const RenderArrow& a : scene.arrows) add(a.from, a.radius), add(a.to, a.radius);
  for (const RenderPoint& p : scene.points) add(p.centre, p.radius);
  return any;
}

namespace {

/// Moves the camera along `direction` and sideways until it just sees all points.
Camera frame_points(const std::vector<Vec3d>& points, const Vec3d& direction, double aspect,
                    double fov, double margin, bool orthographic) {
  Camera c;
  c.fov = fov;
  c.orthographic = orthographic;
  const Vec3d d = normalized(direction);
  Vec3d lo = points.front(), hi = lo;
  for (const Vec3d& x : points)
    for (int k = 0; k < 3; ++k) lo[k] = std::min(lo[k], x[k]), hi[k] = std::max(hi[k], x[k]);
  c.target = (lo + hi) * 0.5;
  const double diagonal = std::max(norm(hi - lo), 1e-12);
  c.eye = c.target - d;
  const View v = internal::make_view(c, 1, 1);
  const double half = std::tan(0.5 * fov), room = 1 - margin;
  double back = diagonal / half, wide = diagonal;
  // Centre what is seen, then fit it; a few rounds settle the perspective.
  for (int pass = 0; pass < 6; ++pass) {
    double x_lo = 1e300, x_hi = -1e300, y_lo = 1e300, y_hi = -1e300, need_back = 0;
    for (const Vec3d& x : points) {
      const Vec3d e = x - c.target;
      const double w = orthographic ? 1 : std::max(dot(e, v.forward) + back, 1e-3 * diagonal);
      const double r = dot(e, v.right) / w, u = dot(e, v.up) / w;
      x_lo = std::min(x_lo, r), x_hi = std::max(x_hi, r);
      y_lo = std::min(y_lo, u), y_hi = std::max(y_hi, u);
    }
    const double depth = orthographic ? 1 : back;
    c.target += v.right * (0.5 * (x_lo + x_hi) * depth) + v.up * (0.5 * (y_lo + y_hi) * depth);
    wide = std::max(y_hi - y_lo, (x_hi - x_lo) / aspect) / room;
    for (const Vec3d& x : points) {
      const Vec3d e = x - c.target;
      const double need = std::max(std::abs(dot(e, v.up)), std::abs(dot(e, v.right)) / aspect);
      need_back = std::max(need_back, need / (room * half) - dot(e, v.forward));
    }
    back = std::max(need_back, 1e-12);
  }
  c.ortho_height = std::max(wide, 1e-12);
  c.eye = c.target - d * (orthographic ? 2 * diagonal : back);
  return c;
}

}  // namespace

Camera frame_box(const Vec3d& lo, const Vec3d& hi, const Vec3d& direction, double aspect,
                 double fov, double margin, bool orthographic) {
  std::vector<Vec3d> corners;
  corners.reserve(8);
  for (int k = 0; k < 8; ++k)
    corners.push_back({{k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1], k & 4 ? hi[2] : lo[2]}});
  return frame_points(corners, direction, aspect, fov, margin, orthographic);
}

Camera frame_scene(const RenderScene& scene, const Vec3d& direction, double aspect, double fov,
                   double margin, bool orthographic) {
  std::vector<Vec3d> points;
  for (const RenderMesh& m : scene.meshes)
    for (const Vec3d& x : m.vertices)
      if (!scene.clip || !m.clipped || dot(scene.clip->normal, x) <= scene.clip->offset)
        points.push_back(x);
  for (const RenderArrow& a : scene.arrows) points.push_back(a.from), points.push_back(a.to);
  for (const RenderPoint& p : scene.points) points.push_back(p.centre);
  if (points.empty()) points = {{{-1, -1, -1}}, {{1, 1, 1}}};
  return frame_points(points, direction, aspect, fov, margin, orthographic);
}

}  // namespace haptos
