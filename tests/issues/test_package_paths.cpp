// What package:// may name: the robot's neighbourhood, and no other part of the disk.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "haptos/base/text/error.h"
#include "haptos/files/urdf/urdf.h"

namespace haptos {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

/// disk/ holds home/user/models/arm/urdf/robot.urdf and what lies about it.
struct Disk {
  fs::path root =
      fs::canonical(fs::temp_directory_path()) / ("haptos_packages_" + std::to_string(::getpid()));
  Disk() { fs::create_directories(root); }
  ~Disk() { fs::remove_all(root); }

  fs::path write(const std::string& name, const std::string& text) const {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name) << text;
    return root / name;
  }
  /// The file that a collision mesh of the robot is read from; empty where it is refused.
  std::string found(const std::string& uri) const {
    const fs::path robot = write(
        "home/user/models/arm/urdf/robot.urdf",
        "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\".1\" "
        "iyy=\".1\" izz=\".1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial><collision><geometry>"
        "<mesh filename=\"" +
            uri + "\"/></geometry></collision></link></robot>");
    try {
      return read_urdf(robot, {}).links[0].collisions[0].file;
    } catch (const InputError&) {
      return "";
    }
  }
};

TEST(PackagePaths, ReachTheRobotsOwnFolderAndThoseBesideIt) {
  const Disk d;
  const std::string own = d.write("home/user/models/arm/meshes/part.obj", kTetrahedron);
  const std::string next = d.write("home/user/models/hand/meshes/finger.obj", kTetrahedron);
  EXPECT_EQ(d.found("package://arm/meshes/part.obj"), own);
  EXPECT_EQ(d.found("package://hand/meshes/finger.obj"), next);
  // A collection that was copied: its name is gone, the folders in it are not.
  EXPECT_EQ(d.found("package://collection/models/arm/meshes/part.obj"), own);
  EXPECT_EQ(d.found("package://renamed/meshes/part.obj"), own);
}

TEST(PackagePaths, DoNotClimbToTheRootOfTheDisk) {
  const Disk d;
  d.write("home/user/private/diary.obj", kTetrahedron);
  d.write("home/other/secret/plan.obj", kTetrahedron);
  d.write("etc/keys.obj", kTetrahedron);
  for (const char* uri :
       {"package://user/private/diary.obj", "package://private/diary.obj",
        "package://anything/private/diary.obj", "package://anything/user/private/diary.obj",
        "package://home/other/secret/plan.obj", "package://anything/other/secret/plan.obj",
        "package://other/secret/plan.obj", "package://etc/keys.obj", "package://any/etc/keys.obj",
        "model://user/private/diary.obj", "package://arm/../../private/diary.obj",
        "../../../private/diary.obj"})
    EXPECT_EQ(d.found(uri), "") << uri;
}

TEST(PackagePaths, FurtherUpOnlyAPackageThatSaysItsName) {
  const Disk d;
  const std::string part = d.write("home/user/parts/meshes/p.obj", kTetrahedron);
  EXPECT_EQ(d.found("package://parts/meshes/p.obj"), "");
  d.write("home/user/parts/package.xml", "<package><name>parts</name></package>");
  EXPECT_EQ(d.found("package://parts/meshes/p.obj"), part);
}

TEST(PackagePaths, ALinkOutOfTheFoldersLeadsNowhereUnlessToAPackage) {
  const Disk d;
  const std::string part = d.write("home/user/private/meshes/p.obj", kTetrahedron);
  fs::create_directories(d.root / "home/user/models/arm");
  fs::create_symlink(d.root / "home/user/private", d.root / "home/user/models/linked");
  fs::create_symlink(d.root / "home/user/private", d.root / "home/user/models/arm/inner");
  EXPECT_EQ(d.found("package://linked/meshes/p.obj"), "");
  EXPECT_EQ(d.found("package://arm/inner/meshes/p.obj"), "");
  EXPECT_EQ(d.found("package://any/inner/meshes/p.obj"), "");
  // As colcon links packages into a workspace.
  d.write("home/user/private/package.xml", "<package><name>linked</name></package>");
  EXPECT_EQ(d.found("package://linked/meshes/p.obj"), part);
}

}  // namespace
}  // namespace haptos
