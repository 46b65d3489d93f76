// What acts along the one direction that a hinge or a slider between two bodies leaves free, as on
// a joint of a robot: limits, a spring, dry friction and a motor, whose laws
// (bodies/joints/bounded_impulse.h) are added up.
#pragma once

#include <limits>
#include <optional>

#include "haptos/base/math/rotation.h"
#include "haptos/bodies/joints/bounded_impulse.h"

namespace haptos {

/// As a person describes it; units are those of a turn, read N and m for a shift.
struct FreeAxisOptions {
  double lower = -std::numeric_limits<double>::infinity();  ///< [rad]
  double upper = std::numeric_limits<double>::infinity();   ///< [rad]
  double stiffness = 0;                                     ///< towards `reference` [N m/rad]
  double reference = 0;                                     ///< [rad]
  double damping = 0;                                       ///< [N m s/rad]
  double friction = 0;                                      ///< dry [N m]
  std::optional<MotorGains> motor{};
};

/// Of frame a in frame b: the turn about z of b, counted on over full turns from near `near` [rad],
/// or the shift along it [m].
double free_coordinate(const Pose& a, const Pose& b, bool turns, double near);

class FreeAxis {
 public:
  explicit FreeAxis(const FreeAxisOptions& options);
  double near = 0;  ///< the coordinate near which the next step counts on [rad]
  /// Null where there is none.
  Motor* motor() { return motor_ ? &*motor_ : nullptr; }
  const Motor* motor() const { return motor_ ? &*motor_ : nullptr; }
  /// Of the last evaluation [N m]; 0 without a motor.
  double motor_impulse() const { return motor_impulse_; }
  /// As before the first step.
  void forget() { motor_impulse_ = 0; }

  /// @param q  coordinate at the start of the step [rad]
  /// @param w  inverse inertia along it
  void prepare(double q, double w, const StepContext& context);
  /// At the rate v of the coordinate.
  BoundedImpulse::Value at(double v);
  /// After a step of h that ended at q.
  void commit(double q, double h);

 private:
  FreeAxisOptions options_;
  std::optional<Motor> motor_, spring_;
  static constexpr int kMost = 5;
  BoundedImpulse law_[kMost];  // that of the motor is the first, where there is one
  int count_ = 0;
  double motor_impulse_ = 0;
};

}  // namespace haptos
