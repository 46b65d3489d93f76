// Bad robots, row by row: each is one InputError of one sentence that says where, what and how to
// mend it. Rows about files are in test_urdf_bad_files.cpp; those that URDF has nothing of are left
// out (10 includes, 18 time steps).
#include <chrono>
#include <clocale>

#include "haptos/scene/robot/robot_check.h"
#include "tests/unit/bad_input.h"
#include "tests/unit/urdf_text.h"

namespace haptos {
namespace {

namespace fs = std::filesystem;
using namespace test;

// The refusal of a text, which must hold all the parts.
void says(const std::string& text, std::initializer_list<const char*> parts,
          const UrdfOptions& options = {}) {
  const InputError e = refused([&] { parse_robot(text, options); });
  for (const char* part : parts)
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << "\n" << e.what();
  EXPECT_EQ(e.diagnostic.file, "robot.urdf") << e.what();
}

std::string limited(const std::string& type, const std::string& limit) {
  return robot_of(link("a") + link("b") + joint("j", type, "a", "b", limit));
}

TEST(UrdfBadInput, Row1AnEmptyFile) {
  says("", {"robot.urdf: the file is empty"});
  says("<?xml version=\"1.0\"?>\n<!-- nothing -->\n", {"holds no XML element"});
}

TEST(UrdfBadInput, Row2EveryPrefixOfARobotIsRefused) {
  const std::string text = robot_of(link("a", inertial() + collision("<box size=\"1 1 1\"/>")) +
                                    link("b") + "\n" + joint("j", "revolute", "a", "b", kLimit));
  ASSERT_NO_THROW(parse_robot(text));
  const std::size_t whole = text.rfind('>') + 1;
  for (std::size_t n = 1; n < whole; ++n) refused([&] { parse_robot(text.substr(0, n)); });
  says("<robot>\n<link name=\"a\">\n<inertial>\n</robot>", {"robot.urdf:4:", "this is not XML"});
  says("<robot><link name=\"a/></robot>", {"robot.urdf:1:", "this is not XML"});
}

TEST(UrdfBadInput, Row3WhatIsNoText) {
  std::string random;
  for (unsigned i = 0; i < 300; ++i) random += static_cast<char>(1 + (i * 167 + i * i * 31) % 255);
  says(random, {"robot.urdf:1:"});
  using namespace std::string_literals;
  says("\xff\xfe<\0r\0"s, {"UTF-16"});
  says("<robot>\n<link name=\"a\0b\"/></robot>"s, {"robot.urdf:2", "NUL byte"});
  says("<robot>\n<link name=\"caf\xe9\"/></robot>", {"robot.urdf:2:16", "is not UTF-8 text"});
  says("solid part\n facet normal 0 0 0\n", {"holds no XML element"});
  says("<mujoco model=\"m\"/>", {"<mujoco>", "this is MJCF"});
  says("<sdf/>", {"this is SDF"});
  says("<robot name=\"r\"/><robot/>", {"stands beside <robot>"});
}

TEST(UrdfBadInput, Row4DeepNesting) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "<robot>\n";
  says(text, {"this is not XML"});
  for (int i = 0; i < 20'000; ++i) text += "</robot>";
  says(text, {"robot.urdf:257:", "nested deeper than 256"});
}

TEST(UrdfBadInput, Row5EntitiesAreNotExpanded) {
  std::string bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY a0 \"lol\">\n";
  for (int i = 1; i < 30; ++i) {
    bomb += "<!ENTITY a" + std::to_string(i) + " \"";
    for (int k = 0; k < 10; ++k) bomb += "&a" + std::to_string(i - 1) + ";";
    bomb += "\">\n";
  }
  bomb += "]>\n<robot name=\"&a29;\"/>";
  says(bomb, {"robot.urdf:2:1", "document type declarations"});
}

TEST(UrdfBadInput, Row6ExternalEntitiesAreNotOpened) {
  says("<!DOCTYPE r [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><robot name=\"&x;\"/>",
       {"document type declarations"});
  says("<!DOCTYPE r SYSTEM \"http://169.254.169.254/\"><robot/>", {"document type declarations"});
  says("<!DOCTYPE r [<!ENTITY", {"document type declarations"});
}

TEST(UrdfBadInput, Row12MistypedAttributes) {
  says(robot_of(link("a", collision("<box sizee=\"1 1 1\"/>"))),
       {"robot.urdf:2", "sizee", "did you mean \"size\"?"});
  says(robot_of(link("a", collision("<sphere raduis=\"1\"/>"))), {"did you mean \"radius\"?"});
  says(arm("<limit lower=\"0\" uper=\"1\" effort=\"1\" velocity=\"1\"/>"),
       {"did you mean \"upper\"?"});
  says(robot_of(link("a", collision("<boxx size=\"1 1 1\"/>"))),
       {"<boxx>", "did you mean \"box\"?"});
  says(robot_of(link("a") + link("b") + joint("j", "revolut", "a", "b")),
       {"type = \"revolut\"", "did you mean \"revolute\"?"});
}

TEST(UrdfBadInput, Row13NamesGivenTwice) {
  says(robot_of(link("a") + link("b") + link("a")), {"robot.urdf:4", "link \"a\"", "in line 2"});
  says(robot_of(link("a") + link("b") + link("c") + joint("j", "fixed", "a", "b") +
                joint("j", "fixed", "b", "c")),
       {"robot.urdf:6", "joint \"j\"", "in line 5"});
  const std::string m = "<material name=\"m\"><color rgba=\"1 0 0 1\"/></material>\n";
  says(robot_of(m + m + link("a")), {"robot.urdf:3", "material \"m\"", "in line 2"});
  says(robot_of("<link name=\"a\" name=\"b\"/>"), {"robot.urdf:2:16", "name is given twice"});
  says(robot_of(link("a", inertial() + inertial())), {"<inertial> is given twice"});
}

TEST(UrdfBadInput, Row14LinksAndJointsThatAreNotThere) {
  says(robot_of(link("forearm") + link("b") + joint("j", "fixed", "forarm", "b")),
       {"robot.urdf:4", "parent = \"forarm\"", "did you mean \"forearm\"?"});
  says(robot_of(link("a") + link("b") + joint("j", "fixed", "a", "something_else")),
       {"child = \"something_else\"", "there are \"a\", \"b\""});
  says(arm(kLimit + std::string("<mimic joint=\"elbow\"/>")),
       {"mimic = \"elbow\"", "there is no such joint"});
  says(robot_of(link("a") + "<joint name=\"j\" type=\"fixed\"><child link=\"a\"/></joint>"),
       {"joint \"j\"", "has no <parent>"});
  says(robot_of("<link/>"), {"a link", "has no attribute name"});
  says(robot_of("<link name=\"\"/>"), {"name is empty"});
  says(robot_of(link(std::string(5000, 'x'))), {"5000 bytes"});
  for (const char* c : {"&#10;", "&#27;[2J", "&#x9b;", "\x7f"})
    says(robot_of(link(std::string("a") + c)), {"must not hold control characters"});
}

TEST(UrdfBadInput, Row15Masses) {
  const auto body = [](const std::string& mass) {
    return robot_of(link("a", "<inertial><mass value=\"" + mass +
                                  "\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial>"));
  };
  says(body("-1"), {"robot.urdf:2", "link \"a\", inertial, mass", "= -1", "must lie between 0"});
  says(body("nan"), {"= nan", "must be a number"});
  says(body("1e400"), {"= 1e400"});
  says(body(""), {"must be 1 number"});
  says(body("1 2"), {"must be 1 number"});
  says(robot_of(link("a", "<inertial><mass value=\"1\"/></inertial>")), {"has no <inertia>"});
  // Mass 0 where something moves: read, and an error of the check.
  const Robot r =
      parse_robot(robot_of(link("a") + link("b", "") + joint("j", "revolute", "a", "b", kLimit)));
  const InputError e = refused([&] { require_robot(r, "robot.urdf"); });
  EXPECT_NE(std::string(e.what()).find("joint \"j\": It moves without inertia: link \"b\""),
            std::string::npos)
      << e.what();
}

TEST(UrdfBadInput, Row16Inertias) {
  const auto found = [](const std::string& inertia, const char* part) {
    const Robot r = parse_robot(
        robot_of(link("a", "<inertial><mass value=\"1\"/><inertia " + inertia + "/></inertial>")));
    const std::vector<RobotFinding> f = check_robot(r);
    ASSERT_FALSE(f.empty());
    EXPECT_NE(f[0].sentence.find(part), std::string::npos) << f[0].sentence;
  };
  found("ixx=\"1\" iyy=\"1\" izz=\"10\"",
        "moments of inertia are 1, 1, 10 kg m2, which breaks the triangle inequality");
  found("ixx=\"1\" iyy=\"-1\" izz=\"1\"", "are -1, 1, 1 kg m2, and none may be negative");
  found("ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"5\"", "are -4, 1, 6 kg m2, and none may be negative");
  found("ixx=\"0\" iyy=\"0\" izz=\"0\"", "no inertia, as a point has");
  says(robot_of(link("a",
                     "<inertial><mass value=\"1\"/><inertia ixx=\"inf\" iyy=\"1\" izz=\"1\"/>"
                     "</inertial>")),
       {"inertia, ixx = inf"});
  says(
      robot_of(link("a", "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\"/></inertial>")),
      {"<inertia> has no attribute izz"});
}

TEST(UrdfBadInput, Row17Positions) {
  const auto at = [](const std::string& origin) {
    return arm("<origin " + origin + "/>" + kLimit);
  };
  says(at("xyz=\"0 nan 0\""), {"joint \"j\", origin, xyz = nan"});
  says(at("xyz=\"0 inf 0\""), {"origin, xyz = inf", "must lie between"});
  says(at("xyz=\"0 1e300 0\""), {"origin, xyz = 1e300"});
  says(at("rpy=\"0 0 -inf\""), {"origin, rpy = -inf"});
  says(at("rpy=\"0 0\""), {"rpy = \"0 0\"", "must be 3 numbers"});
  says(at("xyz=\"0 0 0 0\""), {"must be 3 numbers"});
  says(at("quat_xyzw=\"0 0 0 0\""), {"must not be 0"});
  says(at("rpy=\"0 0 0\" quat_xyzw=\"0 0 0 1\""), {"both rpy and quat_xyzw"});
}

TEST(UrdfBadInput, Row19FrictionAndDamping) {
  const auto dynamics = [](const std::string& d) {
    return arm(std::string(kLimit) + "<dynamics " + d + "/>");
  };
  says(dynamics("friction=\"-1\""), {"joint \"j\", dynamics, friction = -1"});
  says(dynamics("friction=\"nan\""), {"friction = nan"});
  says(dynamics("damping=\"-0.1\""), {"damping = -0.1"});
  says(dynamics("damping=\"inf\""), {"damping = inf"});
  const auto contact = [](const std::string& c) { return robot_of(link("a", c)); };
  says(contact("<contact><lateral_friction value=\"-1\"/></contact>"),
       {"link \"a\", contact, lateral_friction, value = -1"});
  says(contact("<collision><geometry><sphere radius=\"1\"/></geometry><contact_coefficients "
               "mu=\"nan\"/></collision>"),
       {"mu = nan"});
}

TEST(UrdfBadInput, Row20Sizes) {
  const auto shape = [](const std::string& s) { return robot_of(link("a", collision(s))); };
  says(shape("<sphere radius=\"0\"/>"), {"sphere, radius = 0", "must lie between 1e-09 and"});
  says(shape("<sphere radius=\"-1\"/>"), {"radius = -1"});
  says(shape("<sphere radius=\"1e300\"/>"), {"radius = 1e300"});
  says(shape("<sphere radius=\"1e-300\"/>"), {"radius = 1e-300"});
  says(shape("<box size=\"1 1 0\"/>"), {"box, size = 0"});
  says(shape("<plane normal=\"0 0 0\"/>"), {"normal = 0 0 0", "must not be 0"});
  says(robot_of(link("a", visual("<sphere radius=\"-1\"/>"))), {"radius = -1"});
  says(shape("<box size=\"1 1\"/>"), {"must be 3 numbers"});
  says(shape("<cylinder radius=\"1\"/>"), {"<cylinder> has no attribute length"});
  says(shape(""), {"geometry: is empty"});
  says(shape("<box size=\"1 1 1\"/><sphere radius=\"1\"/>"), {"both <box> and <sphere>"});
  says(shape("<mesh filename=\"a.obj\" scale=\"1 0 1\"/>"), {"scale = 1 0 1", "must not be 0"});
  says(robot_of(link("a", "<collision/>")), {"has no <geometry>"});
}

TEST(UrdfBadInput, Row21LimitsAxesAndMimics) {
  const std::string ok = kLimit;
  says(arm("<limit lower=\"1\" upper=\"-1\" effort=\"1\" velocity=\"1\"/>"),
       {"robot.urdf:5", "joint \"j\", limit = 1 to -1", "lower must not be above upper"});
  says(arm("<limit lower=\"inf\" upper=\"inf\" effort=\"1\" velocity=\"1\"/>"), {"no position"});
  says(arm("<limit lower=\"nan\" upper=\"1\" effort=\"1\" velocity=\"1\"/>"), {"lower = nan"});
  says(arm("<limit lower=\"0\" upper=\"1\" effort=\"-1\" velocity=\"1\"/>"), {"effort = -1"});
  says(arm("<axis xyz=\"0 0 0\"/>" + ok), {"axis xyz = 0 0 0", "must not be 0"});
  says(arm("<axis xyz=\"0 1\"/>" + ok), {"must be 3 numbers"});
  says(arm(""), {"a revolute joint must have a <limit>"});
  says(limited("prismatic", ""), {"a prismatic joint must have a <limit>"});
  says(arm(ok + "<mimic joint=\"j\"/>"), {"mimic = \"j\" -> \"j\"", "must not follow itself"});
  const std::string ring = link("a") + link("b") + link("c") +
                           joint("x", "revolute", "a", "b", ok + "<mimic joint=\"y\"/>") +
                           joint("y", "revolute", "b", "c", ok + "<mimic joint=\"x\"/>");
  says(robot_of(ring), {"\"x\" -> \"y\" -> \"x\"", "must not follow itself"});
  says(limited("floating", "<mimic joint=\"j\"/>"), {"cannot mimic"});
}

TEST(UrdfBadInput, Row22WhatIsNoTree) {
  says(robot_of(""), {"has no links"});
  says(robot_of(link("a") + link("b")), {"robot.urdf:3", "\"a\", \"b\"", "one root"});
  says(robot_of(link("a") + link("b") + link("c") + joint("x", "fixed", "a", "b") +
                joint("y", "fixed", "b", "c") + joint("z", "fixed", "c", "a")),
       {"the links = ", "\"a\" -> \"b\" -> \"c\" -> \"a\"", "form a loop"});
  says(robot_of(link("r") + link("a") + link("b") + joint("x", "fixed", "a", "b") +
                joint("y", "fixed", "b", "a")),
       {"\" -> \"", "form a loop"});
  says(
      robot_of(link("a") + link("b") + link("c") + joint("x", "fixed", "a", "c") + "\n" +
               joint("y", "fixed", "b", "c")),
      {"robot.urdf:7", "joint \"y\", child = \"c\"", "already the child of joint \"x\" in line 5"});
  says(robot_of(link("a") + joint("x", "fixed", "a", "a")), {"ties a link to itself"});
}

TEST(UrdfBadInput, Row23ADecimalCommaIsNoNumberInAnyLocale) {
  const std::string text = robot_of(link("a", collision("<sphere radius=\"1,5\"/>")));
  says(text, {"radius = 1,5", "is not a number", "decimal point"});
  const char* before = std::setlocale(LC_ALL, nullptr);
  const std::string kept = before ? before : "C";
  for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"})
    if (std::setlocale(LC_ALL, name)) {
      says(text, {"radius = 1,5", "is not a number"});
      const Robot r = parse_robot(robot_of(link("a", collision("<sphere radius=\"1.5\"/>"))));
      EXPECT_EQ(r.links[0].collisions[0].shape.size[0], 1.5);
    }
  std::setlocale(LC_ALL, kept.c_str());
  says(robot_of(link("a", collision("<sphere radius=\"0x10\"/>"))), {"is not a number"});
  says(robot_of(link("a", collision("<sphere radius=\"1.5m\"/>"))), {"is not a number"});
}

TEST(UrdfBadInput, Row24LimitsHoldBeforeMemoryIsTaken) {
  const auto start = std::chrono::steady_clock::now();
  UrdfOptions o;
  o.xml.max_bytes = 1000;
  says(robot_of(std::string(2000, ' ')), {"bytes and the limit is 1000"}, o);
  o = {};
  o.xml.max_elements = 100;
  std::string many;
  for (int i = 0; i < 200; ++i) many += "<a/>";
  says(robot_of(many), {"more than 100 elements"}, o);
  o = {};
  o.meshes.max_elements = 10;
  const Folder folder;
  folder.write("bot/part.obj", kTetrahedron);
  folder.write("bot/other.obj", kTetrahedron);
  folder.write("bot/third.obj", kTetrahedron);
  const fs::path robot =
      folder.write("bot/robot.urdf",
                   robot_of(link("a", collision(mesh("part.obj")) + collision(mesh("other.obj")) +
                                          collision(mesh("third.obj")))));
  refused([&] { read_urdf(robot, o); });  // 12 triangles together
  o.meshes.max_elements = 12;
  EXPECT_NO_THROW(read_urdf(robot, o));
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2.0);
}

TEST(UrdfBadInput, XacroInAUrdfFileIsNamed) {
  says(robot_of("<xacro:macro name=\"m\"/>" + link("a")),
       {"<xacro:macro>", "is an instruction for xacro", "ends with .xacro"});
  says(arm("<origin xyz=\"$(optenv X 0.1) 0 0\"/>" + std::string(kLimit)),
       {"$(optenv", "is not a number", "ends with .xacro"});
}

}  // namespace
}  // namespace haptos
