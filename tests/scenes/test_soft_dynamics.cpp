// Conservation laws of soft bodies: free fall, momentum, energy, weight at rest, and the balance of
// contact, glue and inertia while a ball presses and while the mount shakes.
#include <gtest/gtest.h>

#include <cstdio>

#include "haptos/bodies/elastic/soft_element.h"
#include "tests/param_names.h"
#include "tests/scenes/soft_scenes.h"

namespace haptos {
namespace {

using test::Momentum;
using test::momentum;

class SoftDynamics : public testing::TestWithParam<Element> {};

std::vector<double> masses(const Sim& sim) {
  return lumped_mass(sim.soft_model("gel").rest, sim.scene().soft[0].material.density);
}

// Random velocities of up to `speed` [m/s] on top of a translation and a rotation.
void excite(Sim& sim, double speed, const Vec3d& velocity, const Vec3d& omega) {
  test::Random random(8);
  State state = sim.state();
  const std::vector<Vec3d> x = sim.soft_positions("gel");
  for (std::size_t v = 0; v < x.size(); ++v) {
    const Vec3d u = velocity + cross(omega, x[v]) + speed * random.vector();
    for (int c = 0; c < 3; ++c) state.z[3 * v + static_cast<std::size_t>(c)] = u[c];
  }
  sim.set_state(state);
}

TEST_P(SoftDynamics, FreeFallIsTheIntegratorsFormula) {
  Scene s = test::free_block(0.01, -9.81);
  s.soft[0].element = GetParam();
  const Vec3d v0{{0.1, -0.2, 0.3}}, g{{0, 0, -9.81}};
  s.soft[0].velocity = v0;
  Sim sim(s);
  const std::vector<Vec3d> start = sim.soft_positions("gel");
  const std::vector<double> mass = masses(sim);
  double total = 0, position = 0, velocity = 0, shape = 0;
  for (double m : mass) total += m;
  for (int n = 1; n <= 50; ++n) {
    ASSERT_EQ(sim.step().status(), 0u);
    // Backward Euler: v_n = v_0 + n h g, x_n = x_0 + n h v_0 + h^2 g n (n + 1) / 2.
    const double h = 0.01;
    const Vec3d v = v0 + (n * h) * g, d = (n * h) * v0 + (0.5 * h * h * n * (n + 1)) * g;
    const std::vector<Vec3d> x = sim.soft_positions("gel");
    Vec3d centre = Vec3d::zero();  // displacement of the centre of mass
    for (std::size_t i = 0; i < x.size(); ++i) {
      centre += (mass[i] / total) * (x[i] - start[i]);
      shape = std::max(shape, norm(x[i] - start[i] - d) / norm(d));
    }
    position = std::max(position, norm(centre - d) / norm(d));
    velocity = std::max(velocity, norm(momentum(sim, mass).linear * (1 / total) - v) / norm(v));
  }
  std::printf(
      "FIGURE free_fall = %.1e of the distance, %.1e of the speed (centre of mass), %.1e "
      "(farthest vertex), 50 steps\n",
      position, velocity, shape);
  // 50 additions of h g: the free motion is where Newton starts, so nothing else is rounded.
  EXPECT_LE(position, 50 * 2.2e-16);
  EXPECT_LE(velocity, 50 * 2.2e-16);
  EXPECT_LE(shape, 50 * 2.2e-16);
}

TEST_P(SoftDynamics, ToleranceBelowRoundOffEndsAtRoundOff) {
  Scene s = test::free_block(2e-3, -9.81);
  s.soft[0].element = GetParam();
  s.newton.force_tolerance = 1e-14;
  s.newton.force_floor = 0;
  Sim sim(s);
  excite(sim, 0.05, {{0.2, -0.1, 0.1}}, {{3, 5, -2}});
  for (int n = 0; n < 20; ++n) {
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u);
    EXPECT_LE(r.newton.iterations, 8);
    EXPECT_LE(r.newton.residual, 1e-8 * r.newton.load);
  }
}

TEST_P(SoftDynamics, LinearMomentumIsKeptAndEnergyNeverGrows) {
  Scene s = test::free_block(2e-3, 0);
  s.soft[0].element = GetParam();
  Sim sim(s);
  excite(sim, 0.05, {{0.2, -0.1, 0.1}}, {{3, 5, -2}});
  const std::vector<double> mass = masses(sim);
  double worst = 0, before = 1e300, first = 0;
  for (int n = 0; n < 100; ++n) {
    const Momentum p0 = momentum(sim, mass);
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u) << n;
    const Momentum p1 = momentum(sim, mass);
    worst = std::max(worst, norm(p1.linear - p0.linear) / p0.scale);
    const double energy = r.kinetic + r.potential;
    EXPECT_LE(energy, before * (1 + 1e-9)) << n;
    before = energy;
    if (n == 0) first = energy;
  }
  std::printf("FIGURE momentum = %.1e relative in the worst of 100 steps; energy %.3e to %.3e J\n",
              worst, first, before);
  EXPECT_LE(worst, 1e-12);
}

TEST_P(SoftDynamics, AngularMomentumIsLostNoFasterThanTheSquareOfTheTurnPerStep) {
  Scene s = test::free_block(0.01, 0);
  s.soft[0].element = GetParam();
  Sim sim(s);
  excite(sim, 0, {{0, 0, 0}}, {{0, 0, 5}});
  const std::vector<double> mass = masses(sim);
  for (int n = 0; n < 10; ++n) {
    const double before = momentum(sim, mass).angular[2];
    ASSERT_EQ(sim.step().status(), 0u);
    const double after = momentum(sim, mass).angular[2];
    EXPECT_LE(after, before * (1 + 1e-9));
    EXPECT_GE(after, before * (1 - square(5 * 0.01)));
  }
}

TEST_P(SoftDynamics, DampingTakesEnergyAndLeavesRigidMotion) {
  Scene s = test::free_block(1e-3, 0);
  s.soft[0].element = GetParam();
  s.soft[0].material.stiffness_damping = 0.01;
  Sim sim(s);
  excite(sim, 0.05, {{0.2, -0.1, 0.1}}, {{0, 0, 0}});
  const std::vector<double> mass = masses(sim);
  const Momentum start = momentum(sim, mass);
  double total = 0, before = 1e300;
  for (double m : mass) total += m;
  StepReport r;
  for (int n = 0; n < 200; ++n) {
    r = sim.step();
    ASSERT_EQ(r.status(), 0u);
    EXPECT_LE(r.kinetic + r.potential, before * (1 + 1e-9));
    before = r.kinetic + r.potential;
  }
  // What remains is the motion of the centre of mass; a slow turn about it is all that may be left.
  const double rigid = squared_norm(start.linear) / (2 * total);
  EXPECT_NEAR(r.kinetic / rigid, 1, 0.05);
  EXPECT_LE(norm(momentum(sim, mass).linear - start.linear), 1e-11 * start.scale);
}

INSTANTIATE_TEST_SUITE_P(Elements, SoftDynamics,
                         testing::Values(Element::kLinear, Element::kComposite), test::ParamName());

TEST(SoftWeight, BlockAtRestOnAFloorReadsItsWeight) {
  Sim sim(test::block_on_floor());
  StepReport r;
  for (int n = 0; n < 150; ++n) {
    r = sim.step();
    ASSERT_EQ(r.status(), 0u) << n;
  }
  const double weight = 1000 * test::kBlock[0] * test::kBlock[1] * test::kBlock[2] * 9.81;
  const Vec3d c{{0.003, -0.002, 0}};  // below its centre
  const Wrench w = sim.contact_wrench("gel", c);
  std::printf("FIGURE block_at_rest = %.1e of m g, kinetic %.1e J\n", w.force[2] / weight - 1,
              r.kinetic);
  EXPECT_NEAR(w.force[2] / weight, 1, 1e-6);
  EXPECT_LE(norm(Vec3d{{w.force[0], w.force[1], 0}}), 1e-6 * weight);
  EXPECT_LE(norm(w.torque), 1e-6 * weight * test::kBlock[0]);
}

TEST(SoftWeight, GluedBlockHangsOnItsMountWithItsWeight) {
  Scene s = test::press(false);
  s.prescribed.resize(1);
  s.sim.dt = 0.02;
  s.soft[0].material.mass_damping = 20;
  Sim sim(s);
  for (int n = 0; n < 100; ++n) ASSERT_EQ(sim.step().status(), 0u);
  const double weight = 1000 * test::kBlock[0] * test::kBlock[1] * test::kBlock[2] * 9.81;
  EXPECT_NEAR(sim.reaction("mount").force[2] / -weight, 1, 1e-6);
}

struct Balance {
  double force = 0, torque = 0, records = 0;        ///< worst relative errors
  double largest_contact = 0, largest_inertia = 0;  ///< [N]
};

Balance worst_balance(const Scene& s, int steps) {
  Sim sim(s);
  Balance b;
  const Vec3d about{{0.02, -0.03, 0.015}};  // nowhere in particular
  for (int n = 0; n < steps; ++n) {
    const StepReport r = sim.step();
    EXPECT_EQ(r.status(), 0u) << n;
    EXPECT_EQ(r.missed, 0.0) << n;
    const Wrench ball = sim.reaction("ball", about), mount = sim.reaction("mount", about);
    const Wrench inertia = sim.inertia_wrench("gel", about);
    const Wrench records = sim.contact_wrench("gel", about);
    // Contact on the gel is the opposite of contact on the ball; what the gel does to its mount is
    // the opposite of the glue's pull: contact + glue = rate of momentum - weight.
    const Vec3d force = ball.force + mount.force + inertia.force;
    const Vec3d torque = ball.torque + mount.torque + inertia.torque;
    const double scale = norm(ball.force) + norm(mount.force) + norm(inertia.force);
    const double lever = norm(ball.torque) + norm(mount.torque) + norm(inertia.torque);
    b.force = std::max(b.force, norm(force) / scale);
    b.torque = std::max(b.torque, norm(torque) / lever);
    if (norm(ball.force) > 0)
      b.records = std::max(b.records, norm(records.force + ball.force) / norm(ball.force));
    b.largest_contact = std::max(b.largest_contact, norm(ball.force));
    b.largest_inertia = std::max(b.largest_inertia, norm(inertia.force));
  }
  return b;
}

// Without damping and with 1 ms of it.
TEST(SoftBalance, ContactEqualsGluePlusInertiaWhilePressing) {
  for (const double damping : {0.0, 1e-3}) {
    const Balance b = worst_balance(test::press(false, damping), 20);
    std::printf(
        "FIGURE balance.press.damping%g = %.1e force, %.1e torque, %.1e records; contact to "
        "%.3f N\n",
        damping, b.force, b.torque, b.records, b.largest_contact);
    EXPECT_GT(b.largest_contact, 0.1);
    EXPECT_LE(b.force, 1e-6);
    EXPECT_LE(b.torque, 1e-6);
    EXPECT_LE(b.records, 1e-9);
  }
}

TEST(SoftBalance, ContactEqualsGluePlusInertiaWhileTheMountShakes) {
  for (const double damping : {0.0, 1e-3}) {
    const Balance b = worst_balance(test::press(true, damping), 30);
    std::printf(
        "FIGURE balance.shake.damping%g = %.1e force, %.1e torque, %.1e records; contact to "
        "%.3f N, inertia to %.4f N\n",
        damping, b.force, b.torque, b.records, b.largest_contact, b.largest_inertia);
    EXPECT_GT(b.largest_contact, 0.1);
    EXPECT_GT(b.largest_inertia, 0.01);
    EXPECT_LE(b.force, 1e-6);
    EXPECT_LE(b.torque, 1e-6);
    EXPECT_LE(b.records, 1e-9);
  }
}

TEST(FullSoftDynamics, TwentyThousandStepsOfFreeFlightKeepEnergyAndMomentum) {
  Scene s = test::free_block(1e-3, 0, {{2, 2, 2}});
  s.newton.force_floor = 1e-10;  // it flies 7 m: positions know the strain to 1e-13 only
  s.soft[0].velocity = {{0.3, -0.2, 0.1}};
  Sim sim(s);
  const std::vector<double> mass = masses(sim);
  const Momentum start = momentum(sim, mass);
  double first = 0, worst = 0, drift = 0;
  for (int n = 0; n < 20000; ++n) {
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u) << n;
    const double energy = r.kinetic + r.potential;
    if (n == 0) first = energy;
    drift = std::max(drift, std::abs(energy / first - 1));
    worst = std::max(worst, norm(momentum(sim, mass).linear - start.linear) / start.scale);
  }
  std::printf("FIGURE free_flight = energy drift %.1e, momentum drift %.1e in 20000 steps\n", drift,
              worst);
  EXPECT_LE(drift, 0.01);
  EXPECT_LE(worst, 20000 * 1e-12);
}

}  // namespace
}  // namespace haptos
