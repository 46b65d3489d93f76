// The laws of point contact in motion: what each of them does at rest, in slip and in impact,
// anchored stick, and that the answer does not depend on where the solver starts.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/scenes/point_world.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::kCoulomb;
using test::kLagged;
using test::kSap;
using test::kSimilar;

using test::kG;
using test::on_slope;
using test::World;

constexpr const char* kNames[] = {"sap", "lagged", "similar", "coulomb"};

TEST(PointLawScene, ASphereOnA15DegreeInclineRollsAsItsFallAllows) {
  // Radius .05 m, mass .1 kg, k 1e7 N/m, h 1 ms, from rest for 1 s.
  const double angle = M_PI / 12, radius = 0.05, mass = 0.1;
  for (const int law : {kSap, kLagged, kSimilar})
    for (const bool anchored : {false, true}) {
      World w;
      w.law.law = law;
      w.law.anchored = anchored;
      w.law.stiction_speed = 1e-5;
      w.stiffness = 1e7;
      w.dissipation = 30;
      const Vec3d n{{std::sin(angle), 0, std::cos(angle)}};
      w.add_plane(n);
      w.add_ball(radius, mass, n * radius);
      w.start(1e-3);
      w.run(1);
      const double speed = norm(w.bodies[0]->velocity(w.scene.state));
      const double fall = -w.bodies[0]->pose(w.scene.state).p[2] + radius * std::cos(angle);
      const Vec3d along{{std::cos(angle), 0, -std::sin(angle)}};
      const double friction = -dot(w.force_on(0), along);
      const double rolling = mass * kG * std::sin(angle) * (1 - 1 / 1.4);
      EXPECT_NEAR(speed, std::sqrt(2 * kG * fall / 1.4), 5.5e-4 * speed) << law << anchored;
      EXPECT_NEAR(friction, rolling, 2e-4 * rolling) << law << anchored;
      EXPECT_NEAR(dot(w.force_on(0), n), mass * kG * std::cos(angle), 1e-6) << law << anchored;
    }
}

TEST(PointLawScene, AStackCarriesTheWeightAboveWithEveryLaw) {
  for (const int law : {kLagged, kSimilar})
    for (const double ratio : {1.0, 100.0, 1e4}) {
      World w;
      w.law.law = law;
      w.stiffness = 1e10;  // the near-rigid bound takes its place
      w.add_plane({{0, 0, 1}});
      const double mass[3] = {1, 1, ratio};
      for (int i = 0; i < 3; ++i)
        w.add_box({{0.1, 0.1, 0.1}}, mass[i], {{{0, 0, 0.05 + 0.1 * i}}, {}});
      w.start(1e-3);
      w.run(ratio > 1e3 ? 10 : 2);
      EXPECT_NEAR(w.force_on(2)[2], ratio * kG, 1e-6 * ratio * kG) << law << " " << ratio;
      double from_plane = 0;
      for (const ContactPoint& c : w.term->contacts())
        if (c.body_a == 1000 || c.body_b == 1000) from_plane += c.normal_force;
      EXPECT_NEAR(from_plane, (2 + ratio) * kG, 1e-6 * (2 + ratio) * kG) << law << " " << ratio;
    }
}

TEST(PointLawScene, AModulusSpreadsTheLoadOverTheArea) {
  // An elastic foundation of K = 1e8 Pa/m: depth m g / (K A), whatever the number of samples; by
  // points it is m g / k.
  for (const int law : {kSap, kLagged, kSimilar})
    for (const double side : {0.1, 0.2}) {
      World w;
      w.law.law = law;
      w.law.near_rigid = 0;
      w.modulus = 1e8;
      w.add_plane({{0, 0, 1}});
      w.add_box({{side, 0.1, 0.1}}, 2, {{{0, 0, 0.05}}, {}});
      w.start(1e-3);
      w.run(1);
      const double depth = 0.05 - w.bodies[0]->pose(w.scene.state).p[2];
      EXPECT_NEAR(depth, 2 * kG / (1e8 * side * 0.1), 1e-4 * depth) << law;
      double area = 0;
      for (const ContactPoint& c : w.term->contacts()) area += c.area;
      EXPECT_NEAR(area, 0.1 * side, 1e-9);
    }
}

TEST(PointLawScene, DissipationTakesTheEnergyOfAnImpact) {
  // Ball of .1 kg from .2 m onto k 1e4 N/m, period 20 ms, h .1 ms: what it keeps of its speed.
  double before = 1;
  for (const double d : {0.0, 0.1, 0.5, 50.0}) {
    World w;
    w.law.law = kLagged;
    w.stiffness = 1e4;
    w.dissipation = d;
    w.add_plane({{0, 0, 1}});
    w.add_ball(0.05, 0.1, {{0, 0, 0.2501}});
    w.start(1e-4);
    double fastest = 0, in = 0;
    for (int n = 0; n < 3000; ++n) {
      w.scene.step();
      const double v = w.bodies[0]->velocity(w.scene.state)[2];
      in = std::min(in, v);
      if (in < -1.5) fastest = std::max(fastest, v);
    }
    EXPECT_EQ(w.scene.status, 0u);
    const double kept = fastest / -in;
    std::printf("FIGURE point_laws.impact.d%g.kept = %.4f\n", d, kept);
    EXPECT_LT(kept, before);
    if (d == 0) {
      EXPECT_GT(kept, 0.95);  // implicit Euler takes the rest
    }
    if (d == 50) {
      EXPECT_LT(kept, 1e-2);
    }
    before = kept;
  }
}

// A box on a slope of .4 rad at half of its friction, after it has settled: where it is.
double creep(int law, bool anchored, double h) {
  World w;
  w.law.law = law;
  w.law.anchored = anchored;
  w.friction = 2 * std::tan(0.4);
  w.add_plane({{std::sin(0.4), 0, std::cos(0.4)}});
  w.add_box({{0.2, 0.2, 0.04}}, 1, on_slope(0.4, 0, 0.02));
  w.start(h);
  w.run(200 * h);
  const Vec3d start = w.bodies[0]->pose(w.scene.state).p;
  w.run(1000 * h);
  return norm(w.bodies[0]->pose(w.scene.state).p - start) / (1000 * h);
}

TEST(PointLawScene, StickThatIsAnchoredDoesNotCreep) {
  for (const int law : {kSap, kLagged, kSimilar})
    for (const double h : {1e-3, 1e-2}) {
      const double free = creep(law, false, h), held = creep(law, true, h);
      std::printf("FIGURE point_laws.creep.%s.h%g = %.2e m/s\n", kNames[law], h, free);
      std::printf("FIGURE point_laws.creep.%s.h%g.anchored = %.1e m/s\n", kNames[law], h, held);
      EXPECT_GT(free, 1e-8) << kNames[law];
      EXPECT_LT(held, 1e-12) << kNames[law];
    }
}

TEST(PointLawScene, AnAnchoredContactReturnsToWhereItStuck) {
  // A box on a plane is pushed at .7 of its friction for .2 s, then let go.
  const double mass = 1, mu = 0.5, h = 2e-3;
  for (const int law : {kSap, kLagged, kSimilar}) {
    World w;
    w.law.law = law;
    w.law.anchored = true;
    w.friction = mu;
    w.add_plane({{0, 0, 1}});
    w.add_box({{0.2, 0.2, 0.04}}, mass, {{{0, 0, 0.02}}, {}});
    w.start(h);
    w.run(0.2);
    const double x0 = w.bodies[0]->pose(w.scene.state).p[0];
    w.bodies[0]->force = {{0.7 * mu * mass * kG, 0, 0}};
    w.run(0.2);
    const double pushed = w.bodies[0]->pose(w.scene.state).p[0] - x0;
    w.bodies[0]->force = {{0, 0, 0}};
    w.run(0.2);
    const double back = w.bodies[0]->pose(w.scene.state).p[0] - x0;
    std::printf("FIGURE point_laws.anchor.%s.stretch = %.1e m\n", kNames[law], pushed);
    std::printf("FIGURE point_laws.anchor.%s.return = %.1e m\n", kNames[law], back);
    EXPECT_GT(pushed, 1e-9);
    EXPECT_LT(pushed, 1e-6);
    EXPECT_LT(std::abs(back), 1e-13);
    // Beyond its bound it slips, with Coulomb's friction.
    w.bodies[0]->force = {{1.1 * mu * mass * kG, 0, 0}};
    w.run(0.2);
    EXPECT_NEAR(w.bodies[0]->velocity(w.scene.state)[0], 0.1 * mu * kG * 0.2, 1e-3);
  }
}

TEST(PointLawScene, AnchorsAreThoseOfTheStateAndOfTheOrderOfShapesFree) {
  for (const int law : {kSap, kLagged, kSimilar}) {
    std::vector<double> first;
    for (const bool backwards : {false, true}) {
      World w;
      w.law.law = law;
      w.law.anchored = true;
      w.add_plane({{0, 0, 1}});
      w.add_box({{0.2, 0.1, 0.06}}, 2, {{{0, 0, 0.031}}, rotation_by({{0, 0, 0.3}})},
                {{0.5, 0, 0}});
      w.add_ball(0.05, 1, {{0.02, 0.01, 0.115}}, {{-0.3, 0.2, 0}});
      w.start(2e-3, backwards ? std::vector<int>{2, 1, 0} : std::vector<int>{});
      w.run(0.2);
      State middle = w.scene.state;
      w.run(0.1);
      std::vector<double> end = w.scene.state.q;
      if (first.empty()) first = end;
      for (std::size_t k = 0; k < end.size(); ++k) EXPECT_NEAR(end[k], first[k], 1e-12) << k;
      // The state alone decides what follows.
      w.scene.state = middle;
      w.run(0.1);
      EXPECT_EQ(w.scene.state.q, end);
      EXPECT_GT(middle.history.size(), 4u);
    }
  }
}

TEST(PointLawScene, TheAnswerDoesNotDependOnWhereTheSolverStarts) {
  // A tumbling pile, at every step solved from the last velocities, from the free motion and from
  // random ones.
  for (const int law : {kSap, kLagged, kSimilar, kCoulomb}) {
    World w;
    w.law.law = law;
    w.add_plane({{0, 0, 1}});
    for (int i = 0; i < 5; ++i)
      w.add_box({{0.1, 0.1, 0.1}}, 1 + i,
                {{{0.03 * (i % 2), 0.02 * i, 0.06 + 0.11 * i}}, rotation_by({{0, 0, 0.2 * i}})},
                {{0.2, 0, -0.5}});
    w.scene.newton.force_tolerance = 1e-12;
    w.scene.newton.velocity_tolerance = 1e-10;
    w.start(2e-3);
    test::Random random(4);
    double worst = 0;
    int elsewhere = 0, steps = 0;
    for (int n = 0; n < 150; ++n) {
      const State state = w.scene.state;
      std::vector<double> answer;
      for (int start = 0; start < 3; ++start) {
        w.scene.state = state;
        std::vector<double> from;
        w.scene.start_guess = [&](const std::vector<double>& free, std::vector<double>& z) {
          if (start == 1) z = free;
          // Near the answer, so that it costs less than the free motion.
          if (start == 2)
            for (std::size_t k = 0; k < z.size(); ++k) z[k] = answer[k] + 0.02 * random();
        };
        const NewtonReport r = w.scene.step();
        EXPECT_EQ(r.status, 0u);
        elsewhere += start == 2 && r.iterations > 0;
        if (start == 0) answer = w.scene.solution;
        for (std::size_t k = 0; k < answer.size(); ++k)
          worst = std::max(worst, std::abs(w.scene.solution[k] - answer[k]));
      }
      ++steps;
    }
    std::printf("FIGURE point_laws.start.%s.difference = %.1e m/s\n", kNames[law], worst);
    EXPECT_LT(worst, 1e-9) << kNames[law];
    EXPECT_GT(elsewhere, steps / 2);
  }
}

}  // namespace
}  // namespace haptos
