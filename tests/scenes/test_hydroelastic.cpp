// Hydroelastic contact through the whole step: depths at rest, a period, friction that turns, and
// what does not matter: mass of what bears, the step, merged samples.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/layer_scenes.h"

namespace haptos {
namespace {

using test::body_state;
using test::kEarth;

struct Pressed {
  Shape shape;
  Pose pose;
  double mass = 1, hydroelastic = 1e7, friction = 0.5, relaxation_time = 0.01;
  Vec3d velocity{{0, 0, 0}}, omega{{0, 0, 0}};
  bool fixed = false;
};

RobotBody body(const std::string& name, const Pressed& given) {
  RobotShape s;
  s.name = "shape";
  s.shape = given.shape;
  RobotContact c;
  c.name = name;
  c.pose = given.pose;
  c.friction = given.friction;
  c.hydroelastic = given.hydroelastic;
  c.relaxation_time = given.relaxation_time;
  RigidSpec r;
  r.mass = given.fixed ? 0 : given.mass;
  r.velocity = given.velocity;
  r.angular_velocity = given.omega;
  r.fixed = given.fixed;
  return rigid_body(c, {s}, r);
}

Shape shape(ShapeKind kind, const Vec3d& size) {
  Shape s;
  s.kind = kind, s.size = size;
  return s;
}
Shape cube() { return shape(ShapeKind::kBox, {{0.05, 0.05, 0.05}}); }
Shape ball() { return shape(ShapeKind::kSphere, {{0.05, 0, 0}}); }
Pose up(double z) { return {{{0, 0, z}}, {}}; }

Scene ground(double dt, double modulus) {
  Scene s = test::layer_scene(dt);
  s.newton.force_tolerance = 1e-6;
  HalfSpace h;
  h.name = "ground";
  h.hydroelastic = modulus;
  h.friction = Friction{0.5};
  s.half_spaces.push_back(h);
  return s;
}

void run(Sim& sim, double seconds) {
  const auto steps = std::lround(seconds / sim.scene().sim.dt);
  for (long k = 0; k < steps; ++k) {
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u) << describe_status(r.status());
  }
}

double depth(const Shape& s, double modulus, double other, double dt, double mass = 1) {
  Scene scene = ground(dt, other);
  Pressed b;
  b.shape = s, b.pose = up(0.05 - 1e-4), b.hydroelastic = modulus, b.mass = mass;
  b.friction = 0;  // it would bear part of what sinks into a bowl
  scene.robots.push_back(body("body", b));
  Sim sim(scene);
  run(sim, 1.5);
  EXPECT_LT(norm(body_state(sim, "body").velocity), 2e-4);
  return 0.05 - body_state(sim, "body").pose.p[2];
}

// Depths of 1 kg: 9.81 N over the forces of closed forms, solved for the depth.
TEST(Hydroelastic, DepthsAtRestAreThoseOfTheWeight) {
  struct Row {
    double k, box, ball, rigid;
  };
  for (const Row& r : {Row{1e6, 2.001805e-3, 1.190749e-2, 8.385332e-3},
                       Row{1e7, 1.965862e-4, 3.599565e-3, 2.542515e-3},
                       Row{1e9, 1.962038e-6, 3.540460e-4, 2.503229e-4}}) {
    const double box = depth(cube(), r.k, r.k, 5e-3), on = depth(ball(), r.k, r.k, 5e-3),
                 rigid = depth(ball(), r.k, 0, 5e-3);
    std::printf(
        "FIGURE hydroelastic.rest.k%g = %.3f %% %.3f %% %.3f %% (box, ball, ball on rigid)\n", r.k,
        100 * (box / r.box - 1), 100 * (on / r.ball - 1), 100 * (rigid / r.rigid - 1));
    EXPECT_NEAR(box, r.box, 5e-3 * r.box);
    EXPECT_NEAR(on, r.ball, 5e-3 * r.ball);
    EXPECT_NEAR(rigid, r.rigid, 5e-3 * r.rigid);
  }
}

TEST(Hydroelastic, DepthDoesNotDependOnTheStepNorOnTheMassOfWhatBears) {
  for (const double dt : {5e-4, 1e-2})
    EXPECT_NEAR(depth(ball(), 1e8, 1e8, dt), 1.123942e-3, 5e-3 * 1.124e-3);
  for (const double mass : {0.1, 1000.0}) {
    Scene scene = ground(2e-3, 0);
    Pressed under, on;
    under.shape = shape(ShapeKind::kBox, {{0.2, 0.2, 0.05}});
    under.pose = up(0.05), under.mass = mass, under.hydroelastic = 1e8;
    on.shape = ball(), on.pose = up(0.149), on.hydroelastic = 1e8;
    on.friction = 0;
    scene.robots.push_back(body("under", under));
    scene.robots.push_back(body("on", on));
    Sim sim(scene);
    run(sim, 2);
    const double between =
        0.1 - (body_state(sim, "on").pose.p[2] - body_state(sim, "under").pose.p[2]);
    EXPECT_NEAR(between, 1.123942e-3, 5e-3 * 1.124e-3) << mass;
  }
}

// A cube of 1 kg on a rigid plane: 981 Pa but for the rim, which the second line of the table
// bears.
TEST(Hydroelastic, ATableOfPressuresHoldsAWeight) {
  const PressureLaw law("law", {{1e-3, 5e2}, {2e-3, 2e3}});
  constexpr double kSide = 0.1;
  // Pressure at a place of the plane: of its distance to the nearest side of the cube too.
  const auto force = [&](double d) {
    double f = law.pressure(d) * (kSide - 2 * d) * (kSide - 2 * d);
    constexpr int kParts = 1000;
    for (int i = 0; i < kParts; ++i) {
      const double x = d * (i + 0.5) / kParts;
      f += law.pressure(x) * 4 * (kSide - 2 * x) * d / kParts;
    }
    return f;
  };
  for (const double dt : {1e-3, 1e-2}) {
    Scene scene = ground(dt, 0);
    Pressed b;
    b.shape = cube(), b.pose = up(0.05 - 1e-4), b.friction = 0;
    scene.robots.push_back(body("body", b));
    scene.robots.back().hydroelastic = law;
    Sim sim(scene);
    run(sim, 1.5);
    const double depth = 0.05 - body_state(sim, "body").pose.p[2];
    EXPECT_NEAR(force(depth), 9.81, 5e-3 * 9.81) << dt;
    EXPECT_GT(depth, 1e-3);
  }
}

// omega = sqrt(lambda A / m): a box on a body of the same modulus, without dissipation.
TEST(Hydroelastic, ABoxBouncesWithThePeriodOfItsPressure) {
  Scene scene = ground(1e-4, 1e6);
  Pressed b;
  b.shape = cube(), b.pose = up(0.05 - 1.5e-3), b.hydroelastic = 1e6, b.relaxation_time = 0,
  b.friction = 0;
  scene.robots.push_back(body("body", b));
  Sim sim(scene);
  std::vector<double> turns;  // times at which it is lowest
  double last = 0;
  for (int k = 0; k < 4000; ++k) {
    sim.step();
    const double v = body_state(sim, "body").velocity[2];
    if (last < 0 && v >= 0) turns.push_back(1e-4 * (k + 1));
    last = v;
  }
  ASSERT_GE(turns.size(), 4u);
  const double period = (turns[3] - turns[0]) / 3;
  std::printf("FIGURE hydroelastic.period = %.3f ms (exact 88.9)\n", 1e3 * period);
  EXPECT_NEAR(period, 2 * std::numbers::pi / 70.7107, 0.03 * 0.0889);
}

// alpha = 4 mu g / (3 R) on an even pressure. Returns the time that it turns for.
double spin(int most_samples, bool mesh) {
  Scene scene = ground(2e-4, 0);
  scene.point_contact.most_samples = most_samples;
  Pressed b;
  b.shape = shape(ShapeKind::kCylinder, {{0.02, 0.02, 0}});
  if (mesh) {
    b.shape.kind = ShapeKind::kMesh;
    b.shape.mesh = std::make_shared<TriMesh>(cylinder(0.02, 0.04, 0.001));
  }
  b.hydroelastic = 1e8, b.omega = {{0, 0, 10}};
  b.pose = up(0.02 - kEarth / (1e8 * std::numbers::pi * 4e-4));
  scene.robots.push_back(body("body", b));
  Sim sim(scene);
  run(sim, 0.02);
  const double now = body_state(sim, "body").omega[2];
  return 0.02 * 10 / (10 - now);
}

TEST(Hydroelastic, ASpinningCylinderStopsAsItsPatchSays) {
  const double exact = 3 * 0.02 * 10 / (4 * 0.5 * kEarth);
  const double all = spin(0, false), merged = spin(200, false), mesh = spin(200, true);
  std::printf("FIGURE hydroelastic.spin = %.3f %% %.3f %% %.3f %% (all, merged, mesh merged)\n",
              100 * (all / exact - 1), 100 * (merged / exact - 1), 100 * (mesh / exact - 1));
  EXPECT_NEAR(all, exact, 0.02 * exact);
  EXPECT_NEAR(merged, all, 0.02 * all);
  EXPECT_NEAR(mesh, exact, 0.04 * exact);
}

// Stiff, so that it does not pitch: on 1e7 Pa/m its front sinks by half a degree.
TEST(Hydroelastic, ASlidingBoxStopsWhereCoulombSays) {
  Scene scene = ground(2.5e-4, 1e9);
  Pressed b;
  b.shape = cube(), b.pose = up(0.05 - 1.962038e-6), b.velocity = {{1, 0, 0}};
  b.hydroelastic = 1e9;
  scene.robots.push_back(body("body", b));
  Sim sim(scene);
  run(sim, 0.25);
  const double way = 1 / (2 * 0.5 * kEarth);
  EXPECT_NEAR(body_state(sim, "body").pose.p[0], way, 5e-3 * way);
  EXPECT_LT(norm(body_state(sim, "body").velocity), 1e-6);
}

TEST(Hydroelastic, ForceIsTheWeightAndTheContactsOfASampledMeshTellIt) {
  Scene scene = ground(2e-3, 1e7);
  Pressed b;
  b.shape.kind = ShapeKind::kMesh;
  b.shape.mesh = std::make_shared<TriMesh>(icosphere(0.05, 0.004));
  b.pose = up(0.047);
  scene.robots.push_back(body("body", b));
  Sim sim(scene);
  run(sim, 1);
  Vec3d force = Vec3d::zero();
  for (const ContactPoint& p : sim.contacts()) force += p.force;
  EXPECT_NEAR(std::abs(force[2]), kEarth, 1e-3);
  EXPECT_NEAR(0.05 - body_state(sim, "body").pose.p[2], 3.599565e-3, 0.03 * 3.6e-3);
}

// How deep a body of 1 kg gets in rigid ground that falls from .1 m [m].
double deepest_of_drop(const Shape& s, double modulus, double dt) {
  Scene scene = ground(dt, 0);
  Pressed b;
  b.shape = s, b.pose = up(0.15), b.hydroelastic = modulus;
  scene.robots.push_back(body("body", b));
  Sim sim(scene);
  double low = 1;
  for (int k = 0; k < std::lround(0.25 / dt); ++k) {
    sim.step();
    low = std::min(low, body_state(sim, "body").pose.p[2]);
  }
  return 0.05 - low;
}

// Of a box, x'' = -k (x + tau x') from x' = v.
double deepest_of_box(double modulus) {
  const double k = modulus * 0.01, tau = 0.01, v = std::sqrt(2 * kEarth * 0.1);
  const double root = std::sqrt(0.25 * k * k * tau * tau - k);
  const double slow = -0.5 * k * tau + root, fast = -0.5 * k * tau - root;
  const double t = std::log(fast / slow) / (slow - fast);
  return v * (std::exp(slow * t) - std::exp(fast * t)) / (slow - fast);
}

TEST(Hydroelastic, ADropIsAsDeepForAnyStep) {
  Shape mesh;
  mesh.kind = ShapeKind::kMesh, mesh.mesh = std::make_shared<TriMesh>(box({{0.1, 0.1, 0.1}}));
  for (const double modulus : {1e7, 1e8}) {
    // By the overlap that the first step happens to find it would be up to 14 mm.
    const double exact = deepest_of_box(modulus), round = deepest_of_drop(ball(), modulus, 5e-4);
    double worst = 0, worst_ball = 0;
    for (const double dt : {5e-4, 2e-3, 5e-3, 1e-2}) {
      worst = std::max(worst, std::abs(deepest_of_drop(cube(), modulus, dt) / exact - 1));
      worst_ball = std::max(worst_ball, std::abs(deepest_of_drop(ball(), modulus, dt) / round - 1));
    }
    std::printf(
        "FIGURE hydroelastic.drop.k%g = %.1f %% %.1f %% (box of %.3f mm, ball of %.3f mm)\n",
        modulus, 100 * worst, 100 * worst_ball, 1e3 * exact, 1e3 * round);
    EXPECT_LT(worst, 0.25);
    EXPECT_LT(worst_ball, 0.25);
    EXPECT_NEAR(deepest_of_drop(mesh, modulus, 1e-2), exact, 0.25 * exact);
  }
}

TEST(Hydroelastic, WhatPassesIsNotTouched) {
  for (const double clear : {1e-3, 1e-2})
    for (const double dt : {1e-3, 1e-2}) {
      Scene scene = test::layer_scene(dt);
      scene.sim.gravity_z = 0;
      Pressed fixed, flies;
      fixed.shape = flies.shape = cube(), fixed.fixed = true;
      flies.velocity = {{5, 0, 0}};
      flies.pose = {{{-0.505, 0.013, 0.1 + clear}}, {}};
      scene.robots.push_back(body("fixed", fixed));
      scene.robots.push_back(body("flies", flies));
      Sim sim(scene);
      run(sim, 0.2);
      EXPECT_LT(norm(body_state(sim, "flies").velocity - flies.velocity), 1e-9);
    }
}

TEST(Hydroelastic, WhatIsFastStopsAtAPlateThatIsThinnerThanItsWay) {
  for (const double thick : {0.02, 0.004}) {
    Scene scene = test::layer_scene(0.01);
    scene.sim.gravity_z = 0;
    Pressed plate, shot;
    plate.shape = shape(ShapeKind::kBox, {{0.3, 0.3, 0.5 * thick}});
    plate.fixed = true, plate.hydroelastic = 1e9;
    shot.shape = ball(), shot.pose = up(0.12), shot.velocity = {{0, 0, -8}};
    shot.hydroelastic = 1e9;
    scene.robots.push_back(body("plate", plate));
    scene.robots.push_back(body("shot", shot));
    Sim sim(scene);
    run(sim, 0.1);
    EXPECT_GT(body_state(sim, "shot").pose.p[2], 0.045) << thick;
  }
}

// A rod with balls at its ends, as one mesh: its box is thicker than the rod.
Shape limbs() {
  TriMesh mesh = capsule(4e-3, 0.08, 1.5e-3);  // along z
  const TriMesh end = icosphere(0.02, 4e-3);
  for (const double z : {-0.05, 0.05}) {
    const auto first = static_cast<int>(mesh.vertices.size());
    for (const Vec3d& v : end.vertices) mesh.vertices.push_back(v + Vec3d{{0, 0, z}});
    for (const Vec3i& t : end.triangles)
      mesh.triangles.push_back({{t[0] + first, t[1] + first, t[2] + first}});
  }
  Shape s;
  s.kind = ShapeKind::kMesh, s.mesh = std::make_shared<TriMesh>(mesh);
  return s;
}

// Rods that cross, 22 mm a step: by the patches at a look that is deep they would be pushed apart
// sideways, or not at all.
TEST(Hydroelastic, LimbsThatAreThinnerThanTheirWayStopEachOther) {
  double worst = 0;
  for (int k = 0; k < 12; ++k) {
    Scene scene = test::layer_scene(0.005);
    scene.sim.gravity_z = 0;
    Pressed fixed, falls;
    fixed.shape = falls.shape = limbs(), fixed.fixed = true;
    fixed.hydroelastic = falls.hydroelastic = 1e9;
    falls.mass = 0.03, falls.velocity = {{0, 0, -4.4}};
    const double half = std::sqrt(0.5);
    fixed.pose = {{{0, 0, 0}}, {half, half, 0, 0}};                // along y
    falls.pose = {{{0, 0, 0.05 + 2e-3 * k}}, {half, 0, half, 0}};  // along x
    scene.robots.push_back(body("fixed", fixed));
    scene.robots.push_back(body("falls", falls));
    for (RobotBody& b : scene.robots) b.field_resolution = 128;
    Sim sim(scene);
    double deepest = 0;
    for (int n = 0; n < 20; ++n) {
      const StepReport r = sim.step();
      EXPECT_EQ(r.status(), 0u) << k << " " << describe_status(r.status());
      deepest = std::max(deepest, 8e-3 - body_state(sim, "falls").pose.p[2]);
    }
    worst = std::max(worst, deepest);
  }
  std::printf("FIGURE hydroelastic.limbs = %.2f mm deep\n", 1e3 * worst);
  EXPECT_LT(worst, 2e-3);  // half of what a rod has to its middle
}

// Two rods with one axis through the other: nothing parts them, and the report says so.
TEST(Hydroelastic, TheStatusTellsOfBodiesThatAreInEachOtherPastTheMiddle) {
  for (const double apart : {0.0, 6e-3}) {
    Scene scene = test::layer_scene(0.005);
    scene.sim.gravity_z = 0;
    Pressed fixed, on;
    fixed.shape = on.shape = limbs(), fixed.fixed = true;
    const double half = std::sqrt(0.5);
    fixed.pose = {{{0, 0, 0}}, {half, half, 0, 0}};
    on.pose = {{{0, 0, apart}}, {half, 0, half, 0}};
    scene.robots.push_back(body("fixed", fixed));
    scene.robots.push_back(body("on", on));
    Sim sim(scene);
    const StepReport r = sim.step();
    EXPECT_EQ(r.past_middle, apart == 0 ? 1 : 0);
    EXPECT_EQ((r.status() & kPastMiddle) != 0, apart == 0);
  }
}

// Cubes that stand on each other: how far the highest one moves sideways in .4 s, and how far
// off its height is, both in parts of a side.
std::array<double, 2> stack_moves(double side, bool as_meshes) {
  Scene scene = ground(0.005, 0);
  constexpr int kCubes = 3;
  const double mass = 1000 * side * side * side, k = 1e4 * mass * kEarth / (side * side * side);
  double sinks = 0;
  for (int n = 0; n < kCubes; ++n) {
    Pressed b;
    b.shape = as_meshes ? Shape() : shape(ShapeKind::kBox, Vec3d{{1, 1, 1}} * (0.5 * side));
    if (as_meshes) {
      b.shape.kind = ShapeKind::kMesh;
      b.shape.mesh = std::make_shared<TriMesh>(box(Vec3d{{1, 1, 1}} * side));
    }
    b.pose = up((n + 0.5) * side), b.mass = mass, b.hydroelastic = k;
    scene.robots.push_back(body("cube" + std::to_string(n), b));
    // The weight above over k A, or over k A / 2 between two of them.
    sinks += (kCubes - n) * mass * kEarth / (k * side * side) * (n == 0 ? 1 : 2);
  }
  Sim sim(scene);
  run(sim, 0.4);
  const auto top = body_state(sim, "cube2");
  return {std::hypot(top.pose.p[0], top.pose.p[1]) / side,
          std::abs(top.pose.p[2] + sinks - (kCubes - 0.5) * side) / side};
}

TEST(Hydroelastic, StacksOfCubesOfAMetreAndOfACentimetreStand) {
  for (const bool as_meshes : {false, true})
    for (const double side : {1.0, 0.01}) {
      const auto [aside, off] = stack_moves(side, as_meshes);
      std::printf("FIGURE hydroelastic.stack.%g.%s = %.2g %.2g of a side (aside, height)\n", side,
                  as_meshes ? "meshes" : "boxes", aside, off);
      // Cubes as meshes have slightly round edges, and sink by some hundredths more.
      EXPECT_LT(aside, as_meshes ? 1e-3 : 1e-6);
      EXPECT_LT(off, as_meshes ? 1e-4 : 1e-5);
    }
}

// A thin disc under even pressure that slides at v and spins: means over it of how fast friction
// slows v and R omega, over mu g. Its points move with (v - omega y, omega x).
std::array<double, 2> disc_slows(double v, double spin) {
  constexpr int kRings = 40, kAround = 80;
  std::array<double, 2> mean{0, 0};
  for (int i = 0; i < kRings; ++i)
    for (int j = 0; j < kAround; ++j) {
      const double r = (i + 0.5) / kRings, a = 2 * std::numbers::pi * (j + 0.5) / kAround;
      const double x = r * std::cos(a), y = r * std::sin(a);
      const double ux = v - spin * y, uy = spin * x, u = std::hypot(ux, uy);
      const double part = 2 * r / (kRings * kAround);
      mean[0] += part * ux / u;
      mean[1] += 2 * part * (x * uy - y * ux) / u;  // over I = m R^2 / 2
    }
  return mean;
}

TEST(Hydroelastic, ADiscSlidesAndSpinsAsTheSumOverItsPointsSays) {
  constexpr double kRadius = 0.05, kFriction = 0.25, kStep = 5e-4;
  for (const double ratio : {0.3, 2.0}) {
    Scene scene = ground(kStep, 0);
    Pressed disc;
    disc.shape = shape(ShapeKind::kCylinder, {{kRadius, 5e-4, 0}});
    disc.pose = up(5e-4 - 1.25e-8), disc.hydroelastic = 1e10, disc.mass = 0.1;
    disc.friction = kFriction;
    disc.omega = {{0, 0, 10}}, disc.velocity = {{ratio * kRadius * 10, 0, 0}};
    scene.robots.push_back(body("disc", disc));
    Sim sim(scene);
    double v = disc.velocity[0], spin = kRadius * 10, worst = 0;
    const double start = std::hypot(v, spin);
    for (int k = 0; k < 400 && std::hypot(v, spin) > 0.05 * start; ++k) {
      constexpr int kParts = 4;
      for (int part = 0; part < kParts; ++part) {
        const auto slows = disc_slows(v, spin);
        v -= kStep / kParts * kFriction * kEarth * slows[0];
        spin -= kStep / kParts * kFriction * kEarth * slows[1];
      }
      sim.step();
      const auto now = body_state(sim, "disc");
      worst = std::max(worst, std::hypot(now.velocity[0] - v, kRadius * now.omega[2] - spin));
    }
    std::printf(
        "FIGURE hydroelastic.disc.%g = %.2f %% of the speed at the start, v / (R omega) = %.3f "
        "at last\n",
        ratio, 100 * worst / start, v / spin);
    EXPECT_LT(worst, 0.01 * start) << ratio;
  }
}

}  // namespace
}  // namespace haptos
