// Reads robots from URDF, the robot description format of ROS.
//
// Everything that bears on motion and contact is read: links with inertia, visual and collision
// geometry (boxes, spheres, cylinders, capsules, meshes with scale, materials), all joint types,
// limits, damping, dry friction, mimic. What is known to hold nothing of this kind (transmission,
// gazebo, ros2_control, calibration, safety_controller) is passed over; an element or attribute
// that is not known becomes a warning with file and line, and one that looks mistyped an error.
//
// Conventions: lengths in m, angles in rad; rpy are turns about the fixed axes x, then y, then z,
// R = Rz(yaw) Ry(pitch) Rx(roll); an inertia tensor in its own axes R is turned into those of the
// link, R I R^T. Links and joints come in the order of the tree, depth first, children in the order
// of the file: joint i carries link i, and joint 0 ties the root link to the world.
//
// Specification: wiki.ros.org/urdf/XML, and capsules as urdfdom 4 and Drake write them. docs/
// robots.md says what is read and how files are found.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "haptos/files/urdf/xml.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/scene/robot/robot.h"

namespace haptos {

/// How the root link hangs on the world.
enum class RobotBase : std::uint8_t { kFixed, kFloating };

struct UrdfOptions {
  RobotBase base = RobotBase::kFixed;
  Pose base_pose;  ///< of the root link in the world

  /// Folders of packages by name, for package:// paths; looked at before any search.
  std::map<std::string, std::filesystem::path> packages;
  /// Look for other packages above the file and in ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.
  bool search_packages = true;
  /// Further folders that meshes may lie in. Without: the package of the file, or its own folder.
  std::vector<std::filesystem::path> roots;

  /// Reads collision meshes that this library does not: COLLADA and glTF, in metres. Without: they
  /// are refused.
  std::function<TriMesh(const std::filesystem::path&)> read_other;

  bool hulls = true;         ///< mesh collisions stand for their convex hulls, else for themselves
  bool read_visuals = true;  ///< meshes of visuals too; files that cannot be read stay names

  std::string xacro = "xacro";               ///< the program that expands .xacro files
  std::vector<std::string> xacro_arguments;  ///< name:=value
  double xacro_seconds = 30;                 ///< after which it is stopped

  xml::Limits xml;         ///< of the file
  MeshReadOptions meshes;  ///< of each mesh; its counts hold for all meshes together
};

/// Reads a robot from a .urdf file, or from a .xacro file where the xacro program is there.
/// Throws InputError naming file, line and element for what is wrong; Robot::warnings says what is
/// odd. Whether masses and inertias can be real is for check_robot() to say.
Robot read_urdf(const std::filesystem::path& path, const UrdfOptions& options = {});

/// Reads a robot from text; `name` stands for the file in errors, `folder` is where relative paths
/// start and the search for packages begins; empty: no file is opened but by `packages` and
/// `roots`.
Robot parse_urdf(std::string_view text, const std::string& name,
                 const std::filesystem::path& folder = {}, const UrdfOptions& options = {});

/// Runs xacro on a file and returns the URDF it prints. Throws InputError where there is no such
/// program, and with what it says where it fails.
std::string run_xacro(const std::filesystem::path& path, const UrdfOptions& options = {});

}  // namespace haptos
