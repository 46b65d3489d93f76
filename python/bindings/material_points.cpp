// Bodies of material points of a running simulation.
#include "bind.h"
#include "haptos/geometry/fill/points_skin.h"
#include "haptos/sim/sim.h"

namespace haptos::python {

void bind_material_points(nb::module_& m) {
  m.def(
      "material_points",
      [](const Sim& sim, const std::string& body) {
        MaterialView v = sim.material_points(body);
        std::vector<double> F;
        for (const Mat3d& f : v.deformation) F.insert(F.end(), f.a, f.a + 9);
        return nb::make_tuple(own_points(std::move(v.position)), own_points(std::move(v.velocity)),
                              own_row(std::move(F)), own_row(std::move(v.volume_ratio)),
                              own_row(std::move(v.flow)), v.mass, v.volume);
      },
      nb::arg("sim"), nb::arg("body"),
      "Positions (n, 3), velocities (n, 3), deformations (9 n), volume ratios (n), flow (n); mass "
      "[kg] and volume [m3] of each point.");
  m.def(
      "material_scale",
      [](const Sim& sim, const std::string& body) {
        const ParticleScale s = sim.material_scale(body);
        return nb::make_tuple(s.stiffness, s.yield_stress, s.viscosity, s.density, s.friction);
      },
      nb::arg("sim"), nb::arg("body"),
      "Factors of stiffness, yield stress, viscosity, density and friction.");
  m.def(
      "set_material_scale",
      [](Sim& sim, const std::string& body, const std::array<double, 5>& s) {
        sim.set_material_scale(body, {s[0], s[1], s[2], s[3], s[4]});
      },
      nb::arg("sim"), nb::arg("body"), nb::arg("scale"), "Sets the factors of material_scale().");
  m.def(
      "points_skin",
      [](const ArrayLike& points, const Quantity& spacing, const ArrayLike& values) {
        const std::vector<Vec3d> x = to_points(points, "points of points_skin");
        const std::vector<double> v = to_numbers(values, "values of points_skin");
        const double side = to_quantity(spacing, "m", "spacing of points_skin");
        PointsSkin skin;
        {
          const nb::gil_scoped_release release;
          skin = points_skin(x, side, v);
        }
        return nb::make_tuple(std::move(skin.mesh), own_row(std::move(skin.value)));
      },
      nb::arg("points"), nb::arg("spacing"), nb::arg("values"),
      "Mesh of the skin, and values at its vertices.");
}

}  // namespace haptos::python
