// Scenes that start in intersection are refused, with the pair and how deep.
#include <gtest/gtest.h>

#include "haptos/base/text/error.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/support.h"

namespace haptos {
namespace {

Scene ball_at(double height, double pad_cell, double radius = 4e-3) {
  Scene s;
  const Pad pad = box_pad(BoxPadShape{}, PadGrading::uniform(pad_cell));
  SoftBody gel;
  gel.name = "gel";
  gel.mesh = pad.mesh;
  gel.glue = {{"mount", pad.base_vertices}};
  PrescribedBody ball;
  ball.name = "ball";
  ball.surface = uv_sphere(radius, 0.5e-3);
  ball.trajectory = {{0, test::at_position({{0, 0, height}})}};
  s.prescribed = {test::mount("mount"), ball};
  s.soft = {gel};
  return s;
}

std::string refusal(const Scene& s) {
  try {
    Sim sim(s);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Start, IntersectionIsRefusedWithThePairAndTheDepth) {
  // The ball's lowest vertex lies 0.1 mm below the top of a coarse and of a fine pad.
  for (double cell : {4e-3, 1e-3}) {
    const std::string s = refusal(ball_at(3.9e-3, cell));
    ASSERT_NE(s.find("\"gel\" and \"ball\""), std::string::npos) << s;
    const std::size_t at = s.find("depth ");
    ASSERT_NE(at, std::string::npos) << s;
    EXPECT_NEAR(std::stod(s.substr(at + 6)), 0.1, 0.02) << s;
  }
}

TEST(Start, ABodyWhollyInsideAnotherIsRefused) {
  const std::string s = refusal(ball_at(-2e-3, 4e-3, 0.5e-3));
  EXPECT_NE(s.find("inside the other"), std::string::npos) << s;
}

TEST(Start, AGapOfTenMicrometresIsAccepted) { EXPECT_EQ(refusal(ball_at(4.01e-3, 2e-3)), ""); }

}  // namespace
}  // namespace haptos
