// Piles of affine cubes that fall, land and come to rest: at every step nothing cuts (exact test),
// every cube stays stiff and the step converges.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/topology.h"
#include "haptos/geometry/query/bvh.h"
#include "haptos/geometry/query/exact.h"
#include "haptos/sim/sim.h"
#include "tests/scenes/start_energy.h"

namespace haptos {
namespace {

// n x n x layers cubes of 1 cm, turned and shifted a little, fall on a floor.
Scene pile(int n, int layers, double stiffness, double friction) {
  Scene s;
  s.sim.dt = 0.01;
  s.sim.threads = 1;
  s.contact.support = 1e-4;
  const double size = 10e-3, apart = 13e-3;
  unsigned seed = 1;
  const auto random = [&] {
    seed = seed * 1664525u + 1013904223u;
    return seed / 4294967296.0 - 0.5;
  };
  for (int z = 0; z < layers; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        AffineBody b;
        b.name = "cube" + std::to_string(s.affine.size());
        b.surface = box({{size, size, size}});
        b.pose.p = {{apart * (x + 0.5 * (z % 2)) + 1e-3 * random(),
                     apart * y + 3e-3 * (z % 2) + 1e-3 * random(), 7e-3 + 12e-3 * z}};
        b.pose.q = rotation_by({{0.1 * random(), 0.1 * random(), 0.3 * random()}});
        b.stiffness = stiffness;
        b.friction.sticking = friction;
        s.affine.push_back(b);
      }
  HalfSpace floor;
  floor.name = "floor";
  floor.friction.sticking = friction;
  s.half_spaces = {floor};
  return s;
}

int intersections(const Sim& sim) {
  int hits = 0;
  std::vector<TriMesh> all;
  std::vector<Aabb> boxes;
  for (const AffineBody& b : sim.scene().affine) {
    all.push_back(b.surface);
    all.back().vertices = sim.affine_positions(b.name);
    Aabb box;
    for (const Vec3d& v : all.back().vertices) box.merge(v);
    boxes.push_back(box);
  }
  Bvh(boxes).self_pairs(0, [&](int i, int j) {
    hits += static_cast<int>(
        intersecting_pairs(all[static_cast<std::size_t>(i)], all[static_cast<std::size_t>(j)])
            .size());
  });
  return hits;
}

void fall(const Scene& scene, int most_iterations, int steps = 25) {
  Sim sim(scene);
  int iterations = 0, most = 0, passes = 0;
  double seconds = 0, rise = -1e300;
  const double start = test::energy_with_contacts(scene);
  double energy = start;
  for (int i = 0; i < steps; ++i) {
    const StepReport r = sim.step();
    // A residual of so many newtons may do work over the motion of a step, at .6 m/s after the
    // fall.
    const double by_residual = scene.newton.force_tolerance * r.newton.load * 0.6 * scene.sim.dt;
    rise = std::max(rise, r.kinetic + r.potential - energy - by_residual);
    energy = r.kinetic + r.potential;
    ASSERT_EQ(r.status(), 0u) << i << " " << describe_status(r.status());
    ASSERT_EQ(intersections(sim), 0) << i;
    for (const AffineBody& b : scene.affine) ASSERT_LT(sim.affine_strain(b.name), 0.01) << i;
    iterations += r.newton.iterations;
    most = std::max(most, r.newton.iterations);
    passes += r.newton.lag_passes;
    seconds += r.seconds;
  }
  // They have landed: the floor carries them all, but for what still moves.
  double weight = 0, carried = 0;
  for (const AffineBody& b : scene.affine) weight += 1000 * enclosed_volume(b.surface) * 9.81;
  const int floor = sim.body_id("floor");
  for (const ContactPoint& c : sim.contacts())
    if (c.body_b == floor) carried += c.force[2];
  EXPECT_NEAR(carried / weight, 1, 0.3);
  EXPECT_LT(iterations, most_iterations);
  // Falling, landing and sliding lose energy in every step.
  EXPECT_LE(rise, 1e-9 * start);
  EXPECT_LT(energy, start);
  std::printf("FIGURE pile.rise_beyond_residual = %.2e J (at most %.2e)\n", rise, 1e-9 * start);
  std::printf("FIGURE pile.iterations_per_step = %.1f\n", static_cast<double>(iterations) / steps);
  std::printf("FIGURE pile.most_iterations = %d\n", most);
  std::printf("FIGURE pile.lag_passes_per_step = %.1f\n", static_cast<double>(passes) / steps);
  std::printf("FIGURE pile.seconds_per_step = %.2f s\n", seconds / steps);
}

TEST(ManyAffine, PileOfStiffCubesLandsWithoutFriction) { fall(pile(3, 2, 1e8, 0), 750); }

TEST(ManyAffine, PileOfStiffCubesLandsWithFriction) { fall(pile(3, 3, 1e8, 0.3), 900); }

TEST(FullManyAffine, HundredCubesLandWithoutFriction) { fall(pile(5, 4, 1e8, 0), 2000, 40); }

TEST(FullManyAffine, HundredCubesLandWithFriction) { fall(pile(5, 4, 1e8, 0.3), 2000, 40); }

}  // namespace
}  // namespace haptos
