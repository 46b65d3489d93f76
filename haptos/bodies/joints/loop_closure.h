// What closes kinematic loops: near-rigid constraints between links of articulations, or between a
// link and the world, and between two joints. With the rows J of the constraint and its error g,
//
//   v = J z,   gamma = (v_hat - v) / R [N s] or [N m s],   l = sum R gamma^2 / 2,   dl/dv = -gamma,
//   v_hat = -g / (2 h),   R = beta^2 / (4 pi^2) w,   w = |J diag(M)^-1 J^T|_F / n,   beta = 0.1
//
//   ball      g = x_a - x_b                                       n = 3, world axes
//   weld      that, and the rotation vector of R_a R_b^T          n = 3 each
//   distance  g = |x_a - x_b| - d, along the line of both points  n = 1
//   coupler   g = q_a - sum c_k q_b^k                             n = 1
//
// g halves from step to step, and a force F keeps it open by 2 h^2 R F. An error that the loop
// starts with goes in the same way. Ball and weld act at the point midway between x_a and x_b, on
// both sides, and a rod along itself, so that they add neither momentum nor angular momentum.
//
// Reference: Castro et al. 2022 (holonomic constraints as regularised impulses). Frozen: the
// Jacobians are those of the start of the step, so a loop that turns by an angle per step opens by
// about half its square times the lever in that step. Convex in z, no step cap.
#pragma once

#include <memory>
#include <string>

#include "haptos/bodies/loads/step_loads.h"
#include "haptos/bodies/tree/articulation.h"
#include "haptos/system/term.h"

namespace haptos {

/// A point of a link.
struct LinkPoint {
  const Articulation* body = nullptr;  ///< must outlive the term; nullptr: the world
  int link = 0;
  Vec3d local{{0, 0, 0}};  ///< in the link's frame, or in the world [m]
};

/// A frame of a link.
struct LinkFrame {
  const Articulation* body = nullptr;  ///< must outlive the term; nullptr: the world
  int link = 0;
  Pose local;  ///< in the link's frame, or in the world
};

/// What they have in common: up to six rows on the unknowns of up to two bodies.
class LoopClosureTerm : public Term {
 public:
  static constexpr int kMaxRows = 6;

  const char* name() const override { return "loop closure"; }
  TermKind kind() const override { return TermKind::kVelocityCost; }
  bool frozen() const override { return true; }
  void prepare(const StepContext& context) final;
  Energy evaluate(const Evaluation& e) final;
  void couplings(const Points& points, Coupled coupled,
                 std::vector<std::array<int, 2>>& out) const override;
  TermReport report() const override;

  /// Adds the forces on links of `body` at the end of the last step.
  virtual void add_forces(const Articulation* body, std::vector<LinkForce>& out) const;

  int rows() const { return rows_; }
  /// Error of a row at the start of the step [m] or [rad].
  double error(int row) const { return g_[row]; }
  /// Force or moment of a row on a at the last evaluation; at the end of the last step [N], [N m].
  double effort(int row) const { return impulse_[row] / h_; }

 protected:
  /// One of the two may be nullptr: the world.
  LoopClosureTerm(const Articulation* a, const Articulation* b, int rows);
  /// Sets g_ and adds the rows of J at the start of the step, which are zero.
  virtual void linearise() = 0;
  /// The row of J on the unknowns of side 0 or 1, (v_count); the same one where both are one body.
  double* row(int side, int r);
  /// How the point of a link that is at x moves with the unknowns of its side, (3, v_count), until
  /// the next call.
  const double* jacobian(int side, int link, const Vec3d& x);
  /// Adds `sign` times how the point of a link that is at x moves, to three rows from `first`; and
  /// how the link turns.
  void add_motion(int side, int link, const Vec3d& x, double sign, int first);
  void add_turn(int side, int link, double sign, int first);

  const Articulation* body_[2];
  double g_[kMaxRows] = {};
  int forces_ = 0;  ///< rows whose impulse is a force: the first ones

 private:
  /// Whether a side has rows of its own: two links of one body share those of the first.
  bool has_rows(int side) const { return body_[side] && !(side == 1 && body_[0] == body_[1]); }
  void find_compliance(const StepContext& context);

  int rows_, blocks_;
  double h_ = 1;
  double r_[kMaxRows] = {}, v_hat_[kMaxRows] = {}, impulse_[kMaxRows] = {};
  std::vector<double> j_[2];
  std::vector<double> gradient_, hessian_;  // scratch
};

/// A ball joint: a point stays on another one. Two of them make a hinge.
class BallClosure final : public LoopClosureTerm {
 public:
  /// @throws InputError when both points are in the world or a link does not exist
  BallClosure(const LinkPoint& a, const LinkPoint& b);
  const char* name() const override { return "ball closure"; }
  /// Force on a [N], world; x_a - x_b at the start of the step [m].
  Vec3d force() const { return {{effort(0), effort(1), effort(2)}}; }
  Vec3d gap() const { return {{error(0), error(1), error(2)}}; }

  void add_forces(const Articulation* body, std::vector<LinkForce>& out) const override;

 private:
  void linearise() override;
  LinkPoint side_[2];
};

/// A frame stays on another one.
class WeldClosure final : public LoopClosureTerm {
 public:
  /// @throws InputError when both frames are in the world or a link does not exist
  WeldClosure(const LinkFrame& a, const LinkFrame& b);
  const char* name() const override { return "weld closure"; }
  /// Force on a [N] and moment on a about the weld [N m], world.
  Vec3d force() const { return {{effort(0), effort(1), effort(2)}}; }
  Vec3d moment() const { return {{effort(3), effort(4), effort(5)}}; }
  /// At the start of the step: x_a - x_b [m], and the turn from b to a [rad], world.
  Vec3d gap() const { return {{error(0), error(1), error(2)}}; }
  Vec3d turn() const { return {{error(3), error(4), error(5)}}; }

  void add_forces(const Articulation* body, std::vector<LinkForce>& out) const override;

 private:
  void linearise() override;
  LinkFrame side_[2];
};

/// A rod without mass on ball joints: two points keep their distance.
class DistanceClosure final : public LoopClosureTerm {
 public:
  /// @param distance  [m], above 0
  /// @throws InputError for that, when both points are in the world or a link does not exist
  DistanceClosure(const LinkPoint& a, const LinkPoint& b, double distance);
  const char* name() const override { return "distance closure"; }
  /// Force that pushes the points apart [N]; negative: it pulls.
  double thrust() const { return effort(0); }

  void add_forces(const Articulation* body, std::vector<LinkForce>& out) const override;

 private:
  void linearise() override;
  LinkPoint side_[2];
  double distance_;
  Vec3d along_{{1, 0, 0}};  // from b to a; of the last step where they meet
};

/// A coordinate of a joint that is a polynomial of another one's.
class JointCoupler : public LoopClosureTerm {
 public:
  static constexpr int kTerms = 5;
  /// @param joint, other  unknowns of the articulation that are the rate of one coordinate; other
  ///        -1: none, and the joint stays at c_0
  /// @param polynomial  c_0 to c_4 [rad] or [m]
  /// @throws InputError for a joint that does not exist, the same one twice, or a number that is
  ///         not finite
  JointCoupler(const Articulation* body, int joint, int other, const double (&polynomial)[kTerms]);
  const char* name() const override { return "joint coupler"; }
  /// Torque [N m] or force [N] on `joint`; `other` feels minus the polynomial's slope times it.
  double effort() const { return LoopClosureTerm::effort(0); }

 private:
  void linearise() override;
  int joint_, other_;
  double c_[kTerms];
};

/// The term of a closure of the robot that `body` was compiled from.
/// @param base  of the robot's frame in the world, as in TreeOptions
/// @throws InputError naming the closure, for what its term refuses and for joints that have more
///         or less than one coordinate
std::unique_ptr<LoopClosureTerm> make_closure(const Articulation* body, const LoopClosure& closure,
                                              const Pose& base = {});

}  // namespace haptos
