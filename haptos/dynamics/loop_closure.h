// A ball joint that closes a kinematic loop: a point of one link stays on a point of another one,
// or on a point of the world.
//
//   g = x_a - x_b [m],  v = u_a - u_b,  gamma = (v_hat - v) / R [N s],  l(v) = R |gamma|^2 / 2,
//   v_hat = -g / (2 h),  R = beta^2 / (4 pi^2) w,  w = |J diag(M)^-1 J^T|_F / 3 [1 / kg]
//
// Near-rigid: g halves from step to step, and a force F keeps it open by 2 h^2 R F. A gap that the
// loop starts with closes in the same way.
//
// Reference: Castro et al. 2022 (holonomic constraints as regularised impulses). Frozen: the
// points' Jacobians are those of the start of the step, so a loop that turns by an angle per step
// opens by about half its square times the lever in that step. Convex in z, no step cap. Limits:
// positions only; two such points make a hinge, three a weld.
#pragma once

#include "haptos/dynamics/articulation.h"
#include "haptos/potential/term.h"

namespace haptos {

/// A point of a link.
struct LinkPoint {
  const Articulation* body = nullptr;  ///< must outlive the term; nullptr: the world
  int link = 0;
  Vec3d local{{0, 0, 0}};  ///< in the link's frame, or in the world [m]
};

class LoopClosureTerm final : public Term {
 public:
  /// @throws InputError when both points are in the world or a link does not exist
  LoopClosureTerm(const LinkPoint& a, const LinkPoint& b);

  const char* name() const override { return "loop closure"; }
  TermKind kind() const override { return TermKind::kVelocityCost; }
  bool frozen() const override { return true; }
  void prepare(const StepContext& context) override;
  void refresh(const Points& points) override;
  Energy evaluate(const Evaluation& e) override;
  void step_couplings(const Points& points, std::vector<std::array<int, 2>>& out) const override;
  double load() const override { return norm(impulse_) / h_; }

  /// Force on a at the last evaluation; at the end of the last step [N], world.
  Vec3d force() const { return impulse_ * (1 / h_); }
  /// x_a - x_b at the start of the step [m].
  const Vec3d& gap() const { return gap_; }

 private:
  LinkPoint side_[2];
  int point_[2] = {-1, -1};
  double h_ = 1, r_ = 1;
  Vec3d gap_{{0, 0, 0}}, impulse_{{0, 0, 0}};
};

}  // namespace haptos
