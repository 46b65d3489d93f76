// A ball and a cylinder slide without friction over a pad whose mesh is irregular, at one depth.
// What the force still varies by is the pad's own: an element under the pole or beside it gives way
// differently.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/elastic_problem.h"

namespace haptos {
namespace {

struct Slide {
  int model = 1;            // a LiveModel
  double element = 0.5e-3;  // [m]
  bool cylinder = false;
  int steps = 12;
  double friction = 0;
};

struct SlideResult {
  double varies = 0;      // of the normal force, largest over least, less 1
  double tangential = 0;  // largest, over the normal force
  double friction = 0;    // sums of the sizes of records at the end: tangential over normal
  int iterations = 0, status = 0;
};

// A cylinder of this radius along y.
TriMesh roller(double radius, double length, double facet) {
  TriMesh m = cylinder(radius, length, facet);
  for (Vec3d& x : m.vertices) x = {{x[0], -x[2], x[1]}};
  return m;
}

SlideResult slide(const Slide& p) {
  Scene s;
  s.sim.dt = 0.01;
  s.sim.integrator = static_cast<int>(Integrator::kQuasiStatic);
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.contact.model = p.model;
  s.newton.force_tolerance = 1e-6;
  SoftBody gel;
  gel.name = "gel";
  gel.element = Element::kLinear;
  gel.material.poisson = 0.3;
  const Vec3d size{{9e-3, p.cylinder ? 3e-3 : 8e-3, 3e-3}};
  Vec3i cells;
  for (int k = 0; k < 3; ++k) cells[k] = static_cast<int>(std::lround(size[k] / p.element));
  gel.mesh = test::jittered_box(size, cells, 0.12, 5);
  for (Vec3d& x : gel.mesh.vertices) x -= Vec3d{{0.5 * size[0], 0.5 * size[1], size[2]}};
  gel.glue.push_back({"base", test::vertices_where(gel.mesh, [&](const Vec3d& x) {
                        return x[2] < -size[2] + 1e-9;
                      })});
  PrescribedBody tool;
  tool.name = "tool";
  const double R = 4e-3, depth = 0.5e-3, span = 1e-3, facet = 0.2e-3;
  tool.surface = p.cylinder ? roller(R, 2 * size[1], facet) : sphere_lower_cap(R, 1.2e-3, facet);
  const auto at = [&](double x, double below) { return test::at_position({{x, 0, R - below}}); };
  tool.trajectory = {{0.0, at(-0.5 * span, -3e-5)},
                     {0.02, at(-0.5 * span, depth)},
                     {0.02 + 0.01 * p.steps, at(0.5 * span, depth)}};
  gel.friction.sticking = tool.friction.sticking = p.friction;
  s.soft = {gel};
  s.prescribed = {test::mount("base"), tool};
  Sim sim(s);
  SlideResult r;
  double least = 1e300, most = 0;
  for (int k = 0; k < p.steps + 2; ++k) {
    const StepReport report = sim.step();
    r.status |= static_cast<int>(report.status());
    r.iterations += report.newton.iterations;
    if (k < 1) continue;
    const Vec3d f = sim.reaction("base").force;
    least = std::min(least, -f[2]);
    most = std::max(most, -f[2]);
    r.tangential = std::max(r.tangential, std::hypot(f[0], f[1]) / -f[2]);
  }
  r.varies = most / least - 1;
  double pulled = 0, pushed = 0;
  for (const ContactPoint& c : sim.contacts()) {
    pulled += norm(c.tangential_force);
    pushed += c.normal_force;
  }
  r.friction = pulled / pushed;
  return r;
}

SlideResult shown(const Slide& p) {
  const SlideResult r = slide(p);
  const std::string name = std::string("mortar_slide.") + (p.model == 1 ? "" : "barrier.") +
                           (p.cylinder ? "cylinder" : "ball");
  std::printf("FIGURE %s.h%.2f.varies = %.3f %%\n", name.c_str(), 1e3 * p.element, 100 * r.varies);
  std::printf("FIGURE %s.h%.2f.tangential = %.2e\n", name.c_str(), 1e3 * p.element, r.tangential);
  std::printf("FIGURE %s.h%.2f.iterations = %d\n", name.c_str(), 1e3 * p.element, r.iterations);
  EXPECT_EQ(r.status, 0) << name;
  return r;
}

TEST(MortarSlide, ForceOnACoarsePadVariesLittle) {
  for (const bool cylinder : {false, true}) {
    Slide p;
    p.cylinder = cylinder;
    p.element = 0.6e-3;
    p.steps = 5;
    const SlideResult r = shown(p);
    EXPECT_LT(r.varies, 0.02);
    EXPECT_LT(r.tangential, 5e-3);
  }
}

TEST(MortarSlide, FrictionIsItsCoefficientTimesTheNormalForce) {
  for (const bool cylinder : {false, true}) {
    Slide p;
    p.cylinder = cylinder;
    p.element = 0.6e-3;
    p.steps = 8;
    p.friction = 0.4;
    const SlideResult r = slide(p);
    const char* name = cylinder ? "cylinder" : "ball";
    std::printf("FIGURE mortar_slide.friction.%s = %.5f of %g\n", name, r.friction, p.friction);
    EXPECT_EQ(r.status, 0) << name;
    EXPECT_NEAR(r.friction, p.friction, 1e-3 * p.friction) << name;
  }
}

TEST(FullMortarSlide, ForceOnAFinePadIsSteadyAndTangentialForceNothing) {
  for (const bool cylinder : {false, true}) {
    Slide p;
    p.cylinder = cylinder;
    p.element = 0.25e-3;
    const SlideResult r = shown(p);
    EXPECT_LT(r.varies, 0.005);
    EXPECT_LT(r.tangential, 1e-3);
  }
}

}  // namespace
}  // namespace haptos
