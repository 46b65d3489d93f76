// Robots: reading, checking, mending.
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>

#include <algorithm>

#include "haptos/files/urdf/srdf.h"
#include "haptos/files/urdf/urdf.h"
#include "haptos/scene/robot/robot_check.h"
#include "robot_bind.h"

namespace haptos::python {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSeverities[] = {"note", "warning", "error"};

std::vector<std::pair<int, int>> to_pairs(const nb::object& pairs) {
  std::vector<std::pair<int, int>> out;
  if (pairs.is_none()) return out;
  for (nb::handle pair : nb::borrow<nb::iterable>(pairs)) {
    if (!nb::isinstance<nb::sequence>(pair) || nb::len(pair) != 2)
      refuse("no_contact", text_of(pair), "must be pairs of links, by number", "");
    const auto a = nb::cast<int>(pair[nb::int_(0)]), b = nb::cast<int>(pair[nb::int_(1)]);
    out.emplace_back(std::min(a, b), std::max(a, b));
  }
  return out;
}

// The number of the element of this name; names that are there follow in the error.
template <class T>
int index_by_name(const std::vector<T>& items, const std::string& name, const char* what) {
  std::string known;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].name == name) return static_cast<int>(i);
    if (i < 20) known += (i ? ", " : "") + items[i].name;
  }
  refuse(what, name, "must be the name of a " + std::string(what) + " of the robot",
         "it has " + known + (items.size() > 20 ? ", ..." : ""));
}

void bind_robot_class(nb::module_& m) {
  nb::class_<Robot> c(
      m, "Robot",
      "A robot as its file describes it: links and the joints between. Elements are "
      "edited in place; to add or remove some, set the tuple anew: robot.motors += "
      "(haptos.RobotMotor(...),). Those held before then no longer belong to it.");
  c.def(
       "__init__",
       [](Robot* self, std::string name, const nb::object& links, const nb::object& joints,
          const nb::object& motors, const nb::object& closures, const nb::object& no_contact,
          const nb::object& tendons) {
         Robot r;
         r.name = std::move(name);
         r.links = copies<RobotLink>(links, "links", "RobotLink");
         r.joints = copies<RobotJoint>(joints, "joints", "RobotJoint");
         r.motors = copies<RobotMotor>(motors, "motors", "RobotMotor");
         r.closures = copies<LoopClosure>(closures, "closures", "LoopClosure");
         r.no_contact = to_pairs(no_contact);
         r.tendons = copies<RobotTendon>(tendons, "tendons", "RobotTendon");
         new (self) Robot(std::move(r));
       },
       nb::arg("name") = "robot", nb::arg("links") = nb::none(), nb::arg("joints") = nb::none(),
       nb::arg("motors") = nb::none(), nb::arg("closures") = nb::none(),
       nb::arg("no_contact") = nb::none(), nb::arg("tendons") = nb::none(),
       "Copies links, joints (each link is the child of one; parents come first), motors, loop "
       "closures, tendons; no_contact: pairs of links, by number.")
      .def_rw("name", &Robot::name);
  def_keep(c);
  def_elements(c, "links", &Robot::links, "RobotLink", "Tuple of RobotLink, parents first.");
  def_elements(c, "joints", &Robot::joints, "RobotJoint",
               "Tuple of RobotJoint: one for each link, that of its parent earlier.");
  def_elements(c, "motors", &Robot::motors, "RobotMotor", "Tuple of RobotMotor.");
  def_elements(c, "tendons", &Robot::tendons, "RobotTendon",
               "Tuple of RobotTendon: sums of joints that motors drive and laws act on.");
  def_elements(c, "closures", &Robot::closures, "LoopClosure",
               "Tuple of LoopClosure: loops and couplings.");
  c.def_prop_rw(
       "no_contact",
       [](const Robot& r) {
         std::vector<std::array<int, 2>> pairs;
         for (const auto& [a, b] : r.no_contact) pairs.push_back({a, b});
         return pairs;
       },
       [](Robot& r, const nb::object& pairs) { r.no_contact = to_pairs(pairs); },
       "Pairs of links, by number, that never touch.")
      .def_rw("warnings", &Robot::warnings, "What the reader found odd, a sentence each.")
      .def_prop_ro(
          "total_mass", [](const Robot& r) { return total_mass(r); }, "[kg]")
      .def_prop_ro("degrees_of_freedom", &degrees_of_freedom,
                   "Independent velocities: joints that follow another do not count.")
      .def(
          "link",
          [](const Robot& r, const std::string& n) { return index_by_name(r.links, n, "link"); },
          nb::arg("name"), "Number of the link of this name.")
      .def(
          "joint",
          [](const Robot& r, const std::string& n) { return index_by_name(r.joints, n, "joint"); },
          nb::arg("name"), "Number of the joint of this name.")
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
      .def(
          "validate", [](const Robot& r) { require_robot(r, r.name); },
          "Raises InputError for the first error that haptos.check_robot() finds.")
      .def(
          "copy", [](const Robot& r) { return r; }, "The same, by itself, with meshes shared.")
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
  bind_robot_shape(m);
  bind_robot_parts(m);
  bind_robot_class(m);
  m.def(
      "read_urdf",
      [](const fs::path& path, std::map<std::string, fs::path> packages, bool floating,
         const std::vector<fs::path>& roots, bool hulls, bool search_packages, std::string xacro,
         std::vector<std::string> xacro_arguments, const nb::object& read_other) {
        UrdfOptions o;
        o.base = floating ? RobotBase::kFloating : RobotBase::kFixed;
        o.packages = std::move(packages);
        for (auto& [name, folder] : o.packages)
          if (folder.empty()) folder = ".";  // as sentences show it
        o.roots = roots;
        o.hulls = hulls;
        o.search_packages = search_packages;
        o.xacro = std::move(xacro);
        o.xacro_arguments = std::move(xacro_arguments);
        if (!read_other.is_none()) o.read_other = surface_reader(read_other);
        nb::gil_scoped_release release;
        return read_urdf(path, o);
      },
      nb::arg("path"), nb::arg("packages"), nb::arg("floating"), nb::arg("roots"), nb::arg("hulls"),
      nb::arg("search_packages"), nb::arg("xacro"), nb::arg("xacro_arguments"),
      nb::arg("read_other").none());
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
