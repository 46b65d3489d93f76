// Taxels on bodies in hydroelastic contact.
#include "haptos/sim/taxels/taxels.h"
#include "bind.h"
#include "haptos/sim/batch/batch.h"

namespace haptos::python {
namespace {

// Taxels and the model that they are of.
struct TaxelsOfSim {
  std::shared_ptr<const Model> model;
  Taxels taxels;

  TaxelTouch read(Sim& sim) const {
    if (sim.model() != model)
      refuse("taxels", "", "are of another scene", "make them of the Sim that they read");
    return taxels.read(
        [&](int robot, int link) {
          return sim.robot(model->robots.at(static_cast<std::size_t>(robot)).name).link_pose(link);
        },
        sim.state().paths, sim.contacts());
  }
};

// Mean (n) [1/m] and Gaussian (n) [1/m2] curvature of the surface.
nb::tuple curvature_of(const Taxels& taxels) {
  std::vector<double> mean, gauss;
  for (const auto& c : taxels.curvature()) mean.push_back(c[0]), gauss.push_back(c[1]);
  return nb::make_tuple(own_row(std::move(mean)), own_row(std::move(gauss)));
}

}  // namespace

void bind_taxels(nb::module_& m) {
  nb::class_<TaxelsOfSim>(m, "Taxels", "Places on a body that feel contact; see haptos.Taxels.")
      .def(
          "__init__",
          [](TaxelsOfSim* self, const Sim& sim, const std::string& body, const nb::object& place,
             const std::vector<double>& area) {
            new (self) TaxelsOfSim{sim.model(),
                                   Taxels(*sim.model(), body, to_points(place, "place"), area)};
          },
          nb::arg("sim"), nb::arg("body"), nb::arg("place"), nb::arg("area"))
      .def("place", [](const TaxelsOfSim& t) { return own_points(t.taxels.place()); })
      .def("normal", [](const TaxelsOfSim& t) { return own_points(t.taxels.normal()); })
      .def("curvature", [](const TaxelsOfSim& t) { return curvature_of(t.taxels); })
      .def(
          "read",
          [](const TaxelsOfSim& t, Sim& sim) {
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
  m.def(
      "robot_taxels",
      [](Batch& batch, const std::string& robot, int sensor) {
        const Model& model = *batch.env(0).model();
        std::size_t k = 0;
        while (model.robots.at(k).name != robot) ++k;
        const Taxels* taxels = model.taxels.at(k).at(static_cast<std::size_t>(sensor)).get();
        if (!taxels) refuse("sensor", std::to_string(sensor), "is no taxels", "read its value");
        return nb::make_tuple(own_points(taxels->normal()), own_row(std::vector(taxels->area())),
                              curvature_of(*taxels));
      },
      nb::arg("batch"), nb::arg("robot"), nb::arg("sensor"),
      "Of a sensor of the kind taxels: normals (n, 3), areas (n) [m2], and both curvatures.");
}

}  // namespace haptos::python
