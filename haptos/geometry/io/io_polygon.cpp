// Polygons to triangles. A convex polygon becomes a fan about its first corner. Any other one loses
// its best-shaped ear again and again (Meisters 1975, "Polygons have ears", American Mathematical
// Monthly 82:648) in the plane that its Newell normal faces most.
#include <algorithm>
#include <cmath>
#include <limits>

#include "haptos/geometry/io/io_detail.h"

namespace haptos::io {

namespace {

constexpr double kFlat = 1e-10;             // height over longest edge below which a corner is flat
constexpr std::int64_t kEarWork = 1 << 30;  // corner tests allowed for one file

Vec3d newell_normal(const std::vector<Vec3d>& x, std::span<const std::int64_t> p) {
  // About the first corner, so that a polygon far from the origin keeps its digits.
  Vec3d n = Vec3d::zero();
  const Vec3d& o = x[static_cast<std::size_t>(p[0])];
  for (std::size_t i = 1; i + 1 < p.size(); ++i)
    n += cross(x[static_cast<std::size_t>(p[i])] - o, x[static_cast<std::size_t>(p[i + 1])] - o);
  return n;
}

double longest_edge_squared(const Vec3d& a, const Vec3d& b, const Vec3d& c) {
  return vmax(squared_norm(b - a), vmax(squared_norm(c - b), squared_norm(a - c)));
}

bool is_fan(const std::vector<Vec3d>& x, std::span<const std::int64_t> p, const Vec3d& unit) {
  const Vec3d& o = x[static_cast<std::size_t>(p[0])];
  for (std::size_t i = 1; i + 1 < p.size(); ++i) {
    const Vec3d& a = x[static_cast<std::size_t>(p[i])];
    const Vec3d& b = x[static_cast<std::size_t>(p[i + 1])];
    if (!(dot(cross(a - o, b - o), unit) > kFlat * longest_edge_squared(o, a, b))) return false;
  }
  return true;
}

Vec3i triangle(std::int64_t a, std::int64_t b, std::int64_t c) {
  return {{static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)}};
}

// Cuts ears until nothing is left; false where the polygon crosses itself or is flat.
bool cut_ears(const std::vector<Vec3d>& x, std::span<const std::int64_t> polygon, const Vec3d& unit,
              std::int64_t& work, std::vector<Vec3i>& out) {
  std::vector<std::int64_t> p(polygon.begin(), polygon.end());
  const auto at = [&](std::size_t i) -> const Vec3d& { return x[static_cast<std::size_t>(p[i])]; };
  const auto area = [&](const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    return dot(cross(b - a, c - a), unit);
  };
  while (p.size() > 3) {
    const std::size_t n = p.size();
    std::size_t best = n;
    double best_shape = kFlat;
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t before = (i + n - 1) % n, after = (i + 1) % n;
      const Vec3d &a = at(before), &b = at(i), &c = at(after);
      const double shape = area(a, b, c) / longest_edge_squared(a, b, c);
      if (!(shape > best_shape)) continue;
      bool empty = true;
      for (std::size_t j = 0; j < n && empty; ++j) {
        if (p[j] == p[before] || p[j] == p[i] || p[j] == p[after]) continue;
        empty = !(area(a, b, at(j)) >= 0 && area(b, c, at(j)) >= 0 && area(c, a, at(j)) >= 0);
      }
      work += static_cast<std::int64_t>(n);
      if (empty) {
        best = i;
        best_shape = shape;
      }
    }
    if (best == n || work > kEarWork) return false;
    out.push_back(triangle(p[(best + n - 1) % n], p[best], p[(best + 1) % n]));
    p.erase(p.begin() + static_cast<std::ptrdiff_t>(best));
  }
  out.push_back(triangle(p[0], p[1], p[2]));
  return true;
}

}  // namespace

void PolygonList::add(const Input& in, std::span<const std::int64_t> corners) {
  const auto index = static_cast<std::int64_t>(start_.size());
  if (corners.size() < 3)
    in.scan.fail(element_name("face", index), std::to_string(corners.size()) + " vertices",
                 "a face needs at least 3", "remove it");
  if (corners.size() > static_cast<std::size_t>(std::max(in.options.max_polygon, 3)))
    in.scan.fail(element_name("face", index), std::to_string(corners.size()) + " vertices",
                 "a face may have at most " + std::to_string(in.options.max_polygon),
                 "triangulate the mesh before exporting it");
  triangle_count_ += static_cast<std::int64_t>(corners.size()) - 2;
  if (triangle_count_ > in.options.max_elements)
    in.scan.fail(element_name("face", index), "",
                 "the mesh has more than " + std::to_string(in.options.max_elements) + " triangles",
                 "simplify it or raise max_elements");
  start_.push_back(corner_.size());
  corner_.insert(corner_.end(), corners.begin(), corners.end());
  line_.push_back(in.scan.line());
}

TriMesh PolygonList::triangulate(const Input& in, std::vector<Vec3d> vertices,
                                 int index_base) const {
  const auto vertex_count = static_cast<std::int64_t>(vertices.size());
  TriMesh mesh;
  mesh.triangles.reserve(static_cast<std::size_t>(triangle_count_));
  std::int64_t work = 0, crossed = 0;
  for (std::size_t f = 0; f < start_.size(); ++f) {
    const std::size_t end = f + 1 < start_.size() ? start_[f + 1] : corner_.size();
    const std::span<const std::int64_t> p(corner_.data() + start_[f], end - start_[f]);
    for (const std::int64_t v : p)
      if (v < 0 || v >= vertex_count)
        in.scan.fail_at(line_[f], element_name("face", static_cast<std::int64_t>(f)),
                        "vertex index " + std::to_string(v + index_base),
                        "the file has " + std::to_string(vertex_count) +
                            " vertices, counted from " + std::to_string(index_base),
                        "correct the index or export the mesh again");
    if (p.size() == 3) {
      mesh.triangles.push_back(triangle(p[0], p[1], p[2]));
      continue;
    }
    const Vec3d n = newell_normal(vertices, p);
    const double length = norm(n);
    const Vec3d unit = length > 0 ? n * (1 / length) : n;
    const std::size_t first = mesh.triangles.size();
    const bool fan = is_fan(vertices, p, unit);
    if (fan || !cut_ears(vertices, p, unit, work, mesh.triangles)) {
      crossed += !fan;
      mesh.triangles.resize(first);
      for (std::size_t i = 1; i + 1 < p.size(); ++i)
        mesh.triangles.push_back(triangle(p[0], p[i], p[i + 1]));
    }
    if (work > kEarWork)
      in.scan.fail_at(line_[f], element_name("face", static_cast<std::int64_t>(f)), "",
                      "the polygons are too many and too intricate to cut into triangles here",
                      "triangulate the mesh before exporting it");
  }
  if (crossed > 0)
    in.note(std::to_string(crossed) +
            " polygons are flat or cross themselves; they were cut into a fan about their first "
            "corner.");
  mesh.vertices = std::move(vertices);
  return mesh;
}

}  // namespace haptos::io
