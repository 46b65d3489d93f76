// Motions of kinematic trees through the whole step: momentum and energy of trees that float,
// tumbling, a gyroscope, a ball pendulum, free fall.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/dynamics/articulation.h"
#include "haptos/dynamics/joint_terms.h"
#include "haptos/dynamics/rigid_body.h"
#include "tests/robots.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

// A scene with one articulation, and its momentum and energy.
struct TreeScene : FrozenScene {
  TreeScene(const Robot& robot, double step, const Vec3d& g, const std::vector<double>& velocity)
      : data(compile_tree(robot)) {
    h = step;
    gravity = g;
    body = add(std::make_unique<Articulation>(next_slots(),
                                              test::articulation_of(robot, velocity)));
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

// Six links that float, joints of several kinds.
Robot swimmer() {
  test::Random random(5);
  Robot robot;
  test::add_random_link(random, robot, -1, JointKind::kFree);
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

TEST(TreeMotion, UnderGravityATreeFallsLikeAPointAndKeepsItsAngularMomentumToFirstOrder) {
  const Robot robot = swimmer();
  double last = 0;
  for (double h : {2e-3, 1e-3, 5e-4}) {
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
    last = error;
  }
  EXPECT_LE(last, 1e-10);
}

TEST(TreeMotion, EnergyErrorOfATreeThatFloatsIsOfFirstOrder) {
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
    EXPECT_NEAR(order, 1, 0.2);
    printf("h %g s: energy off by %.3e of itself in 1 s, order %.3f\n", h, e, order);
    last = e;
  }
}

TEST(TreeMotion, AFreeBodyTumblesAboutItsMiddleAxisWithThePeriodOfEulersEquations) {
  const Vec3d moments{{0.01, 0.02, 0.03}};
  const Robot robot = one_body(JointKind::kFree, 1, {{0.1, 0.05, -0.02}}, moments);
  for (double h : {1e-3, 5e-4, 2.5e-4}) {
    TreeScene scene(robot, h, {{0, 0, 0}}, {0.3, 0, 0, 0.01, 5, 0.01});
    scene.start();
    const SpatialForce<double> first = scene.momentum();
    const double e0 = scene.energy();
    double worst = 0, last = 1, first_cross = -1, latest = -1;
    int flips = 0;
    while (scene.state.time < 10) {
      scene.step();
      worst = std::max(worst, std::abs(scene.energy() / e0 - 1));
      // The angular velocity along the body's middle axis changes sign at each flip.
      const double now = (transpose(scene.data.pose[0].r) * scene.data.velocity[0].angular)[1];
      if (last * now < 0) {
        const double t = scene.state.time - h * now / (now - last);
        if (first_cross < 0) first_cross = t;
        else ++flips;
        latest = t;
      }
      last = now;
    }
    const SpatialForce<double> now = scene.momentum();
    EXPECT_LE(norm(now.moment - first.moment), 1e-10 * norm(first.moment));
    printf("h %g: flips %d, half period %.5f, energy %.2e, L %.1e\n", h, flips, (latest - first_cross) / flips, worst, norm(now.moment - first.moment));
  }
}

}  // namespace
}  // namespace haptos
