// Where the URDF reader finds files: relative paths, packages, textures, mesh formats, xacro.
#include <stdlib.h>

#include <chrono>

#include "haptos/geometry/mesh/mesh_edit.h"
#include "tests/unit/bad_input.h"
#include "tests/unit/urdf_text.h"

namespace haptos {
namespace {

namespace fs = std::filesystem;
using namespace test;

// An environment variable for a while.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* v = getenv(name)) kept_ = v, had_ = true;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (had_)
      setenv(name_, kept_.c_str(), 1);
    else
      unsetenv(name_);
  }

 private:
  const char* name_;
  std::string kept_;
  bool had_ = false;
};

std::string with_collision(const std::string& file, const std::string& rest = "") {
  return robot_of(link("a", collision(mesh(file, rest))));
}
std::string found(const fs::path& robot, const UrdfOptions& o = {}) {
  return read_urdf(robot, o).links[0].collisions[0].file;
}

TEST(UrdfFiles, MeshesAreScaledEachWayAndMirroredOnesKeepTheirOutside) {
  const Folder folder;
  folder.write("urdf/part.obj", kTetrahedron);
  const Robot r = read_urdf(
      folder.write("urdf/robot.urdf", with_collision("part.obj", "scale=\"0.001 -0.002 0.003\"")));
  const RobotShape& s = r.links[0].collisions[0];
  EXPECT_EQ(s.shape.kind, ShapeKind::kHull);
  EXPECT_EQ(s.scale[1], -0.002);
  ASSERT_TRUE(s.shape.mesh);
  EXPECT_EQ(bounding_box(s.shape.mesh->vertices).lo[1], -0.002);
  EXPECT_NEAR(signed_volume(*s.shape.mesh), 6e-9 / 6, 1e-22);
  UrdfOptions o;
  o.hulls = false;
  EXPECT_EQ(read_urdf(folder.path / "urdf/robot.urdf", o).links[0].collisions[0].shape.kind,
            ShapeKind::kMesh);
}

TEST(UrdfFiles, AMeshThatIsNamedOftenIsReadOnce) {
  const Folder folder;
  folder.write("part.obj", kTetrahedron);
  const Robot r = read_urdf(folder.write(
      "robot.urdf", robot_of(link("a", visual(mesh("part.obj")) + collision(mesh("part.obj")) +
                                           collision(mesh("./part.obj", "scale=\"2 2 2\""))))));
  const RobotLink& l = r.links[0];
  EXPECT_EQ(l.visuals[0].shape.mesh, l.collisions[0].shape.mesh);
  EXPECT_NE(l.collisions[1].shape.mesh, l.collisions[0].shape.mesh);
  EXPECT_EQ(l.collisions[1].file, l.collisions[0].file);
}

TEST(UrdfFiles, ThePackageOfTheFileMayBeReachedFromItsFolders) {
  const Folder folder;
  const fs::path part = folder.write("ws/arm/meshes/part.obj", kTetrahedron);
  folder.write("ws/arm/package.xml", "<package><name> arm_description </name></package>");
  for (const char* uri : {"../meshes/part.obj", "package://arm_description/meshes/part.obj",
                          "package://arm/meshes/part.obj", "model://arm/meshes/part.obj"})
    EXPECT_EQ(found(folder.write("ws/arm/urdf/robot.urdf", with_collision(uri))), part) << uri;
  EXPECT_EQ(
      found(folder.write("ws/arm/urdf/robot.urdf", with_collision("file://" + part.string()))),
      part);
  EXPECT_EQ(found(folder.write("ws/arm/urdf/robot.urdf", with_collision(part.string()))), part);
  // Without package.xml: the folder above one that is called urdf.
  fs::remove(folder.path / "ws/arm/package.xml");
  EXPECT_EQ(found(folder.write("ws/arm/urdf/robot.urdf", with_collision("../meshes/part.obj"))),
            part);
  refused([&] {
    read_urdf(folder.write("ws/arm/bots/robot.urdf", with_collision("../meshes/part.obj")));
  });
}

TEST(UrdfFiles, PackagesAreFoundByMapThenAboveThenInTheEnvironment) {
  const Folder folder;
  const fs::path robot =
      folder.write("ws/arm/urdf/robot.urdf", with_collision("package://parts/m/p/part.obj"));
  const InputError e = refused([&] { read_urdf(robot); });
  EXPECT_NE(e.diagnostic.rule.find("the package \"parts\", which was not found"), std::string::npos)
      << e.what();
  EXPECT_EQ(e.diagnostic.line, 2);

  const fs::path ament = folder.write("prefix/share/parts/m/p/part.obj", kTetrahedron);
  {
    const Environment path("AMENT_PREFIX_PATH", "/nowhere:" + (folder.path / "prefix").string());
    EXPECT_EQ(found(robot), ament);
    const fs::path ros = folder.write("ros/parts/m/p/part.obj", kTetrahedron);
    {
      const Environment more("ROS_PACKAGE_PATH", (folder.path / "ros").string());
      EXPECT_EQ(found(robot), ros);
      const fs::path near = folder.write("ws/parts/m/p/part.obj", kTetrahedron);
      EXPECT_EQ(found(robot), near);
      const fs::path given = folder.write("given/m/p/part.obj", kTetrahedron);
      UrdfOptions o;
      o.packages["parts"] = folder.path / "given";
      EXPECT_EQ(found(robot, o), given);
      o = {};
      o.search_packages = false;
      refused([&] { read_urdf(robot, o); });
    }
  }
}

TEST(UrdfFiles, AFolderAboveThatHoldsThePathStandsForThePackageAndIsNamed) {
  const Folder folder;
  const fs::path part = folder.write("copy/meshes/part.obj", kTetrahedron);
  const fs::path robot =
      folder.write("copy/urdf/robot.urdf", with_collision("package://original/meshes/part.obj"));
  const Robot r = read_urdf(robot);
  EXPECT_EQ(r.links[0].collisions[0].file, part);
  ASSERT_EQ(r.warnings.size(), 1u) << all_warnings(r);
  EXPECT_NE(r.warnings[0].find("\"original\" is not here by its name"), std::string::npos);
}

TEST(UrdfFiles, AMissingVisualIsAWarningAndAMissingCollisionAnError) {
  const Folder folder;
  folder.write("scene.dae", "<COLLADA/>");
  folder.write("bad.stl", "solid x\nfacet wrong");
  const std::string visuals = visual(mesh("none.obj")) + visual(mesh("scene.dae")) +
                              visual(mesh("bad.stl")) + visual("<box size=\"1 1 1\"/>");
  const Robot r = read_urdf(folder.write("robot.urdf", robot_of(link("a", visuals))));
  const auto& v = r.links[0].visuals;
  ASSERT_EQ(v.size(), 3u);
  EXPECT_EQ(v[0].file, folder.path / "scene.dae");
  EXPECT_FALSE(v[0].shape.mesh) << "kept as the name of a file";
  EXPECT_FALSE(v[1].shape.mesh);
  EXPECT_EQ(v[2].shape.kind, ShapeKind::kBox);
  ASSERT_EQ(r.warnings.size(), 2u) << all_warnings(r);
  EXPECT_NE(
      r.warnings[0].find("robot.urdf:2: link \"a\", visual 0, mesh \"none.obj\" is not shown"),
      std::string::npos);
  const auto collision_of = [&](const char* file) {
    return refused([&] { read_urdf(folder.write("robot.urdf", with_collision(file))); });
  };
  EXPECT_EQ(collision_of("none.obj").diagnostic.element, "link \"a\", collision 0, mesh");
  EXPECT_NE(collision_of("scene.dae").diagnostic.rule.find(".stl, .obj, .ply or .off"),
            std::string::npos);
  const InputError bad = collision_of("bad.stl");
  EXPECT_EQ(bad.diagnostic.file, folder.path / "bad.stl");
  EXPECT_NE(bad.diagnostic.remedy.find("named by link \"a\", collision 0 in"), std::string::npos);
}

TEST(UrdfFiles, TexturesAreFoundLikeMeshes) {
  const Folder folder;
  folder.write("wood.png", "png");
  const std::string text = visual("<sphere radius=\"1\"/>", "<material name=\"w\"/>");
  const std::string material =
      "<material name=\"w\"><texture filename=\"wood.png\"/></material>"
      "<material name=\"x\"><texture filename=\"none.png\"/></material>";
  const Robot r = read_urdf(folder.write("robot.urdf", robot_of(material + link("a", text))));
  EXPECT_EQ(r.links[0].visuals[0].texture, folder.path / "wood.png");
  EXPECT_TRUE(has_warning(r, "texture \"none.png\"")) << all_warnings(r);
}

TEST(UrdfFiles, ALargeMeshAsksForAScale) {
  const Folder folder;
  folder.write("part.obj", kTetrahedron);
  const Robot r =
      read_urdf(folder.write("robot.urdf", with_collision("part.obj", "scale=\"200 200 200\"")));
  EXPECT_TRUE(has_warning(r, "is 200 m large; is a scale of 0.001 missing?")) << all_warnings(r);
}

// ------------------------------------------------------------------------------------------ xacro

// A program that stands in for xacro.
fs::path program(const Folder& folder, const std::string& body) {
  fs::path file = folder.write("bin/expand", "#!/bin/sh\n" + body);
  fs::permissions(file, fs::perms::owner_all);
  return file;
}

TEST(UrdfXacro, ThePrintedUrdfIsRead) {
  const Folder folder;
  UrdfOptions o;
  o.xacro = program(folder, "echo noise >&2; sed \"s/SIZE/${2#size:=}/\" \"$1\"").string();
  o.xacro_arguments = {"size:=0.25"};
  // A name with blanks, quotes and a dollar reaches the program whole: there is no shell between.
  const fs::path file = folder.write("a 'b' $(touch gone)/robot.urdf.xacro",
                                     robot_of(link("a", collision("<sphere radius=\"SIZE\"/>"))));
  const Robot r = read_urdf(file, o);
  EXPECT_EQ(r.links[0].collisions[0].shape.size[0], 0.25);
  EXPECT_FALSE(fs::exists("gone"));
  o.xacro_arguments = {"--help"};
  refused([&] { read_urdf(file, o); });
}

TEST(UrdfXacro, WithoutTheProgramItSaysHowToGetIt) {
  const Folder folder;
  UrdfOptions o;
  o.xacro = "haptos-no-such-program";
  const InputError e =
      refused([&] { read_urdf(folder.write("robot.xacro", robot_of(link("a"))), o); });
  EXPECT_NE(e.diagnostic.remedy.find("pip install xacro"), std::string::npos) << e.what();
}

TEST(UrdfXacro, FailureEndlessOutputAndSilenceEndWithASentence) {
  const Folder folder;
  const fs::path file = folder.write("robot.xacro", robot_of(link("a")));
  UrdfOptions o;
  const auto said = [&](const std::string& body) {
    o.xacro = program(folder, body).string();
    return std::string(refused([&] { read_urdf(file, o); }).what());
  };
  EXPECT_NE(said("echo first >&2; echo 'undefined: x' >&2; exit 3").find(": undefined: x;"),
            std::string::npos);
  EXPECT_NE(said("(echo warning; echo 'error: no L'; echo in a.xacro) >&2; exit 2")
                .find(": error: no L;"),
            std::string::npos);
  EXPECT_NE(said("kill -9 $$").find("xacro cannot expand it"), std::string::npos);
  EXPECT_NE(said("exit 0").find("the file is empty"), std::string::npos);
  o.xml.max_bytes = 100'000;
  EXPECT_NE(said("exec cat /dev/zero").find("prints more than 100000 bytes"), std::string::npos);
  o.xacro_seconds = 0.2;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_NE(said("sleep 30").find("longer than 0.2 s"), std::string::npos);
  EXPECT_NE(said("exec >&- 2>&-; sleep 30").find("longer than 0.2 s"), std::string::npos);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5.0);
}

}  // namespace
}  // namespace haptos
