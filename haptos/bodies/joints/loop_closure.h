// What closes kinematic loops and joins bodies: near-rigid constraints between two links, of
// whatever bodies, or between a link and the world, and between two joints. With the rows J of the
// constraint and its error g,
//
//   v = J z,   gamma = (v_hat - v) / R [N s] or [N m s],   l = sum R gamma^2 / 2,   dl/dv = -gamma,
//   v_hat = -g / (2 h),   R = beta^2 / (4 pi^2) w,   w = |J diag(M)^-1 J^T|_F / n,   beta = 0.1
//
//   ball      g = x_a - x_b                                       n = 3, world axes
//   weld      that, and the rotation vector of R_a R_b^T          n = 3 each
//   hinge     a weld without the turn about z of frame b
//   slider    a weld without the shift along z of frame b;
//             on what is free the laws of bodies/joints/free_axis.h may act, in a row of their own
//   distance  g = |x_a - x_b| - d, along the line of both points  n = 1
//   coupler   g = q_a - sum c_k q_b^k                             n = 1
//
// g halves from step to step, by 1 m/s or 10 rad/s at most, and a force F keeps it open by
// 2 h^2 R F. An error that the loop starts with goes in the same way. What a side does that follows
// a path, and has no unknowns, is added to v. Ball and weld act at the point midway between x_a and
// x_b, on both sides, and a rod along itself, so that they add neither momentum nor angular
// momentum.
//
// Reference: Castro et al. 2022 (holonomic constraints as regularised impulses). Frozen:
// Jacobians are those of the start of the step, and what paths that bend add to v is that of the
// velocities there. Convex in z, no step cap.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "haptos/bodies/joints/free_axis.h"
#include "haptos/bodies/tree/articulation.h"
#include "haptos/system/link.h"
#include "haptos/system/term.h"

namespace haptos {

/// A link of an articulation, which must outlive it; null: the world.
/// @throws InputError for a link that does not exist
std::shared_ptr<const Link> link_of(const Articulation* body, int link);

/// A frame of a link.
struct LinkFrame {
  std::shared_ptr<const Link> link;  ///< null: the world
  Pose local;                        ///< in the link's frame, or in the world

  LinkFrame(std::shared_ptr<const Link> l, const Pose& p) : link(std::move(l)), local(p) {}
  LinkFrame(const Articulation* body, int number, const Pose& p)
      : link(link_of(body, number)), local(p) {}
  /// At the start of the step.
  Pose place() const { return place(link ? link->pose() : Pose{}); }
  /// Where the link is at this pose.
  Pose place(const Pose& at) const { return link ? compose(at, local) : local; }
};

/// A point of a link.
struct LinkPoint : LinkFrame {
  LinkPoint(std::shared_ptr<const Link> l, const Vec3d& p) : LinkFrame(std::move(l), {p, {}}) {}
  LinkPoint(const Articulation* body, int number, const Vec3d& p)
      : LinkFrame(body, number, {p, {}}) {}
  Vec3d position() const { return link ? link->pose() * local.p : local.p; }
};

/// What a constraint does to a link.
struct ConstraintForce {
  int body = -1;            ///< id of the link in records
  Vec3d x{{0, 0, 0}};       ///< where it acts, at the start of the step [m]
  Vec3d force{{0, 0, 0}};   ///< [N], world
  Vec3d moment{{0, 0, 0}};  ///< [N m], world
};

/// What they have in common: up to six rows on the unknowns of up to two bodies. All are held, but
/// for the last one where a closure has a free axis.
class LoopClosureTerm : public Term {
 public:
  static constexpr int kMaxRows = 6;

  const char* name() const override { return "loop closure"; }
  TermKind kind() const override { return TermKind::kVelocityCost; }
  bool frozen() const override { return true; }
  void prepare(const StepContext& context) final;
  Energy evaluate(const Evaluation& e) final;
  void commit(const StepContext& context, const Points& points) final;
  void couplings(const Points& points, Coupled coupled,
                 std::vector<std::array<int, 2>>& out) const override;
  TermReport report() const override;

  /// What acts on side 0 and on side 1 at the end of the last step; nothing for joints.
  virtual std::array<ConstraintForce, 2> forces() const { return {}; }
  /// Adds those on links.
  void add_forces(std::vector<ConstraintForce>& out) const;
  /// How far apart the points are [m], and how far the frames are turned [rad], at the start of the
  /// step, by what is not free.
  double opening() const { return size_of_error(0, forces_); }
  double twist() const { return size_of_error(forces_, held_); }

  int rows() const { return rows_; }
  /// Error of a row at the start of the step [m] or [rad].
  double error(int row) const { return g_[row]; }
  /// Force or moment of a row on a at the last evaluation; at the end of the last step [N], [N m].
  double effort(int row) const { return impulse_[row] / h_; }

  /// What acts on what it leaves free; null where it leaves nothing free.
  FreeAxis* axis() { return axis_ ? &*axis_ : nullptr; }
  const FreeAxis* axis() const { return axis_ ? &*axis_ : nullptr; }
  /// Torque [N m] or force [N] of its motor on a at the end of the last step.
  double motor_effort() const { return axis_ ? axis_->motor_impulse() / h_ : 0; }

 protected:
  /// One of the two may be null, the world, or have no unknowns (bodies/joints/path_link.h).
  LoopClosureTerm(std::shared_ptr<const Link> a, std::shared_ptr<const Link> b, int rows,
                  const FreeAxisOptions* axis = nullptr);
  /// Sets g_ and adds the rows of J at the start of the step, which are zero. g_ of the free row is
  /// the coordinate.
  virtual void linearise() = 0;
  /// The row of J on the unknowns of side 0 or 1, (columns); the same one where both are one body.
  double* row(int side, int r);
  /// A row of J and the direction whose part of the motion it is.
  struct Along {
    int row;
    Vec3d direction;
  };
  /// Adds to rows how the point of a side's link that is at x moves, of side 1 the opposite; and
  /// how the link turns.
  void add_motion(int side, const Vec3d& x, std::span<const Along> rows);
  void add_turn(int side, std::span<const Along> rows);
  /// What the distance of x_a and x_b, which are moved by add_motion(), gains as their line turns.
  void add_turning_line(int row, const Vec3d& x_a, const Vec3d& x_b);
  /// A force on side 0 at x0 and its opposite on side 1 at x1.
  static std::array<ConstraintForce, 2> opposite(const Vec3d& x0, const Vec3d& x1,
                                                 const Vec3d& force, const Vec3d& moment) {
    return {{{-1, x0, force, moment}, {-1, x1, -force, -moment}}};
  }

  std::shared_ptr<const Link> link_[2];
  double g_[kMaxRows] = {};
  int forces_ = 0;  ///< held rows whose impulse is a force: the first ones

 private:
  /// Whether a side has unknowns; without any it is the world, or follows a path.
  bool moves(int side) const { return link_[side] && link_[side]->columns() > 0; }
  /// Whether a side has rows of its own: two links of one body share those of the first.
  bool has_rows(int side) const { return moves(side) && !(side == 1 && blocks_ == 1 && moves(0)); }
  /// Of a link on a path: where the step takes it, and the velocity of its point that is at x.
  Pose path_end(int side) const { return link_[side]->pose_after({}, h_); }
  Vec3d path_rate(int side, const Vec3d& x) const {
    return (path_end(side) * to_local(link_[side]->pose(), x) - x) * (1 / h_);
  }
  /// Adds the parts of what gradient_ holds, (3, columns).
  void add_parts(int side, std::span<const Along> rows);
  /// |J diag(M)^-1 J^T|_F / n of rows.
  double inverse_inertia(const StepContext& context, int from, int to);
  void find_compliance(const StepContext& context);
  void add_coupling(Assembly& assembly);
  /// Takes the entries of the rows that are not zero.
  void gather();
  double size_of_error(int from, int to) const;

  int rows_, held_, blocks_;
  double h_ = 1, rate_ = 0;                      // rate_: of the free row, at the last evaluation
  const std::vector<double>* moving_ = nullptr;  // z at the start; null in statics
  double size_[kMaxRows] = {};                   // of what the entries of a row were summed from
  double bend_[kMaxRows] = {};  // what paths that bend add to the rate of a row, on average
  double r_[kMaxRows] = {}, v_hat_[kMaxRows] = {}, impulse_[kMaxRows] = {};
  double stiffness_[kMaxRows] = {};  // -d impulse / d v, at the last evaluation
  std::optional<FreeAxis> axis_;
  std::vector<double> j_[2];
  // Of each row those entries that are not zero: a mimic joint has two of all unknowns of its
  // robot.
  struct Sparse {
    std::vector<int> dof;
    std::vector<double> weight;
  };
  std::array<Sparse, kMaxRows> sparse_[2];
  std::vector<double> gradient_, hessian_;  // scratch
};

/// A ball joint: a point stays on another one. Two of them make a hinge.
class BallClosure final : public LoopClosureTerm {
 public:
  /// @throws InputError when both points are in the world or a link does not exist
  BallClosure(LinkPoint a, LinkPoint b);
  const char* name() const override { return "ball closure"; }
  /// Force on a [N], world; x_a - x_b at the start of the step [m].
  Vec3d force() const { return {{effort(0), effort(1), effort(2)}}; }
  Vec3d gap() const { return {{error(0), error(1), error(2)}}; }

  std::array<ConstraintForce, 2> forces() const override;

 private:
  void linearise() override;
  LinkPoint side_[2];
};

/// A frame stays on another one, but for what is free.
class WeldClosure final : public LoopClosureTerm {
 public:
  /// What frame a may still do, about or along z of frame b.
  enum class Free : std::uint8_t { kNothing, kTurn, kShift };
  /// @throws InputError when both frames are in the world or a link does not exist
  /// @param axis  what acts on what is free
  WeldClosure(LinkFrame a, LinkFrame b, Free free = Free::kNothing,
              const FreeAxisOptions& axis = {});
  const char* name() const override { return "weld closure"; }
  /// Of frame a, at the pose `a` of its link, in frame b: how far it is turned about z, counted on
  /// over full turns from near `near` [rad], or shifted along z [m].
  double coordinate(const Pose& a, const Pose& b, double near) const;
  /// The frame of side 0 or 1, where its link is at this pose.
  Pose frame(int side, const Pose& at) const { return side_[side].place(at); }
  /// Force on a [N] and moment on a about the weld [N m], world.
  Vec3d force() const { return spread(0); }
  Vec3d moment() const { return spread(3); }
  /// At the start of the step: x_a - x_b [m], and the turn from b to a [rad], world; the free part
  /// is in them.
  Vec3d gap() const { return gap_; }
  Vec3d turn() const { return turn_; }

  std::array<ConstraintForce, 2> forces() const override;

 private:
  void linearise() override;
  /// Of the six, forces first; 6: none.
  int free_direction() const { return free_ == Free::kShift ? 2 : free_ == Free::kTurn ? 5 : 6; }
  /// The vector whose parts along the rows of three directions from `first` are their efforts.
  Vec3d spread(int first) const;
  LinkFrame side_[2];
  Free free_;
  Mat3d axes_ = Mat3d::identity();  ///< whose columns the rows are along
  int row_of_[6] = {};              ///< of the direction; the free one is the last
  Vec3d gap_{{0, 0, 0}}, turn_{{0, 0, 0}};
};

/// A rod without mass on ball joints: two points keep their distance.
class DistanceClosure final : public LoopClosureTerm {
 public:
  /// @param distance  [m], above 0
  /// @throws InputError for that, when both points are in the world or a link does not exist
  DistanceClosure(LinkPoint a, LinkPoint b, double distance);
  const char* name() const override { return "distance closure"; }
  /// Force that pushes the points apart [N]; negative: it pulls.
  double thrust() const { return effort(0); }

  std::array<ConstraintForce, 2> forces() const override;

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
  const Articulation* body_;
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
