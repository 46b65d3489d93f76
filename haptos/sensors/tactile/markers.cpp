#include "haptos/sensors/tactile/markers.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "haptos/base/text/refuse.h"

namespace haptos {
namespace {

constexpr int kMaxMarkers = 1 << 20;

void check(const MarkerGrid& g) {
  if (g.rows < 1 || g.cols < 1 || g.rows > kMaxMarkers / g.cols)
    refuse("markers.rows x markers.cols", std::to_string(g.rows) + " x " + std::to_string(g.cols),
           "must both be at least 1 and make at most 1048576 markers",
           "give the rows and columns of the grid, for example 7 and 9");
  for (double v : {g.pitch_x, g.pitch_y})
    if (!(v > 0) || !std::isfinite(v))
      refuse("markers.pitch", std::to_string(v), "must be finite and greater than 0",
             "give the distance of neighbouring markers in metres");
  for (double v : {g.offset_x, g.offset_y})
    if (!std::isfinite(v))
      refuse("markers.offset", std::to_string(v), "must be finite",
             "give the centre of the grid in metres");
  if (!(g.radius >= 0 && g.radius <= 0.1))
    refuse("markers.radius", std::to_string(g.radius), "must lie between 0 and 0.1",
           "give the radius of a printed dot in metres, 0 for dots that are not printed");
  if (!(g.ink >= 0 && g.ink <= 1))
    refuse("markers.ink", std::to_string(g.ink), "must lie between 0 and 1",
           "0 is black, 1 reflects all light");
}

/// Barycentric coordinates of (x, y) in the triangle seen along z; false when it lies outside.
bool barycentric(const Vec3d& a, const Vec3d& b, const Vec3d& c, double x, double y, Vec3d& w) {
  const double ax = a[0] - x, ay = a[1] - y, bx = b[0] - x, by = b[1] - y;
  const double cx = c[0] - x, cy = c[1] - y;
  const double wa = bx * cy - by * cx, wb = cx * ay - cy * ax, wc = ax * by - ay * bx;
  const double sum = wa + wb + wc;
  if (sum == 0) return false;
  w = {{wa / sum, wb / sum, wc / sum}};
  // A marker on an edge belongs to either side whatever the rounding.
  constexpr double kSlack = -1e-12;
  return w[0] >= kSlack && w[1] >= kSlack && w[2] >= kSlack;
}

}  // namespace

std::vector<Vec2d> marker_places(const MarkerGrid& grid) {
  check(grid);
  std::vector<Vec2d> at;
  for (int i = 0; i < grid.rows; ++i)
    for (int j = 0; j < grid.cols; ++j)
      at.push_back({{grid.offset_x + (j - 0.5 * (grid.cols - 1)) * grid.pitch_x,
                     grid.offset_y + (0.5 * (grid.rows - 1) - i) * grid.pitch_y}});
  return at;
}

MarkerSensor::MarkerSensor(const TactileCamera& camera, std::span<const Vec3d> rest,
                           std::span<const Vec3i> coat, const MarkerGrid& grid)
    : MarkerSensor(camera, rest, coat, marker_places(grid)) {}

MarkerSensor::MarkerSensor(const TactileCamera& camera, std::span<const Vec3d> rest,
                           std::span<const Vec3i> coat, std::span<const Vec2d> at)
    : camera_(camera), node_count_(rest.size()), coat_(coat.begin(), coat.end()) {
  camera.check();
  for (std::size_t t = 0; t < coat.size(); ++t)
    for (int k = 0; k < 3; ++k)
      if (coat[t][k] < 0 || static_cast<std::size_t>(coat[t][k]) >= rest.size())
        refuse("coat triangle " + std::to_string(t), std::to_string(coat[t][k]),
               "must name a node in 0 .. " + std::to_string(rest.size()) + " - 1",
               "take the coat from the same mesh as its nodes");
  for (std::size_t m = 0; m < at.size(); ++m) {
    const double x = at[m][0], y = at[m][1];
    int best = -1;
    double best_z = 0;
    Vec3d best_w = Vec3d::zero();
    for (std::size_t t = 0; t < coat.size(); ++t) {
      const Vec3d &a = rest[static_cast<std::size_t>(coat[t][0])],
                  &b = rest[static_cast<std::size_t>(coat[t][1])],
                  &c = rest[static_cast<std::size_t>(coat[t][2])];
      Vec3d w;
      if (!barycentric(a, b, c, x, y, w)) continue;
      const double z = w[0] * a[2] + w[1] * b[2] + w[2] * c[2];
      if (best >= 0 && z <= best_z) continue;
      best = static_cast<int>(t);
      best_z = z;
      best_w = w;
    }
    if (best < 0)
      refuse("marker " + std::to_string(m),
             "(" + std::to_string(x * 1e3) + ", " + std::to_string(y * 1e3) + ") mm",
             "must lie on the coat", "take fewer rows and columns, a smaller pitch or less noise");
    triangle_.push_back(best);
    nodes_.push_back(coat[static_cast<std::size_t>(best)]);
    weights_.push_back(best_w);
  }
  const MarkerReading r = [&] {
    rest_.resize(count(), Vec3d::zero());
    rest_pixel_.resize(count(), {{0, 0}});
    return measure(rest);
  }();
  rest_ = r.position;
  rest_pixel_ = r.pixel;
}

void MarkerSensor::measure(std::span<const Vec3d> nodes, MarkerReading& out,
                           bool with_hidden) const {
  if (nodes.size() != node_count_)
    refuse("nodes", std::to_string(nodes.size()),
           "must be as many as at rest, " + std::to_string(node_count_),
           "pass the positions of all nodes of the gel");
  const std::size_t n = count();
  out.position.resize(n);
  out.flow.resize(n);
  out.normal.resize(n);
  out.pixel.resize(n);
  out.pixel_flow.resize(n);
  out.in_view.resize(n);
  for (std::size_t k = 0; k < n; ++k) {
    const Vec3i& t = nodes_[k];
    const Vec3d& w = weights_[k];
    const Vec3d &a = nodes[static_cast<std::size_t>(t[0])],
                &b = nodes[static_cast<std::size_t>(t[1])],
                &c = nodes[static_cast<std::size_t>(t[2])];
    const Vec3d p = a * w[0] + b * w[1] + c * w[2], up = cross(b - a, c - a);
    const Vec2d u = camera_.project(p);
    const double size = norm(up);
    out.position[k] = p;
    out.normal[k] = size > 0 ? up * (1 / size) : Vec3d::zero();
    out.flow[k] = p - rest_[k];
    out.pixel[k] = u;
    out.pixel_flow[k] = u - rest_pixel_[k];
    out.in_view[k] =
        u[0] >= -0.5 && u[0] < camera_.width - 0.5 && u[1] >= -0.5 && u[1] < camera_.height - 0.5;
  }
  out.hidden.clear();
  if (with_hidden) find_hidden(nodes, out);
}

// In the plane of slopes (of x and y under parallel rays) straight lines are straight whatever the
// lens, and one over the distance (the height) is linear over a triangle.
void MarkerSensor::find_hidden(std::span<const Vec3d> nodes, MarkerReading& out) const {
  constexpr double kNearer = 1e-8;  // [m]
  const bool central = camera_.central();
  struct Place {
    double x, y, key;  // the key grows with the distance
    std::size_t marker;
  };
  const auto place = [&](const Vec3d& p) {
    if (!central) return Place{p[0], p[1], p[2], 0};
    const double w = p[2] + camera_.distance;
    return Place{p[0] / w, p[1] / w, w > 0 ? -1 / w : NAN, 0};
  };
  out.hidden.assign(count(), 0);
  std::vector<Place> markers;
  for (std::size_t k = 0; k < count(); ++k) {
    markers.push_back(place(out.position[k]));
    markers.back().marker = k;
    if (markers.back().key != markers.back().key) markers.pop_back();
  }
  std::sort(markers.begin(), markers.end(),
            [](const Place& a, const Place& b) { return a.x < b.x; });
  for (const Vec3i& t : coat_) {
    Place c[3];
    for (int k = 0; k < 3; ++k) c[k] = place(nodes[static_cast<std::size_t>(t[k])]);
    if (!std::isfinite(c[0].key + c[1].key + c[2].key)) continue;
    const auto [left, right] = std::minmax({c[0].x, c[1].x, c[2].x});
    const auto [low, high] = std::minmax({c[0].y, c[1].y, c[2].y});
    auto m = std::lower_bound(markers.begin(), markers.end(), left,
                              [](const Place& a, double x) { return a.x < x; });
    for (; m != markers.end() && m->x <= right; ++m) {
      if (m->y < low || m->y > high) continue;
      const Vec3i& own = nodes_[m->marker];
      bool shares = false;
      for (int i = 0; i < 9; ++i) shares = shares || own[i / 3] == t[i % 3];
      Vec3d w;
      if (shares || !barycentric({{c[0].x, c[0].y, 0}}, {{c[1].x, c[1].y, 0}},
                                 {{c[2].x, c[2].y, 0}}, m->x, m->y, w))
        continue;
      const double key = w[0] * c[0].key + w[1] * c[1].key + w[2] * c[2].key;
      // A difference of 1 / w is one of w over w^2.
      const double margin = central ? kNearer * m->key * m->key : kNearer;
      if (key < m->key - margin) out.hidden[m->marker] = 1;
    }
  }
}

MarkerReading MarkerSensor::measure(std::span<const Vec3d> nodes, bool with_hidden) const {
  MarkerReading out;
  measure(nodes, out, with_hidden);
  return out;
}

}  // namespace haptos
