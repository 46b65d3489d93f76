#include "haptos/sim/build/build_robots.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/bodies/joints/joint_group.h"
#include "haptos/bodies/joints/joint_terms.h"
#include "haptos/bodies/joints/loop_closure.h"
#include "haptos/sim/model/pair_models.h"

namespace haptos {
namespace {

// Of all joints of a robot.
struct JointParts {
  std::vector<JointDamping> dampings;
  std::vector<JointSpring> springs;
  std::vector<JointFriction> frictions;
  std::vector<JointLimit> limits;
  std::vector<BallLimit> cones;
  std::vector<JointMotor> turns;  // springs of ball joints, of tendons
};

// Adds those of the one unknown k of a joint.
void add_parts(const RobotModel& robot, const RobotJoint& j, int k, Articulation* body,
               JointParts& parts, Workspace& w) {
  if (j.stiffness > 0) parts.springs.emplace_back(body, k, j.stiffness, j.reference);
  if (j.friction > 0) parts.frictions.emplace_back(body, k, j.friction);
  if (j.mimic) {
    const Mimic& m = *j.mimic;
    w.terms.push_back(
        std::make_unique<JointMimic>(body, k, robot.unknown(m.joint), m.multiplier, m.offset));
  }
  if (std::isfinite(j.lower)) parts.limits.emplace_back(body, k, LimitSide::kLower, j.lower);
  if (std::isfinite(j.upper)) parts.limits.emplace_back(body, k, LimitSide::kUpper, j.upper);
}

// As one term.
template <class Law>
JointGroup<Law>* add_group(std::vector<Law> laws, Workspace& w) {
  if (laws.empty()) return nullptr;
  auto group = std::make_unique<JointGroup<Law>>(std::move(laws));
  JointGroup<Law>* added = group.get();
  w.terms.push_back(std::move(group));
  return added;
}

}  // namespace

void add_joint_terms(const RobotModel& robot, RobotParts& parts, Workspace& w) {
  Articulation* body = parts.body;
  const Tree& tree = *robot.tree;
  JointParts joints;
  for (std::size_t i = 0; i < robot.robot.joints.size(); ++i) {
    const RobotJoint& j = robot.robot.joints[i];
    const int b = tree.joint_body[i];
    if (b < 0) continue;
    const int first = tree.bodies[at_index(b)].first_v, n = tree.bodies[at_index(b)].v_count;
    for (int k = first; k < first + n && j.damping > 0; ++k)
      joints.dampings.emplace_back(body, k, j.damping);
    if (n == 1) add_parts(robot, j, first, body, joints, w);
    if (j.kind != JointKind::kBall) continue;
    if (std::isfinite(j.upper)) joints.cones.emplace_back(body, first, j.upper);
    for (int k = first; k < first + n && j.stiffness > 0; ++k)
      joints.turns.emplace_back(body, k, MotorGains{.kp = j.stiffness});
  }
  for (std::size_t i = 0; i < robot.robot.tendons.size(); ++i) {
    const RobotTendon& t = robot.robot.tendons[i];
    const JointPulls& on = robot.tendon_pulls[i];
    if (t.friction > 0) joints.frictions.emplace_back(body, on, t.friction);
    if (std::isfinite(t.lower)) joints.limits.emplace_back(body, on, LimitSide::kLower, t.lower);
    if (std::isfinite(t.upper)) joints.limits.emplace_back(body, on, LimitSide::kUpper, t.upper);
    if (!(t.stiffness > 0) && !(t.damping > 0)) continue;
    joints.turns.emplace_back(body, on, MotorGains{.kp = t.stiffness, .kd = t.damping});
    joints.turns.back().command.position = t.reference;
  }
  add_group(std::move(joints.turns), w);
  add_group(std::move(joints.dampings), w);
  add_group(std::move(joints.springs), w);
  add_group(std::move(joints.frictions), w);
  add_group(std::move(joints.limits), w);
  add_group(std::move(joints.cones), w);
  std::vector<JointMotor> motors;
  for (std::size_t i = 0; i < robot.robot.motors.size(); ++i) {
    const RobotMotor& m = robot.robot.motors[i];
    motors.emplace_back(body, robot.motor_pulls[i],
                        MotorGains{m.kp, m.kd, m.effort, m.ki, m.integral_limit});
  }
  const auto count = static_cast<int>(motors.size());
  JointGroup<JointMotor>* group = add_group(std::move(motors), w);
  for (int k = 0; k < count; ++k) parts.motors.push_back(group->law(k));
  for (const LoopClosure& c : robot.robot.closures) {
    auto term = make_closure(body, c, robot.pose);
    parts.closures.push_back(term.get());
    w.terms.push_back(std::move(term));
  }
}

namespace {

int add_link_point(const RobotModel& robot, LinkParts& l, int body, const Vec3d& local, double mass,
                   const RobotParts& parts, Workspace& w) {
  const TreeLink& place = robot.tree->links[at_index(l.link)];
  l.points.push_back(place.body < 0 ? w.points.add_driven(body, 0, place.pose * local)
                                    : parts.body->add_point(w.points, l.link, body, local));
  l.local.push_back(local);
  l.glued_mass.push_back(mass);
  return l.points.back();
}

}  // namespace

void add_link_points(const Model& model, const RobotBody& spec, const RobotModel& robot,
                     RobotParts& parts, Workspace& w) {
  for (const int link : robot.carriers) {
    LinkParts l;
    l.link = link;
    l.body = robot.first_body + link;
    const auto& shapes = robot.robot.links[at_index(link)].collisions;
    for (std::size_t k = 0; k < robot.surfaces[at_index(link)].size(); ++k) {
      const TriMesh& mesh = robot.surfaces[at_index(link)][k];
      if (mesh.empty()) continue;
      std::vector<int> points;
      for (const Vec3d& x : mesh.vertices)
        points.push_back(add_link_point(robot, l, l.body, x, 0, parts, w));
      const bool still = robot.tree->links[at_index(link)].body < 0;
      l.surfaces.push_back(
          add_surface(model, mesh, std::move(points), l.body, still, w, static_cast<int>(k)));
      l.friction.push_back(shapes[k].friction < 0 ? spec.friction : shapes[k].friction);
    }
    l.first_glued = l.points.size();
    parts.links.push_back(std::move(l));
  }
}

int add_glued_to_link(const RobotModel& robot, int link, int body, const Vec3d& x, double mass,
                      RobotParts& parts, Workspace& w) {
  const auto l = std::find_if(parts.links.begin(), parts.links.end(),
                              [&](const LinkParts& p) { return p.link == link; });
  return add_link_point(robot, *l, body, to_local(robot.start[at_index(link)], x), mass, parts, w);
}

void add_robot_shapes(const RobotBody& spec, const RobotModel& robot, RobotParts& parts,
                      Workspace& w, std::vector<PointShape>& shapes,
                      std::vector<std::array<int, 2>>& excluded) {
  const auto or_else = [](double own, double other) { return own < 0 ? other : own; };
  std::vector<std::vector<int>> of_link(robot.robot.links.size());
  for (std::size_t i = 0; i < robot.robot.links.size(); ++i) {
    const RobotLink& link = robot.robot.links[i];
    const TreeLink& place = robot.tree->links[i];
    const int id = robot.first_body + static_cast<int>(i);
    const Link* carrier = nullptr;
    if (place.body >= 0 && !link.collisions.empty()) {
      w.links.push_back(
          std::make_unique<LinkOf<Articulation>>(parts.body, static_cast<int>(i), id));
      carrier = w.links.back().get();
    }
    for (std::size_t k = 0; k < link.collisions.size(); ++k) {
      const RobotShape& c = link.collisions[k];
      of_link[i].push_back(static_cast<int>(shapes.size()));
      PointShape p{robot.shapes[i][k], carrier ? c.frame : compose(place.pose, c.frame), carrier};
      p.body = id;
      p.stiffness = or_else(c.stiffness, spec.stiffness);
      p.relaxation_time = or_else(c.relaxation_time, spec.relaxation_time);
      p.friction = or_else(c.friction, spec.friction);
      p.dissipation = spec.dissipation;
      p.modulus = spec.modulus;
      p.layer = or_else(c.layer, spec.layer);
      if (!robot.fields.empty()) {
        p.field = robot.fields[i][k];
        p.hydroelastic = hydroelastic_of(spec, c);
      }
      shapes.push_back(std::move(p));
    }
  }
  for (const auto& [a, b] : robot.no_contact)
    for (int i : of_link[at_index(a)])
      for (int j : of_link[at_index(b)]) excluded.push_back({i, j});
}

void set_initial_controls(const RobotModel& robot, const RobotParts& parts, double* controls) {
  for (std::size_t k = 0; k < parts.motors.size(); ++k) {
    double* m = controls + robot.controls.motor(static_cast<int>(k));
    m[0] = 0;
    for (const JointPull& p : robot.motor_pulls[k])
      m[0] = fma(p.weight, robot.position[at_index(parts.body->coordinate_of(p.joint))], m[0]);
    m[4] = robot.robot.motors[k].kp;
    m[5] = robot.robot.motors[k].kd;
    m[6] = robot.robot.motors[k].ki;
  }
  for (int b = 0; b < robot.controls.bodies; ++b) controls[robot.controls.mass(b)] = 1;
  controls[robot.controls.friction()] = 1;
}

void tell_motor(const double* slots, Motor& motor) {
  motor.command = {slots[0], slots[1], slots[2]};
  motor.integral = slots[3];
  motor.gains.kp = slots[4];
  motor.gains.kd = slots[5];
  motor.gains.ki = slots[6];
}

void apply_controls(const Scene& scene, double end, const State& state, Workspace& w) {
  for (std::size_t i = 0; i < w.robots.size(); ++i) {
    RobotParts& r = w.robots[i];
    const double* c = state.controls.data();
    if (!r.body) continue;
    for (std::size_t k = 0; k < r.motors.size(); ++k)
      tell_motor(c + r.controls.motor(static_cast<int>(k)), *r.motors[k]);
    for (std::size_t k = 0; k < r.played.size(); ++k) {
      const Trajectory& t = *scene.robots[i].trajectory;
      const TrajectorySample s = t.at(static_cast<int>(k), t.start() + end);
      MotorCommand& command = r.motors[at_index(r.played[k])]->command;
      command.position = s.value;
      command.velocity = s.rate;
    }
    for (int b = 0; b < r.controls.bodies; ++b) r.body->scale_mass(b, c[r.controls.mass(b)]);
    std::copy_n(c + r.controls.torque(0), r.controls.unknowns, r.body->torque.begin());
    for (LinkLoad& l : r.body->loads) {
      const double* f = c + r.controls.wrench(l.link);
      l.force = {{f[0], f[1], f[2]}};
      l.torque = {{f[3], f[4], f[5]}};
    }
  }
}

void keep_controls(const Workspace& w, State& state) {
  for (const RobotParts& r : w.robots) {
    const auto slot = [&](std::size_t motor) {
      return state.controls.data() + r.controls.motor(static_cast<int>(motor));
    };
    for (std::size_t k = 0; k < r.motors.size(); ++k) slot(k)[3] = r.motors[k]->integral;
    for (const int k : r.played) {
      slot(at_index(k))[0] = r.motors[at_index(k)]->command.position;
      slot(at_index(k))[1] = r.motors[at_index(k)]->command.velocity;
    }
  }
}

}  // namespace haptos
