// The URDF reader: what it makes of good files.
#include "haptos/scene/robot/robot_check.h"
#include "tests/unit/urdf_text.h"

namespace haptos {
namespace {

using namespace test;

constexpr double kInf = RobotJoint::kNone;

TEST(Urdf, EveryKindOfJointIsReadWithItsNumbers) {
  const std::string limit = "<limit lower=\"-0.5\" upper=\"1.5\" effort=\"30\" velocity=\"3\"/>";
  const std::string dynamics = "<dynamics damping=\"0.25\" friction=\"0.125\"/>";
  std::string text;
  for (const char* n : {"base", "a", "b", "c", "d", "e", "f", "g"}) text += link(n);
  text += joint("j0", "revolute", "base", "a",
                "<origin xyz=\"1 2 3\"/><axis xyz=\"0 3 4\"/>" + limit + dynamics);
  text += joint("j1", "continuous", "a", "b", "<axis xyz=\"0 0 -1\"/>");
  text += joint("j2", "prismatic", "b", "c", limit);
  text += joint("j3", "fixed", "c", "d", "<axis xyz=\"0 0 0\"/>");
  text += joint("j4", "floating", "d", "e");
  text += joint("j5", "planar", "e", "f", "<axis xyz=\"0 0 1\"/>");
  text += joint("j6", "ball", "f", "g");
  const Robot r = parse_robot(robot_of(text));
  EXPECT_EQ(r.name, "r");
  ASSERT_EQ(r.joints.size(), 8u);
  const JointKind kinds[] = {JointKind::kFixed,     JointKind::kRevolute, JointKind::kRevolute,
                             JointKind::kPrismatic, JointKind::kFixed,    JointKind::kFree,
                             JointKind::kPlanar,    JointKind::kBall};
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_EQ(r.joints[i].kind, kinds[i]) << i;
    EXPECT_EQ(r.joints[i].child, static_cast<int>(i));
    EXPECT_EQ(r.joints[i].parent, static_cast<int>(i) - 1);
  }
  EXPECT_EQ(r.joints[0].name, "base");
  EXPECT_EQ(degrees_of_freedom(r), 1 + 1 + 1 + 0 + 6 + 3 + 3);
  const RobotJoint& j = r.joints[1];
  EXPECT_NEAR(norm(j.axis - Vec3d{{0, 0.6, 0.8}}), 0, 1e-15);
  EXPECT_EQ(j.frame.p[2], 3);
  EXPECT_EQ(j.lower, -0.5);
  EXPECT_EQ(j.upper, 1.5);
  EXPECT_EQ(j.effort, 30);
  EXPECT_EQ(j.speed, 3);
  EXPECT_EQ(j.damping, 0.25);
  EXPECT_EQ(j.friction, 0.125);
  EXPECT_EQ(r.joints[2].lower, -kInf);
  EXPECT_EQ(r.joints[2].effort, kInf);
  EXPECT_EQ(r.joints[2].axis[2], -1);
  EXPECT_EQ(r.joints[3].axis[0], 1) << "the axis is x where none is given";
}

TEST(Urdf, AnglesTurnAboutTheFixedAxesXThenYThenZ) {
  const double roll = 0.3, pitch = -0.7, yaw = 1.1;
  const Robot r = parse_robot(arm("<origin rpy=\"0.3 -0.7 1.1\"/>" + std::string(kLimit)));
  const double cr = std::cos(roll), sr = std::sin(roll), cp = std::cos(pitch), sp = std::sin(pitch),
               cy = std::cos(yaw), sy = std::sin(yaw);
  const Mat3d expected{{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp,
                        sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr}};
  const Mat3d turn = to_matrix(r.joints[1].frame.q);
  for (int k = 0; k < 9; ++k) EXPECT_NEAR(turn[k], expected[k], 1e-15) << k;
  const Robot q = parse_robot(arm("<origin quat_xyzw=\"0 0 0.6 0.8\"/>" + std::string(kLimit)));
  EXPECT_NEAR(q.joints[1].frame.q.w, 0.8, 1e-15);
  EXPECT_NEAR(q.joints[1].frame.q.z, 0.6, 1e-15);
}

TEST(Urdf, InertiaIsTurnedIntoTheAxesOfTheLink) {
  const std::string body =
      "<inertial><origin xyz=\"0.1 0.2 0.3\" rpy=\"0 0 1.5707963267948966\"/><mass value=\"2\"/>"
      "<inertia ixx=\"1\" ixy=\"0.1\" ixz=\"0.2\" iyy=\"2\" iyz=\"0.3\" izz=\"2.5\"/></inertial>";
  const RobotLink l = parse_robot(robot_of(link("a", body))).links[0];
  EXPECT_EQ(l.mass, 2);
  EXPECT_EQ(l.centre[1], 0.2);
  // A quarter turn about z: x' = y, y' = -x.
  EXPECT_NEAR(l.inertia(0, 0), 2, 1e-15);
  EXPECT_NEAR(l.inertia(1, 1), 1, 1e-15);
  EXPECT_NEAR(l.inertia(2, 2), 2.5, 1e-15);
  EXPECT_NEAR(l.inertia(0, 1), -0.1, 1e-15);
  EXPECT_NEAR(l.inertia(0, 2), -0.3, 1e-15);
  EXPECT_NEAR(l.inertia(1, 2), 0.2, 1e-15);
  EXPECT_EQ(l.inertia(0, 1), l.inertia(1, 0));
}

TEST(Urdf, PrimitivesAreHalvedAndKeepTheirFrames) {
  const std::string shapes =
      "<collision name=\"c\"><origin xyz=\"1 0 0\"/><geometry><box size=\"2 4 6\"/></geometry>"
      "</collision>" +
      collision("<sphere radius=\"0.5\"/>") +
      collision("<cylinder radius=\"0.25\" length=\"3\"/>") +
      collision("<capsule radius=\"0.125\" length=\"1\"/>") +
      collision("<drake:capsule radius=\"0.125\" length=\"1\"/>") +
      visual("<sphere radius=\"2\"/>");
  const Robot r = parse_robot(robot_of(link("a", shapes)));
  const RobotLink& l = r.links[0];
  ASSERT_EQ(l.collisions.size(), 5u);
  ASSERT_EQ(l.visuals.size(), 1u);
  EXPECT_EQ(l.collisions[0].name, "c");
  EXPECT_EQ(l.collisions[0].frame.p[0], 1);
  EXPECT_EQ(l.collisions[0].shape.kind, ShapeKind::kBox);
  EXPECT_EQ(l.collisions[0].shape.size[2], 3);
  EXPECT_EQ(l.collisions[1].shape.kind, ShapeKind::kSphere);
  EXPECT_EQ(l.collisions[1].shape.size[0], 0.5);
  EXPECT_EQ(l.collisions[2].shape.kind, ShapeKind::kCylinder);
  EXPECT_EQ(l.collisions[2].shape.size[1], 1.5);
  for (std::size_t k : {3u, 4u}) {
    EXPECT_EQ(l.collisions[k].shape.kind, ShapeKind::kCapsule);
    EXPECT_EQ(l.collisions[k].shape.size[1], 0.5);
  }
  EXPECT_TRUE(r.warnings.empty()) << all_warnings(r);
}

TEST(Urdf, APlaneIsAHalfSpaceBelowItsNormal) {
  const Robot r = parse_robot(robot_of(link(
      "a", collision("<plane normal=\"0 2 0\"/>") + collision("<plane/>") +
               collision("<plane normal=\"0 0 -1\"/>") + collision("<plane normal=\"1 -2 2\"/>"))));
  const Vec3d normals[] = {{{0, 1, 0}}, {{0, 0, 1}}, {{0, 0, -1}}, {{1. / 3, -2. / 3, 2. / 3}}};
  for (std::size_t k = 0; k < 4; ++k) {
    const RobotShape& s = r.links[0].collisions[k];
    EXPECT_EQ(s.shape.kind, ShapeKind::kHalfSpace);
    EXPECT_NEAR(norm(column(to_matrix(s.frame.q), 2) - normals[k]), 0, 1e-15) << k;
  }
}

TEST(Urdf, MaterialsComeFromTheVisualTheRobotOrAnEarlierVisual) {
  const std::string ball = "<sphere radius=\"1\"/>";
  const std::string shapes =
      visual(ball, "<material name=\"red\"/>") + visual(ball, "<material name=\"later\"/>") +
      visual(ball, "<material name=\"\"><color rgba=\"0 0 1 0.5\"/></material>") +
      visual(ball, "<material name=\"rad\"/>") +
      visual(ball, "<material name=\"later\"><color rgba=\"0 1 0 1\"/></material>") +
      visual(ball, "<material name=\"later\"><color rgba=\"1 1 0 1\"/></material>");
  const Robot r = parse_robot(
      robot_of(link("a", shapes) + "<material name=\"red\"><color rgba=\"1 0 0 1\"/></material>"));
  const auto& v = r.links[0].visuals;
  ASSERT_EQ(v.size(), 6u);
  EXPECT_EQ(v[0].rgba[0], 1);
  EXPECT_EQ(v[0].rgba[1], 0);
  EXPECT_EQ(v[1].rgba[1], 1) << "named before it is described";
  EXPECT_EQ(v[2].rgba[3], 0.5);
  EXPECT_EQ(v[5].rgba[0], 1) << "a visual's own colour counts";
  EXPECT_TRUE(has_warning(r, "there is no material \"rad\"; did you mean \"red\"?"))
      << all_warnings(r);
  EXPECT_EQ(r.warnings.size(), 1u);
}

TEST(Urdf, ContactParametersOfCollisionsAndLinksAreRead) {
  const std::string box = "<geometry><box size=\"1 1 1\"/></geometry>";
  const Robot r = parse_robot(
      robot_of(link("a",
                    "<contact><lateral_friction value=\"0.7\"/><stiffness value=\"2e4\"/><damping "
                    "value=\"100\"/><rolling_friction value=\"0\"/></contact><collision>" +
                        box + "</collision><collision>" + box +
                        "<contact_coefficients mu=\"0.2\" kp=\"1e3\" kd=\"1\"/></collision>") +
               link("b", "<collision>" + box + "</collision>") + joint("j", "fixed", "a", "b")));
  const auto& c = r.links[0].collisions;
  EXPECT_EQ(c[0].friction, 0.7);
  EXPECT_EQ(c[0].stiffness, 2e4);
  EXPECT_EQ(c[0].relaxation_time, 5e-3);
  EXPECT_EQ(c[1].friction, 0.2);
  EXPECT_EQ(c[1].stiffness, 1e3);
  EXPECT_EQ(c[1].relaxation_time, 1e-3);
  EXPECT_EQ(r.links[1].collisions[0].friction, -1);
  EXPECT_TRUE(has_warning(r, "<rolling_friction> is not known")) << all_warnings(r);
}

TEST(Urdf, ChainsOfMimicsBecomeOneStep) {
  std::string text = link("base");
  for (const char* n : {"a", "b", "c"}) text += link(n);
  const auto mimic = [](const std::string& rest) { return kLimit + ("<mimic " + rest + "/>"); };
  text +=
      joint("ja", "revolute", "base", "a", mimic("joint=\"jb\" multiplier=\"2\" offset=\"0.5\""));
  text += joint("jb", "revolute", "a", "b", mimic("joint=\"jc\" multiplier=\"-3\" offset=\"1\""));
  text += joint("jc", "revolute", "b", "c", kLimit);
  const Robot r = parse_robot(robot_of(text));
  ASSERT_TRUE(r.joints[1].mimic);
  EXPECT_EQ(r.joints[1].mimic->joint, "jc");
  EXPECT_EQ(r.joints[1].mimic->multiplier, -6);
  EXPECT_EQ(r.joints[1].mimic->offset, 2.5);
  EXPECT_EQ(r.joints[2].mimic->multiplier, -3);
  EXPECT_FALSE(r.joints[3].mimic);
  EXPECT_EQ(degrees_of_freedom(r), 1);
}

TEST(Urdf, LinksAndJointsComeDepthFirstInTheOrderOfTheFile) {
  // The file names children before parents; branches keep the order of their joints.
  std::string text = link("tip") + link("left") + link("right") + link("root");
  text += joint("t", "fixed", "left", "tip");
  text += joint("r", "fixed", "root", "right");
  text += joint("l", "fixed", "root", "left");
  text += joint("base", "fixed", "tip", "more") + link("more");
  const Robot r = parse_robot(robot_of(text));
  const char* links[] = {"root", "right", "left", "tip", "more"};
  const int parents[] = {-1, 0, 0, 2, 3};
  ASSERT_EQ(r.links.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(r.links[i].name, links[i]);
    EXPECT_EQ(r.joints[i].parent, parents[i]);
    EXPECT_EQ(r.joints[i].child, static_cast<int>(i));
  }
  EXPECT_EQ(r.joints[0].name, "base_") << "its own name is taken";
}

TEST(Urdf, TheRootIsFixedOrFloatsAsTheOptionSays) {
  UrdfOptions o;
  o.base = RobotBase::kFloating;
  o.base_pose.p = {{0, 0, 2}};
  const Robot free = parse_robot(robot_of(link("trunk")), o);
  EXPECT_EQ(free.joints[0].kind, JointKind::kFree);
  EXPECT_EQ(free.joints[0].frame.p[2], 2);
  EXPECT_EQ(degrees_of_freedom(free), 6);
  const Robot world =
      parse_robot(robot_of(link("world", "") + link("a") + joint("j", "fixed", "world", "a")), o);
  EXPECT_EQ(world.joints[0].kind, JointKind::kFixed);
  EXPECT_TRUE(has_warning(world, "is fixed, not floating")) << all_warnings(world);
}

TEST(Urdf, WhatOtherProgramsReadIsPassedOverAndTheUnknownIsNamedOnce) {
  const std::string text =
      "<transmission name=\"t\"><type>x</type></transmission><gazebo reference=\"a\"><q/></gazebo>"
      "<drake:thing/><ros2_control name=\"c\"/>\n" +
      link("a", inertial() + "<wings/><wings/>") + link("b", "<collison/>") +
      joint("j", "revolute", "a", "b",
            std::string(kLimit) +
                "<safety_controller k_velocity=\"1\"/><calibration rising=\"0\"/>"
                "<dynamics damping=\"1\" mu_viscous=\"16\"/>");
  const Robot r = parse_robot(robot_of(text));
  ASSERT_EQ(r.warnings.size(), 3u) << all_warnings(r);
  EXPECT_EQ(r.warnings[0],
            "robot.urdf:3: link \"a\": <wings> is not known here and is left out; 2 times in this "
            "file.");
  EXPECT_TRUE(r.warnings[1].ends_with("did you mean <collision>?")) << r.warnings[1];
  EXPECT_TRUE(has_warning(r, "mu_viscous of <dynamics>"));
  EXPECT_EQ(r.joints[1].damping, 1);
}

TEST(Urdf, OddNumbersAreRemarkedOn) {
  const auto warned = [](const std::string& text, const std::string& part) {
    const Robot r = parse_robot(text);
    EXPECT_TRUE(has_warning(r, part)) << part << "\n" << all_warnings(r);
  };
  warned(arm("<limit lower=\"-180\" upper=\"180\" effort=\"1\" velocity=\"1\"/>"),
         "is it meant in degrees?");
  warned(arm("<limit effort=\"1\" velocity=\"1\"/>"), "is it meant to be continuous?");
  warned(arm("<limit lower=\"0.5\" upper=\"0.5\" effort=\"1\" velocity=\"1\"/>"),
         "lower and upper are both 0.5");
  warned(robot_of(link("a", visual("<sphere radius=\"0.0\"/>"))),
         "sphere has a size of 0 m and is not shown");
  warned(arm("<limit lower=\"0\" upper=\"1\" effort=\"0\" velocity=\"1\"/>"),
         "the effort of 1 joint is 0");
  warned(arm("<limit lower=\"0\" upper=\"1\" velocity=\"1\"/>"), "gives no effort");
  warned(arm("<axis xyz=\"0 0 2\"/>" + std::string(kLimit)), "has the length 2");
  warned(robot_of(link("a", collision("<sphere radius=\"1e-7\"/>"))), "1e-07 m is odd");
  warned(robot_of(link("a", visual("<sphere radius=\"1\"/>",
                                   "<material><color rgba=\"255 0 0 1\"/></material>"))),
         "255 was moved there");
  const Robot good = parse_robot(arm(std::string("<axis xyz=\"0 0 1\"/>") + kLimit));
  EXPECT_TRUE(good.warnings.empty()) << all_warnings(good);
}

TEST(Urdf, EntitiesCommentsAndOtherXmlAreReadAsXml) {
  const Robot r = parse_robot(
      "\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<!-- <link/> -->\r\n"
      "<robot name='a&amp;b &#x41;' xmlns:xacro=\"http://ros.org\">\r\n"
      "<link name = \"&lt;\xc3\xa9&gt;\" >text<![CDATA[ <link name=\"no\"/> ]]></link></robot>");
  EXPECT_EQ(r.name, "a&b A");
  ASSERT_EQ(r.links.size(), 1u);
  EXPECT_EQ(r.links[0].name, "<\xc3\xa9>");
}

TEST(Urdf, AChainOfManyLinksNeedsNoStack) {
  constexpr int n = 50'000;
  const auto named = [](char letter, int i) {
    return std::string(1, letter).append(std::to_string(i));
  };
  std::string text;
  text.reserve(n * 120);
  for (int i = 0; i < n; ++i) text += link(named('l', i), "");
  for (int i = 1; i < n; ++i)
    text += joint(named('j', i), "fixed", named('l', i - 1), named('l', i));
  const Robot r = parse_robot(robot_of(text));
  ASSERT_EQ(r.links.size(), static_cast<std::size_t>(n));
  EXPECT_EQ(r.links.back().name, "l49999");
}

}  // namespace
}  // namespace haptos
