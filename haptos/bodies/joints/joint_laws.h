// Limits, motors and dry friction of joints, and mimics, as terms: the laws of
// bodies/joints/bounded_impulse.h on one joint velocity. A mimic is a coupler
// (bodies/joints/loop_closure.h) whose polynomial is a line.
//
// Frozen: convex in z, no step cap. `joint` is the number of an unknown of the articulation, which
// must be the rate of a coordinate (none of a ball or free joint).
#pragma once

#include <cmath>

#include "haptos/bodies/joints/bounded_impulse.h"
#include "haptos/bodies/joints/loop_closure.h"

namespace haptos {

/// What laws of one joint have in common.
class JointLaw : public Term {
 public:
  TermKind kind() const override { return TermKind::kVelocityCost; }
  bool frozen() const override { return true; }
  Energy evaluate(const Evaluation& e) override {
    const double v = velocity(e);
    const BoundedImpulse::Value l = law_.at(v);
    effort_ = l.impulse / h_;
    if (e.assembly) e.assembly->add_coordinate(block_, joint_, -l.impulse, l.hessian);
    return {l.cost, l.size};
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
  double h_ = 1;
  BoundedImpulse law_;

 private:
  double effort_ = 0;
};

/// One of the two limits of a joint.
class JointLimit final : public JointLaw {
 public:
  /// @param limit  [rad] or [m]
  JointLimit(const Articulation* body, int joint, LimitSide side, double limit,
             const LimitOptions& options = {});
  const char* name() const override { return "joint limit"; }
  void prepare(const StepContext& context) override;

 private:
  LimitSide side_;
  double limit_;
  LimitOptions options_;
};

/// Position (with an integral), velocity (kp 0) or torque (gains 0) control within a bound.
class JointMotor final : public JointLaw, public Motor {
 public:
  JointMotor(const Articulation* body, int joint, const MotorGains& gains);
  const char* name() const override { return "joint motor"; }
  void prepare(const StepContext& context) override;
  Energy evaluate(const Evaluation& e) override {
    velocity_ = velocity(e);
    return JointLaw::evaluate(e);
  }
  void commit(const StepContext& context, const Points& points) override;

 private:
  double velocity_ = 0;  // at the last evaluation
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
