// Tactile sensors of a scene: their description, and what they read of all environments.
// haptos/tactile/sensors.py wraps this and documents it for people.
#include <nanobind/stl/shared_ptr.h>

#include <numeric>

#include "bind.h"
#include "haptos/sim/batch/tactile_reader.h"

namespace haptos::python {
namespace {

using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using Backgrounds = std::vector<Floats>;

std::vector<float> values(const Floats& a) { return {a.data(), a.data() + a.size()}; }

// An array of this shape in memory that consumers of DLPack read without a copy.
template <class T>
struct Made {
  T* data = nullptr;
  nb::object array;
};
template <class T>
Made<T> make(const std::vector<std::size_t>& shape) {
  std::size_t bytes = sizeof(T);
  for (const std::size_t n : shape) bytes *= n;
  constexpr std::size_t kLarge = 1 << 22;
  if (bytes >= kLarge) {  // numpy asks for huge pages, which cost less to be first written to
    nb::object raw = nb::module_::import_("numpy").attr("empty")(bytes + kAligned, "uint8");
    auto* first = nb::cast<nb::ndarray<std::uint8_t, nb::c_contig, nb::device::cpu>>(raw).data();
    first += (kAligned - reinterpret_cast<std::uintptr_t>(first) % kAligned) % kAligned;
    nb::ndarray<nb::numpy, T> a(reinterpret_cast<T*>(first), shape.size(), shape.data(), raw);
    return {reinterpret_cast<T*>(first), nb::cast(a)};
  }
  constexpr std::align_val_t aligned{kAligned};
  void* p = ::operator new(std::max(bytes, sizeof(T)), aligned);
  nb::capsule owner(p, [](void* q) noexcept { ::operator delete(q, aligned); });
  nb::ndarray<nb::numpy, T> a(static_cast<T*>(p), shape.size(), shape.data(), owner);
  return {static_cast<T*>(p), nb::cast(a)};
}

// Arrays by name, env axis first; fill() runs without the interpreter.
class Arrays {
 public:
  explicit Arrays(std::size_t envs) : envs_(envs) {}
  template <class T>
  T* add(const char* name, std::vector<std::size_t> shape) {
    shape.insert(shape.begin(), envs_);
    Made<T> made = make<T>(shape);
    dict[name] = made.array;
    return made.data;
  }
  nb::dict dict;

 private:
  std::size_t envs_;
};

std::size_t count(int n) { return static_cast<std::size_t>(n); }

nb::dict surface(TactileReader& r, bool compensated, bool clean, bool raw, bool normals) {
  const std::size_t h = count(r.sensor().spec().camera.height),
                    w = count(r.sensor().spec().camera.width);
  Arrays a(count(r.envs()));
  auto* depth = a.add<float>("depth", {h, w});
  auto* normal = normals ? a.add<float>("normal", {3, h, w}) : nullptr;
  const nb::gil_scoped_release release;
  r.surface({compensated, clean, normals, raw}, depth, normal);
  return a.dict;
}

nb::object colours(TactileReader& r, bool clean) {
  const TactileCamera& c = r.sensor().spec().camera;
  const auto made = make<std::uint8_t>({count(r.envs()), count(c.height), count(c.width), 3});
  const nb::gil_scoped_release release;
  r.colours(clean, made.data);
  return made.array;
}

nb::dict markers(TactileReader& r, bool clean) {
  const std::size_t n = r.sensor().markers()->count();
  Arrays a(count(r.envs()));
  MarkerArrays m{};
  m.position = a.add<double>("position", {n, 3}), m.flow = a.add<double>("flow", {n, 3});
  m.normal = a.add<double>("normal", {n, 3}), m.pixel = a.add<double>("pixel", {n, 2});
  m.pixel_flow = a.add<double>("pixel_flow", {n, 2});
  m.undistorted = a.add<double>("undistorted", {n, 2});
  m.in_view = a.add<std::uint8_t>("in_view", {n}), m.hidden = a.add<std::uint8_t>("hidden", {n});
  m.lost = a.add<std::uint8_t>("lost", {n});
  const nb::gil_scoped_release release;
  r.markers(clean, m);
  return a.dict;
}

// A length of smoothing, None for the size of the elements.
const ContactFieldSensor& field_of(TactileReader& r, std::optional<double> smoothing) {
  if (smoothing && !(*smoothing >= 0))
    refuse("smoothing", std::to_string(*smoothing), "must be a length of 0 or more",
           "give it in metres, about one edge of the coat, or None");
  return r.field(smoothing.value_or(-1));
}

nb::dict contact_field(TactileReader& r, std::optional<double> smoothing) {
  const ContactFieldSensor& field = field_of(r, smoothing);
  const std::size_t n = field.coat().size();
  Arrays a(count(r.envs()));
  FieldArrays f{};
  f.position = a.add<double>("position", {n, 3}), f.normal = a.add<double>("normal", {n, 3});
  f.area = a.add<double>("area", {n}), f.traction = a.add<double>("traction", {n, 3});
  f.pressure = a.add<double>("pressure", {n}), f.shear = a.add<double>("shear", {n, 3});
  f.touched = a.add<double>("touched", {n}), f.off_coat = a.add<double>("off_coat", {3});
  const nb::gil_scoped_release release;
  r.contact_field(field, f);
  return a.dict;
}

nb::dict force_image(TactileReader& r, int width, int height, std::optional<double> smoothing) {
  const ContactFieldSensor& field = field_of(r, smoothing);
  const std::size_t w = count(width), h = count(height);
  Arrays a(count(r.envs()));
  ForceImageArrays f{};
  f.force = a.add<double>("force", {3, h, w}), f.pressure = a.add<double>("pressure", {h, w});
  f.shear = a.add<double>("shear", {3, h, w}), f.area = a.add<double>("area", {h, w});
  f.touched = a.add<double>("touched", {h, w}), f.outside = a.add<double>("outside", {3});
  const nb::gil_scoped_release release;
  r.force_image(field, width, height, f);
  return a.dict;
}

nb::dict touch(TactileReader& r) {
  Arrays a(count(r.envs()));
  TouchArrays t{};
  t.area = a.add<double>("area", {}), t.force = a.add<double>("force", {3});
  t.torque = a.add<double>("torque", {3}), t.centre = a.add<double>("centre", {3});
  t.centre_pixel = a.add<double>("centre_pixel", {2});
  t.inside = a.add<std::uint8_t>("triangles", {r.sensor().field().coat().triangles.size()});
  const nb::gil_scoped_release release;
  r.touch(t);
  return a.dict;
}

nb::tuple frames(TactileReader& r, bool now) {
  const std::size_t n = count(r.envs());
  const auto turn = make<double>({n, 3, 3}), origin = make<double>({n, 3}),
             time = make<double>({n});
  r.frames(now, turn.data, origin.data, time.data);
  return nb::make_tuple(turn.array, origin.array, time.array);
}

nb::object nodes(TactileReader& r, bool compensated) {
  const auto made = make<double>({count(r.envs()), r.sensor().rest().size(), 3});
  const nb::gil_scoped_release release;
  r.nodes(compensated, made.data);
  return made.array;
}

nb::object points(TactileReader& r, const Floats& depth) {
  const TactileCamera& c = r.sensor().spec().camera;
  const std::size_t n = count(r.envs()), h = count(c.height), w = count(c.width);
  if (depth.size() != n * h * w)
    refuse("depth", std::to_string(depth.size()) + " numbers",
           "must be (env, height, width) of this sensor", "pass what depth() returned");
  const auto made = make<double>({n, h, w, 3});
  const nb::gil_scoped_release release;
  r.points(depth.data(), made.data);
  return made.array;
}

void bind_reader(nb::module_& m) {
  using R = TactileReader;
  nb::class_<R>(m, "TactileReader")
      .def(
          "__init__",
          [](R* self, Batch& batch, int sensor) {
            require_index(sensor, batch.model().gels.size(), "sensor");
            new (self) R(batch, sensor);
          },
          nb::arg("batch"), nb::arg("sensor"), nb::keep_alive<1, 2>())
      .def_prop_rw(
          "noise", [](const R& r) -> const TactileNoise& { return r.noise(); }, &R::set_noise,
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "coat_nodes",
          [](const R& r) { return own_row(std::vector<int>(r.sensor().field().coat().node)); },
          kArray)
      .def_prop_ro(
          "coat_triangles",
          [](const R& r) { return own_triangles(r.sensor().field().coat().triangles); }, kArray)
      .def("frames", &frames, nb::arg("now") = false)
      .def("nodes", &nodes, nb::arg("compensated"))
      .def("surface", &surface, nb::arg("compensated"), nb::arg("clean"), nb::arg("raw"),
           nb::arg("normals"))
      .def("points", &points, nb::arg("depth"))
      .def("colours", &colours, nb::arg("clean"))
      .def("markers", &markers, nb::arg("clean"))
      .def("contact_field", &contact_field, nb::arg("smoothing").none())
      .def("force_image", &force_image, nb::arg("width"), nb::arg("height"),
           nb::arg("smoothing").none())
      .def("touch", &touch);
}

void set_backgrounds(TactileColours& c, const Backgrounds& images) {
  if (images.empty()) return;
  c.backgrounds.clear();
  for (const Floats& image : images) c.backgrounds.push_back(values(image));
}

void bind_colours(nb::module_& m) {
  nb::class_<TactileColours>(m, "TactileColours", "The colours of a sensor as read from a file.")
      .def_ro("file", &TactileColours::file)
      .def_static(
          "lights",
          [](const std::string& file, double pitch, const LightRig& rig,
             const Backgrounds& images) {
            TactileColours c;
            c.file = file, c.pitch = pitch, c.rig = rig;
            set_backgrounds(c, images);
            return c;
          },
          nb::arg("file"), nb::arg("pitch"), nb::arg("rig"), nb::arg("backgrounds"))
      .def_static(
          "table",
          [](const std::string& file, double pitch, const Floats& coefficients, double smoothing,
             const ShadowTable* shadow, const Backgrounds& images) {
            TactileColours c;
            c.kind = TactileColours::Kind::kTable;
            c.file = file, c.pitch = pitch, c.smoothing = smoothing;
            c.coefficients = values(coefficients);
            c.bins = coefficients.ndim() > 1 ? static_cast<int>(coefficients.shape(1)) : 0;
            if (shadow) c.shadow = *shadow;
            set_backgrounds(c, images);
            return c;
          },
          nb::arg("file"), nb::arg("pitch"), nb::arg("coefficients"), nb::arg("smoothing"),
          nb::arg("shadow").none(), nb::arg("backgrounds"));
}

void bind_spec(nb::module_& m) {
  using S = TactileSensor;
  nb::class_<S>(m, "SensorSpec",
                "A tactile sensor as described. Made by Scene.add_sensor() and by scene files.")
      .def(
          "__init__",
          [](S* self, const std::string& name, const std::string& body, const TactileCamera& camera,
             const std::optional<MarkerGrid>& grid, const nb::object& position,
             const nb::object& quaternion, const std::shared_ptr<TactileColours>& shown,
             const TactileNoise& noise, double rate, double delay) {
            S s;
            s.name = name, s.body = body, s.camera = camera, s.markers = grid;
            s.frame = to_pose(position, quaternion, ("sensor \"" + name + "\"").c_str());
            s.colours = shown;
            s.noise = noise, s.rate = rate, s.delay = delay;
            new (self) S(std::move(s));
          },
          nb::arg("name"), nb::arg("body"), nb::arg("camera"), nb::arg("markers").none(),
          nb::arg("position").none(), nb::arg("quaternion").none(), nb::arg("colours").none(),
          nb::arg("noise"), nb::arg("rate"), nb::arg("delay"))
      .def_ro("name", &S::name)
      .def_ro("body", &S::body, "The soft body that it looks at.")
      .def_ro("camera", &S::camera)
      .def_ro("markers", &S::markers, "Their grid, or None.")
      .def_prop_ro(
          "position",
          [](const S& s) {
            return own<OutArray<double, 3>>(std::vector<double>(s.frame.p.a, s.frame.p.a + 3), {3});
          },
          "Of the gel frame in the frame of the body's mesh [m].", kArray)
      .def_prop_ro(
          "quaternion",
          [](const S& s) {
            const Quat& q = s.frame.q;
            return own<OutArray<double, 4>>(std::vector<double>{q.w, q.x, q.y, q.z}, {4});
          },
          "Of the gel frame in the frame of the body's mesh, w x y z.", kArray)
      .def_prop_ro(
          "rgb",
          [](const S& s) -> std::optional<std::string> {
            if (!s.colours) return {};
            return s.colours->file;
          },
          "File of its lights or table, or None.")
      .def_ro("noise", &S::noise)
      .def_ro("rate", &S::rate, "Samples per second [Hz]; 0: at every step.")
      .def_ro("delay", &S::delay, "From sample to reader [s].");
  m.def(
      "add_tactile",
      [](Scene& scene, const S& sensor) {
        check_tactile_sensor(sensor);
        scene.tactile.push_back(sensor);
      },
      nb::arg("scene"), nb::arg("sensor"));
  m.def(
      "tactile_sensors", [](const Scene& scene) { return scene.tactile; }, nb::arg("scene"));
}

}  // namespace

void bind_tactile(nb::module_& m) {
  bind_colours(m);
  bind_spec(m);
  bind_reader(m);
}

}  // namespace haptos::python
