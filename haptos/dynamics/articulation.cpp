#include "haptos/dynamics/articulation.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/error.h"
#include "haptos/base/options.h"
#include "haptos/dynamics/rigid_body.h"

namespace haptos {
namespace {

constexpr int kMaxJoints = 64;  // the largest block of the matrix

std::size_t at_index(std::ptrdiff_t i) { return static_cast<std::size_t>(i); }

Pose compose(const Pose& a, const Pose& b) { return {a * b.p, normalized(a.q * b.q)}; }

double squared_norm(const Quat& q) { return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z; }

// x <- A^-1 x for a symmetric positive definite row-major A, by Cholesky; A is overwritten.
void solve_in_place(std::vector<double>& a, std::vector<double>& x) {
  const std::size_t n = x.size();
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k)
      for (std::size_t i = j; i < n; ++i)
        a[i * n + j] = fma(-a[i * n + k], a[j * n + k], a[i * n + j]);
    const double d = sqrt(a[j * n + j]);
    for (std::size_t i = j; i < n; ++i) a[i * n + j] /= d;
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] = fma(-a[i * n + k], x[k], x[i]);
    x[i] /= a[i * n + i];
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) x[i] = fma(-a[k * n + i], x[k], x[i]);
    x[i] /= a[i * n + i];
  }
}

[[noreturn]] void refuse(const std::string& element, const std::string& value, const char* rule,
                         const char* remedy) {
  throw InputError({"", 0, 0, element, value, rule, remedy});
}

void check(const ArticulationSpec& spec) {
  const auto number = [](double v) { return internal::format_number(v); };
  const int n = static_cast<int>(spec.joints.size());
  if (n < 1 || n > kMaxJoints)
    refuse(spec.name + ".joints", std::to_string(n), "must be 1 to 64 joints",
           "split a longer chain into several articulations");
  if (!(vabs(squared_norm(spec.base.q) - 1) < 1e-6))
    refuse(spec.name + ".base", number(squared_norm(spec.base.q)),
           "must have a quaternion w x y z whose squared norm is 1", "normalise it");
  for (int j = 0; j < n; ++j) {
    const JointSpec& s = spec.joints[at_index(j)];
    const std::string element = spec.name + ".joints[" + std::to_string(j) + "] '" + s.name + "'";
    if (s.parent < -1 || s.parent >= j)
      refuse(element + ".parent", std::to_string(s.parent), "must be an earlier joint or -1",
             "list parents before their children; -1 is the base");
    if (!(vabs(norm(s.axis) - 1) < 1e-6))
      refuse(element + ".axis", number(norm(s.axis)), "must have length 1", "normalise the axis");
    if (!(vabs(squared_norm(s.frame.q) - 1) < 1e-6))
      refuse(element + ".frame", number(squared_norm(s.frame.q)),
             "must have a quaternion w x y z whose squared norm is 1", "normalise it");
    check_mass_properties(element, s.mass, s.inertia);
    if (!(s.armature >= 0 && std::isfinite(s.armature)))
      refuse(element + ".armature", number(s.armature), "must be 0 or more",
             "give the rotor inertia times the gear ratio squared in kg m2");
    const double values[] = {s.position,          s.velocity,          s.centre_of_mass[0],
                             s.centre_of_mass[1], s.centre_of_mass[2], s.frame.p[0],
                             s.frame.p[1],        s.frame.p[2]};
    for (double v : values)
      if (!(vabs(v) < 1e5))
        refuse(element, number(v), "must be a finite number below 1e5",
               "give angles in rad, rates in rad/s, lengths in m");
  }
}

}  // namespace

Articulation::Articulation(const BodySlots& slots, const ArticulationSpec& spec)
    : Body(slots), spec_(spec) {
  check(spec);
  spec_.base.q = normalized(spec_.base.q);
  for (JointSpec& s : spec_.joints) {
    s.axis = normalized(s.axis);
    s.frame.q = normalized(s.frame.q);
    start_q_.push_back(s.position);
  }
  torque.assign(spec_.joints.size(), 0.0);
  start_ = kinematics(start_q_);
}

Articulation::Kinematics Articulation::kinematics(const std::vector<double>& q) const {
  Kinematics k;
  for (int j = 0; j < joint_count(); ++j) {
    const JointSpec& s = spec_.joints[at_index(j)];
    const Pose joint = compose(s.parent < 0 ? spec_.base : k.pose[at_index(s.parent)], s.frame);
    const Vec3d axis = to_matrix(joint.q) * s.axis, at = joint.p - spec_.base.p;
    // A point at O of a link turning about an axis through `at` moves with at x axis.
    k.axis.push_back({axis, cross(at, axis)});
    const Pose link{joint.p, normalized(joint.q * rotation_by(q[at_index(j)] * s.axis))};
    k.pose.push_back(link);
    const Mat3d r = to_matrix(link.q);
    k.inertia.push_back(
        spatial_inertia(s.mass, at + r * s.centre_of_mass, r * s.inertia * transpose(r)));
  }
  return k;
}

std::vector<double> Articulation::inverse_dynamics(const Kinematics& k,
                                                   const std::vector<double>& qd,
                                                   const std::vector<double>& qdd,
                                                   const Vec3d& gravity) const {
  const int n = joint_count();
  std::vector<SpatialMotion> velocity(at_index(n)), acceleration(at_index(n));
  std::vector<SpatialForce> force(at_index(n));
  for (int j = 0; j < n; ++j) {
    const auto i = at_index(j);
    const int parent = spec_.joints[i].parent;
    // A base accelerating with -g feels like gravity.
    SpatialMotion v, a{Vec3d::zero(), -gravity};
    if (parent >= 0) {
      v = velocity[at_index(parent)];
      a = acceleration[at_index(parent)];
    }
    velocity[i] = v + qd[i] * k.axis[i];
    acceleration[i] = a + qdd[i] * k.axis[i] + cross(v, qd[i] * k.axis[i]);
    force[i] = k.inertia[i] * acceleration[i] + cross(velocity[i], k.inertia[i] * velocity[i]);
  }
  std::vector<double> tau(at_index(n));
  for (int j = n - 1; j >= 0; --j) {
    const auto i = at_index(j);
    const JointSpec& s = spec_.joints[i];
    tau[i] = dot(k.axis[i], force[i]) + s.armature * qdd[i];
    if (s.parent >= 0) force[at_index(s.parent)] = force[at_index(s.parent)] + force[i];
  }
  return tau;
}

std::vector<double> Articulation::mass_matrix(const Kinematics& k) const {
  const int n = joint_count();
  std::vector<SpatialInertia> composite = k.inertia;
  std::vector<double> m(at_index(n * n), 0.0);
  for (int i = n - 1; i >= 0; --i) {
    const JointSpec& s = spec_.joints[at_index(i)];
    const SpatialForce f = composite[at_index(i)] * k.axis[at_index(i)];
    for (int j = i; j >= 0; j = spec_.joints[at_index(j)].parent)
      m[at_index(i * n + j)] = m[at_index(j * n + i)] = dot(k.axis[at_index(j)], f);
    m[at_index(i * n + i)] += s.armature;
    if (s.parent >= 0)
      composite[at_index(s.parent)] = composite[at_index(s.parent)] + composite[at_index(i)];
  }
  return m;
}

void Articulation::jacobian(const Kinematics& k, int link, const Vec3d& x, double* out) const {
  const int n = joint_count();
  std::fill(out, out + 3 * n, 0.0);
  for (int j = link; j >= 0; j = spec_.joints[at_index(j)].parent) {
    const Vec3d c = cross(k.axis[at_index(j)].angular, x - k.pose[at_index(j)].p);
    for (int r = 0; r < 3; ++r) out[r * n + j] = c[r];
  }
}

std::vector<double> Articulation::inverse_dynamics(const std::vector<double>& q,
                                                   const std::vector<double>& qd,
                                                   const std::vector<double>& qdd,
                                                   const Vec3d& gravity) const {
  return inverse_dynamics(kinematics(q), qd, qdd, gravity);
}
std::vector<double> Articulation::mass_matrix(const std::vector<double>& q) const {
  return mass_matrix(kinematics(q));
}
Pose Articulation::link_pose(const std::vector<double>& q, int link) const {
  return kinematics(q).pose[at_index(link)];
}
void Articulation::jacobian(const std::vector<double>& q, int link, const Vec3d& x,
                            double* out) const {
  jacobian(kinematics(q), link, x, out);
}

double Articulation::kinetic_energy(const std::vector<double>& q,
                                    const std::vector<double>& qd) const {
  const std::vector<double> m = mass_matrix(q);
  const std::size_t n = qd.size();
  double e = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) e += 0.5 * qd[i] * m[i * n + j] * qd[j];
  return e;
}

double Articulation::potential_energy(const std::vector<double>& q, const Vec3d& gravity) const {
  const Kinematics k = kinematics(q);
  double e = 0;
  for (std::size_t i = 0; i < k.pose.size(); ++i)
    e -= spec_.joints[i].mass * dot(gravity, k.pose[i] * spec_.joints[i].centre_of_mass);
  return e;
}

void Articulation::initialize(State& state) const {
  for (int j = 0; j < joint_count(); ++j) {
    state.q[at_index(slots_.first_q + j)] = spec_.joints[at_index(j)].position;
    state.z[at_index(slots_.first_scalar + j)] = spec_.joints[at_index(j)].velocity;
  }
}

void Articulation::begin_step(const State& state, const BodyStep& step) {
  const int n = joint_count(), s = slots_.first_scalar;
  start_q_.assign(state.q.begin() + slots_.first_q, state.q.begin() + slots_.first_q + n);
  start_ = kinematics(start_q_);
  const std::vector<double> z(state.z.begin() + s, state.z.begin() + s + n);
  const std::vector<double> m = mass_matrix(start_);
  std::copy(m.begin(), m.end(), step.mass->begin() + slots_.first_mass);

  std::vector<double> kick =
      inverse_dynamics(start_, z, std::vector<double>(at_index(n), 0.0), step.gravity);
  for (int j = 0; j < n; ++j) kick[at_index(j)] = torque[at_index(j)] - kick[at_index(j)];
  std::vector<double> factor = m;
  solve_in_place(factor, kick);

  // The lever arm of a joint: radius of gyration of all that it carries.
  std::vector<double> carried(at_index(n));
  for (int j = n - 1; j >= 0; --j) {
    const JointSpec& joint = spec_.joints[at_index(j)];
    carried[at_index(j)] += joint.mass;
    if (joint.parent >= 0) carried[at_index(joint.parent)] += carried[at_index(j)];
    (*step.z_free)[at_index(s + j)] = fma(step.h, kick[at_index(j)], z[at_index(j)]);
    (*step.length)[at_index(s + j)] = sqrt(m[at_index(j * n + j)] / carried[at_index(j)]);
  }
}

void Articulation::advance(const std::vector<double>& z, const BodyStep& step, State& state) {
  for (int j = 0; j < joint_count(); ++j) {
    const double rate = z[at_index(slots_.first_scalar + j)];
    double& q = state.q[at_index(slots_.first_q + j)];
    q = fma(step.b, rate, q);
    state.z[at_index(slots_.first_scalar + j)] = rate;
  }
}

Vec3d Articulation::link_position(int link, const Vec3d& local) const {
  return start_.pose[at_index(link)] * local;
}
void Articulation::link_jacobian(int link, const Vec3d& x, double* out) const {
  jacobian(start_, link, x, out);
}

}  // namespace haptos
