// Robots and rigid bodies of a scene and of a Sim. haptos/scene.py and haptos/robot_view.py wrap
// this and document it for people.
#include <nanobind/stl/map.h>
#include <nanobind/stl/tuple.h>

#include "bind.h"
#include "haptos/model/rigid.h"
#include "haptos/sim/sim.h"

namespace haptos::python {
namespace {

using Row = std::vector<double>;

OutArray<double, -1> row(Row v) { return own_row(std::move(v)); }
OutArray<double, 6> six(const Vec6d& v) { return own<OutArray<double, 6>>(Row(v.a, v.a + 6), {6}); }

// Coordinates of joints at the start, by name.
void set_start(Robot& robot, const std::map<std::string, Row>& start, const std::string& who) {
  std::vector<std::string> names;
  for (const RobotJoint& j : robot.joints) names.push_back(j.name);
  for (const auto& [name, q] : start) {
    RobotJoint* found = nullptr;
    for (RobotJoint& j : robot.joints)
      if (j.name == name) found = &j;
    if (!found) {
      const std::string near = nearest_name(name, names);
      refuse(who + " start", name, "is no joint of this robot",
             near.empty() ? "robot.joints lists them" : "did you mean \"" + near + "\"?");
    }
    found->position = q;
  }
}

void add_robot(Scene& scene, const std::string& name, const Robot& robot,
               const nb::object& position, const nb::object& quaternion,
               const std::map<std::string, Row>& start, const nb::object& coordinates,
               const nb::object& velocity, const nb::list& motors, bool own_motors, double friction,
               double stiffness, double relaxation_time, bool self_contact,
               const std::string& layer) {
  const std::string who = "robot \"" + name + "\"";
  RobotBody b;
  b.name = name;
  b.robot = robot;
  b.pose = to_pose(position, quaternion, who.c_str());
  set_start(b.robot, start, who);
  if (!coordinates.is_none()) b.position = to_numbers(coordinates, (who + " start").c_str());
  if (!velocity.is_none()) b.velocity = to_numbers(velocity, (who + " velocity").c_str());
  if (!own_motors) b.robot.motors.clear();
  for (nb::handle m : motors) {
    RobotMotor motor;
    motor.joint = nb::cast<std::string>(m[nb::int_(0)]);
    motor.kp = nb::cast<double>(m[nb::int_(1)]);
    motor.kd = nb::cast<double>(m[nb::int_(2)]);
    motor.ki = nb::cast<double>(m[nb::int_(3)]);
    motor.integral_limit = nb::cast<double>(m[nb::int_(4)]);
    motor.effort = nb::cast<double>(m[nb::int_(5)]);
    b.robot.motors.push_back(motor);
  }
  b.friction = friction;
  b.stiffness = stiffness;
  b.relaxation_time = relaxation_time;
  b.self_contact = self_contact;
  b.layer = layer;
  scene.robots.push_back(std::move(b));
}

void bind_view(nb::module_& m) {
  using V = RobotView;
  nb::class_<V>(m, "RobotView")
      .def("q_count", [](const V& v) { return v.tree().q_count; })
      .def("v_count", [](const V& v) { return v.tree().v_count; })
      .def("motor_count", &V::motor_count)
      .def("link_names", [](const V& v) { return v.tree().link_names; })
      .def("motor_names",
           [](const V& v) {
             std::vector<std::string> names;
             for (const RobotMotor& k : v.robot().motors)
               names.push_back(k.name.empty() ? k.joint : k.name);
             return names;
           })
      .def("robot", [](const V& v) { return v.robot(); })
      .def("slots",
           [](const V& v) {
             std::vector<std::tuple<std::string, int, int, int, int>> all;
             for (const TreeBody& b : v.tree().bodies)
               all.emplace_back(v.robot().joints[static_cast<std::size_t>(b.joint)].name, b.first_q,
                                q_size(b.kind), b.first_v, b.v_count);
             return all;
           })
      .def("link", &V::link)
      .def("motor", &V::motor)
      .def("position", [](const V& v) { return row(v.position()); })
      .def("velocity", [](const V& v) { return row(v.velocity()); })
      .def("acceleration", [](const V& v) { return row(v.acceleration()); })
      .def("set_state",
           [](V& v, const nb::object& q, const nb::object& z) {
             v.set_state(to_numbers(q, "position"), to_numbers(z, "velocity"));
           })
      .def("link_poses",
           [](const V& v) {
             Row all;
             const int n = static_cast<int>(v.robot().links.size());
             for (int i = 0; i < n; ++i) {
               const Pose p = v.link_pose(i);
               all.insert(all.end(), {p.p[0], p.p[1], p.p[2], p.q.w, p.q.x, p.q.y, p.q.z});
             }
             return own<OutArray<double, -1, 7>>(std::move(all), {static_cast<std::size_t>(n), 7});
           })
      .def("link_pose", [](const V& v, int link) { return pose_row(v.link_pose(link)); })
      .def("link_velocity", [](const V& v, int link) { return six(v.link_velocity(link)); })
      .def("commands",
           [](const V& v) {
             Row all;
             for (int k = 0; k < v.motor_count(); ++k) {
               const MotorCommand c = v.command(k);
               all.insert(all.end(), {c.position, c.velocity, c.feed_forward});
             }
             return own<OutArray<double, -1, 3>>(std::move(all),
                                                 {static_cast<std::size_t>(v.motor_count()), 3});
           })
      .def("set_commands",
           [](V& v, const nb::object& commands) {
             const std::vector<Vec3d> rows = to_points(commands, "commands");
             for (std::size_t k = 0; k < rows.size(); ++k)
               v.set_command(static_cast<int>(k), {rows[k][0], rows[k][1], rows[k][2]});
           })
      .def("efforts",
           [](const V& v) {
             Row all;
             for (int k = 0; k < v.motor_count(); ++k) all.push_back(v.effort(k));
             return row(std::move(all));
           })
      .def("torque", [](const V& v) { return row(v.torque()); })
      .def("set_torque",
           [](V& v, const nb::object& torque) { v.set_torque(to_numbers(torque, "torque")); })
      .def("set_wrench", [](V& v, int link, const nb::object& force, const nb::object& torque) {
        v.set_wrench(link, to_vec3(force, "force"), to_vec3(torque, "torque"));
      });
}

}  // namespace

void bind_scene_robots(nb::module_& m) {
  bind_view(m);
  m.def("add_robot", &add_robot, nb::arg("scene"), nb::arg("name"), nb::arg("robot"),
        nb::arg("position").none(), nb::arg("quaternion").none(), nb::arg("start"),
        nb::arg("coordinates").none(), nb::arg("velocity").none(), nb::arg("motors"),
        nb::arg("own_motors"), nb::arg("friction"), nb::arg("stiffness"),
        nb::arg("relaxation_time"), nb::arg("self_contact"), nb::arg("layer"));
  m.def(
      "rigid_robot",
      [](const std::string& name, const nb::list& shapes, double mass, double density, bool fixed) {
        std::vector<RobotShape> all;
        for (nb::handle s : shapes) all.push_back(nb::cast<const RobotShape&>(s));
        return rigid_robot(name, std::move(all), {mass, density},
                           fixed ? JointKind::kFixed : JointKind::kFree);
      },
      nb::arg("name"), nb::arg("shapes"), nb::arg("mass"), nb::arg("density"), nb::arg("fixed"));
  m.def(
      "robot_view", [](Sim& sim, const std::string& name) { return sim.robot(name); },
      nb::arg("sim"), nb::arg("name"), nb::keep_alive<0, 1>());
}

}  // namespace haptos::python
