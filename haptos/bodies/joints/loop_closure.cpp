#include "haptos/bodies/joints/loop_closure.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/bodies/tree/tree_jacobian.h"
#include "haptos/system/regularisation.h"

namespace haptos {
namespace {

constexpr double kPeriod = 0.1;  // beta: shortest period of the constraint in time steps

[[noreturn]] void refuse(const std::string& element, const std::string& value, const char* rule,
                         const char* remedy) {
  throw InputError({"", 0, 0, element, value, rule, remedy});
}

void check_link(const Articulation* body, int link) {
  if (body && (link < 0 || at_index(link) >= body->tree().links.size()))
    refuse("loop closure of " + body->spec().name, std::to_string(link),
           "must be a link of the articulation", "count from 0");
}

Vec3d position(const LinkPoint& s) {
  return s.body ? s.body->link_position(s.link, s.local) : s.local;
}

Quat orientation(const LinkFrame& s) {
  if (!s.body) return s.local.q;
  const Mat3d r = link_frame(s.body->tree(), s.body->start(), s.link).r;
  return quaternion(r * to_matrix(s.local.q));
}

}  // namespace

LoopClosureTerm::LoopClosureTerm(const Articulation* a, const Articulation* b, int rows)
    : body_{a, b}, rows_(rows), blocks_(a && b && a != b ? 2 : 1) {
  if (!a && !b)
    refuse("loop closure", "", "joins two points of the world",
           "give a link of a body on one side");
  for (int k = 0; k < 2; ++k)
    if (body_[k]) j_[k].resize(at_index(rows * body_[k]->v_count()));
}

double* LoopClosureTerm::row(int side, int r) {
  if (blocks_ == 1) side = body_[0] ? 0 : 1;
  return j_[side].data() + r * body_[side]->v_count();
}

void LoopClosureTerm::add_motion(int side, int link, const Vec3d& x, double sign, int first) {
  if (!body_[side]) return;
  const double* j = jacobian(side, link, x);
  double* out = row(side, first);
  for (int i = 0; i < 3 * body_[side]->v_count(); ++i) out[i] += sign * j[i];
}

const double* LoopClosureTerm::jacobian(int side, int link, const Vec3d& x) {
  gradient_.resize(at_index(3 * body_[side]->v_count()));
  body_[side]->link_jacobian(link, x, gradient_.data());
  return gradient_.data();
}

void LoopClosureTerm::add_turn(int side, int link, double sign, int first) {
  const Articulation* body = body_[side];
  if (!body) return;
  const Tree& tree = body->tree();
  double* out = row(side, first);
  for (int k = last_unknown(tree, tree.links[at_index(link)].body); k >= 0;
       k = tree.parent_of[at_index(k)])
    for (int r = 0; r < 3 && !tree.slides[at_index(k)]; ++r)
      out[r * tree.v_count + k] += sign * body->start().axis[at_index(k)][r];
}

// Rows that are forces and rows that are moments by themselves: their units differ.
void LoopClosureTerm::find_compliance(const StepContext& context) {
  for (const auto& [from, to] : {std::pair{0, forces_}, std::pair{forces_, rows_}}) {
    double squares = 0;
    for (int r = from; r < to; ++r)
      for (int q = from; q < to; ++q) {
        double w = 0;
        for (int k = 0; k < 2; ++k) {
          if (!has_rows(k)) continue;
          const double* m = context.inverse_mass->data() + body_[k]->slots().first_scalar;
          const double *a = row(k, r), *b = row(k, q);
          for (int c = 0; c < body_[k]->v_count(); ++c) w += a[c] * b[c] * m[c];
        }
        squares += w * w;
      }
    for (int r = from; r < to; ++r) r_[r] = near_rigid_bound(kPeriod, sqrt(squares) / (to - from));
  }
}

void LoopClosureTerm::prepare(const StepContext& context) {
  h_ = context.h;
  for (std::vector<double>& j : j_) std::fill(j.begin(), j.end(), 0.0);
  linearise();
  find_compliance(context);
  for (int r = 0; r < rows_; ++r) v_hat_[r] = -0.5 * g_[r] / h_;
}

Energy LoopClosureTerm::evaluate(const Evaluation& e) {
  double cost = 0, v[kMaxRows] = {};
  for (int k = 0; k < 2; ++k) {
    if (!has_rows(k)) continue;
    const double* z = e.z->data() + body_[k]->slots().first_scalar;
    for (int r = 0; r < rows_; ++r)
      for (int c = 0; c < body_[k]->v_count(); ++c) v[r] = fma(row(k, r)[c], z[c], v[r]);
  }
  for (int r = 0; r < rows_; ++r) {
    // Rows that move nothing hold nothing.
    impulse_[r] = r_[r] > 0 ? (v_hat_[r] - v[r]) / r_[r] : 0;
    cost += 0.5 * r_[r] * square(impulse_[r]);
  }
  if (!e.assembly) return {cost, cost};
  for (int k = 0; k < 2; ++k) {
    if (!has_rows(k)) continue;
    const int n = body_[k]->v_count(), block = body_[k]->slots().first_block;
    gradient_.assign(at_index(n), 0.0);
    for (int r = 0; r < rows_; ++r)
      for (int c = 0; c < n; ++c) gradient_[at_index(c)] -= row(k, r)[c] * impulse_[r];
    const bool wanted = e.assembly->wants_hessian();
    const auto product = [&](int other) {
      const int m = body_[other]->v_count();
      hessian_.assign(at_index(n * m), 0.0);
      for (int r = 0; r < rows_; ++r) {
        if (!(r_[r] > 0)) continue;
        for (int i = 0; i < n; ++i)
          for (int j = 0; j < m; ++j)
            hessian_[at_index(i * m + j)] += row(k, r)[i] * (row(other, r)[j] / r_[r]);
      }
      return hessian_.data();
    };
    e.assembly->add_coordinates(block, gradient_.data(), wanted ? product(k) : nullptr);
    if (wanted && k == 0 && blocks_ == 2)
      e.assembly->add_coupling(block, body_[1]->slots().first_block, product(1));
  }
  return {cost, cost};
}

void LoopClosureTerm::couplings(const Points&, Coupled coupled,
                                std::vector<std::array<int, 2>>& out) const {
  if (coupled == Coupled::kInThisStep && blocks_ == 2)
    out.push_back({body_[0]->slots().first_block, body_[1]->slots().first_block});
}

TermReport LoopClosureTerm::report() const {
  double squares = 0;
  for (int r = 0; r < forces_; ++r) squares += square(impulse_[r]);
  return {sqrt(squares) / h_};
}

void LoopClosureTerm::add_forces(const Articulation*, std::vector<LinkForce>&) const {}

BallClosure::BallClosure(const LinkPoint& a, const LinkPoint& b)
    : LoopClosureTerm(a.body, b.body, 3), side_{a, b} {
  forces_ = 3;
  for (const LinkPoint& s : side_) check_link(s.body, s.link);
}

void BallClosure::linearise() {
  const Vec3d x[2] = {position(side_[0]), position(side_[1])}, middle = 0.5 * (x[0] + x[1]);
  for (int k = 0; k < 3; ++k) g_[k] = x[0][k] - x[1][k];
  for (int k = 0; k < 2; ++k) add_motion(k, side_[k].link, middle, k == 0 ? 1 : -1, 0);
}

void BallClosure::add_forces(const Articulation* body, std::vector<LinkForce>& out) const {
  const Vec3d middle = 0.5 * (position(side_[0]) + position(side_[1]));
  for (int k = 0; k < 2; ++k)
    if (side_[k].body == body)
      out.push_back({side_[k].link, middle, k == 0 ? force() : -force(), Vec3d::zero()});
}

WeldClosure::WeldClosure(const LinkFrame& a, const LinkFrame& b)
    : LoopClosureTerm(a.body, b.body, 6), side_{a, b} {
  forces_ = 3;
  for (const LinkFrame& s : side_) check_link(s.body, s.link);
}

void WeldClosure::linearise() {
  Vec3d x[2];
  for (int k = 0; k < 2; ++k) x[k] = position({side_[k].body, side_[k].link, side_[k].local.p});
  const Quat turn = orientation(side_[0]) * conjugate(orientation(side_[1]));
  const Vec3d gap = x[0] - x[1], middle = 0.5 * (x[0] + x[1]);
  const Vec3d angle = rotation_log(Quaternion<double>{{turn.w, turn.x, turn.y, turn.z}});
  for (int k = 0; k < 3; ++k) g_[k] = gap[k], g_[3 + k] = angle[k];
  for (int k = 0; k < 2; ++k) {
    add_motion(k, side_[k].link, middle, k == 0 ? 1 : -1, 0);
    add_turn(k, side_[k].link, k == 0 ? 1 : -1, 3);
  }
}

void WeldClosure::add_forces(const Articulation* body, std::vector<LinkForce>& out) const {
  Vec3d middle = Vec3d::zero();
  for (const LinkFrame& s : side_) middle += 0.5 * position({s.body, s.link, s.local.p});
  for (int k = 0; k < 2; ++k)
    if (side_[k].body == body)
      out.push_back(
          {side_[k].link, middle, k == 0 ? force() : -force(), k == 0 ? moment() : -moment()});
}

DistanceClosure::DistanceClosure(const LinkPoint& a, const LinkPoint& b, double distance)
    : LoopClosureTerm(a.body, b.body, 1), side_{a, b}, distance_(distance) {
  forces_ = 1;
  for (const LinkPoint& s : side_) check_link(s.body, s.link);
  if (!(distance > 0) || !std::isfinite(distance))
    refuse("distance closure", internal::format_number(distance), "must be above 0 and finite",
           "give it in m, or use a ball for points that stay together");
}

void DistanceClosure::linearise() {
  const Vec3d x[2] = {position(side_[0]), position(side_[1])};
  const double length = norm(x[0] - x[1]);
  if (length > 0) along_ = (x[0] - x[1]) * (1 / length);
  g_[0] = length - distance_;
  for (int k = 0; k < 2; ++k) {
    if (!body_[k]) continue;
    const int n = body_[k]->v_count();
    const double* j = jacobian(k, side_[k].link, x[k]);
    double* out = row(k, 0);
    for (int c = 0; c < n; ++c)
      for (int r = 0; r < 3; ++r) out[c] += (k == 0 ? 1 : -1) * along_[r] * j[r * n + c];
  }
}

void DistanceClosure::add_forces(const Articulation* body, std::vector<LinkForce>& out) const {
  for (int k = 0; k < 2; ++k)
    if (side_[k].body == body)
      out.push_back({side_[k].link, position(side_[k]), (k == 0 ? thrust() : -thrust()) * along_,
                     Vec3d::zero()});
}

JointCoupler::JointCoupler(const Articulation* body, int joint, int other,
                           const double (&polynomial)[kTerms])
    : LoopClosureTerm(body, nullptr, 1), joint_(joint), other_(other) {
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
    return body_[0]->start_position()[at_index(body_[0]->coordinate_of(joint))];
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
    return link < 0 ? LinkFrame{nullptr, 0, compose(base, local)} : LinkFrame{body, link, local};
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
  const LinkFrame a = frame(closure.a, closure.frame_a), b = frame(closure.b, closure.frame_b);
  const LinkPoint pa{a.body, a.link, a.local.p}, pb{b.body, b.link, b.local.p};
  try {
    switch (closure.kind) {
      case ClosureKind::kWeld:
        return std::make_unique<WeldClosure>(a, b);
      case ClosureKind::kBall:
        return std::make_unique<BallClosure>(pa, pb);
      case ClosureKind::kDistance:
        return std::make_unique<DistanceClosure>(pa, pb, closure.distance);
      case ClosureKind::kCoupler:
        return std::make_unique<JointCoupler>(
            body, unknown(closure.a), closure.b < 0 ? -1 : unknown(closure.b), closure.polynomial);
    }
  } catch (const InputError& e) {
    Diagnostic d = e.diagnostic;
    d.element = "closure '" + closure.name + "' of " + body->spec().name + ": " + d.element;
    throw InputError(d);
  }
  return nullptr;
}

}  // namespace haptos
