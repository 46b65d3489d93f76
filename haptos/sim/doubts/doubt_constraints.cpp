// Hinges and sliders whose numbers can hardly be meant.
#include <cmath>
#include <optional>
#include <utility>

#include "haptos/base/math/index.h"
#include "haptos/base/math/turn.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"
#include "haptos/bodies/joints/free_axis.h"
#include "haptos/sim/doubts/doubts.h"

namespace haptos {
namespace {

constexpr double kTurn = 6.3;    // a little more than a full turn [rad]
constexpr double kSlack = 1e-6;  // [rad] or [m]
// What is open by more than this at the start [m], [rad] is more than a file's rounding.
constexpr double kOpen = 1e-3, kTwisted = 0.02;

double start_of(const Scene& scene, const Constraint& c) {
  const auto at = [&](const std::string& name) {
    return name.empty() ? Pose{} : start_pose(scene, name);
  };
  if (!c.other) return 0;
  return free_coordinate(compose(at(c.a), c.pose), compose(at(c.b), *c.other), c.turns(),
                         c.starts_near());
}

// An angle that is a whole number beyond a full turn is more often one in degrees.
std::optional<double> in_degrees(const Constraint& c) {
  const double told = c.motor ? c.motor->position.value_or(0) : 0;
  for (const double q : {c.lower, c.upper, c.reference, told})
    if (c.turns() && std::isfinite(q) && std::abs(q) > kTurn && q == std::round(q)) return q;
  return {};
}

// What a body adds to one over the inertia along the free direction of c, whose frame in the body's
// is `at` [1/kg] or [1/(kg m2)]; 0 for what is not free; none where that depends on more.
std::optional<double> ease(const Model& model, const Constraint& c, const std::string& name,
                           const Pose& at) {
  const Vec3d axis = column(to_matrix(at.q), 2);
  const auto of = [&](double mass, const Vec3d& centre, const Mat3d& inertia) {
    if (!c.turns()) return 1 / mass;
    return 1 / (dot(axis, inertia * axis) + mass * squared_norm(cross(axis, centre - at.p)));
  };
  const Scene& scene = model.scene;
  for (std::size_t i = 0; i < scene.affine.size(); ++i) {
    const Moments& m = model.affine_moments[i];
    if (scene.affine[i].name == name) return of(m.mass, m.centre(), m.inertia());
  }
  const LinkName link = find_link(scene, name);
  if (link.robot < 0) return 0;  // the world, or a path
  const RobotModel& r = model.robots[at_index(link.robot)];
  if (r.tree->links[at_index(link.link)].body < 0) return 0;
  if (r.robot.links.size() > 1) return {};
  const RobotLink& l = r.robot.links.front();
  return of(l.mass, l.centre, l.inertia);
}

// Of frames that ought to meet: how far apart they are [m], and turned [rad].
std::string opening(ClosureKind kind, const Pose& a, const Pose& b, double distance) {
  const double apart = norm(a.p - b.p);
  const double open = kind == ClosureKind::kDistance ? std::abs(apart - distance) : apart;
  const double turned = kind == ClosureKind::kWeld ? norm(turn_between(b.q, a.q)) : 0;
  std::string text;
  if (open > kOpen) text = length_text(open);
  if (turned > kTwisted) text += (text.empty() ? "" : " and ") + to_text(turned) + " rad";
  return text;
}

std::string opening(const RobotModel& r, const LoopClosure& c) {
  const auto at = [&](int link, const Pose& local) {
    return compose(link < 0 ? r.pose : r.start[at_index(link)], local);
  };
  if (c.kind != ClosureKind::kCoupler)
    return opening(c.kind, at(c.a, c.frame_a), at(c.b, c.frame_b), c.distance);
  const auto position = [&](int joint) {
    const int body = r.tree->joint_body[at_index(joint)];
    return body < 0 ? 0.0 : r.position[at_index(r.tree->bodies[at_index(body)].first_q)];
  };
  double value = 0;
  for (int k = 4; k >= 0; --k) value = value * (c.b < 0 ? 0 : position(c.b)) + c.polynomial[k];
  const double off = std::abs(position(c.a) - value);
  const bool slides = r.robot.joints[at_index(c.a)].kind == JointKind::kPrismatic;
  if (!(off > (slides ? kOpen : kTwisted))) return "";
  return slides ? length_text(off) : to_text(off) + " rad";
}

void tell_open(const std::string& who, const std::string& open, std::vector<std::string>& out) {
  if (open.empty()) return;
  out.push_back(who + " starts open by " + open +
                ", and closes at 1 m/s and 10 rad/s at most: start where it is closed.");
}

}  // namespace

void doubt_openings(const Model& model, std::vector<std::string>& out) {
  for (const RobotModel& r : model.robots)
    for (const LoopClosure& c : r.robot.closures)
      tell_open("Robot \"" + printable(r.name) + "\": closure \"" + printable(c.name) + "\"",
                opening(r, c), out);
  const Scene& scene = model.scene;
  for (const Constraint& c : scene.constraints) {
    if (!c.other || c.has_axis()) continue;
    const auto start = [&](const std::string& name) {
      return name.empty() ? Pose{} : start_pose(scene, name);
    };
    const Pose a = compose(start(c.a), c.pose), b = compose(start(c.b), *c.other);
    const auto kind = static_cast<ConstraintKind>(c.kind);
    if (kind == ConstraintKind::kDistance && !(c.distance > 0)) continue;
    tell_open("Constraint \"" + printable(c.name) + "\"",
              opening(kind == ConstraintKind::kWeld       ? ClosureKind::kWeld
                      : kind == ConstraintKind::kDistance ? ClosureKind::kDistance
                                                          : ClosureKind::kBall,
                      a, b, c.distance),
              out);
  }
}

void doubt_constraint_motors(const Model& model, std::vector<std::string>& out) {
  const Scene& scene = model.scene;
  const double h = scene.sim.dt;
  for (const Constraint& c : scene.constraints) {
    if (!c.motor) continue;
    const auto start = [&](const std::string& name) {
      return name.empty() ? Pose{} : start_pose(scene, name);
    };
    const Pose on_b = c.other ? *c.other : seen_from(start(c.b), compose(start(c.a), c.pose));
    const auto a = ease(model, c, c.a, c.pose), b = ease(model, c, c.b, on_b);
    if (!a || !b || !(*a + *b > 0)) continue;
    const ConstraintMotor& m = *c.motor;
    const double rate = unresolved_rate(m.kp, m.kd + c.damping, 1 / (*a + *b), h);
    if (rate == 0) continue;
    std::string text = "Constraint \"" + printable(c.name) + "\": its motor (kp ";
    text += to_text(m.kp) + ", kd " + to_text(m.kd) + ") answers within ";
    text += to_text(std::round(1e4 / rate) / 1e4) + " s: a step of " + to_text(h);
    text += " s cannot follow it and sets the motion in its place; take sim.dt of ";
    text += to_text(step_for(rate)) + " s or less, or a smaller kp or a larger kd.";
    out.push_back(std::move(text));
  }
}

void doubt_constraints(const Scene& scene, std::vector<std::string>& out) {
  for (const Constraint& c : scene.constraints) {
    if (!c.has_axis()) continue;
    const std::string name = "Constraint \"" + printable(c.name) + "\"";
    if (const auto angle = in_degrees(c)) {
      out.push_back(name + " has an angle of " + to_text(*angle) +
                    " rad, more than a full turn: angles are in rad; is it meant in degrees?");
      continue;
    }
    const double q = start_of(scene, c);
    if (q >= c.lower - kSlack && q <= c.upper + kSlack) continue;
    std::string text = name + " starts at " + to_text(q) + ", outside its limits ";
    text += to_text(c.lower) + " to " + to_text(c.upper) + (c.turns() ? " rad" : " m");
    text +=
        ", so its first steps drive it there; 0 is where the bodies are at the start, or where the "
        "frames of `pose` and `other` meet.";
    out.push_back(std::move(text));
  }
}

}  // namespace haptos
