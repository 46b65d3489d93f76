// Boxes that tumble onto each other: what a step costs must grow with what touches, not with what
// may come near. Each pair of bodies that the matrix couples fills its factor, so a heap whose
// every neighbour is coupled costs n^2.6.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <set>

#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "tests/scenes/frozen_scene.h"
#include "tests/scenes/point_world.h"
#include "tests/support.h"

namespace haptos {
namespace {

// n x n x n boxes of .1 m and 1 kg, a third of a side apart, each turned its own way, above a
// plane.
struct Heap {
  FrozenScene scene;
  std::vector<std::unique_ptr<Link>> links;
  PointContact* term = nullptr;

  explicit Heap(int n) {
    Shape plane, box;
    plane.kind = ShapeKind::kHalfSpace;
    box.kind = ShapeKind::kBox;
    box.size = {{0.05, 0.05, 0.05}};
    std::vector<PointShape> shapes;
    shapes.push_back({CollisionShape(plane), {}});
    test::Random random(7);
    for (int i = 0; i < n * n * n; ++i) {
      RigidBodySpec spec;
      spec.mass = 1;
      spec.inertia = solid_box_inertia(1, {{0.1, 0.1, 0.1}});
      const int layer = i / (n * n), row = i / n % n;
      spec.pose.p = {{0.13 * (i % n), 0.13 * row, 0.09 + 0.13 * layer}};
      const Vec3d turn = random.vector();
      spec.pose.q = rotation_by(turn);
      auto* body = scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec));
      links.push_back(std::make_unique<LinkOf<RigidBody>>(body));
      PointShape s{CollisionShape(box), {}, links.back().get()};
      s.stiffness = 1e5;
      s.relaxation_time = 0.01;
      s.friction = 0.5;
      shapes.push_back(s);
    }
    term = scene.add_term(std::make_unique<PointContact>(shapes));
    scene.h = 5e-3;
    scene.newton = {};
    scene.start();
  }
  int couplings() const {
    const BlockPattern& p = scene.objective().pattern();
    return p.entry_count() - p.block_count();
  }
  // Pairs of bodies that push each other at the end of the step.
  int pushing() const {
    std::set<std::pair<int, int>> pairs;
    for (const ContactPoint& c : term->contacts())
      if (c.body_a >= 0 && c.body_b >= 0) pairs.insert({c.body_a, c.body_b});
    return static_cast<int>(pairs.size());
  }
};

TEST(Heaps, CoupleOnlyWhatMayTouchInTheStep) {
  Heap heap(5);
  double couplings = 0, pushing = 0;
  for (int k = 0; k < 40; ++k) {
    heap.scene.step();
    ASSERT_EQ(heap.scene.status, 0u) << k;
    if (k < 20) continue;
    couplings += heap.couplings();
    pushing += heap.pushing();
  }
  EXPECT_LE(couplings, 1.5 * pushing);
}

// Of so many steps, each of which converges.
double mean_iterations(test::World& w, int steps, const char* what) {
  for (int k = 0; k < steps; ++k) w.scene.step();
  EXPECT_EQ(w.scene.status, 0u);
  const double mean = static_cast<double>(w.scene.iterations) / steps;
  std::printf("FIGURE heaps.%s.iterations = %.1f (most %d)\n", what, mean, w.scene.most_iterations);
  return mean;
}

// 216 balls of .1 m and 10 kg fall by 1 mm, 60 steps: mean of the iterations, and the most.
std::pair<double, int> land(PointLaw law, const char* what) {
  test::World w;
  w.law = {};
  w.law.law = static_cast<int>(law);
  w.stiffness = 1e8;
  w.scene.newton = {};
  w.add_plane({{0, 0, 1}});
  test::Random random(666);
  for (int k = 0; k < 216; ++k)
    w.add_ball(
        0.1, 10,
        Vec3d{{0.21 * (k % 6), 0.21 * (k / 6 % 6), 0.101 + 0.21 * static_cast<int>(k / 36)}} +
            1e-3 * random.vector());
  w.start(1e-2);
  const double mean = mean_iterations(w, 60, what);
  return {mean, w.scene.most_iterations};
}

TEST(Heaps, OfBallsThatLandAndScatterAreSolvedWithoutCreepingFromKinkToKink) {
  // At the default law 98 iterations a step, most 364, where Newton has velocities alone and stops
  // at one contact after the other.
  const auto [mean, most] = land(PointLaw::kCoulomb, "balls");
  EXPECT_LT(mean, 50);
  EXPECT_LT(most, 180);
}

TEST(Heaps, OfBallsAreSolvedSoUnderEveryLaw) {
  // similar goes up where the contacts that a step finds stick like rigid ones.
  EXPECT_LT(land(PointLaw::kSap, "balls_sap").first, 30);
  EXPECT_LT(land(PointLaw::kSimilar, "balls_similar").first, 30);
  EXPECT_LT(land(PointLaw::kLagged, "balls_lagged").first, 60);
}

TEST(Heaps, OfCardsThatSlideOverEachOtherAreSolvedFromTheImpulsesThatTheyHad) {
  // A fan of cards of .3 mm falls on a plane. Corners of one card that stand free of another were
  // told to start with all of what the two press each other with.
  test::World w;
  w.law = {};
  w.stiffness = PointShape::kAuto;
  w.friction = 0.5;
  w.scene.newton = {};
  w.add_plane({{0, 0, 1}});
  for (int k = 0; k < 40; ++k)
    w.add_box(
        {{0.063, 0.088, 3e-4}}, 1.84e-3,
        {{{0.005 * k, 0.002 * k, 0.04 + 0.002 * k}}, rotation_by({{0.05 * k, 0.3, 0.02 * k}})});
  w.start(1e-3);
  EXPECT_LT(mean_iterations(w, 400, "cards"), 20);  // 22 from impulses that are too large
}

}  // namespace
}  // namespace haptos
