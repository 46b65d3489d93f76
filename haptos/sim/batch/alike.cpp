#include "haptos/sim/batch/alike.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/sim/model/control_slots.h"

namespace haptos {
namespace {

template <class List>
bool same(const List& a, const List& b) {
  return std::ranges::equal(
      a, b, [](const auto& x, const auto& y) { return std::ranges::equal(x.a, y.a); });
}

class Comparison {
 public:
  explicit Comparison(int env) : env_("environment " + std::to_string(env)) {}

  void need(bool same, const std::string& what, const std::string& rule) const {
    if (!same) refuse(env_ + ", " + what, "", rule, "change sizes and materials only");
  }
  template <class List>
  void names(const std::string& kind, const List& a, const List& b) const {
    need(std::ranges::equal(
             a, b, {}, [](const auto& x) -> const std::string& { return x.name; },
             [](const auto& x) -> const std::string& { return x.name; }),
         kind, "must have the names of the first environment, in its order");
  }
  void surface(const std::string& name, const TriMesh& a, const TriMesh& b) const {
    need(a.vertices.size() == b.vertices.size() && same(a.triangles, b.triangles) &&
             same(a.segments, b.segments) && a.points == b.points,
         "surface of \"" + name + "\"", "must have the triangles of the first environment");
  }

 private:
  std::string env_;
};

void compare_soft(const Comparison& c, const Model& a, const Model& b) {
  for (std::size_t i = 0; i < a.soft.size(); ++i) {
    const std::string& name = a.scene.soft[i].name;
    const SoftModel &x = a.soft[i], &y = b.soft[i];
    c.need(x.rest.vertices.size() == y.rest.vertices.size() && same(x.rest.tets, y.rest.tets),
           "mesh of \"" + name + "\"", "must have the tetrahedra of the first environment");
    c.surface(name, x.surface, y.surface);
    c.need(x.glued_to == y.glued_to, "glue of \"" + name + "\"",
           "must be that of the first environment");
    c.need(same(x.coat, y.coat), "coat of \"" + name + "\"",
           "must be that of the first environment");
  }
}

void compare_robots(const Comparison& c, const Model& a, const Model& b) {
  for (std::size_t i = 0; i < a.robots.size(); ++i) {
    const RobotModel &x = a.robots[i], &y = b.robots[i];
    c.names("links of \"" + x.name + "\"", x.robot.links, y.robot.links);
    c.names("joints of \"" + x.name + "\"", x.robot.joints, y.robot.joints);
    const auto kinds = [](const RobotModel& r) {
      std::vector<int> all;
      for (const RobotJoint& j : r.robot.joints) all.push_back(static_cast<int>(j.kind));
      for (const JointPulls& motor : r.motor_pulls)
        for (const JointPull& p : motor) all.push_back(p.joint);
      for (int k = 0; k < r.sensors->size(); ++k)
        all.push_back(static_cast<int>(r.sensors->sensor(k).kind));
      return all;
    };
    c.need(kinds(x) == kinds(y) && x.controls.end() == y.controls.end(), "\"" + x.name + "\"",
           "must have the kinds of joints, the motors and the sensors of the first environment");
  }
}

void compare_sensors(const Comparison& c, const Model& a, const Model& b) {
  c.names("tactile sensors", a.scene.tactile, b.scene.tactile);
  for (std::size_t i = 0; i < a.gels.size(); ++i) {
    const GelSensor &x = *a.gels[i].sensor, &y = *b.gels[i].sensor;
    c.need(a.gels[i].soft == b.gels[i].soft && same(x.rest(), y.rest()) && same(x.coat(), y.coat()),
           "gel of sensor \"" + a.scene.tactile[i].name + "\"",
           "must have the mesh of the first environment, whose camera and markers all share");
  }
}

}  // namespace

void check_alike(const Model& first, const Model& other, int env) {
  const Comparison c(env);
  const Scene &a = first.scene, &b = other.scene;
  c.need(a.sim.dt == b.sim.dt, "sim.dt = " + internal::format_number(b.sim.dt) + " s",
         "must be the time step of the first environment, " + internal::format_number(a.sim.dt) +
             " s");
  c.names("prescribed bodies", a.prescribed, b.prescribed);
  c.names("soft bodies", a.soft, b.soft);
  c.names("bodies of material points", a.material_points, b.material_points);
  c.names("affine bodies", a.affine, b.affine);
  c.names("robots", a.robots, b.robots);
  c.names("half-spaces", a.half_spaces, b.half_spaces);
  c.names("constraints", a.constraints, b.constraints);
  c.names("cameras", a.cameras, b.cameras);
  for (std::size_t i = 0; i < a.prescribed.size(); ++i)
    c.surface(a.prescribed[i].name, a.prescribed[i].surface, b.prescribed[i].surface);
  for (std::size_t i = 0; i < a.affine.size(); ++i)
    c.surface(a.affine[i].name, a.affine[i].surface, b.affine[i].surface);
  for (std::size_t i = 0; i < a.material_points.size(); ++i)
    c.need(first.particles[i].points.size() == other.particles[i].points.size(),
           "points of \"" + a.material_points[i].name + "\"",
           "must be as many as in the first environment");
  compare_soft(c, first, other);
  compare_robots(c, first, other);
  compare_sensors(c, first, other);
  c.need(control_count(first) == control_count(other), "what is set in a state",
         "must be as in the first environment");
}

}  // namespace haptos
