#include "haptos/geometry/make/shapes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <utility>

#include "haptos/base/text/error.h"
#include "haptos/geometry/make/shapes_detail.h"

namespace haptos {
namespace {

using namespace shapes_detail;
constexpr double kPi = std::numbers::pi;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Vertices in the middle of edges, made once.
class Middles {
 public:
  explicit Middles(TriMesh& mesh) : mesh_(mesh) {}
  int operator()(int a, int b) {
    const auto [it, fresh] = known_.try_emplace(std::minmax(a, b), mesh_.vertices.size());
    if (fresh) mesh_.vertices.push_back((mesh_.vertices[at(a)] + mesh_.vertices[at(b)]) * 0.5);
    return it->second;
  }

 private:
  TriMesh& mesh_;
  std::map<std::pair<int, int>, int> known_;
};

std::vector<double> lines(double lo, double hi, int n) {
  std::vector<double> l;
  for (int i = 0; i <= n; ++i) l.push_back(i == n ? hi : lo + (hi - lo) * i / n);
  return l;
}

// Throws unless a > b; both are lengths.
void check_larger(const char* element, double a, double b) {
  if (!(a > b))
    throw InputError({.file = {},
                      .element = element,
                      .value = std::to_string(a),
                      .rule = "must be greater than " + std::to_string(b),
                      .remedy = "give both lengths in metres"});
}

double longest_edge(const TriMesh& m) {
  double l = 0;
  for (const Vec3i& t : m.triangles)
    for (int k = 0; k < 3; ++k)
      l = std::max(l, norm(m.vertices[at(t[k])] - m.vertices[at(t[(k + 1) % 3])]));
  return l;
}

}  // namespace

TriMesh subdivide(const TriMesh& mesh, int levels) {
  if (levels < 0 || levels > 10)
    throw InputError({.file = {},
                      .element = "subdivide levels",
                      .value = std::to_string(levels),
                      .rule = "must be 0 to 10",
                      .remedy = "each level makes four triangles of one"});
  TriMesh m = mesh;
  for (int l = 0; l < levels; ++l) {
    Middles middle(m);
    std::vector<Vec3i> finer;
    finer.reserve(4 * m.triangles.size());
    for (const Vec3i& t : m.triangles) {
      const int a = middle(t[0], t[1]), b = middle(t[1], t[2]), c = middle(t[2], t[0]);
      for (const Vec3i& f :
           {Vec3i{{t[0], a, c}}, Vec3i{{a, t[1], b}}, Vec3i{{c, b, t[2]}}, Vec3i{{a, b, c}}})
        finer.push_back(f);
    }
    m.triangles = std::move(finer);
  }
  return m;
}

TriMesh icosphere(double radius, double facet) {
  check_length("sphere radius", radius);
  // Edges of a sphere of radius 1 are 1.05 at first, and at least halve in the end.
  check_triangles(20 * std::pow(4, std::ceil(std::log2(1.2 * cells(radius, facet)))));
  const double g = std::numbers::phi;
  TriMesh m;
  for (const auto& [y, z] : {std::pair{1.0, g}, {-1.0, g}, {1.0, -g}, {-1.0, -g}}) {
    m.vertices.push_back({{0, y, z}});
    m.vertices.push_back({{z, 0, y}});
    m.vertices.push_back({{y, z, 0}});
  }
  // Faces are the triples at the edge length 2 of this icosahedron, turned outward.
  const auto joined = [&](int a, int b) {
    return std::abs(squared_norm(m.vertices[at(a)] - m.vertices[at(b)]) - 4) < 0.1;
  };
  for (int a = 0; a < 12; ++a)
    for (int b = a + 1; b < 12; ++b)
      for (int c = b + 1; c < 12; ++c)
        if (joined(a, b) && joined(b, c) && joined(c, a)) {
          const Vec3d &x = m.vertices[at(a)], &y = m.vertices[at(b)], &z = m.vertices[at(c)];
          m.triangles.push_back(dot(cross(x, y), z) > 0 ? Vec3i{{a, b, c}} : Vec3i{{a, c, b}});
        }
  const auto project = [&] {
    for (Vec3d& v : m.vertices) v = v * (radius / norm(v));
  };
  project();
  while (longest_edge(m) > facet * (1 + 1e-9)) {
    m = subdivide(m, 1);
    project();
  }
  return m;
}

TriMesh uv_sphere(double radius, double facet) {
  check_length("sphere radius", radius);
  const int n = cells(kPi * radius, facet, 4), around = 2 * n;
  check_triangles(2.0 * n * around);
  Builder b;
  const int south = b.add({{0, 0, -radius}});
  Loop below;
  TriMesh poles;
  for (int k = 1; k < n; ++k) {
    const double a = kPi * k / n;
    const Loop loop = b.add(circle(radius * std::sin(a), around), -radius * std::cos(a));
    if (k == 1)
      for (int i = 0; i < around; ++i)
        poles.triangles.push_back({{loop[at((i + 1) % around)], loop[at(i)], south}});
    else
      b.loft(below, loop);
    below = loop;
  }
  const int north = b.add({{0, 0, radius}});
  for (int i = 0; i < around; ++i)
    poles.triangles.push_back({{below[at(i)], below[at((i + 1) % around)], north}});
  TriMesh m = b.take();
  m.triangles.insert(m.triangles.end(), poles.triangles.begin(), poles.triangles.end());
  return m;
}

TriMesh sphere_lower_cap(double radius, double height, double facet) {
  check_length("sphere radius", radius);
  check_length("cap height", height);
  if (height > radius)
    throw InputError({.file = {},
                      .element = "cap height",
                      .value = std::to_string(height),
                      .rule = "must be at most the radius",
                      .remedy = "use uv_sphere or icosphere for more"});
  const double angle = std::acos(1 - height / radius);
  const int n = cells(radius * angle, facet, 2);
  check_triangles(16.0 * n * n);
  Builder b;
  const Loop rim = b.rings(n, false, [&](int k, double c, double s) {
    const double r = radius * std::sin(angle * k / n);
    return Vec3d{{r * c, r * s, -radius * std::cos(angle * k / n)}};
  });
  b.disc(rim, radius * std::sin(angle), -radius * std::cos(angle), true);
  return b.take();
}

TriMesh cylinder(double radius, double height, double facet) {
  TriMesh m = cone(radius, radius, height, facet);
  for (Vec3d& v : m.vertices) v[2] -= height / 2;
  return m;
}

TriMesh box(const Vec3d& size, const Vec3i& n) {
  for (int k = 0; k < 3; ++k) {
    check_length("box size", size[k]);
    if (n[k] < 1 || n[k] > 2000)
      throw InputError({.file = {},
                        .element = "box subdivisions",
                        .value = std::to_string(n[k]),
                        .rule = "must be 1 to 2000",
                        .remedy = "give one count per axis"});
  }
  const double x = n[0], y = n[1], z = n[2];
  check_triangles(4 * (x * y + y * z + z * x));
  return cell_surface(lines(-size[0] / 2, size[0] / 2, n[0]),
                      lines(-size[1] / 2, size[1] / 2, n[1]),
                      lines(-size[2] / 2, size[2] / 2, n[2]), [](int, int, int) { return true; });
}

TriMesh cone(double radius_bottom, double radius_top, double height, double facet) {
  check_length("cone radius_bottom", radius_bottom);
  check_length("cone height", height);
  if (!(radius_top >= 0) || !std::isfinite(radius_top)) check_length("cone radius_top", radius_top);
  const double slant = std::hypot(height, radius_bottom - radius_top);
  const int up = cells(slant, facet, 2);
  const int n = radius_top == 0 ? cells(std::max(radius_bottom, slant), facet, 2)
                                : cells(std::max(radius_bottom, radius_top), facet, 2);
  check_triangles(16.0 * n * (n + up));
  Builder b;
  const Loop bottom = b.add(circle(radius_bottom, 8 * n), 0);
  b.disc(bottom, radius_bottom, 0, false);
  if (radius_top == 0) {
    b.rings(
        n, true,
        [&](int k, double c, double s) {
          const double r = radius_bottom * k / n;
          return Vec3d{{r * c, r * s, height - height * k / n}};
        },
        &bottom);
    return b.take();
  }
  Loop below = bottom;
  for (int k = 1; k <= up; ++k) {
    const double f = static_cast<double>(k) / up;
    const double r = k == up ? radius_top : radius_bottom + (radius_top - radius_bottom) * f;
    const Loop loop = b.add(circle(r, 8 * n), k == up ? height : height * f);
    b.loft(below, loop);
    below = loop;
  }
  b.disc(below, radius_top, height, true);
  return b.take();
}

TriMesh capsule(double radius, double length, double facet) {
  check_length("capsule radius", radius);
  check_length("capsule length", length);
  const int n = cells(kPi / 2 * radius, facet, 2), up = cells(length, facet);
  check_triangles(16.0 * n * (n + up));
  Builder b;
  const auto ball = [&](double sign) {
    return [=](int k, double c, double s) {
      const double a = kPi / 2 * k / n;
      const double r = k == n ? radius : radius * std::sin(a);
      const double z = k == n ? 0 : radius * std::cos(a);
      return Vec3d{{r * c, r * s, sign * (length / 2 + z)}};
    };
  };
  Loop below = b.rings(n, false, ball(-1));
  for (int k = 1; k <= up; ++k) {
    const Loop loop = b.add(circle(radius, 8 * n), -length / 2 + length * k / up);
    b.loft(below, loop);
    below = loop;
  }
  b.rings(n, true, ball(1), &below);
  return b.take();
}

TriMesh torus(double major, double minor, double facet) {
  check_length("torus minor radius", minor);
  check_larger("torus major radius", major, minor);
  const int around = 8 * cells(kPi / 4 * (major + minor), facet),
            across = 8 * cells(kPi / 4 * minor, facet);
  check_triangles(2.0 * around * across);
  Builder b;
  std::vector<Loop> loops;
  for (const Vec2d& p : circle(minor, across))
    loops.push_back(b.add(circle(major + p[0], around), p[1]));
  for (std::size_t k = 0; k < loops.size(); ++k) b.loft(loops[k], loops[(k + 1) % loops.size()]);
  return b.take();
}

TriMesh ring(double inner_radius, double outer_radius, double height, double facet) {
  check_length("ring inner_radius", inner_radius);
  check_length("ring height", height);
  check_larger("ring outer_radius", outer_radius, inner_radius);
  const int around = 8 * cells(kPi / 4 * outer_radius, facet, 2), up = cells(height, facet),
            across = cells(outer_radius - inner_radius, facet);
  check_triangles(4.0 * around * (up + across));
  std::vector<Vec2d> profile;  // (radius, height), up outside, in at the top, down inside
  profile.reserve(2 * static_cast<std::size_t>(up + across));
  for (int k = 0; k < up; ++k) profile.push_back({{outer_radius, height * k / up}});
  for (int k = 0; k < across; ++k)
    profile.push_back({{outer_radius + (inner_radius - outer_radius) * k / across, height}});
  for (int k = 0; k < up; ++k) profile.push_back({{inner_radius, height - height * k / up}});
  for (int k = 0; k < across; ++k)
    profile.push_back({{inner_radius + (outer_radius - inner_radius) * k / across, 0}});
  Builder b;
  std::vector<Loop> loops;
  loops.reserve(profile.size());
  for (const Vec2d& p : profile) loops.push_back(b.add(circle(p[0], around), p[1] - height / 2));
  for (std::size_t k = 0; k < loops.size(); ++k) b.loft(loops[k], loops[(k + 1) % loops.size()]);
  return b.take();
}

TriMesh wedge(const Vec3d& size) {
  for (int k = 0; k < 3; ++k) check_length("wedge size", size[k]);
  const double y = size[1] / 2;
  TriMesh m;
  m.vertices = {{{0, -y, 0}}, {{size[0], -y, 0}}, {{0, -y, size[2]}},
                {{0, y, 0}},  {{size[0], y, 0}},  {{0, y, size[2]}}};
  m.triangles = {{{0, 1, 2}}, {{3, 5, 4}}, {{0, 3, 4}}, {{0, 4, 1}},
                 {{1, 4, 5}}, {{1, 5, 2}}, {{0, 2, 5}}, {{0, 5, 3}}};
  return m;
}

TriMesh pins(const Vec2i& count, double spacing, double length) {
  constexpr double kMost = 4e6;
  for (int k = 0; k < 2; ++k)
    if (count[k] < 1 || 1.0 * count[0] * count[1] > kMost)
      throw InputError({.file = {},
                        .element = "pins count",
                        .value = std::to_string(count[0]) + " x " + std::to_string(count[1]),
                        .rule = "must be 1 or more each way, and 4 million in all at most",
                        .remedy = "give two whole numbers"});
  check_length("pins spacing", spacing);
  check_length("pins length", length);
  TriMesh m;
  for (int i = 0; i < count[0]; ++i)
    for (int j = 0; j < count[1]; ++j) {
      const double x = spacing * (i - 0.5 * (count[0] - 1)),
                   y = spacing * (j - 0.5 * (count[1] - 1));
      const int v = static_cast<int>(m.vertices.size());
      m.vertices.insert(m.vertices.end(), {{{x, y, 0}}, {{x, y, -length}}});
      m.segments.push_back({{v, v + 1}});
    }
  return m;
}

TriMesh extrude(const std::vector<Vec2d>& outline, const std::vector<std::vector<Vec2d>>& holes,
                double z0, double z1) {
  if (!std::isfinite(z0) || !std::isfinite(z1)) check_length("extrusion", z1 - z0);
  check_larger("extrusion z1", z1, z0);
  Builder b;
  const Loop bottom = b.add(outline, z0), top = b.add(outline, z1);
  std::vector<Loop> bottom_holes, top_holes;
  for (const Polygon& h : holes) {
    bottom_holes.push_back(b.add(h, z0));
    top_holes.push_back(b.add(h, z1));
  }
  b.cap(bottom, bottom_holes, false);
  b.cap(top, top_holes, true);
  b.loft(bottom, top);
  for (std::size_t h = 0; h < top_holes.size(); ++h) b.loft(bottom_holes[h], top_holes[h]);
  return b.take();
}

}  // namespace haptos
