#include "haptos/bodies/elastic/soft_model.h"

#include <algorithm>
#include <array>
#include <map>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/refuse.h"
#include "haptos/geometry/mesh/tet_refine.h"
#include "haptos/geometry/mesh/topology.h"

namespace haptos {
namespace {

[[noreturn]] void refuse(const SoftBody& b, const std::string& what, const std::string& value,
                         const std::string& rule, const std::string& remedy) {
  haptos::refuse("soft body \"" + b.name + "\", " + what, value, rule, remedy);
}

void check_vertex(const SoftBody& b, const char* what, int v) {
  if (v >= 0 && v < static_cast<int>(b.mesh.vertices.size())) return;
  refuse(b, what, "vertex " + std::to_string(v),
         "must be from 0 to " + std::to_string(b.mesh.vertices.size() - 1),
         "use vertex numbers of the body's own mesh");
}

// Middles of edges by the vertices of the mesh as given.
using Middles = std::map<std::array<int, 2>, int>;

Middles middles(const SoftBody& body, const RefinedTets& refined) {
  Middles m;
  for (std::size_t i = 0; i < refined.edges.size(); ++i)
    m[{refined.edges[i][0], refined.edges[i][1]}] = static_cast<int>(body.mesh.vertices.size() + i);
  return m;
}

// The four triangles of each triangle: middle k lies between corners k and k + 1. As given where
// there are no middles.
std::vector<Vec3i> refine_triangles(const SoftBody& body, const char* what, const Middles& middle,
                                    const std::vector<Vec3i>& triangles) {
  if (middle.empty()) return triangles;
  std::vector<Vec3i> out;
  for (const Vec3i& t : triangles) {
    int m[3];
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      const auto it = middle.find({std::min(a, b), std::max(a, b)});
      if (it == middle.end())
        refuse(body, what, "edge " + std::to_string(a) + "-" + std::to_string(b),
               "must be an edge of the body's tetrahedra",
               "take triangles from the surface of the mesh");
      m[k] = it->second;
    }
    out.push_back({{t[0], m[0], m[2]}});
    out.push_back({{m[0], t[1], m[1]}});
    out.push_back({{m[2], m[1], t[2]}});
    out.push_back({{m[0], m[1], m[2]}});
  }
  return out;
}

// Triangles of the mesh's surface as given, outward, by vertices of the mesh.
std::vector<Vec3i> facets_of(const TetMesh& mesh) {
  std::vector<int> of_volume;
  std::vector<Vec3i> t = boundary_surface(mesh, &of_volume).triangles;
  for (Vec3i& f : t)
    for (int k = 0; k < 3; ++k) f[k] = of_volume[at_index(f[k])];
  return t;
}

std::array<int, 3> corners(const Vec3i& t) {
  std::array<int, 3> k{t[0], t[1], t[2]};
  std::sort(k.begin(), k.end());
  return k;
}

std::vector<ForceShare> force_shares(const SoftBody& body, const NodalForce& f,
                                     const std::vector<Vec3i>& facets, const Middles& middle,
                                     const std::vector<Vec3d>& rest) {
  std::vector<char> listed(body.mesh.vertices.size(), 0);
  for (const int v : f.vertices) {
    check_vertex(body, "force", v);
    listed[at_index(v)] = 1;
  }
  std::vector<double> weight(rest.size(), 0.0);
  double sum = 0;
  if (f.spread == Spread::kNodes) {
    for (std::size_t v = 0; v < listed.size(); ++v) sum += weight[v] = listed[v];
  } else {
    std::vector<Vec3i> spanned;
    for (const Vec3i& t : facets)
      if (listed[at_index(t[0])] && listed[at_index(t[1])] && listed[at_index(t[2])])
        spanned.push_back(t);
    for (const Vec3i& t : refine_triangles(body, "force", middle, spanned)) {
      const Vec3d& a = rest[at_index(t[0])];
      const double area = 0.5 * norm(cross(rest[at_index(t[1])] - a, rest[at_index(t[2])] - a));
      sum += area;
      for (int k = 0; k < 3; ++k) weight[at_index(t[k])] += area / 3;
    }
    if (sum == 0)
      refuse(body, "force", "", "has vertices that span no surface triangle",
             "list all corners of the triangles it acts on, or spread it over nodes");
  }
  std::vector<ForceShare> shares;
  for (std::size_t v = 0; v < weight.size(); ++v)
    if (weight[v] > 0) shares.push_back({static_cast<int>(v), weight[v] / sum});
  return shares;
}

// The triangles of a pressure as they face outward.
std::vector<Vec3i> pressed_facets(const SoftBody& body, const SurfacePressure& p,
                                  const std::vector<Vec3i>& facets) {
  if (p.triangles.empty()) return facets;
  std::map<std::array<int, 3>, Vec3i> known;
  for (const Vec3i& t : facets) known[corners(t)] = t;
  std::vector<Vec3i> out;
  for (const Vec3i& t : p.triangles) {
    for (int k = 0; k < 3; ++k) check_vertex(body, "pressure", t[k]);
    const auto it = known.find(corners(t));
    if (it == known.end())
      refuse(body, "pressure",
             "triangle " + std::to_string(t[0]) + " " + std::to_string(t[1]) + " " +
                 std::to_string(t[2]),
             "is no triangle of the body's surface or is listed twice",
             "name the vertices of a surface triangle, once");
    out.push_back(it->second);
    known.erase(it);
  }
  return out;
}

void compile_loads(const SoftBody& body, const Middles& middle, SoftModel& m) {
  if (body.forces.empty() && body.pressures.empty()) return;
  const std::vector<Vec3i> facets = facets_of(body.mesh);
  for (const NodalForce& f : body.forces)
    m.forces.push_back(force_shares(body, f, facets, middle, m.rest.vertices));
  for (const SurfacePressure& p : body.pressures)
    m.pressures.push_back(
        refine_triangles(body, "pressure", middle, pressed_facets(body, p, facets)));
}

void check_layer(const SoftBody& b) {
  const auto forbid = [&](bool given, const char* what) {
    if (given)
      refuse(b, std::string("model hydroelastic, ") + what, "",
             "is not for a layer that is carried along", "leave it out, or take model: elastic");
  };
  if (b.glue.size() != 1 || b.glue.front().vertices.empty())
    refuse(b, "model hydroelastic", std::to_string(b.glue.size()) + " bodies that it is glued to",
           "must be glued to one body", "give glue: {body, where}");
  forbid(!b.held.empty(), "held");
  forbid(!b.forces.empty(), "forces");
  forbid(!b.pressures.empty(), "pressures");
  forbid(b.self_contact, "self_contact");
}

}  // namespace

SoftModel compile_soft(const SoftBody& body) {
  SoftModel m;
  const std::size_t given = body.mesh.vertices.size();
  std::vector<int> glued(given, -1);
  std::vector<char> held(given, 0);
  for (std::size_t g = 0; g < body.glue.size(); ++g)
    for (int v : body.glue[g].vertices) {
      check_vertex(body, "glue", v);
      glued[at_index(v)] = static_cast<int>(g);
    }
  for (const HeldVertices& h : body.held)
    for (int v : h.vertices) {
      check_vertex(body, "held", v);
      for (int c = 0; c < 3; ++c)
        if (h.axis[c]) held[at_index(v)] = static_cast<char>(held[at_index(v)] | (1 << c));
    }
  for (const Vec3i& t : body.coat)
    for (int k = 0; k < 3; ++k) check_vertex(body, "coat", t[k]);

  m.given_tets = body.mesh.tets;
  Middles middle;
  if (body.is_layer()) {
    // All of it is carried along: what its coat does is CoatCompliance's matter.
    check_layer(body);
    glued.assign(given, 0);
    m.rest = body.mesh;
    m.coat = body.coat;
  } else if (body.element == Element::kLinear) {
    m.rest = body.mesh;
    m.coat = body.coat;
  } else {
    RefinedTets refined = refine(body.mesh);
    m.patch_size = 8;
    middle = middles(body, refined);
    m.coat = refine_triangles(body, "coat", middle, body.coat);
    // The middle of an edge shares what both of its ends have.
    for (const Vec2i& e : refined.edges) {
      const auto a = at_index(e[0]), b = at_index(e[1]);
      glued.push_back(glued[a] == glued[b] ? glued[a] : -1);
      held.push_back(static_cast<char>(held[a] & held[b]));
    }
    m.rest = std::move(refined.mesh);
  }
  m.glued_to = std::move(glued);
  m.held = std::move(held);
  m.pose = body.pose;
  for (const Vec3d& x : m.rest.vertices) m.start.push_back(body.pose * x);
  compile_loads(body, middle, m);
  m.surface = boundary_surface(m.rest, &m.surface_vertex);
  if (m.coat.empty())
    for (const Vec3i& t : m.surface.triangles)
      m.coat.push_back({{m.surface_vertex[at_index(t[0])], m.surface_vertex[at_index(t[1])],
                         m.surface_vertex[at_index(t[2])]}});
  return m;
}

}  // namespace haptos
