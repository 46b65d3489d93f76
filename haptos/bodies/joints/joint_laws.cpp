#include "haptos/bodies/joints/joint_laws.h"

#include <cmath>

#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"

namespace haptos {

JointLaw::JointLaw(const Articulation* body, const JointPulls& on)
    : body_(body), block_(body->slots().first_block), scalar_(body->slots().first_scalar) {
  if (on.empty()) body->check_coordinate(-1);
  for (const JointPull& p : on) {
    body->check_position(p.joint);
    if (!std::isfinite(p.weight) || p.weight == 0)
      throw InputError({"", 0, 0, body->spec().name + ".joint[" + std::to_string(p.joint) + "]",
                        internal::format_number(p.weight), "must count with a weight that is not 0",
                        "give how far the tendon goes per unit of the joint"});
    dof_.push_back(p.joint), weight_.push_back(p.weight);
  }
}

void JointLaw::check(const char* what, double value, bool finite) const {
  if (value >= 0 && !(finite && std::isinf(value))) return;
  throw InputError({"", 0, 0,
                    body_->spec().name + ".joint[" + std::to_string(dof_.front()) + "]." + what,
                    internal::format_number(value),
                    finite ? "must be 0 or more and finite" : "must be 0 or more",
                    "give it in SI units, per radian for joints that turn"});
}

double JointLaw::start_position() const {
  double q = 0;
  for (std::size_t k = 0; k < dof_.size(); ++k)
    q = fma(weight_[k], body_->start_position_of(dof_[k]), q);
  return q;
}

double JointLaw::inverse_inertia(const StepContext& context) const {
  const double* m = context.inverse_mass->data() + scalar_;
  double w = 0;
  for (std::size_t k = 0; k < dof_.size(); ++k) w = fma(square(weight_[k]), m[dof_[k]], w);
  return w;
}

JointLimit::JointLimit(const Articulation* body, const JointPulls& on, LimitSide side, double limit,
                       const LimitOptions& options)
    : JointLaw(body, on), side_(side), limit_(limit), options_(options) {
  check("limit", std::abs(limit), true);
  check("stiffness", options.stiffness, false);
  check("relaxation_time", options.relaxation_time, true);
  check("near_rigid", options.near_rigid, true);
}

void JointLimit::prepare(const StepContext& context) {
  h_ = context.h;
  softness_ = inverse_inertia(context);
  law_ = limit_impulse(side_, limit_, options_, start_position(), softness_, context);
}

BallLimit::BallLimit(const Articulation* body, int first, double limit)
    : JointLaw(body, std::vector<JointPull>{{first, 1}, {first + 1, 1}, {first + 2, 1}}),
      limit_(limit) {
  check("limit", limit, true);
}

void BallLimit::prepare(const StepContext& context) {
  h_ = context.h;
  Vec3d turn;
  for (int c = 0; c < 3; ++c) turn[c] = body_->start_position_of(dof_[static_cast<std::size_t>(c)]);
  const double angle = norm(turn);
  for (int c = 0; c < 3; ++c)
    weight_[static_cast<std::size_t>(c)] = angle > 0 ? turn[c] / angle : 0.0;
  softness_ = inverse_inertia(context);
  law_ = limit_impulse(LimitSide::kUpper, limit_, {}, angle, softness_, context);
}

JointMotor::JointMotor(const Articulation* body, const JointPulls& on, const MotorGains& g)
    : JointLaw(body, on), Motor(g) {
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

JointFriction::JointFriction(const Articulation* body, const JointPulls& on, double bound)
    : JointLaw(body, on), bound_(bound) {
  check("friction", bound, true);
}

void JointFriction::prepare(const StepContext& context) {
  h_ = context.h;
  softness_ = inverse_inertia(context);
  law_ = friction_impulse(bound_, softness_, context);
}

}  // namespace haptos
