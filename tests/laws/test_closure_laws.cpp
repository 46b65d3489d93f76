// Loop closures by the unknowns of the bodies that they join.
#include <gtest/gtest.h>

#include "haptos/base/math/index.h"
#include "haptos/bodies/joints/joint_laws.h"
#include "haptos/bodies/joints/loop_closure.h"
#include "haptos/bodies/stiff/affine_frame.h"
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

TEST(ClosureLaws, DerivativesOfAMotorOnASumOfJointsMatchDifferences) {
  const Robot robot = test::random_robot(4, 7, JointKind::kFree);
  std::vector<JointPull> sum;
  test::UnknownsCase scene(1e-2);
  auto* body =
      scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
  for (int k = 0; k < body->v_count(); ++k)
    if (body->coordinate_of(k) >= 0)
      sum.push_back({k, 0.7 - 0.9 * static_cast<double>(sum.size())});
  ASSERT_GE(sum.size(), 2u);
  for (const double effort : {1e9, 0.1}) {
    JointMotor motor(body, sum, {40, 3, effort});
    motor.command = {0.2, -0.1, 0.4};
    check(scene, motor, 5);
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
        term = std::make_unique<WeldClosure>(LinkFrame(a, 3, p.local), LinkFrame(b, 2, q.local));
      check(scene, *term, 11);
    }
}

// A brick of 0.1 m, off its rest shape and turning.
AffineFrameSpec affine_brick(const Vec3d& p) {
  AffineFrameSpec spec;
  const double m = 0.7, s = m * 0.01 / 12;
  spec.moments = {m, m * Vec3d{{0.02, 0, 0.01}}, Mat3d::identity() * s};
  spec.own = spec.moments;
  spec.volume = 1e-3;
  spec.pose = {p, rotation_by({{0.3, -0.5, 0.2}})};
  return spec;
}

TEST(ClosureLaws, DerivativesMatchDifferencesBetweenBodiesOfTwoKinds) {
  const Robot robot = test::random_robot(2, 5, JointKind::kFree);
  const auto turned = [](double a) { return rotation_by({{0.1, a, -0.2}}); };
  for (const bool world : {false, true})
    for (const int kind : {0, 1, 2, 3, 4, 5, 6}) {
      test::UnknownsCase scene(1e-2);
      auto* one =
          scene.add(std::make_unique<AffineFrame>(scene.next_slots(), affine_brick({{1, 2, 3}})));
      auto* two = scene.add(
          std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
      const auto a = std::make_shared<LinkOf<AffineFrame>>(one);
      const std::shared_ptr<const Link> b = world ? nullptr : link_of(two, 3);
      const Pose pa{{{0.1, 0, 0.2}}, turned(0.3)}, pb{{{0, -0.1, 0.1}}, turned(-0.4)};
      std::unique_ptr<LoopClosureTerm> term;
      if (kind == 0) term = std::make_unique<BallClosure>(LinkPoint(a, pa.p), LinkPoint(b, pb.p));
      if (kind == 1)
        term = std::make_unique<DistanceClosure>(LinkPoint(a, pa.p), LinkPoint(b, pb.p), 0.3);
      using Free = WeldClosure::Free;
      const Free free = kind == 2 ? Free::kNothing : kind % 2 == 1 ? Free::kTurn : Free::kShift;
      FreeAxisOptions axis;  // of 5 and 6: limits on either side, both of which push
      if (kind > 4)
        axis = {.lower = 10, .upper = -10, .stiffness = 3, .reference = 0.2, .damping = 0.4};
      if (kind > 4) axis.motor = MotorGains{.kp = 2, .kd = 0.5, .ki = 1};
      if (kind > 1)
        term = std::make_unique<WeldClosure>(LinkFrame(a, pa), LinkFrame(b, pb), free, axis);
      check(scene, *term, 13);
      EXPECT_EQ(term->rows(), kind == 0 ? 3 : kind == 1 ? 1 : 6);
    }
}

// What a link says of its motion is how its points move: by differences over a short time.
TEST(ClosureLaws, LinksOfEveryKindTurnAndMoveAsTheirPointsDo) {
  const Robot robot = test::random_robot(2, 5, JointKind::kFree);
  test::UnknownsCase scene(
      1e-9);  // what acts on an affine body turns with it, by what it turns in a step
  auto* affine =
      scene.add(std::make_unique<AffineFrame>(scene.next_slots(), affine_brick({{1, 2, 3}})));
  auto* tree =
      scene.add(std::make_unique<Articulation>(scene.next_slots(), test::articulation_of(robot)));
  const std::shared_ptr<const Link> links[] = {std::make_shared<LinkOf<AffineFrame>>(affine),
                                               link_of(tree, 3)};
  const BallClosure term(LinkPoint(links[0], {{0, 0, 0}}), LinkPoint(links[1], {{0, 0, 0}}));
  test::Random random(17);
  std::vector<double> z(static_cast<std::size_t>(scene.next_slots().first_scalar));
  for (double& v : z) v = 0.3 * random();
  // A turn of the affine body without stretch, for which its frame has one angular velocity.
  const Vec3d w{{0.2, -0.1, 0.4}};
  const Mat3d axes = skew<double>(w) * to_matrix(affine->spec().pose.q);
  for (int k = 0; k < 3; ++k)
    for (int r = 0; r < 3; ++r) z[at_index(3 * (k + 1) + r)] = axes(r, k);
  BallClosure prepared = term;
  scene.prepare(&prepared, z);
  for (const auto& link : links) {
    const int n = link->columns();
    std::vector<double> j(at_index(3 * n)), turn(j);
    const Pose pose = link->pose();
    const Vec3d local{{0.1, -0.2, 0.15}}, x = pose * local;
    link->jacobian(x, j.data());
    link->turning(turn.data());
    const double h = 1e-6;
    const Pose after = link->pose_after(z, h), before = link->pose_after(z, -h);
    const Vec3d moved = (after * local - before * local) * (0.5 / h);
    const Quat q = after.q * conjugate(before.q);
    const Vec3d spun = rotation_log(Quaternion<double>{{q.w, q.x, q.y, q.z}}) * (0.5 / h);
    for (int r = 0; r < 3; ++r) {
      double u = 0, s = 0;
      for (int c = 0; c < n; ++c) {
        const double v = z[at_index(link->first_scalar() + c)];
        u += j[at_index(r * n + c)] * v;
        s += turn[at_index(r * n + c)] * v;
      }
      EXPECT_NEAR(u, moved[r], 1e-7);
      EXPECT_NEAR(s, spun[r], 1e-7);
    }
  }
}

}  // namespace
}  // namespace haptos
