// Surfaces and gel pads made from a few numbers.
#include "haptos/geometry/make/shapes.h"
#include "bind.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/screw_threads.h"

namespace haptos::python {
namespace {

// Lengths of a shape's function: numbers in m, or texts with a unit.
struct Lengths {
  std::string shape;
  double operator()(const Quantity& value, const char* name) const {
    return to_quantity(value, "m", shape + " " + name);
  }
};

void bind_surfaces(nb::module_& m) {
  m.def(
      "icosphere",
      [](const Quantity& radius, const Quantity& facet) {
        const Lengths m{"icosphere"};
        return icosphere(m(radius, "radius"), m(facet, "facet"));
      },
      nb::arg("radius"), nb::arg("facet"),
      "A sphere about the origin with nearly equal facets; radius and longest edge [m].");
  m.def(
      "cylinder",
      [](const Quantity& radius, const Quantity& height, const Quantity& facet) {
        const Lengths m{"cylinder"};
        return cylinder(m(radius, "radius"), m(height, "height"), m(facet, "facet"));
      },
      nb::arg("radius"), nb::arg("height"), nb::arg("facet"),
      "A cylinder about z, centred at the origin [m].");
  m.def(
      "box",
      [](const ArrayLike& size, const ArrayLike& n) {
        Vec3i cells{{1, 1, 1}};
        if (!n.is_none()) {
          const std::vector<int> k = to_indices(n, "box n");
          if (k.size() != 3)
            refuse("box n", "", "must be three whole numbers", "for example 1,1,1");
          cells = {{k[0], k[1], k[2]}};
        }
        return box(to_vec3(size, "box size", "m"), cells);
      },
      nb::arg("size"), nb::arg("n") = nb::none(),
      "A box centred at the origin; size (3) [m], n (3) squares along each axis.");
  m.def(
      "cone",
      [](const Quantity& radius_bottom, const Quantity& radius_top, const Quantity& height,
         const Quantity& facet) {
        const Lengths m{"cone"};
        return cone(m(radius_bottom, "radius_bottom"), m(radius_top, "radius_top"),
                    m(height, "height"), m(facet, "facet"));
      },
      nb::arg("radius_bottom"), nb::arg("radius_top"), nb::arg("height"), nb::arg("facet"),
      "A cone or frustum about z from z = 0 to z = height [m].");
  m.def(
      "capsule",
      [](const Quantity& radius, const Quantity& length, const Quantity& facet) {
        const Lengths m{"capsule"};
        return capsule(m(radius, "radius"), m(length, "length"), m(facet, "facet"));
      },
      nb::arg("radius"), nb::arg("length"), nb::arg("facet"),
      "A capsule about z, centred; length is that of the cylinder between the balls [m].");
  m.def(
      "torus",
      [](const Quantity& major, const Quantity& minor, const Quantity& facet) {
        const Lengths m{"torus"};
        return torus(m(major, "major"), m(minor, "minor"), m(facet, "facet"));
      },
      nb::arg("major"), nb::arg("minor"), nb::arg("facet"),
      "A torus about z, centred at the origin [m].");
  m.def(
      "ring",
      [](const Quantity& inner_radius, const Quantity& outer_radius, const Quantity& height,
         const Quantity& facet) {
        const Lengths m{"ring"};
        return ring(m(inner_radius, "inner_radius"), m(outer_radius, "outer_radius"),
                    m(height, "height"), m(facet, "facet"));
      },
      nb::arg("inner_radius"), nb::arg("outer_radius"), nb::arg("height"), nb::arg("facet"),
      "A tube about z, centred at the origin [m].");
  m.def(
      "pins",
      [](const ArrayLike& count, const Quantity& spacing, const Quantity& length) {
        const std::vector<int> n = to_indices(count, "pins count");
        if (n.size() != 2)
          refuse("pins count", std::to_string(n.size()) + " numbers", "must be two whole numbers",
                 "for example 21,21");
        const Lengths m{"pins"};
        return pins({{n[0], n[1]}}, m(spacing, "spacing"), m(length, "length"));
      },
      nb::arg("count"), nb::arg("spacing"), nb::arg("length"),
      "A bed of count (2) segments along z that end at z = 0, about the z axis; spacing and length "
      "[m]. For prescribed bodies.");
  const Thread t;
  m.def(
      "iso_bolt",
      [](const Quantity& length, const Quantity& across_flats, const Quantity& head_height,
         const Quantity& diameter, const Quantity& pitch, const Quantity& allowance, int segments) {
        const Lengths m{"iso_bolt"};
        return iso_bolt(
            {m(diameter, "diameter"), m(pitch, "pitch"), m(allowance, "allowance"), segments},
            m(length, "length"), m(across_flats, "across_flats"), m(head_height, "head_height"));
      },
      nb::arg("length"), nb::arg("across_flats") = 30e-3, nb::arg("head_height") = 0.0,
      nb::kw_only(), nb::arg("diameter") = t.diameter, nb::arg("pitch") = t.pitch,
      nb::arg("allowance") = t.allowance, nb::arg("segments") = t.segments,
      "A bolt with an ISO metric thread from z = 0 to z = length and a hexagonal head below, or no "
      "head; allowance: how far the profile lies inside the basic one, normal to it [m].");
  m.def(
      "iso_nut",
      [](const Quantity& height, const Quantity& across_flats, const Quantity& diameter,
         const Quantity& pitch, const Quantity& allowance, int segments) {
        const Lengths m{"iso_nut"};
        return iso_nut(
            {m(diameter, "diameter"), m(pitch, "pitch"), m(allowance, "allowance"), segments},
            m(height, "height"), m(across_flats, "across_flats"));
      },
      nb::arg("height"), nb::arg("across_flats") = 30e-3, nb::kw_only(),
      nb::arg("diameter") = t.diameter, nb::arg("pitch") = t.pitch,
      nb::arg("allowance") = t.allowance, nb::arg("segments") = t.segments,
      "A hexagonal nut with an ISO metric thread from z = 0 to z = height; fits iso_bolt() shifted "
      "by whole pitches [m].");
  m.def(
      "shape_names", [] { return shape_names(); }, "Names that make_shape() knows, sorted.");
  m.def(
      "make_shape",
      [](const std::string& name, const Quantity& facet, unsigned seed) {
        return make_shape(name, to_quantity(facet, "m", "make_shape facet"), seed);
      },
      nb::arg("name"), nb::arg("facet") = 0.5e-3, nb::arg("seed") = 1,
      "A press-test indenter: a 16 x 16 x 10 mm plate on z = 0 with a feature whose top is at "
      "z = 20 mm. facet: longest edge on curved parts [m]; seed: shape of \"random\". Raises "
      "InputError for an unknown name.");
}

void bind_pads(nb::module_& m) {
  nb::class_<PadGrading>(m, "PadGrading",
                         "Element sizes of a pad [m]: fine at the top and the centre, growing by "
                         "at most `growth` per element towards base and rim.")
      .def(
          "__init__",
          [](PadGrading* self, const Quantity& top, const Quantity& base, const Quantity& centre,
             const Quantity& rim, double growth, std::array<double, 2> even, double layer_growth,
             std::array<double, 2> centre_at, bool widen) {
            const Lengths m{"PadGrading"};
            new (self) PadGrading{m(top, "top_size"),
                                  m(base, "base_size"),
                                  m(centre, "centre_size"),
                                  m(rim, "rim_size"),
                                  growth,
                                  even[0] / 2,
                                  even[1] / 2,
                                  layer_growth,
                                  centre_at[0],
                                  centre_at[1],
                                  widen};
          },
          nb::arg("top_size") = PadGrading().top_size,
          nb::arg("base_size") = PadGrading().base_size,
          nb::arg("centre_size") = PadGrading().centre_size,
          nb::arg("rim_size") = PadGrading().rim_size, nb::arg("growth") = PadGrading().growth,
          nb::arg("even") = std::array<double, 2>{0, 0}, nb::arg("layer_growth") = 0.0,
          nb::arg("centre_at") = std::array<double, 2>{0, 0}, nb::arg("widen") = false)
      .def_static(
          "uniform",
          [](const Quantity& size) {
            return PadGrading::uniform(to_quantity(size, "m", "PadGrading size"));
          },
          nb::arg("size"))
      .def_rw("top_size", &PadGrading::top_size)
      .def_rw("base_size", &PadGrading::base_size)
      .def_rw("centre_size", &PadGrading::centre_size)
      .def_rw("rim_size", &PadGrading::rim_size)
      .def_rw("growth", &PadGrading::growth)
      .def_rw("layer_growth", &PadGrading::layer_growth)
      .def_rw("widen", &PadGrading::widen,
              "Whether elements of a box are twice as wide below the first layer.")
      .def_prop_rw(
          "even",
          [](const PadGrading& g) {
            return std::array{2 * g.even_x, 2 * g.even_y};
          },
          [](PadGrading& g, std::array<double, 2> even) {
            g.even_x = even[0] / 2, g.even_y = even[1] / 2;
          },
          "Width along x and y of the region about the centre whose elements keep their width "
          "there [m].")
      .def_prop_rw(
          "centre_at",
          [](const PadGrading& g) {
            return std::array{g.centre_x, g.centre_y};
          },
          [](PadGrading& g, std::array<double, 2> at) { g.centre_x = at[0], g.centre_y = at[1]; },
          "Where on a box the centre is, x and y from its middle [m]; of other pads the middle.");
  nb::class_<Pad>(m, "Pad",
                  "A gel pad. Frame: origin at the centre of the undeformed top, +z out of the "
                  "gel; the base is the plane z = -thickness.")
      .def_prop_ro(
          "mesh", [](const Pad& p) { return p.mesh; }, "A copy of the mesh.")
      .def_ro("thickness", &Pad::thickness, "At the centre [m].")
      .def_prop_ro(
          "base_vertices", [](const Pad& p) { return own_row(p.base_vertices); },
          "Vertices of the base, to be glued, (n,).", kArray)
      .def_prop_ro(
          "coat", [](const Pad& p) { return own_triangles(p.coat); },
          "Triangles of the sensing surface as vertices of the mesh, (n, 3).", kArray);
  m.def(
      "box_pad",
      [](const Quantity& width, const Quantity& depth, const Quantity& thickness,
         const Quantity& chamfer, const std::optional<PadGrading>& grading,
         const std::optional<std::array<double, 2>>& dome,
         const std::optional<std::array<double, 3>>& rim) {
        const Lengths m{"box_pad"};
        BoxPadShape s{m(width, "width"),
                      m(depth, "depth"),
                      m(thickness, "thickness"),
                      m(chamfer, "chamfer"),
                      {}};
        const std::array<double, 2> radii = dome.value_or(std::array{1e6, 1e6});
        if (rim)
          s.height = rounded_height(s, radii[0], radii[1], {(*rim)[0], (*rim)[1], (*rim)[2]});
        else if (dome)
          s.height = dome_height(s.thickness, radii[0], radii[1]);
        return box_pad(s, grading.value_or(PadGrading{}));
      },
      nb::arg("width") = BoxPadShape().width, nb::arg("depth") = BoxPadShape().depth,
      nb::arg("thickness") = BoxPadShape().thickness, nb::arg("chamfer") = 0.0,
      nb::arg("grading") = nb::none(), nb::arg("dome") = nb::none(), nb::arg("rim") = nb::none(),
      "A box-shaped pad [m]: width along x, depth along y. dome: radii of curvature of the top "
      "along x and y [m], or None for a flat top; rim: by how much the top has fallen at the "
      "sides, "
      "and how wide the rounded rim is along x and y [m], or None for none.");
  m.def(
      "round_pad",
      [](const Quantity& radius, const Quantity& thickness, const Quantity& chamfer,
         const std::optional<PadGrading>& g) {
        const Lengths m{"round_pad"};
        return round_pad(m(radius, "radius"), m(thickness, "thickness"), g.value_or(PadGrading{}),
                         PadPart::kFull, m(chamfer, "chamfer"));
      },
      nb::arg("radius"), nb::arg("thickness"), nb::arg("chamfer") = 0.0,
      nb::arg("grading") = nb::none(), "A round pad [m].");
  m.def(
      "mini_pad",
      [](const std::optional<PadGrading>& g) {
        return box_pad(mini_pad_shape(), g.value_or(PadGrading{}));
      },
      nb::arg("grading") = nb::none(),
      "The domed pad of a GelSight Mini: 20.75 x 25.25 x 4.00 mm.");
}

}  // namespace

void bind_shapes(nb::module_& m) {
  bind_surfaces(m);
  bind_pads(m);
}

}  // namespace haptos::python
