// An arch of 25 stones: a half ring of voussoirs between two held springers. It stands at a
// coefficient of friction of .5 and falls at .2: in a round arch as thick as a fifth of its radius
// the thrust leaves some joint at more than atan .2 whatever its line (Heyman: sliding at .31 to
// .4).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/geometry/mesh/mesh_edit.h"
#include "tests/scenes/start_energy.h"
#include "tests/scenes/watch.h"
#include "tests/support.h"

namespace haptos {
namespace {

constexpr double kInner = 0.9, kOuter = 1.1, kWidth = 0.2, kSupport = 1e-4;

// The part of the ring from angle a to b (0 along +x, upwards positive), about its middle, which is
// returned.
TriMesh voussoir(double a, double b, Vec3d& middle) {
  TriMesh m;
  for (const double y : {-0.5 * kWidth, 0.5 * kWidth})
    for (const double angle : {a, b})
      for (const double r : {kInner, kOuter})
        m.vertices.push_back({{r * std::cos(angle), y, r * std::sin(angle)}});
  middle = Vec3d::zero();
  for (const Vec3d& x : m.vertices) middle += x * 0.125;
  for (Vec3d& x : m.vertices) x = x - middle;
  // Corners: 0 inner a, 1 outer a, 2 inner b, 3 outer b; 4 to 7 the same at +y.
  m.triangles = {{{0, 1, 3}}, {{0, 3, 2}}, {{4, 7, 5}}, {{4, 6, 7}}, {{0, 5, 1}}, {{0, 4, 5}},
                 {{2, 3, 7}}, {{2, 7, 6}}, {{0, 2, 6}}, {{0, 6, 4}}, {{1, 5, 7}}, {{1, 7, 3}}};
  orient(m);
  return m;
}

Scene arch(int stones, double mu) {
  Scene s;
  s.sim.threads = 1;
  s.sim.dt = 0.01;
  s.contact.support = kSupport;
  s.newton.force_tolerance = 1e-5;
  s.newton.max_lag_passes = 200;
  s.newton.max_iterations = 1000;
  // Joints as wide as the support, almost: the weight closes them a little.
  const double joint = 0.97 * kSupport, each = (M_PI - (stones + 1) * joint) / stones;
  for (int i = 0; i < stones; ++i) {
    AffineBody b;
    b.name = "stone " + std::to_string(i);
    const double from = joint + i * (each + joint);
    b.surface = voussoir(from, from + each, b.pose.p);
    b.density = 2300;
    b.stiffness = 1e9;
    b.friction.sticking = mu;
    s.affine.push_back(b);
  }
  for (const double side : {-1.0, 1.0}) {
    PrescribedBody springer;
    springer.name = side < 0 ? "left" : "right";
    Vec3d middle;
    springer.surface = side < 0 ? voussoir(M_PI, M_PI + 0.2, middle) : voussoir(-0.2, 0, middle);
    springer.friction.sticking = mu;
    springer.trajectory = {{0.0, test::at_position(middle)}};
    s.prescribed.push_back(springer);
  }
  return s;
}

// Largest motion of any vertex of a stone between two times.
struct Result {
  double settled = 0, drift = 0, crown = 0, speed = 0;
};

Result run(int stones, double mu, double first, double last) {
  const Scene scene = arch(stones, mu);
  Sim sim(scene);
  test::Watch watch(sim);
  // A millionth: ten times what the residual of a step, 1e-5 of the load, does over its motion.
  const test::NoGain no_gain(scene, watch, 1e-6, 1e-6);
  auto corners = [&] {
    std::vector<Vec3d> all;
    for (int i = 0; i < stones; ++i)
      for (const Vec3d& x : sim.affine_positions("stone " + std::to_string(i))) all.push_back(x);
    return all;
  };
  auto largest = [](const std::vector<Vec3d>& a, const std::vector<Vec3d>& b) {
    double d = 0;
    for (std::size_t i = 0; i < a.size(); ++i) d = std::max(d, norm(a[i] - b[i]));
    return d;
  };
  Result r;
  const std::vector<Vec3d> start = corners();
  const double crown = watch.centre("stone " + std::to_string(stones / 2))[2];
  EXPECT_TRUE(watch.run_until(first));
  const std::vector<Vec3d> middle = corners();
  EXPECT_TRUE(watch.run_until(last));
  r.settled = largest(start, middle);
  r.drift = largest(middle, corners());
  r.speed = watch.speed();
  r.crown = crown - watch.centre("stone " + std::to_string(stones / 2))[2];
  const std::string name = "arch." + std::to_string(stones) + ".mu" + (mu > 0.3 ? "50" : "20");
  watch.print(name);
  no_gain.check(name.c_str());
  std::printf("FIGURE %s.settled = %.2e m\nFIGURE %s.drift = %.2e m\nFIGURE %s.crown = %.2e m\n",
              name.c_str(), r.settled, name.c_str(), r.drift, name.c_str(), r.crown);
  return r;
}

constexpr double kStone = 0.126;  // along the middle of a ring of 25 [m]

TEST(Arch, OfTwentyFiveStonesComesToRestAtAFrictionOfOneHalf) {
  const Result r = run(25, 0.5, 0.05, 0.1);
  EXPECT_LE(r.settled, 1e-2 * kStone);
  EXPECT_LE(r.drift, 1e-4 * kStone);
  EXPECT_LT(r.speed, 1e-3);
}

TEST(FullArch, OfTwentyFiveStonesStandsForTwentySecondsAtAFrictionOfOneHalf) {
  const Result r = run(25, 0.5, 1, 20);
  EXPECT_LE(r.settled, 1e-2 * kStone);
  EXPECT_LE(r.drift, 1e-2 * kStone);
  EXPECT_LT(r.speed, 1e-3);
}

TEST(FullArch, OfTwentyFiveStonesFallsAtAFrictionOfOneFifth) {
  const Result r = run(25, 0.2, 0.2, 1);
  EXPECT_GT(r.crown, 0.1);
}

}  // namespace
}  // namespace haptos
