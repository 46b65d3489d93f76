// Plays a trajectory on the motors of a robot.
#pragma once

#include <utility>
#include <vector>

#include "haptos/scene/parts/trajectory.h"
#include "haptos/sim/robot_view.h"

namespace haptos {

class TrajectoryPlayer {
 public:
  /// Each column drives the motor of its name. `start` [s] is the run's time at which the
  /// trajectory's begins.
  /// @throws InputError for a column that is no motor of the robot
  TrajectoryPlayer(Trajectory trajectory, const RobotView& robot, double start = 0);

  /// Commands positions and rates for the run's time [s]; feed-forward efforts stay. A motor's law
  /// holds at the end of a step, so give the time at the end of the coming one.
  void command(double time);
  /// Whether all of the trajectory, which does not loop, lies before the run's time.
  bool over(double time) const;

 private:
  Trajectory trajectory_;
  RobotView robot_;
  std::vector<int> motor_;  // of each column
  double start_;
};

}  // namespace haptos
