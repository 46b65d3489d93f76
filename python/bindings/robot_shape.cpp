// Visual and collision geometries of links; made and edited.
#include "robot_bind.h"

namespace haptos::python {
namespace {

std::shared_ptr<const HeightField> to_field(const nb::object& heights, const nb::object& spacing) {
  if (heights.is_none() && spacing.is_none()) return nullptr;
  const nb::module_ np = nb::module_::import_("numpy");
  const nb::object a = np.attr("asarray")(heights);
  const auto shape = nb::cast<nb::tuple>(a.attr("shape"));
  if (shape.size() != 2)
    refuse("heights", "shape " + text_of(shape), "must be an array of shape (rows, columns)",
           "rows go along y, columns along x");
  auto field = std::make_shared<HeightField>();
  field->rows = nb::cast<int>(shape[0]);
  field->columns = nb::cast<int>(shape[1]);
  if (field->rows < 2 || field->columns < 2)
    refuse("heights", "shape " + text_of(shape), "must have two rows and two columns or more", "");
  field->height = to_numbers(np.attr("ravel")(a), "heights");
  const std::vector<double> d = to_numbers(spacing, "spacing");
  if (d.size() != 2 || !(d[0] > 0 && d[1] > 0))
    refuse("spacing", text_of(spacing), "must be two lengths above 0", "give those along x and y");
  field->spacing[0] = d[0];
  field->spacing[1] = d[1];
  return field;
}

void set_size(RobotShape& s, const nb::object& size) {
  if (size.is_none()) return;
  const nb::module_ np = nb::module_::import_("numpy");
  const std::vector<double> v = to_numbers(np.attr("atleast_1d")(size), "size", "m");
  if (v.size() > 3)
    refuse("size", std::to_string(v.size()) + " numbers", "must be three numbers or fewer", "");
  s.shape.size = Vec3d::zero();
  for (std::size_t i = 0; i < v.size(); ++i) s.shape.size[static_cast<int>(i)] = v[i];
}

// A box by its half extents or, as in scene files, by its whole ones; an ellipsoid by whole ones.
void set_extents(RobotShape& s, const nb::object& half, const nb::object& whole, bool sized) {
  const bool box = s.shape.kind == ShapeKind::kBox;
  const std::string kind = kShapeKinds[static_cast<int>(s.shape.kind)];
  const auto set = [&](const nb::object& v, const char* what, bool fits, double times) {
    if (v.is_none()) return;
    if (!fits) refuse(what, text_of(v), "is not for a " + kind, "give size");
    if (sized || (!half.is_none() && !whole.is_none()))
      refuse(what, text_of(v), "stands beside another size", "leave one of them out");
    s.shape.size = to_vec3(v, what, "m") * times;
  };
  set(half, "half_extents", box, 1);
  set(whole, "extents", box || s.shape.kind == ShapeKind::kEllipsoid, 0.5);
}

void set_rgba(RobotShape& s, const nb::object& rgba) {
  if (rgba.is_none()) return;
  const std::vector<double> v = to_numbers(rgba, "rgba");
  if (v.size() != 4)
    refuse("rgba", std::to_string(v.size()) + " numbers", "must be four numbers",
           "give red, green, blue, opacity, 0 to 1");
  for (std::size_t i = 0; i < 4; ++i) s.rgba[i] = v[i];
}

void set_mesh(RobotShape& s, const std::optional<TriMesh>& mesh) {
  s.shape.mesh = mesh ? std::make_shared<const TriMesh>(*mesh) : nullptr;
}

// Of a cloud the vertices are points.
void set_cloud(RobotShape& s, const std::optional<TriMesh>& mesh) {
  if (!mesh || mesh->vertices.empty())
    refuse("mesh", "", "must hold the points of a cloud",
           "give mesh=haptos.TriMesh(points), points of shape (n, 3) in m");
  TriMesh cloud;
  cloud.vertices = mesh->vertices;
  for (std::size_t i = 0; i < cloud.vertices.size(); ++i)
    cloud.points.push_back(static_cast<int>(i));
  set_mesh(s, cloud);
}

bool is_cloud(const RobotShape& s) {
  return s.shape.kind == ShapeKind::kMesh && s.shape.mesh && s.shape.mesh->triangles.empty() &&
         s.shape.mesh->segments.empty() && !s.shape.mesh->points.empty();
}

const char* kind_of(const RobotShape& s) {
  return is_cloud(s) ? "points" : kShapeKinds[static_cast<int>(s.shape.kind)];
}

}  // namespace

Pose to_pose_row(const nb::object& row, const char* what) {
  if (row.is_none()) return {};
  const std::vector<double> v = to_numbers(row, what);
  if (v.size() != 7)
    refuse(what, std::to_string(v.size()) + " numbers", "must be seven numbers",
           "give x, y, z, w, x, y, z");
  const double n = std::sqrt(v[3] * v[3] + v[4] * v[4] + v[5] * v[5] + v[6] * v[6]);
  if (!(n > 0) || !std::isfinite(n))
    refuse(what, text_of(row), "must have a quaternion w x y z with a length above 0", "");
  return {{{v[0], v[1], v[2]}}, {v[3] / n, v[4] / n, v[5] / n, v[6] / n}};
}

void bind_robot_shape(nb::module_& m) {
  using S = RobotShape;
  nb::class_<S>(m, "RobotShape",
                "A visual or a collision geometry of a link, centred in its own frame.")
      .def(
          "__init__",
          [](S* self, const std::string& kind, const nb::object& size, std::string name,
             const nb::object& frame, const std::optional<TriMesh>& mesh, const nb::object& heights,
             const nb::object& spacing, const nb::object& rgba, double friction, std::string file,
             const nb::object& half_extents, const nb::object& extents, double layer,
             const Pressure& hydroelastic) {
            S s;
            const bool cloud = kind == "points";
            s.shape.kind = cloud ? ShapeKind::kMesh : to_kind<ShapeKind>(kind, kShapeKinds, "kind");
            set_size(s, size);
            set_extents(s, half_extents, extents, !size.is_none());
            s.name = std::move(name);
            s.frame = to_pose_row(frame, "frame");
            set_mesh(s, mesh);
            if (cloud) set_cloud(s, mesh);
            s.shape.field = to_field(heights, spacing);
            set_rgba(s, rgba);
            s.friction = friction;
            s.file = std::move(file);
            s.layer = layer;
            s.hydroelastic = to_pressure(hydroelastic, "hydroelastic");
            new (self) S(std::move(s));
          },
          nb::arg("kind"), nb::arg("size") = nb::none(), nb::kw_only(), nb::arg("name") = "",
          nb::arg("frame") = nb::none(), nb::arg("mesh") = nb::none(),
          nb::arg("heights") = nb::none(), nb::arg("spacing") = nb::none(),
          nb::arg("rgba") = nb::none(), nb::arg("friction") = -1.0, nb::arg("file") = "",
          nb::arg("half_extents") = nb::none(), nb::arg("extents") = nb::none(),
          nb::arg("layer") = -1.0, nb::arg("hydroelastic") = -1.0,
          "kind: sphere, box, capsule, cylinder, cone, ellipsoid, half_space, hull, mesh, field or "
          "points (the vertices of `mesh`, balls of the radius `size`, which touch by their "
          "layer). "
          "size: radius; half extents of a box; radius and half length; semi-axes [m]; in place of "
          "it "
          "half_extents (3) of a box, or extents (3), the whole width along x, y and z of a box or "
          "an ellipsoid, as scene files have it. Lengths may be texts with units. frame: x y "
          "z [m], w x y z in the link's frame. mesh: of a hull or a mesh [m]. heights (rows along "
          "y, columns along x) [m] and spacing along x and y [m]: of a field centred on the frame. "
          "friction: coefficient, below 0 the scene's. file: that the mesh came from. layer: width "
          "of "
          "its boundary layer [m], below 0 the body's. hydroelastic: modulus of the pressure in it "
          "[Pa/m], or {\"pressure\": rows of depth [m] and pressure [Pa]}; below 0 the body's.")
      .def_rw("name", &S::name)
      .def_prop_rw(
          "kind", [](const S& s) { return kind_of(s); },
          [](S& s, const std::string& kind) {
            s.shape.kind = kind == "points" && is_cloud(s)
                               ? ShapeKind::kMesh
                               : to_kind<ShapeKind>(kind, kShapeKinds, "kind");
          },
          "sphere, box, capsule, cylinder, cone, ellipsoid, half_space, hull, mesh, field or "
          "points.")
      .def_prop_rw(
          "size", [](const S& s) { return row3(s.shape.size); }, &set_size,
          "Radius; half extents; radius and half length: what the kind needs [m], (3,).", kArray)
      .def_prop_rw(
          "frame", [](const S& s) { return pose_row(s.frame); },
          [](S& s, const nb::object& row) { s.frame = to_pose_row(row, "frame"); },
          "x y z [m], w x y z in the link's frame, (7,).", kArray)
      .def_prop_rw(
          "mesh",
          [](const S& s) -> std::optional<TriMesh> {
            if (!s.shape.mesh) return std::nullopt;
            return *s.shape.mesh;
          },
          &set_mesh, nb::for_setter(nb::arg("mesh").none()),
          "A copy of the surface, scaled [m]; None for a primitive and for a file not read.")
      .def_prop_ro(
          "heights",
          [](const S& s) -> nb::object {
            if (!s.shape.field) return nb::none();
            const HeightField& f = *s.shape.field;
            return nb::cast(own<OutArray<double, -1, -1>>(
                std::vector<double>(f.height),
                {static_cast<std::size_t>(f.rows), static_cast<std::size_t>(f.columns)}));
          },
          "Heights of a field [m], (rows along y, columns along x); None for other kinds.")
      .def_prop_ro(
          "spacing",
          [](const S& s) -> nb::object {
            if (!s.shape.field) return nb::none();
            return nb::make_tuple(s.shape.field->spacing[0], s.shape.field->spacing[1]);
          },
          "Distance of a field's nodes along x and y [m]; None for other kinds.")
      .def_rw("file", &S::file, "Of the mesh, as found; empty for a primitive.")
      .def_prop_ro(
          "scale", [](const S& s) { return row3(s.scale); },
          "What the file's coordinates are multiplied by, (3,).", kArray)
      .def_prop_rw(
          "rgba",
          [](const S& s) { return nb::make_tuple(s.rgba[0], s.rgba[1], s.rgba[2], s.rgba[3]); },
          &set_rgba, "Colour and opacity, 0 to 1.")
      .def_rw("texture", &S::texture, "File of a picture; empty: none.")
      .def_rw("friction", &S::friction, "Coefficient; below 0: the scene's.")
      .def_rw("stiffness", &S::stiffness, "[N/m]; below 0: the scene's.")
      .def_rw("relaxation_time", &S::relaxation_time, "[s]; below 0: the scene's.")
      .def_rw("layer", &S::layer, "Width of its boundary layer [m]; below 0: the body's.")
      .def_prop_rw(
          "hydroelastic",
          [](const S& s) { return nb::borrow<Pressure>(pressure_object(s.hydroelastic)); },
          [](S& s, const Pressure& p) { s.hydroelastic = to_pressure(p, "hydroelastic"); },
          "Modulus of the pressure in it [Pa/m], or {\"pressure\": rows of depth [m] and pressure "
          "[Pa]}; below 0: the body's.")
      .def_rw("sheet", &S::sheet, "A mesh that has two sides everywhere, for its layer.")
      .def(
          "copy", [](const S& s) { return s; }, "The same, with the mesh shared.")
      .def("__repr__",
           [](const S& s) { return std::string("haptos.RobotShape(") + kind_of(s) + ")"; });
}

}  // namespace haptos::python
