#include "haptos/sensors/field/nodal_contact.h"

#include <algorithm>
#include <unordered_map>

namespace haptos {
namespace {

// A barrier acts before surfaces meet: what presses less than this, of the most, does not touch.
constexpr double kLeastPressure = 0.02;

}  // namespace

NodalContact nodal_contact(std::span<const ContactPoint> records, int body,
                           std::span<const int> points) {
  const std::size_t n = points.size();
  NodalContact out;
  out.force.assign(n, Vec3d::zero());
  out.area.assign(n, 0.0);
  out.to_surface.assign(n, Vec3d::zero());
  // Nodes of a body are mostly numbered in a row.
  std::unordered_map<int, std::size_t> node_of;
  const bool row = n > 0 && points[n - 1] - points[0] == static_cast<int>(n) - 1 &&
                   std::is_sorted(points.begin(), points.end());
  if (!row)
    for (std::size_t v = 0; v < n; ++v) node_of[points[v]] = v;
  const auto find = [&](int point) {
    if (row) {
      const int v = point - points[0];
      return v >= 0 && v < static_cast<int>(n) ? static_cast<std::size_t>(v) : n;
    }
    const auto i = node_of.find(point);
    return i == node_of.end() ? n : i->second;
  };
  std::vector<double> pushed(n, 0.0);
  const auto pressure = [](const ContactPoint& c) { return c.normal_force / c.area; };
  double least = 0;
  for (const ContactPoint& c : records)
    if ((c.body_a == body || c.body_b == body) && c.area != 0) least = std::max(least, pressure(c));
  least *= kLeastPressure;
  const auto add = [&](const WeightedPoint& at, const ContactPoint& c, double side) {
    for (int k = 0; k < at.count; ++k) {
      const std::size_t v = find(at.point[k]);
      if (v == n) continue;
      out.force[v] += c.force * (side * at.weight[k]);
      if (c.area != 0 && pressure(c) >= least) out.area[v] += c.area * at.weight[k];
      // n points from b to a: away from the surface that presses on a.
      out.to_surface[v] -= c.n * (side * at.weight[k] * c.normal_force * c.gap);
      pushed[v] += at.weight[k] * c.normal_force;
    }
  };
  for (const ContactPoint& c : records) {
    if (c.body_a == body) add(c.point_a, c, 1);
    if (c.body_b == body) add(c.point_b, c, -1);
  }
  for (std::size_t v = 0; v < n; ++v)
    out.to_surface[v] = pushed[v] > 0 ? out.to_surface[v] * (1 / pushed[v]) : Vec3d::zero();
  return out;
}

}  // namespace haptos
