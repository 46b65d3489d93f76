// Steps that do not settle in one piece are taken in parts.
#include <gtest/gtest.h>

#include "haptos/base/text/status.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/sim/sim.h"
#include "tests/support.h"

namespace haptos {
namespace {

// A cube thrown at the floor at a slant.
Scene thrown() {
  Scene s;
  s.sim.dt = 0.01;
  s.sim.threads = 1;
  s.contact.support = 1e-4;
  AffineBody b;
  b.name = "cube";
  b.surface = box({{0.1, 0.1, 0.1}});
  b.pose.p = {{0, 0, 0.06}};
  b.velocity = {{1, 0, -2}};
  b.friction.sticking = 0.3;
  HalfSpace floor;
  floor.name = "floor";
  floor.friction.sticking = 0.3;
  s.affine = {b};
  s.half_spaces = {floor};
  return s;
}

TEST(StepParts, AStepThatSettlesIsWhole) {
  Sim sim(thrown());
  const StepReport r = sim.step();
  EXPECT_EQ(r.status(), 0u);
  EXPECT_EQ(r.parts, 1);
}

TEST(StepParts, AStepThatDoesNotSettleIsTheStepsOfItsParts) {
  // So few iterations that the impact does not settle in 10 ms.
  Scene coarse = thrown();
  coarse.newton.max_iterations = 12;
  coarse.newton.max_cuts = 4;
  Sim sim(coarse);
  StepReport cut;
  int whole = 0;
  for (; whole < 20; ++whole) {
    cut = sim.step();
    ASSERT_EQ(cut.status(), 0u) << whole;
    if (cut.parts > 1) break;
  }
  ASSERT_GT(cut.parts, 1);
  EXPECT_EQ(sim.state().step, whole + 1);
  EXPECT_EQ(cut.step, whole + 1);
  EXPECT_NEAR(sim.state().time, 0.01 * (whole + 1), 1e-15);

  Sim start(thrown());
  for (int n = 0; n < whole; ++n) start.step();
  Scene fine = coarse;
  fine.sim.dt = 0.01 / cut.parts;
  fine.newton.max_cuts = 0;
  Sim parts(fine);
  parts.set_state(start.state());
  for (int k = 0; k < cut.parts; ++k) EXPECT_EQ(parts.step().status(), 0u);
  EXPECT_NEAR(norm(parts.affine_pose("cube").p - sim.affine_pose("cube").p), 0, 1e-15);
  const Vec6d u = parts.affine_velocity("cube"), v = sim.affine_velocity("cube");
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(u[i], v[i], 1e-12);
}

TEST(StepParts, WithoutCutsTheStepSaysThatItDidNotSettle) {
  Scene s = thrown();
  s.newton.max_iterations = 1;
  s.newton.max_cuts = 0;
  Sim sim(s);
  std::uint32_t status = 0;
  for (int n = 0; n < 10; ++n) {
    const StepReport r = sim.step();
    EXPECT_EQ(r.parts, 1);
    status |= r.status();
  }
  EXPECT_TRUE(status & kNotConverged);
}

TEST(StepParts, StrictModeLeavesTheStateWhereTheStepBegan) {
  Scene s = thrown();
  s.newton.max_iterations = 1;
  s.newton.max_cuts = 1;
  s.newton.strict = true;
  Sim sim(s);
  State before;
  bool thrown_once = false;
  for (int n = 0; n < 10 && !thrown_once; ++n) {
    before = sim.state();
    try {
      sim.step();
    } catch (const StepError& e) {
      thrown_once = true;
      EXPECT_TRUE(e.report.status() & kNotConverged);
    }
  }
  EXPECT_TRUE(thrown_once);
  EXPECT_EQ(sim.state().hash(), before.hash());
}

TEST(StepParts, ABodyThatTurnsFarInAStepTurnsInParts) {
  Scene s;
  s.sim.dt = 1;
  s.sim.threads = 1;
  PrescribedBody b;
  b.name = "wheel";
  b.surface = box({{0.1, 0.1, 0.1}});
  const double turn = 2.5;
  b.trajectory = {{0.0, Pose{}}, {1.0, {{{0.1, 0, 0}}, rotation_by({{0, 0, turn}})}}};
  s.prescribed = {b};
  Sim sim(s);
  EXPECT_EQ(sim.step().parts, 2);
  const Pose end = sim.prescribed_pose("wheel");
  EXPECT_NEAR(norm(end * Vec3d{{1, 0, 0}} - Vec3d{{0.1 + std::cos(turn), std::sin(turn), 0}}), 0,
              1e-12);
  // The same for a target that is set.
  sim.reset();
  sim.set_target("wheel", b.trajectory.back().pose);
  EXPECT_EQ(sim.step().parts, 2);
  EXPECT_NEAR(norm(sim.prescribed_pose("wheel").p - Vec3d{{0.1, 0, 0}}), 0, 1e-15);
}

}  // namespace
}  // namespace haptos
