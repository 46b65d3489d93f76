// Distance fields and surfaces of equal pressure on their own.
#include "bind.h"
#include "haptos/base/parallel.h"
#include "haptos/geometry/pressure/pressure_surface.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/scene/robot/robot.h"

namespace haptos::python {
namespace {

struct Field {
  std::shared_ptr<const DistanceField> field;
  Pose frame;
};

template <class F>
void each_place(const Field& f, const std::vector<Vec3d>& x, const F& take) {
  const Mat3d r = to_matrix(f.frame.q);
  for_each(static_cast<std::ptrdiff_t>(x.size()), [&](std::ptrdiff_t i) {
    const auto k = static_cast<std::size_t>(i);
    take(k, transpose(r) * (x[k] - f.frame.p), r);
  });
}

nb::object distance(const Field& f, const nb::object& points) {
  const std::vector<Vec3d> x = to_points(points, "points");
  std::vector<double> d(x.size());
  each_place(f, x, [&](std::size_t k, const Vec3d& at, const Mat3d&) { d[k] = f.field->phi(at); });
  return nb::cast(own_row(std::move(d)));
}

nb::object gradient(const Field& f, const nb::object& points) {
  const std::vector<Vec3d> x = to_points(points, "points");
  std::vector<Vec3d> g(x.size());
  each_place(f, x, [&](std::size_t k, const Vec3d& at, const Mat3d& r) {
    g[k] = r * f.field->at(at).gradient;
  });
  return nb::cast(own_points(std::move(g)));
}

nb::tuple find(const Field& a, const Pose& pose_a, const PressureLaw& law_a, const Field& b,
               const Pose& pose_b, const PressureLaw& law_b, int patch_cells) {
  for (const auto& [name, law] : {std::pair{"modulus_a", &law_a}, {"modulus_b", &law_b}})
    if (!(law->modulus() > 0))
      refuse(name, std::to_string(law->modulus()), "must be above 0",
             "give it in Pa/m, or infinity");
  if (std::isinf(law_a.modulus()) && std::isinf(law_b.modulus()))
    refuse("modulus_a and modulus_b", "infinite", "are those of two rigid bodies",
           "give one of them a modulus, such as 1e7 Pa/m");
  if (patch_cells < 4 || patch_cells > 200)
    refuse("patch_cells", std::to_string(patch_cells), "must be 4 to 200", "28 suits most");
  if (!a.field->bounded() && !b.field->bounded())
    refuse("a and b", "half-spaces", "must not both be without bounds", "give a body");
  PressureSurface surface;
  surface.keep_triangles = true;
  surface.cells_across = patch_cells;
  {
    nb::gil_scoped_release free;
    surface.find({a.field.get(), compose(pose_a, a.frame), law_a},
                 {b.field.get(), compose(pose_b, b.frame), law_b});
  }
  std::vector<Vec3d> point, normal, corner;
  std::vector<double> area, pressure, stiffness, at_corner;
  for (const PressurePatch& p : surface.patches()) {
    point.push_back(p.point), normal.push_back(p.n);
    area.push_back(p.area), pressure.push_back(p.pressure), stiffness.push_back(p.stiffness);
  }
  for (const PressureSurface::Triangle& t : surface.triangles())
    for (int k = 0; k < 3; ++k) corner.push_back(t.x[k]), at_corner.push_back(t.pressure[k]);
  return nb::make_tuple(own_points(std::move(point)), own_points(std::move(normal)),
                        own_row(std::move(area)), own_row(std::move(pressure)),
                        own_row(std::move(stiffness)), own_points(std::move(corner)),
                        own_row(std::move(at_corner)));
}

}  // namespace

void bind_distance_field(nb::module_& m) {
  nb::class_<Field>(m, "DistanceField", "The signed distance to a shape; see haptos.DistanceField.")
      .def(
          "__init__",
          [](Field* self, const RobotShape& shape, int resolution) {
            std::shared_ptr<const DistanceField> field;
            {
              nb::gil_scoped_release free;
              field = std::make_shared<DistanceField>(shape.shape, resolution, "shape");
            }
            new (self) Field{std::move(field), shape.frame};
          },
          nb::arg("shape"), nb::arg("resolution"))
      .def("distance", &distance, nb::arg("points"))
      .def("gradient", &gradient, nb::arg("points"))
      .def_prop_ro("cell", [](const Field& f) { return f.field->cell(); })
      .def_prop_ro("bytes",
                   [](const Field& f) {
                     return f.field->sampled() ? f.field->sampled()->bytes() : std::size_t{0};
                   })
      .def_prop_ro(
          "open",
          [](const Field& f) { return f.field->sampled() ? f.field->sampled()->open() : 0.0; })
      .def_prop_ro("cells",
                   [](const Field& f) {
                     const Vec3i n = f.field->sampled() ? f.field->sampled()->cells() : Vec3i{};
                     return nb::make_tuple(n[0], n[1], n[2]);
                   })
      .def("bounds", [](const Field& f) {
        const double far = Aabb::kInf;
        const Aabb box = f.field->bounded() ? moved_bounds(f.field->box(), f.frame)
                                            : Aabb{{{-far, -far, -far}}, {{far, far, far}}};
        return own_points({box.lo, box.hi});
      });
  m.def(
      "pressure_surface",
      [](const Field& a, const Field& b, const nb::object& position_a,
         const nb::object& quaternion_a, const nb::object& position_b,
         const nb::object& quaternion_b, const Pressure& modulus_a, const Pressure& modulus_b,
         int patch_cells) {
        return find(a, to_pose(position_a, quaternion_a, "pose_a"),
                    to_pressure(modulus_a, "modulus_a"), b,
                    to_pose(position_b, quaternion_b, "pose_b"),
                    to_pressure(modulus_b, "modulus_b"), patch_cells);
      },
      nb::arg("a"), nb::arg("b"), nb::arg("position_a").none(), nb::arg("quaternion_a").none(),
      nb::arg("position_b").none(), nb::arg("quaternion_b").none(), nb::arg("modulus_a"),
      nb::arg("modulus_b"), nb::arg("patch_cells"),
      "Points (n, 3), normals (n, 3), areas [m2], pressures [Pa], stiffnesses [Pa/m], corners of "
      "triangles (3 t, 3) and pressures there.");
}

}  // namespace haptos::python
