// A scene that starts in intersection has no barrier energy, so it is refused: which two surfaces,
// which triangles, how deep.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/base/error.h"
#include "haptos/geometry/distance.h"
#include "haptos/geometry/exact.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

TriMesh placed(const ContactSurface& s, const std::vector<Vec3d>& x) {
  TriMesh m;
  for (int p : s.point) m.vertices.push_back(x[at_index(p)]);
  m.triangles = s.triangles;
  return m;
}

std::string millimetres(double metres) {
  char b[40];
  std::snprintf(b, sizeof b, "%.4g mm", 1e3 * metres);
  return b;
}

// The largest distance that a vertex of one mesh lies behind its nearest triangle of the other,
// among triangles that intersect: how far they would have to be moved apart, roughly.
double depth(const TriMesh& a, const TriMesh& b, const std::vector<std::array<int, 2>>& pairs) {
  double deepest = 0;
  auto behind = [&](const TriMesh& m, int t, const TriMesh& o, int u) {
    const Vec3i &c = m.triangles[at_index(t)], &d = o.triangles[at_index(u)];
    const Vec3d &p = o.vertices[at_index(d[0])], &q = o.vertices[at_index(d[1])],
                &r = o.vertices[at_index(d[2])];
    const Vec3d n = normalized(cross(q - p, r - p));
    for (int k = 0; k < 3; ++k) {
      const Vec3d& v = m.vertices[at_index(c[k])];
      if (dot(n, v - p) < 0)
        deepest = std::max(deepest, point_triangle_stencil(v, p, q, r).d);
    }
  };
  for (const auto& [i, j] : pairs) {
    behind(a, i, b, j);
    behind(b, j, a, i);
  }
  return deepest;
}

[[noreturn]] void refuse(const std::string& a, const std::string& b, const std::string& value,
                         const std::string& rule, const std::string& remedy) {
  Diagnostic d;
  d.element = "\"" + a + "\" and \"" + b + "\"";
  d.value = value;
  d.rule = rule;
  d.remedy = remedy;
  throw InputError(d);
}

}  // namespace

void check_start(const Scene& scene, const Workspace& w, const State& state) {
  std::vector<Vec3d> x = w.points.x_start;
  for (std::size_t i = 0; i < w.prescribed.size(); ++i)
    place_prescribed(w.prescribed[i], state.paths[i], x);
  auto glued = [&](const SoftBody& s, const std::string& body) {
    return std::any_of(s.glue.begin(), s.glue.end(),
                       [&](const Glue& g) { return g.body == body; });
  };
  auto disabled = [&](const std::string& a, const std::string& b) {
    return std::any_of(scene.pairs.begin(), scene.pairs.end(), [&](const PairOptions& p) {
      return !p.enabled && ((p.a == a && p.b == b) || (p.a == b && p.b == a));
    });
  };
  for (std::size_t i = 0; i < w.soft.size(); ++i) {
    const SoftBody& soft = scene.soft[i];
    const TriMesh a = placed(*w.soft[i].surface, x);
    for (std::size_t j = 0; j < w.prescribed.size(); ++j) {
      const std::string& name = scene.prescribed[j].name;
      if (!w.prescribed[j].surface || glued(soft, name) || disabled(soft.name, name)) continue;
      const TriMesh b = placed(*w.prescribed[j].surface, x);
      const auto pairs = intersecting_pairs(a, b);
      if (pairs.empty()) continue;
      refuse(soft.name, name,
             "triangle " + std::to_string(pairs[0][0]) + " and triangle " +
                 std::to_string(pairs[0][1]) + " (" + std::to_string(pairs.size()) +
                 " pairs), depth " + millimetres(depth(a, b, pairs)),
             "start in intersection", "move one of them so that there is a gap between them");
    }
    for (const HalfSpace& h : scene.half_spaces) {
      if (disabled(soft.name, h.name)) continue;
      double lowest = 1e300;
      std::size_t vertex = 0;
      for (std::size_t v = 0; v < a.vertices.size(); ++v) {
        const double g = dot(h.normal, a.vertices[v]) - h.offset;
        if (g < lowest) lowest = g, vertex = v;
      }
      if (lowest <= 0)
        refuse(soft.name, h.name,
               "vertex " + std::to_string(vertex) + ", depth " + millimetres(-lowest),
               lowest < 0 ? "start in intersection" : "start with a gap of 0",
               "move one of them so that there is a gap between them");
    }
  }
}

}  // namespace haptos
