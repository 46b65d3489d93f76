#include "haptos/bodies/joints/loop_closure.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "haptos/base/math/index.h"
#include "haptos/base/math/turn.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/bodies/tree/tree_jacobian.h"
#include "haptos/system/regularisation.h"

namespace haptos {
namespace {

constexpr double kPeriod = 0.1;  // beta: shortest period of the constraint in time steps
constexpr double kClosing = 1, kTurning = 10;  // how fast an error closes at most [m/s], [rad/s]
constexpr double kNothing = 1e-12;  // round-off of a row's entries, which alone must hold nothing

}  // namespace

std::shared_ptr<const Link> link_of(const Articulation* body, int link) {
  if (!body) return nullptr;
  if (link < 0 || at_index(link) >= body->tree().links.size())
    refuse("loop closure of " + body->spec().name, std::to_string(link),
           "must be a link of the articulation", "count from 0");
  return std::make_shared<LinkOf<Articulation>>(body, link, body->slots().body + link);
}

LoopClosureTerm::LoopClosureTerm(std::shared_ptr<const Link> a, std::shared_ptr<const Link> b,
                                 int rows, const FreeAxisOptions* axis)
    : link_{std::move(a), std::move(b)},
      rows_(rows),
      held_(axis ? rows - 1 : rows),
      blocks_(moves(0) && moves(1) && link_[0]->block() != link_[1]->block() ? 2 : 1) {
  if (!moves(0) && !moves(1))
    refuse("loop closure", "",
           link_[0] || link_[1] ? "joins what follows a path to what nothing moves"
                                : "joins two points of the world",
           "give a link of a body on one side that is free to move");
  for (int k = 0; k < 2; ++k)
    if (link_[k]) j_[k].resize(at_index(rows * link_[k]->columns()));
  if (axis) axis_.emplace(*axis);
}

double* LoopClosureTerm::row(int side, int r) {
  if (blocks_ == 1) side = moves(0) ? 0 : 1;
  return j_[side].data() + r * link_[side]->columns();
}

void LoopClosureTerm::add_motion(int side, const Vec3d& x, std::span<const Along> rows) {
  if (!link_[side]) return;
  gradient_.resize(at_index(3 * link_[side]->columns()));
  link_[side]->jacobian(x, gradient_.data());
  add_parts(side, rows);
  if (!moving_ && moves(side)) return;
  const Vec3d bend = moves(side) ? link_[side]->bend(x, *moving_, h_) : path_rate(side, x);
  for (const Along& a : rows) bend_[a.row] += dot(side == 0 ? a.direction : -a.direction, bend);
}

void LoopClosureTerm::add_turn(int side, std::span<const Along> rows) {
  if (!link_[side]) return;
  gradient_.resize(at_index(3 * link_[side]->columns()));
  link_[side]->turning(gradient_.data());
  add_parts(side, rows);
  if (moves(side)) return;
  const Vec3d rate = turn_between(link_[side]->pose().q, path_end(side).q) * (1 / h_);
  for (const Along& a : rows) bend_[a.row] += dot(side == 0 ? a.direction : -a.direction, rate);
}

void LoopClosureTerm::add_turning_line(int row, const Vec3d& x_a, const Vec3d& x_b) {
  if (!moving_) return;
  const auto velocity = [&](int side, const Vec3d& x) {
    if (!link_[side]) return Vec3d::zero();
    return moves(side) ? link_[side]->velocity(x) : path_rate(side, x);
  };
  const Vec3d d = x_a - x_b, v = velocity(0, x_a) - velocity(1, x_b);
  const double length = norm(d);
  if (length > 0) bend_[row] += (norm(d + h_ * v) - length) / h_ - dot(d, v) / length;
}

void LoopClosureTerm::add_parts(int side, std::span<const Along> rows) {
  const int n = link_[side]->columns();
  double size = 0;
  for (const double g : gradient_) size = std::max(size, std::abs(g));
  for (const Along& a : rows) {
    size_[a.row] = std::max(size_[a.row], size);
    const Vec3d along = side == 0 ? a.direction : -a.direction;
    double* out = row(side, a.row);
    for (int i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) out[i] += along[k] * gradient_[at_index(k * n + i)];
  }
}

double LoopClosureTerm::inverse_inertia(const StepContext& context, int from, int to) {
  double squares = 0;
  for (int r = from; r < to; ++r)
    for (int q = from; q < to; ++q) {
      double w = 0;
      for (int k = 0; k < 2; ++k) {
        if (!has_rows(k)) continue;
        const double* m = context.inverse_mass->data() + link_[k]->first_scalar();
        const double *a = row(k, r), *b = row(k, q);
        for (int c = 0; c < link_[k]->columns(); ++c) w += a[c] * b[c] * m[c];
      }
      squares += w * w;
    }
  return sqrt(squares) / (to - from);
}

// Rows that are forces and rows that are moments by themselves: their units differ.
void LoopClosureTerm::find_compliance(const StepContext& context) {
  for (const auto& [from, to] : {std::pair{0, forces_}, std::pair{forces_, held_}}) {
    if (from == to) continue;
    const double r = near_rigid_bound(kPeriod, inverse_inertia(context, from, to));
    std::fill(r_ + from, r_ + to, r);
  }
}

void LoopClosureTerm::prepare(const StepContext& context) {
  h_ = context.h;
  moving_ = context.proximal ? nullptr : context.z;
  for (std::vector<double>& j : j_) std::fill(j.begin(), j.end(), 0.0);
  std::fill_n(bend_, kMaxRows, 0.0);
  std::fill_n(size_, kMaxRows, 0.0);
  linearise();
  gather();
  find_compliance(context);
  for (const auto& [from, to, most] :
       {std::tuple{0, forces_, kClosing}, std::tuple{forces_, held_, kTurning}}) {
    const double rate = 0.5 * size_of_error(from, to) / h_;
    const double part = rate > most ? most / rate : 1;
    for (int r = from; r < to; ++r) v_hat_[r] = part * (-0.5 * g_[r] / h_) - bend_[r];
  }
  if (axis_) axis_->prepare(g_[held_], inverse_inertia(context, held_, rows_), context);
}

void LoopClosureTerm::gather() {
  for (int k = 0; k < 2; ++k) {
    if (!has_rows(k)) continue;
    for (int r = 0; r < rows_; ++r) {
      Sparse& s = sparse_[k][at_index(r)];
      s.dof.clear(), s.weight.clear();
      for (int c = 0; c < link_[k]->columns(); ++c)
        if (double& w = row(k, r)[c]; std::abs(w) <= kNothing * size_[r])
          w = 0;
        else
          s.dof.push_back(c), s.weight.push_back(w);
    }
  }
}

Energy LoopClosureTerm::evaluate(const Evaluation& e) {
  double cost = 0, v[kMaxRows] = {};
  for (int k = 0; k < 2; ++k) {
    if (!has_rows(k)) continue;
    const double* z = e.z->data() + link_[k]->first_scalar();
    for (int r = 0; r < rows_; ++r) {
      const Sparse& s = sparse_[k][at_index(r)];
      for (std::size_t c = 0; c < s.dof.size(); ++c) v[r] = fma(s.weight[c], z[s.dof[c]], v[r]);
    }
  }
  for (int r = 0; r < held_; ++r) {
    // Rows that move nothing hold nothing.
    stiffness_[r] = r_[r] > 0 ? 1 / r_[r] : 0;
    impulse_[r] = r_[r] > 0 ? (v_hat_[r] - v[r]) / r_[r] : 0;
    cost += 0.5 * r_[r] * square(impulse_[r]);
  }
  double size = cost;
  if (axis_) {
    const BoundedImpulse::Value l = axis_->at(rate_ = v[held_] + bend_[held_]);
    impulse_[held_] = l.impulse, stiffness_[held_] = l.hessian;
    cost += l.cost, size += l.size;
  }
  if (!e.assembly) return {cost, size};
  for (int k = 0; k < 2; ++k)
    for (int r = 0; has_rows(k) && r < rows_; ++r) {
      const Sparse& s = sparse_[k][at_index(r)];
      if (impulse_[r] == 0 && stiffness_[r] == 0) continue;
      e.assembly->add_combination(link_[k]->block(), s.dof, s.weight.data(), -impulse_[r],
                                  stiffness_[r]);
    }
  if (e.assembly->wants_hessian() && blocks_ == 2) add_coupling(*e.assembly);
  return {cost, size};
}

void LoopClosureTerm::commit(const StepContext&, const Points&) {
  if (axis_) axis_->commit(fma(h_, rate_, g_[held_]), h_);
}

void LoopClosureTerm::add_coupling(Assembly& assembly) {
  const int n = link_[0]->columns(), m = link_[1]->columns();
  hessian_.assign(at_index(n * m), 0.0);
  for (int r = 0; r < rows_; ++r) {
    if (!(stiffness_[r] > 0)) continue;
    const Sparse &a = sparse_[0][at_index(r)], &b = sparse_[1][at_index(r)];
    for (std::size_t i = 0; i < a.dof.size(); ++i)
      for (std::size_t j = 0; j < b.dof.size(); ++j)
        hessian_[at_index(a.dof[i] * m + b.dof[j])] += a.weight[i] * (b.weight[j] * stiffness_[r]);
  }
  assembly.add_coupling(link_[0]->block(), link_[1]->block(), hessian_.data());
}

void LoopClosureTerm::couplings(const Points&, Coupled coupled,
                                std::vector<std::array<int, 2>>& out) const {
  if (coupled == Coupled::kInThisStep && blocks_ == 2)
    out.push_back({link_[0]->block(), link_[1]->block()});
}

TermReport LoopClosureTerm::report() const {
  double squares = 0;
  for (int r = 0; r < forces_; ++r) squares += square(impulse_[r]);
  return {sqrt(squares) / h_};
}

void LoopClosureTerm::add_forces(std::vector<ConstraintForce>& out) const {
  if (forces_ == 0) return;
  std::array<ConstraintForce, 2> both = forces();
  for (int k = 0; k < 2; ++k)
    if (link_[k]) {
      both[at_index(k)].body = link_[k]->body();
      out.push_back(both[at_index(k)]);
    }
}

double LoopClosureTerm::size_of_error(int from, int to) const {
  double squares = 0;
  for (int r = from; r < to; ++r) squares += square(g_[r]);
  return sqrt(squares);
}

BallClosure::BallClosure(LinkPoint a, LinkPoint b)
    : LoopClosureTerm(a.link, b.link, 3), side_{std::move(a), std::move(b)} {
  forces_ = 3;
}

void BallClosure::linearise() {
  const Vec3d x[2] = {side_[0].position(), side_[1].position()}, middle = 0.5 * (x[0] + x[1]);
  const Mat3d axes = Mat3d::identity();
  Along rows[3];
  for (int r = 0; r < 3; ++r) {
    rows[r] = {r, column(axes, r)};
    g_[r] = x[0][r] - x[1][r];
  }
  for (int k = 0; k < 2; ++k) add_motion(k, middle, rows);
}

std::array<ConstraintForce, 2> BallClosure::forces() const {
  const Vec3d middle = 0.5 * (side_[0].position() + side_[1].position());
  return opposite(middle, middle, force(), Vec3d::zero());
}

WeldClosure::WeldClosure(LinkFrame a, LinkFrame b, Free free, const FreeAxisOptions& axis)
    : LoopClosureTerm(a.link, b.link, 6, free == Free::kNothing ? nullptr : &axis),
      side_{std::move(a), std::move(b)},
      free_(free) {
  forces_ = free == Free::kShift ? 2 : 3;
  int next = 0;
  for (int d = 0; d < 6; ++d) row_of_[d] = d == free_direction() ? 5 : next++;
}

void WeldClosure::linearise() {
  const Pose a = side_[0].place(), b = side_[1].place();
  if (free_ != Free::kNothing) axes_ = to_matrix(b.q);
  gap_ = a.p - b.p;
  turn_ = turn_between(b.q, a.q);
  if (free_ == Free::kTurn) {  // of the turn only what tilts the axis; the rest may be many radians
    const Mat3d at = to_matrix(a.q);
    turn_ = cross(column(axes_, 2), column(at, 2));
  }
  // A slider's force acts where the two are level.
  const Vec3d middle = 0.5 * (a.p + b.p);
  Along rows[6];
  for (int d = 0; d < 6; ++d) {
    const Vec3d along = column(axes_, d % 3);
    g_[row_of_[d]] = dot(along, d < 3 ? gap_ : turn_);
    rows[d] = {row_of_[d], along};
  }
  if (axis()) g_[5] = free_coordinate(a, b, free_ == Free::kTurn, axis()->near);
  const std::span<const Along> all(rows);
  for (int k = 0; k < 2; ++k) {
    add_motion(k, middle, all.first(3));
    add_turn(k, all.last(3));
  }
}

double WeldClosure::coordinate(const Pose& a, const Pose& b, double near) const {
  return free_coordinate(frame(0, a), frame(1, b), free_ == Free::kTurn, near);
}

Vec3d WeldClosure::spread(int first) const {
  Vec3d sum = Vec3d::zero();
  for (int d = first; d < first + 3; ++d) sum += column(axes_, d % 3) * effort(row_of_[d]);
  return sum;
}

std::array<ConstraintForce, 2> WeldClosure::forces() const {
  const Vec3d middle = 0.5 * (side_[0].place().p + side_[1].place().p);
  return opposite(middle, middle, force(), moment());
}

DistanceClosure::DistanceClosure(LinkPoint a, LinkPoint b, double distance)
    : LoopClosureTerm(a.link, b.link, 1), side_{std::move(a), std::move(b)}, distance_(distance) {
  forces_ = 1;
  if (!(distance > 0) || !std::isfinite(distance))
    refuse("distance closure", internal::format_number(distance), "must be above 0 and finite",
           "give it in m, or use a ball for points that stay together");
}

void DistanceClosure::linearise() {
  const Vec3d x[2] = {side_[0].position(), side_[1].position()};
  const double length = norm(x[0] - x[1]);
  if (length > 0) along_ = (x[0] - x[1]) * (1 / length);
  g_[0] = length - distance_;
  const Along rows[] = {{0, along_}};
  for (int k = 0; k < 2; ++k) add_motion(k, x[k], rows);
  add_turning_line(0, x[0], x[1]);
}

std::array<ConstraintForce, 2> DistanceClosure::forces() const {
  return opposite(side_[0].position(), side_[1].position(), thrust() * along_, Vec3d::zero());
}

JointCoupler::JointCoupler(const Articulation* body, int joint, int other,
                           const double (&polynomial)[kTerms])
    : LoopClosureTerm(link_of(body, 0), nullptr, 1), body_(body), joint_(joint), other_(other) {
  std::copy_n(polynomial, kTerms, c_);
  body->check_coordinate(joint);
  if (other >= 0) body->check_coordinate(other);
  const std::string element = "coupler of " + body->spec().name;
  if (joint == other)
    refuse(element, std::to_string(joint), "must couple two different joints",
           "name another joint to follow");
  for (const double c : c_)
    if (!std::isfinite(c))
      refuse(element, internal::format_number(c), "must have finite coefficients", "correct them");
}

void JointCoupler::linearise() {
  const auto position = [&](int joint) {
    return body_->start_position()[at_index(body_->coordinate_of(joint))];
  };
  double value = c_[0], slope = 0;
  if (other_ >= 0) {
    const double q = position(other_);
    value = c_[kTerms - 1];
    for (int k = kTerms - 2; k >= 0; --k) {
      slope = fma(slope, q, value);
      value = fma(value, q, c_[k]);
    }
    row(0, 0)[other_] = -slope;
  }
  row(0, 0)[joint_] = 1;
  g_[0] = position(joint_) - value;
}

std::unique_ptr<LoopClosureTerm> make_closure(const Articulation* body, const LoopClosure& closure,
                                              const Pose& base) {
  const Tree& tree = body->tree();
  const auto frame = [&](int link, const Pose& local) {
    return link < 0 ? LinkFrame(nullptr, compose(base, local)) : LinkFrame(body, link, local);
  };
  const auto unknown = [&](int joint) {
    if (joint < 0 || at_index(joint) >= tree.joint_body.size())
      refuse("joints", std::to_string(joint), "must be a joint of the robot", "count from 0");
    const int b = tree.joint_body[at_index(joint)];
    const bool one = b >= 0 && tree.bodies[at_index(b)].v_count == 1;
    if (!one)
      refuse("joints", std::to_string(joint), "must have one coordinate",
             "couple revolute or prismatic joints");
    return tree.bodies[at_index(b)].first_v;
  };
  try {
    if (closure.kind == ClosureKind::kCoupler)
      return std::make_unique<JointCoupler>(
          body, unknown(closure.a), closure.b < 0 ? -1 : unknown(closure.b), closure.polynomial);
    const LinkFrame a = frame(closure.a, closure.frame_a), b = frame(closure.b, closure.frame_b);
    const LinkPoint pa{a.link, a.local.p}, pb{b.link, b.local.p};
    switch (closure.kind) {
      case ClosureKind::kWeld:
        return std::make_unique<WeldClosure>(a, b);
      case ClosureKind::kBall:
        return std::make_unique<BallClosure>(pa, pb);
      case ClosureKind::kDistance:
        return std::make_unique<DistanceClosure>(pa, pb, closure.distance);
      case ClosureKind::kCoupler:
        break;
    }
  } catch (const InputError& e) {
    Diagnostic d = e.diagnostic;
    d.element = "closure '" + closure.name + "' of " + body->spec().name + ": " + d.element;
    throw InputError(d);
  }
  return nullptr;
}

}  // namespace haptos
