// Bad scene files: texts that are no YAML, say something wrong, or name files that they may not.
// The table of rows is in test_bad_input.cpp.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/unit/bad_input.h"

namespace haptos {
namespace {

namespace fs = std::filesystem;
using namespace test;

struct Bad {
  int row;
  std::string text;
  int line;  ///< 0: the error is about the whole file
  std::vector<std::string> says;
};

std::string keyframe(const std::string& k) {
  return "prescribed:\n  - name: a\n    shape: none\n    trajectory:\n      - {" + k + "}\n";
}
std::string affine(const std::string& rest) {
  return "affine:\n  - {name: crate, shape: {box: {size: [1, 1, 1]}}, " + rest + "}\n";
}
std::string bomb() {
  std::string s = "a: &a [x, x, x, x, x, x, x, x, x]\n";
  for (char c = 'b'; c < 'm'; ++c) {
    s += std::string(1, c) + ": &" + c + " [";
    for (int i = 0; i < 9; ++i) s += std::string(i > 0 ? ", *" : "*") + static_cast<char>(c - 1);
    s += "]\n";
  }
  return s;
}

std::vector<Bad> bad_scenes() {
  using namespace std::string_literals;
  return {
      {1, "", 0, {"the file is empty"}},
      {1, "# nothing\n", 0, {"is empty but for comments"}},
      {1, "sim:\n", 1, {"sim = nothing", "must be a map"}},
      {3, "\xff\xfes\0i\0m\0"s, 0, {"UTF-16", "UTF-8"}},
      {3, "\xfe\xff\0s\0i\0m"s, 0, {"UTF-16"}},
      {3, "sim:\n  dt: 1\0"s, 2, {"byte 12", "NUL"}},
      {3, "sim:\n  dt: \xe9\n", 2, {"\\xe9", "is not UTF-8"}},
      {3, "sim:\n  dt: \x01\n", 2, {"\\x01", "control character"}},
      {3, "\x8f\x93\xc1 4k\xff\xfa", 1, {"is not UTF-8"}},
      {4, std::string(20000, '[') + std::string(20000, ']'), 1, {"at most 64 deep"}},
      {12, "sim: {dtt: 1}", 1, {"sim.dtt", "unknown key", "\"dt\""}},
      {12, "smi: {dt: 1}", 1, {"smi", "\"sim\""}},
      {12, soft("    materiall: {}\n"), 4, {"soft[0].materiall", "\"material\""}},
      {12, shape("{spere: {radius: 1}}"), 3, {"spere", "\"sphere\""}},
      {12, shape("{sphere: {radius: 1, facett: 1}}"), 3, {"facett", "\"facet\""}},
      {12, shape("{indenter: {name: dotz}}"), 3, {"dotz", "dots"}},
      {12, shape("{sphere: {radius: 1}}"), 3, {"no \"facet\"", "for example"}},
      {13,
       "spheres:\n  - {name: b, radius: 1, mass: 1}\n  - {name: b, radius: 1, mass: 1}\n",
       3,
       {"\"b\"", "sphere on line 2"}},
      {13, "sim: {dt: 1}\nnewton: {}\nsim: {dt: 1}\n", 3, {"sim", "line 1"}},
      {14,
       soft("    material: {}\n    glue: [{body: mont, where: base}]\n"
            "prescribed: [{name: mount, shape: none}]\n"),
       5,
       {"\"mont\"", "names nothing", "\"mount\""}},
      {14,
       soft("    material: {}\n    glue: [{body: gel, where: base}]\n"),
       5,
       {"\"gel\"", "prescribed body, an affine body or a link"}},
      {14,
       sphere("friction: 0") + "half_spaces: [{name: floor}, {name: xyzzy}]\n"
                               "pairs:\n  - {bodies: [ball, wall_of_brick]}\n",
       5,
       {"\"wall_of_brick\"", "\"ball\", \"floor\", \"xyzzy\""}},
      {15, "spheres:\n  - {name: b, radius: 1, mass: -1}\n", 2, {"mass = -1", "kg"}},
      {15, "spheres:\n  - {name: b, radius: 1, mass: 0}\n", 2, {"mass = 0", "kg"}},
      {15, "spheres:\n  - {name: b, radius: 1, mass: .nan}\n", 2, {"mass = .nan", "kg"}},
      {17, sphere("pose: {position: [0, .inf, 0]}"), 2, {"position[1] = .inf", "1e+06 m"}},
      {17, sphere("pose: {position: [nan, 0, 0]}"), 2, {"position[0] = nan"}},
      {17, sphere("pose: {position: [1e400, 0, 0]}"), 2, {"position[0] = 1e400"}},
      {17, sphere("pose: {rotation: [0, 0, 0, 0]}"), 2, {"length 0", "[1, 0, 0, 0]"}},
      {17, sphere("pose: {rotation: [2, 0, 0, 0]}"), 2, {"length 2"}},
      {17, sphere("pose: {rotation: [1, 0, .nan, 0]}"), 2, {"rotation[2] = .nan", "finite"}},
      {17, sphere("pose: {rotation: {axis: [0, 0, 0], angle: 1 deg}}"), 2, {"have a direction"}},
      {17, sphere("pose: {rotation: {axis: [0, 0, 1], angle: 30}}"), 2, {"30 deg or 30 rad"}},
      {17, sphere("velocity: [0, 0, .inf]"), 2, {"velocity[2]"}},
      {17, sphere("pose: {position: [1, 2]}"), 2, {"2 items", "must have 3"}},
      {17, "half_spaces:\n  - {name: f, normal: [0, 0, 0]}\n", 2, {"normal", "direction"}},
      {18, "sim: {dt: 0}", 1, {"sim.dt = 0 s", "from 1e-07 to 10 s"}},
      {18, "sim: {dt: -1}", 1, {"sim.dt = -1 s", "from 1e-07 to 10 s"}},
      {18, "sim: {dt: 1e9}", 1, {"sim.dt = 1e+09 s", "from 1e-07 to 10 s"}},
      {18, "sim: {dt: .NaN}", 1, {"sim.dt = nan s", "from 1e-07 to 10 s"}},
      {18, "sim: {dt: 1e400}", 1, {"sim.dt = inf s", "from 1e-07 to 10 s"}},
      {18, keyframe("time: .nan, position: [0, 0, 0]"), 5, {"time = .nan", "s"}},
      {18,
       keyframe("time: 1, position: [0, 0, 0]}\n      - {time: 1, position: [0, 0, 0]"),
       6,
       {"time = 1 s", "later than 1 s"}},
      {19, sphere("friction: -1"), 2, {"friction = -1", "from 0 to 100"}},
      {19, sphere("friction: .nan"), 2, {"friction = .nan", "from 0 to 100"}},
      {19, material("young: 0"), 4, {"material.young = 0 Pa", "from 0.001"}},
      {19, material("young: -5 kPa"), 4, {"material.young = -5000 Pa"}},
      {19, material("poisson: 0.5"), 4, {"material.poisson = 0.5", "0.4999"}},
      {19, material("poisson: -1.01"), 4, {"material.poisson = -1.01", "-0.999"}},
      {19, material("density: 0"), 4, {"material.density = 0 kg/m3"}},
      {12, affine("densty: 1"), 2, {"densty", "\"density\""}},
      {12, "affine:\n  - {name: a}\n", 2, {"\"mesh\" or \"shape\""}},
      {19, affine("friction: -1"), 2, {"friction = -1", "from 0 to 100"}},
      {19, affine("friction: 101"), 2, {"friction = 101", "from 0 to 100"}},
      {19, affine("friction: .nan"), 2, {"friction = .nan"}},
      {19, affine("friction: [0.4, 0.5]"), 2, {"0.5 after 0.4", "static"}},
      {19, affine("friction: [1, 1, 1]"), 2, {"3 items", "must have 2"}},
      {19, affine("friction: rough"), 2, {"rough", "number"}},
      {19, soft("    material: {}\n    friction: [1, 2]\n"), 5, {"2 after 1"}},
      {19, "half_spaces: [{name: f, friction: [1, 2]}]\n", 1, {"2 after 1"}},
      {19, "contact: {combine: avarage}\n", 1, {"avarage", "product", "geometric"}},
      {19, "contact: {combine: 5}\n", 1, {"combine = 5", "geometric (4)"}},
      {19, affine("density: 0"), 2, {"density = 0", "kg/m3"}},
      {19, affine("mass: 1, density: 1"), 2, {"both", "density"}},
      {19, affine("mass: 1"), 2, {"inertia", "kg m2"}},
      {19, affine("mass: 1, inertia: [1, 1, 3]"), 1, {"inertia", "triangle inequality"}},
      {19, affine("inertia: [1, 1, 1]"), 2, {"inertia", "add \"mass\" in kg"}},
      {19, affine("stiffness: 0"), 2, {"stiffness = 0", "from 1 to"}},
      {19, affine("force: [0, 0, .inf]"), 2, {"force[2] = .inf"}},
      {20, "affine:\n  - {name: a, shape: none}\n", 2, {"shape"}},
      {19,
       soft("    material: {}\n    forces: [{where: [0], force: [0, 1]}]\n"),
       5,
       {"force", "3"}},
      {19,
       soft("    material: {}\n    forces: [{where: [0], force: [0, 0, 1 kg]}]\n"),
       5,
       {"force[2]", "N"}},
      {19,
       soft("    material: {}\n    forces: [{where: [0], force: [0, 0, 1], spread: even}]\n"),
       5,
       {"spread = even", "nodes or area"}},
      {19,
       soft("    material: {}\n    pressures: [{where: [0, 1], pressure: 1}]\n"),
       5,
       {"where", "spans no triangle"}},
      {19, soft("    material: {}\n    pressures: [{where: all}]\n"), 5, {"pressure", "2 kPa"}},
      {19,
       soft("    material: {}\n    pressures: [{pressure: [{time: 1, value: 1}, {time: 1, value: "
            "2}]}]\n"),
       5,
       {"time = 1 s", "later than 1 s"}},
      {19, soft("    material: {}\n    acceleration: [1, 2]\n"), 5, {"acceleration", "3"}},
      {19, material("law: linaer"), 4, {"material.law = linaer", "did you mean \"linear\""}},
      {19, material("law: 7"), 4, {"material.law = 7", "mooney_rivlin (5)"}},
      {19, material("law: [1]"), 4, {"material.law", "number"}},
      {19, material("mooney_ratio: 2"), 4, {"material.mooney_ratio = 2", "from 0 to 1"}},
      {20, shape("{sphere: {radius: 0, facet: 1}}"), 3, {"radius = 0", "from 1e-09 to 1e+06 m"}},
      {20, shape("{sphere: {radius: -1, facet: 1}}"), 3, {"radius = -1"}},
      {20, shape("{sphere: {radius: 1e300, facet: 1}}"), 3, {"radius = 1e300"}},
      {20, shape("{sphere: {radius: 1e-300, facet: 1}}"), 3, {"radius = 1e-300"}},
      {20, shape("{box: {size: [1, 0, 1]}}"), 3, {"size[1] = 0"}},
      {20,
       "soft:\n  - name: g\n    material: {}\n    pad: {box: {width: 1, depth: 1, thickness: "
       "0, size: 1}}\n",
       4,
       {"thickness = 0", "m"}},
      {20, shape("{torus: {major: 1, minor: 2, facet: 1}}"), 3, {"torus major radius", "greater"}},
      {24, shape("{box: {size: [1, 1, 1], cells: [2e9, 1, 1]}}"), 3, {"cells[0] = 2e9", "100000"}},
      {24, "newton: {max_iterations: 1.5}", 1, {"max_iterations = 1.5", "whole number"}},
      {38, bomb(), 7, {"at most 1000000", "aliases"}},
      {38, "a: &a [*a]\n", 1, {"alias", "stands inside what it names"}},
      {38, "a: &a {b: 1}\nsim:\n  <<: *a\n", 3, {"<<", "merge keys"}},
      {38, "sim: !!python/object:os.system {dt: 1}\n", 1, {"tag", "python/object"}},
      {38, "sim: {dt: !!float 1}\n", 1, {"tags are not allowed"}},
      {38, "sim: {dt: ! 1}\n", 1, {"tags are not allowed"}},
      {38, "newton: {strict: yes}\n", 1, {"strict = yes", "true or false"}},
      {38, "newton: {strict: on}\n", 1, {"strict = on", "true or false"}},
      {38, "newton: {strict: 1}\n", 1, {"strict = 1", "true or false"}},
      {38, "newton: {strict: \"true\"}\n", 1, {"true or false"}},
      {38, "sim:\n  dt: 1\n  threads: 1\n  dt: 1\n", 4, {"dt", "line 2"}},
      {38, "[a, b]: 1\n", 1, {"must be a word"}},
      {38, "sim: {dt: 1}\n---\nsim: {dt: 1}\n", 2, {"second document"}},
      {38, "sim: {dt: \"0,5\"}\n", 1, {"0,5", "number in s"}},
      {38, "sim: {dt: 5 mm}\n", 1, {"5 mm", "s, ms, us, min or h"}},
      {38, "sim: {dt: 0x10}\n", 1, {"0x10"}},
      {38, "sim: {dt: 1_000}\n", 1, {"1_000"}},
      {38, "prescribed:\n  - {name: \"a\\x07\", shape: none}\n", 2, {"control characters"}},
  };
}

TEST(BadInput, ScenesAreRefusedWithLineAndRemedy) {
  for (const Bad& b : bad_scenes()) {
    SCOPED_TRACE("row " + std::to_string(b.row) + ": " + b.text.substr(0, 200));
    const InputError e = refused([&] { parse(b.text); });
    const std::string s = e.what();
    EXPECT_EQ(e.diagnostic.file, "scene.yaml");
    EXPECT_EQ(e.diagnostic.line, b.line) << s;
    for (const std::string& part : b.says) EXPECT_NE(s.find(part), std::string::npos) << s;
    EXPECT_FALSE(e.diagnostic.rule.empty() && e.diagnostic.remedy.empty()) << s;
    EXPECT_FALSE(e.diagnostic.remedy.empty()) << s;
  }
}

TEST(BadInput, EveryPrefixOfASceneIsAWholeSceneOrRefused) {
  const std::string whole =
      material("young: 2e5, poisson: 0.4") +
      "prescribed:\n  - name: ball\n    shape: {sphere: {radius: 4 mm, facet: \"4 mm\"}}\n"
      "    trajectory:\n      - time: 0\n        position: [0, 0, 5 mm]\n";
  ASSERT_EQ(parse(whole).prescribed.size(), 1u);
  int read = 0;
  for (std::size_t n = 1; n < whole.size(); ++n) {
    try {
      const Scene s = parse(whole.substr(0, n));
      ++read;  // whole up to here: whatever was read is complete
      ASSERT_EQ(s.soft.size(), 1u) << whole.substr(0, n);
      EXPECT_EQ(s.soft[0].material.young, 2e5);
    } catch (const InputError& e) {
      EXPECT_EQ(e.diagnostic.file, "scene.yaml") << e.what();
    }
  }
  EXPECT_GT(read, 5);
  EXPECT_LT(read, 80);
}

TEST(BadInput, LimitsOfTheTextHold) {
  SceneLimits limits;
  limits.max_bytes = 100;
  const InputError e =
      refused([&] { parse_scene(std::string(101, '#'), "scene.yaml", {}, limits); });
  EXPECT_NE(std::string(e.what()).find("at most 100 bytes"), std::string::npos) << e.what();
  std::string keys;
  for (int i = 0; i < 500'001; ++i) keys += "k" + std::to_string(i) + ": 1\n";
  EXPECT_NE(std::string(refused([&] { parse(keys); }).what()).find("1000000 keys and values"),
            std::string::npos);
  const std::string brackets(1'000'001, '[');
  EXPECT_NE(std::string(refused([&] { parse("a: " + brackets); }).what()).find("brackets"),
            std::string::npos);
}

// ---------------------------------------------------------------------------------------- files

class BadFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = fs::temp_directory_path() / "haptos_bad_XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    top_ = name;
    fs::create_directories(top_ / "scene/meshes");
    write_obj(top_ / "outside.obj", box({{1, 1, 1}}));
    write_obj(top_ / "scene/inside.obj", box({{1, 1, 1}}));
  }
  void TearDown() override { fs::remove_all(top_); }
  InputError error_of(const std::string& file, const char* unit = "m") {
    const fs::path scene = top_ / "scene/scene.yaml";
    std::ofstream(scene) << "prescribed:\n  - name: a\n    mesh: {file: '" << file
                         << "', unit: " << unit << "}\n";
    return refused([&] { load_scene(scene); });
  }
  fs::path top_;
};

TEST_F(BadFiles, FilesOutsideAreRefused) {
  fs::create_symlink(top_ / "outside.obj", top_ / "scene/link.obj");
  fs::create_directory_symlink(top_, top_ / "scene/up");
  fs::create_symlink("loop.obj", top_ / "scene/loop.obj");
  fs::create_symlink("/dev/zero", top_ / "scene/zero.obj");
  fs::create_directory(top_ / "scene/folder.obj");
  ASSERT_EQ(::mkfifo((top_ / "scene/fifo.obj").c_str(), 0600), 0);
  const std::pair<std::string, const char*> cases[] = {
      {"../../../../../../../../etc/passwd", "leads out of the scene's folder"},
      {"../outside.obj", "leads out of the scene's folder"},
      {"meshes/../../outside.obj", "leads out of the scene's folder"},
      {"../scene_other/x.obj", "leads out of the scene's folder"},
      {"link.obj", "leads out of the scene's folder"},
      {"up/outside.obj", "leads out of the scene's folder"},
      {"zero.obj", "leads out of the scene's folder"},
      {(top_ / "scene/inside.obj").string(), "relative path"},
      {"/etc/passwd", "relative path"},
      {"C:\\mesh.obj", "URL or a drive"},
      {"C:/mesh.obj", "URL or a drive"},
      {"\\\\host\\mesh.obj", "backslash"},
      {"http://169.254.169.254/latest/mesh.obj", "URL or a drive"},
      {"file:inside.obj", "URL or a drive"},
      {"package://robot/mesh.obj", "URL or a drive"},
      {"missing.obj", "does not exist"},
      {"loop.obj", "does not exist"},
      {"folder.obj", "not a regular file"},
      {"fifo.obj", "not a regular file"},
  };
  for (const auto& [file, says] : cases) {
    const InputError e = error_of(file);
    EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    EXPECT_FALSE(e.diagnostic.remedy.empty()) << e.what();
    // Where the scene is wrong the error stands in the scene.
    if (says != std::string("not a regular file")) {
      EXPECT_EQ(e.diagnostic.line, 3) << e.what();
    }
  }
  // What is inside is read, whichever way it is named.
  std::ofstream(top_ / "scene/scene.yaml")
      << "prescribed:\n  - {name: a, mesh: {file: meshes/../inside.obj, unit: mm}}\n"
         "  - {name: b, mesh: {file: ./up/scene/inside.obj, unit: mm}}\n";
  EXPECT_EQ(load_scene(top_ / "scene/scene.yaml").prescribed.size(), 2u);
  // A text without a folder names no files.
  EXPECT_NE(std::string(refused([] {
                          parse("prescribed:\n  - {name: a, mesh: {file: x.obj, unit: m}}\n");
                        }).what())
                .find("has no folder"),
            std::string::npos);
}

TEST_F(BadFiles, AnErrorInAMeshNamesTheMeshAndItsLine) {
  std::ofstream(top_ / "scene/bad.obj") << "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n";
  const InputError e = error_of("bad.obj");
  EXPECT_EQ(fs::path(e.diagnostic.file).filename(), "bad.obj") << e.what();
  EXPECT_EQ(e.diagnostic.line, 3) << e.what();
  EXPECT_NE(std::string(e.what()).find("vertex 2"), std::string::npos) << e.what();
  // A mesh that reads but cannot be used is the scene's error.
  std::ofstream(top_ / "scene/flat.obj") << "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n";
  const InputError flat = error_of("flat.obj");
  EXPECT_EQ(flat.diagnostic.line, 3) << flat.what();
  EXPECT_NE(std::string(flat.what()).find("flat.obj"), std::string::npos) << flat.what();
  EXPECT_NE(std::string(error_of("inside.obj", "feet").what()).find("m, cm, mm, um or in"),
            std::string::npos);
}

TEST_F(BadFiles, ARefusedSceneLeavesNothingBehind) {
  error_of("missing.obj");
  std::vector<std::string> names;
  for (const auto& e : fs::recursive_directory_iterator(top_ / "scene"))
    names.push_back(e.path().filename().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"inside.obj", "meshes", "scene.yaml"}));
  for (const fs::path& p : {top_ / "scene", top_ / "nothing.yaml", fs::path("/dev/zero")}) {
    const InputError e = refused([&] { load_scene(p); });
    EXPECT_EQ(e.diagnostic.file, p.string());
  }
  SceneLimits limits;
  limits.max_bytes = 10;
  std::ofstream(top_ / "scene/scene.yaml") << std::string(11, '#');
  EXPECT_NE(std::string(refused([&] { load_scene(top_ / "scene/scene.yaml", limits); }).what())
                .find("11 bytes"),
            std::string::npos);
}

}  // namespace
}  // namespace haptos
