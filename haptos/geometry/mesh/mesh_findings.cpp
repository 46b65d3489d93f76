// The words of mesh_check.h: reports as sentences, and the refusals.
#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/mesh/mesh_check.h"

namespace haptos {

namespace {

std::string show(int id) { return std::to_string(id); }
template <int N>
std::string show(const Vec<int, N>& ids) {
  std::string s = "(";
  for (int k = 0; k < N; ++k) s += (k ? ", " : "") + std::to_string(ids[k]);
  return s + ")";
}

constexpr std::size_t kShown = 5;

template <class T>
std::string list(const Found<T>& found) {
  std::string s;
  const std::size_t n = std::min(found.first.size(), kShown);
  for (std::size_t i = 0; i < n; ++i) s += (i ? ", " : "") + show(found.first[i]);
  if (found.count > static_cast<std::int64_t>(n)) s += n ? " and others" : "not listed";
  return s;
}

// "3 triangles have no area: 4, 7, 9."; `one` and `many` are subject and verb.
template <class T>
void say(std::vector<std::string>& out, const Found<T>& found, const char* one, const char* many) {
  if (found)
    out.push_back(std::to_string(found.count) + " " + (found.count == 1 ? one : many) + ": " +
                  list(found) + ".");
}

template <class Report>
void say_common(std::vector<std::string>& out, const Report& r) {
  say(out, r.nonfinite_vertices, "vertex is not finite", "vertices are not finite");
  say(out, r.unreferenced_vertices, "vertex is not used", "vertices are not used");
  say(out, r.duplicate_vertices, "vertex has the coordinates of an earlier one",
      "vertices have the coordinates of an earlier one");
}

// Throws for the first element of a list that is not empty.
template <class T>
void refuse(const std::string& name, const Found<T>& found, const char* kind, const char* kinds,
            const char* rule, const char* remedy) {
  if (!found) return;
  const std::string which = found.first.empty() ? "" : " " + show(found.first.front());
  throw InputError(Diagnostic{
      name, 0, 0, kind + which,
      found.count > 1 ? std::to_string(found.count) + " such " + kinds + ": " + list(found) : "",
      rule, remedy});
}

[[noreturn]] void refuse(const std::string& name, std::string element, std::string value,
                         const char* rule, const char* remedy) {
  throw InputError(Diagnostic{name, 0, 0, std::move(element), std::move(value), rule, remedy});
}

}  // namespace

bool SurfaceReport::closed() const {
  return triangles > 0 && segments == 0 && points == 0 && !open_edges && !nonmanifold_edges &&
         !invalid_triangles && !nonfinite_vertices;
}

bool SurfaceReport::consistent() const { return !inconsistent_edges; }

bool SurfaceReport::outward() const { return closed() && consistent() && volume > 0; }

std::vector<std::string> SurfaceReport::findings() const {
  std::vector<std::string> out;
  if (triangles == 0 && segments == 0 && points == 0)
    out.push_back("The surface has no triangles.");
  say_common(out, *this);
  say(out, invalid_triangles, "triangle names a missing vertex", "triangles name missing vertices");
  say(out, degenerate_triangles, "triangle has no area", "triangles have no area");
  say(out, duplicate_triangles, "triangle repeats an earlier one",
      "triangles repeat an earlier one");
  say(out, open_edges, "edge has one triangle, so the surface is open",
      "edges have one triangle, so the surface is open");
  say(out, nonmanifold_edges, "edge has three or more triangles",
      "edges have three or more triangles");
  say(out, inconsistent_edges, "edge joins triangles that face opposite ways",
      "edges join triangles that face opposite ways");
  say(out, bow_tie_vertices, "vertex joins separate fans of triangles",
      "vertices join separate fans of triangles");
  say(out, invalid_segments, "segment names a missing vertex", "segments name missing vertices");
  say(out, degenerate_segments, "segment has no length", "segments have no length");
  say(out, duplicate_segments, "segment repeats an earlier one", "segments repeat an earlier one");
  say(out, invalid_points, "point names a missing vertex", "points name missing vertices");
  say(out, duplicate_points, "point repeats an earlier one", "points repeat an earlier one");
  say(out, intersecting_triangles, "pair of triangles cuts through each other",
      "pairs of triangles cut through each other");
  if (closed() && consistent() && !(volume > 0))
    out.push_back("The surface is closed but faces inward: its volume is " + to_text(volume) +
                  " m^3.");
  return out;
}

std::vector<std::string> VolumeReport::findings() const {
  std::vector<std::string> out;
  if (tets == 0) out.push_back("The volume has no tetrahedra.");
  say_common(out, *this);
  say(out, invalid_tets, "tetrahedron names a missing vertex", "tetrahedra name missing vertices");
  say(out, repeated_index_tets, "tetrahedron names a vertex twice",
      "tetrahedra name a vertex twice");
  say(out, inverted_tets, "tetrahedron is inverted", "tetrahedra are inverted");
  say(out, zero_volume_tets, "tetrahedron has no volume", "tetrahedra have no volume");
  say(out, duplicate_tets, "tetrahedron repeats an earlier one",
      "tetrahedra repeat an earlier one");
  say(out, nonmanifold_faces, "face has three or more tetrahedra",
      "faces have three or more tetrahedra");
  if (components > 1)
    out.push_back("The volume is in " + std::to_string(components) + " separate parts.");
  if (const int holes = boundary_components - components; holes > 0)
    out.push_back("The volume has " + std::to_string(holes) +
                  (holes == 1 ? " hole inside." : " holes inside."));
  constexpr double kPoor = 0.01;
  if (worst_tet >= 0 && worst_quality > 0 && worst_quality < kPoor)
    out.push_back("Tetrahedron " + std::to_string(worst_tet) +
                  " is nearly flat: eta = " + to_text(worst_quality) + ".");
  return out;
}

SurfaceReport require_contact_surface(const TriMesh& mesh, const std::string& name,
                                      const SurfaceNeeds& needs) {
  if (mesh.empty())
    refuse(name, "surface", "", "a contact surface needs triangles, segments or points",
           "name them by the numbers of their vertices");
  CheckOptions options;
  options.self_intersection = needs.no_self_intersection;
  SurfaceReport r = check_surface(mesh, options);
  refuse(name, r.nonfinite_vertices, "vertex", "vertices", "coordinates must be finite",
         "correct the vertex");
  refuse(name, r.invalid_triangles, "triangle", "triangles", "names a vertex that does not exist",
         "correct its indices");
  refuse(name, r.degenerate_triangles, "triangle", "triangles", "has no area",
         "remove it with remove_degenerate");
  refuse(name, r.duplicate_triangles, "triangles", "pairs", "name the same three vertices",
         "remove one with remove_duplicate_triangles");
  refuse(name, r.invalid_segments, "segment", "segments", "names a vertex that does not exist",
         "correct its indices");
  refuse(name, r.degenerate_segments, "segment", "segments", "has no length",
         "remove it, or make it a point");
  refuse(name, r.duplicate_segments, "segments", "pairs", "name the same two vertices",
         "remove one of them");
  refuse(name, r.invalid_points, "point", "points", "names a vertex that does not exist",
         "correct its index");
  refuse(name, r.duplicate_points, "points", "pairs", "name the same vertex", "remove one of them");
  if (needs.closed) {
    if (mesh.triangles.empty() || !mesh.only_triangles())
      refuse(name, "surface",
             std::to_string(r.segments) + " segments and " + std::to_string(r.points) + " points",
             "a solid is made of triangles only", "remove the segments and points");
    refuse(name, r.open_edges, "edge", "edges",
           "has one triangle, and a solid needs a closed surface",
           "weld the mesh (it may only be split at its seams) or fill the hole");
    refuse(name, r.nonmanifold_edges, "edge", "edges",
           "has three or more triangles, and a solid needs two at each edge",
           "separate the parts that meet there");
    refuse(name, r.bow_tie_vertices, "vertex", "vertices", "joins separate fans of triangles",
           "give each fan its own vertex");
    refuse(name, r.inconsistent_edges, "edge", "edges", "joins triangles that face opposite ways",
           "turn them with orient");
    if (!(r.volume > 0))
      refuse(name, "volume", to_text(r.volume) + " m^3", "must be greater than 0",
             "turn the surface outward with orient");
  }
  if (needs.no_self_intersection) {
    if (!r.intersections_checked)
      refuse(name, "surface", "", "too many of its triangles overlap to test every pair",
             "simplify it or mesh it again");
    refuse(name, r.duplicate_vertices, "vertices", "pairs", "lie at the same point",
           "join them with weld");
    refuse(name, r.intersecting_triangles, "triangles", "pairs", "cut through each other",
           "separate them: a barrier must start from a surface that does not touch itself");
  }
  return r;
}

VolumeReport require_volume(const TetMesh& mesh, const std::string& name) {
  if (mesh.tets.empty())
    refuse(name, "volume", "", "a soft body needs tetrahedra", "check what was exported");
  VolumeReport r = check_volume(mesh);
  refuse(name, r.nonfinite_vertices, "vertex", "vertices", "coordinates must be finite",
         "correct the vertex");
  refuse(name, r.invalid_tets, "tetrahedron", "tetrahedra", "names a vertex that does not exist",
         "correct its indices");
  refuse(name, r.repeated_index_tets, "tetrahedron", "tetrahedra", "names a vertex twice",
         "remove it or mesh the volume again");
  refuse(name, r.zero_volume_tets, "tetrahedron", "tetrahedra", "has no volume",
         "mesh the volume again without slivers");
  if (r.inverted_tets) {
    const int t = r.inverted_tets.first.front();
    const Vec4i& v = mesh.tets[static_cast<std::size_t>(t)];
    const auto p = [&](int k) { return mesh.vertices[static_cast<std::size_t>(v[k])]; };
    refuse(name, "tetrahedron " + std::to_string(t),
           "eta " + to_text(tet_quality(p(0), p(1), p(2), p(3))) + " (" +
               std::to_string(r.inverted_tets.count) + " inverted: " + list(r.inverted_tets) + ")",
           "corners must be ordered so that the volume is positive", "turn it with orient");
  }
  refuse(name, r.duplicate_tets, "tetrahedra", "pairs", "name the same four vertices",
         "remove one of them");
  refuse(name, r.nonmanifold_faces, "face", "faces", "has three or more tetrahedra",
         "remove the tetrahedra that overlap");
  refuse(name, r.unreferenced_vertices, "vertex", "vertices",
         "is not used, so it would have no mass", "remove it with remove_unreferenced");
  return r;
}

}  // namespace haptos
