#include "haptos/bodies/joints/bounded_impulse.h"

#include <algorithm>

#include "haptos/system/regularisation.h"

namespace haptos {
namespace {

// Regularisation of dry friction as a part of the inverse inertia: what it holds creeps by this
// part of the speed that the force would reach within a step.
constexpr double kHold = 1e-6;
// Softness of an impulse that is an unknown, as a part of the inverse inertia at the coordinate by
// itself: what hangs on the joint makes it easier to move. A seven-joint arm whose joints have dry
// friction takes 4.6 iterations a step at 1, 3.4 at 3 to 100, 12 at .3 (8.8 in velocities alone).
constexpr double kSoftness = 10;

}  // namespace

void ImpulseUnknown::begin(const BoundedImpulse& law, double softness, double v, bool goes_on) {
  softness_ = std::max(kSoftness * softness, law.r);
  if (!goes_on) now_.impulse = law.at(v).impulse - law.constant;
  begun_ = true;
}

void ImpulseUnknown::go(const BoundedImpulse& law, double v, double part, bool again) {
  if (!again) from_ = now_;
  if (begun_) {
    begun_ = false;
  } else {
    const Point& f = from_;
    now_.impulse =
        f.inside ? f.impulse + (part * (law.v_hat - f.v - law.r * f.impulse) - (v - f.v)) / law.r
                 : fma(part, f.bound - f.impulse, f.impulse);
  }
  now_.v = v;
  look(law);
}

void ImpulseUnknown::look(const BoundedImpulse& law) {
  const double y = now_.impulse + (law.v_hat - now_.v - law.r * now_.impulse) / softness_;
  now_.inside = y > law.lower && y < law.upper;
  now_.bound = y <= law.lower ? law.lower : law.upper;
  now_.answer = clamp(y, law.lower, law.upper);
}

BoundedImpulse limit_impulse(LimitSide side, double limit, const LimitOptions& options, double q,
                             double w, const StepContext& context) {
  const double h = context.h, tau = context.proximal ? 0 : std::max(options.relaxation_time, h);
  const double sign = side == LimitSide::kLower ? 1 : -1, gap = sign * (q - limit);
  constexpr double kUnbounded = std::numeric_limits<double>::infinity();
  return {.r = std::max(near_rigid_bound(options.near_rigid, w),
                        1 / (h * options.stiffness * (h + tau))),
          .v_hat = -sign * (gap > 0 ? gap / h : gap / (h + tau)),
          .lower = side == LimitSide::kLower ? 0 : -kUnbounded,
          .upper = side == LimitSide::kLower ? kUnbounded : 0,
          .constant = 0};
}

BoundedImpulse friction_impulse(double bound, double w, const StepContext& context) {
  return {kHold * w, 0, -context.h * bound, context.h * bound, 0};
}

BoundedImpulse Motor::impulse(double q, const StepContext& context) {
  const double h = context.h, error = command.position - q, share = gains.ki * integral;
  integrates_ = gains.ki > 0 && !(std::abs(share) >= gains.integral_limit && share * error > 0);
  const double k = integrates_ ? gains.kp + h * gains.ki : gains.kp;
  const double kd = context.proximal ? 0.0 : gains.kd;  // rates mean nothing in statics
  const double slope = h * (h * k + kd), bound = h * gains.effort;
  const double asked = h * (k * error + share + kd * command.velocity + command.feed_forward);
  if (slope > 0) return {1 / slope, asked / slope, -bound, bound, 0};
  return {1, 0, 0, 0, clamp(asked, -bound, bound)};
}

void Motor::integrate(double q, double h) {
  if (!integrates_) return;
  const double most = gains.integral_limit / gains.ki;
  integral = clamp(fma(h, command.position - q, integral), -most, most);
}

}  // namespace haptos
