// SRDF: links that never touch, and named positions.
#include "haptos/files/urdf/srdf.h"

#include "haptos/scene/robot/robot_check.h"
#include "tests/outside_data.h"
#include "tests/unit/bad_input.h"
#include "tests/unit/urdf_text.h"

namespace haptos {
namespace {

using namespace test;

Robot two_joints(RobotBase base = RobotBase::kFixed) {
  UrdfOptions o;
  o.base = base;
  return parse_robot(
      robot_of(link("a") + link("b") + link("c") + joint("j", "revolute", "a", "b", kLimit) +
               joint("k", "revolute", "b", "c",
                     std::string(kLimit) + "<mimic joint=\"j\" multiplier=\"2\" offset=\"0.1\"/>")),
      o);
}
constexpr const char* kText =
    "<robot name=\"r\">\n<group name=\"g\"><joint name=\"j\"/></group>\n"
    "<virtual_joint name=\"root\" type=\"floating\" parent_frame=\"w\" child_link=\"a\"/>\n"
    "<group_state name=\"home\" group=\"g\"><joint name=\"root\" value=\"1 2 3 0 0 0.6 0.8\"/>\n"
    "<joint name=\"j\" value=\"0.25\"/><joint name=\"none\" value=\"1\"/></group_state>\n"
    "<disable_collisions link1=\"c\" link2=\"a\" reason=\"Never\"/>\n"
    "<disable_collisions link1=\"a\" link2=\"b\"/><disable_collisions link1=\"b\" link2=\"a\"/>\n"
    "<disable_collisions link1=\"a\" link2=\"gone\"/></robot>";

TEST(Srdf, PairsAreKeptOnceAndStatesSetTheStart) {
  Robot r = two_joints();
  EXPECT_EQ(r.joints[2].position, std::vector<double>{0.1}) << "it follows from 0";
  parse_srdf(kText, "r.srdf", r, "home");
  const std::vector<std::pair<int, int>> pairs = {{0, 1}, {0, 2}};
  EXPECT_EQ(r.no_contact, pairs);
  EXPECT_EQ(r.joints[1].position, std::vector<double>{0.25});
  EXPECT_EQ(r.joints[2].position, std::vector<double>{0.6});
  EXPECT_TRUE(r.joints[0].position.empty()) << "the base is fixed here";
  ASSERT_EQ(r.warnings.size(), 2u) << all_warnings(r);
  EXPECT_EQ(r.warnings[0], "r.srdf:5: state \"home\": the robot has no joint \"none\".");
  Robot free = two_joints(RobotBase::kFloating);
  parse_srdf(kText, "r.srdf", free, "home");
  const std::vector<double> pose = {1, 2, 3, 0.8, 0, 0, 0.6};
  ASSERT_EQ(free.joints[0].position.size(), 7u);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_NEAR(free.joints[0].position[k], pose[k], 1e-15);
  Robot still = two_joints();
  parse_srdf(kText, "r.srdf", still);
  EXPECT_TRUE(still.joints[1].position.empty());
  EXPECT_EQ(still.no_contact.size(), 2u);
}

TEST(Srdf, WhatIsWrongIsOneSentence) {
  const auto says = [](const std::string& text, const std::string& part, const std::string& state) {
    Robot r = two_joints();
    const InputError e = refused([&] { parse_srdf(text, "r.srdf", r, state); });
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    EXPECT_TRUE(r.no_contact.empty()) << "the robot is left as it was";
  };
  says(kText, "state = \"hom\": is not in this file; did you mean \"home\"?", "hom");
  says("<robt/>", "holds one <robot>", "");
  says("<robot><disable_collisions link1=\"a\"/></robot>", "no attribute link2", "");
  says("<robot><group_state name=\"s\"><joint name=\"j\" value=\"1 2\"/></group_state></robot>",
       "must be 1 number", "s");
  says("<robot><group_state name=\"s\"><joint name=\"j\" value=\"nan\"/></group_state></robot>",
       "value = nan", "s");
  says("", "the file is empty", "");
}

TEST(Srdf, TheStatesOfOtherProjectsStandInsideTheLimits) {
  HAPTOS_OUTSIDE_FILE(robots, "robots");
  struct Case {
    const char *urdf, *srdf, *state;
    std::size_t pairs;
  };
  for (const Case& c :
       {Case{"panda_description/urdf/panda.urdf", "panda_description/srdf/panda.srdf", "default",
             35},
        Case{"go2_description/urdf/go2.urdf", "go2_description/srdf/go2.srdf", "standing", 14}}) {
    UrdfOptions o;
    o.base = RobotBase::kFloating;
    Robot r = read_urdf(robots / c.urdf, o);
    read_srdf(robots / c.srdf, r, c.state);
    EXPECT_EQ(r.no_contact.size(), c.pairs) << c.srdf;
    for (const RobotFinding& f : check_robot(r))
      EXPECT_EQ(f.sentence.find("outside its limits"), std::string::npos) << f.element;
    if (std::string(c.state) != "standing") continue;
    // All four feet of the quadruped are within a few centimetres of the ground.
    const std::vector<Pose> pose = start_poses(r);
    int feet = 0;
    for (std::size_t i = 0; i < r.links.size(); ++i)
      if (r.links[i].name.ends_with("_foot")) {
        ++feet;
        EXPECT_NEAR(pose[i].p[2], 0.03, 0.02) << r.links[i].name;
      }
    EXPECT_EQ(feet, 4);
  }
}

}  // namespace
}  // namespace haptos
