// The slowest mode of held soft bodies, sim/model/held_body.h, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "haptos/geometry/make/pads.h"
#include "haptos/sim/model/held_body.h"

namespace haptos {
namespace {

// A block of these sides and cells, glued by its base.
double slowest(const Vec3d& sides, const Vec3i& cells, bool glued = true,
               const SolverOptions& solver = {}) {
  const Pad pad = box_pad({sides[0], sides[1], sides[2]}, cells[0], cells[1], cells[2]);
  SoftBody b;
  b.name = "gel";
  b.mesh = pad.mesh;
  b.material = {.young = 1e5, .poisson = 0.3, .density = 1000};
  if (glued) b.glue = {{"mount", pad.base_vertices}};
  return slowest_mode(b, compile_soft(b), solver);
}

// An endless sheet shears at a quarter of a wave, (pi c / 2 H)^2; the rim of a finite one gives.
TEST(HeldBody, ASheetShearsAtAQuarterOfAWave) {
  const double thickness = 2e-3, shear = 1e5 / 2.6;
  const double endless = std::pow(0.5 * std::numbers::pi / thickness, 2) * shear / 1000;
  const double part = slowest({{0.04, 0.04, thickness}}, {{16, 16, 2}}) / endless;
  EXPECT_LT(part, 1);
  EXPECT_GT(part, 0.85);
}

TEST(HeldBody, ABarBendsAsACantilever) {
  const double length = 20e-3, side = 2e-3;
  const double exact = std::pow(1.8751 / length, 4) * 1e5 * side * side / 12 / 1000;
  EXPECT_NEAR(slowest({{side, side, length}}, {{2, 2, 20}}) / exact, 1, 0.07);
}

TEST(HeldBody, WhatFloatsHasNone) {
  EXPECT_EQ(slowest({{0.01, 0.01, 0.01}}, {{2, 2, 2}}, false), 0);
}

// A factor of what steps only iterate on would take more than a step.
TEST(HeldBody, WhatIsSolvedByIterationsIsNotFactored) {
  const Vec3d sides{{0.01, 0.01, 0.01}};
  SolverOptions few, iterative;
  few.direct_limit = 100;
  iterative.method = SolverOptions::kIterative;
  EXPECT_GT(slowest(sides, {{2, 2, 2}}), 0);
  EXPECT_EQ(slowest(sides, {{2, 2, 2}}, true, few), 0);
  EXPECT_EQ(slowest(sides, {{2, 2, 2}}, true, iterative), 0);
}

}  // namespace
}  // namespace haptos
