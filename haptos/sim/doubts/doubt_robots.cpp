// Robots that no workshop built, that start where they cannot be, or that the step cannot follow.
#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/text.h"
#include "haptos/bodies/tree/tree_dynamics.h"
#include "haptos/scene/robot/robot_check_detail.h"
#include "haptos/sim/doubts/doubts.h"

namespace haptos {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;
// An angle beyond two turns is rarely meant in rad; limits are kept to a thousandth of their range.
constexpr double kTurns = 4 * 3.14159265358979323846, kSlack = 1e-3;
// Of one sentence; the rest is counted.
constexpr std::size_t kShown = 3;
// An oscillation of angular frequency w has 2 pi / (w h) steps a period: two of them cannot show
// it.
constexpr double kUnresolved = 3;

std::string title(const RobotModel& r) { return "Robot \"" + printable(r.name) + "\""; }

// Several findings of one robot as one sentence.
void tell(const RobotModel& r, const std::vector<std::string>& found, const std::string& remedy,
          std::vector<std::string>& out) {
  if (found.empty()) return;
  std::string all;
  for (std::size_t i = 0; i < found.size() && i < kShown; ++i)
    all += (i > 0 ? "; " : "") + found[i];
  if (found.size() > kShown) all += "; and " + std::to_string(found.size() - kShown) + " more";
  out.push_back(title(r) + ": " + all + ": " + remedy + ".");
}

std::string without_stop(std::string s) {
  if (s.ends_with('.')) s.pop_back();
  return s;
}

// What MuJoCo refuses of MJCF, of a robot from any file.
void doubt_inertia(const RobotModel& r, const Robot& robot, std::vector<std::string>& out) {
  std::vector<std::string> found;
  for (const RobotJoint& j : robot.joints) {
    const RobotLink& l = robot.links[at_index(j.child)];
    const bool moves = j.kind != JointKind::kFixed;
    const std::string name = "link \"" + printable(l.name) + "\" ";
    bool impossible = false;
    const auto odd = robot_check::check_inertia(l, &impossible);
    double trace = 0;
    for (int k = 0; k < 3; ++k) trace += std::abs(l.inertia(k, k));
    if (impossible && odd)
      found.push_back(name + "has an inertia that no body has (" + without_stop(odd->sentence) +
                      ")");
    else if (moves && l.mass == 0 && !l.collisions.empty())
      found.push_back(name + "moves, has shapes and a mass of 0");
    else if (moves && l.mass > 0 && trace == 0)
      found.push_back(name + "moves, has a mass of " + to_text(l.mass) + " kg and no inertia");
  }
  tell(r, found,
       "it moves as nothing real does; haptos.repair_inertia(robot) takes mass and inertia from "
       "the shapes, haptos.check_robot(robot) lists all findings",
       out);
}

// A joint with one coordinate that follows no other, and where its coordinate stands.
template <class Do>
void for_each_axis(const RobotModel& r, const Do& f) {
  for (std::size_t i = 0; i < r.robot.joints.size(); ++i) {
    const RobotJoint& j = r.robot.joints[i];
    const int b = r.tree->joint_body[i];
    if (b >= 0 && q_size(j.kind) == 1 && !j.mimic) f(j, r.tree->bodies[at_index(b)]);
  }
}

// Why a coordinate cannot be meant; "" where it can.
std::string outside(const RobotJoint& j, double q, double slack) {
  const bool turns = j.kind == JointKind::kRevolute;
  const double range = j.upper - j.lower, more = 1e-6 + (std::isfinite(range) ? slack * range : 0);
  const bool beyond = q < j.lower - more || q > j.upper + more;
  const double turned = q * kDegree;
  const bool degrees = turns && std::abs(q) > (beyond ? 1.0 : kTurns) && turned >= j.lower - 1e-6 &&
                       turned <= j.upper + 1e-6;
  if (!beyond && !degrees) return "";
  const std::string unit = turns ? " rad" : " m";
  std::string text = to_text(q) + unit;
  if (beyond) text += ", outside its limits " + to_text(j.lower) + " to " + to_text(j.upper) + unit;
  if (degrees && std::abs(q) > 4)
    text += ", which looks like degrees (" + to_text(q) + " deg is " +
            to_text(std::round(turned * 1e4) / 1e4) + " rad)";
  return text;
}

void doubt_starts(const RobotModel& r, std::vector<std::string>& out) {
  std::vector<std::string> found;
  for_each_axis(r, [&](const RobotJoint& j, const TreeBody& b) {
    const std::string why = outside(j, r.position[at_index(b.first_q)], kSlack);
    if (!why.empty()) found.push_back("joint \"" + printable(j.name) + "\" starts at " + why);
  });
  tell(r, found, "angles are in rad; give start positions within the limits", out);
}

void doubt_trajectory(const RobotModel& r, const Trajectory& t, std::vector<std::string>& out) {
  constexpr int kSamples = 400;
  std::vector<std::string> found;
  for (std::size_t c = 0; c < r.played.size(); ++c) {
    const std::string& joint = r.robot.motors[at_index(r.played[c])].joint;
    for_each_axis(r, [&](const RobotJoint& j, const TreeBody&) {
      if (j.name != joint) return;
      const int n = std::min(kSamples, t.rows() * 4);
      for (int k = 0; k <= n; ++k) {
        const double time = t.start() + (t.end() - t.start()) * k / std::max(n, 1);
        // A command may aim a little beyond a stop, to press on it.
        const std::string why = outside(j, t.at(static_cast<int>(c), time).value, 0.1);
        if (why.empty()) continue;
        found.push_back("trajectory column \"" + printable(t.names()[c]) + "\" commands " + why);
        return;
      }
    });
  }
  tell(r, found, "angles are in rad; convert the columns", out);
}

void doubt_motors(const RobotModel& r, double h, std::vector<std::string>& out) {
  const int n = r.tree->v_count;
  if (n == 0 || n > 200 || r.robot.motors.empty()) return;
  TreeData<double> data(*r.tree);
  std::vector<double> mass(at_index(n) * at_index(n));
  update(*r.tree, r.position.data(), data);
  crba(*r.tree, data, mass.data());
  std::vector<std::string> found;
  double fastest = 0;
  for (std::size_t k = 0; k < r.robot.motors.size(); ++k) {
    const RobotMotor& m = r.robot.motors[k];
    double ease = 0;
    for (const JointPull& p : r.motor_pulls[k]) {
      const double inertia = mass[at_index(p.joint) * at_index(n + 1)];
      ease += inertia > 0 ? square(p.weight) / inertia : 0;
    }
    const double inertia = ease > 0 ? 1 / ease : 0;
    double damping = m.kd;
    for (const RobotJoint& j : r.robot.joints)
      if (j.name == m.joint) damping += j.damping;
    const double rate = unresolved_rate(m.kp, damping, inertia, h);
    if (rate == 0) continue;
    fastest = std::max(fastest, rate);
    found.push_back("motor \"" + printable(m.label()) + "\" (kp " + to_text(m.kp) + ", kd " +
                    to_text(m.kd) + ") answers within " + to_text(std::round(1e4 / rate) / 1e4) +
                    " s");
  }
  if (found.empty()) return;
  tell(r, found,
       "a step of " + to_text(h) + " s cannot follow it and sets the motion in its place; take " +
           "sim.dt of " + to_text(step_for(fastest)) + " s or less, or a smaller kp or a larger kd",
       out);
}

// Statics leaves rates out.
void doubt_still_motors(const RobotModel& r, std::vector<std::string>& out) {
  std::vector<std::string> found;
  for (const RobotMotor& m : r.robot.motors)
    if (m.kd > 0 && !(m.kp > 0) && !(m.ki > 0))
      found.push_back("motor \"" + printable(m.label()) + "\" (kd " + to_text(m.kd) +
                      ", no kp) holds nothing");
  tell(r, found, "sim.integrator is quasi_static, which knows no velocities; give it a kp", out);
}

}  // namespace

double unresolved_rate(double kp, double kd, double inertia, double h) {
  if (!(kp > 0) || !(inertia > 0)) return 0;
  const double w = std::sqrt(kp / inertia), ratio = kd / (2 * inertia * w);
  const double rate = ratio <= 1 ? w : w / (ratio + std::sqrt(ratio * ratio - 1));
  return rate * h > kUnresolved ? rate : 0;
}

double step_for(double rate) { return std::pow(10.0, std::floor(std::log10(1 / rate))); }

void doubt_robots(const Model& model, std::vector<std::string>& out) {
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const RobotModel& r = model.robots[i];
    const RobotBody& spec = model.scene.robots[i];
    doubt_inertia(r, spec.robot, out);
    doubt_starts(r, out);
    if (spec.trajectory) doubt_trajectory(r, *spec.trajectory, out);
    if (static_cast<Integrator>(model.scene.sim.integrator) == Integrator::kQuasiStatic)
      doubt_still_motors(r, out);
    else
      doubt_motors(r, model.scene.sim.dt, out);
  }
}

}  // namespace haptos
