// Rods and a mat twisted by both ends until they touch themselves (Li et al. 2020, mat twist and
// rods twist), over time steps from a hundredth to half a second: after every step nothing
// intersects, nothing is inverted, the step converged.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/query/exact.h"
#include "tests/scenes/crossing.h"
#include "tests/support.h"

namespace haptos {
namespace {

struct Twist {
  Vec3d size;  // along x (the axis), y, z [m]
  Vec3i cells;
  double young, poisson;
  double rate;      // of each end, against each other [rad/s]
  double dt, time;  // [s]
  int rods = 1;
};

struct Outcome {
  int steps = 0, iterations = 0, most_iterations = 0, touching = 0;
  double smallest_ratio = 1, turn = 0;
};

// Rods side by side in a square, their ends carried round the common axis.
Scene scene_of(const Twist& t) {
  Scene s;
  s.sim.dt = t.dt;
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.contact.support = 0.02 * t.size[2];
  BoxPadShape shape;
  shape.width = t.size[0];
  shape.depth = t.size[1];
  shape.thickness = t.size[2];
  const Pad pad = box_pad(shape, t.cells[0], t.cells[1], t.cells[2]);
  for (int k = 0; k < t.rods; ++k) {
    SoftBody rod;
    rod.name = "rod" + std::to_string(k);
    rod.mesh = pad.mesh;
    rod.element = Element::kLinear;
    rod.material.young = t.young;
    rod.material.poisson = t.poisson;
    rod.material.density = 1000;
    rod.self_contact = true;
    const double a = t.rods == 1 ? 0 : 1.0;
    const int row = k / 2, column = k % 2;
    rod.pose.p = {{0, a * (column - 0.5) * 1.3 * t.size[1],
                   0.5 * t.size[2] + a * (row - 0.5) * 1.3 * t.size[2]}};
    const double end = 0.5 * t.size[0] * (1 - 1e-9);
    rod.glue = {
        {"left", test::vertices_where(rod.mesh, [=](const Vec3d& x) { return x[0] < -end; })},
        {"right", test::vertices_where(rod.mesh, [=](const Vec3d& x) { return x[0] > end; })}};
    s.soft.push_back(rod);
  }
  for (const char* name : {"left", "right"}) {
    PrescribedBody hand = test::mount(name);
    hand.trajectory.clear();
    const double w = name[0] == 'l' ? t.rate : -t.rate;
    for (int k = 0; k * 0.1 <= t.time + t.dt + 0.1; ++k) {
      Pose p;
      p.q = rotation_by({{w * 0.1 * k, 0, 0}});
      hand.trajectory.push_back({0.1 * k, p});
    }
    s.prescribed.push_back(hand);
  }
  return s;
}

Outcome run(const Twist& t) {
  Sim sim(scene_of(t));
  Outcome o;
  for (double time = 0; time < t.time - 1e-9; time += t.dt) {
    const StepReport r = sim.step();
    EXPECT_EQ(r.status(), 0u) << "step " << o.steps << ": " << describe_status(r.status());
    if (r.status() != 0) return o;
    ++o.steps;
    o.iterations += r.newton.iterations;
    o.most_iterations = std::max(o.most_iterations, r.newton.iterations);
    o.smallest_ratio = std::min(o.smallest_ratio, r.smallest_volume_ratio);
    o.touching = std::max(o.touching, static_cast<int>(sim.contacts().size()));
    std::vector<TriMesh> surfaces;
    for (int k = 0; k < t.rods; ++k) {
      surfaces.push_back(test::present_surface(sim, "rod" + std::to_string(k)));
      EXPECT_TRUE(self_intersections(surfaces.back()).empty()) << o.steps;
      for (int j = 0; j < k; ++j)
        EXPECT_TRUE(
            intersecting_pairs(surfaces[static_cast<std::size_t>(j)], surfaces.back()).empty())
            << o.steps;
    }
    if (testing::Test::HasFailure()) return o;
  }
  EXPECT_GT(o.smallest_ratio, 0);
  o.turn = 2 * t.rate * t.time / (2 * M_PI);
  return o;
}

void print(const char* name, const Twist& t, const Outcome& o) {
  std::printf(
      "FIGURE twist.%s.dt%g = %.2f turns in %d steps, %.1f iterations a step, most %d; %d "
      "contacts, "
      "smallest volume ratio %.3f\n",
      name, t.dt, o.turn, o.steps, double(o.iterations) / std::max(1, o.steps), o.most_iterations,
      o.touching, o.smallest_ratio);
}

TEST(Twist, AMatTwistedTouchesItselfWithoutIntersection) {
  const Twist t{{{0.3, 0.1, 0.01}}, {{18, 6, 1}}, 2e4, 0.4, 1.26, 0.04, 3.0};
  const Outcome o = run(t);
  print("mat", t, o);
  EXPECT_GT(o.touching, 0);
}

// Whatever the step, the rods end twisted and nothing went wrong on the way.
class FullTwist : public testing::TestWithParam<double> {};

TEST_P(FullTwist, FourRodsAtThisTimeStep) {
  const Twist t{{{0.3, 0.02, 0.02}}, {{30, 2, 2}}, 1e4, 0.4, 1.26, GetParam(), 4.0, 4};
  const Outcome o = run(t);
  print("rods", t, o);
  EXPECT_GT(o.touching, 0);
}
INSTANTIATE_TEST_SUITE_P(Steps, FullTwist, testing::Values(0.01, 0.025, 0.1, 0.2, 0.5, 1.0, 2.0),
                         [](const testing::TestParamInfo<double>& i) {
                           return "dt_ms_" + std::to_string(static_cast<int>(1000 * i.param));
                         });

}  // namespace
}  // namespace haptos
