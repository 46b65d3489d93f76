#include "haptos/contact/mortar/exposure.h"

#include <algorithm>
#include <cmath>

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

constexpr double kUpright = 1e6;  // the slope of a wall

// Of a direction that need not be of unit length.
double slope_of(const Vec3d& along, const Vec3d& n) {
  const double rise = dot(along, n), run = norm(along - n * rise);
  if (rise <= 0) return 0;
  return run > rise / kUpright ? rise / run : kUpright;
}

}  // namespace

double exposed(double slope, double size, double support) {
  constexpr double kFrom = 0.5, kTo = 2;
  const double t = std::clamp((slope * size / (2 * support) - kFrom) / (kTo - kFrom), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

double edge_slope(const ContactSurface& s, const std::vector<Vec3d>& x, int edge, const Vec3d& n) {
  const Vec2i& e = s.topology.edges[at_index(edge)];
  const Vec3d &p = s.position(x, e[0]), along = s.position(x, e[1]) - p;
  double least = kUpright;
  for (const int t : s.topology.edge_triangles[edge]) {
    const Vec3i& c = s.triangles[at_index(t)];
    for (const int v : c.a) {
      if (v == e[0] || v == e[1]) continue;
      const Vec3d to = s.position(x, v) - p;
      const Vec3d across = to - along * (dot(to, along) / squared_norm(along));
      least = std::min(least, slope_of(across, n));
    }
  }
  return least;
}

double vertex_slope(const ContactSurface& s, const std::vector<Vec3d>& x, int vertex,
                    const Vec3d& n) {
  const Vec3d& p = s.position(x, vertex);
  double least = kUpright;
  for (const int e : s.topology.vertex_edges[vertex]) {
    const Vec2i& v = s.topology.edges[at_index(e)];
    least = std::min(least, slope_of(s.position(x, v[0] == vertex ? v[1] : v[0]) - p, n));
  }
  return least;
}

}  // namespace haptos
