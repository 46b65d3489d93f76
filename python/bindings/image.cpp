// Pictures of measured quantities: arrays in, (height, width, 3) bytes out.
#include <cstring>

#include "bind.h"
#include "haptos/render/pictures.h"
#include "image.h"

namespace haptos::python {

ImageOut image_array(Image image) {
  const auto h = static_cast<std::size_t>(image.height), w = static_cast<std::size_t>(image.width);
  return own<ImageOut>(std::move(image.rgb), {h, w, 3});
}

namespace {

using FloatsIn = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

struct Field {
  nb::object kept;  // the array that `field` looks into
  ScalarField field;
};

Field to_field(const nb::object& a, double pitch, const char* what) {
  Field f;
  nb::module_ np = nb::module_::import_("numpy");
  FloatsIn in;
  f.kept = np.attr("ascontiguousarray")(a, "float32");
  if (!nb::try_cast<FloatsIn>(f.kept, in))
    refuse(what, "", "must be an array of shape (height, width)", "pass one picture at a time");
  if (in.shape(0) > 16384 || in.shape(1) > 16384)
    refuse(what, "", "must have at most 16384 rows and columns", "take a part of it");
  f.field.height = static_cast<int>(in.shape(0));
  f.field.width = static_cast<int>(in.shape(1));
  f.field.values = {in.data(), in.size()};
  f.field.pitch = pitch;
  return f;
}

std::vector<std::uint8_t> to_flags(const nb::object& a) {
  std::vector<std::uint8_t> v;
  if (a.is_none()) return v;
  nb::object whole = nb::module_::import_("numpy").attr("asarray")(a, "int64");
  for (int i : to_indices(whole, "visible")) v.push_back(i != 0);
  return v;
}

Colormap to_map(const std::string& name) {
  if (name == "sequential") return Colormap::kSequential;
  if (name == "diverging") return Colormap::kDiverging;
  if (name == "grey") return Colormap::kGrey;
  refuse("colormap", name, "must be sequential, diverging or grey", "");
}

}  // namespace

void bind_image(nb::module_& m) {
  m.def(
      "field_picture",
      [](const ArrayLike& values, double pitch, const std::string& quantity, double unit, int scale,
         const std::string& title, const std::string& map, const std::optional<double>& lo,
         const std::optional<double>& hi) {
        const Field f = to_field(values, pitch, "values");
        FieldPictureOptions o;
        o.scale = scale, o.title = title, o.quantity = quantity, o.unit = unit;
        o.map = to_map(map), o.lo = lo, o.hi = hi;
        return image_array(field_picture(f.field, o));
      },
      nb::arg("values"), nb::arg("pitch"), nb::arg("quantity") = "depth [mm]",
      nb::arg("unit") = 1e3, nb::arg("scale") = 2, nb::arg("title") = "",
      nb::arg("colormap") = "sequential", nb::arg("lo") = nb::none(), nb::arg("hi") = nb::none(),
      "A colour-mapped field (height, width) with axes [mm] and a colour bar; values are "
      "multiplied by `unit` before they are shown; pitch: metres per pixel. lo, hi: range shown.");
  m.def(
      "map_colors",
      [](const ArrayLike& values, const std::string& map) {
        const Colormap colors = to_map(map);
        std::vector<Vec3d> out;
        for (const double v : to_numbers(values, "values")) {
          const Color c = map_color(colors, v);
          out.push_back({{c.r, c.g, c.b}});
        }
        return own_points(std::move(out));
      },
      nb::arg("values"), nb::arg("colormap") = "sequential",
      "Colours (n, 3) from 0 to 1 of numbers (n), held to 0 .. 1; not-a-number is grey.");
  m.def(
      "depth_picture",
      [](const ArrayLike& depth, double pitch, int scale, const std::string& title) {
        return image_array(depth_picture(to_field(depth, pitch, "depth").field, scale, title));
      },
      nb::arg("depth"), nb::arg("pitch"), nb::arg("scale") = 2, nb::arg("title") = "",
      "A picture of a depth image [m], (height, width), with axes and a colour bar [mm].");
  m.def(
      "normal_picture",
      [](const ArrayLike& normal, int scale) {
        const auto shape =
            nb::cast<std::vector<int>>(nb::module_::import_("numpy").attr("shape")(normal));
        if (shape.size() != 3 || shape[0] != 3)
          refuse("normal", "", "must have shape (3, height, width)", "pass one picture at a time");
        return image_array(normal_picture(shape[2], shape[1], to_floats(normal, "normal"), scale));
      },
      nb::arg("normal"), nb::arg("scale") = 2, "A normal map (3, height, width) as colours.");
  m.def(
      "flow_picture",
      [](int width, int height, double pitch, const ArrayLike& from, const ArrayLike& to,
         const ArrayLike& visible, const ArrayLike& under, double gain, int scale,
         double marker_radius, const std::string& title) {
        FlowPictureOptions o;
        o.scale = scale, o.gain = gain, o.marker_radius = marker_radius, o.title = title;
        const auto a = to_points2(from, "from"), b = to_points2(to, "to");
        const auto flags = to_flags(visible);
        Field f;
        if (!under.is_none()) f = to_field(under, pitch, "under");
        return image_array(flow_picture(width, height, pitch, a, b, flags, o,
                                        under.is_none() ? nullptr : &f.field));
      },
      nb::arg("width"), nb::arg("height"), nb::arg("pitch"), nb::arg("start"), nb::arg("end"),
      nb::arg("visible") = nb::none(), nb::arg("under") = nb::none(), nb::arg("gain") = 1.0,
      nb::arg("scale") = 2, nb::arg("marker_radius") = 2.5, nb::arg("title") = "",
      "Markers at pixels `end` (n, 2), rings where they were (`start`), and arrows `gain` times "
      "the flow, on a pale copy of the field `under` if given.");
}

}  // namespace haptos::python
