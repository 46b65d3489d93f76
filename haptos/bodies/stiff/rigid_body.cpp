#include "haptos/bodies/stiff/rigid_body.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"

namespace haptos {
namespace {

Vec3d load(const std::vector<double>& from, int first) {
  const double* p = from.data() + first;
  return {{p[0], p[1], p[2]}};
}

void store(const Vec3d& v, std::vector<double>& to, int first) {
  for (int c = 0; c < 3; ++c) to[at_index(first + c)] = v[c];
}

Mat3d rotated(const Mat3d& r, const Mat3d& m) { return r * m * transpose(r); }

// The symmetric part: rounding must not make the inertia block asymmetric.
Mat3d symmetric(const Mat3d& m) { return 0.5 * (m + transpose(m)); }

bool finite(const double* v, int n) {
  return std::all_of(v, v + n, [](double x) { return std::isfinite(x); });
}

}  // namespace

Mat3d solid_sphere_inertia(double mass, double radius) {
  return (0.4 * mass * square(radius)) * Mat3d::identity();
}

Mat3d solid_box_inertia(double mass, const Vec3d& s) {
  const double k = mass / 12.0;
  Mat3d m = Mat3d::zero();
  for (int i = 0; i < 3; ++i) m(i, i) = k * (square(s[(i + 1) % 3]) + square(s[(i + 2) % 3]));
  return m;
}

Mat3d slender_rod_inertia(double mass, double length) {
  const double i = mass * square(length) / 12.0;
  return {{i, 0, 0, 0, i, 0, 0, 0, 1e-6 * i}};
}

void check_mass_properties(const std::string& element, double mass, const Mat3d& inertia) {
  using internal::format_number;
  if (!(mass > 0) || !std::isfinite(mass))
    throw InputError({"", 0, 0, element + ".mass", format_number(mass),
                      "must be positive and finite", "give the mass in kg"});
  const auto refuse = [&](const std::string& value, const char* rule) {
    throw InputError({"", 0, 0, element + ".inertia", value, rule,
                      "give the inertia about the centre of mass in kg m2, for example from the "
                      "body's mesh and density"});
  };
  if (!finite(inertia.a, 9)) refuse("", "must have finite entries");
  double largest = 0, skewness = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      largest = std::max(largest, std::abs(inertia(i, j)));
      skewness = std::max(skewness, std::abs(inertia(i, j) - inertia(j, i)));
    }
  if (skewness > 1e-9 * largest) refuse("", "must be symmetric");
  const Vec3d m = principal_moments(inertia);
  const std::string moments = "principal moments " + format_number(m[0]) + ", " +
                              format_number(m[1]) + ", " + format_number(m[2]) + " kg m2";
  if (!(m[0] > 1e-12 * m[2])) refuse(moments, "must all be positive");
  // A lamina reaches equality; leave room for the rounding of a computed inertia.
  if (m[0] + m[1] < (1.0 - 1e-9) * m[2])
    refuse(moments,
           "must obey the triangle inequality: the sum of the two smaller ones cannot be "
           "less than the largest");
}

FreeRotation free_rotation(const Quat& q, const Mat3d& inertia, const Mat3d& inverse_inertia,
                           const Vec3d& momentum, double h) {
  constexpr int kMaxIterations = 30;
  constexpr double kRoundOff = 2.2e-16;
  FreeRotation best;
  const Mat3d r0 = to_matrix(q);
  Vec3d w = rotated(r0, inverse_inertia) * momentum;
  double smallest = 1e300;
  for (int k = 0; k < kMaxIterations; ++k) {
    const Mat3d r = to_matrix(rotation_by((0.5 * h) * w)) * r0;
    const Mat3d a = rotated(r, inverse_inertia);
    const Vec3d al = a * momentum, f = w - al;
    const double size = norm(f);
    // Newton is quadratic: once the residual stops falling it is at round-off.
    if (!(size < smallest)) break;
    smallest = size;
    best.omega = w;
    best.inertia_half = symmetric(rotated(r, inertia));
    best.iterations = k + 1;
    if (size <= kRoundOff * norm(w)) break;
    // A turn by dt changes A L by dt x A L - A (dt x L); dt = h/2 T dw, T = 1 + 1/2 [h/2 w]x + ...
    const Mat3d turn = (0.5 * h) * (Mat3d::identity() + 0.5 * skew<double>((0.5 * h) * w));
    const Mat3d jacobian =
        Mat3d::identity() + (skew<double>(al) - a * skew<double>(momentum)) * turn;
    w -= inverse(jacobian) * f;
  }
  const double speed = norm(best.omega);
  best.residual = speed > 0 ? smallest / speed : 0;
  return best;
}

RigidBody::RigidBody(const BodySlots& slots, const RigidBodySpec& spec) : Body(slots), spec_(spec) {
  check_mass_properties(spec.name, spec.mass, spec.inertia);
  const double start[] = {
      spec.pose.p[0],           spec.pose.p[1],           spec.pose.p[2],
      spec.velocity[0],         spec.velocity[1],         spec.velocity[2],
      spec.angular_velocity[0], spec.angular_velocity[1], spec.angular_velocity[2]};
  if (!finite(start, 9))
    throw InputError({"", 0, 0, spec.name + ".pose, velocity", "", "must be finite",
                      "give position in m, velocity in m/s, angular velocity in rad/s"});
  const Quat& q = spec.pose.q;
  const double n = q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z;
  if (!(vabs(n - 1) < 1e-6))
    throw InputError({"", 0, 0, spec.name + ".orientation", internal::format_number(n),
                      "must be a quaternion w x y z whose squared norm is 1", "normalise it"});
  spec_.pose.q = normalized(q);
  spec_.inertia = symmetric(spec.inertia);
  inverse_inertia_ = symmetric(inverse(spec_.inertia));
  radius_ = sqrt(0.5 * trace(spec_.inertia) / spec_.mass);
}

void RigidBody::initialize(State& state) const {
  const Pose& x = spec_.pose;
  store(x.p, state.q, slots_.first_q);
  double* q = state.q.data() + slots_.first_q + 3;
  q[0] = x.q.w;
  q[1] = x.q.x;
  q[2] = x.q.y;
  q[3] = x.q.z;
  store(spec_.velocity, state.z, slots_.first_scalar);
  store(spec_.angular_velocity, state.z, slots_.first_scalar + 3);
}

Pose RigidBody::pose(const State& state) const {
  const double* q = state.q.data() + slots_.first_q + 3;
  return {load(state.q, slots_.first_q), {q[0], q[1], q[2], q[3]}};
}
Vec3d RigidBody::velocity(const State& state) const { return load(state.z, slots_.first_scalar); }
Vec3d RigidBody::angular_velocity(const State& state) const {
  return load(state.z, slots_.first_scalar + 3);
}
Vec3d RigidBody::angular_momentum(const State& state) const {
  const Mat3d r = to_matrix(pose(state).q);
  return r * (spec_.inertia * (transpose(r) * angular_velocity(state)));
}
double RigidBody::kinetic_energy(const State& state) const {
  return 0.5 * spec_.mass * squared_norm(velocity(state)) +
         0.5 * dot(angular_velocity(state), angular_momentum(state));
}

void RigidBody::begin_step(const State& state, const BodyStep& step) {
  start_ = pose(state);
  start_velocity_ = velocity(state);
  start_turn_ = angular_velocity(state);
  momentum_ = angular_momentum(state) + step.h * torque;
  free_ = free_rotation(start_.q, spec_.inertia, inverse_inertia_, momentum_, step.h);

  const int s = slots_.first_scalar;
  store(velocity(state) + step.h * (step.gravity + force * (1.0 / spec_.mass)), *step.z_free, s);
  store(free_.omega, *step.z_free, s + 3);
  double* m = step.mass->data() + slots_.first_mass;
  std::fill(m, m + 36, 0.0);
  for (int i = 0; i < 3; ++i) {
    m[7 * i] = spec_.mass;
    for (int j = 0; j < 3; ++j) m[6 * (3 + i) + 3 + j] = free_.inertia_half(i, j);
    (*step.length)[at_index(s + i)] = 1.0;
    (*step.length)[at_index(s + 3 + i)] = radius_;
  }
}

void RigidBody::advance(const std::vector<double>& z, const BodyStep& step, State& state) {
  const int s = slots_.first_scalar;
  const Vec3d v = load(z, s), w = load(z, s + 3);
  const Vec3d l = momentum_ + free_.inertia_half * (w - free_.omega);
  const Quat q = normalized(rotation_by(step.h * w) * start_.q);
  const Mat3d r = to_matrix(q);

  store(start_.p + step.h * v, state.q, slots_.first_q);
  double* out = state.q.data() + slots_.first_q + 3;
  out[0] = q.w;
  out[1] = q.x;
  out[2] = q.y;
  out[3] = q.z;
  store(v, state.z, s);
  store(r * (inverse_inertia_ * (transpose(r) * l)), state.z, s + 3);
}

Vec3d RigidBody::point_velocity(int, const Vec3d& x) const {
  return start_velocity_ + cross(start_turn_, x - start_.p);
}

Vec3d RigidBody::point_bias(int, const Vec3d& x) const {
  return cross(start_turn_, cross(start_turn_, x - start_.p));
}

Pose RigidBody::link_pose_after(int, const double* z, double h) const {
  const Vec3d v{{z[0], z[1], z[2]}}, w{{z[3], z[4], z[5]}};
  return {start_.p + h * v, normalized(rotation_by(h * w) * start_.q)};
}

Vec3d RigidBody::point_velocity_with(int, const Vec3d& x, const double* z) const {
  return Vec3d{{z[0], z[1], z[2]}} + cross(Vec3d{{z[3], z[4], z[5]}}, x - start_.p);
}

void RigidBody::link_jacobian(int, const Vec3d& x, double* jacobian) const {
  const Mat3d lever = skew<double>(x - start_.p);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      jacobian[6 * i + j] = i == j ? 1.0 : 0.0;
      jacobian[6 * i + 3 + j] = -lever(i, j);
    }
}

void RigidBody::link_turning(int, double* out) const {
  std::fill_n(out, 18, 0.0);
  for (int i = 0; i < 3; ++i) out[6 * i + 3 + i] = 1;
}

}  // namespace haptos
