// Material points in scenes: what transfers and steps keep, and what they leave behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

#include "haptos/base/parallel.h"
#include "haptos/bodies/particles/particle_grid.h"
#include "haptos/scene/rigid.h"
#include "haptos/sim/model/model.h"
#include "tests/support.h"

namespace haptos {
namespace {

MaterialPoints block(const std::string& name, const Vec3d& at) {
  MaterialPoints b;
  b.name = name;
  b.shape.shape.kind = ShapeKind::kBox;
  b.shape.shape.size = {{0.05, 0.05, 0.05}};
  b.pose.p = at;
  b.cell = 0.025;
  return b;
}

Scene falling() {
  Scene s;
  s.sim.dt = 0.01;
  s.material_points.push_back(block("dough", {{0.013, 0.002, 0.1}}));
  s.material_points[0].velocity = {{0.4, -0.2, 0.3}};
  s.material_points[0].angular_velocity = {{2, -1, 3}};
  return s;
}

struct Motion {
  double mass = 0;
  Vec3d momentum = Vec3d::zero(), spin = Vec3d::zero();
};

// Of points with their own spin: m (C - C^T) h^2/4 as an axial vector.
Motion motion_of(const Sim& sim, double cell) {
  Motion all;
  const State& s = sim.state();
  const MaterialView v = sim.material_points("dough");
  for (std::size_t i = 0; i < v.position.size(); ++i) {
    const double* C = s.q.data() + ParticleGrid::kStride * i + ParticleGrid::kC;
    all.mass += v.mass;
    all.momentum += v.mass * v.velocity[i];
    all.spin += v.mass * cross(v.position[i], v.velocity[i]);
    const double inertia = v.mass * cell * cell / 4;
    all.spin += inertia * Vec3d{{C[7] - C[5], C[2] - C[6], C[3] - C[1]}};
  }
  return all;
}

TEST(MaterialPoints, WithoutForcesMassAndMomentumStayToRounding) {
  Scene s = falling();
  s.sim.gravity_z = 0;
  s.material_points[0].yield_stress = 500;
  Sim sim(s);
  const Motion start = motion_of(sim, 0.025);
  EXPECT_NEAR(start.mass, 1, 1e-12);
  for (int k = 0; k < 50; ++k) {
    const Motion before = motion_of(sim, 0.025);
    ASSERT_EQ(sim.step().status(), 0u);
    const Motion after = motion_of(sim, 0.025);
    EXPECT_EQ(after.mass, start.mass);
    EXPECT_LT(norm(after.momentum - before.momentum), 1e-12 * norm(start.momentum)) << k;
  }
}

// The first step of a body at rest in itself has no stress: what changes is the transfers alone.
TEST(MaterialPoints, TransfersKeepAngularMomentumToRounding) {
  Scene s = falling();
  s.sim.gravity_z = 0;
  s.sim.dt = 1e-6;
  s.material_points[0].young = 1;  // nothing pushes
  Sim sim(s);
  const Motion start = motion_of(sim, 0.025);
  sim.step();
  const Motion after = motion_of(sim, 0.025);
  EXPECT_LT(norm(after.spin - start.spin), 1e-12 * norm(start.spin));
}

TEST(MaterialPoints, AnAffineFieldOfVelocitiesGoesToTheGridAndBack) {
  Scene s = falling();
  s.sim.gravity_z = 0;
  s.sim.dt = 1e-6;
  s.material_points[0].young = 1;
  Sim sim(s);
  State state = sim.state();
  const Mat3d A = {{1, 2, -1, 0.5, -3, 0.2, 0.7, 1, 2}};
  const Vec3d b = {{0.1, 0.2, -0.4}};
  const int n = static_cast<int>(state.q.size()) / ParticleGrid::kStride;
  for (int i = 0; i < n; ++i) {
    double* q = state.q.data() + ParticleGrid::kStride * i;
    const Vec3d v = A * Vec3d{{q[0], q[1], q[2]}} + b;
    std::copy_n(v.a, 3, q + ParticleGrid::kV);
    std::copy_n(A.a, 9, q + ParticleGrid::kC);
  }
  sim.set_state(state);
  sim.step();
  for (int i = 0; i < n; ++i) {
    const double* was = state.q.data() + ParticleGrid::kStride * i;
    const double* is = sim.state().q.data() + ParticleGrid::kStride * i;
    for (int c = 0; c < 3; ++c)
      EXPECT_NEAR(is[ParticleGrid::kV + c], was[ParticleGrid::kV + c], 1e-9);
    for (int c = 0; c < 9; ++c) EXPECT_NEAR(is[ParticleGrid::kC + c], A.a[c], 1e-7);
    for (int c = 0; c < 9; ++c)
      EXPECT_NEAR(is[ParticleGrid::kF + c], (c % 4 == 0) + 1e-6 * A.a[c], 1e-12);
  }
}

// The spread over the grid turns too: m h^2 / 2 about each axis.
TEST(MaterialPoints, EnergiesOfAStepAreThoseOfTheMotionAndTheHeight) {
  Scene s = falling();
  s.sim.dt = 1e-6;
  Sim sim(s);
  const MaterialView v = sim.material_points("dough");
  Vec3d centre = Vec3d::zero();
  const double part = 1.0 / static_cast<double>(v.position.size());
  for (const Vec3d& x : v.position) centre += part * x;
  const Vec3d spin = s.material_points[0].angular_velocity;
  double kinetic = 0.5 * squared_norm(s.material_points[0].velocity);
  for (const Vec3d& x : v.position) kinetic += 0.5 * part * squared_norm(cross(spin, x - centre));
  kinetic += 0.25 * 0.025 * 0.025 * squared_norm(spin);
  const StepReport r = sim.step();
  EXPECT_NEAR(r.kinetic, kinetic, 1e-4 * kinetic);
  EXPECT_NEAR(r.potential, 9.81 * centre[2], 1e-5);
}

TEST(MaterialPoints, WhatFallsFreelyFallsAsAnyBodyDoes) {
  Sim sim(falling());
  const MaterialView start = sim.material_points("dough");
  Vec3d fell = Vec3d::zero(), drift = Vec3d::zero();
  for (int k = 0; k < 20; ++k) ASSERT_EQ(sim.step().status(), 0u);
  const MaterialView end = sim.material_points("dough");
  for (std::size_t i = 0; i < end.position.size(); ++i) {
    const double part = 1.0 / static_cast<double>(end.position.size());
    fell += part * (end.position[i] - start.position[i]);
    drift += part * start.velocity[i];
  }
  EXPECT_NEAR(motion_of(sim, 0.025).mass, 1, 1e-12);
  // Of implicit Euler: g h^2 n (n + 1) / 2.
  const Vec3d way = 0.2 * drift + Vec3d{{0, 0, -9.81 * 1e-4 * 20 * 21 / 2}};
  EXPECT_LT(norm(fell - way), 1e-9);
}

Scene on_a_floor() {
  Scene s = falling();
  s.material_points[0].yield_stress = 2000;
  MaterialPoints syrup = block("syrup", {{0.2, 0, 0.06}});
  syrup.yield_stress = 20;
  syrup.viscosity = 5;
  s.material_points.push_back(syrup);
  HalfSpace floor;
  floor.name = "floor";
  s.half_spaces.push_back(floor);
  return s;
}

TEST(MaterialPoints, AnyNumberOfThreadsGivesTheSameBits) {
  std::uint64_t hash[3] = {};
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    Scene s = on_a_floor();
    Sim sim(s);
    for (int k = 0; k < 12; ++k) sim.step();
    hash[threads - 1] = sim.state().hash();
  }
  set_thread_count(0);
  EXPECT_EQ(hash[0], hash[1]);
  EXPECT_EQ(hash[0], hash[2]);
}

TEST(MaterialPoints, ASavedRunGoesOnAsIfItHadNotStopped) {
  Sim sim(on_a_floor());
  for (int k = 0; k < 8; ++k) sim.step();
  std::stringstream saved;
  save_state(sim.state(), sim.model_hash(), saved);
  for (int k = 0; k < 4; ++k) sim.step();
  Sim other(sim.model());
  other.set_state(load_state(saved.str(), other.model_hash(), "saved"));
  for (int k = 0; k < 4; ++k) other.step();
  EXPECT_EQ(sim.state().hash(), other.state().hash());
  sim.reset();
  EXPECT_EQ(sim.state().hash(), Sim(sim.model()).state().hash());
}

// Environments of one model are runs of their own: a point that is out of all bounds in one is told
// there, and the other keeps its bits.
TEST(MaterialPoints, WhatRunsAwayIsToldAndStaysInItsEnvironment) {
  for (const double speed : {1e6, 1e100, 1e300}) {
    Sim alone(on_a_floor()), other(alone.model()), broken(alone.model());
    for (Sim* sim : {&alone, &other, &broken}) sim->step();
    State state = broken.state();
    state.q[ParticleGrid::kV] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_NE(test::refusal([&] { broken.set_state(state); }).find("must be finite"),
              std::string::npos);
    state.q[ParticleGrid::kV] = speed;
    broken.set_state(state);
    EXPECT_NE(broken.step().status(), 0u) << speed;
    for (Sim* sim : {&alone, &other}) sim->step();
    EXPECT_EQ(other.state().hash(), alone.state().hash());
    EXPECT_EQ(other.step().status(), 0u);
  }
}

// A step in which points would go farther than a cell is taken in parts.
TEST(MaterialPoints, FastPointsTakeAStepInParts) {
  Scene s = falling();
  s.sim.gravity_z = 0;
  s.material_points[0].angular_velocity = Vec3d::zero();
  s.material_points[0].velocity = {{10.1, 0, 0}};
  Sim sim(s);
  const StepReport r = sim.step();
  EXPECT_EQ(r.parts, 5);  // 101 mm by 25 mm
  EXPECT_NEAR(sim.material_points("dough").velocity[0][0], 10.1, 1e-12);
}

// Two blocks of one grid on both sides of a plate of 1 mm, of which one slides along it.
Scene parted(double thick, double down = 0) {
  Scene s;
  s.sim.dt = 0.01;
  s.sim.gravity_z = 0;
  for (const int side : {-1, 1}) {
    MaterialPoints b = block(side < 0 ? "left" : "right", {{0, side * (0.05 + thick / 2), 0}});
    b.grid = "both";
    b.seeding = 1;  // so that none is nearer to the plate than half a spacing
    b.friction = 0;
    s.material_points.push_back(b);
  }
  s.material_points[0].velocity = {{0.3, 0, 0.1}};
  RobotShape plate;
  plate.shape.kind = ShapeKind::kBox;
  plate.shape.size = {{0.5, 0.5 * thick, 0.5}};
  RobotContact contact;
  contact.name = "plate";
  contact.friction = 0;
  contact.pose.p[2] = down;
  RigidSpec fixed;
  fixed.fixed = true;
  s.robots.push_back(rigid_body(contact, {plate}, fixed));
  return s;
}

TEST(MaterialPoints, TheTwoSidesOfAThinPlateExchangeNoMomentum) {
  Sim sim(parted(0.001));
  const std::vector<Vec3d> start = sim.material_points("right").position;
  for (int k = 0; k < 30; ++k) ASSERT_EQ(sim.step().status(), 0u);
  const MaterialView left = sim.material_points("left"), right = sim.material_points("right");
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_EQ(norm(right.position[i] - start[i]), 0);
  for (const Vec3d& v : left.velocity) EXPECT_LT(norm(v - Vec3d{{0.3, 0, 0.1}}), 1e-9);
  // Without the plate they stick to each other.
  Scene s = parted(0.001);
  s.robots.clear();
  Sim stuck(s);
  for (int k = 0; k < 30; ++k) ASSERT_EQ(stuck.step().status(), 0u);
  EXPECT_GT(stuck.material_points("right").velocity[0][0], 0.05);
}

TEST(MaterialPoints, PartedGridsKeepTheirBitsForAnyNumberOfThreads) {
  std::uint64_t hash[2] = {};
  for (const int threads : {1, 3}) {
    set_thread_count(threads);
    // A knife that ends in the middle of both, so that some nodes are shared.
    Scene s = parted(0.001, 0.5);
    s.material_points[1].velocity = {{0, -0.5, 0}};
    Sim sim(s);
    for (int k = 0; k < 10; ++k) ASSERT_EQ(sim.step().status(), 0u);
    hash[threads / 2] = sim.state().hash();
  }
  set_thread_count(0);
  EXPECT_EQ(hash[0], hash[1]);
}

TEST(MaterialPoints, WhatIsHardlyMeantIsTold) {
  Scene s = falling();
  EXPECT_TRUE(find_warnings(*compile(s)).empty());
  s.material_points.push_back(block("clay", {{0.3, 0, 0.1}}));
  EXPECT_TRUE(find_warnings(*compile(s)).empty());  // bodies on two grids touch
  s.material_points[0].points_per_cell = 2;
  s.material_points[1].cell = 0.08;
  const std::vector<std::string> told = find_warnings(*compile(s));
  ASSERT_EQ(told.size(), 2u);
  EXPECT_NE(told[0].find("2 points in a cell"), std::string::npos);
  EXPECT_NE(told[1].find("1.25 cells thick"), std::string::npos);
}

TEST(MaterialPoints, BodiesThatStartInEachOtherAreTold) {
  Scene s = falling();
  s.material_points.push_back(s.material_points[0]);
  s.material_points[1].name = "clay";
  const double side = 0.1;
  for (const double deep : {0.04, 0.0}) {
    s.material_points[1].pose.p = s.material_points[0].pose.p + Vec3d{{side - deep, 0, 0}};
    const std::vector<std::string> told = find_warnings(*compile(s));
    ASSERT_EQ(told.size(), deep > 0 ? 1u : 0u) << deep;
    if (deep > 0)
      EXPECT_NE(told[0].find("\"dough\" and \"clay\" are in each other"), std::string::npos)
          << told[0];
  }
  s.material_points[1].pose.p = s.material_points[0].pose.p + Vec3d{{side - 0.04, 0, 0}};
  s.material_points[0].grid = s.material_points[1].grid = "both";
  EXPECT_TRUE(find_warnings(*compile(s)).empty());
}

TEST(MaterialPoints, ABodyWithoutAnInsideIsNamed) {
  Scene s = falling();
  PrescribedBody sheet = test::mount("sheet");
  sheet.surface.vertices = {{{-1, -1, 0}}, {{1, -1, 0}}, {{1, 1, 0}}, {{-1, 1, 0}}};
  sheet.surface.triangles = {{{0, 1, 2}}, {{0, 2, 3}}};
  s.prescribed.push_back(sheet);
  s.prescribed.push_back(test::mount("mount"));  // has no surface, and nothing to touch
  const std::vector<std::string> told = find_warnings(*compile(s));
  EXPECT_EQ(std::count_if(told.begin(), told.end(),
                          [](const std::string& t) {
                            return t.find("\"dough\" passes through \"sheet\"") == 0;
                          }),
            1);
  EXPECT_TRUE(std::none_of(told.begin(), told.end(), [](const std::string& t) {
    return t.find("mount") != std::string::npos;
  }));
}

TEST(MaterialPoints, WhatCannotRunIsRefused) {
  const auto refused = [](const auto& change) {
    Scene s = on_a_floor();
    change(s);
    return test::refusal([&] { Sim sim(s); });
  };
  EXPECT_NE(refused([](Scene& s) { s.sim.integrator = 1; }).find("implicit_euler"),
            std::string::npos);
  EXPECT_NE(refused([](Scene& s) { s.material_points[0].cell = 0; }).find("cell"),
            std::string::npos);
  EXPECT_NE(
      refused([](Scene& s) { s.material_points[0].points_per_cell = 0.1; }).find("points_per_cell"),
      std::string::npos);
  EXPECT_NE(refused([](Scene& s) { s.material_points[0].cell = 1e-5; }).find("at most"),
            std::string::npos);
  EXPECT_NE(refused([](Scene& s) {
              s.material_points[0].grid = s.material_points[1].grid = "bowl";
              s.material_points[1].cell = 0.01;
            }).find("on the same grid"),
            std::string::npos);
  EXPECT_NE(refused([](Scene& s) {
              s.material_points[0].law = static_cast<int>(ParticleLaw::kNeoHookean);
              s.material_points[0].return_mapping = 1;
            }).find("is of the law corotated"),
            std::string::npos);
  EXPECT_NE(refused([](Scene& s) {
              s.material_points[0].law = static_cast<int>(ParticleLaw::kLiquid);
              s.material_points[0].contact_at = 1;
            }).find("touches with both"),
            std::string::npos);
  EXPECT_NE(refused([](Scene& s) {
              s.material_points[0].shape.shape.kind = ShapeKind::kHalfSpace;
            }).find("no volume"),
            std::string::npos);
}

}  // namespace
}  // namespace haptos
