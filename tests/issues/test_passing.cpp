// Bodies that pass each other without touching keep their velocity, and bodies that meet do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "haptos/geometry/make/shapes.h"
#include "haptos/scene/rigid.h"
#include "haptos/sim/sim.h"
#include "tests/robots.h"
#include "tests/scenes/point_world.h"

namespace haptos {
namespace {

using test::World;

enum class Kind { kBox, kBall, kHull, kMesh };

constexpr double kHalf = 0.05;

Shape shape_of(Kind kind) {
  Shape s;
  switch (kind) {
    case Kind::kBall:
      s.size[0] = kHalf;
      return s;
    case Kind::kBox:
      s.kind = ShapeKind::kBox;
      s.size = {{kHalf, kHalf, kHalf}};
      return s;
    default:
      s.kind = kind == Kind::kHull ? ShapeKind::kHull : ShapeKind::kMesh;
      s.mesh = std::make_shared<TriMesh>(box({{2 * kHalf, 2 * kHalf, 2 * kHalf}}));
      return s;
  }
}

// Friction 0.5 makes it harder: no law may lift what never touched.
World passing(Kind still, Kind moving, double clearance, double v, double dt, double phase) {
  World w;
  w.friction = 0;
  w.scene.gravity = {{0, 0, 0}};
  w.shapes.push_back({CollisionShape(shape_of(still)), {}});
  w.shapes.back().body = 1000;
  Pose start;
  start.p = {{-0.5 - phase * v * dt, moving == Kind::kBall ? 0 : 0.013, 2 * kHalf + clearance}};
  w.add(shape_of(moving), 1, solid_box_inertia(1, {{0.1, 0.1, 0.1}}), start, {{v, 0, 0}});
  return w;
}

struct Change {
  double speed = 0, turn = 0;
};

Change change(World& w, double v, double dt) {
  w.start(dt);
  w.run(std::ceil(1.0 / (v * dt)) * dt);
  const Vec3d after = w.bodies[0]->velocity(w.scene.state);
  return {norm(after - Vec3d{{v, 0, 0}}) / v, norm(w.bodies[0]->angular_velocity(w.scene.state))};
}

void expect_unchanged(const std::vector<double>& clearances, const std::vector<double>& speeds,
                      const std::vector<double>& steps, int phases, int stride) {
  int n = 0;
  for (const Kind still : {Kind::kBox, Kind::kBall, Kind::kHull, Kind::kMesh})
    for (const Kind moving : {Kind::kBox, Kind::kBall, Kind::kHull, Kind::kMesh}) {
      if (still == Kind::kMesh && moving == Kind::kMesh) continue;  // do not touch each other
      for (const double c : clearances)
        for (const double v : speeds)
          for (const double dt : steps)
            for (int phase = 0; phase < phases; ++phase) {
              if (n++ % stride != 0) continue;
              World w = passing(still, moving, c, v, dt, static_cast<double>(phase) / phases);
              const Change d = change(w, v, dt);
              EXPECT_LT(d.speed, 1e-14)
                  << "past " << static_cast<int>(still) << " of " << static_cast<int>(moving)
                  << " at " << v << " m/s, " << dt << " s, " << c << " m";
              EXPECT_LT(d.turn, 1e-12);
            }
    }
}

TEST(Passing, BodiesThatPassOneMillimetreApartKeepTheirVelocity) {
  expect_unchanged({1e-3, 3e-3, 1e-2, 3e-2}, {1, 2, 5, 10, 20}, {1e-3, 2e-3, 5e-3, 1e-2}, 8, 29);
}

// With friction too: no law may hold by friction what never touched it.
TEST(Passing, BodiesWithFrictionPassAsWell) {
  for (const int law : {test::kSap, test::kLagged, test::kSimilar})
    for (const double v : {2.0, 10.0})
      for (const double dt : {2e-3, 1e-2}) {
        World w = passing(Kind::kBox, Kind::kBox, 1e-3, v, dt, 0.3);
        w.law.law = law;
        for (PointShape& s : w.shapes) s.friction = 0.5;
        const Change d = change(w, v, dt);
        EXPECT_LT(d.speed, 1e-14) << law << ", " << v << " m/s, " << dt << " s";
        EXPECT_LT(d.turn, 1e-12);
      }
}

TEST(Passing, BodiesThatBothMoveKeepTheirVelocity) {
  for (const double dt : {2e-3, 1e-2})
    for (int phase = 0; phase < 8; ++phase) {
      World w;
      w.friction = 0;
      w.scene.gravity = {{0, 0, 0}};
      const Vec3d v{{7, 0, 1}}, u{{-5, 2, 1}};
      // Where they are side by side, 2 mm apart, after .05 s and a part of a step.
      const double t = 0.05 + phase / 8.0 * dt;
      w.add_box({{0.1, 0.1, 0.1}}, 1, Pose{v * -t, Quat{}}, v);
      w.add_box({{0.1, 0.1, 0.1}}, 1, Pose{Vec3d{{0.01, 0.02, 0.102}} - u * t, Quat{}}, u);
      w.start(dt);
      w.run(0.1);
      EXPECT_LT(norm(w.bodies[0]->velocity(w.scene.state) - v), 1e-13);
      EXPECT_LT(norm(w.bodies[1]->velocity(w.scene.state) - u), 1e-13);
    }
}

constexpr double kLayer = 1e-3;

// A body that moves along x, or stays.
void add_layered(Scene& s, const char* name, Kind kind, const Vec3d& at, double v) {
  RobotShape shape;
  shape.shape = shape_of(kind);
  RobotContact c;
  c.name = name;
  c.pose.p = at;
  c.layer = kLayer;
  c.friction = 0;
  RigidSpec r;
  r.fixed = v == 0;
  r.mass = r.fixed ? 0 : 1;
  r.velocity = {{v, 0, 0}};
  s.robots.push_back(rigid_body(c, {shape}, r));
}

// By their layers: what stood out over an edge braked what passed it, and a ball over a box was
// behind the face below. 42 % of these runs were changed.
TEST(Passing, BodiesWithLayersPassAsWell) {
  int n = 0;
  for (const Kind still : {Kind::kBox, Kind::kBall, Kind::kMesh})
    for (const Kind moving : {Kind::kBox, Kind::kBall, Kind::kMesh})
      for (const double clearance : {1e-3, 3e-3, 1e-2, 3e-2})
        for (const double v : {1.0, 2.0, 5.0, 10.0, 20.0})
          for (const double dt : {1e-3, 2e-3, 5e-3, 1e-2})
            for (int phase = 0; phase < 4; ++phase) {
              if (n++ % 11 != 0) continue;
              Scene s;
              s.sim.dt = dt;
              s.sim.gravity_z = 0;
              s.sim.threads = 1;
              add_layered(s, "still", still, Vec3d::zero(), 0);
              add_layered(s, "moving", moving,
                          {{-0.5 - phase / 4.0 * v * dt, moving == Kind::kBall ? 0 : 0.013,
                            2 * kHalf + 2 * kLayer + clearance}},
                          v);
              Sim sim(s);
              for (int k = 0; k < std::ceil(1 / (v * dt)); ++k) sim.step();
              const std::vector<double> after = sim.robot("moving").velocity();
              for (std::size_t k = 0; k < 6; ++k)
                EXPECT_NEAR(after[k], k == 0 ? v : 0, 1e-9 * v)
                    << "past " << static_cast<int>(still) << " of " << static_cast<int>(moving)
                    << " at " << v << " m/s, " << dt << " s, " << clearance << " m, " << k;
            }
}

// What does meet is stopped there.
TEST(Passing, WhatMeetsByItsLayersIsStoppedWhereItMeets) {
  for (const double dt : {1e-3, 5e-3, 1e-2})
    for (const double v : {2.0, 10.0}) {
      Scene s;
      s.sim.dt = dt;
      s.sim.gravity_z = 0;
      s.sim.threads = 1;
      add_layered(s, "still", Kind::kMesh, Vec3d::zero(), 0);
      add_layered(s, "moving", Kind::kMesh, {{-0.5, 0, 0}}, v);
      Sim sim(s);
      for (int k = 0; k < std::ceil(0.8 / (v * dt)); ++k) sim.step();
      const RobotView body = sim.robot("moving");
      EXPECT_NEAR(body.position()[0], -0.102, 1e-4) << v << " " << dt;
      EXPECT_LT(std::abs(body.velocity()[0]), 0.02 * v) << v << " " << dt;
    }
}

// An arm of .5 m turns about z over a post, and past one that its tip just misses.
TEST(Passing, AnArmThatTurnsPastAPostKeepsItsRate) {
  const auto box_of = [](const Vec3d& half, const Pose& frame) {
    RobotShape s;
    s.name = "box";
    s.shape.kind = ShapeKind::kBox;
    s.shape.size = half;
    s.frame = frame;
    return s;
  };
  for (const double clearance : {1e-3, 1e-2})
    for (const double dt : {2e-3, 1e-2})
      for (int phase = 0; phase < 4; ++phase) {
        Scene scene;
        scene.sim.gravity_z = 0;
        scene.sim.dt = dt;
        RobotBody arm;
        arm.name = "arm";
        arm.robot = rigid_robot("arm", {box_of({{0.25, 0.02, 0.02}}, {{{0.25, 0, 0}}, {}})});
        arm.robot.joints[0].kind = JointKind::kRevolute;
        arm.robot.joints[0].name = "hinge";
        arm.robot.joints[0].axis = {{0, 0, 1}};
        arm.velocity = {20.0};
        arm.friction = 0;
        scene.robots.push_back(arm);
        const double turn = 1.0 + 20 * dt * phase / 4,
                     past = std::hypot(0.5, 0.02) + clearance + 0.05;
        const Vec3d at[2] = {{{0.4 * std::cos(turn), 0.4 * std::sin(turn), -0.07 - clearance}},
                             {{-past * std::cos(turn), past * std::sin(turn), 0}}};
        for (int k = 0; k < 2; ++k) {
          RobotBody post;
          post.name = "post " + std::to_string(k);
          post.robot =
              rigid_robot("post", {box_of({{0.05, 0.05, 0.05}}, {})}, {}, JointKind::kFixed);
          post.pose.p = at[k];
          if (k == 1) post.pose.q = rotation_by({{0, 0, -turn}});
          post.friction = 0;
          scene.robots.push_back(post);
        }
        Sim sim(scene);
        for (double t = 0; t < 0.2; t += dt) sim.step();
        EXPECT_NEAR(sim.state().z[0], 20, 1e-11) << clearance << " m, " << dt << " s";
      }
}

TEST(FullPassing, BodiesThatPassOneMillimetreApartKeepTheirVelocity) {
  expect_unchanged({1e-3, 3e-3, 1e-2, 3e-2}, {1, 2, 5, 10, 20}, {1e-3, 2e-3, 5e-3, 1e-2}, 8, 1);
}

}  // namespace
}  // namespace haptos
