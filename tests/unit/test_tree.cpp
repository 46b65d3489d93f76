// Dynamics of kinematic trees: identities on random robots, lanes, merged links, refused input.
#include "haptos/bodies/tree/tree.h"

#include <gtest/gtest.h>

#include "haptos/base/math/lanes.h"
#include "haptos/base/text/error.h"
#include "haptos/scene/robot/mimic_start.h"
#include "tests/robots.h"
#include "tests/tree_identities.h"
#include "tests/unit/allocation_count.h"

namespace haptos {
namespace {

const JointKind kRoots[] = {JointKind::kRevolute, JointKind::kPrismatic, JointKind::kBall,
                            JointKind::kPlanar,   JointKind::kFree,      JointKind::kFixed};

TEST(Tree, IdentitiesHoldOnRandomTreesOfAllKindsOfJoints) {
  unsigned seed = 1;
  for (JointKind root : kRoots)
    for (int count : {3, 9, 16}) test::check_identities(test::random_robot(seed++, count, root));
}

TEST(Tree, IdentitiesHoldForASmallFingerFarFromTheBase) {
  // 1e-8 kg m2 at 100 m: about a point at the base its inertia would keep six digits.
  test::Random random(8);
  Robot robot;
  robot.name = "gantry";
  test::add_random_link(random, robot, -1, JointKind::kPrismatic);
  for (int i = 0; i < 3; ++i) {
    test::add_random_link(random, robot, i, JointKind::kRevolute).frame.p =
        i == 0 ? Vec3d{{100, 20, 5}} : Vec3d{{0.02, 0.01, 0}};
    RobotLink& l = robot.links.back();
    l.mass = 1e-3;
    l.centre = 0.02 * l.centre;
    l.inertia = 1e-6 * l.inertia;
  }
  test::check_identities(robot);
}

TEST(Tree, VelocityForcesAreThoseOfLagrangesEquations) {
  // c_i = sum_jk (dM_ij/dq_k - 1/2 dM_jk/dq_i) v_j v_k for joints with one coordinate each.
  test::Random random(5);
  Robot robot;
  for (int parent : {-1, 0, 1, 1, 3, 0, 5, -1})
    test::add_random_link(random, robot, parent,
                          parent == 1 ? JointKind::kPrismatic : JointKind::kRevolute);
  const Tree tree = compile_tree(robot);
  const test::TreeState s(tree, random);
  constexpr std::size_t n = 8;
  TreeData<double> data(tree);
  update(tree, s.q.data(), data);
  std::vector<double> tau(n);
  rnea<double>(tree, data, s.v.data(), nullptr, Vec3d::zero(), nullptr, tau.data());
  std::vector<std::vector<Dual>> m(n, std::vector<Dual>(n * n));
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> direction(n, 0.0);
    direction[k] = 1;
    test::Moving moving(tree, s.q, direction, s.a);
    crba(tree, moving.data, m[k].data());
  }
  for (std::size_t i = 0; i < n; ++i) {
    double c = 0;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t k = 0; k < n; ++k)
        c += (m[k][i * n + j].b - 0.5 * m[i][j * n + k].b) * s.v[j] * s.v[k];
    EXPECT_NEAR(tau[i], c, 1e-12);
  }
}

// Runs everything that has a result on T and returns the results of each lane, one after the other.
template <class T>
std::vector<T> everything(const Tree& tree, TreeData<T>& data, const T* q, const T* v, const T* a,
                          const Vec3<T>& gravity, const SpatialForce<T>* wrench) {
  const std::size_t n = static_cast<std::size_t>(tree.v_count);
  std::vector<T> out;
  const auto take = [&](const std::vector<T>& x) { out.insert(out.end(), x.begin(), x.end()); };
  const auto take3 = [&](const Vec3<T>& x) { out.insert(out.end(), x.a, x.a + 3); };
  update(tree, q, data);
  for (const Frame<T>& x : data.pose) {
    take3(x.p);
    out.insert(out.end(), x.r.a, x.r.a + 9);
  }
  std::vector<T> tau(n), m(n * n), acceleration(n), j(6 * n), moved(tree.start.size()), back(n);
  rnea(tree, data, v, a, gravity, wrench, tau.data());
  take(tau);
  crba(tree, data, m.data());
  take(m);
  aba(tree, data, v, tau.data(), gravity, wrench, acceleration.data());
  take(acceleration);
  const int last = static_cast<int>(tree.bodies.size()) - 1;
  frame_jacobian(tree, data, last, data.pose.back().p, j.data());
  take(j);
  centroidal_map(tree, data, j.data());
  take(j);
  take3(centre_of_mass(tree, data));
  take3(momentum_about(tree, data, centre_of_mass(tree, data)).moment);
  out.push_back(kinetic_energy(tree, data, v));
  out.push_back(potential_energy(tree, data, gravity));
  integrate(tree, q, v, T(0.3), moved.data());
  take(moved);
  difference(tree, q, moved.data(), back.data());
  take(back);
  return out;
}

TEST(Tree, LanesEqualScalarsBitForBit) {
  using P = Pack<double, 8>;
  for (JointKind root : {JointKind::kFree, JointKind::kRevolute}) {
    const Tree tree = compile_tree(test::random_robot(40, 12, root));
    test::Random random(3);
    std::vector<test::TreeState> states;
    states.reserve(8);
    for (int l = 0; l < 8; ++l) states.emplace_back(tree, random);
    const std::size_t n = states[0].v.size(), bodies = tree.bodies.size();
    std::vector<P> q(states[0].q.size()), v(n), a(n);
    std::vector<SpatialForce<P>> wrench(bodies);
    Vec3<P> gravity;
    TreeData<P> data(tree);
    std::vector<std::vector<double>> expected;
    for (int l = 0; l < 8; ++l) {
      const test::TreeState& s = states[static_cast<std::size_t>(l)];
      for (std::size_t k = 0; k < q.size(); ++k) q[k].set(l, s.q[k]);
      for (std::size_t k = 0; k < n; ++k) v[k].set(l, s.v[k]);
      for (std::size_t k = 0; k < n; ++k) a[k].set(l, s.a[k]);
      for (int c = 0; c < 3; ++c) {
        gravity[c].set(l, s.gravity[c]);
        for (std::size_t i = 0; i < bodies; ++i) {
          wrench[i].moment[c].set(l, s.wrench[i].moment[c]);
          wrench[i].force[c].set(l, s.wrench[i].force[c]);
        }
      }
      // Masses differ from lane to lane too.
      TreeData<double> own(tree);
      own.body_mass[1].mass = 1 + 0.1 * l;
      data.body_mass[1].mass.set(l, 1 + 0.1 * l);
      expected.push_back(everything<double>(tree, own, s.q.data(), s.v.data(), s.a.data(),
                                            s.gravity, s.wrench.data()));
    }
    const std::vector<P> lanes =
        everything<P>(tree, data, q.data(), v.data(), a.data(), gravity, wrench.data());
    for (std::size_t l = 0; l < 8; ++l) {
      ASSERT_EQ(lanes.size(), expected[l].size());
      for (std::size_t k = 0; k < lanes.size(); ++k)
        ASSERT_EQ(lanes[k][static_cast<int>(l)], expected[l][k])
            << "lane " << l << " result " << k << " of " << lanes.size();
    }
  }
}

TEST(Tree, AlgorithmsAllocateNothing) {
  const Tree tree = compile_tree(test::random_robot(41, 12, JointKind::kFree));
  test::Random random(4);
  const test::TreeState s(tree, random);
  TreeData<double> data(tree);
  std::vector<double> q = s.q, tau(s.v.size()), m(tau.size() * tau.size());
  const std::int64_t before = test::allocation_count();
  update(tree, s.q.data(), data);
  rnea(tree, data, s.v.data(), s.a.data(), s.gravity, s.wrench.data(), tau.data());
  crba(tree, data, m.data());
  aba(tree, data, s.v.data(), tau.data(), s.gravity, s.wrench.data(), tau.data());
  centroidal_map(tree, data, m.data());
  frame_jacobian(tree, data, 3, data.pose[3].p, m.data());
  integrate(tree, s.q.data(), s.v.data(), 0.1, q.data());
  EXPECT_EQ(test::allocation_count(), before);
}

TEST(Tree, QuaternionsTurnByTheirExponentialAndGiveItBack) {
  test::Random random(6);
  for (double size : {1e-9, 1e-5, 1e-4, 1.1e-4, 0.1, 1.0, 3.0, 3.14159}) {
    const Vec3d v = size * normalized(random.vector());
    const Quaternion<double> q = rotation_exp(v);
    const Quat host = rotation_by(v);
    EXPECT_NEAR(q[0], host.w, 1e-15);
    EXPECT_NEAR(q[2], host.y, 1e-15);
    EXPECT_LE(norm(rotation_log(q) - v), 2e-15 * std::max(size, 1.0) + 1e-15 * size);
    EXPECT_LE(norm(rotation_log(-3.0 * q) - v), 3e-15 * std::max(size, 1.0));
    const Mat3d r = rotation_matrix(2.0 * q), m = to_matrix(host);
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(r.a[k], m.a[k], 3e-15);
    // Derivative at no rotation and elsewhere: log(exp(v + e w)) = v + e w.
    const Vec3d w = random.vector();
    Vec3<Dual> moving;
    for (int c = 0; c < 3; ++c) moving[c] = Dual(v[c], w[c]);
    const Vec3d rate = test::rate(rotation_log(rotation_exp(moving)));
    EXPECT_LE(norm(rate - w), size > 3.1 ? 1e-9 : 1e-12) << size;
  }
}

TEST(Tree, LinksBehindFixedJointsAreMergedAndFoundAgain) {
  // The same arm with a hand on a fixed joint, and with the hand kept as a body of its own.
  test::Random random(7);
  Robot robot;
  robot.name = "arm";
  test::add_random_link(random, robot, -1, JointKind::kFixed);
  test::add_random_link(random, robot, 0, JointKind::kRevolute);
  test::add_random_link(random, robot, 1, JointKind::kFixed);
  test::add_random_link(random, robot, 2, JointKind::kRevolute);
  test::add_random_link(random, robot, 3, JointKind::kFixed);
  TreeOptions options;
  options.base = {{{1, 2, 3}}, test::random_turn(random)};
  const Tree merged = compile_tree(robot, options);
  options.keep_fixed = {2, 4};
  const Tree kept = compile_tree(robot, options);
  EXPECT_EQ(merged.bodies.size(), 2u);
  EXPECT_EQ(kept.bodies.size(), 4u);
  EXPECT_EQ(merged.link("link4"), 4);
  EXPECT_THROW(merged.link("hand"), InputError);
  EXPECT_EQ(merged.links[0].body, -1);
  EXPECT_EQ(merged.joint_body[2], -1);
  EXPECT_EQ(kept.joint_body[2], 1);
  EXPECT_NEAR(merged.bodies[1].mass, robot.links[3].mass + robot.links[4].mass, 1e-14);

  const std::vector<double> q{0.4, -1.1}, v{2, -3}, a{1, 5};
  const Vec3d gravity{{0, 0, -9.81}};
  TreeData<double> one(merged), two(kept);
  std::vector<double> tau1(2), tau2(2), m1(4), m2(4), back(2);
  update(merged, q.data(), one);
  update(kept, q.data(), two);
  for (int link = 0; link < 5; ++link) {
    const Frame<double> x = link_frame(merged, one, link), y = link_frame(kept, two, link);
    EXPECT_LE(norm(x.p - y.p), 1e-14);
    for (int k = 0; k < 9; ++k) EXPECT_NEAR(x.r.a[k], y.r.a[k], 1e-14);
  }
  EXPECT_LE(norm(link_frame(merged, one, 0).p - options.base * robot.joints[0].frame.p), 1e-14);
  rnea<double>(merged, one, v.data(), a.data(), gravity, nullptr, tau1.data());
  rnea<double>(kept, two, v.data(), a.data(), gravity, nullptr, tau2.data());
  crba(merged, one, m1.data());
  crba(kept, two, m2.data());
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(tau1[k], tau2[k], 1e-13);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(m1[k], m2[k], 1e-14);
  aba<double>(kept, two, v.data(), tau2.data(), gravity, nullptr, back.data());
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(back[k], a[k], 1e-12);
  // At rest the force through the kept joint of the last link is its weight, about its own centre.
  rnea<double>(kept, two, nullptr, nullptr, gravity, nullptr, tau2.data());
  const SpatialForce<double>& f = two.force[3];
  const Vec3d centre = link_frame(kept, two, 4) * robot.links[4].centre;
  EXPECT_LE(norm(f.force + robot.links[4].mass * gravity), 1e-12);
  EXPECT_LE(norm(f.moment - cross(centre - two.pose[3].p, f.force)), 1e-12);
}

TEST(Tree, JointsMoveTheirLinksAsTheirCoordinatesSay) {
  const auto moved = [](JointKind kind, const Vec3d& axis, const std::vector<double>& q) {
    Robot robot;
    test::add_link(robot, -1, kind, test::make_link(1, {{0, 0, 0}}, Mat3d::identity())).axis = axis;
    const Tree tree = compile_tree(robot);
    TreeData<double> data(tree);
    forward_kinematics(tree, q.data(), data);
    return data.pose[0];
  };
  const auto expect = [](const Vec3d& x, const Vec3d& y) { EXPECT_LE(norm(x - y), 1e-15); };
  const Vec3d x{{1, 0, 0}};
  expect(moved(JointKind::kRevolute, {{0, 0, 1}}, {M_PI / 2}) * x, {{0, 1, 0}});
  expect(moved(JointKind::kPrismatic, {{0, 1, 0}}, {2}) * x, {{1, 2, 0}});
  expect(moved(JointKind::kPlanar, {{0, 0, 1}}, {2, 3, M_PI / 2}) * x, {{2, 4, 0}});
  // About x: z has become x, x has become -z, y stays.
  expect(moved(JointKind::kPlanar, x, {2, 3, 0}) * x, {{1, 3, -2}});
  expect(moved(JointKind::kPlanar, {{0, 0, -1}}, {2, 3, 0}) * x, {{3, -3, 0}});
  const double c = std::sqrt(0.5);
  expect(moved(JointKind::kBall, {{0, 0, 1}}, {c, 0, 0, c}) * x, {{0, 1, 0}});
  expect(moved(JointKind::kFree, {{0, 0, 1}}, {1, 2, 3, c, 0, 0, c}) * x, {{1, 3, 3}});
}

std::string message(const Robot& robot) {
  try {
    compile_tree(robot);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Tree, JointsThatMimicStartWhereTheOthersSay) {
  test::Random random(6);
  Robot robot;
  for (int parent : {-1, 0, 1, 2})
    test::add_random_link(random, robot, parent, JointKind::kPrismatic);
  robot.joints[0].mimic = Mimic{robot.joints[1].name, 2, 0};
  robot.joints[1].mimic = Mimic{robot.joints[2].name, -1, 0.01};
  robot.joints[2].position = {0.03};
  robot.joints[3].mimic = Mimic{robot.joints[2].name, 1, 0};
  robot.joints[3].position = {0.5};
  start_mimics(robot, {robot.joints[2].name, robot.joints[3].name});
  const Tree tree = compile_tree(robot);
  ASSERT_EQ(tree.start.size(), 4u);
  EXPECT_DOUBLE_EQ(tree.start[0], -0.04);
  EXPECT_DOUBLE_EQ(tree.start[1], -0.02);
  EXPECT_DOUBLE_EQ(tree.start[2], 0.03);
  EXPECT_DOUBLE_EQ(tree.start[3], 0.5);
}

TEST(Tree, RefusesRobotsThatAreNoTreeOrMoveNoInertiaAndNamesTheJoint) {
  test::Random random(9);
  Robot good;
  good.name = "r";
  for (int parent : {-1, 0, 1}) test::add_random_link(random, good, parent, JointKind::kRevolute);
  ASSERT_EQ(message(good), "");
  const auto expect = [&](auto change, const char* text) {
    Robot bad = good;
    change(bad);
    EXPECT_NE(message(bad).find(text), std::string::npos) << message(bad);
  };
  expect([](Robot& r) { r.joints[1].parent = 2; },
         "r.joints[1] 'joint1'.parent = 2: must be -1 or");
  expect([](Robot& r) { r.joints[1].child = 0; },
         "joint1'.child = link0: must be the child of one");
  expect([](Robot& r) { r.joints[2].child = 9; }, "joint2'.child = 9: must be a link");
  expect([](Robot& r) { r.joints.pop_back(); }, "r.links[2] 'link2': must be the child of a joint");
  expect([](Robot& r) { r.joints[1].axis = {{0, 0, 2}}; }, "joint1'.axis = 2: must have length 1");
  expect([](Robot& r) { r.joints[1].axis = {{0, 0, NAN}}; }, "joint1'.axis");
  expect([](Robot& r) { r.joints[1].frame.q.w = 3; }, "joint1'.frame");
  expect([](Robot& r) { r.joints[1].armature = -1; }, "joint1'.armature = -1");
  expect([](Robot& r) { r.joints[1].lower = 2, r.joints[1].upper = 1; }, "joint1'.lower = 2");
  expect([](Robot& r) { r.joints[1].position = {0, 0}; }, "joint1'.position = 2 numbers");
  expect([](Robot& r) { r.joints[1].position = {NAN}; }, "joint1'.position");
  expect([](Robot& r) { r.links[1].mass = -1; }, "link1'.mass = -1");
  expect([](Robot& r) { r.links[1].mass = NAN; }, "link1'.mass");
  expect([](Robot& r) { r.links[1].inertia(0, 1) = 5; }, "link1'.inertia: must be symmetric");
  expect([](Robot& r) { r.links[1].inertia = -1.0 * Mat3d::identity(); }, "link1'.inertia");
  const auto empty = [](RobotLink& l) { l.mass = 0, l.inertia = Mat3d::zero(); };
  // The last link must have mass; one in the middle need not.
  expect([&](Robot& r) { empty(r.links[2]); }, "r.joints[2] 'joint2': must move some mass");
  Robot middle = good;
  empty(middle.links[1]);
  EXPECT_EQ(message(middle), "");
  Robot rotor = good;
  empty(rotor.links[2]);
  rotor.joints[2].armature = 0.1;
  EXPECT_EQ(message(rotor), "");
  // Two joints about the same axis with nothing between.
  expect(
      [&](Robot& r) {
        empty(r.links[1]);
        r.joints[2].frame = {};
        r.joints[2].axis = r.joints[1].axis;
      },
      "r.joints[1] 'joint1': must feel some inertia");
  // A point mass does not resist a ball joint's turn about it.
  Robot point;
  RobotLink l = test::make_link(1, {{0, 0, 0.2}}, Mat3d::zero());
  test::add_link(point, -1, JointKind::kBall, l);
  EXPECT_NE(message(point).find("joint0"), std::string::npos);
}

}  // namespace
}  // namespace haptos
