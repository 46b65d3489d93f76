// Momentum of trees that float: kept to round-off, whatever the free motion (tree_drift.h) and the
// solve make of it.
//
// For a tree that hangs from the world by a free joint with unknowns r, the rows r of the equation
// of motion are the rate of its whole momentum about the base's origin p_n of the step's start.
// With the terms' impulses M (z - z_free),
//
//   (P, L about p_n) = momentum of (q_n, v_n) + h f_r + [M (z - z_free)]_r
//
// f the generalised force of gravity, torques and wrenches at q_n. Then, at the end of the step,
//
//   centre of mass   c_{n+1} = c_n + h P / m         by a shift of the base, of order h^2
//   base velocity    momentum of (q_{n+1}, v) = (P, L)      one 6 x 6 solve
//
// A tree that hangs from the world by a ball joint has three such rows, the angular momentum about
// the joint's centre: the same without P and the shift. Where gravity acts, momentum about axes
// with hardly any inertia is not restored: a slender rod would take all of its error for spin.
//
// Where the tree would have more kinetic energy than TreeDrift::most_energy(), its motion against
// the rigid one with the same momentum is slowed down. Where even that rigid motion would, since a
// step that is too long for the motion has folded the tree into less inertia, it turns slower, and
// the rest of L is lost. A tree whose joints are held has more by the step's error alone, and keeps
// its L (TreeDrift::held_well()).
//
// But for that, without forces from outside P and L about the centre of mass are kept to round-off.
// A base whose
// joint has armature is left alone: armature holds to the world. Source: own derivation.
#pragma once

#include <vector>

#include "haptos/bodies/tree/tree_drift.h"

namespace haptos {

class FloatingBase {
 public:
  explicit FloatingBase(const Tree& tree);

  /// @param start  after update() and update_velocities(); its composite inertias are filled
  /// @param middle  TreeDrift::middle()
  void begin_step(const Tree& tree, TreeData<double>& start, const TreeData<double>& middle,
                  const FreeStep& step);
  /// Corrects coordinates q and velocities v at the end of the step.
  /// @param drift  whose end() is at q
  void end_step(const Tree& tree, TreeDrift& drift, const double* z, const double* z_free,
                const double* mass, double h, double* q, double* v);

 private:
  struct Base {
    int body = 0;
    bool heavy = false;        // weight acts
    std::vector<int> carried;  // bodies of its tree, itself among them
    double momentum[6];        // of its unknowns, without terms
    Mat3d axes;                // of its joint, world, as columns
    Vec3d origin, centre;      // p_n, c_n
  };
  void slow_down(const Tree& tree, TreeData<double>& end, const Base& base, const Vec3d& slide,
                 const Vec3d& turn, double most, double* v);
  std::vector<Base> bases_;
};

}  // namespace haptos
