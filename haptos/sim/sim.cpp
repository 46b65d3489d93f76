#include "haptos/sim/sim.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "haptos/base/math/index.h"
#include "haptos/base/math/random.h"
#include "haptos/base/math/turn.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/file.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/status.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/workspace.h"
#include "haptos/solve/failure.h"

namespace haptos {
namespace {

[[noreturn]] void unknown_name(const std::string& kind, const std::string& name,
                               const std::vector<std::string>& known) {
  Diagnostic d;
  d.element = kind + " \"" + name + "\"";
  d.rule = "does not exist in this scene";
  const std::string near = nearest_name(name, known);
  d.remedy = near.empty() ? "known names are" : "did you mean \"" + near + "\"?";
  if (near.empty())
    for (const std::string& k : known) d.remedy += " \"" + k + "\"";
  throw InputError(d);
}

template <class List>
std::size_t index_of(const List& list, const std::string& kind, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].name == name) return i;
    known.push_back(list[i].name);
  }
  unknown_name(kind, name, known);
}

// Of the frame of a body that a constraint may join, "" the world: where it is, the velocity of its
// origin, and how it turns.
struct Motion {
  Pose pose;
  Vec3d v{{0, 0, 0}}, w{{0, 0, 0}};
  Vec3d at(const Vec3d& x) const { return v + cross(w, x - pose.p); }
};

// On the last path of a prescribed body.
Motion motion_of(const PathState& path, double dt) {
  if (!(dt > 0)) return {path.to};
  return {path.to, (path.to.p - path.from.p) * (1 / dt),
          turn_between(path.from.q, path.to.q) * (1 / dt)};
}

Motion motion_of(const Model& model, const State& state, const Workspace& work,
                 const std::string& name) {
  if (name.empty()) return {};
  const LinkName at = find_link(model.scene, name);
  for (std::size_t i = 0; i < work.prescribed.size(); ++i)
    if (model.scene.prescribed[i].name == name) return motion_of(state.paths[i], state.last_dt);
  if (at.robot < 0) {
    const AffineFrame& f = *work.affine[index_of(model.scene.affine, "affine body", name)].frame;
    double rates[12];
    f.rates(state.z.data() + f.slots().first_scalar, rates);
    return {f.pose(state), {{rates[0], rates[1], rates[2]}}, f.angular_velocity(state)};
  }
  const TreeLink& place = model.robots[at_index(at.robot)].tree->links[at_index(at.link)];
  if (place.body < 0) return {place.pose};
  const Articulation& body = *work.robots[at_index(at.robot)].body;
  const double *q = state.q.data() + body.slots().first_q,
               *z = state.z.data() + body.slots().first_scalar;
  const auto x = body.link_pose(q, at.link);
  const auto u = body.link_velocity(q, z, at.link);
  return {{x.p, quaternion(x.r)}, u.linear, u.angular};
}

}  // namespace

Sim::Sim(Scene scene) : Sim(compile(std::move(scene))) {}

Sim::Sim(std::shared_ptr<const Model> model, std::uint32_t env) : model_(std::move(model)) {
  set_thread_count(scene().sim.threads);
  work_ = build(*model_);
  work_->sensing.env = env;
  state_ = initial_state(*model_, *work_);
  apply_wrenches();
  check_start(*model_, *work_, state_);
  if (scene().contact.adaptive != 0) fit_supports(state_, *work_);
}

Sim::~Sim() = default;
Sim::Sim(Sim&&) noexcept = default;
Sim& Sim::operator=(Sim&&) noexcept = default;

StepReport Sim::step() {
  if (controller) controller(*this);
  const StepReport r = haptos::step(scene(), state_, *work_);
  if (scene().newton.strict && r.status() != 0)
    throw StepError("step " + std::to_string(state_.step + 1) + " at " +
                        std::to_string(state_.time) + " s: " + describe_status(r.status()) +
                        likely_cause(r),
                    r);
  return r;
}

std::string Sim::likely_cause(const StepReport& report) const {
  constexpr std::uint32_t kFailed = kNonFinite | kNotConverged | kLineSearchStalled | kLagged;
  if (!(report.status() & kFailed)) return "";
  const Failure f = find_failure(work_->objective, report.newton);
  return ". " + explain(f, report.newton, state_.time, [&](int block) -> std::string {
           const std::string* name = nullptr;
           for (const auto& b : work_->bodies)
             if (b->slots().first_block <= block) name = &body_name(b->slots().body);
           return name ? *name : "";
         });
}

void Sim::reset(std::optional<std::uint64_t> seed, std::optional<std::uint32_t> env) {
  if (env) work_->sensing.env = *env;
  state_ = initial_state(*model_, *work_);
  if (seed) start_sensing(*model_, *seed, state_, *work_);
  apply_wrenches();
  work_->contacts.clear();
  for (RobotParts& robot : work_->robots)
    for (JointMotor* motor : robot.motors) motor->forget_effort();
  for (const ConstraintParts& c : work_->constraints)
    if (c.weld) c.weld->axis()->forget();
}

void Sim::restart_sensors(std::optional<std::uint64_t> seed) {
  start_sensing(*model_, seed.value_or(static_cast<std::uint64_t>(scene().sim.seed)), state_,
                *work_);
}

void Sim::apply_wrenches() {
  for (std::size_t i = 0; i < work_->affine.size(); ++i) {
    const double* w = state_.wrenches.data() + 6 * i;
    work_->affine[i].frame->force = {{w[0], w[1], w[2]}};
    work_->affine[i].frame->torque = {{w[3], w[4], w[5]}};
  }
}

void Sim::set_state(State s) {
  check_state(s);
  check_fits(*model_, *work_, s);
  state_ = std::move(s);
  // Saved where no sensor saw a gel: the noise is that of a run which starts here.
  if (!model_->gels.empty() && state_.sensors.key == 0)
    state_.sensors.key = mix_keys(static_cast<std::uint64_t>(scene().sim.seed), work_->sensing.env);
  apply_wrenches();
}

void Sim::save(const std::string& path) const {
  std::ostringstream bytes;
  save_state(state_, model_hash(), bytes);
  write_in_one_move(path, bytes.view(), "saved state");
}

void Sim::load(const std::string& path) {
  constexpr std::int64_t kMostBytes = std::int64_t{1} << 32;
  set_state(load_state(read_regular_file(path, kMostBytes, "check that this is a saved state"),
                       model_hash(), path));
}

void Sim::set_target(const std::string& name, const Pose& target) {
  const double q2 = target.q.w * target.q.w + target.q.x * target.q.x + target.q.y * target.q.y +
                    target.q.z * target.q.z;
  bool ok = q2 > 0.99 && q2 < 1.01;
  for (int c = 0; c < 3; ++c) ok = ok && std::isfinite(target.p[c]);
  if (!ok) {
    Diagnostic d;
    d.element = "target of \"" + name + "\"";
    d.rule = "needs a finite position and a unit quaternion w x y z";
    d.remedy = "normalise the quaternion; no turn is 1 0 0 0";
    throw InputError(d);
  }
  Pose t = target;
  t.q = normalized(t.q);
  state_.targets[index_of(scene().prescribed, "prescribed body", name)] = t;
}

void Sim::clear_target(const std::string& name) {
  state_.targets[index_of(scene().prescribed, "prescribed body", name)].reset();
}

Pose Sim::prescribed_pose(const std::string& name) const {
  return state_.paths[index_of(scene().prescribed, "prescribed body", name)].to;
}

std::vector<Vec3d> Sim::prescribed_positions(const std::string& name) const {
  const std::size_t i = index_of(scene().prescribed, "prescribed body", name);
  const PrescribedPoints& p = work_->prescribed[i];
  std::vector<Vec3d> all(at_index(work_->points.size()), Vec3d::zero());
  place_prescribed(p, state_.paths[i], all);
  std::vector<Vec3d> x;
  for (std::size_t k = 0; k < scene().prescribed[i].surface.vertices.size(); ++k)
    x.push_back(all[at_index(p.points[k])]);
  return x;
}

const SoftModel& Sim::soft_model(const std::string& name) const {
  return model_->soft[index_of(scene().soft, "soft body", name)];
}

std::vector<Vec3d> Sim::soft_positions(const std::string& name) const {
  const SoftParts& s = work_->soft[index_of(scene().soft, "soft body", name)];
  std::vector<Vec3d> x;
  haptos::soft_positions(state_, *work_, s, x);
  return x;
}

const std::vector<ContactPoint>& Sim::contacts() const { return work_->contacts; }

const std::string& Sim::body_name(int body) const { return model_->body_names.at(at_index(body)); }

int Sim::body_id(const std::string& name) const {
  for (std::size_t i = 0; i < model_->body_names.size(); ++i)
    if (model_->body_names[i] == name) return static_cast<int>(i);
  unknown_name("body", name, model_->body_names);
}

const AffineFrame& Sim::frame(const std::string& name) const {
  return *work_->affine[index_of(scene().affine, "affine body", name)].frame;
}

const ParticleParts& Sim::particles(const std::string& body) const {
  const auto& all = model_->scene.material_points;
  const auto at = std::ranges::find(all, body, &MaterialPoints::name);
  if (at == all.end())
    refuse("body of material points \"" + body + "\"", "", "is none of this scene",
           "scene.add_material_points() adds one");
  return work_->particles[at_index(at - all.begin())];
}

MaterialView Sim::material_points(const std::string& body) const {
  const ParticleParts& parts = particles(body);
  const ParticleSeed& seed = parts.grid->seeds()[at_index(parts.seed)];
  const std::ptrdiff_t number = &parts - work_->particles.data();
  MaterialView view;
  view.volume = seed.volume;
  view.mass = scene().material_points[at_index(number)].density * seed.volume;
  using G = ParticleGrid;
  for (std::size_t i = 0; i < seed.x.size(); ++i) {
    const double* q =
        parts.grid->in_state(state_, parts.grid->first(parts.seed) + static_cast<int>(i));
    view.position.push_back({{q[G::kX], q[G::kX + 1], q[G::kX + 2]}});
    view.velocity.push_back({{q[G::kV], q[G::kV + 1], q[G::kV + 2]}});
    Mat3d F;
    std::copy_n(q + G::kF, 9, F.a);
    view.deformation.push_back(F);
    const bool liquid = seed.material.law == ParticleLaw::kLiquid;
    view.volume_ratio.push_back(liquid ? q[G::kJ] : det(F));
    view.flow.push_back(q[G::kFlowed]);
  }
  return view;
}

Pose Sim::affine_pose(const std::string& name) const { return frame(name).pose(state_); }

Vec6d Sim::affine_velocity(const std::string& name) const {
  const Vec3d v = frame(name).velocity(state_), w = frame(name).angular_velocity(state_);
  return {{v[0], v[1], v[2], w[0], w[1], w[2]}};
}

double Sim::affine_strain(const std::string& name) const { return frame(name).strain(state_); }

std::vector<Vec3d> Sim::affine_positions(const std::string& name) const {
  const double* q = state_.q.data() + frame(name).slots().first_q;
  std::vector<Vec3d> x;
  for (const Vec3d& local :
       scene().affine[index_of(scene().affine, "affine body", name)].surface.vertices)
    x.push_back(AffineFrame::place(q, local));
  return x;
}

void Sim::set_wrench(const std::string& name, const Vec3d& force, const Vec3d& torque) {
  if (const LinkName at = find_link(scene(), name); at.robot >= 0)
    return robot(scene().robots[at_index(at.robot)].name).set_wrench(at.link, force, torque);
  const std::size_t i = index_of(scene().affine, "affine body", name);
  std::copy_n(force.a, 3, state_.wrenches.begin() + 6 * static_cast<std::ptrdiff_t>(i));
  std::copy_n(torque.a, 3, state_.wrenches.begin() + 6 * static_cast<std::ptrdiff_t>(i) + 3);
  apply_wrenches();
}

Pose Sim::carrier_pose(const std::string& name) const {
  for (const PrescribedBody& b : scene().prescribed)
    if (b.name == name) return prescribed_pose(name);
  if (find_link(scene(), name).robot < 0) return affine_pose(name);
  return haptos::carrier_pose(*model_, state_, *work_, name);
}

void Sim::read_gel(int sensor, const GelAsk& ask, GelSample& out) const {
  haptos::read_gel(*model_, state_, *work_, sensor, ask, out);
}

std::vector<TriMesh> Sim::link_surfaces(const std::string& name) const {
  const int body = body_id(name);
  std::vector<TriMesh> all;
  for (const RobotParts& r : work_->robots)
    for (const LinkParts& l : r.links) {
      if (l.body != body) continue;
      std::vector<Vec3d> x(at_index(work_->points.size()), Vec3d::zero());
      place_link(state_, *work_, r, l, 0, x);
      for (const auto& s : l.surfaces) {
        all.emplace_back();
        for (const int p : s->point) all.back().vertices.push_back(x[at_index(p)]);
        all.back().triangles = s->triangles;
      }
    }
  return all;
}

RobotView Sim::robot(const std::string& name) {
  const std::size_t i = index_of(scene().robots, "robot", name);
  return {model_->robots[i], work_->robots[i], state_, *work_};
}

Wrench Sim::constraint_wrench(const std::string& name, const Vec3d& about) const {
  const ConstraintForce f =
      work_->constraints[index_of(scene().constraints, "constraint", name)].term->forces()[0];
  return {f.force, f.moment + cross(f.x - about, f.force)};
}

std::array<double, 2> Sim::constraint_error(const std::string& name) const {
  const LoopClosureTerm& c =
      *work_->constraints[index_of(scene().constraints, "constraint", name)].term;
  return {c.opening(), c.twist()};
}

std::size_t Sim::axis_of(const std::string& name, bool driven) const {
  const std::size_t k = index_of(scene().constraints, "constraint", name);
  const Constraint& c = scene().constraints[k];
  if (!c.has_axis())
    refuse("constraint \"" + name + "\"", "",
           "leaves no direction free that could be read or driven",
           "read constraints of kind hinge or slider");
  if (driven && !c.motor)
    refuse("constraint \"" + name + "\"", "", "has no motor that could be told anything",
           "describe one where it is added, as motor: {kp: 100, kd: 10} in a scene file");
  return k;
}

Sim::AxisReading Sim::constraint_axis(const std::string& name) const {
  const std::size_t k = axis_of(name, false);
  const Constraint& c = scene().constraints[k];
  const ConstraintParts& parts = work_->constraints[k];
  const Motion a = motion_of(*model_, state_, *work_, c.a),
               b = motion_of(*model_, state_, *work_, c.b);
  const double near = state_.controls[parts.slots + kAxisNear];
  const Pose on_a = parts.weld->frame(0, a.pose), on_b = parts.weld->frame(1, b.pose);
  const Vec3d z = column(to_matrix(on_b.q), 2);
  return {parts.weld->coordinate(a.pose, b.pose, near),
          dot(z, c.turns() ? a.w - b.w : a.at(on_a.p) - b.at(on_a.p)), parts.weld->motor_effort()};
}

MotorCommand Sim::constraint_command(const std::string& name) const {
  const double* c = state_.controls.data() + work_->constraints[axis_of(name, true)].slots;
  return {c[0], c[1], c[2]};
}

void Sim::set_constraint_command(const std::string& name, const MotorCommand& command) {
  const std::size_t k = axis_of(name, true);
  const double c[3] = {command.position, command.velocity, command.feed_forward};
  for (const double v : c)
    if (!std::isfinite(v))
      refuse("constraint \"" + name + "\", command", internal::format_number(v), "must be finite",
             "give finite numbers");
  std::copy_n(c, 3, state_.controls.data() + work_->constraints[k].slots);
}

MotorGains Sim::constraint_gains(const std::string& name) const {
  const std::size_t k = axis_of(name, true);
  MotorGains gains = work_->constraints[k].weld->axis()->motor()->gains;
  const double* c = state_.controls.data() + work_->constraints[k].slots;
  gains.kp = c[4], gains.kd = c[5], gains.ki = c[6];
  return gains;
}

void Sim::set_constraint_gains(const std::string& name, double kp, double kd, double ki) {
  const std::size_t k = axis_of(name, true);
  const double gains[3] = {kp, kd, ki};
  for (const double v : gains)
    if (!(v >= 0) || std::isinf(v))
      refuse("constraint \"" + name + "\", gain", internal::format_number(v),
             "must be 0 or more and finite", "give SI units, per radian for a hinge");
  std::copy_n(gains, 3, state_.controls.data() + work_->constraints[k].slots + 4);
}

int Sim::analyses() const { return work_->objective.analyses(); }

}  // namespace haptos
