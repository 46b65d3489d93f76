// Steps that are too long for what moves.
#include <algorithm>
#include <cmath>

#include "haptos/base/text/text.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/sim/doubts/doubts.h"

namespace haptos {
namespace {

// A body no thinner than this part of its length: a sheet that moves along its normal is met in
// time by the cap on steps.
constexpr double kThinnest = 0.25;
// A pendulum of length L takes 2 pi sqrt(L / g): at half of sqrt(L / g) that is 13 steps, by which
// implicit Euler takes a third of the swing in each.
constexpr double kSwing = 0.5;

double gravity_of(const Scene& s) { return norm(s.sim.gravity()); }

// 0.00123 as "0.001": a step to advise, one digit, rounded down.
std::string round_step(double h) {
  const double digit = std::pow(10.0, std::floor(std::log10(h)));
  return to_text(std::round(std::floor(h / digit * (1 + 1e-9)) * digit * 1e12) / 1e12);
}

struct Mover {
  std::string title;
  Aabb box;  // in the frame of its pose
  Pose pose;
  Vec3d velocity{{0, 0, 0}};
  bool falls = false;
};

// Width along a direction of the world, no less than kThinnest of the largest.
double width(const Mover& m, const Vec3d& direction) {
  const Vec3d e = m.box.extent();
  const Mat3d r = to_matrix(m.pose.q);
  double w = 0;
  for (int k = 0; k < 3; ++k) w += std::abs(dot(column(r, k), direction)) * e[k];
  return std::max(w, kThinnest * std::max({e[0], e[1], e[2]}));
}

Aabb box_of(const std::vector<Vec3d>& vertices) {
  Aabb box;
  for (const Vec3d& v : vertices) box.merge(v);
  return box;
}

Mover mover(const RobotBody& b) {
  Mover m{"Rigid body \"" + printable(b.name) + "\"", {}, b.pose};
  for (const RobotShape& c : b.robot.links[0].collisions)
    if (c.shape.kind != ShapeKind::kHalfSpace) m.box.merge(shape_bounds(c.shape, c.frame));
  m.falls = b.robot.joints.size() == 1 && b.robot.joints[0].kind == JointKind::kFree;
  if (m.falls && b.velocity.size() == 6)
    m.velocity = {{b.velocity[0], b.velocity[1], b.velocity[2]}};
  return m;
}

std::vector<Mover> movers(const Scene& s) {
  std::vector<Mover> all;
  for (const SoftBody& b : s.soft)
    all.push_back({"Soft body \"" + printable(b.name) + "\"", box_of(b.mesh.vertices), b.pose,
                   b.velocity, b.glue.empty() && b.held.empty()});
  for (const AffineBody& b : s.affine)
    all.push_back({"Affine body \"" + printable(b.name) + "\"", box_of(b.surface.vertices), b.pose,
                   b.velocity, b.gravity && !b.guide});
  for (const RobotBody& b : s.robots)
    if (b.robot.links.size() == 1) all.push_back(mover(b));
  return all;
}

void doubt_speed(const Mover& m, double h, double distance, const Vec3d& along,
                 std::vector<std::string>& out) {
  if (m.box.is_empty()) return;
  const double size = width(m, along);
  if (!(size > 0) || !std::isfinite(size) || !(distance > size)) return;
  out.push_back(
      m.title + " moves " + length_text(distance) + " in a step of " + to_text(h) + " s and is " +
      length_text(size) +
      " in size that way, so it meets others late or in the wrong place; take sim.dt of " +
      round_step(0.5 * h * size / distance) + " s or less.");
}

// The fastest stretch of a trajectory.
void doubt_trajectory(const PrescribedBody& b, double h, std::vector<std::string>& out) {
  Mover m{"Prescribed body \"" + printable(b.name) + "\"", box_of(b.surface.vertices), {}};
  double farthest = 0;
  Vec3d along;
  for (std::size_t k = 1; k < b.trajectory.size(); ++k) {
    const Keyframe &from = b.trajectory[k - 1], &to = b.trajectory[k];
    const Vec3d way = to.pose.p - from.pose.p;
    const double time = to.time - from.time, length = norm(way);
    const double distance = length * std::min(1.0, h / time);
    if (!(distance > farthest)) continue;
    farthest = distance;
    along = way * (1 / length);
    m.pose = from.pose;
  }
  if (farthest > 0) doubt_speed(m, h, farthest, along, out);
}

void doubt_fall(const Mover& m, double h, double g, std::vector<std::string>& out) {
  if (!m.falls || m.box.is_empty()) return;
  const Vec3d e = m.box.extent();
  const double size = std::max({e[0], e[1], e[2]}), fall = g * h * h;
  if (!(size > 0) || !std::isfinite(size) || !(fall > size)) return;
  out.push_back(m.title + " is " + length_text(size) + " in size and falls " + length_text(fall) +
                " in its first step of " + to_text(h) +
                " s, so it meets others late or in the wrong place; take sim.dt of " +
                round_step(0.3 * std::sqrt(size / g)) + " s or less.");
}

void doubt_swing(const std::string& title, double length, double h, double g,
                 std::vector<std::string>& out) {
  if (!(length > 0) || !(g > 0) || !(h > kSwing * std::sqrt(length / g))) return;
  out.push_back(title + " is " + length_text(length) + " long and swings in " +
                to_text(std::round(6283.2 * std::sqrt(length / g)) / 1e3) +
                " s under gravity, which steps of " + to_text(h) +
                " s do not follow; take sim.dt of " + round_step(0.05 * std::sqrt(length / g)) +
                " s or less.");
}

// Across all shapes and links of a robot at its start.
double reach(const RobotModel& r) {
  Aabb box;
  for (std::size_t i = 0; i < r.robot.links.size(); ++i) {
    box.merge(r.start[i].p);
    for (const RobotShape& c : r.robot.links[i].collisions)
      if (c.shape.kind != ShapeKind::kHalfSpace)
        box.merge(shape_bounds(c.shape, compose(r.start[i], c.frame)));
  }
  const double length = box.is_empty() ? 0 : norm(box.extent());
  return std::isfinite(length) ? length : 0;
}

}  // namespace

void doubt_steps(const Scene& scene, std::vector<std::string>& out) {
  const double h = scene.sim.dt, g = gravity_of(scene);
  const bool quasi_static =
      static_cast<Integrator>(scene.sim.integrator) == Integrator::kQuasiStatic;
  for (const PrescribedBody& b : scene.prescribed)
    if (!b.surface.empty()) doubt_trajectory(b, h, out);
  if (quasi_static) return;
  for (const Mover& m : movers(scene)) {
    const double speed = norm(m.velocity);
    if (speed > 0) doubt_speed(m, h, h * speed, m.velocity * (1 / speed), out);
    doubt_fall(m, h, g, out);
  }
}

void doubt_swings(const Model& model, std::vector<std::string>& out) {
  if (static_cast<Integrator>(model.scene.sim.integrator) == Integrator::kQuasiStatic) return;
  for (const RobotModel& r : model.robots)
    if (r.robot.links.size() > 1 && r.tree->v_count > 0)
      doubt_swing("Robot \"" + printable(r.name) + "\"", reach(r), model.scene.sim.dt,
                  gravity_of(model.scene), out);
}

}  // namespace haptos
