#include "haptos/bodies/joints/joint_laws.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/system/regularisation.h"

namespace haptos {
namespace {

// Regularisation of dry friction as a part of the inverse inertia: what it holds creeps by this
// part of the speed that the force would reach within a step.
constexpr double kHold = 1e-6;

}  // namespace

JointLaw::JointLaw(const Articulation* body, int joint)
    : body_(body),
      block_(body->slots().first_block),
      joint_(joint),
      scalar_(body->slots().first_scalar + joint) {
  body->check_coordinate(joint);
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

JointLimit::JointLimit(const Articulation* body, int joint, Side side, double limit,
                       const LimitOptions& options)
    : JointLaw(body, joint), side_(side), limit_(limit), options_(options) {
  check("limit", std::abs(limit), true);
  check("stiffness", options.stiffness, false);
  check("relaxation_time", options.relaxation_time, true);
  check("near_rigid", options.near_rigid, true);
}

void JointLimit::prepare(const StepContext& context) {
  const double h = context.h, tau = context.proximal ? 0 : std::max(options_.relaxation_time, h);
  const double sign = side_ == kLower ? 1 : -1, gap = sign * (start_position() - limit_);
  h_ = h;
  law_.r = std::max(near_rigid_bound(options_.near_rigid, inverse_inertia(context)),
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
  const double kd = context.proximal ? 0.0 : gains.kd;  // rates mean nothing in statics
  const double slope = h * (h * k + kd), bound = h * gains.effort;
  const double asked = h * (k * error + share + kd * command.velocity + command.feed_forward);
  constant_ = 0;
  law_ = {1, 0, 0, 0};
  if (slope > 0)
    law_ = {1 / slope, asked / slope, -bound, bound};
  else
    constant_ = clamp(asked, -bound, bound);
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

}  // namespace haptos
