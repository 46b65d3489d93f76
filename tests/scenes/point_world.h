// Rigid bodies of any shape in frozen point contact, for scenes.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/contact/frozen/point/point_contact.h"
#include "tests/scenes/frozen_scene.h"

namespace haptos::test {

inline constexpr double kG = 9.81;
// Values of PointContactOptions::law.
inline constexpr int kSap = static_cast<int>(PointLaw::kSap),
                     kLagged = static_cast<int>(PointLaw::kLagged),
                     kSimilar = static_cast<int>(PointLaw::kSimilar),
                     kCoulomb = static_cast<int>(PointLaw::kCoulomb);

struct World {
  FrozenScene scene;
  std::vector<RigidBody*> bodies;
  std::vector<std::unique_ptr<Link>> links;
  std::vector<PointShape> shapes;
  PointContact* term = nullptr;
  PointContactOptions law{.law = kSap, .anchored = false};  // each test names what it is about
  double friction = 0.5, stiffness = 1e6, relaxation_time = 0.01, dissipation = 20, modulus = 0;

  void add_plane(const Vec3d& n) {
    Shape plane;
    plane.kind = ShapeKind::kHalfSpace;
    shapes.push_back({CollisionShape(plane), {{}, rotation_to(n)}});
    shapes.back().body = 1000;
  }
  RigidBody* add(const Shape& shape, double mass, const Mat3d& inertia, const Pose& pose,
                 const Vec3d& v = {{0, 0, 0}}, const Vec3d& w = {{0, 0, 0}}) {
    RigidBodySpec spec;
    spec.mass = mass;
    spec.inertia = inertia;
    spec.pose = pose;
    spec.velocity = v;
    spec.angular_velocity = w;
    bodies.push_back(scene.add(std::make_unique<RigidBody>(scene.next_slots(), spec)));
    links.push_back(std::make_unique<LinkOf<RigidBody>>(bodies.back()));
    PointShape s{CollisionShape(shape), {}, links.back().get()};
    s.stiffness = stiffness;
    s.relaxation_time = relaxation_time;
    s.friction = friction;
    s.dissipation = dissipation;
    s.modulus = modulus;
    shapes.push_back(s);
    return bodies.back();
  }
  RigidBody* add_box(const Vec3d& size, double mass, const Pose& pose, const Vec3d& v = {{0, 0, 0}},
                     const Vec3d& w = {{0, 0, 0}}) {
    Shape s;
    s.kind = ShapeKind::kBox;
    s.size = size * 0.5;
    return add(s, mass, solid_box_inertia(mass, size), pose, v, w);
  }
  RigidBody* add_ball(double radius, double mass, const Vec3d& p, const Vec3d& v = {{0, 0, 0}}) {
    Shape s;
    s.size[0] = radius;
    return add(s, mass, solid_sphere_inertia(mass, radius), {p, {}}, v);
  }
  // `order`: of the shapes; empty: as added.
  void start(double h, const std::vector<int>& order = {}) {
    std::vector<PointShape> sorted;
    for (const int i : order) sorted.push_back(shapes[static_cast<std::size_t>(i)]);
    term = scene.add_term(std::make_unique<PointContact>(order.empty() ? shapes : sorted, law));
    scene.h = h;
    scene.start();
  }
  void run(double time) {
    for (int n = static_cast<int>(std::lround(time / scene.h)); n > 0; --n) scene.step();
    EXPECT_EQ(scene.status, 0u) << "a step did not converge";
  }
  // Force that a body feels from contact in the last step [N].
  Vec3d force_on(int body) const {
    Vec3d f = Vec3d::zero();
    for (const ContactPoint& c : term->contacts()) {
      if (c.body_a == body) f += c.force;
      if (c.body_b == body) f -= c.force;
    }
    return f;
  }
};

// Turned about y by the angle of a slope that falls towards +x.
inline Pose on_slope(double angle, double along, double height) {
  const Vec3d down{{std::cos(angle), 0, -std::sin(angle)}};
  const Vec3d n{{std::sin(angle), 0, std::cos(angle)}};
  return {down * along + n * height, rotation_by({{0, angle, 0}})};
}

}  // namespace haptos::test
