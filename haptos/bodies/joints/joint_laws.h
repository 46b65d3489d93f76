// Limits, motors and dry friction of joints, and mimics: convex costs of one joint velocity v whose
// impulse [N m s] (or [N s]) stays within bounds.
//
//   gamma(v) = clamp(y, lower, upper),   y = (v_hat - v) / R,
//   l(v) = R gamma (y - gamma / 2),      dl/dv = -gamma,   d2l/dv2 = 1 / R inside, 0 beyond
//
//   limit      gamma in [0, inf) towards the inside,  v_hat = -phi / h where phi > 0, else
//              -phi / (h + tau),  R = max(beta^2 / (4 pi^2) w, 1 / (h k (h + tau))),
//              phi the coordinate's distance to the limit
//   motor      gamma in h [-effort, effort],  the implicit law at the end of the step
//              u = kp e + ki I + kd (v_ref - v) + u_ff,  e = q_ref - q,  I_n+1 = I_n + h e_n+1:
//              R = 1 / (h (h k + kd)),  k = kp + h ki,
//              v_hat = h R (k (q_ref - q_n) + ki I_n + kd v_ref + u_ff)
//              ki I stays within a bound; where I_n is at it and e_n drives it on, k = kp
//              in quasi-statics kd is 0
//   friction   gamma in h [-f, f],  v_hat = 0,  R = sigma w
//   mimic      a coupler (bodies/joints/loop_closure.h) whose polynomial is a line
//
// w is the inverse of the inertia at the joint [1 / (kg m2)] or [1 / kg]. A motor is stable at any
// gain, since its law is solved for the end of the step. Dry friction that holds creeps at R gamma.
//
// Reference: Castro et al. 2022 (regularised limits, PD control as a constraint). Frozen: convex in
// z, no step cap. `joint` is the number of an unknown of the articulation, which must be the rate
// of a coordinate (none of a ball or free joint).
#pragma once

#include <cmath>
#include <limits>

#include "haptos/bodies/joints/loop_closure.h"

namespace haptos {

/// Impulse and cost at a velocity; see above.
struct BoundedImpulse {
  double r = 1, v_hat = 0;
  double lower = 0, upper = 0;
  struct Value {
    double impulse, cost, hessian;
  };
  Value at(double v) const {
    const double y = (v_hat - v) / r, g = clamp(y, lower, upper);
    return {g, r * g * (y - 0.5 * g), y > lower && y < upper ? 1 / r : 0};
  }
};

/// What laws of one joint have in common.
class JointLaw : public Term {
 public:
  TermKind kind() const override { return TermKind::kVelocityCost; }
  bool frozen() const override { return true; }
  Energy evaluate(const Evaluation& e) override {
    const double v = velocity(e);
    const BoundedImpulse::Value l = law_.at(v);
    effort_ = (l.impulse + constant_) / h_;
    if (e.assembly) e.assembly->add_coordinate(block_, joint_, -l.impulse - constant_, l.hessian);
    const double cost = l.cost - constant_ * v;
    return {cost, std::abs(l.cost) + std::abs(constant_ * v)};
  }
  /// Torque [N m] or force [N] of the law at the last evaluation; at the end of the last step.
  double effort() const { return effort_; }
  /// As before the first step.
  void forget_effort() { effort_ = 0; }

 protected:
  JointLaw(const Articulation* body, int joint);
  double start_position() const;
  double inverse_inertia(const StepContext& context) const;
  double velocity(const Evaluation& e) const { return (*e.z)[static_cast<std::size_t>(scalar_)]; }
  /// Throws InputError for a value that is not a number in [0, inf] (`finite`: below infinity).
  void check(const char* what, double value, bool finite) const;

  const Articulation* body_;
  int block_, joint_, scalar_;
  double h_ = 1, constant_ = 0;  // constant_: impulse that depends on nothing, beside the law
  BoundedImpulse law_;

 private:
  double effort_ = 0;
};

struct LimitOptions {
  double stiffness = 1e12;       ///< k [N m/rad] or [N/m]; the near-rigid bound is softer
  double relaxation_time = 0.0;  ///< tau [s]; below a time step: a step
  double near_rigid = 0.1;       ///< beta: shortest period of the limit in time steps
};

/// One of the two limits of a joint.
class JointLimit final : public JointLaw {
 public:
  enum Side { kLower, kUpper };
  /// @param limit  [rad] or [m]
  JointLimit(const Articulation* body, int joint, Side side, double limit,
             const LimitOptions& options = {});
  const char* name() const override { return "joint limit"; }
  void prepare(const StepContext& context) override;

 private:
  Side side_;
  double limit_;
  LimitOptions options_;
};

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
class JointMotor final : public JointLaw {
 public:
  JointMotor(const Articulation* body, int joint, const MotorGains& gains);
  MotorCommand command;
  MotorGains gains;
  double integral = 0;  ///< I [rad s] or [m s]; moved on by commit()
  const char* name() const override { return "joint motor"; }
  void prepare(const StepContext& context) override;
  Energy evaluate(const Evaluation& e) override {
    velocity_ = velocity(e);
    return JointLaw::evaluate(e);
  }
  void commit(const StepContext& context, const Points& points) override;

 private:
  bool integrates_ = false;  // in this step
  double velocity_ = 0;      // at the last evaluation
};

/// Dry friction: holds up to its bound, and brakes with it.
class JointFriction final : public JointLaw {
 public:
  /// @param bound  f [N m] or [N]
  JointFriction(const Articulation* body, int joint, double bound);
  const char* name() const override { return "joint friction"; }
  void prepare(const StepContext& context) override;

 private:
  double bound_;
};

/// A coordinate that follows another one of the same articulation: q = m q_other + offset.
class JointMimic final : public JointCoupler {
 public:
  /// @param offset  [rad] or [m]
  JointMimic(const Articulation* body, int joint, int other, double multiplier, double offset)
      : JointCoupler(body, joint, other, {offset, multiplier, 0, 0, 0}) {}
  const char* name() const override { return "joint mimic"; }
};

}  // namespace haptos
