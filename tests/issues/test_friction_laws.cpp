// One setting of point contact, the defaults, against closed forms that no law of ours met at once:
// a disc that slides and spins, a slope at its friction, oblique impacts, stacks of unlike masses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "haptos/geometry/make/shapes.h"
#include "haptos/sim/sim.h"
#include "tests/scenes/point_world.h"

namespace haptos {
namespace {

using test::kCoulomb;
using test::kG;
using test::kLagged;
using test::on_slope;
using test::World;

// The defaults of scenes: law, anchors and stiffness.
World defaults(int law = kCoulomb) {
  World w;
  w.law = {};
  w.law.law = law;
  w.stiffness = PointShape::kAuto;
  w.scene.newton = NewtonOptions();
  return w;
}

// --- A disc of R .05 m and .5 kg, flat on a plane with friction .3, from v = .5 m/s and omega = 20
// rad/s. By quadrature of Coulomb's law under even pressure both stop at .3233 s, however large the
// friction; v / (R omega) is .605 at a tenth of v and goes to .653; it turns by 3.173 rad on 83.5
// mm.
constexpr double kRadius = 0.05, kHalf = 1e-3, kMass = 0.5;

struct Stop {
  double time = 0, ratio = 0, turn = 0;
  Vec3d travel;
};
// `motion` makes a step of h and gives position, velocity and turning rate.
template <class Motion>
Stop stop_of(double h, const Motion& motion) {
  Stop s;
  Vec3d start = Vec3d::zero();
  double before = 0, speed_before = 0.5;
  for (int n = 1; n * h <= 0.4; ++n) {
    Vec3d p, v, w;
    motion(p, v, w);
    if (n == 1) start = p - h * v;
    const double speed = std::hypot(v[0], v[1]), rim = kRadius * std::abs(w[2]);
    s.turn += h * w[2];
    s.travel = p - start;
    // At a tenth of the speed, between two steps.
    const double r = speed / rim;
    if (s.ratio == 0 && speed <= 0.05)
      s.ratio = before + (r - before) * (speed_before - 0.05) / (speed_before - speed);
    before = r;
    speed_before = speed;
    // Both fall evenly at last.
    if (std::max(speed, rim) > 5e-3) s.time = n * h + std::max(speed, rim) / (0.3 * kG);
  }
  return s;
}
void expect_stop(const Stop& s, const char* name) {
  std::printf("FIGURE disc.%s: stops at %.4f s, ratio %.3f, turn %.3f rad, travel %.2f mm\n", name,
              s.time, s.ratio, s.turn, 1e3 * norm(s.travel));
  EXPECT_NEAR(s.time, 0.3233, 0.02 * 0.3233) << name;
  EXPECT_NEAR(s.ratio, 0.605, 0.02 * 0.605) << name;
  EXPECT_NEAR(s.turn, 3.173, 0.02 * 3.173) << name;
  EXPECT_NEAR(norm(s.travel), 83.5e-3, 0.02 * 83.5e-3) << name;
}
Mat3d disc_inertia() {
  const double across = kMass * (square(kRadius) / 4 + square(2 * kHalf) / 12);
  Mat3d m = Mat3d::zero();
  m(0, 0) = m(1, 1) = across;
  m(2, 2) = 0.5 * kMass * square(kRadius);
  return m;
}
Stop slide(World& w) {
  w.start(1e-3);
  return stop_of(1e-3, [&](Vec3d& p, Vec3d& v, Vec3d& turn) {
    w.scene.step();
    p = w.bodies[0]->pose(w.scene.state).p;
    v = w.bodies[0]->velocity(w.scene.state);
    turn = w.bodies[0]->angular_velocity(w.scene.state);
  });
}

TEST(SlidingAndSpinningDisc, StopsBothAtOnceOnSixtyFeet) {
  for (const int law : {kCoulomb, kLagged}) {
    World w = defaults(law);
    w.friction = 0.3;
    w.add_plane({{0, 0, 1}});
    Shape foot;
    foot.size[0] = 2e-4;
    w.add(foot, kMass, disc_inertia(), {{{0, 0, kHalf}}, {}}, {{0.5, 0, 0}}, {{0, 0, 20}});
    PointShape one = w.shapes.back();
    w.shapes.pop_back();
    for (int k = 0; k < 60; ++k) {
      const double r = kRadius * std::sqrt((k + 0.5) / 60), a = k * M_PI * (3 - std::sqrt(5.0));
      one.frame.p = {{r * std::cos(a), r * std::sin(a), foot.size[0] - kHalf}};
      w.shapes.push_back(one);
    }
    expect_stop(slide(w), law == kCoulomb ? "feet" : "feet, lagged");
    EXPECT_EQ(w.scene.status, 0u);
  }
}

TEST(SlidingAndSpinningDisc, StopsBothAtOnceAsACylinder) {
  for (const int law : {kCoulomb, kLagged}) {
    World w = defaults(law);
    w.friction = 0.3;
    w.add_plane({{0, 0, 1}});
    Shape s;
    s.kind = ShapeKind::kCylinder;
    s.size = {{kRadius, kHalf, 0}};
    w.add(s, kMass, disc_inertia(), {{{0, 0, kHalf}}, {}}, {{0.5, 0, 0}}, {{0, 0, 20}});
    expect_stop(slide(w), law == kCoulomb ? "cylinder" : "cylinder, lagged");
    EXPECT_EQ(w.scene.status, 0u);
  }
}

Stop affine_disc(bool table, double h) {
  Scene s;
  s.sim.dt = h;
  s.sim.threads = 1;
  AffineBody disc;
  disc.name = "disc";
  disc.surface = cylinder(kRadius, 2 * kHalf, kRadius / 8);
  disc.mass = kMass;
  disc.inertia = disc_inertia();
  disc.pose.p = {{0, 0, kHalf + 1.8e-5}};
  disc.velocity = {{0.5, 0, 0}};
  disc.angular_velocity = {{0, 0, 20}};
  disc.friction = {0.3, 0.3};
  s.affine.push_back(disc);
  if (table) {
    PrescribedBody plate;
    plate.name = "plate";
    plate.surface = box({{1, 1, 0.02}}, {{1, 1, 1}});
    for (Vec3d& x : plate.surface.vertices) x[2] -= 0.01;
    plate.friction = {0.3, 0.3};
    s.prescribed.push_back(plate);
  } else {
    s.half_spaces.push_back({"ground", {0.3, 0.3}, "", {{0, 0, 1}}, 0});
  }
  Sim sim(s);
  return stop_of(h, [&](Vec3d& p, Vec3d& v, Vec3d& turn) {
    EXPECT_EQ(sim.step().status(), 0u);
    p = sim.affine_pose("disc").p;
    const auto twist = sim.affine_velocity("disc");
    for (int k = 0; k < 3; ++k) v[k] = twist[k], turn[k] = twist[3 + k];
  });
}

void expect_affine_stop(bool table) {
  for (const double h : {1e-3, 2e-3}) {
    const std::string name =
        std::string("affine on a ") + (table ? "table" : "half-space") + ", h " + std::to_string(h);
    expect_stop(affine_disc(table, h), name.c_str());
  }
}
TEST(SlidingAndSpinningDisc, StopsBothAtOnceAsAnAffineBodyOnAHalfSpace) {
  expect_affine_stop(false);
}
TEST(SlidingAndSpinningDisc, StopsBothAtOnceAsAnAffineBodyOnATable) { expect_affine_stop(true); }

TEST(Slope, OfItsFrictionHoldsOrLetsSlideByCoulombsLaw) {
  // A box on atan(.5), from touch, 25 s: at .49 it slides 1/2 a t (t + h), at .50 and .51 it stays.
  const double angle = std::atan(0.5);
  const Vec3d along{{std::cos(angle), 0, -std::sin(angle)}};
  for (const int law : {kCoulomb, kLagged})
    for (const double edge : {1.0, 0.05})
      for (const double mu : {0.49, 0.5, 0.51}) {
        if (mu == 0.5 && law == kLagged) continue;  // any speed is an equilibrium: 1e-6 to 1e-5 m/s
        const double h = edge == 1 ? 1e-2 : 2e-3, time = edge == 1 ? 25 : 5;
        World w = defaults(law);
        w.friction = mu;
        w.add_plane({{std::sin(angle), 0, std::cos(angle)}});
        const Pose start = on_slope(angle, 0, 0.5 * edge);
        w.add_box({{edge, edge, edge}}, 1000 * edge * edge * edge, start);
        w.start(h);
        w.run(0.2 * time);
        const Vec3d early = w.bodies[0]->pose(w.scene.state).p;
        w.run(0.8 * time);
        const Vec3d p = w.bodies[0]->pose(w.scene.state).p;
        if (mu < 0.5) {
          const double a = kG * (std::sin(angle) - mu * std::cos(angle));
          const double exact = 0.5 * a * time * (time + h);
          std::printf("FIGURE slope.law%d.%g m.mu.49 = %.5f m (exact %.5f)\n", law, edge,
                      dot(p - start.p, along), exact);
          // A start from touch sets the box down within the first step.
          EXPECT_NEAR(dot(p - start.p, along), exact, 1e-3 * exact) << law << " " << edge;
        } else {
          const double creep = norm(p - early) / (0.8 * time);
          std::printf("FIGURE slope.law%d.%g m.mu%g.creep = %.1e m/s\n", law, edge, mu, creep);
          EXPECT_LT(creep, 1e-6) << law << " " << edge << " " << mu;
          EXPECT_LT(norm(early - start.p), 1e-3) << law << " " << edge << " " << mu;
        }
      }
}

TEST(Impact, OfABallAndOfABoxGivesTheImpulsesOfCoulombsLaw) {
  // 2 m/s along and 1 m/s into a plane, no gravity, no rebound: what slides loses mu times 1 m/s, a
  // ball at most the 2/7 of its speed after which it rolls.
  for (const int law : {kCoulomb, kLagged})
    for (const double h : {1e-3, 1e-2})
      for (const double mu : {0.1, 0.3, 0.6})
        for (const bool ball : {true, false}) {
          World w = defaults(law);
          w.dissipation = 50;
          w.friction = mu;
          w.scene.gravity = Vec3d::zero();
          w.add_plane({{0, 0, 1}});
          const double radius = 0.05, above = 0.0123;
          if (ball)
            w.add_ball(radius, 2, {{0, 0, radius + above}}, {{2, 0, -1}});
          else
            w.add_box({{0.2, 0.2, 0.02}}, 2, {{{0, 0, 0.01 + above}}, {}}, {{2, 0, -1}});
          w.start(h);
          w.run(0.1);
          const Vec3d v = w.bodies[0]->velocity(w.scene.state);
          const Vec3d turn = w.bodies[0]->angular_velocity(w.scene.state);
          const double lost = ball ? std::min(mu, 2.0 / 7 * 2) : mu;
          const double spin = ball ? 2.5 * lost / radius : 0;
          EXPECT_NEAR(v[0], 2 - lost, 0.01 * lost) << law << " " << h << " " << mu << ball;
          EXPECT_NEAR(turn[1], spin, 0.01 * 2.5 * lost / radius) << law << " " << h << " " << mu;
          EXPECT_NEAR(v[2], 0, 0.01) << law << " " << h << " " << mu;
        }
}

// --- Stiffness by default: a body sinks by `sag` under its own weight, or by what the near-rigid
// bound leaves; a load so many times as heavy sinks so many times deeper.
double stack_moves(World& w, const std::vector<double>& mass, double edge, double h, double time) {
  w.add_plane({{0, 0, 1}});
  for (std::size_t k = 0; k < mass.size(); ++k)
    w.add_box({{edge, edge, edge}}, mass[k], {{{0, 0, edge * (static_cast<double>(k) + 0.5)}}, {}});
  w.start(h);
  w.run(time);
  double most = 0;
  for (std::size_t k = 0; k < mass.size(); ++k)
    most = std::max(most, norm(w.bodies[k]->pose(w.scene.state).p -
                               Vec3d{{0, 0, edge * (static_cast<double>(k) + 0.5)}}));
  return most;
}

TEST(DefaultStiffness, SinksABodyOfAnyMassByTheStatedSag) {
  for (const double mass : {1e-3, 1.0, 25e3}) {
    World w = defaults();
    w.law.sag = 1e-6;  // above what the near-rigid bound of this step leaves, 2.5e-9 m
    const double depth = stack_moves(w, {mass}, 0.1 * std::cbrt(mass), 1e-3, 1);
    EXPECT_NEAR(depth, 1e-6, 1e-9) << mass;
  }
}

// Depth of a cube under its own weight where the near-rigid bound is softer than `sag`: of its four
// corners, each with w = 2.614 / m (the Frobenius norm over 3 of 5.5 - 1.5 r r^T / b^2, over m).
double sag_of_a_cube(const PointContactOptions& law, double h, double tau) {
  const double bound = square(law.near_rigid) / square(2 * M_PI) * 2.614 / 4;
  return std::max(law.sag, bound * kG * h * (h + tau));
}

TEST(DefaultStiffness, CarriesAThousandKilogramsOnOne) {
  // Loads of a thousand and two thousand times the weight of what meets: each contact sinks as
  // under ten times that weight.
  for (const double h : {1e-3, 1e-2}) {
    World w = defaults();
    const double moved = stack_moves(w, {1, 1000}, 0.1, h, 2);
    const double sag = sag_of_a_cube(w.law, h, w.relaxation_time);
    std::printf("FIGURE default_stiffness.1000_on_1.h%g = %.2e m\n", h, moved);
    EXPECT_NEAR(moved, 2 * 10 * sag, 0.02 * 20 * sag);
  }
}

TEST(DefaultStiffness, HoldsAStackOfTenAndLeavesItAtRest) {
  // The k-th interface carries 10 - k boxes, and two free ones have half a box together; beyond
  // ten times that the depth stays.
  World w = defaults();
  const double moved = stack_moves(w, std::vector<double>(10, 1.0), 0.1, 2e-3, 2);
  const double sag = sag_of_a_cube(w.law, 2e-3, w.relaxation_time);
  std::printf("FIGURE default_stiffness.ten = %.2e m\n", moved);
  EXPECT_NEAR(moved, (10 + 5 * 10 + 8 + 6 + 4 + 2) * sag, 0.02 * 80 * sag);
  const Vec3d before = w.bodies[9]->pose(w.scene.state).p;
  w.run(2);
  EXPECT_LT(norm(w.bodies[9]->pose(w.scene.state).p - before), 1e-3 * moved);
}

// A body in a slot that is too narrow: the overlap cannot lessen, so stiffness does not grow with
// the force that it makes itself. It did, twofold a step for 1 um too much on each side.
TEST(DefaultStiffness, StopsToGrowWhereABodyIsJammed) {
  for (const double depth : {0.5e-6, 2e-6, 5e-5}) {
    World w = defaults();
    w.scene.gravity = Vec3d::zero();
    w.add_plane({{0, 0, 1}});
    w.add_plane({{0, 0, -1}});
    w.shapes.back().frame.p = {{0, 0, 0.1 - 2 * depth}};
    w.add_box({{0.1, 0.1, 0.1}}, 1, {{{0, 0, 0.05 - depth}}, {}});
    w.start(2e-3);
    w.run(1);
    double force = 0;
    for (const ContactPoint& c : w.term->contacts()) force += c.normal_force / 2;
    // As stiff as the force asks for that the stiffness of the body's weight had made, and the try.
    const double grown = depth > 10 * w.law.sag ? 1.2 * depth / (10 * w.law.sag) : 1.0;
    EXPECT_NEAR(force, kG / w.law.sag * depth * grown, 0.01 * force) << depth;
  }
}

}  // namespace
}  // namespace haptos
