// Bodies of material points of a running simulation.
#include "bind.h"
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
}

}  // namespace haptos::python
