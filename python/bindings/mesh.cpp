// Meshes, their files, and mending them. Mending returns a new mesh, so that arrays that look into
// an old one stay valid.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>

#include "bind.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/mesh/topology.h"
#include "haptos/geometry/tree/surface_distance.h"

namespace haptos::python {
namespace {

namespace fs = std::filesystem;

MeshReadOptions read_options(double scale) {
  if (!(scale > 0) || !(scale < 1e9))
    refuse("scale", std::to_string(scale), "must be greater than 0",
           "give metres per unit of the file, for example 0.001 for millimetres");
  MeshReadOptions o;
  o.scale = scale;
  return o;
}

template <class Mesh>
std::string shape_line(const char* kind, const Mesh& m, std::size_t n, const char* what) {
  return std::string("haptos.") + kind + "(" + std::to_string(m.vertices.size()) + " vertices, " +
         std::to_string(n) + " " + what + ")";
}

Mat3d to_rotation(const nb::object& quaternion) {
  const Pose p = to_pose(nb::none(), quaternion, "transformed");
  const Quat& q = p.q;
  if (!(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z > 1e-12))
    refuse("transformed quaternion", "0 0 0 0", "must not be 0", "no turn is 1 0 0 0");
  return to_matrix(normalized(q));
}

template <class Mesh>
Mesh transformed(const Mesh& mesh, const ArrayLike& position, const ArrayLike& quaternion,
                 double scale_by) {
  if (!(scale_by > 0) || !(scale_by < 1e12))
    refuse("transformed scale", std::to_string(scale_by), "must be greater than 0",
           "mirror a mesh by its coordinates instead");
  Mesh r = mesh;
  scale(r.vertices, scale_by);
  transform(r.vertices, to_rotation(quaternion),
            position.is_none() ? Vec3d::zero() : to_vec3(position, "transformed position"));
  return r;
}

constexpr const char* kTransformedDoc =
    "A copy, scaled, then turned by quaternion (w x y z), then moved by position [m].";

// Rows of vertex numbers that Python may look at and not write: they were checked once.
template <int N>
using Whole = OutArray<const int, -1, N>;

// None, or an empty list or tuple: which have no columns that could be wrong.
bool is_nothing(const nb::object& x) {
  return x.is_none() ||
         ((nb::isinstance<nb::list>(x) || nb::isinstance<nb::tuple>(x)) && nb::len(x) == 0);
}

// A surface of another library, as a trimesh.Trimesh: every function of a TriMesh takes one.
class WithFaces : public nb::object {
 public:
  static bool accept(nb::handle o) { return nb::hasattr(o, "vertices") && nb::hasattr(o, "faces"); }
  NB_OBJECT_DEFAULT(WithFaces, nb::object, "object", accept)
};

void bind_tri_mesh(nb::module_& m) {
  nb::class_<TriMesh>(
      m, "TriMesh",
      "A triangle surface, counter-clockwise seen from outside. A prescribed body's "
      "may have segments and points beside triangles or in place of them.")
      .def(
          "__init__",
          [](TriMesh* self, const ArrayLike& v, const ArrayLike& t, const nb::object& s,
             const nb::object& p) {
            nb::object x = v, c = t;
            if (is_nothing(t) && WithFaces::accept(v)) x = v.attr("vertices"), c = v.attr("faces");
            TriMesh mesh;
            mesh.vertices = to_points(x, "vertices");
            if (!is_nothing(c)) mesh.triangles = to_triangles(c, "triangles");
            if (!is_nothing(s)) mesh.segments = to_segments(s, "segments");
            if (!is_nothing(p)) mesh.points = to_indices(p, "points");
            const std::size_t n = mesh.vertices.size();
            require_below(mesh.triangles, n, "triangles", "vertices");
            require_below(mesh.segments, n, "segments", "vertices");
            require_below(mesh.points, n, "points", "vertices");
            new (self) TriMesh(std::move(mesh));
          },
          nb::arg("vertices"), nb::arg("triangles") = nb::make_tuple(),
          nb::arg("segments") = nb::none(), nb::arg("points") = nb::none(),
          nb::sig("def __init__(self, vertices: numpy.typing.ArrayLike, triangles: "
                  "numpy.typing.ArrayLike = (), segments: numpy.typing.ArrayLike | None = None, "
                  "points: numpy.typing.ArrayLike | None = None) -> None"),
          "vertices: (V, 3) [m]; triangles: (T, 3), segments: (S, 2) and points: (P), vertex "
          "numbers from 0; or one object that has vertices and faces, as a trimesh.Trimesh. Arrays "
          "are copied.")
      .def_prop_ro(
          "vertices",
          [](nb::handle self) {
            return view<PointsOut>(nb::cast<TriMesh&>(self).vertices, 3, self);
          },
          "Positions [m], (V, 3); a view: writing to it moves the mesh's vertices.", kArray)
      .def_prop_ro(
          "triangles",
          [](nb::handle self) {
            return view<Whole<3>>(nb::cast<TriMesh&>(self).triangles, 3, self);
          },
          "Vertex numbers, (T, 3); a view to read.", kArray)
      .def_prop_ro(
          "segments",
          [](nb::handle self) {
            return view<Whole<2>>(nb::cast<TriMesh&>(self).segments, 2, self);
          },
          "Vertex numbers, (S, 2); a view to read.", kArray)
      .def_prop_ro(
          "points", [](const TriMesh& s) { return own_row(s.points); }, "Vertex numbers, (P).",
          kArray)
      .def_prop_ro(
          "bounds",
          [](const TriMesh& s) {
            const Aabb b = bounding_box(s.vertices);
            return own_points({b.lo, b.hi});
          },
          "Lowest and highest corner [m], (2, 3).", kArray)
      .def_prop_ro(
          "volume", [](const TriMesh& s) { return signed_volume(s); },
          "Signed volume enclosed [m^3]; meaningful when closed.")
      .def_prop_ro("area", &surface_area, "Sum of the triangles' areas [m^2].")
      .def("transformed", &transformed<TriMesh>, nb::arg("position") = nb::none(),
           nb::arg("quaternion") = nb::none(), nb::arg("scale") = 1.0, kTransformedDoc)
      .def("__repr__", [](const TriMesh& s) {
        std::string line = shape_line("TriMesh", s, s.triangles.size(), "triangles");
        if (s.only_triangles()) return line;
        line.pop_back();
        return line + ", " + std::to_string(s.segments.size()) + " segments, " +
               std::to_string(s.points.size()) + " points)";
      });
  nb::implicitly_convertible<WithFaces, TriMesh>();
}

void bind_tet_mesh(nb::module_& m) {
  nb::class_<TetMesh>(m, "TetMesh", "A tetrahedral volume, positively oriented.")
      .def(
          "__init__",
          [](TetMesh* self, const ArrayLike& v, const ArrayLike& t) {
            TetMesh mesh{to_points(v, "vertices"), to_tets(t, "tets")};
            require_below(mesh.tets, mesh.vertices.size(), "tets", "vertices");
            new (self) TetMesh(std::move(mesh));
          },
          nb::arg("vertices"), nb::arg("tets"),
          "vertices: (V, 3) [m]; tets: (T, 4) vertex numbers from 0. Arrays are copied.")
      .def_prop_ro(
          "vertices",
          [](nb::handle self) {
            return view<PointsOut>(nb::cast<TetMesh&>(self).vertices, 3, self);
          },
          "Positions [m], (V, 3); a view: writing to it moves the mesh's vertices.", kArray)
      .def_prop_ro(
          "tets",
          [](nb::handle self) { return view<Whole<4>>(nb::cast<TetMesh&>(self).tets, 4, self); },
          "Vertex numbers, (T, 4); a view to read.", kArray)
      .def_prop_ro(
          "bounds",
          [](const TetMesh& s) {
            const Aabb b = bounding_box(s.vertices);
            return own_points({b.lo, b.hi});
          },
          "Lowest and highest corner [m], (2, 3).", kArray)
      .def_prop_ro(
          "volume", [](const TetMesh& s) { return signed_volume(s); },
          "Sum of the signed volumes of the tetrahedra [m^3].")
      .def("transformed", &transformed<TetMesh>, nb::arg("position") = nb::none(),
           nb::arg("quaternion") = nb::none(), nb::arg("scale") = 1.0, kTransformedDoc)
      .def("__repr__",
           [](const TetMesh& s) { return shape_line("TetMesh", s, s.tets.size(), "tetrahedra"); });
}

void bind_files(nb::module_& m) {
  m.def(
      "read_surface",
      [](const fs::path& path, double scale) {
        std::vector<std::string> notes;
        TriMesh mesh = read_surface(path, read_options(scale), &notes);
        return std::make_pair(std::move(mesh), notes);
      },
      nb::arg("path"), nb::arg("scale"));
  m.def(
      "read_volume",
      [](const fs::path& path, double scale) {
        std::vector<std::string> notes;
        TetMesh mesh = read_volume(path, read_options(scale), &notes);
        return std::make_pair(std::move(mesh), notes);
      },
      nb::arg("path"), nb::arg("scale"));
  m.def("write_obj", &write_obj, nb::arg("path"), nb::arg("mesh"),
        "Writes a surface as Wavefront OBJ, in metres. Replaces the file whole or not at all.");
  m.def("write_stl", &write_stl, nb::arg("path"), nb::arg("mesh"),
        "Writes a surface as binary STL, in metres and single precision. Replaces the file whole "
        "or not at all.");
  m.def("write_ply", &write_ply, nb::arg("path"), nb::arg("mesh"),
        "Writes a surface as binary PLY, in metres and double precision. Replaces the file whole "
        "or not at all.");
  m.def("write_msh", &write_msh, nb::arg("path"), nb::arg("mesh"),
        "Writes a volume as Gmsh 2.2 text, in metres. Replaces the file whole or not at all.");
  m.def(
      "write_vtk",
      [](const fs::path& path, const TetMesh& mesh, const nb::object& vectors,
         const std::string& name, bool binary) {
        VtkWriteOptions o;
        o.binary = binary;
        o.vector_name = name;
        if (!vectors.is_none()) {
          o.vectors = to_points(vectors, "vectors");
          if (o.vectors.size() != mesh.vertices.size())
            refuse("vectors", std::to_string(o.vectors.size()) + " rows",
                   "must have one row for each vertex",
                   "pass " + std::to_string(mesh.vertices.size()) + " rows");
        }
        write_vtk(path, mesh, o);
      },
      nb::arg("path"), nb::arg("mesh"), nb::arg("vectors") = nb::none(),
      nb::arg("vector_name") = "displacement", nb::arg("binary") = true,
      nb::sig("def write_vtk(path: str | os.PathLike, mesh: TetMesh, vectors: "
              "numpy.typing.ArrayLike | None = None, vector_name: str = 'displacement', binary: "
              "bool = True) -> None"),
      "Writes a volume as a legacy VTK unstructured grid, in metres, with one vector for each "
      "vertex (V, 3) if given. Replaces the file whole or not at all.");
}

void bind_edits(nb::module_& m) {
  m.def(
      "weld",
      [](const TriMesh& mesh, double tolerance) {
        TriMesh r = mesh;
        const WeldResult w = weld(r, tolerance);
        remove_unreferenced(r);
        return nb::make_tuple(r, w.merged_vertices, w.removed_triangles);
      },
      nb::arg("mesh"), nb::arg("tolerance") = 0.0,
      nb::sig("def weld(mesh: TriMesh, tolerance: float = 0.0) -> tuple[TriMesh, int, int]"),
      "Joins vertices closer than tolerance [m] and drops what collapses or is left over. Returns "
      "the new mesh, the vertices joined and the triangles removed.");
  m.def(
      "orient",
      [](const TriMesh& mesh) {
        TriMesh r = mesh;
        const int turned = orient(r);
        return nb::make_tuple(r, turned);
      },
      nb::arg("mesh"), nb::sig("def orient(mesh: TriMesh) -> tuple[TriMesh, int]"),
      "Turns triangles so that neighbours agree and closed parts face outward. Returns the new "
      "mesh and the number of triangles turned.");
  m.def(
      "orient",
      [](const TetMesh& mesh) {
        TetMesh r = mesh;
        const int turned = orient(r);
        return nb::make_tuple(r, turned);
      },
      nb::arg("mesh"), nb::sig("def orient(mesh: TetMesh) -> tuple[TetMesh, int]"),
      "Gives every tetrahedron a positive volume. Returns the new mesh and the number turned.");
  m.def(
      "remove_degenerate",
      [](const TriMesh& mesh) {
        TriMesh r = mesh;
        const int removed = remove_degenerate(r) + remove_duplicate_triangles(r);
        remove_unreferenced(r);
        return nb::make_tuple(r, removed);
      },
      nb::arg("mesh"), nb::sig("def remove_degenerate(mesh: TriMesh) -> tuple[TriMesh, int]"),
      "Gets rid of triangles without area, of repeated triangles and of unused vertices. Returns "
      "the new mesh and the number of triangles dealt with.");
  m.def(
      "boundary_surface",
      [](const TetMesh& mesh) {
        std::vector<int> ids;
        TriMesh s = boundary_surface(mesh, &ids);
        return nb::make_tuple(s, own_row(std::move(ids)));
      },
      nb::arg("mesh"),
      nb::sig("def boundary_surface(mesh: TetMesh) -> tuple[TriMesh, "
              "numpy.typing.NDArray[numpy.int32]]"),
      "The surface of a volume, facing outward, and the volume's vertex (S,) of each surface "
      "vertex.");
}

void bind_distances(nb::module_& m) {
  m.def(
      "distance_to_surface",
      [](const ArrayLike& points, const TriMesh& surface) {
        const std::vector<Vec3d> p = to_points(points, "points");
        std::vector<double> d;
        {
          nb::gil_scoped_release release;
          d = distance_to_surface(p, surface);
        }
        return own_row(std::move(d));
      },
      nb::arg("points"), nb::arg("surface"),
      nb::sig("def distance_to_surface(points: numpy.typing.ArrayLike, surface: TriMesh) -> "
              "numpy.typing.NDArray[numpy.float64]"),
      "The distance (n,) of each point (n, 3) [m] to the nearest point of a surface [m], without "
      "sign.");
}

}  // namespace

void bind_mesh(nb::module_& m) {
  bind_tri_mesh(m);
  bind_tet_mesh(m);
  bind_files(m);
  bind_edits(m);
  bind_distances(m);
}

}  // namespace haptos::python
