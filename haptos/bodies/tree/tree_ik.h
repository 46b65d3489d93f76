// Inverse kinematics of a tree: coordinates at which frames of links are where they should be.
//
//   min_q  sum_t  w_p^2 |p_t - p(q)|^2 + w_o^2 |log(R_t R(q)^T)|^2,     lower <= q <= upper
//
// by damped least squares (Levenberg 1944, Marquardt 1963): (J^T J + lambda s 1) dv = J^T e with s
// the mean diagonal entry; lambda falls while the cost does. Unknowns at a limit that the step
// would cross are held. Where no step lowers the cost before the targets are met, it starts again
// from a point of Halton's sequence between the limits. No random numbers: the same call, the same
// result.
//
// Limits: of a target out of reach, and of a local minimum that all starts run into, the best
// coordinates found come back with reached = false. Mimic joints and closures are not obeyed.
#pragma once

#include <vector>

#include "haptos/bodies/tree/tree_kinematics.h"

namespace haptos {

/// Where a frame of a link should be.
struct IkTarget {
  int link = 0;            ///< of the robot
  Pose frame;              ///< in the link's frame
  Pose goal;               ///< in the world
  double position = 1;     ///< weight of the position [1/m]; 0: any position will do
  double orientation = 1;  ///< weight of the orientation [1/rad]; 0: any orientation will do
};

struct IkOptions {
  double position_tolerance = 1e-9;     ///< [m]
  double orientation_tolerance = 1e-9;  ///< [rad]
  int iterations = 200;                 ///< at most, from each start
  int starts = 50;                      ///< the given one and points of Halton's sequence
};

struct IkResult {
  bool reached = false;
  std::vector<double> q;                  ///< best coordinates found
  std::vector<double> position_error;     ///< per target, unweighted; 0 where its weight is 0 [m]
  std::vector<double> orientation_error;  ///< the same [rad]
  int iterations = 0;                     ///< of all starts
  int starts = 0;                         ///< that were needed
};

/// Solver with its memory: allocates when it meets more targets than before, not otherwise.
class InverseKinematics {
 public:
  /// The tree must outlive it.
  explicit InverseKinematics(const Tree& tree);

  /// Coordinates that meet the targets, near `start` (q_count) if there are any.
  /// @throws InputError for a link that does not exist, a weight or a tolerance out of range, a
  ///         start of the wrong size
  const IkResult& solve(const std::vector<IkTarget>& targets, const std::vector<double>& start,
                        const IkOptions& options = {});

 private:
  double residual(const std::vector<IkTarget>& targets, const std::vector<double>& q, double* e);
  void jacobian(const std::vector<IkTarget>& targets);
  bool met(const std::vector<IkTarget>& targets, const IkOptions& options) const;
  bool step(double lambda);
  void restart(int k, const std::vector<double>& start);
  void clamp(std::vector<double>& q) const;
  bool descend(const std::vector<IkTarget>& targets, const IkOptions& options);

  const Tree& tree_;
  TreeData<double> data_;
  IkResult result_;
  std::vector<double> q_, trial_;                  // coordinates
  std::vector<double> e_, trial_e_, j_, frame_j_;  // residuals, Jacobian (weighted)
  std::vector<double> normal_, factor_, slope_, dv_;
  std::vector<char> held_;
};

}  // namespace haptos
