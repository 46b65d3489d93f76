// Links of bodies of each kind: what they say of their motion agrees with their Jacobians.
#include <gtest/gtest.h>

#include "haptos/bodies/stiff/affine_frame.h"
#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/bodies/tree/articulation.h"
#include "haptos/system/link.h"
#include "tests/robots.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

struct Bodies {
  FrozenScene scene;
  std::vector<std::unique_ptr<Link>> links;
  test::Random random{5};

  Vec3d draw() { return {{random(), random(), random()}}; }

  Bodies() {
    RigidBodySpec rigid;
    rigid.mass = 1;
    rigid.inertia = 1e-2 * Mat3d::identity();
    rigid.pose = {{{1, 2, 3}}, test::random_turn(random)};
    rigid.angular_velocity = draw();
    links.push_back(std::make_unique<LinkOf<RigidBody>>(
        scene.add(std::make_unique<RigidBody>(scene.next_slots(), rigid))));
    AffineFrameSpec affine;
    affine.own = affine.moments = {0.7, 0.7 * Vec3d{{0.02, 0, 0.01}}, 6e-4 * Mat3d::identity()};
    affine.volume = 1e-3;
    affine.pose = {{{-1, 0, 1}}, test::random_turn(random)};
    links.push_back(std::make_unique<LinkOf<AffineFrame>>(
        scene.add(std::make_unique<AffineFrame>(scene.next_slots(), affine))));
    affine.guide = normalized(draw());
    links.push_back(std::make_unique<LinkOf<AffineFrame>>(
        scene.add(std::make_unique<AffineFrame>(scene.next_slots(), affine))));
    for (const JointKind root : {JointKind::kFree, JointKind::kRevolute}) {
      auto* tree = scene.add(std::make_unique<Articulation>(
          scene.next_slots(), test::articulation_of(test::random_robot(3, 7, root))));
      for (int i = 0; i < static_cast<int>(tree->tree().links.size()); ++i)
        if (tree->tree().links[static_cast<std::size_t>(i)].body >= 0)
          links.push_back(std::make_unique<LinkOf<Articulation>>(tree, i));
    }
    scene.start();
    scene.step();
  }
};

TEST(Links, VelocityWithGivenUnknownsIsTheJacobianTimesThem) {
  Bodies b;
  ASSERT_GT(b.links.size(), 10u);
  for (int round = 0; round < 3; ++round) {
    std::vector<double> z(b.scene.state.z.size());
    for (double& v : z) v = b.random();
    for (const auto& link : b.links) {
      const Vec3d x = link->pose().p + 0.3 * b.draw();
      const auto n = static_cast<std::size_t>(link->columns());
      const auto first = static_cast<std::size_t>(link->first_scalar());
      std::vector<double> j(3 * n);
      link->jacobian(x, j.data());
      Vec3d v = Vec3d::zero();
      for (std::size_t k = 0; k < 3 * n; ++k) v[static_cast<int>(k / n)] += j[k] * z[first + k % n];
      EXPECT_LT(norm(link->velocity_with(x, z) - v), 1e-13 * (1 + norm(v))) << link->body();
    }
    b.scene.step();  // elsewhere
  }
}

TEST(Links, VelocityAtTheStartIsThatWithTheUnknownsOfTheStart) {
  Bodies b;
  b.scene.step();
  const std::vector<double> start = b.scene.state.z;
  b.scene.step();
  for (const auto& link : b.links) {
    const Vec3d x = link->pose().p + 0.3 * b.draw(), v = link->velocity(x);
    EXPECT_LT(norm(link->velocity_with(x, start) - v), 1e-13 * (1 + norm(v)));
  }
}

}  // namespace
}  // namespace haptos
