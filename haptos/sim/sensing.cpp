#include "haptos/sim/sensing.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/math/random.h"
#include "haptos/base/text/error.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/robot_view.h"
#include "haptos/sim/taxels/taxels.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

// Contact, closures, and wrenches that were set, where they act at the start of the step.
void find_forces(const RobotSensors& robot, int first_body, const RobotParts& parts,
                 const Workspace& w, std::vector<LinkForce>& out) {
  out.clear();
  const int links = static_cast<int>(robot.robot().links.size());
  add_contact_forces(w.contacts, w.points, first_body, links, out);
  for (const LinkParts& l : parts.links)  // what soft bodies that are glued to it pull with
    for (std::size_t k = l.first_glued; k < l.points.size(); ++k) {
      const auto p = at_index(l.points[k]);
      out.push_back({l.link, w.points.x_target[p], w.point_impulse[p] * (-1 / w.b), {}});
    }
  if (!parts.body) return;
  const auto place = [&](int link, const Vec3d& x) {
    return link_frame(robot.tree(), parts.body->start(), link) * x;
  };
  for (const LinkLoad& l : parts.body->loads)
    out.push_back({l.link, place(l.link, l.at), l.force, l.torque});
  std::vector<ConstraintForce> joined;
  for (const LoopClosureTerm* c : parts.closures) c->add_forces(joined);
  for (const ConstraintParts& c : w.constraints) c.term->add_forces(joined);
  for (const ConstraintForce& f : joined)
    if (f.body >= first_body && f.body < first_body + links)
      out.push_back({f.body - first_body, f.x, f.force, f.moment});
}

// What acts on the unknowns beside what is solved for: for bases that float.
void find_efforts(const Robot& robot, const RobotParts& parts, const Workspace& w,
                  std::vector<double>& out) {
  out = parts.body->torque;
  if (w.objective.proximal()) return;
  const double* z = w.z.data() + parts.body->slots().first_scalar;
  for (const TreeBody& b : parts.body->tree().bodies)
    for (int k = b.first_v; k < b.first_v + b.v_count; ++k)
      out[at_index(k)] -= robot.joints[at_index(b.joint)].damping * z[k];
}

bool any_due(const Sensing& s, std::size_t robot, const State& state) {
  for (int i = 0; i < s.robots[robot].size(); ++i)
    if (s.pipeline.due(s.first[robot] + i, state.time, state.sensors)) return true;
  return false;
}

// Taxels of a sensor of a robot, in the frame of their link.
std::shared_ptr<const Taxels> make_taxels(const Model& model, std::size_t robot, const Sensor& s) {
  const RobotModel& m = model.robots[robot];
  const auto link = s.target.empty()
                        ? m.tree->link_names.begin()
                        : std::find(m.tree->link_names.begin(), m.tree->link_names.end(), s.target);
  const auto k = static_cast<std::size_t>(link - m.tree->link_names.begin());
  std::vector<Vec3d> places;
  for (const Vec3d& x : s.places) places.push_back(s.frame * x);
  try {
    return std::make_shared<const Taxels>(model, model.body_names[at_index(m.first_body) + k],
                                          places, s.areas);
  } catch (const InputError& e) {
    Diagnostic d = e.diagnostic;
    d.element = "sensor \"" + m.name + "/" + s.name + "\", " + d.element;
    throw InputError(d);
  }
}

// What reads the taxels of a robot, of the contacts of the last step; none where it has none.
std::function<void(int, double*)> read_taxels(const Model& model, std::size_t robot, State& state,
                                              Workspace& w,
                                              std::span<const ContactPoint> contacts) {
  const auto& all = model.taxels[robot];
  if (std::none_of(all.begin(), all.end(), [](const auto& t) { return t != nullptr; })) return {};
  return [&model, &state, &w, robot, contacts](int sensor, double* out) {
    const Taxels& taxels = *model.taxels[robot][at_index(sensor)];
    const TaxelTouch touch = taxels.read(
        [&](int i, int link) {
          const auto k = at_index(i);
          return RobotView(model.robots[k], w.robots[k], state, w).link_pose(link);
        },
        state.paths, contacts);
    for (std::size_t i = 0; i < touch.pressure.size(); ++i, out += kTaxelChannels) {
      out[0] = touch.pressure[i];
      std::copy_n(touch.shear[i].a, 3, out + 1);
      out[4] = touch.displacement[i];
      std::copy_n(touch.normal[i].a, 3, out + 5);
    }
  };
}

}  // namespace

void compile_sensors(const Scene& scene, Model& model) {
  const auto number = [&](const std::string& name) {
    const int found = body_number(model, name);
    return at_index(found) < model.body_names.size() ? found : -1;
  };
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    RobotModel& m = model.robots[i];
    Robot robot = m.robot;
    robot.name = m.name;
    m.sensors = std::make_shared<const RobotSensors>(robot, m.tree, scene.robots[i].sensors,
                                                     m.first_body, number);
    std::vector<std::shared_ptr<const Taxels>>& taxels = model.taxels.emplace_back();
    for (const Sensor& s : scene.robots[i].sensors)
      taxels.push_back(s.kind == SensorKind::kTaxels ? make_taxels(model, i, s) : nullptr);
  }
}

void build_sensing(const Model& model, Workspace& w) {
  Sensing& s = w.sensing;
  std::vector<SensorSignal> signals;
  for (const RobotModel& m : model.robots) {
    s.first.push_back(static_cast<int>(signals.size()));
    s.first_body.push_back(m.first_body);
    s.robots.push_back(*m.sensors);
    for (int i = 0; i < m.sensors->size(); ++i) signals.push_back(m.sensors->signal(i));
  }
  s.model = &model;
  s.gels.resize(model.gels.size());
  for (std::size_t i = 0; i < model.gels.size(); ++i) {
    if (!model.gels[i].sensor->spec().sampled()) continue;
    s.gels[i].signal = static_cast<int>(signals.size());
    signals.push_back(gel_signal(model, static_cast<int>(i)));
  }
  s.pipeline = SensorPipeline(std::move(signals), model.scene.sim.dt);
}

void start_sensing(const Model& model, std::uint64_t seed, State& state, Workspace& w) {
  Sensing& s = w.sensing;
  s.pipeline.start(seed, s.env, state.sensors);
  if (!s.gels.empty()) state.sensors.key = mix_keys(seed, s.env);
  for (std::size_t i = 0; i < s.gels.size(); ++i) {
    if (s.gels[i].signal < 0) continue;
    sample_gel(model, state, w, static_cast<int>(i), GelContacts::kNone, s.gel);
    pack_gel(model, static_cast<int>(i), s.gel, s.ideal);
    s.pipeline.start_sensor(s.gels[i].signal, state.time, s.ideal.data(), state.sensors);
  }
  for (std::size_t r = 0; r < s.robots.size(); ++r) {
    if (s.robots[r].size() == 0) continue;
    RobotStep step;
    if (const Articulation* body = w.robots[r].body) {
      step.tree.q = step.tree.q_start = state.q.data() + body->slots().first_q;
      step.tree.v = step.tree.v_start = state.z.data() + body->slots().first_scalar;
    }
    step.tree.gravity = gravity_of(model.scene, state);
    step.taxels = read_taxels(model, r, state, w, {});
    s.robots[r].update(step);
    for (int i = 0; i < s.robots[r].size(); ++i) {
      s.ideal.resize(at_index(s.robots[r].width(i)));
      s.robots[r].measure(i, s.ideal.data());
      s.pipeline.start_sensor(s.first[r] + i, state.time, s.ideal.data(), state.sensors);
    }
  }
}

void sense(const Scene& scene, State& state, Workspace& w) {
  Sensing& s = w.sensing;
  for (std::size_t i = 0; i < s.gels.size(); ++i) {
    const int number = s.gels[i].signal;
    if (number < 0) continue;
    if (s.pipeline.due(number, state.time, state.sensors)) {
      sample_gel(*s.model, state, w, static_cast<int>(i), GelContacts::kLast, s.gel);
      pack_gel(*s.model, static_cast<int>(i), s.gel, s.ideal);
    }
    s.pipeline.advance(number, state.time, s.ideal.data(), state.sensors);
  }
  for (std::size_t r = 0; r < s.robots.size(); ++r) {
    RobotSensors& sensors = s.robots[r];
    const RobotParts& parts = w.robots[r];
    if (any_due(s, r, state)) {
      RobotStep step;
      step.tree.gravity = gravity_of(scene, state);
      step.contacts = w.contacts;
      step.taxels = read_taxels(*s.model, r, state, w, w.contacts);
      find_forces(sensors, s.first_body[r], parts, w, s.forces);
      step.tree.forces = s.forces;
      if (const Articulation* body = parts.body) {
        const BodySlots& slots = body->slots();
        find_efforts(sensors.robot(), parts, w, s.effort);
        s.motor_effort.clear();
        for (const JointMotor* m : parts.motors) s.motor_effort.push_back(m->effort());
        step.tree.q_start = body->start_position().data();
        const bool moves = !w.objective.proximal();  // else velocities are zero
        step.tree.v_start = body->start_velocity().data();
        step.tree.q = state.q.data() + slots.first_q;
        step.tree.v = moves ? state.z.data() + slots.first_scalar : step.tree.v_start;
        step.tree.h = state.last_dt;
        step.tree.effort = s.effort.data();
        step.tree.applied = body->step_effort().data();
        step.tree.wrench = body->step_wrench().data();
        if (moves) step.tree.motion = &body->step_motion();
        step.tree.mass = &body->start().body_mass;
        step.motor_effort = s.motor_effort.data();
      }
      sensors.update(step);
    }
    for (int i = 0; i < sensors.size(); ++i) {
      const int number = s.first[r] + i;
      const bool due = s.pipeline.due(number, state.time, state.sensors);
      s.ideal.resize(at_index(sensors.width(i)));
      if (due) sensors.measure(i, s.ideal.data());
      s.pipeline.advance(number, state.time, s.ideal.data(), state.sensors);
    }
  }
}

}  // namespace haptos
