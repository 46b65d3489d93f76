// Terms of a joint coordinate: customers of the second seam (Assembly::add_coordinate). `joint` is
// the number of an unknown of the articulation; a spring needs one that is the rate of a coordinate
// (none of a ball or free joint). Units are those of a turning joint; read N and m for a slide.
//
//   damping   D(z) = 1/2 d z^2 [W]             torque -d z, implicit
//   spring    Psi(q) = 1/2 k (q - q_ref)^2 [J] torque -k (q - q_ref), implicit, at q = q_n + b z
//
// A spring is a function of the coordinate alone, so it is declared a potential: the objective then
// applies dq/dz = b, as for points, and no law here sees the time step in its value. (Written as a
// velocity cost l(z) = 1/2 k (q_n + h z - q_ref)^2 it would give the same step, but would carry h.)
// Both are frozen: convex in z, no step cap. Spring and damping of one joint with a moving
// reference are an implicit PD controller without a torque limit.
#pragma once

#include <memory>

#include "haptos/bodies/tree/articulation.h"
#include "haptos/system/term.h"

namespace haptos {

class JointDamping final : public Term {
 public:
  /// @param damping  [N m s/rad], 0 or more
  /// @throws InputError for a joint that does not exist or a damping out of range
  JointDamping(const Articulation* body, int joint, double damping);

  const char* name() const override { return "joint damping"; }
  TermKind kind() const override { return TermKind::kDissipation; }
  bool frozen() const override { return true; }
  Energy evaluate(const Evaluation& e) override {
    const double rate = (*e.z)[static_cast<std::size_t>(scalar_)];
    if (e.assembly) e.assembly->add_coordinate(block_, joint_, damping_ * rate, damping_);
    const double d = 0.5 * damping_ * square(rate);
    return {d, d};
  }

 private:
  int block_, joint_, scalar_;
  double damping_;
};

class JointSpring final : public Term {
 public:
  /// @param stiffness  [N m/rad], 0 or more
  /// @param reference  angle without torque [rad]
  /// @throws InputError for a joint that does not exist or numbers out of range
  JointSpring(const Articulation* body, int joint, double stiffness, double reference);

  /// Moves the angle without torque [rad]; holds from the next step.
  void set_reference(double reference) { reference_ = reference; }

  const char* name() const override { return "joint spring"; }
  TermKind kind() const override { return TermKind::kPosition; }
  bool frozen() const override { return true; }
  void prepare(const StepContext& context) override;
  Energy evaluate(const Evaluation& e) override {
    const double s = fma(b_, (*e.z)[static_cast<std::size_t>(scalar_)], stretch_);
    if (e.assembly) e.assembly->add_coordinate(block_, joint_, stiffness_ * s, stiffness_);
    const double energy = 0.5 * stiffness_ * square(s);
    return {energy, energy};
  }

 private:
  const Articulation* body_;
  int block_, joint_, scalar_;
  double stiffness_, reference_;
  double stretch_ = 0, b_ = 0;  // q_n - q_ref [rad], dq/dz [s]
};

}  // namespace haptos
