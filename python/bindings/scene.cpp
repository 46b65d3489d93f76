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

// Adds an entry of the section of a kind: `values` has its fields and its parts by name.
void add_entry(Scene& scene, const std::string& section, const std::string& name,
               const nb::dict& values) {
  each_kind(scene, [&](auto& list) {
    using Kind = typename std::decay_t<decltype(list)>::value_type;
    if (section != FieldsOf<Kind>::kSection) return;
    Given given(values, about(FieldsOf<Kind>::kKind, name));
    Kind entry;
    entry.name = name;
    take_fields(given, entry);
    take_parts(scene, given, entry);
    given.finish();
    list.push_back(std::move(entry));
  });
}

void add_pair(Scene& scene, const std::string& a, const std::string& b, const nb::dict& values) {
  Given given(values, "contact pair \"" + a + "\" and \"" + b + "\"");
  PairOptions p;
  p.a = a, p.b = b;
  take_fields(given, p);
  given.finish();
  scene.pairs.push_back(std::move(p));
}

// What the scene holds, for `haptos describe`, recordings and pictures.
nb::dict entries(const Scene& s) {
  nb::dict all;
  each_kind(s, [&](const auto& list) {
    using Kind = typename std::decay_t<decltype(list)>::value_type;
    nb::list rows;
    for (const Kind& entry : list) {
      nb::dict d;
      d["name"] = entry.name;
      add_fields(d, entry);
      show_parts(d, entry);
      rows.append(d);
    }
    all[FieldsOf<Kind>::kSection] = rows;
  });
  return all;
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
      .def("add", &add_entry, nb::arg("section"), nb::arg("name"), nb::arg("values"))
      .def("add_force", &add_force, nb::arg("body"), nb::arg("vertices"), nb::arg("force"),
           nb::arg("spread"))
      .def("add_pressure", &add_pressure, nb::arg("body"), nb::arg("pressure"),
           nb::arg("triangles").none())
      .def("set_acceleration", &set_acceleration, nb::arg("body"), nb::arg("acceleration"))
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
