// Euler's disc: a flat disc that rolls round on its rim. It gained 16 % of its energy in 3 s from
// 20 degrees at 1 ms, since what touches moves on along the rim within a step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/bodies/tree/articulation.h"
#include "tests/robots.h"
#include "tests/scenes/point_world.h"

namespace haptos {
namespace {

using test::kG;
using test::World;

constexpr double kRadius = 0.04, kHalf = 1e-3, kMass = 0.1;

Mat3d disc_inertia() {
  Mat3d m = Mat3d::zero();
  m(0, 0) = m(1, 1) = kMass * (square(kRadius) / 4 + square(2 * kHalf) / 12);
  m(2, 2) = 0.5 * kMass * square(kRadius);
  return m;
}

struct Roll {
  double highest = 0, end = 0;  // energy over that of the start
  double tilt = 0;              // at the end [rad]
  double sinks = 0;             // energy of what contact gives, over that of the start
};

// For 3 s from a tilt at which its centre stays: thin, it goes round at sqrt(4 g / (R sin tilt)),
// and turns about the diameter through the contact.
Roll roll(double tilt, double h, int law, bool as_robot) {
  const double round = std::sqrt(4 * kG / (kRadius * std::sin(tilt)));
  const Pose start{{{0, 0, kRadius * std::sin(tilt) + kHalf * std::cos(tilt)}},
                   rotation_by({{0, tilt, 0}})};
  const Vec3d axis{{std::sin(tilt), 0, std::cos(tilt)}};
  const Vec3d turn = round * (Vec3d{{0, 0, 1}} - std::cos(tilt) * axis);
  World w;
  w.law = {};
  w.law.law = law;
  w.stiffness = PointShape::kAuto;
  w.friction = 1;
  w.add_plane({{0, 0, 1}});
  Shape shape;
  shape.kind = ShapeKind::kCylinder;
  shape.size = {{kRadius, kHalf, 0}};
  const RigidBody* body = nullptr;
  const Articulation* robot = nullptr;
  if (as_robot) {
    Robot one;
    test::add_link(one, -1, JointKind::kFree, test::make_link(kMass, {{0, 0, 0}}, disc_inertia()))
        .position = {start.p[0], start.p[1], start.p[2], start.q.w,
                     start.q.x,  start.q.y,  start.q.z};
    robot = w.scene.add(
        std::make_unique<Articulation>(w.scene.next_slots(), test::articulation_of(one)));
    w.links.push_back(std::make_unique<LinkOf<Articulation>>(robot));
    PointShape s{CollisionShape(shape), {}, w.links.back().get()};
    s.stiffness = w.stiffness;
    s.relaxation_time = w.relaxation_time;
    s.friction = w.friction;
    w.shapes.push_back(s);
  } else {
    body = w.add(shape, kMass, disc_inertia(), start, {{0, 0, 0}}, turn);
  }
  w.start(h);
  if (robot) {
    const TreeData<double>& d = robot->kinematics(w.scene.state.q.data());
    for (std::size_t k = 0; k < 3; ++k) w.scene.state.z[3 + k] = dot(d.axis[3 + k], turn);
  }
  const auto energy = [&] {
    const State& s = w.scene.state;
    if (!robot) return body->kinetic_energy(s) + kMass * kG * body->pose(s).p[2];
    const MechanicalEnergy e = robot->energy(s.q.data(), s.z.data(), w.scene.gravity);
    return e.kinetic + e.potential;
  };
  Roll r;
  const double first = energy();
  double deepest = 0;
  for (long k = std::lround(3 / h); k > 0; --k) {
    w.scene.step();
    r.highest = std::max(r.highest, energy() / first);
    deepest = std::max(deepest, -w.term->report().smallest_gap);
  }
  EXPECT_EQ(w.scene.status, 0u);
  r.end = energy() / first;
  r.sinks = kMass * kG * deepest / first;
  r.tilt = std::acos(robot ? robot->link_pose(w.scene.state.q.data(), 0).r(2, 2)
                           : to_matrix(body->pose(w.scene.state).q)(2, 2));
  return r;
}

TEST(EulersDisc, DoesNotGainEnergyAndKeepsItsTilt) {
  for (const double degrees : {10, 20, 40, 60}) {
    const double tilt = degrees * M_PI / 180;
    for (const double h : {2e-3, 1e-3, 5e-4}) {
      const Roll r = roll(tilt, h, test::kCoulomb, false);
      std::printf(
          "FIGURE eulers_disc.%g.h%g: %.1e above the start (at most 1e-9), %.4f of it after 3 "
          "s, of which %.4f by sinking in; tilt %.2f degrees\n",
          degrees, h, r.highest - 1, r.end, r.sinks, r.tilt * 180 / M_PI);
      EXPECT_LE(r.highest, 1 + 1e-9) << degrees << ' ' << h;
      // Beside that it sinks in as deep as contact gives, what is left is of second order.
      EXPECT_GT(r.end, 1 - 1.01 * r.sinks - 0.01) << degrees << ' ' << h;
      EXPECT_NEAR(r.tilt, tilt, 0.01 * tilt) << degrees << ' ' << h;
    }
  }
}

TEST(EulersDisc, DoesNotGainEnergyUnderAnyLawNorAsARobot) {
  for (const int law : {test::kSap, test::kLagged, test::kSimilar})
    EXPECT_LE(roll(M_PI / 9, 1e-3, law, false).highest, 1 + 1e-9) << law;
  EXPECT_LE(roll(M_PI / 9, 1e-3, test::kCoulomb, true).highest, 1 + 1e-9);
}

}  // namespace
}  // namespace haptos
