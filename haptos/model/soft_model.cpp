#include "haptos/model/soft_model.h"

#include <algorithm>
#include <array>
#include <map>

#include "haptos/base/error.h"
#include "haptos/geometry/tet_refine.h"
#include "haptos/geometry/topology.h"

namespace haptos {
namespace {

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

void check_vertex(const SoftBody& b, const char* what, int v) {
  if (v >= 0 && v < static_cast<int>(b.mesh.vertices.size())) return;
  Diagnostic d;
  d.element = "soft body \"" + b.name + "\", " + what;
  d.value = "vertex " + std::to_string(v);
  d.rule = "must be from 0 to " + std::to_string(b.mesh.vertices.size() - 1);
  d.remedy = "use vertex numbers of the body's own mesh";
  throw InputError(d);
}

// The four triangles of a refined triangle: middle k lies between corners k and k + 1.
std::vector<Vec3i> refine_coat(const SoftBody& body, const RefinedTets& refined) {
  std::map<std::array<int, 2>, int> middle;
  for (std::size_t i = 0; i < refined.edges.size(); ++i)
    middle[{refined.edges[i][0], refined.edges[i][1]}] =
        static_cast<int>(body.mesh.vertices.size() + i);
  std::vector<Vec3i> out;
  for (const Vec3i& t : body.coat) {
    int m[3];
    for (int k = 0; k < 3; ++k) {
      const int a = t[k], b = t[(k + 1) % 3];
      const auto it = middle.find({std::min(a, b), std::max(a, b)});
      if (it == middle.end()) {
        Diagnostic d;
        d.element = "soft body \"" + body.name + "\", coat";
        d.value = "edge " + std::to_string(a) + "-" + std::to_string(b);
        d.rule = "must be an edge of the body's tetrahedra";
        d.remedy = "take coat triangles from the surface of the mesh";
        throw InputError(d);
      }
      m[k] = it->second;
    }
    out.push_back({{t[0], m[0], m[2]}});
    out.push_back({{m[0], t[1], m[1]}});
    out.push_back({{m[2], m[1], t[2]}});
    out.push_back({{m[0], m[1], m[2]}});
  }
  return out;
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
  if (body.element == Element::kLinear) {
    m.rest = body.mesh;
    m.coat = body.coat;
  } else {
    RefinedTets refined = refine(body.mesh);
    m.patch_size = 8;
    m.coat = refine_coat(body, refined);
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
  m.surface = boundary_surface(m.rest, &m.surface_vertex);
  if (m.coat.empty())
    for (const Vec3i& t : m.surface.triangles)
      m.coat.push_back({{m.surface_vertex[at_index(t[0])], m.surface_vertex[at_index(t[1])],
                         m.surface_vertex[at_index(t[2])]}});
  return m;
}

}  // namespace haptos
