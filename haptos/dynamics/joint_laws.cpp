#include "haptos/dynamics/joint_laws.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/error.h"
#include "haptos/base/options.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;
// Regularisation of dry friction as a part of the inverse inertia: what it holds creeps by this
// part of the speed that the force would reach within a step.
constexpr double kHold = 1e-6;

// Shortest period of what couples two joints, in time steps.
constexpr double kMimicPeriod = 0.1;

void check_joint(const Articulation* body, int joint) {
  if (joint < 0 || joint >= body->v_count())
    throw InputError({"", 0, 0, body->spec().name + ".joint", std::to_string(joint),
                      "must be an unknown of the articulation",
                      "give 0 to " + std::to_string(body->v_count() - 1)});
  if (body->coordinate_of(joint) < 0)
    throw InputError({"", 0, 0, body->spec().name + ".joint", std::to_string(joint),
                      "must be the rate of one coordinate, so not of a ball or free joint",
                      "choose a revolute, prismatic or planar joint"});
}

}  // namespace

JointLaw::JointLaw(const Articulation* body, int joint)
    : body_(body),
      block_(body->slots().first_block),
      joint_(joint),
      scalar_(body->slots().first_scalar + joint) {
  check_joint(body, joint);
}

void JointLaw::check(const char* what, double value, bool finite) const {
  if (value >= 0 && !(finite && std::isinf(value))) return;
  throw InputError({"", 0, 0, body_->spec().name + ".joint[" + std::to_string(joint_) + "]." + what,
                    internal::format_number(value),
                    finite ? "must be 0 or more and finite" : "must be 0 or more",
                    "give it in SI units, per radian for joints that turn"});
}

double JointLaw::start_position() const {
  return body_->start_position()[static_cast<std::size_t>(body_->coordinate_of(joint_))];
}

double JointLaw::inverse_inertia(const StepContext& context) const {
  return (*context.inverse_mass)[static_cast<std::size_t>(scalar_)];
}

double JointLaw::velocity(const Evaluation& e) const {
  return (*e.z)[static_cast<std::size_t>(scalar_)];
}

Energy JointLaw::evaluate(const Evaluation& e) {
  const double v = velocity(e);
  const BoundedImpulse::Value l = law_.at(v);
  effort_ = (l.impulse + constant_) / h_;
  if (e.assembly) e.assembly->add_coordinate(block_, joint_, -l.impulse - constant_, l.hessian);
  const double cost = l.cost - constant_ * v;
  return {cost, std::abs(l.cost) + std::abs(constant_ * v)};
}

JointLimit::JointLimit(const Articulation* body, int joint, Side side, double limit,
                       const LimitOptions& options)
    : JointLaw(body, joint), side_(side), limit_(limit), options_(options) {
  check("limit", std::abs(limit), true);
  check("stiffness", options.stiffness, false);
  check("relaxation_time", options.relaxation_time, true);
  check("near_rigid", options.near_rigid, true);
}

void JointLimit::prepare(const StepContext& context) {
  const double h = context.h, tau = std::max(options_.relaxation_time, h);
  const double sign = side_ == kLower ? 1 : -1, gap = sign * (start_position() - limit_);
  h_ = h;
  law_.r = std::max(square(options_.near_rigid) / (4 * kPi * kPi) * inverse_inertia(context),
                    1 / (h * options_.stiffness * (h + tau)));
  law_.v_hat = -sign * (gap > 0 ? gap / h : gap / (h + tau));
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  law_.lower = side_ == kLower ? 0 : -kUnbounded;
  law_.upper = side_ == kLower ? kUnbounded : 0;
}

JointMotor::JointMotor(const Articulation* body, int joint, const MotorGains& g)
    : JointLaw(body, joint), gains(g) {
  check("kp", gains.kp, true);
  check("kd", gains.kd, true);
  check("ki", gains.ki, true);
  check("effort", gains.effort, false);
  check("integral_limit", gains.integral_limit, false);
}

void JointMotor::prepare(const StepContext& context) {
  const double h = h_ = context.h, error = command.position - start_position();
  const double share = gains.ki * integral;
  integrates_ = gains.ki > 0 && !(std::abs(share) >= gains.integral_limit && share * error > 0);
  const double k = integrates_ ? gains.kp + h * gains.ki : gains.kp;
  const double slope = h * (h * k + gains.kd), bound = h * gains.effort;
  const double asked = h * (k * error + share + gains.kd * command.velocity + command.feed_forward);
  constant_ = 0;
  law_ = {1, 0, 0, 0};
  if (slope > 0)
    law_ = {1 / slope, asked / slope, -bound, bound};
  else
    constant_ = clamp(asked, -bound, bound);
}

Energy JointMotor::evaluate(const Evaluation& e) {
  velocity_ = velocity(e);
  return JointLaw::evaluate(e);
}

void JointMotor::commit(const StepContext&, const Points&) {
  if (!integrates_) return;
  const double most = gains.integral_limit / gains.ki;
  const double error = command.position - fma(h_, velocity_, start_position());
  integral = clamp(fma(h_, error, integral), -most, most);
}

JointFriction::JointFriction(const Articulation* body, int joint, double bound)
    : JointLaw(body, joint), bound_(bound) {
  check("friction", bound, true);
}

void JointFriction::prepare(const StepContext& context) {
  h_ = context.h;
  law_ = {kHold * inverse_inertia(context), 0, -h_ * bound_, h_ * bound_};
}

JointMimic::JointMimic(const Articulation* body, int joint, int other, double multiplier,
                       double offset)
    : body_(body), joint_(joint), other_(other), multiplier_(multiplier), offset_(offset) {
  check_joint(body, joint);
  check_joint(body, other);
  const auto refuse = [&](const char* what, double value, const char* rule) {
    throw InputError({"", 0, 0, body->spec().name + ".mimic" + what, internal::format_number(value),
                      rule, "correct it"});
  };
  if (joint == other) refuse(".joint", joint, "must follow another joint than itself");
  if (!std::isfinite(multiplier)) refuse(".multiplier", multiplier, "must be finite");
  if (!std::isfinite(offset)) refuse(".offset", offset, "must be finite");
  const auto n = static_cast<std::size_t>(body->v_count());
  gradient_.resize(n);
  hessian_.resize(n * n);
}

void JointMimic::prepare(const StepContext& context) {
  const auto position = [&](int joint) {
    return body_->start_position()[static_cast<std::size_t>(body_->coordinate_of(joint))];
  };
  const auto inverse = [&](int joint) {
    return (*context.inverse_mass)[static_cast<std::size_t>(body_->slots().first_scalar + joint)];
  };
  h_ = context.h;
  r_ = square(kMimicPeriod) / (4 * kPi * kPi) *
       (inverse(joint_) + square(multiplier_) * inverse(other_));
  v_hat_ = -(position(joint_) - multiplier_ * position(other_) - offset_) / (2 * h_);
}

Energy JointMimic::evaluate(const Evaluation& e) {
  const auto z = [&](int joint) {
    return (*e.z)[static_cast<std::size_t>(body_->slots().first_scalar + joint)];
  };
  const double impulse = (v_hat_ - (z(joint_) - multiplier_ * z(other_))) / r_;
  effort_ = impulse / h_;
  if (e.assembly) {
    const auto n = static_cast<std::size_t>(body_->v_count());
    const auto i = static_cast<std::size_t>(joint_), j = static_cast<std::size_t>(other_);
    gradient_[i] = -impulse;
    gradient_[j] = multiplier_ * impulse;
    hessian_[i * n + i] = 1 / r_;
    hessian_[j * n + j] = square(multiplier_) / r_;
    hessian_[i * n + j] = hessian_[j * n + i] = -multiplier_ / r_;
    e.assembly->add_coordinates(body_->slots().first_block, gradient_.data(), hessian_.data());
  }
  const double cost = 0.5 * r_ * square(impulse);
  return {cost, cost};
}

}  // namespace haptos
