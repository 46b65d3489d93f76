// The scene builder. haptos/scene/scene.py wraps it and documents it for people.
#include "haptos/scene/scene.h"
#include <nanobind/stl/filesystem.h>
#include "haptos/files/scene/scene_file.h"
#include "haptos/sim/model/model.h"

#include "fields.h"
#include "scene_options.h"

namespace haptos::python {
namespace {

std::string about(const char* kind, const std::string& name, const char* what = "") {
  return std::string(kind) + " \"" + name + "\"" + what;
}

// Rows (name of a body or of a link, vertex numbers).
std::vector<Glue> to_glue(const nb::dict& glue, const std::string& body) {
  std::vector<Glue> r;
  for (auto [name, vertices] : glue)
    r.push_back({nb::cast<std::string>(name),
                 to_indices(nb::borrow(vertices), about("soft body", body, ", glue").c_str())});
  return r;
}

// Rows (vertex numbers, axes such as "x" or "xz").
std::vector<HeldVertices> to_held(const nb::list& held, const std::string& body) {
  std::vector<HeldVertices> r;
  for (nb::handle row : held) {
    const nb::object vertices = row[nb::int_(0)];
    const auto axes = nb::cast<std::string>(row[nb::int_(1)]);
    HeldVertices h;
    h.vertices = to_indices(vertices, about("soft body", body, ", held").c_str());
    for (char a : axes) {
      if (a < 'x' || a > 'z')
        refuse(about("soft body", body, ", held axes"), axes, "must be letters of x, y and z",
               "for example \"xz\"");
      h.axis[a - 'x'] = true;
    }
    r.push_back(std::move(h));
  }
  return r;
}

void add_soft(Scene& scene, const std::string& name, const TetMesh& mesh, const nb::dict& material,
              const nb::object& position, const nb::object& quaternion,
              const std::optional<std::string>& frame, const nb::dict& glue, const nb::list& held,
              const nb::object& coat, const nb::dict& values) {
  Given given(values, about("soft body", name));
  SoftBody b;
  b.name = name;
  b.mesh = mesh;
  b.pose = to_pose(position, quaternion, given.who().c_str());
  if (frame) b.pose = compose(start_pose(scene, *frame), b.pose);
  set_options(b.material, material);
  take_fields(given, b);
  given.finish();
  b.glue = to_glue(glue, name);
  b.held = to_held(held, name);
  if (!coat.is_none()) b.coat = to_triangles(coat, given.element("coat").c_str());
  scene.soft.push_back(std::move(b));
}

SoftBody& soft_named(Scene& scene, const std::string& name) {
  std::vector<std::string> names;
  for (SoftBody& b : scene.soft) {
    if (b.name == name) return b;
    names.push_back(b.name);
  }
  const std::string near = nearest_name(name, names);
  refuse(about("soft body", name), "", "is no soft body of this scene",
         near.empty() ? "add it first" : "did you mean \"" + near + "\"?");
}

// Rows (time, value).
template <class V, class Read>
History<V> to_history(const nb::list& rows, const std::string& what, const Read& read) {
  History<V> h;
  for (nb::handle row : rows) {
    Knot<V> k;
    k.time = to_quantity(row[nb::int_(0)], "s", what + " time");
    k.value = read(nb::object(row[nb::int_(1)]));
    h.push_back(k);
  }
  return h;
}

History<Vec3d> to_vectors(const nb::list& rows, const std::string& what, const char* unit) {
  return to_history<Vec3d>(rows, what,
                           [&](const nb::object& v) { return to_vec3(v, what.c_str(), unit); });
}

void add_force(Scene& scene, const std::string& body, const nb::object& vertices,
               const nb::list& force, const std::string& spread) {
  const std::string what = about("soft body", body, ", force");
  SoftBody& b = soft_named(scene, body);
  NodalForce f;
  f.vertices = to_indices(vertices, what.c_str());
  f.force = to_vectors(force, what, "N");
  if (spread == "area")
    f.spread = Spread::kArea;
  else if (spread != "nodes")
    refuse(what + " spread", spread, "must be nodes or area", "nodes gives equal shares");
  b.forces.push_back(std::move(f));
}

void add_pressure(Scene& scene, const std::string& body, const nb::list& pressure,
                  const nb::object& triangles) {
  const std::string what = about("soft body", body, ", pressure");
  SoftBody& b = soft_named(scene, body);
  SurfacePressure p;
  if (!triangles.is_none()) {
    p.triangles = to_triangles(triangles, what.c_str());
    if (p.triangles.empty())
      refuse(what, "no triangles", "must act on some", "leave them out for the whole surface");
  }
  p.pressure = to_history<double>(pressure, what,
                                  [&](const nb::object& v) { return to_quantity(v, "Pa", what); });
  b.pressures.push_back(std::move(p));
}

void set_acceleration(Scene& scene, const std::string& body, const nb::list& acceleration) {
  SoftBody& b = soft_named(scene, body);
  b.acceleration = to_vectors(acceleration, about("soft body", body, ", acceleration"), "m/s2");
}

template <class V>
double last_time(const History<V>& h) {
  return h.size() > 1 ? h.back().time : 0;
}

// The time [s] after which no load of the body changes.
double last_load_time(const SoftBody& b) {
  double t = last_time(b.acceleration);
  for (const NodalForce& f : b.forces) t = std::max(t, last_time(f.force));
  for (const SurfacePressure& p : b.pressures) t = std::max(t, last_time(p.pressure));
  return t;
}

// Rows (time, position, quaternion or None).
void add_prescribed(Scene& scene, const std::string& name, const std::optional<TriMesh>& surface,
                    const nb::list& trajectory, const nb::dict& values) {
  Given given(values, about("prescribed body", name));
  PrescribedBody b;
  b.name = name;
  take_fields(given, b);
  given.finish();
  if (surface) b.surface = *surface;
  const std::string who = given.element("keyframe");
  for (nb::handle row : trajectory) {
    Keyframe k;
    k.time = to_quantity(row[nb::int_(0)], "s", who + " time");
    k.pose = to_pose(row[nb::int_(1)], row[nb::int_(2)], who.c_str());
    b.trajectory.push_back(k);
  }
  scene.prescribed.push_back(std::move(b));
}

void add_affine(Scene& scene, const std::string& name, const TriMesh& surface,
                const nb::dict& values) {
  Given given(values, about("affine body", name));
  AffineBody b;
  b.name = name;
  b.surface = surface;
  take_fields(given, b);
  given.finish();
  scene.affine.push_back(std::move(b));
}

void add_half_space(Scene& scene, const std::string& name, const nb::dict& values) {
  Given given(values, about("half-space", name));
  HalfSpace h;
  h.name = name;
  take_fields(given, h);
  given.finish();
  scene.half_spaces.push_back(std::move(h));
}

void add_pair(Scene& scene, const std::string& a, const std::string& b, const nb::dict& values) {
  Given given(values, "contact pair \"" + a + "\" and \"" + b + "\"");
  PairOptions p;
  p.a = a, p.b = b;
  take_fields(given, p);
  given.finish();
  scene.pairs.push_back(std::move(p));
}

// Of entries: their names and fields, and what of their parts is shown.
template <class S>
nb::dict entry_of(const S& s) {
  nb::dict d;
  d["name"] = s.name;
  add_fields(d, s);
  return d;
}

nb::dict soft_entry(const SoftBody& b) {
  nb::dict d = entry_of(b);
  d["mesh"] = b.mesh;
  d["material"] = options_dict(b.material);
  d["pose"] = pose_row(b.pose);
  nb::dict glue;
  for (const Glue& g : b.glue) glue[g.body.c_str()] = own_row(g.vertices);
  d["glue"] = glue;
  d["held"] = b.held.size();
  d["coat"] = own_triangles(b.coat);
  d["forces"] = b.forces.size();
  d["pressures"] = b.pressures.size();
  d["load_time"] = last_load_time(b);
  return d;
}

nb::dict prescribed_entry(const PrescribedBody& b) {
  nb::dict d = entry_of(b);
  d["surface"] = b.surface;
  nb::list keyframes;
  for (const Keyframe& k : b.trajectory) keyframes.append(nb::make_tuple(k.time, pose_row(k.pose)));
  d["trajectory"] = keyframes;
  return d;
}

nb::dict affine_entry(const AffineBody& b) {
  nb::dict d = entry_of(b);
  d["surface"] = b.surface;
  return d;
}

nb::dict robot_entry(const RobotBody& b) {
  nb::dict d = entry_of(b);
  add_fields<RobotContact>(d, b);
  d["robot"] = b.robot;
  return d;
}

// What the scene holds, for `haptos describe`, recordings and pictures.
nb::dict entries(const Scene& s) {
  nb::list soft, prescribed, affine, half_spaces, robots;
  for (const SoftBody& b : s.soft) soft.append(soft_entry(b));
  for (const PrescribedBody& b : s.prescribed) prescribed.append(prescribed_entry(b));
  for (const AffineBody& b : s.affine) affine.append(affine_entry(b));
  for (const HalfSpace& h : s.half_spaces) half_spaces.append(entry_of(h));
  for (const RobotBody& b : s.robots) robots.append(robot_entry(b));
  nb::dict d;
  d["soft"] = soft, d["prescribed"] = prescribed, d["affine"] = affine;
  d["half_spaces"] = half_spaces, d["robots"] = robots;
  return d;
}

nb::dict scene_options(const Scene& scene) {
  nb::dict all;
  for_each_group([&](const auto& group) {
    using S = std::decay_t<decltype(scene.*(group))>;
    all[OptionsOf<S>::kName] = options_dict(scene.*(group));
  });
  return all;
}

void set_scene_options(Scene& scene, const std::string& name, const nb::dict& values) {
  bool known = false;
  for_each_group([&](const auto& group) {
    using S = std::decay_t<decltype(scene.*(group))>;
    if (name != OptionsOf<S>::kName) return;
    known = true;
    set_options(scene.*(group), values);
  });
  if (!known) refuse(name, "", "is no group of options", "see haptos describe");
}

// What a Python function returns, its InputError as the library's own.
template <class R, class... Args>
R call(const nb::object& function, const Args&... args) {
  try {
    return nb::cast<R>(function(args...));
  } catch (const nb::python_error& e) {
    rethrow(e);
  }
}

// (mesh, base, coat, material, friction, sensor) as Python returns it.
SensorPad to_sensor_pad(const nb::tuple& t) {
  SensorPad pad;
  pad.mesh = nb::cast<TetMesh>(t[0]);
  pad.base = to_indices(nb::borrow(t[1]), "sensor, base");
  pad.coat = to_triangles(nb::borrow(t[2]), "sensor, coat");
  set_options(pad.material, nb::cast<nb::dict>(t[3]));
  pad.friction = nb::cast<double>(t[4]);
  pad.sensor = nb::cast<TactileSensor>(t[5]);
  return pad;
}

// Rows (name, link, tuple of the pad, position, quaternion), and whether pads may touch the robot.
LinkPads to_link_pads(const nb::tuple& t) {
  LinkPads made;
  for (nb::handle row : nb::cast<nb::list>(t[0])) {
    LinkPad p;
    p.name = nb::cast<std::string>(row[nb::int_(0)]);
    p.link = nb::cast<std::string>(row[nb::int_(1)]);
    p.pad = to_sensor_pad(nb::cast<nb::tuple>(row[nb::int_(2)]));
    p.pose = to_pose(nb::object(row[nb::int_(3)]), nb::object(row[nb::int_(4)]), p.name.c_str());
    made.pads.push_back(std::move(p));
  }
  made.touch_robot = nb::cast<bool>(t[1]);
  return made;
}

// Python functions of (surface, name, size, epsilon, seed) that returns a TetMesh, of (file, root,
// key, hulls) that returns a Robot, of (body, sensor, root, folder, near, quality) and of (robot,
// set, root, folder) that return the tuples above.
SceneReaders readers(const nb::object& tetrahedralise, const nb::object& mjcf,
                     const nb::object& sensor, const nb::object& pads, const nb::object& surface) {
  SceneReaders r;
  if (!surface.is_none()) r.surface = surface_reader(surface);
  if (!tetrahedralise.is_none())
    r.tetrahedralise = [tetrahedralise](const TetrahedraRequest& q) {
      return call<TetMesh>(tetrahedralise, q.surface, q.name, q.size, q.epsilon, q.seed);
    };
  if (!mjcf.is_none())
    r.mjcf = [mjcf](const MjcfRequest& q) {
      return call<Robot>(mjcf, q.file.string(), q.root.string(), q.key, q.hulls);
    };
  if (!sensor.is_none())
    r.sensor = [sensor](const SensorRequest& q) {
      return to_sensor_pad(call<nb::tuple>(sensor, q.body, q.sensor, q.root.string(),
                                           q.folder.string(), nb::make_tuple(q.near[0], q.near[1]),
                                           q.quality));
    };
  if (!pads.is_none())
    r.pads = [pads](const PadsRequest& q) {
      return to_link_pads(
          call<nb::tuple>(pads, q.robot, q.set, q.root.string(), q.folder.string()));
    };
  return r;
}

}  // namespace

void bind_scene(nb::module_& m) {
  nb::class_<Scene>(m, "Scene")
      .def(nb::init<>())
      .def("add_soft", &add_soft, nb::arg("name"), nb::arg("mesh"), nb::arg("material"),
           nb::arg("position").none(), nb::arg("quaternion").none(), nb::arg("frame").none(),
           nb::arg("glue"), nb::arg("held"), nb::arg("coat").none(), nb::arg("values"))
      .def("add_force", &add_force, nb::arg("body"), nb::arg("vertices"), nb::arg("force"),
           nb::arg("spread"))
      .def("add_pressure", &add_pressure, nb::arg("body"), nb::arg("pressure"),
           nb::arg("triangles").none())
      .def("set_acceleration", &set_acceleration, nb::arg("body"), nb::arg("acceleration"))
      .def("add_prescribed", &add_prescribed, nb::arg("name"), nb::arg("surface").none(),
           nb::arg("trajectory"), nb::arg("values"))
      .def("add_affine", &add_affine, nb::arg("name"), nb::arg("surface"), nb::arg("values"))
      .def("add_half_space", &add_half_space, nb::arg("name"), nb::arg("values"))
      .def("add_pair", &add_pair, nb::arg("a"), nb::arg("b"), nb::arg("values"))
      .def("entries", &entries)
      .def("warnings", [](const Scene& s) { return find_warnings(s); })
      .def("options", &scene_options)
      .def("set_options", &set_scene_options, nb::arg("group"), nb::arg("values"))
      .def("validate", [](const Scene& s) { validate(s); });
  m.def(
      "start_pose",
      [](const Scene& scene, const std::string& body) { return pose_row(start_pose(scene, body)); },
      nb::arg("scene"), nb::arg("body"));
  m.def(
      "load_scene",
      [](const std::filesystem::path& path, const nb::object& tetrahedralise,
         const nb::object& mjcf, const nb::object& sensor, const nb::object& pads,
         const nb::object& surface) {
        return load_scene(path, {}, readers(tetrahedralise, mjcf, sensor, pads, surface));
      },
      nb::arg("path"), nb::arg("tetrahedralise").none(), nb::arg("mjcf").none(),
      nb::arg("sensor").none(), nb::arg("pads").none(), nb::arg("surface").none());
}

}  // namespace haptos::python
