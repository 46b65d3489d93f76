// Loads on soft bodies against closed forms: a bar under an end load, a pressurised column, a block
// in a bath of pressure, body acceleration, balances of force and moment, ramps in time.
#include <gtest/gtest.h>

#include <cstdio>

#include "haptos/bodies/elastic/elastic_laws.h"
#include "haptos/geometry/mesh/topology.h"
#include "tests/scenes/elastic_problem.h"
#include "tests/scenes/soft_scenes.h"

namespace haptos {
namespace {

constexpr double kYoung = 1e5, kPoisson = 0.3;
const Vec3d kBar{{0.020, 0.008, 0.006}};  // [m]

const int kLinear = static_cast<int>(ElasticLaw::kLinear);

// Vertices of the bar's mesh on the plane x[axis] = at.
std::vector<int> plane(const TetMesh& m, int axis, double at) {
  return test::vertices_where(m, [&](const Vec3d& x) { return std::abs(x[axis] - at) < 1e-9; });
}

SoftBody bar(Element element, int law) {
  SoftBody b;
  b.name = "gel";
  b.mesh = test::jittered_box(kBar, {{5, 2, 2}}, 0.2, 3);
  b.element = element;
  b.material.young = kYoung;
  b.material.poisson = kPoisson;
  b.material.law = law;
  return b;
}

// Holds the displacement along an axis on a plane across it.
void hold(SoftBody& b, int axis, double at) {
  HeldVertices h;
  h.vertices = plane(b.mesh, axis, at);
  h.axis[axis] = true;
  b.held.push_back(h);
}

Scene at_rest(const SoftBody& b) {
  Scene s;
  s.sim.dt = 10;
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.newton.force_tolerance = 1e-11;
  s.newton.force_floor = 0;
  s.newton.velocity_tolerance = 1e-10;
  s.soft = {b};
  return s;
}

// Mean displacement of the vertices on a plane, along an axis.
double moved(const Sim& sim, int axis, double at) {
  const std::vector<Vec3d> x = sim.soft_positions("gel"), &X = sim.soft_model("gel").rest.vertices;
  double sum = 0;
  int n = 0;
  for (std::size_t v = 0; v < x.size(); ++v)
    if (std::abs(X[v][axis] - at) < 1e-9) sum += x[v][axis] - X[v][axis], ++n;
  return sum / n;
}

// Takes steps of 10 s until the body is at rest.
StepReport settle(Sim& sim, int steps = 12) {
  StepReport r;
  for (int n = 0; n < steps; ++n) {
    r = sim.step();
    EXPECT_EQ(r.status(), 0u);
  }
  return r;
}

class Loads : public testing::TestWithParam<Element> {};

TEST_P(Loads, BarUnderAnEndLoadIsTheClosedForm) {
  // The end face carries F uniformly over its area; every section of the bar does.
  const double force = 0.3, area = kBar[1] * kBar[2], stress = force / area;
  for (const int law : {kLinear, static_cast<int>(ElasticLaw::kLogNeoHookean),
                        static_cast<int>(ElasticLaw::kStVenantKirchhoff)}) {
    SoftBody b = bar(GetParam(), law);
    for (int axis = 0; axis < 3; ++axis) hold(b, axis, 0);
    b.forces.push_back({plane(b.mesh, 0, kBar[0]), {{0, {{force, 0, 0}}}}, Spread::kArea});
    Sim sim(at_rest(b));
    settle(sim, 6);
    double stretch = 1 + stress / kYoung;  // linear
    if (law != kLinear) {
      const Lame l = lame(kYoung, kPoisson);
      // Nominal stress at a stretch a, without lateral stress.
      auto nominal = [&](double a) {
        if (law == static_cast<int>(ElasticLaw::kStVenantKirchhoff))
          return kYoung * a * (a * a - 1) / 2;
        double lo = 0.5, hi = 1.5;
        for (int i = 0; i < 100; ++i) {
          const double m = 0.5 * (lo + hi);
          (l.mu * (m * m - 1) + l.lambda * std::log(a * m * m) > 0 ? hi : lo) = m;
        }
        return l.mu * (a - lo * lo / a);
      };
      double lo = 0.9, hi = 1.5;
      for (int i = 0; i < 100; ++i) (nominal(0.5 * (lo + hi)) > stress ? hi : lo) = 0.5 * (lo + hi);
      stretch = lo;
    }
    const double extension = moved(sim, 0, kBar[0]) / kBar[0];
    EXPECT_NEAR(extension / (stretch - 1), 1, 1e-8) << "law " << law;
    std::printf("FIGURE bar_end_load.law%d = %.1e off the closed form, stretch %.4f\n", law,
                extension / (stretch - 1) - 1, stretch);
  }
}

TEST_P(Loads, PressurisedColumnShortensByPressureOverModulus) {
  const double M = kYoung * (1 - kPoisson) / ((1 + kPoisson) * (1 - 2 * kPoisson));
  const double pressure = 2e3;
  SoftBody b = bar(GetParam(), kLinear);
  hold(b, 0, 0);
  for (int axis = 1; axis < 3; ++axis)
    for (const double at : {0.0, kBar[axis]}) hold(b, axis, at);
  const std::vector<int> end = plane(b.mesh, 0, kBar[0]);
  std::vector<int> of_volume;
  const TriMesh surface = boundary_surface(b.mesh, &of_volume);
  SurfacePressure p;
  for (const Vec3i& t : surface.triangles) {
    Vec3i g;
    bool inside = true;
    for (int k = 0; k < 3; ++k) {
      g[k] = of_volume[at_index(t[k])];
      inside = inside && b.mesh.vertices[at_index(g[k])][0] > kBar[0] - 1e-9;
    }
    std::swap(g[0], g[1]);  // in any order
    if (inside) p.triangles.push_back(g);
  }
  p.pressure = {{0, pressure}};
  b.pressures = {p};
  Sim sim(at_rest(b));
  settle(sim);
  EXPECT_NEAR(-moved(sim, 0, kBar[0]) / kBar[0] / (pressure / M), 1, 1e-8);
}

TEST_P(Loads, BlockInABathOfPressureShrinksByTheBulkModulus) {
  const double K = kYoung / (3 * (1 - 2 * kPoisson)), pressure = 50;
  SoftBody b = bar(GetParam(), kLinear);
  b.material.mass_damping = 1;  // it has no support
  SurfacePressure p;
  p.pressure = {{0, pressure}};
  b.pressures = {p};
  Sim sim(at_rest(b));
  settle(sim);
  for (int axis = 0; axis < 3; ++axis) {
    const double strain = (moved(sim, axis, kBar[axis]) - moved(sim, axis, 0)) / kBar[axis];
    // The faces shrink with the body: second order in the strain.
    EXPECT_NEAR(-strain / (pressure / (3 * K)), 1, 2 * pressure / K);
  }
  EXPECT_LE(norm(sim.load_wrench("gel").force), 1e-12 * pressure * kBar[0] * kBar[1]);
}

TEST_P(Loads, AtRestTheGlueCarriesTheLoads) {
  SoftBody b = bar(GetParam(), 0);
  b.glue = {{"mount", plane(b.mesh, 0, 0)}};
  const std::vector<int> end = plane(b.mesh, 0, kBar[0]);
  const Vec3d force{{0.01, -0.02, 0.03}};
  // One on the free end, one that acts on a glued vertex too, and a pressure on everything else.
  b.forces.push_back({end, {{0, force}}, Spread::kNodes});
  b.forces.push_back({{b.glue[0].vertices[0], end[0]}, {{0, 2 * force}}, Spread::kNodes});
  SurfacePressure p;
  p.pressure = {{0, 300.0}};
  b.pressures = {p};
  b.acceleration = {{0, {{0, 3, 0}}}};
  Scene s = at_rest(b);
  s.prescribed = {test::mount("mount")};
  Sim sim(s);
  settle(sim, 8);
  const Vec3d about{{0.01, 0.003, 0.002}};
  const Wrench mount = sim.reaction("mount", about), load = sim.load_wrench("gel", about);
  const double mass = b.material.density * kBar[0] * kBar[1] * kBar[2];
  // The pressure acts on all faces and adds no force; glue hands on the rest.
  EXPECT_LE(norm(load.force - 3 * force), 1e-11);
  EXPECT_LE(norm(mount.force - (3 * force + Vec3d{{0, 3 * mass, 0}})), 1e-9);
  const Wrench inertia = sim.inertia_wrench("gel", about);
  EXPECT_LE(norm(mount.torque - (load.torque - inertia.torque)), 1e-11);
}

TEST_P(Loads, BalanceHoldsInMotionWithContactGlueAndEveryLoad) {
  Scene s = test::press(true, 1e-4);
  s.soft[0].element = GetParam();
  const std::vector<int> top =
      test::vertices_where(s.soft[0].mesh, [](const Vec3d& x) { return x[2] > 6e-3 - 1e-9; });
  s.soft[0].forces.push_back(
      {{top[0], top[1]}, {{0, {{0, 0, 0}}}, {0.01, {{0.02, 0.01, -0.01}}}}, Spread::kNodes});
  SurfacePressure p;
  p.pressure = {{0, 0}, {0.02, 800.0}};
  s.soft[0].pressures = {p};
  s.soft[0].acceleration = {{0, {{1, 0, 0}}}, {0.02, {{-3, 2, 0}}}};
  Sim sim(s);
  const Vec3d about{{2e-3, 1e-3, 0}};
  double force = 0, torque = 0, scale = 0;
  for (int n = 0; n < 25; ++n) {
    ASSERT_EQ(sim.step().status(), 0u);
    const Wrench inertia = sim.inertia_wrench("gel", about), load = sim.load_wrench("gel", about),
                 contact = sim.contact_wrench("gel", about), glue = sim.reaction("mount", about);
    const Vec3d f = contact.force + load.force - glue.force - inertia.force,
                t = contact.torque + load.torque - glue.torque - inertia.torque;
    force = std::max(force, norm(f));
    torque = std::max(torque, norm(t));
    scale = std::max(scale, norm(contact.force) + norm(load.force));
  }
  std::printf("FIGURE load_balance = %.1e of the force, %.1e of force times 1 cm\n", force / scale,
              torque / (scale * 0.01));
  EXPECT_LE(force, 1e-6 * scale);
  EXPECT_LE(torque, 1e-6 * scale * 0.01);
}

TEST_P(Loads, BodyAccelerationIsAGravityOfItsOwn) {
  Scene a = test::block_on_floor(), b = a;
  a.soft[0].element = b.soft[0].element = GetParam();
  b.sim.gravity_z = 0;
  b.soft[0].acceleration = {{0, {{0, 0, a.sim.gravity_z}}}};
  Sim first(a), second(b);
  for (int n = 0; n < 10; ++n) {
    const StepReport r = first.step(), q = second.step();
    EXPECT_EQ(r.potential, q.potential);
    EXPECT_EQ(r.kinetic, q.kinetic);
  }
  EXPECT_EQ(first.state().z, second.state().z);
}

TEST_P(Loads, ForceFollowsItsHistoryAtTheEndOfEachStep) {
  SoftBody b = bar(GetParam(), kLinear);
  b.glue = {{"mount", plane(b.mesh, 0, 0)}};
  b.forces.push_back({plane(b.mesh, 0, kBar[0]),
                      {{10, {{0, 0, 0}}}, {50, {{0.04, 0, 0}}}, {60, {{0.01, 0, 0}}}},
                      Spread::kArea});
  Scene s = at_rest(b);
  s.prescribed = {test::mount("mount")};
  Sim sim(s);
  const double expected[] = {0, 0.01, 0.02, 0.03, 0.04, 0.01, 0.01};
  for (const double f : expected) {
    ASSERT_EQ(sim.step().status(), 0u);
    EXPECT_NEAR(sim.load_wrench("gel").force[0], f, 1e-16);
    // What inertia takes in steps of 10 s.
    EXPECT_NEAR(sim.reaction("mount").force[0], f, 1e-8);
  }
}

TEST_P(Loads, FreeRimUnderPressureIsExactAtRest) {
  // The end face of a bar that bends: the rim of the patch moves and turns. Its lag behind the
  // deformed surface is of the size of a step's motion, and gone at rest.
  SoftBody b = bar(GetParam(), 0);
  b.glue = {{"mount", plane(b.mesh, 0, 0)}};
  const std::vector<int> top = plane(b.mesh, 2, kBar[2]);
  std::vector<int> of_volume;
  SurfacePressure p;
  for (const Vec3i& t : boundary_surface(b.mesh, &of_volume).triangles) {
    bool inside = true;
    for (int k = 0; k < 3; ++k)
      inside = inside && b.mesh.vertices[at_index(of_volume[at_index(t[k])])][2] > kBar[2] - 1e-9;
    if (inside)
      p.triangles.push_back(
          {{of_volume[at_index(t[0])], of_volume[at_index(t[1])], of_volume[at_index(t[2])]}});
  }
  p.pressure = {{0, 500.0}};
  b.pressures = {p};
  Scene s = at_rest(b);
  s.prescribed = {test::mount("mount")};
  Sim sim(s);
  double first = 0, last = 0;
  for (int n = 0; n < 15; ++n) {
    ASSERT_EQ(sim.step().status(), 0u);
    // -p times the vector area of the deformed patch.
    const std::vector<Vec3d> x = sim.soft_positions("gel");
    Vec3d area = Vec3d::zero();
    for (const Vec3i& t : sim.soft_model("gel").pressures[0]) {
      auto at = [&](int k) { return x[at_index(t[k])]; };
      area += 0.5 * cross(at(1) - at(0), at(2) - at(0));
    }
    const Vec3d force = sim.load_wrench("gel").force;
    last = norm(force + 500.0 * area) / norm(force);
    if (n == 0) first = last;
  }
  std::printf("FIGURE open_pressure_lag = %.1e of the force in one step of bending, %.1e at rest\n",
              first, last);
  const double tilt = std::abs(moved(sim, 2, kBar[2])) / kBar[0];
  EXPECT_GT(tilt, 0.05);
  EXPECT_GT(first, 1e-3);
  EXPECT_LE(last, 1e-8);
}

TEST_P(Loads, EnergyUnderConstantLoadsNeverGrows) {
  Scene s = test::free_block(2e-3, 0);
  s.soft[0].element = GetParam();
  SurfacePressure p;
  p.pressure = {{0, 5e3}};
  s.soft[0].pressures = {p};
  s.soft[0].acceleration = {{0, {{0.5, 0, 0}}}};
  s.soft[0].forces.push_back({{0, 1}, {{0, {{0, 1e-3, 0}}}}, Spread::kNodes});
  Sim sim(s);
  double before = 1e300;
  for (int n = 0; n < 60; ++n) {
    const StepReport r = sim.step();
    ASSERT_EQ(r.status(), 0u) << n;
    EXPECT_LE(r.kinetic + r.potential, before + 1e-9 * std::abs(before)) << n;
    before = r.kinetic + r.potential;
  }
}

INSTANTIATE_TEST_SUITE_P(Elements, Loads, testing::Values(Element::kComposite, Element::kLinear));

}  // namespace
}  // namespace haptos
