// Steps that do not converge say when, whose fault it is, and why.
#include "haptos/solve/failure.h"

#include <limits>

#include "tests/scenes/point_world.h"

namespace haptos {
namespace {

using test::World;

// Three balls on each other, on a plane.
struct Tower {
  World w;
  explicit Tower(double lightest = 1) {
    w.add_plane({{0, 0, 1}});
    for (int i = 0; i < 3; ++i)
      w.add_ball(0.05, i == 1 ? lightest : 1, {{0.01 * i, 0, 0.0499 + 0.0985 * i}});
    w.start(1e-3);
  }
  Failure step(std::string* sentence) {
    const double time = w.scene.state.time;
    const NewtonReport r = w.scene.step();
    const Failure f = find_failure(w.scene.objective(), r);
    *sentence = explain(f, r, time, [](int b) { return "ball " + std::to_string(b); });
    return f;
  }
};

TEST(StepFailure, AStepThatConvergesHasNone) {
  Tower tower;
  std::string s;
  EXPECT_EQ(tower.step(&s).cause, Failure::kNone);
  EXPECT_EQ(s, "");
}

TEST(StepFailure, NamesTheBodyWhoseForceIsNotFinite) {
  Tower tower;
  std::string s;
  tower.step(&s);
  tower.w.bodies[1]->force[0] = std::numeric_limits<double>::quiet_NaN();
  const Failure f = tower.step(&s);
  EXPECT_EQ(f.cause, Failure::kNotFinite);
  EXPECT_EQ(f.block, 1);
  EXPECT_NE(s.find("At 0.001 s"), std::string::npos) << s;
  EXPECT_NE(s.find("'ball 1' is not a finite number"), std::string::npos) << s;
}

TEST(StepFailure, NamesTheBodyThatRunsAwayTheLightOneAndTheWorstBalance) {
  std::string s;
  // Slip is what one iteration does not get right.
  const auto push = [](Tower& t, double down) {
    t.w.scene.newton.max_iterations = 1;
    t.w.scene.newton.force_tolerance = 1e-14;
    t.w.bodies[2]->force = {{40, 30, -down}};
  };
  Tower away;
  push(away, 1e9);
  away.w.bodies[2]->force = {{4e8, 3e8, -1e9}};
  Failure f = away.step(&s);
  EXPECT_EQ(f.cause, Failure::kRunaway);
  EXPECT_EQ(f.block, 2);
  EXPECT_NEAR(f.value, 1e3, 1);

  Tower light(1e-9);
  push(light, 50);
  light.w.bodies[2]->force = {{4000, 3000, -50}};
  f = light.step(&s);
  EXPECT_EQ(f.cause, Failure::kMassRatio) << s;
  EXPECT_EQ(f.block, 1);
  EXPECT_NE(s.find("'ball 1' is 1"), std::string::npos) << s;

  Tower slow;
  push(slow, 50);
  slow.w.bodies[2]->force = {{400, 300, -50}};
  f = slow.step(&s);
  EXPECT_EQ(f.cause, Failure::kIterations) << s;
  EXPECT_STREQ(f.term, "point contact");
  EXPECT_NE(s.find("After 1 iterations the balance of 'ball"), std::string::npos) << s;
  EXPECT_GT(f.residual, 0);
}

}  // namespace
}  // namespace haptos
