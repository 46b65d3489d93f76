// Boundary-layer contact on its own: surfaces and poses in, contacts out.
#include "bind.h"
#include "haptos/geometry/layer/layer_contacts.h"
#include "haptos/geometry/layer/layer_shape.h"
#include "haptos/geometry/layer/reduction.h"
#include "haptos/geometry/soup/soup.h"
#include "haptos/scene/robot/robot.h"

namespace haptos::python {
namespace {

struct Layered {
  LayerShape core;
  double layer = 0;
  Pose frame;
};

Layered make(const RobotShape& shape, double layer, bool sheet, bool shrink) {
  if (!(layer >= 0) || !(layer < 1e3))
    refuse("layer", std::to_string(layer), "must be a width of 0 or more", "give it in metres");
  return {layer_shape(shape.shape, "surface", sheet, shrink ? layer : 0), layer, shape.frame};
}

nb::tuple find(const Layered& a, const Pose& pose_a, const Layered& b, const Pose& pose_b,
               double reach, int most) {
  if (!(reach >= 0) || !std::isfinite(reach))
    refuse("reach", std::to_string(reach), "must be a distance of 0 or more", "give it in metres");
  if (most < 0)
    refuse("most", std::to_string(most), "must be 0 or more", "give a number of contacts");
  std::vector<ContactSample> samples;
  {
    nb::gil_scoped_release free;
    static thread_local LayerContacts contacts;
    static thread_local SampleReduction reduction;
    contacts.find({a.core.soup.get(), compose(pose_a, a.frame), a.layer + a.core.radius},
                  {b.core.soup.get(), compose(pose_b, b.frame), b.layer + b.core.radius}, reach,
                  samples);
    reduction.reduce(samples, most);
  }
  std::vector<Vec3d> point_a, point_b, normal;
  std::vector<double> gap, area;
  std::vector<std::int64_t> feature;
  for (const ContactSample& s : samples) {
    point_a.push_back(s.p_a), point_b.push_back(s.p_b), normal.push_back(s.n);
    gap.push_back(s.gap), area.push_back(s.area * s.stiffer);
    feature.push_back(s.feature_a), feature.push_back(s.feature_b);
  }
  const std::size_t n = samples.size();
  return nb::make_tuple(own_points(std::move(point_a)), own_points(std::move(point_b)),
                        own_points(std::move(normal)), own_row(std::move(gap)),
                        own_row(std::move(area)),
                        own<OutArray<std::int64_t, -1, 2>>(std::move(feature), {n, 2}));
}

}  // namespace

void bind_layer(nb::module_& m) {
  nb::class_<Layered>(m, "LayerSurface", "A shape with a boundary layer; see haptos.Surface.")
      .def(
          "__init__",
          [](Layered* self, const RobotShape& shape, const Quantity& layer, bool sheet,
             bool shrink) {
            new (self) Layered(make(shape, to_quantity(layer, "m", "layer"), sheet, shrink));
          },
          nb::arg("shape"), nb::arg("layer"), nb::arg("sheet"), nb::arg("shrink"))
      .def_ro("layer", &Layered::layer)
      .def_prop_ro("triangles", [](const Layered& s) { return s.core.soup->faces().size(); })
      .def_prop_ro("sided", [](const Layered& s) { return s.core.soup->sided(); })
      .def_prop_ro("dropped", [](const Layered& s) { return s.core.soup->dropped(); })
      .def_prop_ro("stands_out", [](const Layered& s) { return s.core.shrunk.stands_out; })
      .def_prop_ro("area", [](const Layered& s) { return s.core.soup->area(); });
  m.def(
      "layer_contacts",
      [](const Layered& a, const Layered& b, const nb::object& position_a,
         const nb::object& quaternion_a, const nb::object& position_b,
         const nb::object& quaternion_b, const Quantity& reach, int most) {
        return find(a, to_pose(position_a, quaternion_a, "pose_a"), b,
                    to_pose(position_b, quaternion_b, "pose_b"), to_quantity(reach, "m", "reach"),
                    most);
      },
      nb::arg("a"), nb::arg("b"), nb::arg("position_a").none(), nb::arg("quaternion_a").none(),
      nb::arg("position_b").none(), nb::arg("quaternion_b").none(), nb::arg("reach"),
      nb::arg("most"),
      "Points on the layers of a and b (n, 3), normals (n, 3), gaps [m], areas [m2], features "
      "(n, 2).");
}

}  // namespace haptos::python
