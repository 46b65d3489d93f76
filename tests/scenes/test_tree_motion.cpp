// Motions of kinematic trees through the whole step: momentum and energy of trees that float,
// tumbling, a gyroscope, a ball pendulum, free fall.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/bodies/joints/joint_terms.h"
#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/bodies/tree/articulation.h"
#include "haptos/bodies/tree/tree_jacobian.h"
#include "tests/robots.h"
#include "tests/sap_pairs.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

// A scene with one articulation, and its momentum and energy.
struct TreeScene : FrozenScene {
  TreeScene(const Robot& robot, double step, const Vec3d& g, const std::vector<double>& velocity)
      : data(compile_tree(robot)) {
    h = step;
    gravity = g;
    body =
        add(std::make_unique<Articulation>(next_slots(), test::articulation_of(robot, velocity)));
  }
  const Tree& tree() const { return body->tree(); }
  void evaluate() {
    update(tree(), state.q.data(), data);
    update_velocities(tree(), state.z.data(), data);
  }
  double energy() {
    evaluate();
    return kinetic_energy(tree(), data, state.z.data()) + potential_energy(tree(), data, gravity);
  }
  // Angular about the centre of mass, linear.
  SpatialForce<double> momentum() {
    evaluate();
    return momentum_about(tree(), data, centre_of_mass(tree(), data));
  }

  Articulation* body;
  TreeData<double> data;
};

std::vector<double> random_velocity(const Robot& robot, unsigned seed, double scale) {
  test::Random random(seed);
  std::vector<double> v(static_cast<std::size_t>(compile_tree(robot).v_count));
  for (double& x : v) x = scale * random();
  return v;
}

// Six links that float or hang from a ball joint, joints of several kinds.
Robot swimmer(JointKind root = JointKind::kFree) {
  test::Random random(5);
  Robot robot;
  test::add_random_link(random, robot, -1, root);
  test::add_random_link(random, robot, 0, JointKind::kRevolute).armature = 0.01;
  test::add_random_link(random, robot, 1, JointKind::kBall);
  test::add_random_link(random, robot, 0, JointKind::kRevolute);
  test::add_random_link(random, robot, 3, JointKind::kFixed);
  test::add_random_link(random, robot, 4, JointKind::kRevolute);
  return robot;
}

Robot one_body(JointKind kind, double mass, const Vec3d& centre, const Vec3d& moments) {
  Robot robot;
  Mat3d inertia = Mat3d::zero();
  for (int i = 0; i < 3; ++i) inertia(i, i) = moments[i];
  test::add_link(robot, -1, kind, test::make_link(mass, centre, inertia));
  return robot;
}

TEST(TreeMotion, ATreeThatFloatsKeepsItsMomentumInEveryStep) {
  const Robot robot = swimmer();
  TreeScene scene(robot, 1e-3, {{0, 0, 0}}, random_velocity(robot, 6, 3));
  // Motors and springs inside do not change it either.
  for (std::size_t k = 6; k < scene.body->torque.size(); ++k)
    scene.body->torque[k] = k % 2 ? 1.5 : -0.7;
  scene.add_term(std::make_unique<JointSpring>(scene.body, 6, 20, 0.3));
  scene.add_term(std::make_unique<JointDamping>(scene.body, 10, 0.5));
  scene.start();
  const SpatialForce<double> first = scene.momentum();
  SpatialForce<double> before = first;
  Vec3d com = centre_of_mass(scene.tree(), scene.data);
  const double mass = total_mass(scene.tree(), scene.data);
  double worst_step = 0;
  for (int k = 0; k < 2000; ++k) {
    scene.step();
    const SpatialForce<double> now = scene.momentum();
    const Vec3d c = centre_of_mass(scene.tree(), scene.data);
    worst_step = std::max({worst_step, norm(now.moment - before.moment) / norm(first.moment),
                           norm(now.force - before.force) / norm(first.force)});
    ASSERT_LE(norm(c - com - (scene.h / mass) * first.force), 1e-12);
    before = now;
    com = c;
  }
  EXPECT_EQ(scene.status, 0u);
  EXPECT_LE(worst_step, 1e-12);
  EXPECT_LE(norm(before.moment - first.moment), 1e-10 * norm(first.moment));
  EXPECT_LE(norm(before.force - first.force), 1e-10 * norm(first.force));
  printf("2000 steps: momentum changes by %.1e of itself in a step, by %.1e and %.1e in all\n",
         worst_step, norm(before.moment - first.moment) / norm(first.moment),
         norm(before.force - first.force) / norm(first.force));
}

TEST(TreeMotion, AWrenchOnALinkOfATreeThatFloatsIsTheRateOfItsMomentum) {
  const Robot robot = swimmer();
  TreeScene scene(robot, 1e-3, {{0, 0, 0}}, random_velocity(robot, 6, 1));
  const Vec3d force{{1, -2, 3}}, moment{{0.1, 0.2, -0.1}};
  ASSERT_EQ(scene.tree().links[3].body, 3);
  scene.body->loads.push_back({3, {{0, 0, 0}}, force, moment});
  scene.start();
  for (int k = 0; k < 200; ++k) {
    scene.evaluate();
    const Vec3d x = scene.data.pose[3].p;  // where the force acts, about the world's origin
    const SpatialForce<double> before = momentum_about(scene.tree(), scene.data, Vec3d::zero());
    scene.step();
    scene.evaluate();
    const SpatialForce<double> after = momentum_about(scene.tree(), scene.data, Vec3d::zero());
    ASSERT_LE(norm(after.force - before.force - scene.h * force), 1e-12);
    ASSERT_LE(norm(after.moment - before.moment - scene.h * (moment + cross(x, force))), 1e-12);
  }
  EXPECT_EQ(scene.status, 0u);
}

TEST(TreeMotion, ATreeOnABallJointKeepsItsAngularMomentumAboutIt) {
  const Robot robot = swimmer(JointKind::kBall);
  TreeScene scene(robot, 1e-3, {{0, 0, 0}}, random_velocity(robot, 6, 3));
  scene.start();
  const Vec3d pivot = robot.joints[0].frame.p;
  scene.evaluate();
  const Vec3d first = momentum_about(scene.tree(), scene.data, pivot).moment;
  for (int k = 0; k < 2000; ++k) {
    scene.step();
    scene.evaluate();
    ASSERT_LE(norm(momentum_about(scene.tree(), scene.data, pivot).moment - first),
              1e-11 * norm(first));
  }
  EXPECT_EQ(scene.status, 0u);
}

TEST(TreeMotion, UnderGravityATreeFallsLikeAPointAndKeepsItsAngularMomentum) {
  const Robot robot = swimmer();
  for (double h : {2e-3, 5e-4}) {
    TreeScene scene(robot, h, {{0, 0, -9.81}}, random_velocity(robot, 6, 2));
    scene.start();
    const SpatialForce<double> first = scene.momentum();
    const Vec3d com = centre_of_mass(scene.tree(), scene.data);
    const double mass = total_mass(scene.tree(), scene.data);
    const int n = static_cast<int>(std::lround(1 / h));
    for (int k = 0; k < n; ++k) scene.step();
    const SpatialForce<double> now = scene.momentum();
    // Semi-implicit Euler of a point mass, exactly.
    const Vec3d exact = com + (1 / mass) * first.force + (0.5 * (1 + h)) * scene.gravity;
    EXPECT_LE(norm(centre_of_mass(scene.tree(), scene.data) - exact), 1e-10);
    const double error = norm(now.moment - first.moment) / norm(first.moment);
    printf("h %g s: angular momentum off by %.2e of itself after 1 s of fall\n", h, error);
    EXPECT_LE(error, 1e-10);
  }
}

TEST(TreeMotion, EnergyErrorOfATreeThatFloatsIsOfSecondOrderOrBetter) {
  const Robot robot = swimmer();
  const auto error = [&](double h) {
    TreeScene scene(robot, h, {{0, 0, 0}}, random_velocity(robot, 6, 2));
    scene.start();
    const double e0 = scene.energy();
    double worst = 0;
    for (int k = 0; k < std::lround(1 / h); ++k) {
      scene.step();
      worst = std::max(worst, std::abs(scene.energy() - e0));
    }
    EXPECT_EQ(scene.status, 0u);
    return worst / e0;
  };
  double last = error(2e-3);
  for (double h : {1e-3, 5e-4, 2.5e-4}) {
    const double e = error(h), order = std::log2(last / e);
    EXPECT_GT(order, 1.8);
    printf("h %g s: energy off by %.3e of itself in 1 s, order %.3f\n", h, e, order);
    last = e;
  }
}

// Half the period of tumbling by Euler's equations (Landau and Lifshitz, Mechanics, section 37), K
// by the arithmetic-geometric mean.
double half_tumbling_period(const Vec3d& moments, const Vec3d& w) {
  const double a = moments[0], b = moments[1], c = moments[2];
  const double e2 = a * w[0] * w[0] + b * w[1] * w[1] + c * w[2] * w[2];
  const double l2 = square(a * w[0]) + square(b * w[1]) + square(c * w[2]);
  double i1 = a, i3 = c;
  if (l2 < e2 * b) std::swap(i1, i3);
  const double rate = std::sqrt((i3 - b) * (l2 - e2 * i1) / (a * b * c));
  const double k2 = (b - i1) * (e2 * i3 - l2) / ((i3 - b) * (l2 - e2 * i1));
  double x = 1, y = std::sqrt(1 - k2);
  for (int i = 0; i < 60; ++i) {
    const double m = 0.5 * (x + y);
    y = std::sqrt(x * y);
    x = m;
  }
  return M_PI / x / rate;
}

TEST(TreeMotion, AFreeBodyFlipsAboutItsMiddleAxisWithThePeriodOfEulersEquations) {
  const Vec3d moments{{1e-4, 2e-4, 2.8e-4}}, spin{{0.05, 5, 0.05}};
  const double exact = half_tumbling_period(moments, spin);
  double last_energy = 0;
  for (double h : {2e-3, 1e-3}) {
    // The centre of mass away from the link's origin, as in most files.
    TreeScene scene(one_body(JointKind::kFree, 0.3, {{0.1, 0.05, -0.02}}, moments), h, {{0, 0, 0}},
                    {0.3, 0, 0, spin[0], spin[1], spin[2]});
    scene.start();
    const SpatialForce<double> first = scene.momentum();
    const double e0 = scene.energy();
    double worst = 0, last = 1, drift = 0;
    std::vector<double> crossings;
    for (int k = 0; k < std::lround(20 / h); ++k) {
      scene.step();
      worst = std::max(worst, std::abs(scene.energy() / e0 - 1));
      const SpatialForce<double> l =
          momentum_about(scene.tree(), scene.data, centre_of_mass(scene.tree(), scene.data));
      drift = std::max(drift, norm(l.moment - first.moment) / norm(first.moment));
      const double now = dot(column(scene.data.pose[0].r, 1), l.moment);
      if (k > 0 && now * last < 0) crossings.push_back(h * (k + 1 - now / (now - last)));
      last = now;
    }
    EXPECT_EQ(scene.status, 0u);
    ASSERT_GE(crossings.size(), 4u);
    for (std::size_t i = 1; i < crossings.size(); ++i)
      EXPECT_NEAR(crossings[i] - crossings[i - 1], exact, 2e-3 * exact);
    EXPECT_LE(drift, 1e-9);
    printf("h %g s: half period %.5f s, exact %.5f s; in 20 s energy off by %.1e, L by %.1e\n", h,
           crossings[1] - crossings[0], exact, worst, drift);
    if (last_energy > 0) {
      EXPECT_GT(std::log2(last_energy / worst), 1.7);  // of second order, or better
    }
    last_energy = worst;
  }
}

TEST(TreeMotion, ATopPrecessesAtTheRateOfItsClosedForm) {
  // A disc of axial inertia C on an axis held at its tip, transverse inertia A about the tip, spin
  // component s along the axis, tilt t: steady precession W of A W^2 cos t - C s W + m g l = 0.
  const double mass = 0.5, l = 0.1, c = 2e-3, at_centre = 1e-3, g = 9.81, s = 150, t = 0.5;
  const double a = at_centre + mass * l * l;
  const double p = c * s, q = a * std::cos(t);
  const double exact = (p - std::sqrt(p * p - 4 * q * mass * g * l)) / (2 * q);
  double last = 0;
  for (double h : {1e-3, 5e-4}) {
    Robot robot = one_body(JointKind::kBall, mass, {{0, 0, l}}, {{at_centre, at_centre, c}});
    const Quat tilt = rotation_by({{t, 0, 0}});
    robot.joints[0].position = {tilt.w, tilt.x, tilt.y, tilt.z};
    const Vec3d axis = to_matrix(tilt) * Vec3d{{0, 0, 1}};
    // W z + (s - W cos t) axis
    const Vec3d w = Vec3d{{0, 0, exact}} + (s - exact * std::cos(t)) * axis;
    TreeScene scene(robot, h, {{0, 0, -g}}, {w[0], w[1], w[2]});
    scene.start();
    const double e0 = scene.energy();
    double angle = 0, energy = 0, nod = 0;
    Vec3d before = axis;
    const int n = static_cast<int>(std::lround(2 / h));
    for (int k = 0; k < n; ++k) {
      scene.step();
      energy = std::max(energy, std::abs(scene.energy() / e0 - 1));
      const Vec3d now = column(scene.data.pose[0].r, 2);
      angle += std::atan2(before[0] * now[1] - before[1] * now[0],
                          before[0] * now[0] + before[1] * now[1]);
      nod = std::max(nod, std::abs(std::acos(now[2]) - t));
      before = now;
    }
    EXPECT_EQ(scene.status, 0u);
    const double error = std::abs(angle / 2 / exact - 1);
    printf(
        "h %g s: precession %.5f rad/s, exact %.5f, off by %.1e; nods by %.1e rad, energy %.1e\n",
        h, angle / 2, exact, error, nod, energy);
    // Second order, though the top turns by 0.15 rad in a step; its axis starts half a step late.
    EXPECT_LE(error, 200 * square(h));
    EXPECT_LE(nod, 0.6 * h);
    EXPECT_LE(energy, 1e-5);
    if (last > 0) {
      EXPECT_NEAR(std::log2(last / error), 2, 0.3);
    }
    last = error;
  }
}

TEST(TreeMotion, ARodOnABallJointSwingsWithThePeriodOfTheEllipticIntegral) {
  const double amplitude = 1.5, l = 0.5;
  Robot robot;
  test::add_link(robot, -1, JointKind::kBall,
                 test::make_link(1, {{0, 0, -0.5 * l}}, slender_rod_inertia(1, l)));
  // In a plane that is no coordinate plane.
  const Quat turn = rotation_by(amplitude * normalized(Vec3d{{1, 2, 0}}));
  robot.joints[0].position = {turn.w, turn.x, turn.y, turn.z};
  TreeScene scene(robot, 2e-4, {{0, 0, -9.81}}, {0, 0, 0});
  scene.start();
  double x = 1, y = std::cos(amplitude / 2), first = -1, latest = -1, last = 1;
  for (int i = 0; i < 40; ++i) {
    const double mean = 0.5 * (x + y);
    y = std::sqrt(x * y);
    x = mean;
  }
  const double exact = 2 * M_PI * std::sqrt(2 * l / 3 / 9.81) / x;
  int count = 0;
  while (scene.state.time < 8) {
    scene.step();
    scene.evaluate();
    const Vec3d down = -column(scene.data.pose[0].r, 2);
    EXPECT_NEAR(dot(down, Vec3d{{1, 2, 0}}), 0, 1e-9);
    const double now = -2 * down[0] + down[1];
    if (last < 0 && now >= 0) {
      latest = scene.state.time - scene.h * now / (now - last);
      if (first < 0)
        first = latest;
      else
        ++count;
    }
    last = now;
  }
  EXPECT_EQ(scene.status, 0u);
  EXPECT_NEAR((latest - first) / count, exact, 1e-5 * exact);
  printf("period %.6f s, exact %.6f s\n", (latest - first) / count, exact);
}

TEST(TreeMotion, AFastRotorOnABodyThatFloatsLeavesItsEnergyAlone) {
  // 500 rad/s: half a radian in a step. With bias and mass frozen at q_n alone this diverges.
  Robot robot = one_body(JointKind::kFree, 1, {{0.02, 0, 0}}, {{1e-2, 1.2e-2, 0.8e-2}});
  RobotJoint& j =
      test::add_link(robot, 0, JointKind::kRevolute,
                     test::make_link(0.2, {{0, 0, 0}}, {{6e-4, 0, 0, 0, 6e-4, 0, 0, 0, 1e-3}}));
  j.frame.p = {{0.05, 0.02, 0.03}};
  TreeScene scene(robot, 1e-3, {{0, 0, 0}}, {0, 0, 0, 0.5, 0.3, -0.2, 500});
  scene.start();
  const double e0 = scene.energy();
  double worst = 0, fastest = 0;
  for (int k = 0; k < 10000; ++k) {
    scene.step();
    worst = std::max(worst, std::abs(scene.energy() / e0 - 1));
    fastest = std::max(fastest, norm(scene.data.velocity[0].angular));
  }
  EXPECT_EQ(scene.status, 0u);
  EXPECT_LE(worst, 3e-6);
  EXPECT_LE(fastest, 0.7);
  printf("10 s: energy off by %.1e of itself, base turns at %.3f rad/s at most\n", worst, fastest);
}

// Spheres of a link, `radius` about the centres, on the plane z = 0.
std::vector<test::SapPair> feet(const Link* link, const std::vector<Vec3d>& centres, double radius,
                                double friction) {
  std::vector<test::SapPair> pairs;
  for (const Vec3d& c : centres) {
    test::SapPair p;
    p.link = link;
    p.centre = c;
    p.radius = radius;
    p.plane_body = 1;
    p.law.stiffness = 1e5;
    p.law.relaxation_time = 0.01;
    p.law.friction = friction;
    pairs.push_back(p);
  }
  return pairs;
}

TEST(TreeMotion, ABallOnAFreeJointEndsRollingAtFiveSeventhsOfItsSpeed) {
  const double radius = 0.05, mass = 0.1, i = 0.4 * mass * radius * radius;
  Robot robot = one_body(JointKind::kFree, mass, {{0, 0, 0}}, {{i, i, i}});
  robot.joints[0].position = {0, 0, radius, 1, 0, 0, 0};
  TreeScene scene(robot, 1e-3, {{0, 0, -9.81}}, {1, 0, 0, 0, 0, 0});
  const LinkOf<Articulation> link(scene.body, 0);
  scene.add_term(test::point_contact(feet(&link, {{{0, 0, 0}}}, radius, 0.2)));
  scene.start();
  for (int k = 0; k < 1000; ++k) scene.step();
  EXPECT_EQ(scene.status, 0u);
  EXPECT_NEAR(scene.state.z[0], 5.0 / 7, 1e-4);
  EXPECT_NEAR(scene.state.z[4], 5.0 / 7 / radius, 1e-2);
  printf("v %.6f m/s (5/7 = %.6f)\n", scene.state.z[0], 5.0 / 7);
}

TEST(TreeMotion, AStoolOnSprungLegsComesToRestAndItsFeetCarryItsWeight) {
  Robot robot = one_body(JointKind::kFree, 3, {{0.02, -0.01, 0}}, {{0.02, 0.03, 0.04}});
  robot.joints[0].position = {0, 0, 0.3, 1, 0, 0, 0};
  for (int leg = 0; leg < 3; ++leg) {
    const double angle = 2 * M_PI / 3 * leg;
    RobotJoint& j = test::add_link(
        robot, 0, JointKind::kRevolute,
        test::make_link(0.3, {{0, 0, -0.13}}, {{2e-3, 0, 0, 0, 2e-3, 0, 0, 0, 2e-4}}));
    j.frame = {{{0.15 * std::cos(angle), 0.15 * std::sin(angle), 0}}, rotation_by({{0, 0, angle}})};
    j.axis = {{0, 1, 0}};
  }
  TreeScene scene(robot, 2e-3, {{0, 0, -9.81}}, {0.1, 0.05, 0, 0, 0.2, 0.3, 0, 0, 0});
  std::vector<std::unique_ptr<LinkOf<Articulation>>> links;
  std::vector<PointContact*> terms;
  for (int leg = 0; leg < 3; ++leg) {
    links.push_back(std::make_unique<LinkOf<Articulation>>(scene.body, 1 + leg));
    terms.push_back(scene.add_term(
        test::point_contact(feet(links.back().get(), {{{0, 0, -0.26}}}, 0.02, 0.8))));
    scene.add_term(std::make_unique<JointSpring>(scene.body, 6 + leg, 60, -0.3));
    scene.add_term(std::make_unique<JointDamping>(scene.body, 6 + leg, 0.8));
  }
  scene.start();
  for (int k = 0; k < 2500; ++k) scene.step();
  const std::vector<double> settled = scene.state.q;
  for (int k = 0; k < 2500; ++k) scene.step();
  EXPECT_EQ(scene.status, 0u);
  Vec3d force{{0, 0, 0}};
  int touching = 0;
  for (const PointContact* t : terms)
    for (const ContactPoint& c : t->contacts()) {
      force += c.force;
      ++touching;
    }
  double moved = 0, fastest = 0;
  for (std::size_t k = 0; k < settled.size(); ++k)
    moved = std::max(moved, std::abs(scene.state.q[k] - settled[k]));
  for (double z : scene.state.z) fastest = std::max(fastest, std::abs(z));
  const double weight = 3.9 * 9.81;
  printf("feet: %d, force off by %.1e of the weight, moves %.1e in the last 5 s, %.1e m/s\n",
         touching, norm(force - Vec3d{{0, 0, weight}}) / weight, moved, fastest);
  EXPECT_EQ(touching, 3);
  EXPECT_LE(norm(force - Vec3d{{0, 0, weight}}), 1e-6 * weight);
  // The splayed legs push the feet apart, and sticking SAP contact creeps under that load.
  EXPECT_LE(moved, 2e-3);
  EXPECT_LE(fastest, 4e-4);
}

}  // namespace
}  // namespace haptos
