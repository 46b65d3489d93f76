#include "haptos/sim/robot_view.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/sim/model/control_slots.h"
#include "haptos/sim/workspace.h"

namespace haptos {
namespace {

[[noreturn]] void refuse(const RobotModel& m, const std::string& what, const std::string& value,
                         const std::string& rule, const std::string& remedy) {
  haptos::refuse("robot \"" + m.name + "\", " + what, value, rule, remedy);
}

void check_size(const RobotModel& m, const char* what, std::size_t size, int wanted) {
  if (size != at_index(wanted))
    refuse(m, what, std::to_string(size) + " numbers", "must have " + std::to_string(wanted),
           "give one for each coordinate or unknown, in the order of the joints");
}

void check_finite(const RobotModel& m, const char* what, const double* v, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (!std::isfinite(v[i]))
      refuse(m, what, internal::format_number(v[i]), "must be finite", "give finite numbers");
}

template <class List>
int find(const RobotModel& m, const char* kind, const List& list, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i] == name) return static_cast<int>(i);
    known.push_back(list[i]);
  }
  const std::string near = nearest_name(name, known);
  refuse(m, std::string(kind) + " \"" + name + "\"", "", "does not exist",
         known.empty()  ? "the robot has none: describe some where it is added, as motors: "
                          "{kp: 100, kd: 10} in a scene file"
         : near.empty() ? "robot().links and robot().motors list them"
                        : "did you mean \"" + near + "\"?");
}

std::vector<double> part(const std::vector<double>& all, int first, int count) {
  const auto from = all.begin() + first;
  return {from, from + count};
}

}  // namespace

std::vector<double> RobotView::position() const {
  if (!parts_->body) return {};
  return part(state_->q, parts_->body->slots().first_q, tree().q_count);
}

std::vector<double> RobotView::velocity() const {
  if (!parts_->body) return {};
  return part(state_->z, parts_->body->slots().first_scalar, tree().v_count);
}

std::vector<double> RobotView::acceleration() const {
  std::vector<double> a = velocity();
  if (state_->last_dt == 0) return std::vector<double>(a.size(), 0.0);
  const double* past = work_->objective.inertia().z_past.data() +
                       (a.empty() ? 0 : parts_->body->slots().first_scalar);
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = (a[k] - past[k]) / state_->last_dt;
  return a;
}

void RobotView::set_state(const std::vector<double>& position,
                          const std::vector<double>& velocity) {
  check_size(*model_, "position", position.size(), tree().q_count);
  check_size(*model_, "velocity", velocity.size(), tree().v_count);
  check_finite(*model_, "position", position.data(), position.size());
  check_finite(*model_, "velocity", velocity.data(), velocity.size());
  if (!parts_->body) return;
  std::vector<double> q = position;
  for (const TreeBody& b : tree().bodies) {
    if (b.kind != JointKind::kBall && b.kind != JointKind::kFree) continue;
    double* w = q.data() + b.first_q + q_size(b.kind) - 4;
    const double n = std::sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2] + w[3] * w[3]);
    if (!(std::abs(n - 1) < 1e-6))
      refuse(*model_, "position of link \"" + b.name + "\"", internal::format_number(n),
             "must have a quaternion w x y z of length 1", "normalise it");
    for (int k = 0; k < 4; ++k) w[k] /= n;
  }
  std::copy(q.begin(), q.end(), state_->q.begin() + parts_->body->slots().first_q);
  std::copy(velocity.begin(), velocity.end(),
            state_->z.begin() + parts_->body->slots().first_scalar);
  parts_->body->place_carriers(*state_);
}

int RobotView::link(const std::string& name) const {
  return find(*model_, "link", tree().link_names, name);
}

int RobotView::motor(const std::string& name) const {
  std::vector<std::string> names;
  for (const RobotMotor& m : robot().motors) names.push_back(m.label());
  return find(*model_, "motor", names, name);
}

Pose RobotView::link_pose(int link) const {
  const TreeLink& l = tree().links[at_index(link)];
  if (l.body < 0) return l.pose;
  const auto x = parts_->body->link_pose(state_->q.data() + parts_->body->slots().first_q, link);
  return {x.p, quaternion(x.r)};
}

std::vector<Pose> RobotView::link_poses() const {
  std::vector<Pose> all;
  const TreeData<double>* data = nullptr;
  if (const Articulation* b = parts_->body)
    data = &b->kinematics(state_->q.data() + b->slots().first_q);
  const int n = static_cast<int>(tree().links.size());
  for (int i = 0; i < n; ++i) {
    const TreeLink& l = tree().links[at_index(i)];
    all.push_back(l.pose);
    if (l.body < 0) continue;
    const Frame<double> x = link_frame(tree(), *data, i);
    all.back() = {x.p, quaternion(x.r)};
  }
  return all;
}

Vec6d RobotView::link_velocity(int link) const {
  if (tree().links[at_index(link)].body < 0) return Vec6d::zero();
  const BodySlots& s = parts_->body->slots();
  const auto v = parts_->body->link_velocity(state_->q.data() + s.first_q,
                                             state_->z.data() + s.first_scalar, link);
  return {{v.linear[0], v.linear[1], v.linear[2], v.angular[0], v.angular[1], v.angular[2]}};
}

MotorCommand RobotView::command(int motor) const {
  const double* c = state_->controls.data() + model_->controls.motor(motor);
  return {c[0], c[1], c[2]};
}

void RobotView::set_command(int motor, const MotorCommand& command) {
  const double c[3] = {command.position, command.velocity, command.feed_forward};
  check_finite(*model_, "command", c, 3);
  std::copy_n(c, 3, state_->controls.begin() + model_->controls.motor(motor));
}

double RobotView::effort(int motor) const { return parts_->motors[at_index(motor)]->effort(); }

double RobotView::integral(int motor) const {
  return state_->controls[at_index(model_->controls.motor(motor) + 3)];
}

void RobotView::set_integral(int motor, double value) {
  check_finite(*model_, "integral", &value, 1);
  state_->controls[at_index(model_->controls.motor(motor) + 3)] = value;
}

MotorGains RobotView::gains(int motor) const {
  const double* c = state_->controls.data() + model_->controls.motor(motor);
  MotorGains g = parts_->motors[at_index(motor)]->gains;
  g.kp = c[4], g.kd = c[5], g.ki = c[6];
  return g;
}

void RobotView::set_gains(int motor, double kp, double kd, double ki) {
  const double g[3] = {kp, kd, ki};
  for (double v : g)
    if (!(v >= 0) || std::isinf(v))
      refuse(*model_, "gain", internal::format_number(v), "must be 0 or more and finite",
             "give it in SI units, per radian for joints that turn");
  std::copy_n(g, 3, state_->controls.begin() + model_->controls.motor(motor) + 4);
}

double RobotView::mass_scale(int link) const {
  const int body = tree().links[at_index(link)].body;
  return body < 0 ? 1 : state_->controls[at_index(model_->controls.mass(body))];
}

void RobotView::set_mass_scale(int link, double scale) {
  const int body = tree().links[at_index(link)].body;
  if (!(scale >= 1 / kMostMassFactor && scale <= kMostMassFactor))
    refuse(*model_, "mass scale", internal::format_number(scale), "must be from 1e-6 to 1e6",
           "1 is the mass of the description");
  if (body >= 0) state_->controls[at_index(model_->controls.mass(body))] = scale;
}

double RobotView::friction_scale() const {
  return state_->controls[at_index(model_->controls.friction())];
}

void RobotView::set_friction_scale(double scale) {
  if (!(scale >= 0 && scale <= kMostFrictionFactor))
    refuse(*model_, "friction scale", internal::format_number(scale), "must be from 0 to 1000",
           "1 is the friction of the description");
  state_->controls[at_index(model_->controls.friction())] = scale;
}

int RobotView::sensor(const std::string& name) const {
  std::vector<std::string> names;
  names.reserve(at_index(sensors().size()));
  for (int i = 0; i < sensors().size(); ++i) names.push_back(sensors().sensor(i).name);
  return find(*model_, "sensor", names, name);
}

SensorReading RobotView::read(int sensor) const {
  const Sensing& s = work_->sensing;
  const auto robot = at_index(parts_ - work_->robots.data());
  return s.pipeline.read(s.first[robot] + sensor, state_->sensors);
}

std::vector<double> RobotView::torque() const {
  return part(state_->controls, model_->controls.torque(0), tree().v_count);
}

void RobotView::set_torque(const std::vector<double>& torque) {
  check_size(*model_, "torque", torque.size(), tree().v_count);
  check_finite(*model_, "torque", torque.data(), torque.size());
  std::copy(torque.begin(), torque.end(), state_->controls.begin() + model_->controls.torque(0));
}

void RobotView::set_wrench(int link, const Vec3d& force, const Vec3d& torque) {
  check_finite(*model_, "force", force.a, 3);
  check_finite(*model_, "torque", torque.a, 3);
  const auto to = state_->controls.begin() + model_->controls.wrench(link);
  std::copy_n(force.a, 3, to);
  std::copy_n(torque.a, 3, to + 3);
}

}  // namespace haptos
