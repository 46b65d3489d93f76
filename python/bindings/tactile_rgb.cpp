// RGB images of tactile sensors: lights, tables, noise, on plain arrays. haptos/tactile/rgb.py and
// haptos/tactile/noise.py make them friendly.
#include <cmath>

#include "bind.h"
#include "haptos/files/light_file.h"
#include "haptos/sensors/optics/photometric.h"
#include "haptos/sensors/optics/rgb_table.h"
#include "haptos/sensors/optics/tactile_noise.h"

namespace haptos::python {
namespace {

using Bytes = OutArray<std::uint8_t, -1, -1, 3>;
using Floats = OutArray<float, -1, -1, 3>;

/// Numbers of any shape as float32 in C order; none: empty. `shape` receives the shape.
std::vector<float> floats(const nb::object& a, const char* what,
                          std::vector<std::size_t>* shape = nullptr) {
  if (a.is_none()) return {};
  nb::module_ np = nb::module_::import_("numpy");
  nb::object in;
  std::string kind;
  try {
    in = np.attr("asarray")(a);
    kind = nb::cast<std::string>(in.attr("dtype").attr("kind"));
  } catch (const nb::python_error&) {
    refuse(what, "", "must be an array of numbers", "pass a numpy array");
  }
  if (kind != "f" && kind != "u" && kind != "i")
    refuse(what, "dtype " + text_of(nb::object(in.attr("dtype"))), "must hold real numbers",
           "use float32");
  if (nb::cast<std::int64_t>(in.attr("size")) > 200'000'000)
    refuse(what, text_of(nb::object(in.attr("shape"))), "has too many numbers", "pass one image");
  in = np.attr("ascontiguousarray")(in, "float32");
  const auto r = nb::cast<nb::ndarray<const float, nb::c_contig, nb::device::cpu>>(in);
  if (shape) {
    shape->clear();
    for (std::size_t i = 0; i < r.ndim(); ++i) shape->push_back(r.shape(i));
  }
  return {r.data(), r.data() + r.size()};
}

std::vector<float> shaped(const nb::object& a, const char* what, std::vector<std::size_t> want) {
  std::vector<std::size_t> shape;
  std::vector<float> v = floats(a, what, &shape);
  if (shape != want) {
    std::string text = "(", got = "(";
    for (std::size_t n : want) text += (text.size() > 1 ? ", " : "") + std::to_string(n);
    for (std::size_t n : shape) got += (got.size() > 1 ? ", " : "") + std::to_string(n);
    refuse(what, "shape " + got + ")", "must have shape " + text + ")", "pass one image at a time");
  }
  return v;
}

/// An image of depth and normals that owns its numbers.
struct Surface {
  std::vector<float> depth, normal;
  int width = 0, height = 0;
  operator SurfaceImage() const { return {width, height, depth, normal}; }
};

Surface surface(const nb::object& depth, const nb::object& normal, int width, int height) {
  const auto w = static_cast<std::size_t>(width), h = static_cast<std::size_t>(height);
  return {shaped(depth, "depth", {h, w}), shaped(normal, "normal", {3, h, w}), width, height};
}

RestSurface rest_surface(const nb::object& height, const nb::object& normal) {
  return {floats(height, "rest_height"), floats(normal, "rest_normal")};
}

template <class Model>
Bytes render_bytes(const Model& m, const nb::object& depth, const nb::object& normal, int width,
                   int height) {
  const Surface s = surface(depth, normal, width, height);
  std::vector<std::uint8_t> out;
  {
    nb::gil_scoped_release release;
    m.render(s, out);
  }
  return own<Bytes>(std::move(out),
                    {static_cast<std::size_t>(height), static_cast<std::size_t>(width), 3});
}
template <class Model>
Floats render_floats(const Model& m, const nb::object& depth, const nb::object& normal, int width,
                     int height) {
  const Surface s = surface(depth, normal, width, height);
  std::vector<float> out;
  {
    nb::gil_scoped_release release;
    m.render(s, out);
  }
  return own<Floats>(std::move(out),
                     {static_cast<std::size_t>(height), static_cast<std::size_t>(width), 3});
}

void bind_lights(nb::module_& m) {
  using L = TactileLight;
  nb::class_<L>(m, "TactileLight", "A light inside the gel, gel frame.")
      .def_static(
          "point",
          [](const ArrayLike& position, const ArrayLike& colour) {
            return L{L::Kind::kPoint, to_vec3(position, "position"), to_vec3(colour, "colour")};
          },
          nb::arg("position"), nb::arg("colour"),
          "position [m]; colour: what a matte patch shows that faces it at the distance of the "
          "gel's origin [grey value].")
      .def_static(
          "directional",
          [](const ArrayLike& direction, const ArrayLike& colour) {
            return L{L::Kind::kDirectional, to_vec3(direction, "direction"),
                     to_vec3(colour, "colour")};
          },
          nb::arg("direction"), nb::arg("colour"), "direction: from the gel to the light.")
      .def_prop_ro("is_point", [](const L& l) { return l.kind == L::Kind::kPoint; })
      .def_prop_ro(
          "at", [](const L& l) { return vec3(l.at); }, "Position [m] or direction.")
      .def_prop_ro("colour", [](const L& l) { return vec3(l.colour); });
  nb::class_<LightRig>(m, "LightRig", "The lights of a tactile sensor and how the coat reflects.")
      .def(
          "__init__",
          [](LightRig* self, const std::vector<L>& lights, const ArrayLike& ambient, double diffuse,
             double specular, int shininess) {
            LightRig rig{lights, to_vec3(ambient, "ambient"), diffuse, specular, shininess};
            rig.check();
            new (self) LightRig(std::move(rig));
          },
          nb::arg("lights"), nb::arg("ambient") = nb::make_tuple(0, 0, 0), nb::arg("diffuse") = 1.0,
          nb::arg("specular") = 0.0, nb::arg("shininess") = 8)
      .def_prop_ro("lights", [](const LightRig& r) { return r.lights; })
      .def_prop_ro("ambient", [](const LightRig& r) { return vec3(r.ambient); })
      .def_ro("diffuse", &LightRig::diffuse)
      .def_ro("specular", &LightRig::specular)
      .def_ro("shininess", &LightRig::shininess);
  using P = PhotometricModel;
  nb::class_<P>(m, "PhotometricModel", "RGB by near-field shading; docs/sensors/rgb.md.")
      .def(
          "__init__",
          [](P* self, const TactileCamera& camera, const LightRig& rig,
             const nb::object& background, const nb::object& rest_height,
             const nb::object& rest_normal) {
            new (self) P(camera, rig, floats(background, "background"),
                         rest_surface(rest_height, rest_normal));
          },
          nb::arg("camera"), nb::arg("rig"), nb::arg("background") = nb::none(),
          nb::arg("rest_height") = nb::none(), nb::arg("rest_normal") = nb::none(),
          "background: (height, width, 3) grey values; none: the light on the coat at rest.")
      .def(
          "render",
          [](const P& p, const ArrayLike& d, const ArrayLike& n) {
            return render_bytes(p, d, n, p.camera().width, p.camera().height);
          },
          nb::arg("depth"), nb::arg("normal"), "Bytes (height, width, 3).")
      .def(
          "render_float",
          [](const P& p, const ArrayLike& d, const ArrayLike& n) {
            return render_floats(p, d, n, p.camera().width, p.camera().height);
          },
          nb::arg("depth"), nb::arg("normal"), "Grey values 0..255, float32 (height, width, 3).")
      .def(
          "shade",
          [](const P& p, const ArrayLike& depth, const ArrayLike& normal) {
            const TactileCamera& c = p.camera();
            std::vector<float> out;
            p.shade(surface(depth, normal, c.width, c.height), out);
            return own<Floats>(std::move(out), {static_cast<std::size_t>(c.height),
                                                static_cast<std::size_t>(c.width), 3});
          },
          nb::arg("depth"), nb::arg("normal"), "The light alone, not clamped.")
      .def_prop_ro(
          "background",
          [](const P& p) {
            const TactileCamera& c = p.camera();
            return own<Floats>(
                std::vector<float>(p.background()),
                {static_cast<std::size_t>(c.height), static_cast<std::size_t>(c.width), 3});
          },
          kArray)
      .def_prop_ro("camera", [](const P& p) { return p.camera(); })
      .def_prop_ro("rig", [](const P& p) { return p.rig(); });
}

void bind_table(nb::module_& m) {
  using S = ShadowTable;
  nb::class_<S>(m, "ShadowTable", "Shadows of an RgbTable; docs/sensors/rgb.md.")
      .def(
          "__init__",
          [](S* self, const nb::object& change, const ArrayLike& direction, const ArrayLike& depth,
             double step, double fan, int fan_rays, double blur, double threshold) {
            S s;
            std::vector<std::size_t> shape;
            s.change = floats(change, "shadow table", &shape);
            if (shape.size() != 4 || shape[0] != 3)
              refuse("shadow table", "", "must have shape (3, directions, depths, steps)",
                     "three colours first");
            s.directions = static_cast<int>(shape[1]), s.depths = static_cast<int>(shape[2]);
            s.steps = static_cast<int>(shape[3]);
            s.direction = to_floats(direction, "shadow directions");
            s.depth = to_floats(depth, "shadow depths");
            s.step = step, s.fan = fan, s.fan_rays = fan_rays, s.blur = blur;
            s.threshold = threshold;
            s.check();
            new (self) S(std::move(s));
          },
          nb::arg("change"), nb::arg("direction"), nb::arg("depth"), nb::arg("step") = S().step,
          nb::arg("fan") = S().fan, nb::arg("fan_rays") = S().fan_rays, nb::arg("blur") = S().blur,
          nb::arg("threshold") = S().threshold);
  using T = RgbTable;
  nb::class_<T>(m, "RgbTable", "RGB by polynomial tables; docs/sensors/rgb.md.")
      .def(
          "__init__",
          [](T* self, const nb::object& coefficients, const nb::object& background,
             double smoothing, const S* shadow, const nb::object& rest_normal) {
            std::vector<std::size_t> a, b;
            std::vector<float> w = floats(coefficients, "table", &a);
            std::vector<float> back = floats(background, "background", &b);
            if (a.size() != 4 || a[0] != 3 || a[1] != a[2] || a[3] != 6 || a[1] > 2000)
              refuse("table", "", "must have shape (3, bins, bins, 6)",
                     "colour, magnitude, direction, polynomial");
            if (b.size() != 3 || b[2] != 3 || b[0] > 16384 || b[1] > 16384)
              refuse("background", "", "must have shape (height, width, 3)", "pass a colour image");
            new (self) T(static_cast<int>(b[1]), static_cast<int>(b[0]), static_cast<int>(a[1]),
                         std::move(w), std::move(back), smoothing, shadow ? *shadow : S(),
                         rest_surface(nb::none(), rest_normal));
          },
          nb::arg("coefficients"), nb::arg("background"), nb::arg("smoothing") = 0.0,
          nb::arg("shadow") = nb::none(), nb::arg("rest_normal") = nb::none(),
          "coefficients: (3, bins, bins, 6), not-a-number in empty bins; background: (height, "
          "width, 3) grey values; smoothing [pixel].")
      .def(
          "render",
          [](const T& t, const ArrayLike& d, const ArrayLike& n) {
            return render_bytes(t, d, n, t.width(), t.height());
          },
          nb::arg("depth"), nb::arg("normal"), "Bytes (height, width, 3).")
      .def(
          "render_float",
          [](const T& t, const ArrayLike& d, const ArrayLike& n) {
            return render_floats(t, d, n, t.width(), t.height());
          },
          nb::arg("depth"), nb::arg("normal"), "Grey values 0..255, float32 (height, width, 3).")
      .def_prop_ro(
          "coefficients",
          [](const T& t) {
            const auto n = static_cast<std::size_t>(t.bins());
            return own<OutArray<float, 3, -1, -1, 6>>(std::vector<float>(t.coefficients()),
                                                      {3, n, n, 6});
          },
          kArray, "(3, bins, bins, 6), empty bins filled.")
      .def_prop_ro(
          "background",
          [](const T& t) {
            return own<Floats>(
                std::vector<float>(t.background()),
                {static_cast<std::size_t>(t.height()), static_cast<std::size_t>(t.width()), 3});
          },
          kArray)
      .def_prop_ro("filled", &T::filled, "How many bins were empty, all colours together.");
}

using Noise = TactileNoise;

void bind_noise(nb::module_& m) {
  nb::class_<Noise> c(
      m, "TactileNoise",
      "Noise of a tactile sensor: depth, image and markers (docs/sensors/noise.md). "
      "Off by default.");
  c.def(
       "__init__",
       [](Noise* self, int morphology, double blur, double texture, double rgb, double gain,
          double gain_std, double offset, double offset_std, double jitter, double loss,
          double interval, double fabrication, double rotation, double translation) {
         const Noise n{morphology, blur,   texture, rgb,      gain,        gain_std, offset,
                       offset_std, jitter, loss,    interval, fabrication, rotation, translation};
         n.check();
         new (self) Noise(n);
       },
       nb::kw_only(), nb::arg("morphology") = 0, nb::arg("blur") = 0.0, nb::arg("texture") = 0.0,
       nb::arg("rgb") = 0.0, nb::arg("gain") = 1.0, nb::arg("gain_std") = 0.0,
       nb::arg("offset") = 0.0, nb::arg("offset_std") = 0.0, nb::arg("jitter") = 0.0,
       nb::arg("loss") = 0.0, nb::arg("interval") = 0.0, nb::arg("fabrication") = 0.0,
       nb::arg("rotation") = 0.0, nb::arg("translation") = 0.0,
       "As the attributes. Raises InputError for a number that cannot be used.")
      .def_rw("morphology", &Noise::morphology,
              "Largest square that erodes or dilates the depth [pixel], 0 or odd; by sample.")
      .def_rw("blur", &Noise::blur, "Largest Gaussian blur of the depth [pixel]; by sample.")
      .def_rw("texture", &Noise::texture, "Heights added to the depth, N(0, .) [m]; by sample.")
      .def_rw("rgb", &Noise::rgb, "Of every pixel and colour, N(0, .) [grey value]; by sample.")
      .def_rw("gain", &Noise::gain, "Of the image.")
      .def_rw("gain_std", &Noise::gain_std, "Of the gain of each colour, N(0, .), drawn once.")
      .def_rw("offset", &Noise::offset, "Of the image [grey value].")
      .def_rw("offset_std", &Noise::offset_std,
              "Of the offset of each colour, N(0, .) [grey value], drawn once.")
      .def_rw("jitter", &Noise::jitter, "Of marker pixels, N(0, .) [pixel]; by sample.")
      .def_rw("loss", &Noise::loss, "Probability that a marker is lost; by sample.")
      .def_rw("interval", &Noise::interval,
              "Part by which the pitch of the markers is off at most, drawn once.")
      .def_rw("fabrication", &Noise::fabrication,
              "By how much each marker is off along x and y at most [m], drawn once.")
      .def_rw("rotation", &Noise::rotation, "Turn of the grid at most [rad], drawn once.")
      .def_rw("translation", &Noise::translation,
              "Shift of the grid along x and y at most [m], drawn once.")
      .def_prop_ro("on_surface", &Noise::on_surface, "Whether depth and normals have noise.")
      .def("check", &Noise::check, "Raises InputError for a number that cannot be used.");
  m.def(
      "tactile_noise_key",
      [](std::uint64_t seed, std::uint32_t env, const std::string& sensor) {
        return tactile_noise_key(seed, env, sensor);
      },
      nb::arg("seed"), nb::arg("env"), nb::arg("sensor"));
  m.def(
      "add_surface_noise",
      [](const Noise& noise, std::uint64_t key, std::int64_t sample, double pitch,
         const ArrayLike& depth, const ArrayLike& normal) {
        if (noise.on_surface() && !(pitch > 0))
          refuse("pitch", std::to_string(pitch), "must be greater than 0 for noise of the depth",
                 "give the pixel pitch in the sensor file");
        std::vector<std::size_t> s;
        DepthImage image;
        image.depth = floats(depth, "depth", &s);
        if (s.size() != 2) refuse("depth", "", "must have shape (height, width)", "one at a time");
        image.normal = shaped(normal, "normal", {3, s[0], s[1]});
        image.width = static_cast<int>(s[1]), image.height = static_cast<int>(s[0]);
        add_surface_noise(noise, key, sample, pitch, image);
        return nb::make_tuple(
            own<OutArray<float, -1, -1>>(std::move(image.depth), {s[0], s[1]}),
            own<OutArray<float, 3, -1, -1>>(std::move(image.normal), {3, s[0], s[1]}));
      },
      nb::arg("noise"), nb::arg("key"), nb::arg("sample"), nb::arg("pitch"), nb::arg("depth"),
      nb::arg("normal"));
  m.def(
      "add_image_noise",
      [](const Noise& noise, std::uint64_t key, std::int64_t sample, const ArrayLike& image) {
        std::vector<std::size_t> s;
        std::vector<float> v = floats(image, "image", &s);
        if (s.size() != 3 || s[2] != 3)
          refuse("image", "", "must have shape (height, width, 3)", "one at a time");
        add_image_noise(noise, key, sample, v);
        return own<Floats>(std::move(v), {s[0], s[1], 3});
      },
      nb::arg("noise"), nb::arg("key"), nb::arg("sample"), nb::arg("image"));
}

}  // namespace

void bind_tactile_rgb(nb::module_& m) {
  bind_lights(m);
  bind_table(m);
  bind_noise(m);
  m.def(
      "normals_from_depth",
      [](const ArrayLike& depth, double pitch) {
        std::vector<std::size_t> s;
        const std::vector<float> d = floats(depth, "depth", &s);
        if (s.size() != 2) refuse("depth", "", "must have shape (height, width)", "one at a time");
        return own<OutArray<float, 3, -1, -1>>(
            normals_from_depth(d, static_cast<int>(s[1]), static_cast<int>(s[0]), pitch),
            {3, s[0], s[1]});
      },
      nb::arg("depth"), nb::arg("pitch"),
      "Unit normals (3, height, width) of a depth image [m] by central differences; pitch: metres "
      "per pixel.");
  nb::class_<LightFile>(m, "LightFile", "An RGB sensor file as read.")
      .def_ro("width", &LightFile::width)
      .def_ro("height", &LightFile::height)
      .def_ro("pitch", &LightFile::pitch)
      .def_ro("has_lights", &LightFile::has_lights)
      .def_ro("rig", &LightFile::rig)
      .def_ro("background", &LightFile::background)
      .def_ro("backgrounds", &LightFile::backgrounds)
      .def_ro("table", &LightFile::table)
      .def_ro("model", &LightFile::model)
      .def_ro("smoothing", &LightFile::smoothing)
      .def_ro("noise", &LightFile::noise);
  m.def(
      "parse_light_file",
      [](const std::string& text, const std::string& name) { return parse_light_file(text, name); },
      nb::arg("text"), nb::arg("name"));
}

}  // namespace haptos::python
