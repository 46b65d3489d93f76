// Impulses of dry friction and limits of joints as unknowns: their fixed point, and how few
// iterations an arm takes whose joints stick and slip.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/bodies/joints/bounded_impulse.h"
#include "haptos/sim/sim.h"
#include "tests/robots.h"

namespace haptos {
namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

TEST(JointFriction, TheImpulseThatTheLawHasIsAFixedPoint) {
  for (const BoundedImpulse& law :
       {BoundedImpulse{1e-6, 0, -0.3, 0.3}, BoundedImpulse{1e-4, -0.5, 0, kNone},
        BoundedImpulse{1e-4, 0.2, -kNone, 0}})
    for (double v = -2; v < 2; v += 0.31) {
      ImpulseUnknown g;
      g.begin(law, 1, v, false);
      g.go(law, v, 1, false);
      EXPECT_NEAR(g.off(law), 0, 1e-9) << v;
      EXPECT_NEAR(g.apart(), 0, 1e-9 * (1 + std::abs(law.at(v).impulse))) << v;
    }
}

TEST(JointFriction, NewtonOnImpulseAndVelocityFindsWhereAMassStops) {
  // m (v - v_0) = g, from any velocity: sticks, slips to either side, or stands off a limit.
  const double m = 2;
  for (const BoundedImpulse& law :
       {BoundedImpulse{1e-6, 0, -0.3, 0.3}, BoundedImpulse{1e-4, -0.5, 0, kNone}})
    for (double v0 = -3; v0 < 3; v0 += 0.37)
      for (const double start : {-2.0, 0.0, 1.5}) {
        ImpulseUnknown g;
        double v = start;
        g.begin(law, 1 / m, v, false);
        g.go(law, v, 1, false);
        int n = 0;
        for (; n < 10 && (n == 0 || g.off(law) > 1e-12); ++n) {
          const BoundedImpulse::Value base = g.base(law);
          v -= (m * (v - v0) - base.impulse) / (m + base.hessian);
          g.go(law, v, 1, false);
        }
        EXPECT_LE(n, 5) << v0 << " from " << start;
        EXPECT_NEAR(m * (v - v0), law.at(v).impulse, 1e-9) << v0 << " from " << start;
      }
}

// Seven joints about axes at right angles, as an arm has them.
RobotBody arm(double friction) {
  RobotBody b;
  b.name = "arm";
  b.robot.name = "arm";
  for (int k = 0; k < 7; ++k) {
    const double mass = 3 - 0.35 * k;
    RobotJoint& j = test::add_link(
        b.robot, k - 1, JointKind::kRevolute,
        test::make_link(mass, {{0.02, 0, 0.1}}, Mat3d::identity() * (0.01 - 0.0012 * k)));
    b.robot.links.back().name = "link" + std::to_string(k);
    j.axis = k % 2 == 0 ? Vec3d{{0, 0, 1}} : Vec3d{{0, 1, 0}};
    j.frame.p = {{0, 0, k == 0 ? 0.0 : 0.2}};
    j.position = {k % 2 == 0 ? 0.3 : 0.7};
    j.friction = friction;
    j.lower = -2.2;
    j.upper = 2.2;
  }
  return b;
}

TEST(JointFriction, AnArmThatSticksAndSlipsTakesFewIterations) {
  double mean[2] = {};
  for (const int dry : {0, 1}) {
    Scene s;
    s.sim.dt = 2e-3;
    s.sim.threads = 1;
    s.robots.push_back(arm(dry ? 1.0 : 0.0));
    Sim sim(s);
    int iterations = 0, most = 0;
    for (int n = 0; n < 750; ++n) {
      const StepReport r = sim.step();
      ASSERT_EQ(r.status(), 0u) << n;
      iterations += r.newton.iterations;
      most = std::max(most, r.newton.iterations);
    }
    mean[dry] = iterations / 750.0;
    std::printf("FIGURE joint_friction.iterations.%s = %.2f a step, most %d\n",
                dry ? "dry" : "none", mean[dry], most);
  }
  EXPECT_LT(mean[1], 5);
}

}  // namespace
}  // namespace haptos
