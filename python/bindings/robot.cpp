// Robots: reading, checking, mending.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>

#include "bind.h"
#include "haptos/model/robot_check.h"
#include "haptos/model/srdf.h"
#include "haptos/model/urdf.h"

namespace haptos::python {
namespace {

namespace fs = std::filesystem;

constexpr const char* kJointKinds[] = {"fixed", "revolute", "prismatic", "ball", "planar", "free"};
constexpr const char* kShapeKinds[] = {"sphere",    "box",        "capsule", "cylinder", "cone",
                                       "ellipsoid", "half_space", "hull",    "mesh",     "field"};
constexpr const char* kSeverities[] = {"note", "warning", "error"};

using Row3 = OutArray<double, 3>;
Row3 row3(const Vec3d& v) { return own<Row3>(std::vector<double>{v[0], v[1], v[2]}, {3}); }

// Elements of a vector that lives in `self`, as Python objects that look into it.
template <class T>
nb::list references(std::vector<T>& items, nb::handle self) {
  nb::list out;
  for (T& item : items) out.append(nb::cast(&item, nb::rv_policy::reference_internal, self));
  return out;
}

void bind_shape(nb::module_& m) {
  using S = RobotShape;
  nb::class_<S>(m, "RobotShape", "A visual or a collision geometry of a link.")
      .def_ro("name", &S::name)
      .def_prop_ro(
          "kind", [](const S& s) { return kShapeKinds[static_cast<int>(s.shape.kind)]; },
          "sphere, box, capsule, cylinder, cone, ellipsoid, half_space, hull, mesh or field.")
      .def_prop_ro(
          "size", [](const S& s) { return row3(s.shape.size); },
          "Radius; half extents; radius and half length: what the kind needs [m], (3,).", kArray)
      .def_prop_ro(
          "frame", [](const S& s) { return pose_row(s.frame); },
          "x y z [m], w x y z in the link's frame, (7,).", kArray)
      .def_prop_ro(
          "mesh",
          [](const S& s) -> std::optional<TriMesh> {
            if (!s.shape.mesh) return std::nullopt;
            return *s.shape.mesh;
          },
          "A copy of the surface, scaled [m]; None for a primitive and for a file not read.")
      .def_ro("file", &S::file, "Of the mesh, as found; empty for a primitive.")
      .def_prop_ro(
          "scale", [](const S& s) { return row3(s.scale); },
          "What the file's coordinates are multiplied by, (3,).", kArray)
      .def_prop_ro(
          "rgba",
          [](const S& s) { return nb::make_tuple(s.rgba[0], s.rgba[1], s.rgba[2], s.rgba[3]); },
          "Colour and opacity, 0 to 1.")
      .def_ro("texture", &S::texture, "File of a picture; empty: none.")
      .def("__repr__", [](const S& s) {
        return std::string("haptos.RobotShape(") + kShapeKinds[static_cast<int>(s.shape.kind)] +
               ")";
      });
}

void bind_link(nb::module_& m) {
  using L = RobotLink;
  nb::class_<L>(m, "RobotLink", "A rigid part of a robot.")
      .def_rw("name", &L::name)
      .def_rw("mass", &L::mass, "[kg]; 0: a frame without mass.")
      .def_prop_rw(
          "centre", [](const L& l) { return row3(l.centre); },
          [](L& l, const ArrayLike& v) { l.centre = to_vec3(v, "centre"); },
          "Centre of mass in the link's frame [m], (3,).", kArray)
      .def_prop_rw(
          "inertia",
          [](const L& l) {
            return own<OutArray<double, 3, 3>>(std::vector<double>(l.inertia.a, l.inertia.a + 9),
                                               {3, 3});
          },
          [](L& l, const ArrayLike& v) {
            const std::vector<Vec3d> rows = to_points(v, "inertia");
            if (rows.size() != 3)
              refuse("inertia", std::to_string(rows.size()) + " rows", "must have three rows", "");
            for (int i = 0; i < 3; ++i)
              for (int j = 0; j < 3; ++j) l.inertia(i, j) = rows[static_cast<std::size_t>(i)][j];
          },
          "Tensor about the centre of mass, link axes [kg m2], (3, 3).", kArray)
      .def_prop_ro("visuals",
                   [](nb::handle self) { return references(nb::cast<L&>(self).visuals, self); })
      .def_prop_ro("collisions",
                   [](nb::handle self) { return references(nb::cast<L&>(self).collisions, self); })
      .def("__repr__", [](const L& l) {
        return "haptos.RobotLink(" + l.name + ", " + std::to_string(l.mass) + " kg)";
      });
}

void bind_joint(nb::module_& m) {
  using J = RobotJoint;
  nb::class_<J>(m, "RobotJoint", "What carries a link.")
      .def_rw("name", &J::name)
      .def_prop_ro(
          "kind", [](const J& j) { return kJointKinds[static_cast<int>(j.kind)]; },
          "fixed, revolute, prismatic, ball, planar or free.")
      .def_ro("parent", &J::parent, "Number of the link; -1: the world.")
      .def_ro("child", &J::child, "Number of the link.")
      .def_prop_ro(
          "frame", [](const J& j) { return pose_row(j.frame); },
          "x y z [m], w x y z in the parent's frame, (7,).", kArray)
      .def_prop_ro(
          "axis", [](const J& j) { return row3(j.axis); }, "Unit, in the joint's frame, (3,).",
          kArray)
      .def_rw("lower", &J::lower, "[rad] or [m]; -inf: no bound.")
      .def_rw("upper", &J::upper, "[rad] or [m]; inf: no bound.")
      .def_rw("effort", &J::effort, "Largest motor torque or force [N m] or [N].")
      .def_rw("speed", &J::speed, "Largest rate [rad/s] or [m/s].")
      .def_rw("damping", &J::damping, "[N m s/rad] or [N s/m]")
      .def_rw("friction", &J::friction, "Dry [N m] or [N].")
      .def_rw("armature", &J::armature, "[kg m2] or [kg]")
      .def_rw("stiffness", &J::stiffness, "Of a spring [N m/rad] or [N/m].")
      .def_rw("reference", &J::reference, "Where the spring is at rest [rad] or [m].")
      .def_prop_ro(
          "mimic",
          [](const J& j) -> nb::object {
            if (!j.mimic) return nb::none();
            return nb::make_tuple(j.mimic->joint, j.mimic->multiplier, j.mimic->offset);
          },
          nb::sig("def mimic(self) -> tuple[str, float, float] | None"),
          "Joint that this one follows, multiplier and offset; None: it is free.")
      .def_rw("position", &J::position, "At the start; empty: zero.")
      .def("__repr__", [](const J& j) {
        return "haptos.RobotJoint(" + j.name + ", " + kJointKinds[static_cast<int>(j.kind)] + ")";
      });
}

void bind_robot_class(nb::module_& m) {
  nb::class_<Robot>(m, "Robot", "A robot as its file describes it: links and the joints between.")
      .def_rw("name", &Robot::name)
      .def_prop_ro(
          "links", [](nb::handle self) { return references(nb::cast<Robot&>(self).links, self); },
          nb::sig("def links(self) -> list[RobotLink]"), "Parents before children.")
      .def_prop_ro(
          "joints", [](nb::handle self) { return references(nb::cast<Robot&>(self).joints, self); },
          nb::sig("def joints(self) -> list[RobotJoint]"),
          "One for each link, that of the root to the world first.")
      .def_prop_ro(
          "no_contact",
          [](const Robot& r) {
            std::vector<std::array<int, 2>> pairs;
            for (const auto& [a, b] : r.no_contact) pairs.push_back({a, b});
            return pairs;
          },
          "Pairs of links, by number, that never touch.")
      .def_ro("warnings", &Robot::warnings, "What the reader found odd, a sentence each.")
      .def_prop_ro("total_mass", &total_mass, "[kg]")
      .def_prop_ro("degrees_of_freedom", &degrees_of_freedom,
                   "Independent velocities: joints that follow another do not count.")
      .def(
          "start_poses",
          [](const Robot& r) {
            std::vector<double> rows;
            for (const Pose& p : start_poses(r))
              rows.insert(rows.end(), {p.p[0], p.p[1], p.p[2], p.q.w, p.q.x, p.q.y, p.q.z});
            return own<OutArray<double, -1, 7>>(std::move(rows), {r.links.size(), 7});
          },
          "Poses of the links in the world with every joint at its start, (links, 7): x y z [m], "
          "w x y z.")
      .def("__repr__", [](const Robot& r) {
        return "haptos.Robot(" + r.name + ", " + std::to_string(r.links.size()) + " links, " +
               std::to_string(degrees_of_freedom(r)) + " degrees of freedom)";
      });
  nb::class_<RobotFinding>(m, "RobotFinding", "One thing that is odd or wrong about a robot.")
      .def_prop_ro(
          "severity",
          [](const RobotFinding& f) { return kSeverities[static_cast<int>(f.severity)]; },
          "note, warning or error.")
      .def_ro("element", &RobotFinding::element)
      .def_ro("sentence", &RobotFinding::sentence)
      .def("__repr__", [](const RobotFinding& f) {
        return std::string(kSeverities[static_cast<int>(f.severity)]) + ": " + f.element + ": " +
               f.sentence;
      });
}

}  // namespace

void bind_robot(nb::module_& m) {
  bind_shape(m);
  bind_link(m);
  bind_joint(m);
  bind_robot_class(m);
  m.def(
      "read_urdf",
      [](const fs::path& path, std::map<std::string, fs::path> packages, bool floating,
         const std::vector<fs::path>& roots, bool hulls, bool search_packages, std::string xacro,
         std::vector<std::string> xacro_arguments) {
        UrdfOptions o;
        o.base = floating ? RobotBase::kFloating : RobotBase::kFixed;
        o.packages = std::move(packages);
        o.roots = roots;
        o.hulls = hulls;
        o.search_packages = search_packages;
        o.xacro = std::move(xacro);
        o.xacro_arguments = std::move(xacro_arguments);
        nb::gil_scoped_release release;
        return read_urdf(path, o);
      },
      nb::arg("path"), nb::arg("packages"), nb::arg("floating"), nb::arg("roots"), nb::arg("hulls"),
      nb::arg("search_packages"), nb::arg("xacro"), nb::arg("xacro_arguments"));
  m.def("read_srdf", &read_srdf, nb::arg("path"), nb::arg("robot"), nb::arg("state"));
  m.def("check_robot", &check_robot, nb::arg("robot"), nb::call_guard<nb::gil_scoped_release>(),
        "What is odd or wrong about a robot: inertia that no body has, what moves without mass, "
        "starts outside limits, meshes. Errors are what a simulation cannot take.");
  m.def(
      "repair_inertia",
      [](Robot& robot, double density, bool all_links) {
        return repair_inertia(robot, {density, all_links});
      },
      nb::arg("robot"), nb::arg("density") = 0.0, nb::arg("all_links") = false,
      "Gives links whose inertia cannot be real (or all) that of their collision shapes, filled "
      "evenly: with the mass they have, or of a density [kg/m3]. Changes the robot; returns a "
      "sentence for each link changed or left.");
}

}  // namespace haptos::python
