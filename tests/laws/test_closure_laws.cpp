// Loop closures by the unknowns of the bodies that they join.
#include <gtest/gtest.h>

#include "haptos/bodies/joints/loop_closure.h"
#include "tests/laws/unknowns_suite.h"
#include "tests/robots.h"

namespace haptos {
namespace {

LoopClosure closure_of(ClosureKind kind, int a, int b) {
  LoopClosure c;
  c.name = "loop";
  c.kind = kind;
  c.a = a;
  c.b = b;
  c.frame_a = {{{0.1, 0.2, -0.1}}, rotation_by({{0.4, 0.1, -0.3}})};
  c.frame_b = {{{-0.2, 0.1, 0.3}}, rotation_by({{-0.2, 0.5, 0.6}})};
  c.distance = 0.4;
  const double p[5] = {0.1, 2, -0.5, 0.3, 1};
  std::copy_n(p, 5, c.polynomial);
  return c;
}

// Costs are quadratic: differences are exact but for rounding.
void check(test::UnknownsCase& scene, Term& term, unsigned seed) {
  test::Random random(seed);
  std::vector<double> z(static_cast<std::size_t>(scene.next_slots().first_scalar));
  for (double& x : z) x = random();
  scene.prepare(&term, z);
  for (double& x : z) x += 0.1 * random();
  scene.check(z, 1e-3, 1e-8, 1e-8);
}

TEST(ClosureLaws, DerivativesMatchDifferencesWithinARobot) {
  const Robot robot = test::random_robot(5, 8, JointKind::kFree);
  std::vector<int> single;
  for (std::size_t i = 0; i < robot.joints.size(); ++i)
    if (v_size(robot.joints[i].kind) == 1) single.push_back(static_cast<int>(i));
  ASSERT_GE(single.size(), 2u);
  for (const ClosureKind kind :
       {ClosureKind::kWeld, ClosureKind::kBall, ClosureKind::kDistance, ClosureKind::kCoupler})
    for (const bool world : {false, true}) {
      test::UnknownsCase scene(1e-2);
      auto* body = scene.add(
          std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
      const bool joints = kind == ClosureKind::kCoupler;
      const int a = joints ? single[0] : 6, b = joints ? single[1] : 3;
      const auto term = make_closure(body, closure_of(kind, a, world ? -1 : b));
      check(scene, *term, 7);
      EXPECT_EQ(term->rows(), kind == ClosureKind::kWeld ? 6 : kind == ClosureKind::kBall ? 3 : 1);
    }
}

TEST(ClosureLaws, DerivativesMatchDifferencesBetweenTwoRobots) {
  const Robot one = test::random_robot(2, 5, JointKind::kFree);
  const Robot two = test::random_robot(3, 6, JointKind::kRevolute);
  for (const int kind : {0, 1, 2})
    for (const bool swapped : {false, true}) {
      test::UnknownsCase scene(1e-2);
      const Articulation* a =
          scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(one)));
      const Articulation* b =
          scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(two)));
      if (swapped) std::swap(a, b);
      const LinkPoint p{a, 3, {{0.1, 0, 0.2}}}, q{b, 2, {{0, -0.1, 0.1}}};
      std::unique_ptr<LoopClosureTerm> term;
      if (kind == 0) term = std::make_unique<BallClosure>(p, q);
      if (kind == 1) term = std::make_unique<DistanceClosure>(p, q, 0.3);
      if (kind == 2)
        term = std::make_unique<WeldClosure>(LinkFrame{a, 3, {p.local, {}}},
                                             LinkFrame{b, 2, {q.local, {}}});
      check(scene, *term, 11);
    }
}

}  // namespace
}  // namespace haptos
