// Reads SRDF, which says about a URDF robot what its links and joints do not: which links never
// touch (disable_collisions), and named positions of its joints (group_state).
//
// A state gives one value for each joint with one coordinate, and "x y z qx qy qz qw" for a base
// that floats, under the name of the file's virtual_joint. Groups, end effectors and the rest are
// for planners and left out. Source of the format: wiki.ros.org/srdf.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "haptos/files/urdf/xml.h"
#include "haptos/scene/robot/robot.h"

namespace haptos {

/// Adds to robot.no_contact the pairs that the file names, and, where a state is named, sets the
/// start positions of its joints and of those that follow them. Names that the robot does not have
/// become warnings of the robot. Throws InputError naming file and line for what is wrong, and for
/// a state that is not in the file.
void read_srdf(const std::filesystem::path& path, Robot& robot, const std::string& state = "");

/// The same from text; `name` stands for the file in errors.
void parse_srdf(std::string_view text, const std::string& name, Robot& robot,
                const std::string& state = "");

}  // namespace haptos
