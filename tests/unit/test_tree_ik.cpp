// Inverse kinematics: targets that can be reached, limits, several targets, targets out of reach.
#include "haptos/bodies/tree/tree_ik.h"

#include <gtest/gtest.h>

#include "haptos/base/text/error.h"
#include "tests/robots.h"
#include "tests/unit/allocation_count.h"

namespace haptos {
namespace {

constexpr int kLinks = 7;

// An arm of seven joints whose axes turn by a right angle from one to the next.
Robot arm(double limit) {
  test::Random random(21);
  Robot robot;
  robot.name = "arm";
  for (int i = 0; i < kLinks; ++i) {
    RobotJoint& j = test::add_random_link(random, robot, i - 1, JointKind::kRevolute);
    j.frame = {{{0, 0, i == 0 ? 0.3 : 0.2}}, rotation_by({{i % 2 ? M_PI / 2 : -M_PI / 2, 0, 0}})};
    if (i % 2) j.frame.p = {{0, -0.2, 0.05}};
    j.axis = {{0, 0, 1}};
    j.lower = -limit;
    j.upper = limit;
  }
  return robot;
}

Pose pose_of(const Tree& tree, const std::vector<double>& q, int link, const Pose& frame) {
  TreeData<double> data(tree);
  forward_kinematics(tree, q.data(), data);
  const Frame<double> x = link_frame(tree, data, link);
  return {x * frame.p, normalized(quaternion(x.r * to_matrix(frame.q)))};
}

double turn_between(const Pose& a, const Pose& b) {
  const Quat d = a.q * conjugate(b.q);
  return norm(rotation_log(Quaternion<double>{{d.w, d.x, d.y, d.z}}));
}

TEST(InverseKinematics, AnArmReachesEveryPoseThatItTookBeforeAndKeepsItsLimits) {
  const Tree tree = compile_tree(arm(2.5));
  InverseKinematics ik(tree);
  test::Random random(1);
  const Pose tool{{{0.02, -0.01, 0.1}}, test::random_turn(random)};
  int iterations = 0, starts = 0;
  for (int trial = 0; trial < 100; ++trial) {
    std::vector<double> q(kLinks);
    for (double& x : q) x = 2.5 * random();
    const Pose goal = pose_of(tree, q, 6, tool);
    const IkResult& r = ik.solve({{6, tool, goal, 1, 1}}, tree.start);
    ASSERT_TRUE(r.reached) << trial;
    const Pose at = pose_of(tree, r.q, 6, tool);
    EXPECT_LE(norm(at.p - goal.p), 1e-8);
    EXPECT_LE(turn_between(at, goal), 1e-8);
    for (double x : r.q) EXPECT_LE(std::abs(x), 2.5);
    iterations += r.iterations;
    starts += r.starts;
  }
  printf("100 poses: %.1f iterations and %.2f starts each\n", iterations / 100.0, starts / 100.0);
}

TEST(InverseKinematics, TheSameCallGivesTheSameCoordinatesAndAllocatesNothing) {
  const Tree tree = compile_tree(arm(2.5));
  InverseKinematics ik(tree);
  const std::vector<double> q{0.3, -0.7, 1.1, 0.4, -1.3, 0.8, 0.2};
  const std::vector<IkTarget> targets{{6, {}, pose_of(tree, q, 6, {}), 1, 1}};
  const IkOptions options;
  const std::vector<double> first = ik.solve(targets, tree.start, options).q;
  const std::int64_t before = test::allocation_count();
  const IkResult& again = ik.solve(targets, tree.start, options);
  EXPECT_EQ(test::allocation_count(), before);
  EXPECT_EQ(again.q, first);
}

TEST(InverseKinematics, ATreeMeetsSeveralTargetsOfDifferentKindsAtOnce) {
  // A floating base with two arms: both hands in place, the base upright, anywhere.
  test::Random random(31);
  Robot robot;
  test::add_random_link(random, robot, -1, JointKind::kFree);
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < 5; ++i)
      test::add_random_link(random, robot, i == 0 ? 0 : static_cast<int>(robot.links.size()) - 1,
                            i == 2 ? JointKind::kBall : JointKind::kRevolute);
  const Tree tree = compile_tree(robot);
  std::vector<double> v(static_cast<std::size_t>(tree.v_count)), q = tree.start;
  for (double& x : v) x = random();
  integrate(tree, tree.start.data(), v.data(), 1.0, q.data());
  const Pose hand{{{0.1, 0, 0}}, {}};
  const std::vector<IkTarget> targets{{5, hand, pose_of(tree, q, 5, hand), 1, 0},
                                      {10, hand, pose_of(tree, q, 10, hand), 1, 0.5},
                                      {0, {}, pose_of(tree, q, 0, {}), 0, 1}};
  InverseKinematics ik(tree);
  const IkResult& r = ik.solve(targets, tree.start);
  ASSERT_TRUE(r.reached);
  EXPECT_LE(norm(pose_of(tree, r.q, 5, hand).p - targets[0].goal.p), 1e-8);
  EXPECT_LE(norm(pose_of(tree, r.q, 10, hand).p - targets[1].goal.p), 1e-8);
  EXPECT_LE(turn_between(pose_of(tree, r.q, 10, hand), targets[1].goal), 1e-8);
  EXPECT_LE(turn_between(pose_of(tree, r.q, 0, {}), targets[2].goal), 1e-8);
}

TEST(InverseKinematics, ATargetOutOfReachIsApproachedAndReported) {
  // Two links of 1 m in a plane and a target at 3 m: stretched out, 1 m short.
  Robot robot;
  for (int i = 0; i < 2; ++i)
    test::add_link(robot, i - 1, JointKind::kRevolute,
                   test::make_link(1, {{0.5, 0, 0}}, 0.01 * Mat3d::identity()))
        .frame.p = {{i == 0 ? 0.0 : 1.0, 0, 0}};
  const Tree tree = compile_tree(robot);
  InverseKinematics ik(tree);
  const Pose tip{{{1, 0, 0}}, {}};
  IkTarget target{1, tip, {{{0, 3, 0}}, {}}, 1, 0};
  const IkResult& far = ik.solve({target}, {0.3, 0.4});
  EXPECT_FALSE(far.reached);
  EXPECT_NEAR(far.position_error[0], 1, 1e-6);
  EXPECT_EQ(far.orientation_error[0], 0);
  // Within reach but for a limit of the elbow: it stands at the limit.
  robot.joints[1].lower = -0.5;
  robot.joints[1].upper = 0.5;
  const Tree limited = compile_tree(robot);
  InverseKinematics with_limit(limited);
  target.goal.p = {{0, 1, 0}};
  const IkResult& r = with_limit.solve({target}, {0.3, 0.4});
  EXPECT_FALSE(r.reached);
  EXPECT_NEAR(std::abs(r.q[1]), 0.5, 1e-12);
  EXPECT_NEAR(r.position_error[0], 2 * std::cos(0.25) - 1, 1e-6);
}

TEST(InverseKinematics, RefusesTargetsThatCannotBe) {
  const Tree tree = compile_tree(arm(2));
  InverseKinematics ik(tree);
  EXPECT_THROW(ik.solve({{7, {}, {}, 1, 1}}, tree.start), InputError);
  EXPECT_THROW(ik.solve({{0, {}, {}, -1, 1}}, tree.start), InputError);
  EXPECT_THROW(ik.solve({{0, {}, {{{NAN, 0, 0}}, {}}, 1, 1}}, tree.start), InputError);
  EXPECT_THROW(ik.solve({{0, {}, {}, 1, 1}}, {0, 0}), InputError);
  IkOptions options;
  options.position_tolerance = 0;
  EXPECT_THROW(ik.solve({{0, {}, {}, 1, 1}}, tree.start, options), InputError);
}

}  // namespace
}  // namespace haptos
