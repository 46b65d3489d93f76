#include "haptos/bodies/tree/articulation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "haptos/base/math/index.h"
#include "haptos/base/math/turn.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/bodies/stiff/affine_frame.h"
#include "haptos/bodies/tree/floating_base.h"
#include "haptos/bodies/tree/tree_drift.h"
#include "haptos/bodies/tree/tree_jacobian.h"
#include "haptos/bodies/tree/tree_statics.h"
#include "haptos/system/block_matrix.h"

namespace haptos {
namespace {

constexpr int kMaxUnknowns = BlockPattern::kMaxBlockSize;

// The spec with its start filled in.
ArticulationSpec checked(ArticulationSpec spec) {
  if (!spec.tree) refuse(spec.name + ".tree", "none", "must be given", "compile a robot to a tree");
  const Tree& tree = *spec.tree;
  if (tree.v_count < 1 || tree.v_count > kMaxUnknowns)
    refuse(spec.name + ".joints", std::to_string(tree.v_count) + " unknowns",
           ("must have 1 to " + std::to_string(kMaxUnknowns) + " unknowns together").c_str(),
           "fix joints that do not move, or cut it into several robots joined by constraints");
  if (spec.position.empty()) spec.position = tree.start;
  if (spec.velocity.empty()) spec.velocity.assign(at_index(tree.v_count), 0.0);
  const auto check = [&](const std::vector<double>& x, int n, const char* what,
                         const char* remedy) {
    if (static_cast<int>(x.size()) != n)
      refuse(spec.name + "." + what, std::to_string(x.size()) + " numbers",
             ("must have " + std::to_string(n)).c_str(), remedy);
    for (double v : x)
      if (!(std::abs(v) < 1e5))
        refuse(spec.name + "." + what, internal::format_number(v),
               "must be finite numbers below 1e5", remedy);
  };
  check(spec.position, tree.q_count, "position", "give angles in rad and distances in m");
  check(spec.velocity, tree.v_count, "velocity", "give rates in rad/s and m/s");
  // Quaternions to length one.
  const std::vector<double> still(at_index(tree.v_count), 0.0);
  for (const TreeBody& b : tree.bodies) {
    if (b.kind != JointKind::kBall && b.kind != JointKind::kFree) continue;
    const double* q = spec.position.data() + b.first_q + q_size(b.kind) - 4;
    const double size = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    if (!(std::abs(size - 1) < 1e-6))
      refuse(spec.name + ".position of '" + b.name + "'", internal::format_number(size),
             "must have a quaternion w x y z whose squared norm is 1", "normalise it");
  }
  integrate(tree, spec.position.data(), still.data(), 0.0, spec.position.data());
  return spec;
}

// Origin and axes of a frame, as the twelve coordinates of an affine one.
void write_frame(const Frame<double>& f, double* q) {
  for (int c = 0; c < 3; ++c) {
    q[c] = f.p[c];
    for (int k = 0; k < 3; ++k) q[3 + 3 * k + c] = f.r(c, k);
  }
}

}  // namespace

Articulation::Articulation(const BodySlots& slots, const ArticulationSpec& spec)
    : Body(slots),
      torque(at_index(spec.tree ? spec.tree->v_count : 0), 0.0),
      spec_(checked(spec)),
      drift_(std::make_unique<TreeDrift>(*spec_.tree)),
      floating_(std::make_unique<FloatingBase>(*spec_.tree)),
      carried_(spec_.carriers.size()),
      start_q_(spec_.position),
      start_(*spec_.tree),
      mass_scale_(tree().bodies.size(), 1.0),
      start_v_(torque.size()),
      z_free_(torque.size()),
      still_(torque.size()),
      effort_(torque.size()),
      wrench_(tree().bodies.size()),
      jacobian_(6 * torque.size()),
      point_jacobian_(3 * torque.size()),
      elsewhere_(tree()),
      ahead_(tree()) {
  update(tree(), start_q_.data(), start_);
}

Articulation::~Articulation() = default;

const StepMotion& Articulation::step_motion() const { return drift_->motion(tree(), h_, gravity_); }

int Articulation::coordinate_of(int k) const {
  const TreeBody& b = tree().bodies[at_index(tree().body_of[at_index(k)])];
  return q_size(b.kind) == b.v_count ? b.first_q + k - b.first_v : -1;
}

void Articulation::check_unknown(int k) const {
  if (k < 0 || k >= v_count())
    refuse(spec_.name + ".joint", std::to_string(k), "must be an unknown of the articulation",
           ("give 0 to " + std::to_string(v_count() - 1)).c_str());
}

void Articulation::check_coordinate(int k) const {
  check_unknown(k);
  if (coordinate_of(k) < 0)
    refuse(spec_.name + ".joint", std::to_string(k),
           "must be the rate of one coordinate, so not of a ball or free joint",
           "choose a revolute, prismatic or planar joint");
}

void Articulation::check_position(int k) const {
  check_unknown(k);
  const TreeBody& b = tree().bodies[at_index(tree().body_of[at_index(k)])];
  if (b.kind != JointKind::kBall) check_coordinate(k);
}

double Articulation::start_position_of(int k) const {
  if (const int at = coordinate_of(k); at >= 0) return start_q_[at_index(at)];
  const TreeBody& b = tree().bodies[at_index(tree().body_of[at_index(k)])];
  const double* q = start_q_.data() + b.first_q + (q_size(b.kind) - 4);
  return turn_between({}, {q[0], q[1], q[2], q[3]})[k - b.first_v - (b.v_count - 3)];
}

MechanicalEnergy Articulation::energy(const double* q, const double* v,
                                      const Vec3d& gravity) const {
  update(tree(), q, elsewhere_);
  update_velocities(tree(), v, elsewhere_);
  return {kinetic_energy(tree(), elsewhere_, v), potential_energy(tree(), elsewhere_, gravity)};
}

const TreeData<double>& Articulation::kinematics(const double* q) const {
  forward_kinematics(tree(), q, elsewhere_);
  return elsewhere_;
}

Frame<double> Articulation::link_pose(const double* q, int link) const {
  return link_frame(tree(), kinematics(q), link);
}

SpatialMotion<double> Articulation::link_velocity(const double* q, const double* v,
                                                  int link) const {
  kinematics(q);
  update_velocities(tree(), v, elsewhere_);
  const int body = tree().links[at_index(link)].body;
  if (body < 0) return SpatialMotion<double>::zero();
  return {elsewhere_.velocity[at_index(body)].angular,
          haptos::point_velocity(elsewhere_, body, link_frame(tree(), elsewhere_, link).p)};
}

void Articulation::scale_mass(int body, double scale) {
  if (std::exchange(mass_scale_[at_index(body)], scale) == scale) return;
  for (TreeData<double>* data : {&start_, &elsewhere_})
    haptos::scale_mass(tree(), body, scale, *data);
  drift_->scale_mass(tree(), body, scale);
}

void Articulation::initialize(State& state) const {
  std::copy(spec_.position.begin(), spec_.position.end(), state.q.begin() + slots_.first_q);
  std::copy(spec_.velocity.begin(), spec_.velocity.end(), state.z.begin() + slots_.first_scalar);
  place_carriers(state);
}

// Of the objective.
void Articulation::scale_inertia(const BodyStep& step, double factor) const {
  if (factor == 1) return;
  double* mass = step.mass->data() + slots_.first_mass;
  for (std::size_t i = 0; i < torque.size() * torque.size(); ++i) mass[i] *= factor;
}

void Articulation::begin_step(const State& state, const BodyStep& step) {
  const int n = v_count(), s = slots_.first_scalar;
  std::copy_n(state.q.begin() + slots_.first_q, tree().q_count, start_q_.begin());
  ahead_known_ = trial_known_ = false;
  const double* z = state.z.data() + s;
  double* mass = step.mass->data() + slots_.first_mass;
  std::copy_n(z, n, start_v_.begin());
  if (!step.momentum) std::fill(start_v_.begin(), start_v_.end(), 0.0);
  update(tree(), start_q_.data(), start_);
  update_velocities(tree(), start_v_.data(), start_);
  update_accelerations(tree(), still_.data(), start_);
  std::fill(wrench_.begin(), wrench_.end(), SpatialForce<double>::zero());
  for (const LinkLoad& l : loads) {
    const int body = tree().links[at_index(l.link)].body;
    if (body >= 0)
      wrench_[at_index(body)] +=
          wrench_at(start_, body, link_frame(tree(), start_, l.link) * l.at, l.force, l.torque);
  }
  const FreeStep free{step.h,          step.gravity,  start_q_.data(),
                      start_v_.data(), torque.data(), wrench_.data()};
  const bool moves = step.momentum;
  if (moves) {
    drift_->begin_step(tree(), start_, free, z_free_.data(), mass);
  } else {
    begin_static_step(tree(), start_, free, step.s, z_free_.data(), mass);
    std::fill_n(step.z_past->begin() + s, n, 0.0);
  }
  std::copy(z_free_.begin(), z_free_.end(), step.z_free->begin() + s);

  for (int k = 0; k < n; ++k) {
    const auto i = at_index(k);
    // The lever arm of an unknown: radius of gyration of all that it carries; 1 for a slide.
    const TreeData<double>& at = moves ? drift_->middle() : start_;
    const double carried = step.s * at.composite[at_index(tree().body_of[i])].mass;
    (*step.length)[at_index(s + k)] = carried > 0 ? sqrt(mass[k * n + k] / carried) : 1.0;
  }
  if (moves) floating_->begin_step(tree(), start_, drift_->middle(), free);
  // Its own step is h, others count their forces times b.
  scale_inertia(step, step.b / step.h);
  for (int k = 0; k < n && step.w != 0; ++k)
    (*step.z_hold)[at_index(s + k)] = (1 - step.h / step.b) * start_v_[at_index(k)];
  carry(state, step);
}

void Articulation::hold(int link) {
  const int body = tree().links[at_index(link)].body;
  if (body >= 0) drift_->hold(body);
}

void Articulation::advance(const std::vector<double>& z, const BodyStep& step, State& state) {
  const double* solved = z.data() + slots_.first_scalar;
  const double* mass = step.mass->data() + slots_.first_mass;
  double* q = state.q.data() + slots_.first_q;
  double* v = state.z.data() + slots_.first_scalar;
  leave(z, step, state);
  h_ = step.h;
  gravity_ = step.gravity;
  scale_inertia(step, step.h / step.b);
  const FreeStep free{step.h,          step.gravity,  start_q_.data(),
                      start_v_.data(), torque.data(), wrench_.data()};
  if (!step.momentum) {
    const double* z_free = step.z_free->data() + slots_.first_scalar;  // its centre has moved
    return end_static_step(tree(), free, solved, z_free, mass, q, v, effort_.data());
  }
  drift_->end_step(tree(), start_, free, solved, z_free_.data(), mass, q, v);
  effort_ = drift_->effort();
  floating_->end_step(tree(), *drift_, solved, z_free_.data(), mass, step.h, q, v);
}

int Articulation::add_point(Points& points, int link, int body, const Vec3d& local) {
  Carried& c = carried_[carrier(link)];
  c.points.push_back(points.add_carried(slots_.first_block, body, slots_.env,
                                        link_position(link, local), v_count()));
  c.local.push_back(local);
  return c.points.back();
}

std::size_t Articulation::carrier(int link) const {
  const auto& all = spec_.carriers;
  return at_index(std::find(all.begin(), all.end(), link) - all.begin());
}

void Articulation::place_carriers(State& state) const {
  if (spec_.carriers.empty()) return;
  const TreeData<double>& data = kinematics(state.q.data() + slots_.first_q);
  for (std::size_t i = 0; i < spec_.carriers.size(); ++i)
    write_frame(link_frame(tree(), data, spec_.carriers[i]), state.q.data() + first_frame(i));
}

const double* Articulation::carrier_frame(const State& state, int link) const {
  return state.q.data() + first_frame(carrier(link));
}

// Sets up the carried points of the step.
void Articulation::carry(const State& state, const BodyStep& step) {
  Points& points = *step.points;
  const int n = v_count();
  const double before = step.h - step.b;
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    const int link = spec_.carriers[i];
    const Frame<double> f = link_frame(tree(), start_, link);
    const double* from = state.q.data() + first_frame(i);
    frame_jacobian(tree(), start_, tree().links[at_index(link)].body, f.p, jacobian_.data());
    const double *turn = jacobian_.data(), *slide = turn + 3 * n;
    for (std::size_t k = 0; k < carried_[i].points.size(); ++k) {
      const Vec3d r = f.r * carried_[i].local[k];
      double* j = point_jacobian_.data();
      Vec3d base = f.p + r;
      for (int c = 0; c < n; ++c) {
        const Vec3d v = cross(Vec3d{{turn[c], turn[n + c], turn[2 * n + c]}}, r);
        for (int d = 0; d < 3; ++d) {
          j[d * n + c] = slide[d * n + c] + v[d];
          base[d] = fma(before * start_v_[at_index(c)], j[d * n + c], base[d]);
        }
      }
      points.carry(carried_[i].points[k], AffineFrame::place(from, carried_[i].local[k]), f.p + r,
                   base, j);
    }
  }
}

// Keeps where the step has left the frames of carried points.
void Articulation::leave(const std::vector<double>& z, const BodyStep& step, State& state) const {
  const int n = v_count();
  const double *u = z.data() + slots_.first_scalar, s = step.path;
  const double before = (step.h - step.b) / step.b;
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    const int link = spec_.carriers[i];
    const Frame<double> f = link_frame(tree(), start_, link);
    frame_jacobian(tree(), start_, tree().links[at_index(link)].body, f.p, jacobian_.data());
    double rate[6];
    for (int r = 0; r < 6; ++r) {
      rate[r] = 0;
      for (int c = 0; c < n; ++c)
        rate[r] =
            fma(jacobian_[at_index(r * n + c)], fma(before, start_v_[at_index(c)], u[c]), rate[r]);
    }
    double base[12], *q = state.q.data() + first_frame(i);
    write_frame(f, base);
    const Vec3d turn{{rate[0], rate[1], rate[2]}}, slide{{rate[3], rate[4], rate[5]}};
    for (int k = 0; k < 4; ++k) {
      const Vec3d v =
          k == 0 ? slide : cross(turn, Vec3d{{base[3 * k], base[3 * k + 1], base[3 * k + 2]}});
      for (int c = 0; c < 3; ++c) {
        double& x = q[3 * k + c];
        x = fma(step.b, v[c], s == 1.0 ? base[3 * k + c] : x + s * (base[3 * k + c] - x));
      }
    }
  }
}

Vec3d Articulation::link_position(int link, const Vec3d& local) const {
  return link_frame(tree(), start_, link) * local;
}
Pose Articulation::link_pose(int link) const {
  const Frame<double> f = link_frame(tree(), start_, link);
  return {f.p, quaternion(f.r)};
}
Pose Articulation::link_pose_after(int link, const double* z, double h) const {
  const auto n = at_index(v_count());
  ahead_z_.resize(n + 1);
  if (!ahead_known_ || ahead_z_[n] != h || !std::equal(z, z + n, ahead_z_.begin())) {
    std::copy_n(z, n, ahead_z_.begin());
    ahead_z_[n] = h;
    ahead_known_ = true;
    ahead_q_.resize(start_q_.size());
    integrate(tree(), start_q_.data(), z, h, ahead_q_.data());
    forward_kinematics(tree(), ahead_q_.data(), ahead_);
  }
  const Frame<double> f = link_frame(tree(), ahead_, link);
  return {f.p, quaternion(f.r)};
}
// Of the body that the link is part of.
Vec3d Articulation::link_centre(int link) const {
  const TreeLink& l = tree().links[at_index(link)];
  if (l.body < 0) return l.pose.p;
  return link_position(link, to_local(l.pose, tree().bodies[at_index(l.body)].centre));
}
Vec3d Articulation::point_velocity(int link, const Vec3d& x) const {
  return haptos::point_velocity(start_, tree().links[at_index(link)].body, x);
}
Vec3d Articulation::point_velocity_with(int link, const Vec3d& x, const double* z) const {
  if (tree().links[at_index(link)].body < 0) return Vec3d::zero();
  const auto n = at_index(v_count());
  if (!trial_known_ || !std::equal(z, z + n, trial_z_.begin())) {
    trial_z_.assign(z, z + n);
    trial_velocity_.resize(tree().bodies.size());
    trial_known_ = true;
    find_velocities(tree(), start_, z, trial_velocity_.data());
  }
  const auto body = at_index(tree().links[at_index(link)].body);
  return shift(trial_velocity_[body], x - start_.pose[body].p).linear;
}
Vec3d Articulation::point_bias(int link, const Vec3d& x) const {
  return point_acceleration(start_, tree().links[at_index(link)].body, x);
}
void Articulation::link_jacobian(int link, const Vec3d& x, double* out) const {
  point_jacobian(tree(), start_, tree().links[at_index(link)].body, x, out);
}
void Articulation::link_turning(int link, double* out) const {
  const int n = v_count();
  std::fill_n(out, 3 * n, 0.0);
  for (int k = last_unknown(tree(), tree().links[at_index(link)].body); k >= 0;
       k = tree().parent_of[at_index(k)])
    for (int r = 0; r < 3 && !tree().slides[at_index(k)]; ++r)
      out[r * n + k] = start_.axis[at_index(k)][r];
}

}  // namespace haptos
