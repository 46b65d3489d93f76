#include "haptos/contact/live/overlap/exposure.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

constexpr double kUpright = 1e6;   // the slope of a wall
constexpr int kMostAround = 12;    // vertices of a ring
constexpr double kTilted = 0.966;  // cosine of 15 degrees

// The part that a slope leaves, H(r).
double part(double slope, double size, double support) {
  return smooth_step((slope * size / (2 * support) - 0.5) / 1.5);
}

double slope_of(double rise, double run) {
  if (rise <= 0) return 0;
  return run > rise / kUpright ? rise / run : kUpright;
}

// The first vertices that are farther than `reach` from v on the way out along edges; those of its
// own edges where a surface ends before.
std::vector<int> ring(const ContactSurface& s, int v, double reach, std::vector<int>& seen_by) {
  std::vector<int> found;
  std::vector<std::pair<double, int>> open = {{0.0, v}};
  seen_by[at_index(v)] = v;
  for (std::size_t i = 0; i < open.size(); ++i) {
    const auto [from, a] = open[i];
    bool ends = true;
    for (const int e : s.topology.vertex_edges[a]) {
      const Vec2i& ends_of = s.topology.edges[at_index(e)];
      const int b = ends_of[0] == a ? ends_of[1] : ends_of[0];
      if (seen_by[at_index(b)] == v) continue;
      seen_by[at_index(b)] = v;
      ends = false;
      const double far = from + s.rest_length[at_index(e)];
      if (far >= reach)
        found.push_back(b);
      else
        open.emplace_back(far, b);
    }
    if (ends && i > 0 && s.topology.boundary_vertex[at_index(a)]) found.push_back(a);
  }
  if (found.size() <= kMostAround) return found;
  std::vector<int> some;
  some.reserve(kMostAround);
  for (int k = 0; k < kMostAround; ++k)
    some.push_back(found[at_index(k) * found.size() / kMostAround]);
  return some;
}

}  // namespace

Exposure::Exposure(const ContactSurface& s, double reach) : surface_(&s) {
  // Sharpness is sin^2 of half the dihedral angle.
  const double least = (1 - std::sqrt(0.75)) / 2;
  for (const double e : s.rest.edge_sharpness)
    slope_.push_back(e > least ? std::min(1.0, std::sqrt(e / std::max(1 - e, 1e-3))) : 0.0);
  for (const double v : s.rest.vertex_sharpness) {
    const double up = std::max(1 - v, 1.0 / kUpright);  // cosine of the tilt
    corner_.push_back(up < kTilted ? std::sqrt(1 - square(up)) / up : 0.0);
  }
  std::vector<int> seen_by(s.point.size(), -1);
  ring_.offset = {0};
  for (int v = 0; v < static_cast<int>(s.point.size()); ++v) {
    const auto edges = s.topology.vertex_edges[v];
    if (corner(v) || std::any_of(edges.begin(), edges.end(), [&](int e) { return sharp(e); })) {
      const std::vector<int> around = ring(s, v, reach, seen_by);
      ring_.item.insert(ring_.item.end(), around.begin(), around.end());
    }
    ring_.offset.push_back(static_cast<int>(ring_.item.size()));
  }
}

double Exposure::weight(const std::vector<Vec3d>& x, int edge, const Vec3d& n, double size,
                        double support) const {
  const Vec2i& e = surface_->topology.edges[at_index(edge)];
  const Vec3d& p = surface_->position(x, e[0]);
  const Vec3d along = surface_->position(x, e[1]) - p;
  const double square_length = squared_norm(along);
  double least = kUpright;
  const auto look = [&](int v) {
    const Vec3d to = surface_->position(x, v) - p;
    const Vec3d across = to - along * (dot(to, along) / square_length);
    const double rise = dot(across, n);
    // What lies more along the edge than beside it says nothing of its sides.
    if (2 * squared_norm(across) > squared_norm(to))
      least = std::min(least, slope_of(rise, norm(across - n * rise)));
  };
  for (const int t : surface_->topology.edge_triangles[edge])
    for (const int v : surface_->triangles[at_index(t)].a)
      if (v != e[0] && v != e[1]) look(v);
  for (const int end : {e[0], e[1]})
    for (const int v : ring_[end]) look(v);
  return part(slope_[at_index(edge)], size, support) * part(least, size, support);
}

double Exposure::corner_weight(const std::vector<Vec3d>& x, int vertex, const Vec3d& n, double size,
                               double support) const {
  const Vec3d& p = surface_->position(x, vertex);
  double least = kUpright;
  const auto look = [&](int v) {
    const Vec3d to = surface_->position(x, v) - p;
    const double rise = dot(to, n);
    least = std::min(least, slope_of(rise, norm(to - n * rise)));
  };
  for (const int e : surface_->topology.vertex_edges[vertex]) {
    const Vec2i& ends = surface_->topology.edges[at_index(e)];
    look(ends[0] == vertex ? ends[1] : ends[0]);
  }
  for (const int v : ring_[vertex]) look(v);
  return part(corner_[at_index(vertex)], size, support) * part(least, size, support);
}

}  // namespace haptos
