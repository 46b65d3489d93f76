#include "haptos/geometry/make/shapes_detail.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numbers>
#include <string>

#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"

namespace haptos::shapes_detail {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// Cosine and sine of 2 pi k / n, mirrored from the first eighth.
Vec2d direction(int k, int n) {
  if (n % 8 != 0) {
    const double a = 2 * std::numbers::pi * k / n;
    return {{std::cos(a), std::sin(a)}};
  }
  const int quarter = n / 4, q = k / quarter, r = k % quarter;
  const int s = std::min(r, quarter - r);
  const double a = 2 * std::numbers::pi * s / n;
  const double c = 2 * s == quarter ? std::numbers::sqrt2 / 2 : std::cos(a);
  const double d = 2 * s == quarter ? c : std::sin(a);
  const double x = s == r ? c : d, y = s == r ? d : c;
  switch (q % 4) {
    case 0:
      return {{x, y}};
    case 1:
      return {{-y, x}};
    case 2:
      return {{-x, -y}};
    default:
      return {{y, -x}};
  }
}

}  // namespace

void check_length(const char* element, double x) {
  if (!(x > 0) || !std::isfinite(x))
    throw InputError({.file = {},
                      .element = element,
                      .value = to_text(x),
                      .rule = "must be a finite length greater than 0",
                      .remedy = "give it in metres"});
}

int cells(double length, double facet, int least) {
  check_length("shape facet", facet);
  check_length("shape length", length);
  if (length / facet > 2000)
    throw InputError({.file = {},
                      .element = "shape facet",
                      .value = to_text(facet),
                      .rule = "must be at least 1/2000 of the shape's size",
                      .remedy = "give a larger facet in metres"});
  return std::max(least, static_cast<int>(std::ceil(length / facet - 1e-9)));
}

void check_triangles(double triangles) {
  constexpr double kMost = 8e6;
  if (!(triangles <= kMost))
    throw InputError({.file = {},
                      .element = "shape triangles",
                      .value = to_text(triangles),
                      .rule = "must be at most 8 million",
                      .remedy = "give a larger facet or fewer subdivisions"});
}

Polygon circle(double radius, int n, const Vec2d& centre) {
  Polygon p;
  for (int k = 0; k < n; ++k) p.push_back(centre + direction(k, n) * radius);
  return p;
}

Polygon rectangle(double width, double depth, const Vec2d& centre) {
  const double w = width / 2, d = depth / 2;
  return {centre + Vec2d{{-w, -d}}, centre + Vec2d{{w, -d}}, centre + Vec2d{{w, d}},
          centre + Vec2d{{-w, d}}};
}

Loop reversed(const Loop& loop) { return Loop(loop.rbegin(), loop.rend()); }

int Builder::add(const Vec3d& p) {
  mesh_.vertices.push_back(p);
  return static_cast<int>(mesh_.vertices.size()) - 1;
}

Loop Builder::add(const Polygon& polygon, double z) {
  Loop loop;
  for (const Vec2d& p : polygon) loop.push_back(add({{p[0], p[1], z}}));
  return loop;
}

void Builder::loft(const Loop& from, const Loop& to) {
  const std::size_t n = from.size();
  for (std::size_t i = 0; i < n; ++i) {
    const int a = from[i], b = from[(i + 1) % n], c = to[(i + 1) % n], d = to[i];
    // The shorter diagonal keeps facets of a twisted or tapering strip compact.
    if (squared_norm(vertex(a) - vertex(c)) <= squared_norm(vertex(b) - vertex(d))) {
      mesh_.triangles.push_back({{a, b, c}});
      mesh_.triangles.push_back({{a, c, d}});
    } else {
      mesh_.triangles.push_back({{a, b, d}});
      mesh_.triangles.push_back({{b, c, d}});
    }
  }
}

void Builder::cap(const Loop& outline, const std::vector<Loop>& holes, bool up) {
  Loop index;
  const auto flat = [&](const Loop& loop) {
    Polygon p;
    for (const int v : loop) {
      index.push_back(v);
      p.push_back({{vertex(v)[0], vertex(v)[1]}});
    }
    return p;
  };
  const Polygon outer = flat(outline);
  std::vector<Polygon> inner;
  inner.reserve(holes.size());
  for (const Loop& h : holes) inner.push_back(flat(h));
  for (const Vec3i& t : triangulate(outer, inner)) {
    const Vec3i v{{index[at(t[0])], index[at(t[1])], index[at(t[2])]}};
    mesh_.triangles.push_back(up ? v : Vec3i{{v[0], v[2], v[1]}});
  }
}

Loop Builder::rings(int n, bool up, const std::function<Vec3d(int, double, double)>& point,
                    const Loop* outer) {
  const auto triangle = [&](int a, int b, int c) {
    mesh_.triangles.push_back(up ? Vec3i{{a, b, c}} : Vec3i{{a, c, b}});
  };
  const int centre = add(point(0, 1, 0));
  Loop inside(8, centre);
  for (int k = 0; k < n; ++k) {
    Loop ring;
    if (k + 1 == n && outer) {
      ring = *outer;
    } else {
      for (int i = 0; i < 8 * (k + 1); ++i) {
        const Vec2d d = direction(i, 8 * (k + 1));
        ring.push_back(add(point(k + 1, d[0], d[1])));
      }
    }
    // Eight sectors with k cells inside and k + 1 outside each.
    const auto in = [&](int i) { return k == 0 ? centre : inside[at(i % (8 * k))]; };
    const auto out = [&](int i) { return ring[at(i % (8 * (k + 1)))]; };
    for (int s = 0; s < 8; ++s) {
      for (int a = 0; a <= k; ++a)
        triangle(in(s * k + a), out(s * (k + 1) + a), out(s * (k + 1) + a + 1));
      for (int a = 0; a < k; ++a)
        triangle(in(s * k + a), out(s * (k + 1) + a + 1), in(s * k + a + 1));
    }
    inside = ring;
  }
  return inside;
}

void Builder::disc(const Loop& outer, double radius, double z, bool up) {
  const int n = static_cast<int>(outer.size()) / 8;
  rings(
      n, up,
      [&](int k, double c, double s) {
        return Vec3d{{radius * k / n * c, radius * k / n * s, z}};
      },
      &outer);
}

Loop Builder::height_field(const std::vector<double>& x, const std::vector<double>& y,
                           const std::function<double(double, double)>& z) {
  const int nx = static_cast<int>(x.size()), ny = static_cast<int>(y.size());
  const int start = static_cast<int>(mesh_.vertices.size());
  const auto id = [&](int i, int j) { return start + j * nx + i; };
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) add({{x[at(i)], y[at(j)], z(x[at(i)], y[at(j)])}});
  for (int j = 0; j + 1 < ny; ++j)
    for (int i = 0; i + 1 < nx; ++i) {
      const int a = id(i, j), b = id(i + 1, j), c = id(i + 1, j + 1), d = id(i, j + 1);
      if ((i + j) % 2 == 0) {
        mesh_.triangles.push_back({{a, b, c}});
        mesh_.triangles.push_back({{a, c, d}});
      } else {
        mesh_.triangles.push_back({{a, b, d}});
        mesh_.triangles.push_back({{b, c, d}});
      }
    }
  Loop border;
  for (int i = 0; i + 1 < nx; ++i) border.push_back(id(i, 0));
  for (int j = 0; j + 1 < ny; ++j) border.push_back(id(nx - 1, j));
  for (int i = nx - 1; i > 0; --i) border.push_back(id(i, ny - 1));
  for (int j = ny - 1; j > 0; --j) border.push_back(id(0, j));
  return border;
}

TriMesh cell_surface(const std::vector<double>& x, const std::vector<double>& y,
                     const std::vector<double>& z,
                     const std::function<bool(int, int, int)>& filled) {
  const int n[3] = {static_cast<int>(x.size()) - 1, static_cast<int>(y.size()) - 1,
                    static_cast<int>(z.size()) - 1};
  if (static_cast<double>(n[0]) * n[1] * n[2] > 1e7)
    throw InputError({.file = {},
                      .element = "cells",
                      .value = std::to_string(static_cast<double>(n[0]) * n[1] * n[2]),
                      .rule = "must be at most 10 million",
                      .remedy = "ask for fewer subdivisions"});
  const auto solid = [&](const Vec3i& c) {
    for (int k = 0; k < 3; ++k)
      if (c[k] < 0 || c[k] >= n[k]) return false;
    return filled(c[0], c[1], c[2]);
  };
  TriMesh mesh;
  std::map<std::array<int, 3>, int> known;
  const auto id = [&](const Vec3i& p) {
    const auto [it, fresh] = known.try_emplace({p[0], p[1], p[2]}, mesh.vertices.size());
    if (fresh) mesh.vertices.push_back({{x[at(p[0])], y[at(p[1])], z[at(p[2])]}});
    return it->second;
  };
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        const Vec3i cell{{i, j, k}};
        if (!solid(cell)) continue;
        for (int axis = 0; axis < 3; ++axis)
          for (int side = 0; side < 2; ++side) {
            Vec3i beyond = cell;
            beyond[axis] += side == 1 ? 1 : -1;
            if (solid(beyond)) continue;
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            Vec3i p = cell;
            p[axis] += side;
            const auto corner = [&](int du, int dv) {
              Vec3i q = p;
              q[u] += du;
              q[v] += dv;
              return id(q);
            };
            const int a = corner(0, 0), b = corner(1, 0), c = corner(1, 1), d = corner(0, 1);
            const auto triangle = [&](int r, int s, int t) {
              mesh.triangles.push_back(side == 1 ? Vec3i{{r, s, t}} : Vec3i{{r, t, s}});
            };
            if ((cell[u] + cell[v]) % 2 == 0) {
              triangle(a, b, c);
              triangle(a, c, d);
            } else {
              triangle(a, b, d);
              triangle(b, c, d);
            }
          }
      }
  return mesh;
}

}  // namespace haptos::shapes_detail
