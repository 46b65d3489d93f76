// Articulation: what it gives the step, joint terms, refused input. Its dynamics: test_tree.cpp.
#include "haptos/bodies/tree/articulation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "haptos/base/text/error.h"
#include "haptos/bodies/joints/joint_terms.h"
#include "tests/robots.h"

namespace haptos {
namespace {

// A branched tree of eight revolute joints.
Robot branched() {
  test::Random random(3);
  Robot robot;
  robot.name = "branched";
  for (int parent : {-1, 0, 1, 1, 3, 0, 5, -1})
    test::add_random_link(random, robot, parent, JointKind::kRevolute).armature = 0.01;
  return robot;
}

// Value of a coordinate term and the gradient and Hessian it assembles.
struct Assembled {
  double value, gradient, hessian;
};
Assembled assemble(Term& term, const std::vector<double>& z, double h) {
  Assembly assembly;
  assembly.reset(std::make_shared<BlockPattern>(std::vector<int>{8}));
  Points points;
  assembly.begin(points, true, nullptr);
  const bool position = term.kind() == TermKind::kPosition;
  assembly.set_factors(h, position ? h * h : h);
  Evaluation e;
  e.points = &points;
  e.z = &z;
  e.assembly = &assembly;
  const double v = term.evaluate(e).value * (position ? 1 : h);
  assembly.finish();
  return {v, assembly.gradient()[2], assembly.matrix().entry(0)[2 * 8 + 2]};
}

TEST(JointTerms, GradientAndHessianAgreeWithDifferences) {
  test::Random random(8);
  const Articulation a({0, 0, 0, 0, 0, 0}, test::articulation_of(branched()));
  const double h = 0.02;
  JointDamping damping(&a, 2, 0.7);
  JointSpring spring(&a, 2, 40, 0.5);
  StepContext c;
  c.h = c.b = h;
  spring.prepare(c);
  std::vector<double> z(8);
  for (double& x : z) x = 3 * random();
  for (Term* t : {static_cast<Term*>(&damping), static_cast<Term*>(&spring)}) {
    const Assembled at = assemble(*t, z, h);
    std::vector<double> lo = z, hi = z;
    lo[2] -= 1e-4;
    hi[2] += 1e-4;
    const Assembled l = assemble(*t, lo, h), u = assemble(*t, hi, h);
    EXPECT_NEAR(at.gradient, (u.value - l.value) / 2e-4, 1e-9 * std::abs(at.gradient)) << t->name();
    EXPECT_NEAR(at.hessian, (u.gradient - l.gradient) / 2e-4, 1e-9 * at.hessian) << t->name();
    EXPECT_GT(at.value, 0);
  }
  // At its reference and at rest a spring is zero.
  spring.set_reference(0);
  spring.prepare(c);
  const Assembled rest = assemble(spring, std::vector<double>(8, 0.0), h);
  EXPECT_EQ(rest.value, 0);
  EXPECT_EQ(rest.gradient, 0);
}

TEST(Articulation, RefusesWhatItCannotStartFrom) {
  const ArticulationSpec good = test::articulation_of(branched());
  const auto of = [](const ArticulationSpec& s) {
    return test::refusal([&] { Articulation({}, s); });
  };
  EXPECT_EQ(of(good), "");
  EXPECT_NE(of({}).find("articulation.tree = none: must be given"), std::string::npos);
  ArticulationSpec s = good;
  s.position = {1, 2};
  EXPECT_NE(of(s).find("articulation.position = 2 numbers: must have 8"), std::string::npos);
  s = good;
  s.velocity.assign(8, NAN);
  EXPECT_NE(of(s).find("finite"), std::string::npos);
  test::Random random(4);
  Robot star;
  for (int k = 0; k < 65; ++k) test::add_random_link(random, star, -1, JointKind::kRevolute);
  EXPECT_EQ(of(test::articulation_of(star)), "");
  Robot still;
  test::add_random_link(random, still, -1, JointKind::kFixed);
  EXPECT_NE(of(test::articulation_of(still)).find("0 unknowns"), std::string::npos);
  Robot ball;
  test::add_random_link(random, ball, -1, JointKind::kBall);
  s = test::articulation_of(ball);
  s.position = {1, 1, 0, 0};
  EXPECT_NE(of(s).find("quaternion"), std::string::npos);

  const Articulation a({}, good), b({}, test::articulation_of(ball));
  EXPECT_THROW(JointDamping(&a, 8, 1), InputError);
  EXPECT_THROW(JointDamping(&a, 0, -1), InputError);
  EXPECT_THROW(JointSpring(&a, -1, 1, 0), InputError);
  EXPECT_THROW(JointSpring(&a, 0, 1, NAN), InputError);
  EXPECT_NE(test::refusal([&] { JointSpring(&b, 0, 1, 0); }).find("ball or free joint"),
            std::string::npos);
}

}  // namespace
}  // namespace haptos
