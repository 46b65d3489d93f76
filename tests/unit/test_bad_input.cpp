// Bad input, row by row: each is one InputError of one sentence that says where, what and how to
// mend it, in bounded time and memory, and leaves nothing behind.
//
// | row | input | test |
// |---|---|---|
// | 1 | empty file | ScenesAreRefusedWithLineAndRemedy; MeshIo.AnErrorNamesLineElementAndRule |
// | 2 | truncated text | EveryPrefixOfASceneIsAWholeSceneOrRefused |
// | 3 | random bytes, UTF-16, NUL | ScenesAreRefused...; MeshIo.AnErrorNames... |
// | 4 | deep nesting | ScenesAreRefused... |
// | 7-9 | paths out of the roots, links, URLs | FilesOutsideAreRefused |
// | 11 | FIFO, device, folder | FilesOutsideAreRefused; MeshFiles.WhatIsNoRegularFile... |
// | 12-14 | unknown key, repeated name, missing body | ScenesAreRefused... |
// | 15, 16 | mass, inertia | ScenesAreRefused...; AffineInput.*, RigidBody.* |
// | 17 | positions, quaternions | ScenesAreRefused..., ScenesMadeInCodeAreCheckedToo |
// | 18 | time step | ScenesAreRefused..., ScenesMadeInCode... |
// | 19 | friction, moduli, density | ScenesAreRefused..., ScenesMadeInCode... |
// | 20 | sizes | ScenesAreRefused..., ScenesMadeInCode...; SceneFile.OddSizes... |
// | 24 | counts of 2e9 | CountsAreRefusedBeforeMemoryIsTaken |
// | 25 | STL count | MeshIo.AnStlHeaderThatAnnounces... |
// | 26 | STL cut, "solid" but binary | MeshFuzzCorpus.GoodSeeds... (stl) |
// | 27 | NaN, 1e39 in meshes | MeshIo.AnErrorNames...; MeshFuzzCorpus (stl, vtk, gmsh) |
// | 28 | OBJ indices and polygons | MeshIo.AnErrorNames...; MeshFuzzCorpus (obj) |
// | 29 | VTK 5.1 binary OFFSETS | MeshFuzzCorpus (vtk); MeshIoOutside.EveryVolume... |
// | 30 | mixed cells, OFFSETS | MeshIo.AnErrorNames...; MeshFuzzCorpus (vtk) |
// | 31 | MSH versions, tags, counts | MeshIo.NodeTagsMayBe...; MeshFuzzCorpus (gmsh) |
// | 32 | flat, double, unused | MeshCheck.BrokenVertices..., ContactRefuses...; AffineInput |
// | 33 | edges, bow ties, open, turned | MeshCheck.ThreeTriangles..., TwoSolids..., ATurned... |
// | 34 | overlap at the start | AStartInIntersection...; MeshCheck.ABarrierRefuses... |
// | 35 | bad tetrahedra | MeshCheck.BrokenTetrahedra..., FiniteElementsRefuse... |
// | 38 | YAML: bombs, tags, yes, keys | ScenesAreRefused..., LimitsOfTheTextHold |
// | 49 | environment variables | TheEnvironmentDoesNotChangeAResult |
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <chrono>
#include <clocale>
#include <cmath>
#include <functional>
#include <limits>

#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/sim/sim.h"
#include "tests/unit/bad_input.h"

namespace haptos {
namespace {

using namespace test;

TEST(BadInput, CountsAreRefusedBeforeMemoryIsTaken) {
  const int huge = 2'000'000'000;
  const auto grid = [](const char* s) { parse(shape(s)); };
  const auto pad = [](const std::string& p) {
    parse("soft:\n  - {name: g, material: {}, pad: " + p + "}\n");
  };
  const std::function<void()> cases[] = {
      [&] {
        box({{1, 1, 1}}, {{huge, huge, huge}});
      },
      [&] {
        box({{1, 1, 1}}, {{2000, 2000, 2}});
      },
      [&] { box_pad(BoxPadShape{}, huge, huge, huge); },
      [&] { box_pad(BoxPadShape{}, 100'000, 100'000, 1); },
      [&] { box_pad(BoxPadShape{}, PadGrading::uniform(1e-8)); },
      [&] {
        box_pad({.width = 10, .depth = 10, .thickness = 6, .chamfer = 4.9999999},
                {.top_size = 1, .base_size = 1, .centre_size = 1e-9, .rim_size = 1});
      },
      [&] { round_pad(1, 1, PadGrading::uniform(1e-3)); },
      [&] {
        subdivide(box({{1, 1, 1}}), huge);
      },
      [&] { icosphere(1, 6e-4); },
      [&] { uv_sphere(1, 1.6e-3); },
      [&] { sphere_lower_cap(1, 0.5, 6e-4); },
      [&] { cylinder(1, 1, 6e-4); },
      [&] { cone(1, 0, 1, 8e-4); },
      [&] { capsule(1, 1, 1e-3); },
      [&] { torus(1, 0.9, 1e-3); },
      [&] { ring(0.5, 1, 1, 6e-4); },
      [&] { make_shape("sphere", 1e-9); },
      [&] { grid("{box: {size: [1, 1, 1], cells: [100000, 100000, 1]}}"); },
      [&] { grid("{sphere: {radius: 1, facet: 1e-9}}"); },
      [&] { grid("{indenter: {name: dots, facet: 1 um}}"); },
      [&] { pad("{box: {width: 1, depth: 1, thickness: 1, cells: [100000, 100000, 1]}}"); },
      [&] { pad("{box: {width: 1, depth: 1, thickness: 1, size: 1 um}}"); },
      [&] { pad("{round: {radius: 1, thickness: 1, size: 1 mm}}"); },
      [&] { pad("{box: {width: 1, depth: 1, thickness: 1, cells: [80, 80, 80]}}"); },  // x 6 x 8
  };
  struct rusage before {
  }, after{};
  getrusage(RUSAGE_SELF, &before);
  const auto start = std::chrono::steady_clock::now();
  int i = 0;
  for (const auto& f : cases) {
    SCOPED_TRACE("case " + std::to_string(i++));
    refused(f);
  }
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 2.0);
  getrusage(RUSAGE_SELF, &after);
  EXPECT_LT(after.ru_maxrss - before.ru_maxrss, 100'000);  // kB
}

TEST(BadInput, TheElementsOfAllBodiesTogetherAreLimited) {
  SceneLimits limits;
  limits.max_elements = 1000;
  std::string text = "prescribed:\n";
  for (int i = 0; i < 3; ++i)  // 800 triangles each
    text += "  - {name: b" + std::to_string(i) +
            ", shape: {box: {size: [1, 1, 1], cells: [10, 10, 5]}}}\n";
  const InputError e = refused([&] { parse_scene(text, "scene.yaml", {}, limits); });
  EXPECT_EQ(e.diagnostic.line, 3) << e.what();
  EXPECT_NE(std::string(e.what()).find("200 of 1000 are left"), std::string::npos) << e.what();
}

// ------------------------------------------------------------------------------- scenes in code

Scene good_scene() {
  Scene s =
      parse(material("young: 1e5") +
            "prescribed: [{name: ball, shape: {sphere: {radius: 1 mm, facet: 1 mm}}, pose: "
            "{position: [0, 0, 3 mm]}}]\n"
            "half_spaces: [{name: floor, offset: -3 mm}]\n"
            "spheres: [{name: marble, radius: 1 cm, mass: 1, pose: {position: [1, 0, 0]}}]\n");
  return s;
}

TEST(BadInput, ScenesMadeInCodeAreCheckedToo) {
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  ASSERT_NO_THROW(validate(good_scene()));
  struct Case {
    std::function<void(Scene&)> spoil;
    const char* says;
  };
  const Case cases[] = {
      {[&](Scene& s) { s.sim.dt = 0; }, "sim.dt = 0 s"},
      {[&](Scene& s) { s.sim.dt = -1; }, "sim.dt = -1 s"},
      {[&](Scene& s) { s.sim.dt = 1e9; }, "from 1e-07 to 10 s"},
      {[&](Scene& s) { s.sim.dt = nan; }, "sim.dt = nan s"},
      {[&](Scene& s) { s.soft[0].material.young = -1; }, "\"gel\", material.young = -1 Pa"},
      {[&](Scene& s) { s.soft[0].material.poisson = 0.5; }, "material.poisson = 0.5"},
      {[&](Scene& s) { s.soft[0].material.density = 0; }, "material.density = 0"},
      {[&](Scene& s) { s.soft[0].pose.p[1] = nan; }, "position = nan"},
      {[&](Scene& s) { s.soft[0].pose.p[1] = inf; }, "position = inf"},
      {[&](Scene& s) { s.soft[0].pose.p[1] = 1e300; }, "from -1e+06 to 1e+06 m"},
      {[&](Scene& s) {
         s.soft[0].pose.q = {0, 0, 0, 0};
       },
       "quaternion = 0 0 0 0"},
      {[&](Scene& s) { s.soft[0].pose.q.x = nan; }, "must have length 1"},
      {[&](Scene& s) { s.soft[0].velocity[0] = nan; }, "velocity = nan"},
      {[&](Scene& s) { scale(s.soft[0].mesh.vertices, 1e-12); }, "size = "},
      {[&](Scene& s) { scale(s.soft[0].mesh.vertices, 1e12); }, "size = "},
      {[&](Scene& s) { scale(s.soft[0].mesh.vertices, 1e300); }, "\"gel\""},
      {[&](Scene& s) { s.soft[0].mesh.vertices[0][0] = nan; }, "\"gel\""},
      {[&](Scene& s) { s.soft[0].mesh.tets.clear(); }, "\"gel\""},
      {[&](Scene& s) { s.soft[0].name = ""; }, "needs a name"},
      {[&](Scene& s) { s.soft[0].name = "ball"; }, "\"ball\""},
      {[&](Scene& s) {
         s.soft[0].glue.push_back({"bal", {0}});
       },
       "did you mean"},
      {[&](Scene& s) {
         s.soft[0].glue.push_back({"ball", {}});
       },
       "holds no vertices"},
      {[&](Scene& s) {
         s.soft[0].glue.push_back({"ball", {0, 99}});
       },
       "vertex 99"},
      {[&](Scene& s) {
         s.soft[0].glue.push_back({"ball", {-1}});
       },
       "vertex -1"},
      {[&](Scene& s) {
         s.soft[0].held.push_back({{0}, {false, false, false}});
       },
       "no axis"},
      {[&](Scene& s) { scale(s.prescribed[0].surface.vertices, 1e-300); }, "\"ball\""},
      {[&](Scene& s) {
         s.prescribed[0].trajectory.push_back({0, {}});
       },
       "later than"},
      {[&](Scene& s) {
         s.half_spaces[0].normal = {{0, 0, 0}};
       },
       "must have length 1"},
      {[&](Scene& s) { s.half_spaces[0].offset = nan; }, "offset = nan"},
      {[&](Scene& s) { s.robots[0].friction = -1; }, "friction = -1"},
      {[&](Scene& s) { s.robots[0].friction = nan; }, "friction = nan"},
      {[&](Scene& s) {
         s.pairs = {{"gel", "flor", true, 0}};
       },
       "did you mean \"floor\""},
      {[&](Scene& s) {
         s.pairs = {{"gel", "gel", true, 0}};
       },
       "two bodies"},
      {[&](Scene& s) { s.soft[0].group = "floor"; }, "has the name of a half-space"},
      {[&](Scene& s) {
         s.pairs = {{"gel", "floor", true, 0}};
         s.pairs[0].support = 2;
       },
       "support = 2 m"},
      {[&](Scene& s) {
         s.pairs = {{"gel", "floor", true, nan}};
       },
       "stiffness = nan"},
      {[&](Scene& s) {
         s.pairs = {{"gel", "floor", true, 0}, {"floor", "gel", true, 0}};
       },
       "given twice"},
  };
  int i = 0;
  for (const Case& c : cases) {
    SCOPED_TRACE("case " + std::to_string(i++));
    Scene s = good_scene();
    c.spoil(s);
    const std::string sentence = refused([&] { Sim sim(s); }).what();
    EXPECT_NE(sentence.find(c.says), std::string::npos) << sentence;
  }
}

TEST(BadInput, AStartInIntersectionNamesThePairAndTheDepth) {
  Scene s = good_scene();
  s.soft[0].mesh = box_pad({.width = 4e-3, .depth = 4e-3, .thickness = 2e-3}, 16, 16, 4).mesh;
  s.soft[0].coat.clear();
  s.prescribed[0].surface = uv_sphere(1e-3, 0.1e-3);
  s.prescribed[0].trajectory[0].pose.p[2] = 0.9e-3;  // the gel's top is at 0: 0.1 mm deep
  const std::string pair = refused([&] { Sim sim(s); }).what();
  EXPECT_NE(pair.find("\"gel\" and \"ball\""), std::string::npos) << pair;
  EXPECT_NE(pair.find("triangle"), std::string::npos) << pair;
  const std::size_t at = pair.find("depth ");
  ASSERT_NE(at, std::string::npos) << pair;
  const double depth = std::stod(pair.substr(at + 6));  // [mm]
  EXPECT_GT(depth, 0.02) << pair;
  EXPECT_LT(depth, 0.2) << pair;
  s = good_scene();
  s.half_spaces[0].offset = -1.5e-3;  // its base is at -2 mm
  const std::string floor = refused([&] { Sim sim(s); }).what();
  EXPECT_NE(floor.find("\"gel\" and \"floor\""), std::string::npos) << floor;
  EXPECT_NE(floor.find("depth 0.5 mm"), std::string::npos) << floor;
  EXPECT_NE(floor.find("move one"), std::string::npos) << floor;
  // A pair without contact may overlap.
  s.pairs = {{"gel", "floor", false, 0}};
  EXPECT_NO_THROW(Sim{s});
}

// ---------------------------------------------------------------------------------- environment

TEST(BadInput, TheEnvironmentDoesNotChangeAResult) {
  const std::string text = "sim: {dt: 0.5 ms, threads: 2}\n" + material("young: 1.5e5") +
                           "half_spaces: [{name: floor, offset: -2.01 mm}]\n";
  const auto run = [&] {
    Sim sim(parse(text));
    for (int i = 0; i < 2; ++i) sim.step();
    return sim.state().q;
  };
  const std::vector<double> q = run();
  ASSERT_GT(q.size(), 20u);
  const std::pair<const char*, const char*> variables[] = {
      {"OMP_NUM_THREADS", "0"},     {"OMP_NUM_THREADS", "-1"}, {"OMP_NUM_THREADS", "abc"},
      {"LANG", "tr_TR.UTF-8"},      {"LC_ALL", "de_DE.UTF-8"}, {"LC_NUMERIC", "nonsense"},
      {"TZ", "Nowhere/Land+99:99"}, {"TZ", ":/etc/passwd"},    {"HAPTOS_ASSET_ROOTS", "::/x:"}};
  for (const auto& [name, value] : variables) {
    SCOPED_TRACE(std::string(name) + "=" + value);
    const char* old = std::getenv(name);
    const std::string saved = old ? old : "";
    ::setenv(name, value, 1);
    ::tzset();
    std::setlocale(LC_ALL, "");  // takes the locale where the machine has it
    EXPECT_EQ(run(), q);
    std::setlocale(LC_ALL, "C");
    old ? ::setenv(name, saved.c_str(), 1) : ::unsetenv(name);
    ::tzset();
  }
}

}  // namespace
}  // namespace haptos
