// Contact fields and stress of a gel, on plain arrays.
#include "bind.h"
#include "haptos/sensors/field/contact_field.h"
#include "haptos/sim/sim.h"

namespace haptos::python {
namespace {

using Matrices = OutArray<double, -1, 3, 3>;

NodalContact to_contact(const ArrayLike& force, const ArrayLike& area) {
  NodalContact c;
  c.force = to_points(force, "force");
  c.area = to_numbers(area, "area");
  c.to_surface.assign(c.force.size(), Vec3d::zero());
  return c;
}

// What measure() needs: as many rows as nodes.
void check_rows(const ContactFieldSensor& s, const std::vector<Vec3d>& nodes,
                const NodalContact& contact) {
  const auto n = static_cast<std::size_t>(s.coat().node_count);
  for (const std::size_t rows : {nodes.size(), contact.force.size(), contact.area.size()})
    if (rows != n)
      refuse("nodes, force and area", std::to_string(rows) + " rows",
             "must be as many as at rest, " + std::to_string(n), "pass one for every node");
}

nb::dict dict_of(ContactField f) {
  nb::dict d;
  d["position"] = own_points(std::move(f.position));
  d["normal"] = own_points(std::move(f.shape.normal));
  d["area"] = own_row(std::move(f.shape.vertex_area));
  d["traction"] = own_points(std::move(f.traction));
  d["pressure"] = own_row(std::move(f.pressure));
  d["shear"] = own_points(std::move(f.shear));
  d["touched"] = own_row(std::move(f.touched));
  d["off_coat"] = vec3(f.off_coat);
  return d;
}

void bind_field(nb::module_& m) {
  using S = ContactFieldSensor;
  nb::class_<S>(m, "ContactFieldSensor")
      .def(
          "__init__",
          [](S* self, const ArrayLike& rest, const ArrayLike& coat,
             std::optional<double> smoothing) {
            const auto nodes = to_points(rest, "rest");
            const auto triangles = to_triangles(coat, "coat");
            if (smoothing && !(*smoothing >= 0))
              refuse("smoothing", std::to_string(*smoothing), "must be a length of 0 or more",
                     "give it in metres, about one edge of the coat, or None");
            new (self) S(nodes, triangles, smoothing.value_or(-1));
          },
          nb::arg("rest"), nb::arg("coat"), nb::arg("smoothing").none() = nb::none())
      .def_prop_ro(
          "nodes", [](const S& s) { return own_row(std::vector<int>(s.coat().node)); },
          "Node of the gel of each vertex of the coat (N,).", kArray)
      .def_prop_ro(
          "triangles", [](const S& s) { return own_triangles(s.coat().triangles); },
          "Triangles of the coat into its vertices (T, 3).", kArray)
      .def_prop_ro("mean_edge", &S::mean_edge, "Mean edge of the coat at rest [m].")
      .def(
          "measure",
          [](const S& s, const ArrayLike& nodes, const ArrayLike& force, const ArrayLike& area) {
            const auto x = to_points(nodes, "nodes");
            const NodalContact c = to_contact(force, area);
            check_rows(s, x, c);
            return dict_of(s.measure(x, c));
          },
          nb::arg("nodes"), nb::arg("force"), nb::arg("area"));
}

}  // namespace

nb::dict nodal_contact_dict(const Sim& sim, const std::string& soft) {
  sim.soft_model(soft);  // refuses other names
  NodalContact c = sim.nodal_contact(soft);
  nb::dict d;
  d["force"] = own_points(std::move(c.force));
  d["area"] = own_row(std::move(c.area));
  d["to_surface"] = own_points(std::move(c.to_surface));
  return d;
}

nb::tuple stress_pair(const Sim& sim, const std::string& soft) {
  SoftStress s = sim.soft_stress(soft);
  const std::size_t e = s.element.size(), v = s.node.size();
  return nb::make_tuple(own<Matrices>(std::move(s.element), {e, 3, 3}),
                        own<Matrices>(std::move(s.node), {v, 3, 3}));
}

void bind_signals(nb::module_& m) { bind_field(m); }

}  // namespace haptos::python
