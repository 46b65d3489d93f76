// Where joints that mimic others start.
#pragma once

#include <set>
#include <string>

#include "haptos/scene/robot/robot.h"

namespace haptos {

/// Starts the joints that mimic one of these where it says, and those that mimic them in turn.
/// @param given  names of joints whose start was set; where one of them mimics another itself it
///        keeps that
void start_mimics(Robot& robot, std::set<std::string> given);

}  // namespace haptos
