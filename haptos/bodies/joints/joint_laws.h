// Limits, motors and dry friction of joints and tendons, and mimics, as terms: the laws of
// bodies/joints/bounded_impulse.h on one joint velocity, or on a sum of several, v = sum w_k z_k,
// whose joints feel w_k times its impulse. A mimic is a coupler (bodies/joints/loop_closure.h)
// whose polynomial is a line.
//
// Frozen: convex in z, no step cap. `joint` is the number of an unknown of the articulation, which
// must be the rate of a coordinate, or of a ball joint: that counts by the components of its turn.
#pragma once

#include <cmath>
#include <vector>

#include "haptos/bodies/joints/bounded_impulse.h"
#include "haptos/bodies/joints/joint_pulls.h"
#include "haptos/bodies/joints/loop_closure.h"

namespace haptos {

/// What laws of a joint or a sum of joints have in common.
class JointLaw : public Term {
 public:
  TermKind kind() const override { return TermKind::kVelocityCost; }
  bool frozen() const override { return true; }
  Energy evaluate(const Evaluation& e) override {
    const BoundedImpulse::Value l = with_impulse_ ? unknown_.base(law_) : law_.at(velocity(*e.z));
    effort_ = l.impulse / h_;
    if (e.assembly)
      e.assembly->add_combination(block_, dof_, weight_.data(), -l.impulse, l.hessian);
    return {l.cost, l.size};
  }
  /// Torque [N m] or force [N] of the law at the last evaluation; at the end of the last step.
  double effort() const { return effort_; }
  /// As before the first step.
  void forget_effort() { effort_ = 0; }

  // Its impulse as an unknown (system/facets/impulses.h); JointGroup asks.

  /// Whether it has kinks that would hold up a search from the velocities z.
  bool has_kinks(const std::vector<double>& z) const {
    if (!(softness_ > 0)) return false;
    const BoundedImpulse::Value l = law_.at(velocity(z));
    return l.impulse != 0 || (law_.lower < 0 && law_.upper > 0);
  }
  void begin_impulse(const std::vector<double>& z, bool goes_on) {
    with_impulse_ = softness_ > 0;
    if (with_impulse_) unknown_.begin(law_, softness_, velocity(z), goes_on);
  }
  void end_impulse() { with_impulse_ = false; }
  void go(const std::vector<double>& z, double part, bool again) {
    if (with_impulse_) unknown_.go(law_, velocity(z), part, again);
  }
  double impulse_off() const { return with_impulse_ ? unknown_.off(law_) / h_ : 0; }
  double impulse_apart() const { return with_impulse_ ? unknown_.apart() / h_ : 0; }

 protected:
  /// @throws InputError for no joint, one that does not exist or has not one coordinate, and a
  ///         weight that is 0 or not finite
  JointLaw(const Articulation* body, const JointPulls& on);
  double start_position() const;
  double inverse_inertia(const StepContext& context) const;
  double velocity(const std::vector<double>& all) const {
    const double* z = all.data() + scalar_;
    double v = 0;
    for (std::size_t k = 0; k < dof_.size(); ++k) v = fma(weight_[k], z[dof_[k]], v);
    return v;
  }
  /// Throws InputError for a value that is not a number in [0, inf] (`finite`: below infinity).
  void check(const char* what, double value, bool finite) const;

  const Articulation* body_;
  int block_, scalar_;    // of the body
  std::vector<int> dof_;  // its joints, and how much of each counts
  std::vector<double> weight_;
  double h_ = 1;
  BoundedImpulse law_;
  /// Of the law where its impulse is an unknown; 0: it never is.
  double softness_ = 0;

 private:
  double effort_ = 0;
  bool with_impulse_ = false;
  ImpulseUnknown unknown_;
};

/// One of the two limits of a joint.
class JointLimit final : public JointLaw {
 public:
  /// @param limit  [rad] or [m]
  JointLimit(const Articulation* body, const JointPulls& on, LimitSide side, double limit,
             const LimitOptions& options = {});
  const char* name() const override { return "joint limit"; }
  void prepare(const StepContext& context) override;

 private:
  LimitSide side_;
  double limit_;
  LimitOptions options_;
};

/// The largest angle that a ball joint may turn by: along the axis of its turn at the start of a
/// step, whose rate is n.w.
class BallLimit final : public JointLaw {
 public:
  /// @param first  the first of the joint's three unknowns
  /// @param limit  above 0, below pi [rad]
  BallLimit(const Articulation* body, int first, double limit);
  const char* name() const override { return "ball limit"; }
  void prepare(const StepContext& context) override;

 private:
  double limit_;
};

/// Position (with an integral), velocity (kp 0) or torque (gains 0) control within a bound.
class JointMotor final : public JointLaw, public Motor {
 public:
  JointMotor(const Articulation* body, const JointPulls& on, const MotorGains& gains);
  const char* name() const override { return "joint motor"; }
  void prepare(const StepContext& context) override;
  Energy evaluate(const Evaluation& e) override {
    velocity_ = velocity(*e.z);
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
  JointFriction(const Articulation* body, const JointPulls& on, double bound);
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
