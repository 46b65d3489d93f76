// Gates of point contact between rigid bodies: closed forms and verdicts that every law must meet.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "tests/scenes/point_world.h"
#include "tests/support.h"

namespace haptos {
namespace {

using test::kCoulomb;
using test::kG;
using test::kLagged;
using test::kSap;
using test::kSimilar;
using test::on_slope;
using test::World;

constexpr const char* kNames[] = {"sap", "lagged", "similar", "coulomb"};

TEST(PointGates, ABallOnA45DegreeSlopeRollsOrSlidesAsItsFrictionSays) {
  // r .5 m, rho 1e3, from rest at touch, 1 s; x = a t^2 with a the half acceleration: rolls from mu
  // = 2/7 on.
  const double radius = 0.5, mass = 1000 * 4.0 / 3 * M_PI * std::pow(radius, 3), h = 5e-4;
  const double root = std::sqrt(0.5);
  const Vec3d n{{root, 0, root}}, along{{root, 0, -root}};
  for (const int law : {kSap, kLagged, kSimilar})
    for (const double mu : {0.0, 0.2, 0.3, 0.6}) {
      World w;
      w.law.law = law;
      w.law.anchored = true;
      w.friction = mu;
      w.stiffness = 1e8;
      w.add_plane(n);
      w.add_ball(radius, mass, n * radius);
      w.start(h);
      w.run(1);
      const bool rolls = mu > 2.0 / 7;
      const double a = rolls ? 5.0 / 14 * kG * root : 0.5 * kG * root * (1 - mu);
      const Vec3d p = w.bodies[0]->pose(w.scene.state).p - n * radius;
      const Vec3d v = w.bodies[0]->velocity(w.scene.state);
      const double spin = w.bodies[0]->angular_velocity(w.scene.state)[1];
      const double x = dot(p, along);
      if (mu == 0.0 || mu == 0.2 || law == kLagged)
        std::printf("FIGURE point_gates.ball_on_slope.%s.mu%g = %.5f m (exact %.5f)\n", kNames[law],
                    mu, x, a);
      EXPECT_NEAR(x, a, 1e-3 * a) << kNames[law] << " " << mu;
      EXPECT_LT(std::abs(p[1]), 1e-12);
      const double exact_spin = rolls ? 2 * a / radius : 2.5 * mu * kG * root / radius;
      EXPECT_NEAR(spin, exact_spin, 1.5e-3 * exact_spin + 1e-12) << kNames[law] << " " << mu;
      // It rolls on the radius less half of its depth: the contact lies midway.
      if (rolls) {
        const double depth = radius - dot(w.bodies[0]->pose(w.scene.state).p, n);
        EXPECT_NEAR(spin * (radius - 0.5 * depth), dot(v, along), 1e-6 * spin);
      }
      EXPECT_NEAR(dot(w.force_on(0), n), mass * kG * root, 1e-6 * mass * kG) << kNames[law];
    }
}

TEST(PointGates, ABoxOnASlopeFor25SecondsBySeveralFrictions) {
  // Slope atan(.5), box of 1 m, h 10 ms, from touch. From the first second on, when loads have
  // found their feet, it stays, or slides with g (sin - mu cos).
  const double angle = std::atan(0.5), h = 1e-2;
  const Vec3d along{{std::cos(angle), 0, -std::sin(angle)}};
  for (const int law : {kSap, kLagged, kSimilar})
    for (const double mu : {0.49, 0.51}) {
      World w;
      w.law.law = law;
      w.law.anchored = true;
      w.friction = mu;
      w.add_plane({{std::sin(angle), 0, std::cos(angle)}});
      w.add_box({{1, 1, 1}}, 1, on_slope(angle, 0, 0.5));
      w.start(h);
      const auto x = [&] {
        return dot(w.bodies[0]->pose(w.scene.state).p - on_slope(angle, 0, 0.5).p, along);
      };
      const auto v = [&] { return dot(w.bodies[0]->velocity(w.scene.state), along); };
      w.run(1);
      const double x1 = x(), v1 = v();
      w.run(24);
      std::printf("FIGURE point_gates.slope.%s.mu%g.x25 = %.6f m\n", kNames[law], mu, x());
      if (mu > 0.5) {
        EXPECT_LT(std::abs(x() - x1), 1e-9) << kNames[law];
      } else {
        const double a = kG * (std::sin(angle) - mu * std::cos(angle));
        EXPECT_NEAR((v() - v1) / 24, a, 1e-4 * a) << kNames[law];
        EXPECT_NEAR(x() - x1, 24 * v1 + 0.5 * a * 24 * (24 + h), 1e-4 * x()) << kNames[law];
      }
    }
}

TEST(PointGates, AStandOnThreeFeetSlipsAtTheExactWrench) {
  // Plate on three balls under a horizontal force and a moment about the vertical, both at the
  // height of the ground. Turning about any centre c, every foot i that does not lie at c resists
  // with mu N_i across its arm; the sum is the load at which it starts to turn there.
  const double mu = 0.5, mass = 2, height = 0.05, radius = 0.01;
  const Vec3d feet[3] = {{{0.1, 0, 0}}, {{-0.06, 0.08, 0}}, {{-0.05, -0.09, 0}}};
  // Shares of the weight: barycentric coordinates of the centre.
  const auto area = [](const Vec3d& a, const Vec3d& b) { return cross(a, b)[2]; };
  double share[3];
  const double all = area(feet[1] - feet[0], feet[2] - feet[0]);
  for (int i = 0; i < 3; ++i) share[i] = area(feet[(i + 1) % 3], feet[(i + 2) % 3]) / all;
  for (const int law : {kSap, kLagged, kSimilar})
    for (const Vec3d& centre :
         {Vec3d{{0.02, 0.01, 0}}, Vec3d{{0.3, -0.1, 0}}, Vec3d{{1e4, 2e4, 0}}})
      for (const double part : {0.999, 1.001}) {
        World w;
        w.law.law = law;
        w.law.anchored = true;
        w.friction = mu;
        w.stiffness = 1e8;
        w.add_plane({{0, 0, 1}});
        Shape ball;
        ball.size[0] = radius;
        w.add(ball, mass, solid_box_inertia(mass, {{0.2, 0.2, 0.02}}), {{{0, 0, height}}, {}});
        PointShape foot = w.shapes.back();
        w.shapes.pop_back();
        for (const Vec3d& f : feet) {
          foot.frame.p = f + Vec3d{{0, 0, radius - height}};
          w.shapes.push_back(foot);
        }
        w.start(1e-3);
        w.run(0.2);
        Vec3d force = Vec3d::zero(), moment = Vec3d::zero();
        for (int i = 0; i < 3; ++i) {
          const Vec3d arm = feet[i] - centre;
          const Vec3d f = cross(Vec3d{{0, 0, 1}}, arm) * (mu * share[i] * mass * kG / norm(arm));
          force += f;
          moment += cross(feet[i] - Vec3d{{0, 0, height}}, f);
        }
        w.bodies[0]->force = part * force;
        w.bodies[0]->torque = part * moment;
        w.run(0.5);
        double speed = 0;
        const Vec3d v = w.bodies[0]->velocity(w.scene.state);
        const Vec3d turn = w.bodies[0]->angular_velocity(w.scene.state);
        for (const Vec3d& f : feet)
          speed = std::max(speed, norm(v + cross(turn, f - Vec3d{{0, 0, height}})));
        if (part < 1)
          EXPECT_LT(speed, 1e-9) << kNames[law] << " " << centre[0];
        else
          EXPECT_GT(speed, 1e-3) << kNames[law] << " " << centre[0];
      }
}

TEST(PointGates, FrictionIsTheSameInEveryDirection) {
  // A sliding box stops after v^2 / (2 mu g), less what one step makes of it.
  const double mu = 0.4, speed = 0.8;
  for (const int law : {kSap, kLagged, kSimilar}) {
    double shortest = 1e300, longest = 0, aside = 0;
    for (int k = 0; k < 12; ++k) {
      const double angle = 0.1 + k * M_PI / 6;
      const Vec3d d{{std::cos(angle), std::sin(angle), 0}};
      World w;
      w.law.law = law;
      w.friction = mu;
      w.add_plane({{0, 0, 1}});
      w.add_box({{0.2, 0.2, 0.01}}, 1, {{{0, 0, 0.005}}, {}}, d * speed);
      w.start(1e-3);
      w.run(0.4);
      const Vec3d p = w.bodies[0]->pose(w.scene.state).p;
      shortest = std::min(shortest, dot(p, d));
      longest = std::max(longest, dot(p, d));
      aside = std::max(aside, std::abs(cross(p, d)[2]));
    }
    const double exact = speed * speed / (2 * mu * kG);
    std::printf("FIGURE point_gates.isotropy.%s.spread = %.1e\n", kNames[law],
                longest / shortest - 1);
    std::printf("FIGURE point_gates.isotropy.%s.distance = %.5f m (exact %.5f)\n", kNames[law],
                longest, exact);
    EXPECT_LT(longest / shortest - 1, 1e-2);
    EXPECT_LT(aside, 1e-2 * exact);
    EXPECT_NEAR(longest, exact, 0.02 * exact);
  }
}

TEST(PointGates, ARodInPainlevesParadoxLosesEnergyAndFeelsFiniteImpulses) {
  // A uniform rod of 1 m slides on its lower tip at 63.43 degrees; rigid-body equations have no
  // solution from mu 4/3 on.
  const double length = 1, radius = 0.005, mass = 1, angle = std::atan(2.0), h = 1e-3;
  for (const int law : {kSap, kLagged, kSimilar})
    for (const double mu : {1.0, 1.5, 3.0}) {
      World w;
      w.law.law = law;
      w.friction = mu;
      w.add_plane({{0, 0, 1}});
      Shape rod;
      rod.kind = ShapeKind::kCapsule;
      rod.size = {{radius, 0.5 * length, 0}};
      // Slides with its lower end ahead: the tip digs in.
      const Vec3d tip{{0, 0, radius}}, axis{{-std::cos(angle), 0, std::sin(angle)}};
      w.add(rod, mass, slender_rod_inertia(mass, length),
            {tip + axis * (0.5 * length), rotation_to(axis)}, {{3, 0, 0}});
      w.start(h);
      const auto energy = [&] {
        return w.bodies[0]->kinetic_energy(w.scene.state) +
               mass * kG * w.bodies[0]->pose(w.scene.state).p[2];
      };
      const double start = energy();
      double before = start, gained = 0, largest = 0, pulled = 0;
      for (int n = 0; n < 3000; ++n) {
        w.scene.step();
        const double now = energy();
        ASSERT_TRUE(std::isfinite(now));
        gained = std::max(gained, now - before);
        before = now;
        EXPECT_LT(now, start + 1e-9);
        largest = std::max(largest, norm(w.force_on(0)) * h);
        pulled = std::min(pulled, w.force_on(0)[2]);
      }
      EXPECT_EQ(w.scene.status, 0u);
      std::printf("FIGURE point_gates.painleve.%s.mu%g.gain = %.1e J (of %.1f)\n", kNames[law], mu,
                  gained, start);
      std::printf("FIGURE point_gates.painleve.%s.mu%g.impulse = %.2f N s\n", kNames[law], mu,
                  largest);
      // What springs give back in a step; the impulse could not do more than turn the rod back.
      EXPECT_LT(gained, 1e-3 * start) << kNames[law] << " " << mu;
      EXPECT_LT(largest, 2 * mass * 3) << kNames[law] << " " << mu;
      EXPECT_GT(pulled, -1e-12);
    }
}

// 216 balls of .1 m and 10 kg in a cubic pile .21 m apart, jittered by 1 mm, that falls by 1 mm.
struct Pile {
  World w;
  explicit Pile(int side, int law, double h) {
    w.law.law = law;
    w.friction = 0.5;
    w.stiffness = 1e8;
    w.add_plane({{0, 0, 1}});
    test::Random random(666);
    for (int k = 0; k < side; ++k)
      for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i)
          w.add_ball(0.1, 10,
                     Vec3d{{0.21 * i, 0.21 * j, 0.101 + 0.21 * k}} + 1e-3 * random.vector());
    w.start(h);
  }
  // Root of the mean square of the depths of all contacts [m].
  double penetration() const {
    double sum = 0;
    for (const ContactPoint& c : w.term->contacts()) sum += square(std::min(c.gap, 0.0));
    return w.term->contacts().empty()
               ? 0
               : std::sqrt(sum / static_cast<double>(w.term->contacts().size()));
  }
  // Of any two balls, whether contact knows of it or not [m].
  double overlap() const {
    std::vector<Vec3d> p;
    for (const RigidBody* b : w.bodies) p.push_back(b->pose(w.scene.state).p);
    double least = 0.2;
    for (std::size_t i = 0; i < p.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) least = std::min(least, norm(p[i] - p[j]));
    return 0.2 - least;
  }
};

// `deepest`: of any step; `at_rest`: of the last half. A ball at rest on the floor sinks by its
// weight over the stiffness, 1e-6 m; a column of six that lands at .14 m/s by .14 m/s sqrt(60 kg /
// 1e8 N/m), 1e-4 m, and one of three by 8e-5 m, if no step of 10 ms spread it. A step looks twice
// at what touches, and again as long as something would sink in by more than a thousandth of a
// radius, .1 mm, in the step: while columns land each look finds what the next layer strikes. So
// no two balls may overlap by more than that and what presses the deepest of them.
void pile(int side, double time, const char* name, double deepest, double at_rest) {
  for (const int law : {kSap, kLagged, kSimilar, kCoulomb}) {
    Pile p(side, law, 1e-2);
    const int steps = static_cast<int>(std::lround(time / 1e-2));
    double worst = 0, later = 0, sum = 0, overlap = 0;
    for (int n = 1; n <= steps; ++n) {
      p.w.scene.step();
      overlap = std::max(overlap, p.overlap());
      const double d = p.penetration();
      worst = std::max(worst, d);
      if (2 * n > steps) later = std::max(later, d);
      sum += d * d;
      if (n % std::max(steps / 10, 1) == 0)
        std::printf("FIGURE point_gates.%s.%s.t%.2f.penetration = %.2e m\n", name, kNames[law],
                    n * 1e-2, d);
    }
    EXPECT_EQ(p.w.scene.status, 0u) << kNames[law];
    std::printf("FIGURE point_gates.%s.%s.rms = %.2e m\n", name, kNames[law],
                std::sqrt(sum / steps));
    std::printf("FIGURE point_gates.%s.%s.iterations = %.2f\n", name, kNames[law],
                static_cast<double>(p.w.scene.iterations) / steps);
    std::printf("FIGURE point_gates.%s.%s.deepest = %.2e m (at most %.0e)\n", name, kNames[law],
                worst, deepest);
    std::printf("FIGURE point_gates.%s.%s.at_rest = %.2e m (at most %.0e)\n", name, kNames[law],
                later, at_rest);
    std::printf("FIGURE point_gates.%s.%s.overlap = %.2e m (at most 2e-4)\n", name, kNames[law],
                overlap);
    EXPECT_LT(overlap, 2e-4) << kNames[law];
    EXPECT_LT(worst, deepest) << kNames[law];
    EXPECT_LT(later, at_rest) << kNames[law];
    for (const RigidBody* b : p.w.bodies) EXPECT_GT(b->pose(p.w.scene.state).p[2], 0.09);
  }
}
TEST(PointGates, AFallingPileOfBallsDoesNotSinkIn) { pile(3, 1, "pile27", 8e-5, 8e-5); }
TEST(FullPointGates, APileOf216BallsDoesNotSinkIn) { pile(6, 10, "pile216", 1e-4, 1e-5); }

}  // namespace
}  // namespace haptos
