// Files that a killed writer leaves behind, and names that no one can type.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "haptos/base/text/error.h"
#include "haptos/base/text/file.h"
#include "haptos/base/text/utf8.h"
#include "haptos/files/urdf/urdf.h"
#include "haptos/scene/parts/trajectory.h"
#include "haptos/scene/robot/robot_check.h"
#include "haptos/scene/scene.h"

namespace haptos {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("haptos_files_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& e : fs::directory_iterator(folder_)) all.push_back(e.path().filename());
    return all;
  }
  fs::path folder_;
};

std::string refusal(const std::function<void()>& f) {
  try {
    f();
  } catch (const InputError& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return "";
}

TEST_F(Files, AWriterThatIsKilledLeavesNothingBehindAndTheOldFileAsItWas) {
  const fs::path path = folder_ / "pad.vtk";
  write_in_one_move(path, "old");
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_DFL);  // the write below ends the process
    const rlimit limit{1 << 16, 1 << 16};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    write_in_one_move(path, std::string(1 << 20, 'x'));
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  EXPECT_EQ(names(), std::vector<std::string>{"pad.vtk"});
  std::string text;
  std::ifstream(path) >> text;
  EXPECT_EQ(text, "old");
}

TEST_F(Files, AFileIsReplacedWholeAndIsAsOpenAsTheUserWants) {
  const mode_t before = ::umask(022);
  const fs::path path = folder_ / "a.txt";
  write_in_one_move(path, std::string(1000, 'a'));
  write_in_one_move(path, "b");
  ::umask(before);
  EXPECT_EQ(fs::file_size(path), 1u);
  EXPECT_EQ(names().size(), 1u);
  EXPECT_EQ(fs::status(path).permissions(), fs::perms{0644});
  EXPECT_NE(refusal([&] {
              write_in_one_move(folder_ / "none" / "a", "b");
            }).find("cannot be created: No such file or directory"),
            std::string::npos);
}

TEST(Names, OnlyWholeUtf8WithoutControlCharactersIsPlainText) {
  for (const char* good : {"", "a", "a b/c.d_e", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
    EXPECT_TRUE(is_plain_text(good)) << good;
  for (const char* bad : {"\xff", "a\x80", "\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80",
                          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\nb", "\x7f", "\x1b[0m"})
    EXPECT_FALSE(is_plain_text(bad)) << bad;
}

TEST(Names, WhatIsNoTextIsRefusedInScenesRobotsAndTrajectories) {
  for (const char* bad : {"a\xff", "a\nb"}) {
    Scene s;
    s.half_spaces.emplace_back();
    s.half_spaces[0].name = bad;
    EXPECT_NE(refusal([&] { validate(s); }).find("must be of printable characters in UTF-8"),
              std::string::npos);
    Robot robot;
    robot.links.emplace_back();
    robot.links[0].name = bad;
    robot.joints.emplace_back();
    EXPECT_NE(refusal([&] { require_robot(robot, "r"); }).find("printable characters in UTF-8"),
              std::string::npos);
    EXPECT_NE(refusal([&] { Trajectory({bad}, {0}, {0}); }).find("UTF-8"), std::string::npos);
  }
}

TEST(Collada, CollisionMeshesAreReadByWhoeverCanAndCountAgainstTheLimit) {
  const fs::path folder = fs::temp_directory_path() / ("haptos_dae_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "a.dae") << "x";
  std::ofstream(folder / "r.urdf") << R"(<robot name="r"><link name="a"><collision><geometry>
      <mesh filename="a.dae" scale="2 2 2"/></geometry></collision></link></robot>)";
  UrdfOptions o;
  EXPECT_NE(
      refusal([&] { read_urdf(folder / "r.urdf", o); }).find("must be .stl, .obj, .ply or .off"),
      std::string::npos);
  o.read_other = [](const fs::path&) {
    return TriMesh{{{{0, 0, 0}}, {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}},
                   {{{0, 2, 1}}, {{0, 1, 3}}, {{1, 2, 3}}, {{0, 3, 2}}}};
  };
  const Robot robot = read_urdf(folder / "r.urdf", o);
  ASSERT_TRUE(robot.links[0].collisions[0].shape.mesh);
  EXPECT_EQ(robot.links[0].collisions[0].shape.kind, ShapeKind::kHull);
  EXPECT_EQ(robot.links[0].collisions[0].shape.mesh->vertices[1][0], 2.0);
  o.meshes.max_elements = 3;
  EXPECT_NE(refusal([&] { read_urdf(folder / "r.urdf", o); }).find("simplify it"),
            std::string::npos);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace haptos
