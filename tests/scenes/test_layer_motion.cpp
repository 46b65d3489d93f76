// Boundary-layer contact in motion: what falls does not rebound, what rolls gains nothing, heavy on
// light stays, and a run is the same for any number of threads and from a saved state.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <random>
#include <set>

#include "haptos/contact/frozen/boundary_layer/still_pairs.h"
#include "haptos/contact/frozen/notes.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/layer_scenes.h"

namespace haptos {
namespace {

using test::body_state;
using test::BodyState;
using test::floor_of;
using test::kEarth;
using test::layered;
using test::LayeredBody;

// C9: a ball of triangles dropped by half a metre. No law here has a coefficient of restitution;
// depth must not become speed.
TEST(LayerMotion, ABallOfTrianglesThatFallsStaysDown) {
  for (const double h : {1e-3, 2e-3}) {
    Scene s = test::layer_scene(h);
    s.robots.push_back(layered("floor", floor_of(cut_plate(1, 1, 20, 0.3, 2))));
    LayeredBody ball;
    ball.mesh = icosphere(0.05, 0.01);
    ball.pose.p = {{0.013, 0.007, 0.05 + 5e-3 + 0.5}};
    s.robots.push_back(layered("ball", ball));
    Sim sim(s);
    double lowest = 1, rebound = 0;
    for (int k = 0; k < std::lround(1 / h); ++k) {
      const StepReport r = sim.step();
      ASSERT_EQ(r.status(), 0u) << describe_status(r.status());
      const double height = body_state(sim, "ball").pose.p[2] - 0.055;
      lowest = std::min(lowest, height);
      if (height > lowest) rebound = std::max(rebound, height - lowest);
    }
    std::printf("FIGURE layer_motion.rebound.h%g = %.2e of the fall (at most 0.01)\n", h,
                rebound / 0.5);
    EXPECT_LT(rebound, 0.01 * 0.5);
    EXPECT_GT(lowest, -2.5e-3);  // half of both layers
  }
}

// C9: a ball in a bowl without friction, let go above its bottom: motion and height never gain.
struct Rolled {
  double rise = 0, left = 0;  // of energy, as parts of the first
};
Rolled roll(double seconds, double h = 1e-3) {
  const double radius = 0.5, start = 0.2;
  Scene s = test::layer_scene(h);
  const TriMesh bowl = cut_grid(120, 120, 0.2, 4, true, [&](double u, double v) {
    const double x = 0.68 * (u - 0.5), y = 0.68 * (v - 0.5);
    return Vec3d{{x, y, radius - std::sqrt(radius * radius - x * x - y * y)}};
  });
  s.robots.push_back(layered("bowl", floor_of(bowl, 2.5e-3, 0)));
  LayeredBody ball;
  ball.mesh = icosphere(0.05, 0.008);
  ball.friction = 0;
  const double arm = radius - 0.055;
  ball.pose.p = {{start, 0.05, radius - std::sqrt(arm * arm - start * start - 0.05 * 0.05)}};
  ball.velocity = {{0, 0.3, 0}};
  s.robots.push_back(layered("ball", ball));
  Sim sim(s);
  const auto energy = [&] {
    const BodyState b = body_state(sim, "ball");
    const double turning = 0.4 * 0.05 * 0.05;  // of a solid ball of 1 kg
    return 0.5 * (dot(b.velocity, b.velocity) + turning * dot(b.omega, b.omega)) +
           kEarth * (b.pose.p[2] - 0.055);
  };
  double lowest = energy();
  const double first = lowest;
  Rolled out;
  for (int k = 0; k < std::lround(seconds / h); ++k) {
    EXPECT_EQ(sim.step().status(), 0u);
    const double e = energy();
    lowest = std::min(lowest, e);
    out.rise = std::max(out.rise, (e - lowest) / first);
  }
  out.left = energy() / first;
  return out;
}

TEST(LayerMotion, ABallInABowlWithoutFrictionNeverGains) {
  const Rolled r = roll(4);
  std::printf("FIGURE layer_motion.bowl.rise = %.2e (at most 1e-4)\n", r.rise);
  EXPECT_LT(r.rise, 1e-4);
  EXPECT_GT(r.left, 0.2);  // it does move
}

TEST(FullLayerMotion, ABallInABowlWithoutFrictionNeverGainsInAMinute) {
  const Rolled r = roll(60);
  std::printf("FIGURE layer_motion.bowl.minute.rise = %.2e (at most 1e-4)\n", r.rise);
  EXPECT_LT(r.rise, 1e-4);
}

// What a faceted ball loses comes from its steps: no contact acts from where it is not.
TEST(FullLayerMotion, ABallInABowlWithoutFrictionKeepsMoreInSmallerSteps) {
  double last = 0;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) {
    const Rolled r = roll(5, h);
    std::printf("FIGURE layer_motion.bowl.left.h%g = %.3f of the energy after 5 s\n", h, r.left);
    EXPECT_LT(r.rise, 1e-4);
    EXPECT_GT(r.left, last + 0.05);
    last = r.left;
  }
  EXPECT_GT(last, 0.5);
}

// C13: a hundred times the mass on top, and a link of 48 g under 7.5 kg.
TEST(LayerMotion, HeavyOnLightSinksByLessThanAFiftiethOfAMillimetre) {
  for (const double light : {1.0, 0.048})
    for (const double heavy : {100.0, 7.5}) {
      if (heavy / light < 100) continue;
      Scene s = test::layer_scene(1e-3);
      s.robots.push_back(layered("floor", floor_of(cut_plate(2, 2, 10, 0.3, 2))));
      LayeredBody lower, upper;
      lower.mesh = cut_cube(0.1, 3, 0.3, 5);
      lower.mass = light;
      lower.pose.p = {{0, 0, 0.055}};
      upper.mesh = cut_cube(0.1, 4, 0.3, 9);
      upper.mass = heavy;
      upper.pose = {{{0.004, -0.003, 0.16}}, rotation_by({{0, 0, 0.2}})};
      s.robots.push_back(layered("lower", lower));
      s.robots.push_back(layered("upper", upper));
      Sim sim(s);
      for (int k = 0; k < 2000; ++k) {
        const StepReport r = sim.step();
        ASSERT_EQ(r.status(), 0u) << describe_status(r.status());
      }
      const BodyState a = body_state(sim, "lower"), b = body_state(sim, "upper");
      const double sink = std::max(0.055 - a.pose.p[2], 0.16 - b.pose.p[2]);
      std::printf("FIGURE layer_motion.sink.%g_on_%g = %.2e m (at most 5e-5)\n", heavy, light,
                  sink);
      EXPECT_LT(std::abs(sink), 5e-5);
      EXPECT_LT(norm(b.velocity), 1e-6);
      EXPECT_LT(std::hypot(b.pose.p[0] - 0.004, b.pose.p[1] + 0.003), 1e-5);
    }
}

// Rough bodies that tumble onto each other and onto a rough floor: hundreds of samples of a pair,
// merged.
Scene tumble(int threads) {
  Scene s = test::layer_scene(2e-3);
  s.sim.threads = threads;
  s.point_contact.most_samples = 60;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-3e-4, 3e-4);
  const auto rough = [&](TriMesh m) {
    for (Vec3d& x : m.vertices)
      for (int k = 0; k < 3; ++k) x[k] += any(random);
    return m;
  };
  s.robots.push_back(layered("floor", floor_of(rough(cut_plate(0.6, 0.6, 60, 0.3, 2)))));
  for (int k = 0; k < 6; ++k) {
    LayeredBody b;
    b.mesh = rough(cut_cube(0.06, 8, 0.3, static_cast<unsigned>(k)));
    b.pose = {{{0.01 * k, 0.015 * (k % 2), 0.04 + 0.075 * k}}, rotation_by({{0.2, 0.1 * k, 0.3}})};
    std::string name = "cube";
    name += std::to_string(k);
    s.robots.push_back(layered(name, b));
  }
  return s;
}

// C12: the same bits for any number of threads.
TEST(LayerMotion, AnyNumberOfThreadsGivesTheSameBits) {
  Sim one(tumble(1));
  std::vector<std::uint64_t> bits;
  for (int k = 0; k < 150; ++k) one.step(), bits.push_back(one.state().hash());
  EXPECT_GT(one.contacts().size(), 20u);
  for (const int threads : {2, 3, 8, 64}) {
    Sim sim(tumble(threads));
    for (int k = 0; k < 150; ++k) {
      sim.step();
      ASSERT_EQ(sim.state().hash(), bits[at_index(k)]) << threads << " threads, step " << k;
    }
  }
}

// C12: from a file that was saved in the midst of it.
TEST(LayerMotion, ASavedStateGoesOnWithTheSameBits) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("haptos_layers_" + std::to_string(std::random_device{}()) + ".state");
  Sim sim(tumble(1));
  for (int k = 0; k < 90; ++k) sim.step();
  ASSERT_GT(sim.contacts().size(), 5u);
  sim.save(file.string());
  Sim other(tumble(1));
  other.load(file.string());
  std::filesystem::remove(file);
  for (int k = 0; k < 60; ++k) {
    sim.step(), other.step();
    ASSERT_EQ(sim.state().hash(), other.state().hash()) << "step " << k;
  }
}

int notes(const State& state, Note which) {
  int count = 0;
  for (const auto& [key, memory] : state.history)
    if (key.part_a == which) ++count;
  return count;
}

// What rests has its samples carried along from where they were found, which a state holds.
TEST(LayerMotion, ASavedStateAtRestGoesOnWithTheSameBits) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("haptos_rest_" + std::to_string(std::random_device{}()) + ".state");
  Scene s = test::layer_scene(2e-3);
  s.robots.push_back(layered("floor", floor_of(cut_plate(1, 1, 12, 0.3, 2))));
  for (int k = 0; k < 4; ++k) {
    LayeredBody cube;
    cube.mesh = cut_cube(0.1, 1 + 2 * k, 0.3, static_cast<unsigned>(k));
    cube.pose.p = {{0.002 * k, 0, 0.055 + 0.105 * k}};
    cube.pose.q = rotation_by({{0, 0, 0.2 * k}});
    s.robots.push_back(layered("cube" + std::to_string(k), cube));
  }
  Sim sim(s);
  for (int k = 0; k < 300; ++k) sim.step();
  ASSERT_GE(notes(sim.state(), kLayerPlace), 4);
  EXPECT_EQ(notes(sim.state(), kLayerPlace), notes(sim.state(), kLayerTurn));
  sim.save(file.string());
  Sim other(s);
  other.load(file.string());
  std::filesystem::remove(file);
  for (int k = 0; k < 200; ++k) {
    sim.step(), other.step();
    ASSERT_EQ(sim.state().hash(), other.state().hash()) << "step " << k;
  }
}

// A box that creeps over seams of a floor, and one that is let go: carried samples are found anew
// as it moves on, and the force stays its weight.
TEST(LayerMotion, WhatCreepsHasTheForceOfWhatIsFoundAnew) {
  const TriangleSoup cube(cut_cube(0.1, 5)), floor(cut_plate(1, 1, 40, 0.3, 3));
  LayerContacts contacts;
  const double width = 2.5e-3, little = 2e-4 * 2 * width;
  for (const double yaw : {0.0, 0.3}) {
    const StillPlace place{{{{0.0131, 0.0072, 0.054}}, rotation_by({{1e-3, 0, yaw}})}, 1e-3};
    const LayerSurface b{&floor, {{{0.3, -0.2, 0.1}}, rotation_by({{0.2, 0.5, -1}})}, width};
    StillSamples kept;
    const auto wrench_at = [&](const Pose& seen, bool anew) {
      const LayerSurface a{&cube, compose(b.pose, seen), width};
      std::vector<ContactSample> s;
      if (anew) {
        contacts.find(a, b, 1e-4, s);
      } else {
        kept.find(a, b, place, contacts);
        kept.carry(a, b, 1e-4, s);
      }
      return wrench_of(s);
    };
    ASSERT_NEAR(norm(wrench_at(place.pose, false).force - wrench_at(place.pose, true).force), 0,
                1e-12);
    for (int axis = 0; axis < 3; ++axis)
      for (const double sign : {-1.0, 1.0}) {
        Pose moved = place.pose;
        moved.p[axis] += 0.5 * sign * little;
        Vec3d turn = Vec3d::zero();
        turn[axis] = 0.5 * sign * little / 0.09;
        moved.q = normalized(rotation_by(turn) * moved.q);
        ASSERT_LE(largest_move(cube.box(), place.pose, moved), 1.3 * little);
        const LayerWrench carried = wrench_at(moved, false), anew = wrench_at(moved, true);
        EXPECT_TRUE(kept.usable);
        EXPECT_NEAR(norm(carried.force - anew.force) / anew.load, 0, 2e-5);
        EXPECT_LT(norm(carried.centre - anew.centre), 2 * little);
      }
  }
}

TEST(LayerMotion, NoTwoNotesOfAPairHaveOneNumber) {
  const std::set<int> all{kPointParting, kPointLifted, kLayerParting, kLayerSide,
                          kLayerPlace,   kLayerTurn,   kLoad};
  EXPECT_EQ(all.size(), 7u);
}

}  // namespace
}  // namespace haptos
