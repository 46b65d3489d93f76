// Parts of the entries of a scene that are no plain fields: meshes, glue, trajectories, robots.
#include <nanobind/stl/map.h>

#include "fields.h"
#include "haptos/scene/robot/mimic_start.h"
#include "haptos/sim/model/model.h"
#include "scene_options.h"

namespace haptos::python {
namespace {

using Row = std::vector<double>;

// Rows (name of a body or of a link, vertex numbers).
std::vector<Glue> to_glue(const nb::dict& glue, const std::string& who) {
  std::vector<Glue> r;
  for (auto [name, vertices] : glue)
    r.push_back(
        {nb::cast<std::string>(name), to_indices(nb::borrow(vertices), (who + ", glue").c_str())});
  return r;
}

// Rows (vertex numbers, axes such as "x" or "xz").
std::vector<HeldVertices> to_held(const nb::list& held, const std::string& who) {
  std::vector<HeldVertices> r;
  for (nb::handle row : held) {
    const nb::object vertices = row[nb::int_(0)];
    const auto axes = nb::cast<std::string>(row[nb::int_(1)]);
    HeldVertices h;
    h.vertices = to_indices(vertices, (who + ", held").c_str());
    for (char a : axes) {
      if (a < 'x' || a > 'z')
        refuse(who + ", held axes", axes, "must be letters of x, y and z", "for example \"xz\"");
      h.axis[a - 'x'] = true;
    }
    r.push_back(std::move(h));
  }
  return r;
}

// Coordinates of joints at the start, by name.
void set_start(Robot& robot, const std::map<std::string, Row>& start, const std::string& who) {
  std::vector<std::string> names;
  std::set<std::string> given;
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
    given.insert(name);
  }
  start_mimics(robot, given);
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

}  // namespace

void take_parts(const Scene& scene, Given& given, SoftBody& b) {
  b.mesh = nb::cast<TetMesh>(given.take("mesh"));
  const nb::object position = given.take("position"), quaternion = given.take("quaternion");
  b.pose = to_pose(position, quaternion, given.who().c_str());
  if (const nb::object frame = given.take("frame"); !frame.is_none())
    b.pose = compose(start_pose(scene, nb::cast<std::string>(frame)), b.pose);
  set_options(b.material, nb::cast<nb::dict>(given.take("material")));
  b.glue = to_glue(nb::cast<nb::dict>(given.take("glue")), given.who());
  b.held = to_held(nb::cast<nb::list>(given.take("held")), given.who());
  if (const nb::object coat = given.take("coat"); !coat.is_none())
    b.coat = to_triangles(coat, given.element("coat").c_str());
}

// The trajectory: rows (time, position, quaternion or None).
void take_parts(const Scene&, Given& given, PrescribedBody& b) {
  if (const nb::object surface = given.take("surface"); !surface.is_none())
    b.surface = nb::cast<TriMesh>(surface);
  const std::string who = given.element("keyframe");
  for (nb::handle row : nb::cast<nb::list>(given.take("trajectory"))) {
    Keyframe k;
    k.time = to_quantity(row[nb::int_(0)], "s", who + " time");
    k.pose = to_pose(row[nb::int_(1)], row[nb::int_(2)], who.c_str());
    b.trajectory.push_back(k);
  }
}

void take_parts(const Scene&, Given& given, AffineBody& b) {
  b.surface = nb::cast<TriMesh>(given.take("surface"));
}

void take_parts(const Scene&, Given& given, MaterialPoints& b) {
  b.shape = nb::cast<RobotShape>(given.take("shape"));
}

// `start`: coordinates by name, `coordinates`: of all joints; one of the two.
void take_parts(const Scene&, Given& given, RobotBody& b) {
  b.robot = nb::cast<Robot>(given.take("robot"));
  set_start(b.robot, nb::cast<std::map<std::string, Row>>(given.take("start")), given.who());
  if (const nb::object all = given.take("coordinates"); !all.is_none())
    b.position = to_numbers(all, given.element("start").c_str());
  if (const nb::object velocity = given.take("velocity"); !velocity.is_none())
    b.velocity = to_numbers(velocity, given.element("velocity").c_str());
  if (const nb::object trajectory = given.take("trajectory"); !trajectory.is_none())
    b.trajectory = nb::cast<Trajectory>(trajectory);
}

void take_parts(const Scene&, Given& given, Constraint& c) {
  c.a = nb::cast<std::string>(given.take("a"));
  if (const nb::object b = given.take("b"); !b.is_none()) c.b = nb::cast<std::string>(b);
  const nb::object position = given.take("other_position"),
                   quaternion = given.take("other_quaternion");
  if (!position.is_none() || !quaternion.is_none())
    c.other = to_pose(position, quaternion, given.element("other").c_str());
  const auto limits = nb::cast<std::array<double, 2>>(given.take("limits"));
  c.lower = limits[0], c.upper = limits[1];
  c.reference = nb::cast<double>(given.take("reference"));
  const nb::object motor = given.take("motor");
  if (motor.is_none()) return;
  ConstraintMotor& m = c.motor.emplace();
  for (const auto& [key, value] : nb::cast<std::map<std::string, double>>(motor)) {
    if (key == "kp") m.kp = value;
    if (key == "kd") m.kd = value;
    if (key == "ki") m.ki = value;
    if (key == "integral_limit") m.integral_limit = value;
    if (key == "effort") m.effort = value;
    if (key == "position") m.position = value;
    if (key == "velocity") m.velocity = value;
  }
}

void take_parts(const Scene&, Given& given, SceneCamera& c) {
  if (const nb::object frame = given.take("frame"); !frame.is_none())
    c.frame = nb::cast<std::string>(frame);
}

void show_parts(nb::dict& d, const SoftBody& b) {
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
}

void show_parts(nb::dict& d, const PrescribedBody& b) {
  d["surface"] = b.surface;
  nb::list keyframes;
  for (const Keyframe& k : b.trajectory) keyframes.append(nb::make_tuple(k.time, pose_row(k.pose)));
  d["trajectory"] = keyframes;
}

void show_parts(nb::dict& d, const AffineBody& b) { d["surface"] = b.surface; }

void show_parts(nb::dict& d, const MaterialPoints& b) { d["shape"] = b.shape; }

void show_parts(nb::dict& d, const RobotBody& b) { d["robot"] = b.robot; }

void show_parts(nb::dict& d, const Constraint& c) {
  d["bodies"] = nb::make_tuple(c.a, c.b.empty() ? nb::object(nb::none()) : nb::cast(c.b));
  const bool bounded = std::isfinite(c.lower) || std::isfinite(c.upper);
  d["limits"] = bounded ? nb::object(nb::make_tuple(c.lower, c.upper)) : nb::object(nb::none());
  d["reference"] = c.reference;
  d["motor"] = nb::none();
  if (!c.motor) return;
  nb::dict m;
  m["kp"] = c.motor->kp;
  m["kd"] = c.motor->kd;
  m["ki"] = c.motor->ki;
  m["integral_limit"] = c.motor->integral_limit;
  m["effort"] = c.motor->effort;
  m["position"] = c.motor->position ? nb::cast(*c.motor->position) : nb::object(nb::none());
  m["velocity"] = c.motor->velocity;
  d["motor"] = m;
}

void show_parts(nb::dict& d, const SceneCamera& c) {
  d["frame"] = c.frame.empty() ? nb::object(nb::none()) : nb::cast(c.frame);
  d["pose"] = pose_row(camera_pose(c));
}

}  // namespace haptos::python
