// A robot from its file, standing on the ground by its motors: reader, tree, collision, contact and
// joint laws together.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/bodies/joints/joint_laws.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "haptos/files/urdf/urdf.h"
#include "tests/outside_data.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos {
namespace {

// Feet below the body, knees bent: hip, thigh, calf.
double standing(const std::string& joint) {
  if (joint.find("thigh") != std::string::npos) return 0.8;
  if (joint.find("calf") != std::string::npos) return -1.5;
  return 0;
}

TEST(RobotScene, TheQuadrupedOfTheSharedDataStandsOnItsFeet) {
  HAPTOS_OUTSIDE_FILE(path, "robots/go2_description/urdf/go2.urdf");
  UrdfOptions options;
  options.base = RobotBase::kFloating;
  options.base_pose.p = {{0, 0, 0.36}};
  options.read_visuals = false;
  Robot robot = read_urdf(path, options);
  double mass = 0;
  for (const RobotLink& l : robot.links) mass += l.mass;
  for (RobotJoint& j : robot.joints)
    if (j.kind == JointKind::kRevolute) j.position = {standing(j.name)};

  FrozenScene scene;
  scene.h = 2e-3;
  scene.newton.force_tolerance = 1e-9;
  ArticulationSpec spec;
  spec.name = robot.name;
  spec.tree = std::make_shared<Tree>(compile_tree(robot));
  Articulation* body = scene.add(std::make_unique<Articulation>(scene.next_slots(), spec));

  // Links meet the ground, not each other.
  std::vector<std::unique_ptr<Link>> links;
  std::vector<PointShape> shapes;
  Shape ground;
  ground.kind = ShapeKind::kHalfSpace;
  shapes.push_back({CollisionShape(ground), {}});
  shapes.back().body = 1;
  for (std::size_t i = 0; i < robot.links.size(); ++i) {
    if (robot.links[i].collisions.empty()) continue;
    links.push_back(std::make_unique<LinkOf<Articulation>>(body, static_cast<int>(i)));
    for (const RobotShape& c : robot.links[i].collisions) {
      PointShape s{CollisionShape(c.shape, c.name), c.frame, links.back().get()};
      s.stiffness = 1e5;
      s.relaxation_time = 0.02;
      s.friction = 0.8;
      shapes.push_back(s);
    }
  }
  std::vector<std::array<int, 2>> excluded;
  for (int j = 1; j < static_cast<int>(shapes.size()); ++j)
    for (int i = 1; i < j; ++i) excluded.push_back({i, j});
  const auto* contact =
      scene.add_term(std::make_unique<PointContact>(shapes, PointContactOptions(), excluded));
  std::vector<JointMotor*> motors;
  for (int k = 0; k < body->v_count(); ++k) {
    const int q = body->coordinate_of(k);
    if (q < 0) continue;
    motors.push_back(scene.add_term(std::make_unique<JointMotor>(body, k, MotorGains{200, 5, 45})));
    motors.back()->command.position = body->tree().start[static_cast<std::size_t>(q)];
  }
  ASSERT_EQ(motors.size(), 12u);
  scene.start();
  for (int n = 0; n < 2000; ++n) scene.step();
  EXPECT_EQ(scene.status, 0u);

  Vec3d force = Vec3d::zero();
  for (const ContactPoint& c : contact->contacts())
    force += c.body_a == 1 ? c.force * -1.0 : c.force;
  const double weight = mass * 9.81;
  EXPECT_NEAR(force[2], weight, 1e-6 * weight);
  EXPECT_GE(contact->contacts().size(), 4u);
  double speed = 0;
  for (const double v : scene.state.z) speed = std::max(speed, std::abs(v));
  EXPECT_LT(speed, 1e-3);
  const double height = options.base_pose.p[2] + scene.state.q[2];
  EXPECT_GT(height, 0.25);
  std::printf("FIGURE robot.go2.height = %.4f m\n", height);
  std::printf("FIGURE robot.go2.speed = %.1e\n", speed);
  std::printf("FIGURE robot.go2.iterations_per_step = %.2f\n", scene.iterations / 2000.0);
  for (const JointMotor* m : motors) EXPECT_LT(std::abs(m->effort()), 45.0);
}

}  // namespace
}  // namespace haptos
