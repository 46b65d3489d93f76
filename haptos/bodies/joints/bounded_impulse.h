// Limits, motors, springs and dry friction of one coordinate q, whatever it is of: a joint of a
// robot, or what a hinge or a slider between two bodies leaves free. Convex costs of its rate v
// whose impulse [N m s] (or [N s]) stays within bounds.
//
//   gamma(v) = c + clamp(y, lower, upper),   y = (v_hat - v) / R,
//   l(v) = R g (y - g / 2) - c v,  g = gamma - c,   dl/dv = -gamma,
//   d2l/dv2 = 1 / R between the bounds, 0 beyond
//
//   limit      gamma in [0, inf) towards the inside,  v_hat = -phi / h where phi > 0, else
//              -phi / (h + tau),  R = max(beta^2 / (4 pi^2) w, 1 / (h k (h + tau))),
//              phi the coordinate's distance to the limit
//   motor      gamma in h [-effort, effort],  the implicit law at the end of the step
//              u = kp e + ki I + kd (v_ref - v) + u_ff,  e = q_ref - q,  I_n+1 = I_n + h e_n+1:
//              R = 1 / (h (h k + kd)),  k = kp + h ki,
//              v_hat = h R (k (q_ref - q_n) + ki I_n + kd v_ref + u_ff)
//              ki I stays within a bound; where I_n is at it and e_n drives it on, k = kp
//              in quasi-statics kd is 0; c is what it asks for where R would be infinite
//   spring     a motor with v_ref 0 and no bound: kp the stiffness, kd the damping
//   friction   gamma in h [-f, f],  v_hat = 0,  R = sigma w
//
// w is the inverse of the inertia at the coordinate [1 / (kg m2)] or [1 / kg]. A motor is stable at
// any gain, since its law is solved for the end of the step. Dry friction that holds creeps at
// R gamma.
//
// Reference: Castro et al. 2022 (regularised limits, PD control as a constraint).
#pragma once

#include <cmath>
#include <limits>

#include "haptos/base/math/scalar.h"
#include "haptos/system/term.h"

namespace haptos {

/// Impulse and cost at a velocity; see above.
struct BoundedImpulse {
  double r = 1, v_hat = 0;
  double lower = 0, upper = 0;
  double constant = 0;  ///< c
  struct Value {
    double impulse, cost, size, hessian;  ///< size: of what the cost is a sum of
  };
  Value at(double v) const {
    const double y = (v_hat - v) / r, g = clamp(y, lower, upper);
    const double cost = r * g * (y - 0.5 * g), given = constant * v;
    return {g + constant, cost - given, std::abs(cost) + std::abs(given),
            y > lower && y < upper ? 1 / r : 0};
  }
};

/// A bounded impulse as an unknown beside the velocity (system/facets/impulses.h):
///
///   g = clamp(g + (v_hat - v - R g) / D, lower, upper),   D >= R.
class ImpulseUnknown {
 public:
  /// From the impulse that the law has at v, or from that of the last iteration.
  void begin(const BoundedImpulse& law, double softness, double v, bool goes_on);
  /// At the velocity v of the trial, `part` of the way from where the last linearisation was made;
  /// `again`: from where the one before was.
  void go(const BoundedImpulse& law, double v, double part, bool again);
  /// The linearised law: impulse at the trial's velocity, and -d impulse / dv.
  BoundedImpulse::Value base(const BoundedImpulse& law) const {
    const double g = now_.inside ? (law.v_hat - now_.v) / law.r : now_.bound;
    return {g + law.constant, 0, 0, now_.inside ? 1 / law.r : 0};
  }
  /// By how much it is not what the law says, and not what it says at the softness D [N m s].
  double off(const BoundedImpulse& law) const {
    return std::abs(law.at(now_.v).impulse - law.constant - now_.impulse);
  }
  double apart() const { return std::abs(now_.answer - now_.impulse); }

 private:
  struct Point {
    double impulse = 0, v = 0;
    double bound = 0, answer = 0;
    bool inside = false;
  };
  void look(const BoundedImpulse& law);
  double softness_ = 1;
  Point now_, from_;
  bool begun_ = false;  // nothing has been linearised yet
};

struct LimitOptions {
  double stiffness = 1e12;       ///< k [N m/rad] or [N/m]; the near-rigid bound is softer
  double relaxation_time = 0.0;  ///< tau [s]; below a time step: a step
  double near_rigid = 0.1;       ///< beta: shortest period of the limit in time steps
};
enum class LimitSide : std::uint8_t { kLower, kUpper };

/// @param q  coordinate at the start of the step [rad] or [m], as the limit
/// @param w  inverse inertia at the coordinate
BoundedImpulse limit_impulse(LimitSide side, double limit, const LimitOptions& options, double q,
                             double w, const StepContext& context);
/// @param bound  f [N m] or [N]
BoundedImpulse friction_impulse(double bound, double w, const StepContext& context);

/// What a motor is to do in the coming steps.
struct MotorCommand {
  double position = 0;      ///< q_ref [rad] or [m]
  double velocity = 0;      ///< v_ref [rad/s] or [m/s]
  double feed_forward = 0;  ///< u_ff [N m] or [N]
};

struct MotorGains {
  double kp = 0;                                                    ///< [N m/rad] or [N/m]
  double kd = 0;                                                    ///< [N m s/rad] or [N s/m]
  double effort = std::numeric_limits<double>::infinity();          ///< bound of u [N m] or [N]
  double ki = 0;                                                    ///< [N m/(rad s)] or [N/(m s)]
  double integral_limit = std::numeric_limits<double>::infinity();  ///< of ki I [N m] or [N]
};

/// Position (with an integral), velocity (kp 0) or torque (gains 0) control within a bound.
class Motor {
 public:
  explicit Motor(const MotorGains& g) : gains(g) {}
  MotorCommand command;
  MotorGains gains;
  double integral = 0;  ///< I [rad s] or [m s]

  /// The law of a step that starts at q.
  BoundedImpulse impulse(double q, const StepContext& context);
  /// Moves the integral on over a step of h that ended at q.
  void integrate(double q, double h);

 private:
  bool integrates_ = false;  // in this step
};

}  // namespace haptos
