#include "haptos/sensors/robot/robot_sensors.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/math/quaternion.h"

namespace haptos {
namespace {

void put(const Vec3d& v, double* out) { std::copy_n(v.a, 3, out); }

// Of the point (x, y) against the x axis, within [-pi, pi]: atan2 by our own functions.
double angle_of(double y, double x) {
  const double r = sqrt(x * x + y * y);
  if (r == 0) return 0;
  const bool back = x < 0;
  const double c = back ? std::abs(y) : r + x, s = back ? std::copysign(r - x, y) : y;
  return rotation_log(Quaternion<double>{{c, 0, 0, s}})[2];
}

Quaternion<double> upper_quaternion(const Mat3d& r) {
  const Quat q = normalized(quaternion(r));
  const double s = q.w < 0 ? -1 : 1;
  return {{s * q.w, s * q.x, s * q.y, s * q.z}};
}

// Halfway from one orientation to another, the short way.
Mat3d halfway(const Mat3d& a, const Mat3d& b) {
  const Vec3d turn = rotation_log(upper_quaternion(transpose(a) * b));
  return a * rotation_matrix(rotation_exp(0.5 * turn));
}

}  // namespace

void RobotSensors::update(const RobotStep& step) {
  step_ = step;
  loads_.update(*tree_, step.tree);
  haptos::forward_kinematics(*tree_, step.tree.q, end_);
  update_velocities(*tree_, step.tree.v, end_);
}

// What the joint exerts on its child, about the origin of the body, world axes.
SpatialForce<double> RobotSensors::joint_load(const Sensed& s) const {
  const TreeData<double>& d = loads_.data();
  if (s.body >= 0) return d.force[at_index(s.body)];
  const Part& part = s.part;
  const bool moves = part.body >= 0;
  const auto b = at_index(std::max(part.body, 0));
  const Mat3d r = moves ? d.pose[b].r : Mat3d::identity();
  const Vec3d origin = moves ? d.pose[b].p : Vec3d::zero();
  // The mass of the whole body may be scaled against the description.
  const double whole = moves ? tree_->bodies[b].mass : 0;
  const double scale = whole > 0 ? d.body_mass[b].mass / whole : 1;
  const Mat3d j = scale * part.inertia;
  const SpatialInertia<double> inertia = spatial_inertia(
      scale * part.mass, r * part.centre,
      rotated(r, Sym3<double>{j(0, 0), j(0, 1), j(0, 2), j(1, 1), j(1, 2), j(2, 2)}));
  SpatialForce<double> f = SpatialForce<double>::zero();
  if (moves) {
    f = inertia * d.acceleration[b];
    f += cross(d.velocity[b], inertia * loads_.turning(b));
  } else {
    f = inertia * SpatialMotion<double>{Vec3d::zero(), -step_.tree.gravity};
  }
  const Vec3d before = moves ? loads_.start().pose[b].p : Vec3d::zero();
  for (const LinkForce& l : step_.tree.forces)
    if (part.has[at_index(l.link)])
      f = f - SpatialForce<double>{l.moment + cross(l.x - before, l.force), l.force};
  for (const int i : part.hangs) f += shift(d.force[at_index(i)], origin - d.pose[at_index(i)].p);
  return f;
}

// Of the frame `local` of a link (-1: of the world); `data` holds poses and velocities.
RobotSensors::Motion RobotSensors::motion(const TreeData<double>& data, int link,
                                          const Pose& local) const {
  Motion m{{to_matrix(local.q), local.p}, Vec3d::zero(), Vec3d::zero()};
  if (link < 0) return m;
  const Frame<double> at = link_frame(*tree_, data, link);
  m.frame = {at.r * m.frame.r, at * local.p};
  const int body = tree_->links[at_index(link)].body;
  if (body < 0) return m;
  m.linear = point_velocity(data, body, m.frame.p);
  m.angular = data.velocity[at_index(body)].angular;
  return m;
}

RobotSensors::Motion RobotSensors::motion_against(const TreeData<double>& data, const Sensor& s,
                                                  const Sensed& p) const {
  const Motion b = motion(data, p.link, s.frame);
  if (p.reference < 0) return b;
  const Motion a = motion(data, p.reference, Pose{});
  const Mat3d r = transpose(a.frame.r);
  const Vec3d d = b.frame.p - a.frame.p;
  return {{r * b.frame.r, r * d},
          r * (b.linear - a.linear - cross(a.angular, d)),
          r * (b.angular - a.angular)};
}

void RobotSensors::measure_imu(const Sensor& s, const Sensed& p, double* out) const {
  const TreeData<double>&d = loads_.data(), &start = loads_.start();
  const Motion now = motion(end_, p.link, s.frame), before = motion(start, p.link, s.frame);
  const int body = tree_->links[at_index(p.link)].body;
  Vec3d felt = -step_.tree.gravity;
  if (step_.tree.h > 0)
    felt += (1 / step_.tree.h) * (now.linear - before.linear);
  else if (body >= 0)
    felt = point_acceleration(d, body, before.frame.p);
  put(transpose(halfway(before.frame.r, now.frame.r)) * felt, out);
  put(transpose(now.frame.r) * now.angular, out + 3);
}

void RobotSensors::measure_contact(const Sensor& s, const Sensed& p, double* out) const {
  const Vec3d about = motion(end_, p.link, s.frame).frame.p;
  Vec3d force = Vec3d::zero(), torque = Vec3d::zero();
  double normal = 0, area = 0, count = 0;
  for (const ContactPoint& c : step_.contacts) {
    const bool is_a = c.body_a == p.number;
    if (!is_a && c.body_b != p.number) continue;
    if (p.other >= 0 && (is_a ? c.body_b : c.body_a) != p.other) continue;
    const Vec3d f = is_a ? c.force : -c.force;
    force += f;
    torque += cross(c.p - about, f);
    normal += c.normal_force;
    area += c.area;
    ++count;
  }
  put(force, out);
  put(torque, out + 3);
  out[6] = normal;
  out[7] = area;
  out[8] = count;
}

void RobotSensors::measure(int i, double* out) const {
  const Sensor& s = sensor(i);
  const Sensed& p = parts_[at_index(i)];
  const std::size_t n = p.index.size();
  switch (s.kind) {
    case SensorKind::kJointPosition:
      for (std::size_t k = 0; k < n; ++k) out[k] = step_.tree.q[p.index[k]];
      return;
    case SensorKind::kJointVelocity:
      for (std::size_t k = 0; k < n; ++k) out[k] = step_.tree.v[p.index[k]];
      return;
    case SensorKind::kJointTorque:
      for (std::size_t k = 0; k < n; ++k) out[k] = loads_.along(p.index[k]);
      return;
    case SensorKind::kMotorEffort:
    case SensorKind::kMotorCurrent:
      for (std::size_t k = 0; k < n; ++k) {
        const double u = step_.motor_effort ? step_.motor_effort[p.index[k]] : 0.0;
        out[k] = s.kind == SensorKind::kMotorEffort ? u : u / s.torque_constant;
      }
      return;
    case SensorKind::kForceTorque: {
      const TreeData<double>& d = loads_.data();
      const int body = p.body >= 0 ? p.body : p.part.body;
      const Vec3d origin = body >= 0 ? d.pose[at_index(body)].p : Vec3d::zero();
      const Frame<double> at = link_frame(*tree_, d, p.link);
      const SpatialForce<double> f = shift(joint_load(p), at.p - origin);
      const Mat3d r = (s.child_on_parent ? -1.0 : 1.0) * transpose(at.r);
      put(r * f.force, out);
      put(r * f.moment, out + 3);
      return;
    }
    case SensorKind::kImu:
      return measure_imu(s, p, out);
    case SensorKind::kTilt: {
      const double size = norm(step_.tree.gravity);
      if (size == 0) return std::fill_n(out, 2, 0.0), void();
      const Frame<double> at = motion(end_, p.link, s.frame).frame;
      const Vec3d up = transpose(at.r) * ((-1 / size) * step_.tree.gravity);
      out[0] = angle_of(up[1], up[2]);
      out[1] = angle_of(-up[0], sqrt(up[1] * up[1] + up[2] * up[2]));
      return;
    }
    case SensorKind::kContact:
      return measure_contact(s, p, out);
    case SensorKind::kFramePose: {
      const Motion m = motion_against(end_, s, p);
      put(m.frame.p, out);
      std::copy_n(upper_quaternion(m.frame.r).a, 4, out + 3);
      return;
    }
    case SensorKind::kFrameVelocity: {
      const Motion m = motion_against(end_, s, p);
      put(m.linear, out);
      put(m.angular, out + 3);
      return;
    }
    case SensorKind::kFrameAcceleration: {
      if (!(step_.tree.h > 0)) return std::fill_n(out, 6, 0.0), void();
      const Motion m = motion_against(end_, s, p), n0 = motion_against(loads_.start(), s, p);
      put((1 / step_.tree.h) * (m.linear - n0.linear), out);
      put((1 / step_.tree.h) * (m.angular - n0.angular), out + 3);
      return;
    }
    case SensorKind::kTaxels:
      if (step_.taxels) return step_.taxels(i, out);
      return std::fill_n(out, width(i), 0.0), void();
  }
}

void contacts_between(std::span<const ContactPoint> contacts, int a, int b,
                      std::vector<ContactPoint>& out) {
  out.clear();
  for (const ContactPoint& c : contacts) {
    const bool is_a = c.body_a == a && (b < 0 || c.body_b == b);
    const bool is_b = c.body_b == a && (b < 0 || c.body_a == b);
    if (!is_a && !is_b) continue;
    ContactPoint r = c;
    if (!is_a) {
      std::swap(r.body_a, r.body_b);
      std::swap(r.surface_a, r.surface_b);
      std::swap(r.feature_a, r.feature_b);
      std::swap(r.point_a, r.point_b);
      r.n = -r.n;
      r.force = -r.force;
      r.tangential_force = -r.tangential_force;
      r.slip = -r.slip;
    }
    out.push_back(r);
  }
}

void add_contact_forces(std::span<const ContactPoint> contacts, const Points& points, int first,
                        int count, std::vector<LinkForce>& out) {
  for (const ContactPoint& c : contacts) {
    const auto side = [&](int body, const WeightedPoint& w, const Vec3d& force) {
      if (body < first || body >= first + count) return;
      out.push_back({body - first, w.count > 0 ? at(points.x_start, w) : c.p, force});
    };
    side(c.body_a, c.point_a, c.force);
    side(c.body_b, c.point_b, -c.force);
  }
}

}  // namespace haptos
