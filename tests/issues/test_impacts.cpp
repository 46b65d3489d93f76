// Bodies that meet within a step: where they touch, along the normal of that place, at the moment
// of it. Without friction an impact without rebound takes the approach of the point that touches
// and nothing else, so each case has a closed form; what is left is of first order in the step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/scenes/point_world.h"

namespace haptos {
namespace {

using test::World;

Shape box_shape(const Vec3d& half) {
  Shape s;
  s.kind = ShapeKind::kBox;
  s.size = half;
  return s;
}

World quiet() {
  World w;
  w.friction = 0;
  w.stiffness = 1e8;
  w.scene.gravity = {{0, 0, 0}};
  return w;
}

void add_fixed(World& w, const Shape& shape, const Vec3d& p) {
  w.shapes.push_back({CollisionShape(shape), {p, {}}});
  w.shapes.back().body = 1000;
}

TEST(Impacts, ABoxThatHitsFlatLosesItsApproachAndKeepsTheRest) {
  for (const double v : {1.0, 5.0, 20.0})
    for (const double h : {1e-3, 5e-3, 1e-2})
      for (int phase = 0; phase < 4; ++phase) {
        World w = quiet();
        add_fixed(w, box_shape({{0.1, 0.5, 0.5}}), {{0, 0, 0}});
        const double along = 0.5 * v;
        w.add_box({{0.1, 0.1, 0.1}}, 1, {{{-0.25 - 0.25 * phase * v * h, 0.013, 0}}, {}},
                  {{v, 0, along}});
        w.start(h);
        w.run((std::ceil(0.25 / v / h) + 4) * h);
        const Vec3d u = w.bodies[0]->velocity(w.scene.state);
        // Relaxation leaves the depth m v / (k (h + tau)) to be parted in some ten of its times.
        EXPECT_NEAR(u[0], 0, 1e-3 * v) << v << " m/s, " << h << " s";
        EXPECT_NEAR(u[2], along, 1e-12 * v);
        EXPECT_NEAR(u[1], 0, 1e-12 * v);
        EXPECT_LT(norm(w.bodies[0]->angular_velocity(w.scene.state)), 1e-6 * v);
        EXPECT_NEAR(w.bodies[0]->pose(w.scene.state).p[0], -0.15, 2e-5 * v);
      }
}

// A box turned by 30 degrees about y falls on its edge: with r from the edge to the middle, the
// impulse v / (1/m + (n x r)^2 / I) stops the edge.
TEST(Impacts, ABoxThatHitsOnAnEdgeTurnsAsItsInertiaSays) {
  const double m = 1, side = 0.1, tilt = M_PI / 6, v = 2, inertia = m * side * side / 6;
  const double reach = side / std::sqrt(2.0);
  const double lever = reach * std::cos(M_PI / 4 + tilt),
               height = reach * std::sin(M_PI / 4 + tilt);
  const double impulse = v / (1 / m + lever * lever / inertia);
  double last = 0;
  for (const double h : {4e-3, 2e-3, 1e-3, 5e-4}) {
    double worst = 0;
    for (int phase = 0; phase < 5; ++phase) {
      World w = quiet();
      add_fixed(w, box_shape({{0.5, 0.5, 0.1}}), {{0, 0, -0.1}});
      const double above = (1 + 0.2 * phase) * v * h;
      w.add_box({{side, side, side}}, m,
                {{{0.02, 0.01, height + above}}, rotation_by({{0, tilt, 0}})}, {{3, 0, -v}});
      w.start(h);
      w.run(4 * h);
      const Vec3d u = w.bodies[0]->velocity(w.scene.state),
                  o = w.bodies[0]->angular_velocity(w.scene.state);
      EXPECT_NEAR(u[0], 3, 1e-9);
      EXPECT_NEAR(o[0], 0, 1e-9);
      worst = std::max({worst, std::abs(-v + impulse / m - u[2]) / v,
                        std::abs(std::abs(o[1]) - impulse * lever / inertia) * lever / v});
    }
    printf("edge h %g: %.3e\n", h, worst);
    if (last > 0) {
      EXPECT_LT(worst, 0.7 * last);
    }
    last = worst;
  }
  EXPECT_LT(last, 2e-2);
}

// Two balls whose centres pass at the distance b: they touch along n with sin = b / 2R, and
// exchange half of the approach along n.
TEST(Impacts, BallsThatGrazeExchangeTheirApproachAlongTheNormalOfTheTouch) {
  const double r = 0.05, v = 5;
  for (const double b : {0.0, 0.05, 0.08, 0.095}) {
    const double sine = b / (2 * r), cosine = std::sqrt(1 - sine * sine);
    // n points from the ball at rest to the other, which loses half of v . n.
    const Vec3d n{{-cosine, 0, sine}},
        wanted = Vec3d{{v, 0, 0}} - n * (0.5 * dot(n, Vec3d{{v, 0, 0}}));
    double last = 0;
    for (const double h : {2e-3, 1e-3, 5e-4, 2.5e-4}) {
      double worst = 0;
      for (int phase = 0; phase < 5; ++phase) {
        World w = quiet();
        w.add_ball(r, 1, {{0, 0, 0}});
        w.add_ball(r, 1, {{-0.3 - 0.2 * phase * v * h, 0, b}}, {{v, 0, 0}});
        w.start(h);
        w.run(std::ceil(0.5 / v / h) * h);
        const Vec3d one = w.bodies[1]->velocity(w.scene.state),
                    other = w.bodies[0]->velocity(w.scene.state);
        EXPECT_LT(norm(one + other - Vec3d{{v, 0, 0}}), 1e-12 * v);
        worst = std::max(worst, norm(one - wanted) / v);
      }
      printf("graze b %g h %g: %.3e\n", b, h, worst);
      last = worst;
    }
    EXPECT_LT(last, 2e-2) << b;
  }
}

TEST(Impacts, ABulletDoesNotPassAThinPlate) {
  for (const double v : {20.0, 100.0, 1000.0})
    for (const double h : {1e-3, 1e-2})
      for (int phase = 0; phase < 5; ++phase) {
        World w = quiet();
        add_fixed(w, box_shape({{0.001, 0.5, 0.5}}), {{0, 0, 0}});
        w.add_ball(0.005, 0.01, {{-0.05 - 0.2 * phase * v * h, 0.02, 0}}, {{v, 0, 0.005 * v}});
        w.start(h);
        w.run(5 * h);
        EXPECT_LT(w.bodies[0]->pose(w.scene.state).p[0], 0) << v << " m/s, " << h << " s";
        EXPECT_NEAR(w.bodies[0]->velocity(w.scene.state)[2], 0.005 * v, 1e-9 * v);
      }
}

TEST(Impacts, AThinPlateKeepsTheBulletFromWhatStandsBehindIt) {
  World w = quiet();
  w.add_box({{0.002, 0.2, 0.2}}, 1, {{{0, 0, 0}}, {}});
  w.add_ball(0.05, 1, {{0.1, 0, 0}});
  w.add_ball(0.005, 0.01, {{-0.05, 0, 0}}, {{100, 0, 0}});
  w.start(2e-3);
  w.scene.step();
  // Half a micrometre of the plate's motion reaches nothing behind it yet: it is 49 mm away and
  // gets .99 m/s.
  EXPECT_EQ(norm(w.bodies[1]->velocity(w.scene.state)), 0);
  Vec3d p = Vec3d::zero();
  for (const RigidBody* b : w.bodies) p += b->velocity(w.scene.state) * b->spec().mass;
  EXPECT_LT(norm(p - Vec3d{{1, 0, 0}}), 1e-12);
}

// A box that slides against a step of 1 mm trips over it: about the corner that it hits its
// moment of momentum stays, m v a = (I + 2 m a^2) w with a half its side.
TEST(Impacts, AStepOfOneMillimetreUpIsAnObstacle) {
  const double a = 0.05, v = 1.5, w_after = v * a / (a * a * 2.0 / 3 + 2 * a * a);
  for (const double h : {2e-3, 1e-3}) {
    World w;
    w.friction = 0;
    w.stiffness = 1e8;
    add_fixed(w, box_shape({{0.5, 0.5, 0.1}}), {{0, 0, -0.1}});
    add_fixed(w, box_shape({{0.5, 0.5, 0.1}}), {{1, 0, -0.1 + 1e-3}});
    w.add_box({{2 * a, 2 * a, 2 * a}}, 1, {{{0.42, 0.013, a}}, {}}, {{v, 0, 0}});
    w.start(h);
    double least = v;
    for (int n = 0; n < 30 && least > 0.9 * v; ++n) {
      w.scene.step();
      least = std::min(least, w.bodies[0]->velocity(w.scene.state)[0]);
    }
    w.scene.step(), w.scene.step();
    const Vec3d u = w.bodies[0]->velocity(w.scene.state);
    printf("step: v %.4f %.4f w %.3f, wanted %.4f %.3f\n", u[0], u[2],
           w.bodies[0]->angular_velocity(w.scene.state)[1], w_after * a, w_after);
    EXPECT_NEAR(u[0], w_after * a, 0.05 * v);
  }
}

// A ramp that starts level with the floor is no wall: the box is turned up it.
TEST(Impacts, ARampThatStartsAtTheFloorIsNoWall) {
  const double slope = 0.2, v = 1;
  for (const double k : {1e5, 1e8}) {
    World w;
    w.friction = 0;
    w.stiffness = k;
    add_fixed(w, box_shape({{0.5, 0.5, 0.1}}), {{0, 0, -0.1}});
    Shape wedge;
    wedge.kind = ShapeKind::kHull;
    auto mesh = std::make_shared<TriMesh>();
    for (const double y : {-0.5, 0.5})
      for (const auto& [x, z] : {std::pair{0.5, 0.0}, {2.5, 2 * slope}, {2.5, -0.2}, {0.5, -0.2}})
        mesh->vertices.push_back({{x, y, z}});
    wedge.mesh = mesh;
    add_fixed(w, wedge, {{0, 0, 0}});
    w.add_box({{0.1, 0.1, 0.1}}, 1, {{{0.4, 0.013, 0.05}}, {}}, {{v, 0, 0}});
    w.start(2e-3);
    double least = v;
    for (int n = 0; n < 100; ++n) {
      w.scene.step();
      least = std::min(least, w.bodies[0]->velocity(w.scene.state)[0]);
    }
    printf("ramp k %g: least %.4f x %.4f\n", k, least, w.bodies[0]->pose(w.scene.state).p[0]);
    EXPECT_GT(least, 0.5 * v);
  }
}

}  // namespace
}  // namespace haptos
