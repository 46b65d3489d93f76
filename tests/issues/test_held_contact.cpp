// What is pressed, slides and stops comes to lie still: no vertex goes on at a velocity that a
// tolerance hides.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "haptos/base/text/status.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/soft_scenes.h"

namespace haptos {
namespace {

// Irregular cells: their widths along x are as 1 to 4.
void spread(TetMesh& mesh, double width) {
  for (Vec3d& x : mesh.vertices) {
    const double t = x[0] / width + 0.5;
    x[0] = width * (0.4 * t + 0.6 * t * t - 0.5);
  }
}

// A block with sharp rims goes down into a gel, to the side until it slips, and stops.
Scene held() {
  Scene s = test::free_block(0.05, 0, {{8, 6, 3}});
  Pad pad;
  s.soft[0] = test::block({{8, 6, 3}}, &pad);
  spread(s.soft[0].mesh, test::kBlock[0]);
  s.soft[0].glue = {{"mount", pad.base_vertices}};
  s.soft[0].friction.sticking = 0.8;
  // As presses of sensors ask for.
  s.newton.force_tolerance = 1e-4;
  s.newton.force_floor = 1e-9;
  s.newton.velocity_tolerance = 2e-5;
  PrescribedBody punch;
  punch.name = "punch";
  punch.surface = cylinder(2e-3, 4e-3, 3e-4);
  punch.friction.sticking = 0.8;
  const double top = test::kBlock[2] + 2e-3;
  const auto at = [&](double x, double depth) {
    Pose p;
    p.p = {{x - 5e-4, 0, top - depth}};
    return p;
  };
  punch.trajectory = {{0, at(0, -1.9e-5)}, {0.25, at(0, 3e-4)}, {1.0, at(1.1e-3, 3e-4)}};
  s.prescribed = {test::mount("mount"), punch};
  return s;
}

// A step that began within the tolerance was left as it was guessed, at the velocities of the last
// one, until the residual had grown: vertices went to and fro by .1 um for ever.
TEST(HeldContact, NoVertexJittersWhereAPunchStoppedAfterSlipping) {
  Sim sim(held());
  for (int n = 0; n < 20; ++n) ASSERT_EQ(sim.step().status(), 0u) << n;
  std::vector<Vec3d> x = sim.soft_positions("gel");
  double last = 0;  // largest motion of a vertex in a step, from half a second on
  for (int n = 0; n < 20; ++n) {
    ASSERT_EQ(sim.step().status(), 0u) << n;
    const std::vector<Vec3d> now = sim.soft_positions("gel");
    double moved = 0;
    for (std::size_t v = 0; v < x.size(); ++v) moved = std::max(moved, norm(now[v] - x[v]));
    if (n >= 10) last = std::max(last, moved);
    x = now;
  }
  std::printf("FIGURE held_contact.moves = %.1e m a step\n", last);
  // A hundredth of the 1 um that the velocity tolerance lets by in a step of .05 s.
  EXPECT_LT(last, 1e-8);
}

// What is pressed makes a load beside which a grain's weight is nothing: it falls all the same.
TEST(HeldContact, AGrainFallsBesideWhatIsPressed) {
  Scene s = held();
  s.sim.gravity_z = -9.81;
  AffineBody grain;
  grain.name = "grain";
  grain.surface = box({{2e-4, 2e-4, 2e-4}});
  grain.pose.p = {{0.05, 0, 0.05}};
  s.affine = {grain};
  Sim sim(s);
  double v = 0, z = 0.05;
  for (int n = 0; n < 12; ++n) {
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u) << n;
    v -= 9.81 * s.sim.dt, z += s.sim.dt * v;
    EXPECT_NEAR(sim.affine_pose("grain").p[2], z, 1e-6 * (n + 1)) << n;
    if (n == 11) {
      EXPECT_GT(r.newton.load, 1e4 * 8e-9 * 9.81);
    }
  }
}

}  // namespace
}  // namespace haptos
