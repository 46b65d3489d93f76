// Kinematic loops: a four-bar linkage against Freudenstein's equation, a bar that hangs from two
// points, welded links against one, a rod against a pendulum, coupled joints.
#include "haptos/bodies/joints/loop_closure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/error.h"
#include "haptos/bodies/joints/joint_laws.h"
#include "tests/robots.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

// A bar along x from its hinge about -y: a positive angle lifts it towards +z.
RobotJoint& add_bar(Robot& robot, int parent, const Vec3d& hinge, double length, double angle) {
  RobotJoint& j = test::add_link(
      robot, parent, JointKind::kRevolute,
      test::make_link(1, {{0.5 * length, 0, 0}}, Mat3d::identity() * (length * length / 12)));
  j.frame.p = hinge;
  j.axis = {{0, -1, 0}};
  j.position = {angle};
  return j;
}

// How fast the ends of links 1 and 2 part [m/s2]: with joints that do not accelerate, and more by
// how they would without the loop.
double parts_by(const Tree& tree, const State& state, const Vec3d& end_1, const Vec3d& end_2) {
  TreeData<double> d(tree);
  std::vector<double> a(static_cast<std::size_t>(tree.v_count));
  const auto apart = [&] {
    update_accelerations(tree, a.data(), d);
    return point_acceleration(d, 1, d.pose[1] * end_1) -
           point_acceleration(d, 2, d.pose[2] * end_2);
  };
  update(tree, state.q.data(), d);
  update_velocities(tree, state.z.data(), d);
  const Vec3d turning = apart();
  aba<double>(tree, d, state.z.data(), nullptr, {{0, 0, -9.81}}, nullptr, a.data());
  return norm(turning) + norm(apart() - turning);
}

TEST(LoopClosure, AFourBarLinkageObeysFreudensteinsEquation) {
  // Crank a, coupler b, rocker c, ground d; a turns all the way round.
  const double a = 0.1, b = 0.35, c = 0.3, d = 0.4;
  // At crank angle 0: coupler and rocker meet above the ground.
  const double s = d - a, cos4 = (b * b - c * c - s * s) / (2 * c * s), t4 = std::acos(cos4);
  const Vec3d top{{d + c * std::cos(t4), 0, c * std::sin(t4)}};
  const double t3 = std::atan2(top[2], top[0] - a);
  Robot robot;
  add_bar(robot, -1, {{0, 0, 0}}, a, 0);
  add_bar(robot, 0, {{a, 0, 0}}, b, t3);
  add_bar(robot, -1, {{d, 0, 0}}, c, t4);
  double worst_before = 0;
  for (const double h : {2e-3, 1e-3}) {
    FrozenScene scene;
    scene.h = h;
    Articulation* body =
        scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
    auto* loop = scene.add_term(std::make_unique<BallClosure>(LinkPoint{body, 1, {{b, 0, 0}}},
                                                              LinkPoint{body, 2, {{c, 0, 0}}}));
    auto* motor = scene.add_term(std::make_unique<JointMotor>(body, 0, MotorGains{0, 500}));
    motor->command.velocity = 2 * M_PI;
    scene.start();
    double worst = 0, open = 0, turned = 0, curved = 0;
    for (int n = 0; n < static_cast<int>(std::lround(2 / h)); ++n) {
      scene.step();
      curved = std::max(curved, parts_by(body->tree(), scene.state, {{b, 0, 0}}, {{c, 0, 0}}));
      if (n * h < 0.2) continue;
      open = std::max(open, norm(loop->gap()));
      const double t2 = scene.state.q[0], rocker = scene.state.q[2];
      const double k1 = d / a, k2 = d / c, k3 = (a * a - b * b + c * c + d * d) / (2 * a * c);
      worst = std::max(
          worst, std::abs(k1 * std::cos(rocker) - k2 * std::cos(t2) + k3 - std::cos(t2 - rocker)));
      turned = t2;
    }
    EXPECT_EQ(scene.status, 0u);
    EXPECT_GT(turned, 3.5 * M_PI);
    std::printf("FIGURE loop.four_bar.h%g.freudenstein = %.1e\n", h, worst);
    std::printf("FIGURE loop.four_bar.h%g.open = %.1e m\n", h, open);
    // A step halves what is open, and opens the loop by h^2 / 2 of what the closure does not see:
    // how the ends part by velocity products, and by the part of the free motion that the tree
    // leaves out where little pushes it. The equation divides a change of b^2 by 2 a c.
    EXPECT_LT(open, h * h * curved);
    EXPECT_LT(worst, b / (a * c) * h * h * curved);
    std::printf("FIGURE loop.four_bar.h%g.bound = %.1e\n", h, b / (a * c) * h * h * curved);
    if (worst_before > 0) {
      EXPECT_NEAR(worst_before / worst, 4, 0.6);
    }
    worst_before = worst;
  }
}

TEST(LoopClosure, ABarThatHangsFromTwoPointsSharesItsWeight) {
  // Free, of 2 kg, its centre a third of the way from the second point: the lever rule.
  Robot robot;
  test::add_link(robot, -1, JointKind::kFree,
                 test::make_link(2, {{0.1, 0, 0}}, Mat3d::identity() * 0.02));
  FrozenScene scene;
  Articulation* body =
      scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
  auto* left = scene.add_term(std::make_unique<BallClosure>(LinkPoint{body, 0, {{-0.3, 0, 0}}},
                                                            LinkPoint{nullptr, 0, {{-0.3, 0, 0}}}));
  auto* right = scene.add_term(std::make_unique<BallClosure>(LinkPoint{nullptr, 0, {{0.3, 0, 0}}},
                                                             LinkPoint{body, 0, {{0.3, 0, 0}}}));
  scene.start();
  for (int n = 0; n < 3000; ++n) scene.step();
  EXPECT_EQ(scene.status, 0u);
  const double weight = 2 * 9.81;
  EXPECT_NEAR(left->force()[2], weight / 3, 1e-6 * weight);
  EXPECT_NEAR(-right->force()[2], weight * 2 / 3, 1e-6 * weight);
  EXPECT_LT(norm(left->gap()), 1e-6);
}

// Two bricks with their frames at their centres, the second one 0.3 m along x, and the one that
// both together are.
Robot two_bricks(bool one) {
  const Mat3d inertia[2] = {{{0.01, 0, 0, 0, 0.02, 0, 0, 0, 0.025}},
                            {{0.03, 0, 0, 0, 0.02, 0, 0, 0, 0.015}}};
  Robot robot;
  for (int i = 0; i < 2; ++i) {
    RobotJoint& j = test::add_link(robot, one ? i - 1 : -1,
                                   one && i == 1 ? JointKind::kFixed : JointKind::kFree,
                                   test::make_link(1 + i, {{0, 0, 0}}, inertia[i]));
    if (i == 1) j.frame.p = {{0.3, 0, 0}};
  }
  return robot;
}

TEST(LoopClosure, TwoLinksWeldedTogetherMoveAsOne) {
  const Vec3d v{{0.5, -0.2, 1}}, w{{1, -2, 1.5}}, u = v + cross(w, Vec3d{{0.3, 0, 0}});
  double before = 0;
  for (const double h : {2e-3, 1e-3}) {
    FrozenScene one, two;
    one.h = two.h = h;
    Articulation* rigid = one.add(std::make_unique<Articulation>(
        one.next_slots(),
        test::articulation_of(two_bricks(true), {v[0], v[1], v[2], w[0], w[1], w[2]})));
    Articulation* pair = two.add(std::make_unique<Articulation>(
        two.next_slots(),
        test::articulation_of(two_bricks(false), {v[0], v[1], v[2], w[0], w[1], w[2], u[0], u[1],
                                                  u[2], w[0], w[1], w[2]})));
    auto* weld = two.add_term(std::make_unique<WeldClosure>(
        LinkFrame{pair, 0, {{{0.1, 0.05, 0}}, {}}}, LinkFrame{pair, 1, {{{-0.2, 0.05, 0}}, {}}}));
    one.start();
    two.start();
    double gap = 0, turn = 0;
    for (int n = 0; n < static_cast<int>(std::lround(1 / h)); ++n) {
      one.step();
      two.step();
      gap = std::max(gap, norm(weld->gap()));
      turn = std::max(turn, norm(weld->turn()));
    }
    EXPECT_EQ(two.status, 0u);
    const double off =
        norm(pair->link_pose(two.state.q.data(), 1).p - rigid->link_pose(one.state.q.data(), 1).p);
    std::printf("FIGURE loop.weld.h%g.gap = %.1e m\n", h, gap);
    std::printf("FIGURE loop.weld.h%g.turn = %.1e rad\n", h, turn);
    std::printf("FIGURE loop.weld.h%g.off_one_link = %.1e m\n", h, off);
    // The gap is of second order in h.
    EXPECT_LT(gap, 2.5e-6 * square(h / 1e-3));
    EXPECT_LT(turn, 1e-8 * square(h / 1e-3));
    EXPECT_LT(off, 2.5e-6 * square(h / 1e-3));
    if (before > 0) {
      EXPECT_NEAR(before / off, 4, 0.5);
    }
    before = off;
  }
}

TEST(LoopClosure, AWeldOnTheWorldCarriesForceAndMoment) {
  // A brick of 2 kg held by a point 0.2 m beside its centre.
  Robot robot;
  test::add_link(robot, -1, JointKind::kFree,
                 test::make_link(2, {{0, 0, 0}}, Mat3d::identity() * 0.02));
  FrozenScene scene;
  Articulation* body =
      scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
  auto* weld = scene.add_term(std::make_unique<WeldClosure>(
      LinkFrame{body, 0, {{{-0.2, 0, 0}}, rotation_by({{0, 0, 1}})}},
      LinkFrame{nullptr, 0, {{{-0.2, 0, 0}}, rotation_by({{0, 0, 1}})}}));
  scene.start();
  for (int n = 0; n < 200; ++n) scene.step();
  EXPECT_EQ(scene.status, 0u);
  EXPECT_NEAR(weld->force()[2], 2 * 9.81, 1e-8);
  EXPECT_NEAR(weld->moment()[1], -2 * 9.81 * 0.2, 1e-8);
  EXPECT_LT(std::abs(weld->moment()[0]) + std::abs(weld->moment()[2]), 1e-8);
  // Open by 2 h^2 R F, w of the brick's mass and of its lever of 0.2 m.
  const double w = sqrt(square(0.5) + 2 * square(0.5 + 0.04 / 0.02)) / 3;
  EXPECT_NEAR(norm(weld->gap()), 2e-6 * 0.01 / (4 * M_PI * M_PI) * w * 2 * 9.81, 1e-12);
}

TEST(LoopClosure, ARodBetweenTwoPointsMakesAPendulum) {
  // A small ball on a rod of length 0.5 m without mass, and the same on a hinge.
  const double length = 0.5, start = 1;
  double before = 0;
  for (const double h : {2e-3, 1e-3}) {
    Robot ball, hinged;
    const RobotLink mass = test::make_link(0.3, {{0, 0, 0}}, Mat3d::identity() * 1e-7);
    test::add_link(ball, -1, JointKind::kFree, mass).frame.p = {
        {length * std::sin(start), 0, -length * std::cos(start)}};
    RobotJoint& j =
        test::add_link(hinged, -1, JointKind::kRevolute,
                       test::make_link(0.3, {{0, 0, -length}}, Mat3d::identity() * 1e-7));
    j.axis = {{0, -1, 0}};
    j.position = {start};
    FrozenScene free, exact;
    free.h = h;
    exact.h = 1e-4;
    Articulation* body =
        free.add(std::make_unique<Articulation>(free.next_slots(), test::articulation_of(ball)));
    exact.add(std::make_unique<Articulation>(exact.next_slots(), test::articulation_of(hinged)));
    auto* rod = free.add_term(std::make_unique<DistanceClosure>(LinkPoint(body, 0, {}),
                                                                LinkPoint(nullptr, 0, {}), length));
    free.start();
    exact.start();
    double stretch = 0;
    for (int n = 0; n < static_cast<int>(std::lround(1 / h)); ++n) {
      free.step();
      stretch = std::max(stretch, std::abs(rod->error(0)));
    }
    for (int n = 0; n < 10000; ++n) exact.step();
    EXPECT_EQ(free.status, 0u);
    const Vec3d p = body->link_pose(free.state.q.data(), 0).p;
    const double angle = std::atan2(p[0], -p[2]);
    const double off = std::abs(angle - exact.state.q[0]);
    std::printf("FIGURE loop.rod.h%g.stretch = %.1e m\n", h, stretch);
    std::printf("FIGURE loop.rod.h%g.angle_off = %.1e rad\n", h, off);
    EXPECT_LT(stretch, 2e-5 * square(h / 1e-3));
    EXPECT_LT(off, 1e-2 * h / 1e-3);
    if (before > 0) {
      EXPECT_NEAR(before / off, 2, 0.2);
    }
    before = off;
    // Tension of a pendulum: m (g cos + v^2 / L), pulling.
    const double speed = norm(Vec3d{{free.state.z[0], free.state.z[1], free.state.z[2]}});
    const double tension = 0.3 * (9.81 * std::cos(angle) + speed * speed / length);
    EXPECT_NEAR(-rod->thrust(), tension, 0.02 * tension);
  }
}

TEST(LoopClosure, ACoupledJointFollowsItsPolynomial) {
  // q1 = .1 + .5 q0 - .8 q0^2 + .3 q0^3 + .2 q0^4; a motor swings q0, and a load pulls on q1.
  const double c[5] = {0.1, 0.5, -0.8, 0.3, 0.2}, load = 0.4;
  Robot robot;
  for (int i = 0; i < 2; ++i) {
    RobotJoint& j = test::add_link(robot, -1, i == 0 ? JointKind::kRevolute : JointKind::kPrismatic,
                                   test::make_link(0.2, {{0, 0, 0}}, Mat3d::identity() * 1e-2));
    j.frame.p = {{0, 0.1 * i, 0}};
    if (i == 1) j.position = {0.1};
  }
  LoopClosure closure;
  closure.kind = ClosureKind::kCoupler;
  closure.a = 1;
  closure.b = 0;
  std::copy_n(c, 5, closure.polynomial);
  FrozenScene scene;
  scene.gravity = {{0, 0, 0}};
  Articulation* body =
      scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
  body->torque = {0, load};
  auto* motor = scene.add_term(std::make_unique<JointMotor>(body, 0, MotorGains{200, 5}));
  auto* coupler = scene.add_term(make_closure(body, closure));
  scene.start();
  double worst = 0;
  for (int n = 0; n < 2500; ++n) {
    motor->command.position = 0.4 * (1 - std::cos(M_PI * n * 1e-3));
    scene.step();
    const double q = scene.state.q[0];
    const double p = c[0] + q * (c[1] + q * (c[2] + q * (c[3] + q * c[4])));
    worst = std::max(worst, std::abs(scene.state.q[1] - p));
  }
  EXPECT_EQ(scene.status, 0u);
  std::printf("FIGURE loop.coupler.error = %.1e\n", worst);
  EXPECT_LT(worst, 5e-5);
  // At rest the coupler carries the load, and the motor what its slope makes of it.
  for (int n = 0; n < 2000; ++n) scene.step();
  const double q = scene.state.q[0];
  const double slope = c[1] + q * (2 * c[2] + q * (3 * c[3] + q * 4 * c[4]));
  EXPECT_NEAR(coupler->effort(0), -load, 1e-8);
  EXPECT_NEAR(motor->effort(), -slope * load, 1e-8);
}

TEST(LoopClosure, RefusesWhatCannotBeNamingTheClosure) {
  EXPECT_THROW(BallClosure(LinkPoint(nullptr, 0, {}), LinkPoint(nullptr, 0, {})), InputError);
  const Robot robot = two_bricks(true);
  const Articulation body({0, 0, 0, 0, 0, 0}, test::articulation_of(robot));
  LoopClosure c;
  c.name = "knee";
  c.a = 0;
  const auto message = [&] {
    try {
      make_closure(&body, c);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(), "");
  c.a = 7;
  EXPECT_NE(message().find("closure 'knee'"), std::string::npos);
  c.a = 0;
  c.kind = ClosureKind::kDistance;
  EXPECT_NE(message().find("must be above 0"), std::string::npos);
  c.kind = ClosureKind::kCoupler;
  EXPECT_NE(message().find("must have one coordinate"), std::string::npos);
  EXPECT_THROW(JointMimic(&body, 0, 0, 1, 0), InputError);
}

}  // namespace
}  // namespace haptos
