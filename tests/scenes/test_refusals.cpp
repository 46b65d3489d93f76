// What a simulation refuses: a start in intersection, and in strict mode a step that did not
// converge.
#include "haptos/base/text/error.h"
#include "haptos/base/text/status.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/round_press.h"

namespace haptos {
namespace {

// A cube of gel, its base at z = -10 mm glued, and a box above it.
Scene cube_and_box(double gap) {
  Scene s;
  s.sim.gravity_z = 0;
  BoxPadShape shape;
  shape.width = shape.depth = shape.thickness = 10e-3;
  const Pad pad = box_pad(shape, 2, 2, 2);
  SoftBody gel;
  gel.name = "gel";
  gel.mesh = pad.mesh;
  gel.glue.push_back({"base", pad.base_vertices});
  PrescribedBody block;
  block.name = "block";
  block.surface = box({{5e-3, 5e-3, 5e-3}});
  block.trajectory =
      test::straight({{0.3e-3, 0.2e-3, 2.5e-3 + gap}}, {{0.3e-3, 0.2e-3, 1.5e-3}}, 0.1);
  s.soft = {gel};
  s.prescribed = {test::mount("base"), block};
  return s;
}

TEST(Refusals, SceneThatStartsInIntersectionNamesThePairAndTheDepth) {
  try {
    Sim sim(cube_and_box(-0.25e-3));
    FAIL() << "was accepted";
  } catch (const InputError& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("\"gel\" and \"block\""), std::string::npos) << what;
    EXPECT_NE(what.find("depth 0.25 mm"), std::string::npos) << what;
    EXPECT_NE(what.find("start in intersection"), std::string::npos) << what;
  }
  EXPECT_NO_THROW(Sim{cube_and_box(1e-6)});
}

TEST(Refusals, SceneThatStartsBehindAHalfSpaceNamesThePairAndTheDepth) {
  Scene s = cube_and_box(1e-3);
  HalfSpace wall;
  wall.name = "wall";
  wall.normal = {{-1, 0, 0}};
  wall.offset = -4.9e-3;  // the cube reaches 5 mm
  s.half_spaces = {wall};
  try {
    Sim sim(s);
    FAIL() << "was accepted";
  } catch (const InputError& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find("\"gel\" and \"wall\""), std::string::npos) << what;
    EXPECT_NE(what.find("depth 0.1 mm"), std::string::npos) << what;
  }
}

TEST(Refusals, StrictModeRefusesAStepThatDidNotConvergeAndLeavesTheState) {
  Scene s = cube_and_box(1e-6);
  s.newton.max_iterations = 2;
  s.newton.force_tolerance = 1e-8;
  Sim lenient(s);
  EXPECT_NE(lenient.step().status() & kNotConverged, 0u);
  s.newton.strict = true;
  Sim strict(s);
  const std::uint64_t before = strict.state().hash();
  try {
    strict.step();
    FAIL() << "was accepted";
  } catch (const StepError& e) {
    EXPECT_NE(e.report.status() & kNotConverged, 0u);
    EXPECT_NE(std::string(e.what()).find("not_converged"), std::string::npos) << e.what();
  }
  EXPECT_EQ(strict.state().hash(), before);
  EXPECT_EQ(strict.state().step, 0);
  // With enough iterations the same scene passes in strict mode.
  s.newton.max_iterations = 200;
  s.newton.force_tolerance = 1e-3;
  Sim enough(s);
  EXPECT_EQ(enough.step().status(), 0u);
}

}  // namespace
}  // namespace haptos
