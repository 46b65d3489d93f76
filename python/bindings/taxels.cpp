// Taxels on bodies in hydroelastic contact.
#include "haptos/sim/taxels/taxels.h"
#include "bind.h"
#include "haptos/sim/sim.h"

namespace haptos::python {

void bind_taxels(nb::module_& m) {
  nb::class_<Taxels>(m, "Taxels", "Places on a body that feel contact; see haptos.Taxels.")
      .def(
          "__init__",
          [](Taxels* self, const Sim& sim, const std::string& body, const nb::object& place,
             const std::vector<double>& area) {
            new (self) Taxels(sim, body, to_points(place, "place"), area);
          },
          nb::arg("sim"), nb::arg("body"), nb::arg("place"), nb::arg("area"))
      .def("place", [](const Taxels& t) { return own_points(t.place()); })
      .def("normal", [](const Taxels& t) { return own_points(t.normal()); })
      .def("curvature",
           [](const Taxels& t) {
             std::vector<double> mean, gauss;
             for (const auto& c : t.curvature()) mean.push_back(c[0]), gauss.push_back(c[1]);
             return nb::make_tuple(own_row(std::move(mean)), own_row(std::move(gauss)));
           })
      .def(
          "read",
          [](const Taxels& t, Sim& sim) {
            TaxelTouch touch;
            {
              nb::gil_scoped_release free;
              touch = t.read(sim);
            }
            return nb::make_tuple(
                own_row(std::move(touch.pressure)), own_row(std::move(touch.displacement)),
                own_points(std::move(touch.normal)), own_points(std::move(touch.shear)));
          },
          nb::arg("sim"),
          "Pressures (n) [Pa], displacements (n) [m], normals (n, 3), shear (n, 3) [Pa].");
}

}  // namespace haptos::python
