// A scene that starts in intersection has no barrier energy, so it is refused: which two surfaces,
// which triangles, how deep.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/refuse.h"
#include "haptos/geometry/query/distance.h"
#include "haptos/geometry/query/exact.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pairs.h"
#include "haptos/sim/model/pressed_inside.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

TriMesh placed(const ContactSurface& s, const std::vector<Vec3d>& x) {
  TriMesh m;
  for (int p : s.point) m.vertices.push_back(x[at_index(p)]);
  m.triangles = s.triangles;
  for (const Vec3i& c : s.loose)
    if (c[0] == c[1])
      m.points.push_back(c[0]);
    else
      m.segments.push_back({{c[0], c[1]}});
  return m;
}

std::string millimetres(double metres) {
  char b[40];
  std::snprintf(b, sizeof b, "%.4g mm", 1e3 * metres);
  return b;
}

// Winding number of a surface about p: 1 inside a closed one, 0 outside (van Oosterom, Strackee
// 1983).
double winding_number(const TriMesh& m, const Vec3d& p) {
  double sum = 0;
  for (const Vec3i& t : m.triangles) {
    const Vec3d a = m.vertices[at_index(t[0])] - p, b = m.vertices[at_index(t[1])] - p,
                c = m.vertices[at_index(t[2])] - p;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    sum += std::atan2(dot(a, cross(b, c)),
                      la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return sum / (2 * M_PI);
}

double distance_to(const TriMesh& m, const Vec3d& p) {
  double d = 1e300;
  for (const Vec3i& t : m.triangles)
    d = std::min(d, point_triangle_stencil(p, m.vertices[at_index(t[0])],
                                           m.vertices[at_index(t[1])], m.vertices[at_index(t[2])])
                        .d);
  return d;
}

// How deep m reaches into `other`: over points of its triangles that intersect (corners, middles of
// edges, centres), and over its vertices within the other's box.
double depth_inside(const TriMesh& m, const TriMesh& other, const std::set<int>& triangles) {
  constexpr std::size_t kMost = 600;  // points looked at of each kind: a message needs no more
  std::vector<Vec3d> points;
  for (int t : triangles) {
    const Vec3i& c = m.triangles[at_index(t)];
    const Vec3d &x = m.vertices[at_index(c[0])], &y = m.vertices[at_index(c[1])],
                &z = m.vertices[at_index(c[2])];
    if (points.size() < kMost)
      points.insert(points.end(),
                    {(x + y) * 0.5, (y + z) * 0.5, (z + x) * 0.5, (x + y + z) * (1.0 / 3)});
  }
  Aabb box;
  for (const Vec3d& v : other.vertices) box.merge(v);
  std::vector<Vec3d> near;
  for (const Vec3d& v : m.vertices)
    if (box.contains(v)) near.push_back(v);
  for (std::size_t i = 0; i < near.size(); i += near.size() / kMost + 1) points.push_back(near[i]);
  double deepest = 0;
  for (const Vec3d& p : points) {
    const double d = distance_to(other, p);
    if (d > deepest && winding_number(other, p) > 0.5) deepest = d;
  }
  return deepest;
}

double depth(const TriMesh& a, const TriMesh& b, const std::vector<std::array<int, 2>>& pairs) {
  std::set<int> of_a, of_b;
  for (const auto& [i, j] : pairs) {
    of_a.insert(i);
    of_b.insert(j);
  }
  return std::max(depth_inside(a, b, of_a), depth_inside(b, a, of_b));
}

[[noreturn]] void refuse(const std::string& a, const std::string& b, const std::string& value,
                         const std::string& rule, const std::string& remedy) {
  haptos::refuse("\"" + a + "\" and \"" + b + "\"", value, rule, remedy);
}

struct Placed {
  std::string name;
  TriMesh mesh;
  FrozenSurface inside;
  Aabb box;

  Placed(std::string n, TriMesh m, FrozenSurface i = {})
      : name(std::move(n)), mesh(std::move(m)), inside(std::move(i)) {
    for (const Vec3d& v : mesh.vertices) box.merge(v);
  }
};

// The remedy, with a word on units where one of the two is a hundred times as large as the other.
std::string remedy_for(const Placed& a, const Placed& b) {
  const auto size = [](const Placed& p) {
    const Vec3d e = p.box.extent();
    return std::max({e[0], e[1], e[2]});
  };
  const std::string hint = unit_hint(a.name, size(a), b.name, size(b));
  return "move one of them so that there is a gap between them" + (hint.empty() ? "" : "; " + hint);
}

// A surface that has triangles only with the segments and points of another.
void check_loose(const Placed& a, const Placed& loose) {
  if (loose.mesh.only_triangles() || !a.box.overlaps(loose.box)) return;
  const std::size_t segments = loose.mesh.segments.size();
  const auto name = [&](std::size_t i) {
    if (i >= segments)
      return "the point of vertex " + std::to_string(loose.mesh.points[i - segments]);
    const Vec2i& s = loose.mesh.segments[i];
    return "the segment of vertices " + std::to_string(s[0]) + " and " + std::to_string(s[1]);
  };
  const std::string remedy = remedy_for(a, loose);
  const auto pairs = loose_triangle_pairs(loose.mesh, a.mesh);
  if (!pairs.empty())
    refuse(a.name, loose.name,
           "triangle " + std::to_string(pairs[0][1]) + " and " + name(at_index(pairs[0][0])) +
               " (" + std::to_string(pairs.size()) + " pairs)",
           "start in intersection", remedy);
  // Nothing is cut, but it may lie wholly inside.
  for (std::size_t i = 0; i < segments + loose.mesh.points.size(); ++i) {
    const int v = i < segments ? loose.mesh.segments[i][0] : loose.mesh.points[i - segments];
    const Vec3d& x = loose.mesh.vertices[at_index(v)];
    if (a.box.contains(x) && winding_number(a.mesh, x) > 0.5)
      refuse(a.name, loose.name, name(i), "start one inside the other", remedy);
  }
}

void check_pair(const Placed& a, const Placed& b) {
  if (!a.box.overlaps(b.box)) return;
  const auto pairs = intersecting_pairs(a.mesh, b.mesh);
  if (!pairs.empty())
    refuse(a.name, b.name,
           "triangle " + std::to_string(pairs[0][0]) + " and triangle " +
               std::to_string(pairs[0][1]) + " (" + std::to_string(pairs.size()) +
               " pairs), depth " + millimetres(depth(a.mesh, b.mesh, pairs)),
           "start in intersection", remedy_for(a, b));
  check_loose(a, b);
  // No triangle is cut, but one may lie wholly inside the other.
  if (b.mesh.triangles.empty()) return;
  if (winding_number(b.mesh, a.mesh.vertices[0]) > 0.5 ||
      winding_number(a.mesh, b.mesh.vertices[0]) > 0.5)
    refuse(a.name, b.name, "", "start one inside the other", remedy_for(a, b));
}

void check_self(const Placed& a) {
  const auto pairs = self_intersections(a.mesh);
  if (pairs.empty()) return;
  refuse(a.name, a.name,
         "triangle " + std::to_string(pairs[0][0]) + " and triangle " +
             std::to_string(pairs[0][1]) + " (" + std::to_string(pairs.size()) + " pairs)",
         "start in intersection of its surface with itself",
         "repair the mesh, or leave self_contact out");
}

void check_half_space(const Placed& a, const HalfSpace& h) {
  double lowest = 1e300;
  std::size_t vertex = 0;
  for (std::size_t v = 0; v < a.mesh.vertices.size(); ++v) {
    const double g = dot(h.normal, a.mesh.vertices[v]) - h.offset;
    if (g < lowest) lowest = g, vertex = v;
  }
  if (lowest <= 0)
    refuse(a.name, h.name, "vertex " + std::to_string(vertex) + ", depth " + millimetres(-lowest),
           lowest < 0 ? "start in intersection" : "start with a gap of 0",
           "move one of them so that there is a gap between them");
}

}  // namespace

void check_start(const Model& model, const Workspace& w, const State& state) {
  const Scene& scene = model.scene;
  std::vector<Vec3d> x = w.points.x_start;
  place_stiff(state, w, x);
  std::vector<Placed> free, prescribed;
  for (std::size_t i = 0; i < w.soft.size(); ++i)
    if (!w.soft[i].coat && !w.soft[i].cloud) {
      free.push_back({scene.soft[i].name, placed(*w.soft[i].surface, x)});
      if (scene.soft[i].self_contact) check_self(free.back());
    }
  for (std::size_t i = 0; i < w.affine.size(); ++i)
    free.push_back({scene.affine[i].name, placed(*w.affine[i].surface, x)});
  for (std::size_t j = 0; j < w.prescribed.size(); ++j)
    if (w.prescribed[j].surface)
      prescribed.push_back({scene.prescribed[j].name, placed(*w.prescribed[j].surface, x),
                            pressed_inside(model, j)});
  for (std::size_t r = 0; r < w.robots.size(); ++r)
    for (const LinkParts& l : w.robots[r].links)
      for (const auto& s : l.surfaces) {
        const Placed link{model.body_names[at_index(l.body)], placed(*s, x),
                          pressed_inside(model, r, l.link, s->part)};
        for (const Placed& p : free)
          if (may_touch(scene, p.name, link.name)) check_pair(p, link);
        for (const Placed& p : prescribed)  // those that meet by pressure may overlap
          if (may_touch(scene, p.name, link.name) &&
              !meet_by_pressure(scene, p.name, p.inside, link.name, link.inside))
            check_pair(p, link);
      }
  for (std::size_t i = 0; i < free.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j)
      if (may_touch(scene, free[i].name, free[j].name)) check_pair(free[i], free[j]);
    for (const Placed& p : prescribed)
      if (may_touch(scene, free[i].name, p.name)) check_pair(free[i], p);
    for (const HalfSpace& h : scene.half_spaces)
      if (may_touch(scene, free[i].name, h.name)) check_half_space(free[i], h);
  }
}

}  // namespace haptos
