// What is wrong with a mesh.
#include "haptos/geometry/mesh/mesh_check.h"
#include "bind.h"
#include "haptos/geometry/query/exact.h"

namespace haptos::python {
namespace {

// A list of findings as Python sees it: the full count, and the first ids in rows.
struct Findings {
  std::int64_t count = 0;
  std::vector<int> ids;
  std::size_t width = 1;
};

template <class T>
Findings findings_of(const Found<T>& f) {
  Findings r;
  r.count = f.count;
  r.width = sizeof(T) / sizeof(int);
  const auto* ids = reinterpret_cast<const int*>(f.first.data());
  r.ids.assign(ids, ids + f.first.size() * r.width);
  return r;
}

// Adds a read-only attribute for a Found<T> member.
template <class Class, class Report, class T>
void found(Class& c, const char* name, Found<T> Report::*member, const char* doc) {
  c.def_prop_ro(
      name, [member](const Report& r) { return findings_of(r.*member); }, doc);
}

void bind_surface_report(nb::module_& m) {
  using R = SurfaceReport;
  nb::class_<R> c(m, "SurfaceReport", "What check_surface() found.");
  c.def_ro("vertices", &R::vertices)
      .def_ro("triangles", &R::triangles)
      .def_ro("edges", &R::edges, "Of triangles.")
      .def_ro("segments", &R::segments)
      .def_ro("points", &R::points)
      .def_ro("components", &R::components, "Sets of triangles joined by vertices.")
      .def_ro("area", &R::area, "[m^2]")
      .def_ro("volume", &R::volume, "[m^3], signed; meaningful when closed and consistent.")
      .def_ro("intersections_checked", &R::intersections_checked)
      .def_prop_ro(
          "bounds",
          [](const R& r) {
            return own_points({r.box.lo, r.box.hi});
          },
          "Lowest and highest corner [m], (2, 3).", kArray)
      .def_prop_ro("closed", &R::closed, "Whether there are triangles only, two at every edge.")
      .def_prop_ro("consistent", &R::consistent, "Whether neighbours agree on the outside.")
      .def_prop_ro("outward", &R::outward, "Whether it is a solid that faces outward.")
      .def("findings", &R::findings,
           "One sentence for each thing found; empty for a closed, consistent, outward surface.");
  found(c, "nonfinite_vertices", &R::nonfinite_vertices, "Vertex numbers.");
  found(c, "unreferenced_vertices", &R::unreferenced_vertices, "Vertex numbers.");
  found(c, "duplicate_vertices", &R::duplicate_vertices, "(later, first) with equal coordinates.");
  found(c, "invalid_triangles", &R::invalid_triangles, "Triangles that name a missing vertex.");
  found(c, "degenerate_triangles", &R::degenerate_triangles, "Triangles without area.");
  found(c, "duplicate_triangles", &R::duplicate_triangles, "(later, first).");
  found(c, "open_edges", &R::open_edges, "Vertex pairs with one triangle.");
  found(c, "nonmanifold_edges", &R::nonmanifold_edges, "Vertex pairs with three or more.");
  found(c, "inconsistent_edges", &R::inconsistent_edges, "Run through twice in one direction.");
  found(c, "bow_tie_vertices", &R::bow_tie_vertices, "Where separate fans of triangles meet.");
  found(c, "invalid_segments", &R::invalid_segments, "Segments that name a missing vertex.");
  found(c, "degenerate_segments", &R::degenerate_segments, "Segments without length.");
  found(c, "duplicate_segments", &R::duplicate_segments, "(later, first).");
  found(c, "invalid_points", &R::invalid_points, "Points that name a missing vertex.");
  found(c, "duplicate_points", &R::duplicate_points, "(later, first).");
  found(c, "intersecting_triangles", &R::intersecting_triangles, "Pairs of triangles.");
}

void bind_volume_report(nb::module_& m) {
  using R = VolumeReport;
  nb::class_<R> c(m, "VolumeReport", "What check_volume() found.");
  c.def_ro("vertices", &R::vertices)
      .def_ro("tets", &R::tets)
      .def_ro("components", &R::components, "Sets of tetrahedra joined by vertices.")
      .def_ro("boundary_components", &R::boundary_components)
      .def_ro("volume", &R::volume, "Sum of signed volumes [m^3].")
      .def_ro("worst_quality", &R::worst_quality, "The least eta: 1 regular, 0 flat, < 0 inverted.")
      .def_ro("worst_tet", &R::worst_tet)
      .def_prop_ro(
          "bounds",
          [](const R& r) {
            return own_points({r.box.lo, r.box.hi});
          },
          "Lowest and highest corner [m], (2, 3).", kArray)
      .def("findings", &R::findings, "One sentence for each thing found.");
  found(c, "nonfinite_vertices", &R::nonfinite_vertices, "Vertex numbers.");
  found(c, "unreferenced_vertices", &R::unreferenced_vertices, "Vertex numbers.");
  found(c, "duplicate_vertices", &R::duplicate_vertices, "(later, first) with equal coordinates.");
  found(c, "invalid_tets", &R::invalid_tets, "Tetrahedra that name a missing vertex.");
  found(c, "repeated_index_tets", &R::repeated_index_tets, "Tetrahedra that name a vertex twice.");
  found(c, "inverted_tets", &R::inverted_tets, "Tetrahedra of negative volume.");
  found(c, "zero_volume_tets", &R::zero_volume_tets, "Flat tetrahedra.");
  found(c, "duplicate_tets", &R::duplicate_tets, "(later, first).");
  found(c, "nonmanifold_faces", &R::nonmanifold_faces, "Vertex triples with three or more.");
}

}  // namespace

void bind_mesh_check(nb::module_& m) {
  nb::class_<Findings>(m, "Found", "How many there are, and the first of them.")
      .def_ro("count", &Findings::count)
      .def_prop_ro(
          "first",
          [](const Findings& f) {
            return own<OutArray<int, -1, -1>>(f.ids, {f.ids.size() / f.width, f.width});
          },
          "Ids from 0, a row each, (n, 1), (n, 2) or (n, 3).", kArray)
      .def("__bool__", [](const Findings& f) { return f.count > 0; })
      .def("__repr__",
           [](const Findings& f) { return "haptos.Found(" + std::to_string(f.count) + ")"; });
  bind_surface_report(m);
  bind_volume_report(m);

  m.def(
      "check_surface", [](const TriMesh& mesh) { return check_surface(mesh); }, nb::arg("mesh"),
      nb::call_guard<nb::gil_scoped_release>(),
      "Reports what is wrong with a surface, however broken; refuses nothing.");
  m.def(
      "intersecting_triangles",
      [](const TriMesh& mesh) {
        std::vector<std::array<int, 2>> pairs;
        {
          nb::gil_scoped_release release;
          pairs = self_intersections(mesh);
        }
        const std::size_t n = pairs.size();
        return own<OutArray<int, -1, 2>>(std::move(pairs), {n, 2});
      },
      nb::arg("mesh"),
      nb::sig("def intersecting_triangles(mesh: TriMesh) -> numpy.typing.NDArray[numpy.int32]"),
      "All pairs of triangles (n, 2) that meet beyond what neighbours share, by exact arithmetic; "
      "weld the mesh first.");
  m.def(
      "check_volume", [](const TetMesh& mesh) { return check_volume(mesh); }, nb::arg("mesh"),
      nb::call_guard<nb::gil_scoped_release>(),
      "Reports what is wrong with a volume, however broken; refuses nothing.");
  m.def(
      "require_contact_surface",
      [](const TriMesh& mesh, const std::string& name, bool closed) {
        SurfaceNeeds needs;
        needs.closed = closed;
        return require_contact_surface(mesh, name, needs);
      },
      nb::arg("mesh"), nb::arg("name") = "surface", nb::arg("closed") = false,
      nb::call_guard<nb::gil_scoped_release>(),
      "Raises InputError for a surface that contact cannot take; otherwise the report.");
  m.def("require_volume", &require_volume, nb::arg("mesh"), nb::arg("name") = "volume",
        nb::call_guard<nb::gil_scoped_release>(),
        "Raises InputError for a volume that finite elements cannot take; otherwise the report.");
}

}  // namespace haptos::python
