#include "haptos/bodies/joints/joint_laws.h"

#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"

namespace haptos {

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

JointLimit::JointLimit(const Articulation* body, int joint, LimitSide side, double limit,
                       const LimitOptions& options)
    : JointLaw(body, joint), side_(side), limit_(limit), options_(options) {
  check("limit", std::abs(limit), true);
  check("stiffness", options.stiffness, false);
  check("relaxation_time", options.relaxation_time, true);
  check("near_rigid", options.near_rigid, true);
}

void JointLimit::prepare(const StepContext& context) {
  h_ = context.h;
  law_ =
      limit_impulse(side_, limit_, options_, start_position(), inverse_inertia(context), context);
}

JointMotor::JointMotor(const Articulation* body, int joint, const MotorGains& g)
    : JointLaw(body, joint), Motor(g) {
  check("kp", gains.kp, true);
  check("kd", gains.kd, true);
  check("ki", gains.ki, true);
  check("effort", gains.effort, false);
  check("integral_limit", gains.integral_limit, false);
}

void JointMotor::prepare(const StepContext& context) {
  h_ = context.h;
  law_ = impulse(start_position(), context);
}

void JointMotor::commit(const StepContext&, const Points&) {
  integrate(fma(h_, velocity_, start_position()), h_);
}

JointFriction::JointFriction(const Articulation* body, int joint, double bound)
    : JointLaw(body, joint), bound_(bound) {
  check("friction", bound, true);
}

void JointFriction::prepare(const StepContext& context) {
  h_ = context.h;
  law_ = friction_impulse(bound_, inverse_inertia(context), context);
}

}  // namespace haptos
