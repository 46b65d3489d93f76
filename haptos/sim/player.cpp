#include "haptos/sim/player.h"

namespace haptos {

TrajectoryPlayer::TrajectoryPlayer(Trajectory trajectory, const RobotView& robot, double start)
    : trajectory_(std::move(trajectory)), robot_(robot), start_(start) {
  for (const std::string& name : trajectory_.names()) motor_.push_back(robot_.motor(name));
}

void TrajectoryPlayer::command(double time) {
  const double at = trajectory_.start() + time - start_;
  for (std::size_t k = 0; k < motor_.size(); ++k) {
    const TrajectorySample s = trajectory_.at(static_cast<int>(k), at);
    MotorCommand c = robot_.command(motor_[k]);
    c.position = s.value;
    c.velocity = s.rate;
    robot_.set_command(motor_[k], c);
  }
}

bool TrajectoryPlayer::over(double time) const {
  return !trajectory_.loops() && time - start_ > trajectory_.end() - trajectory_.start();
}

}  // namespace haptos
