#include "haptos/bodies/joints/free_axis.h"

#include <cmath>

namespace haptos {

double free_coordinate(const Pose& a, const Pose& b, bool turns, double near) {
  const Mat3d to = to_matrix(b.q);
  if (!turns) return dot(column(to, 2), a.p - b.p);
  const Vec3d x = column(to_matrix(a.q), 0);
  const double turn = std::atan2(dot(x, column(to, 1)), dot(x, column(to, 0)));
  return turn + 2 * M_PI * std::round((near - turn) / (2 * M_PI));
}

FreeAxis::FreeAxis(const FreeAxisOptions& options) : options_(options) {
  if (options.motor) motor_.emplace(*options.motor);
  if (options.stiffness > 0 || options.damping > 0) {
    spring_.emplace(MotorGains{.kp = options.stiffness, .kd = options.damping});
    spring_->command.position = options.reference;
  }
}

void FreeAxis::prepare(double q, double w, const StepContext& context) {
  count_ = 0;
  const auto add = [&](const BoundedImpulse& law) { law_[count_++] = law; };
  if (motor_) add(motor_->impulse(q, context));
  if (spring_) add(spring_->impulse(q, context));
  if (!(w > 0)) return;  // it moves nothing
  if (options_.friction > 0) add(friction_impulse(options_.friction, w, context));
  if (std::isfinite(options_.lower))
    add(limit_impulse(LimitSide::kLower, options_.lower, {}, q, w, context));
  if (std::isfinite(options_.upper))
    add(limit_impulse(LimitSide::kUpper, options_.upper, {}, q, w, context));
}

void FreeAxis::commit(double q, double h) {
  if (motor_) motor_->integrate(q, h);
  near = q;
}

BoundedImpulse::Value FreeAxis::at(double v) {
  BoundedImpulse::Value sum{0, 0, 0, 0};
  for (int k = 0; k < count_; ++k) {
    const BoundedImpulse::Value l = law_[k].at(v);
    sum.impulse += l.impulse;
    sum.cost += l.cost;
    sum.size += l.size;
    sum.hessian += l.hessian;
    if (k == 0 && motor_) motor_impulse_ = l.impulse;
  }
  return sum;
}

}  // namespace haptos
