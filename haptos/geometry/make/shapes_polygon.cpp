// Triangulation of polygons with holes: holes are joined to the outline by bridges, ears are cut
// off with exact orientation tests, and edges are then flipped until no flip widens the smallest
// angle (Lawson), which leaves the constrained Delaunay triangulation.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "haptos/base/text/error.h"
#include "haptos/geometry/make/shapes_detail.h"
#include "haptos/geometry/query/exact.h"

namespace haptos::shapes_detail {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

[[noreturn]] void reject(const char* rule) {
  throw InputError({.file = {},
                    .element = "polygon",
                    .value = {},
                    .rule = rule,
                    .remedy = "give a simple counter-clockwise outline and clockwise holes that "
                              "do not touch it or each other"});
}

int turn(const std::vector<Vec2d>& p, int a, int b, int c) {
  return orient2d_sign(p[at(a)], p[at(b)], p[at(c)]);
}

// Whether closed segments share a point.
bool meet(const std::vector<Vec2d>& p, int a, int b, int c, int d) {
  for (int k = 0; k < 2; ++k) {
    const auto [l0, h0] = std::minmax(p[at(a)][k], p[at(b)][k]);
    const auto [l1, h1] = std::minmax(p[at(c)][k], p[at(d)][k]);
    if (h0 < l1 || h1 < l0) return false;
  }
  return turn(p, a, b, c) * turn(p, a, b, d) <= 0 && turn(p, c, d, a) * turn(p, c, d, b) <= 0;
}

bool in_triangle(const std::vector<Vec2d>& p, int a, int b, int c, int q) {
  return turn(p, a, b, q) >= 0 && turn(p, b, c, q) >= 0 && turn(p, c, a, q) >= 0;
}

using Side = std::pair<int, int>;

void check_simple(const std::vector<Vec2d>& p, const std::vector<Side>& sides) {
  for (std::size_t i = 0; i < sides.size(); ++i)
    for (std::size_t j = i + 1; j < sides.size(); ++j) {
      const auto [a, b] = sides[i];
      const auto [c, d] = sides[j];
      if (b == c || a == d) {
        // Neighbours share a corner; they must not run back over each other.
        const int u = b == c ? a : b, v = b == c ? b : a, w = b == c ? d : c;
        const Vec2d x = p[at(u)] - p[at(v)], y = p[at(w)] - p[at(v)];
        if (turn(p, u, v, w) == 0 && !(dot(x, y) < 0)) reject("must not run back over itself");
      } else if (meet(p, a, b, c, d)) {
        reject("must not cross or touch itself");
      }
    }
}

// Joins a hole to the ring of corners by the shortest segment that crosses no side.
void bridge(const std::vector<Vec2d>& p, const std::vector<Side>& sides, const Loop& hole,
            Loop& ring) {
  double best = std::numeric_limits<double>::infinity();
  std::size_t from = 0, to = 0;
  for (std::size_t r = 0; r < ring.size(); ++r)
    for (std::size_t h = 0; h < hole.size(); ++h) {
      const double d = squared_norm(p[at(ring[r])] - p[at(hole[h])]);
      if (!(d < best)) continue;
      // A corner that an earlier bridge doubled has two sides to leave it by; take the right one.
      const int before = ring[(r + ring.size() - 1) % ring.size()], here = ring[r],
                after = ring[(r + 1) % ring.size()];
      const bool convex = turn(p, before, here, after) > 0;
      const bool left_in = turn(p, before, here, hole[h]) > 0;
      const bool left_out = turn(p, here, after, hole[h]) > 0;
      if (convex ? !(left_in && left_out) : !(left_in || left_out)) continue;
      bool clear = true;
      for (const auto& [a, b] : sides)
        clear = clear && (a == here || b == here || a == hole[h] || b == hole[h] ||
                          !meet(p, here, hole[h], a, b));
      for (std::size_t k = 0; clear && k < ring.size(); ++k) {  // earlier bridges
        const int a = ring[k], b = ring[(k + 1) % ring.size()];
        clear = a == here || b == here || !meet(p, here, hole[h], a, b);
      }
      if (!clear) continue;
      best = d;
      from = r;
      to = h;
    }
  if (!std::isfinite(best)) reject("must hold its holes");
  Loop joined(ring.begin(), ring.begin() + static_cast<std::ptrdiff_t>(from) + 1);
  for (std::size_t k = 0; k <= hole.size(); ++k) joined.push_back(hole[(to + k) % hole.size()]);
  joined.insert(joined.end(), ring.begin() + static_cast<std::ptrdiff_t>(from), ring.end());
  ring = std::move(joined);
}

std::vector<Vec3i> cut_ears(const std::vector<Vec2d>& p, Loop ring) {
  std::vector<Vec3i> triangles;
  std::size_t i = 0, tried = 0;
  while (ring.size() > 3) {
    const std::size_t n = ring.size();
    const int a = ring[(i + n - 1) % n], b = ring[i % n], c = ring[(i + 1) % n];
    bool ear = a != c && turn(p, a, b, c) > 0;
    for (std::size_t k = 0; ear && k < n; ++k) {
      const int q = ring[k];
      ear = q == a || q == b || q == c || !in_triangle(p, a, b, c, q);
    }
    if (ear) {
      triangles.push_back({{a, b, c}});
      ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(i % n));
      // Going on two corners later gives fewer fans than staying.
      i = (i + 1) % ring.size();
      tried = 0;
    } else {
      i = (i + 1) % n;
      if (++tried > n) reject("must not cross or touch itself");
    }
  }
  if (turn(p, ring[0], ring[1], ring[2]) <= 0) reject("must enclose an area");
  triangles.push_back({{ring[0], ring[1], ring[2]}});
  return triangles;
}

// Whether d lies inside the circle through a, b, c by more than round-off.
bool in_circle(const Vec2d& a, const Vec2d& b, const Vec2d& c, const Vec2d& d) {
  const Vec2d u = a - d, v = b - d, w = c - d;
  const double uu = dot(u, u), vv = dot(v, v), ww = dot(w, w);
  const double det = u[0] * (v[1] * ww - w[1] * vv) - u[1] * (v[0] * ww - w[0] * vv) +
                     uu * (v[0] * w[1] - w[0] * v[1]);
  const double size = std::max({uu, vv, ww});
  return det > 1e-10 * size * size;
}

void flip_to_delaunay(const std::vector<Vec2d>& p, const std::vector<Side>& sides,
                      std::vector<Vec3i>& triangles) {
  std::map<Side, int> fixed;
  for (const auto& [a, b] : sides) fixed[std::minmax(a, b)] = 1;
  // A pass flips edges between triangles that it has not changed yet. Every flip lifts the least
  // angle by more than round-off, so passes end; the bound only guards against a bug.
  bool changed = true;
  for (std::size_t pass = 0; changed && pass < 10 * triangles.size() + 10; ++pass) {
    changed = false;
    std::vector<char> touched(triangles.size(), 0);
    std::map<Side, std::pair<int, int>> first;  // edge -> triangle, corner opposite
    for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
      for (int k = 0; k < 3 && !touched[at(t)]; ++k) {
        const int a = triangles[at(t)][(k + 1) % 3], b = triangles[at(t)][(k + 2) % 3];
        const Side edge = std::minmax(a, b);
        if (fixed.count(edge)) continue;
        const auto [it, fresh] = first.try_emplace(edge, t, k);
        if (fresh) continue;
        // Triangle t is (c, a, b); its neighbour s is (d, b, a).
        const auto [s, j] = it->second;
        if (touched[at(s)]) continue;
        const int c = triangles[at(t)][k], d = triangles[at(s)][j];
        if (turn(p, c, a, d) <= 0 || turn(p, d, b, c) <= 0 ||
            !in_circle(p[at(c)], p[at(a)], p[at(b)], p[at(d)]))
          continue;
        triangles[at(t)] = {{c, a, d}};
        triangles[at(s)] = {{d, b, c}};
        touched[at(t)] = touched[at(s)] = 1;
        changed = true;
      }
    }
  }
}

}  // namespace

std::vector<Vec3i> triangulate(const Polygon& outline, const std::vector<Polygon>& holes) {
  std::vector<Vec2d> p;
  std::vector<Side> sides;
  std::vector<Loop> loops;
  const auto add = [&](const Polygon& polygon) {
    if (polygon.size() < 3) reject("must have three corners or more");
    Loop loop;
    const int start = static_cast<int>(p.size()), n = static_cast<int>(polygon.size());
    for (int i = 0; i < n; ++i) {
      if (!std::isfinite(polygon[at(i)][0]) || !std::isfinite(polygon[at(i)][1]))
        reject("must have finite corners");
      loop.push_back(start + i);
      sides.emplace_back(start + i, start + (i + 1) % n);
      p.push_back(polygon[at(i)]);
    }
    loops.push_back(std::move(loop));
  };
  add(outline);
  for (const Polygon& h : holes) add(h);
  if (p.size() > 5000) reject("must have at most 5000 corners");
  check_simple(p, sides);
  const auto twice_area = [&](const Loop& l) {
    double s = 0;
    for (std::size_t i = 0; i < l.size(); ++i) {
      const Vec2d &x = p[at(l[i])], &y = p[at(l[(i + 1) % l.size()])];
      s += x[0] * y[1] - x[1] * y[0];
    }
    return s;
  };
  for (std::size_t l = 0; l < loops.size(); ++l)
    if ((twice_area(loops[l]) > 0) != (l == 0))
      reject("must have a counter-clockwise outline and clockwise holes");

  Loop ring = loops[0];
  for (std::size_t h = 1; h < loops.size(); ++h) bridge(p, sides, loops[h], ring);
  std::vector<Vec3i> triangles = cut_ears(p, std::move(ring));
  flip_to_delaunay(p, sides, triangles);
  return triangles;
}

}  // namespace haptos::shapes_detail
