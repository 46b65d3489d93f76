// What each joint of a tree carries in a step: the forces of the equation that the step solved, in
// its middle (tree_drift.h),
//
//   sum_i J_i(q_g)^T [ I_i A_i + V_i x p_i ] = tau + sum J^T f,     A_i = 2 (V_i - V_i,n) / h + J_i
//   (z - z_free) / h,
//
// read body by body as Newton and Euler do, with the forces f from outside at the lever arms of the
// start, where contact had them. So the part of a load along a joint's unknown is what motors,
// friction, springs, limits and armature give it together, to the solver's tolerance, and loads add
// up to the forces of contact. Where forces from outside act on a tree that turns, the parts along
// unknowns of six-axis loads are off by what their lever arms turn in half a step. Without a motion
// (before the first step, and for a motion that is given) coordinates and velocities are those of
// the start, and accelerations (v - v_n) / h.
//
// A free or a ball joint at the world without armature passes on nothing but `effort`: that
// settles the acceleration of the base, whose stored velocity is not the solved one
// (floating_base.h).
#pragma once

#include <span>
#include <vector>

#include "haptos/bodies/tree/tree_kinematics.h"

namespace haptos {

struct StepMotion;  // bodies/tree/tree_drift.h

/// A force on a link, world axes.
struct LinkForce {
  int link = 0;
  Vec3d x{{0, 0, 0}};       ///< where it acts, at the start of the step [m]
  Vec3d force{{0, 0, 0}};   ///< [N]
  Vec3d moment{{0, 0, 0}};  ///< [N m]
};

/// A step, or the last part of one; pointers are to the coordinates and unknowns of one tree.
struct TreeStep {
  const double* q_start = nullptr;
  const double* v_start = nullptr;
  const double* q = nullptr;
  const double* v = nullptr;
  double h = 0;  ///< [s]; 0: no step yet, joints accelerate by nothing
  Vec3d gravity{{0, 0, 0}};
  std::span<const LinkForce> forces;
  const double* effort = nullptr;  ///< joint forces, for bases that float; null: none
  /// What torques and all terms did, per unknown, contact among them, and the wrenches that were
  /// set, per body, about its origin. Then the parts of loads along unknowns are exact, the others
  /// are of first order in h. Null: all are of first order.
  const double* applied = nullptr;
  const SpatialForce<double>* wrench = nullptr;
  /// The motion that the step solved for, in its middle; null: that of its start.
  const StepMotion* motion = nullptr;
  /// Of the bodies, where they differ from the tree's.
  const std::vector<BodyMass<double>>* mass = nullptr;
};

class StepLoads {
 public:
  explicit StepLoads(const Tree& tree);

  void update(const Tree& tree, const TreeStep& step);

  /// Kinematics of the loads, in the middle of the step; accelerations in it are minus gravity,
  /// forces are those that bodies get through their joints, about their origins, world axes.
  const TreeData<double>& data() const { return data_; }
  /// The velocity that turns the momentum of a body there.
  const SpatialMotion<double>& turning(std::size_t body) const { return turning_[body]; }
  /// Kinematics at the start of the step.
  const TreeData<double>& start() const { return start_; }
  /// Of unknowns, in the step [rad/s2] or [m/s2].
  const std::vector<double>& acceleration() const { return acceleration_; }
  /// What the joint of unknown k passes to its child along it, the rotor's inertia taken off
  /// [N m] or [N].
  double along(int k) const { return along_[static_cast<std::size_t>(k)]; }

 private:
  void set_motion(const Tree& tree, const TreeStep& step);
  void find_forces(const Tree& tree);
  void find_given(const Tree& tree, const TreeStep& step);
  void take_given(const Tree& tree);
  void free_base(const Tree& tree, const TreeStep& step, std::size_t body);

  std::vector<int> root_;  // per body: that which hangs from the world
  TreeData<double> data_, start_;
  std::vector<SpatialMotion<double>> turning_;
  std::vector<double> acceleration_, along_, given_;
  std::vector<SpatialForce<double>> wrench_, outside_;
};

}  // namespace haptos
