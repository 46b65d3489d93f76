// A ball and a cylinder slide over a pad whose mesh is irregular, at one depth.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "haptos/geometry/shapes.h"
#include "tests/scenes/elastic_problem.h"

namespace haptos {
namespace {

struct Slide {
  int model = 1;
  double element = 0.5e-3, facet = 0.2e-3;  // [m]
  double depth = 0.5e-3, friction = 0;
  bool cylinder = false;
  int steps = 12;
  double span = 1e-3;
};

struct SlideResult {
  std::vector<double> normal, tangential, across;  // of the steps after the press [N]
  int iterations = 0, status = 0;
};

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
  const Vec3d size{{9e-3, 8e-3, 3e-3}};
  const auto cells = [&](double l) { return std::max(2, static_cast<int>(l / p.element + 0.5)); };
  gel.mesh = test::jittered_box(size, {{cells(size[0]), cells(size[1]), cells(size[2])}}, 0.2, 5);
  for (Vec3d& x : gel.mesh.vertices) x -= Vec3d{{0.5 * size[0], 0.5 * size[1], size[2]}};
  gel.glue.push_back({"base", test::vertices_where(gel.mesh, [&](const Vec3d& x) {
                        return x[2] < -size[2] + 1e-9;
                      })});
  gel.friction.sticking = p.friction;
  PrescribedBody ball;
  ball.name = "ball";
  const double R = 4e-3;
  ball.surface = sphere_lower_cap(R, 1.2e-3, p.facet);
  ball.friction.sticking = p.friction;
  const double x0 = -0.5 * p.span;
  ball.trajectory = {{0.0, test::at_position({{x0, 0, R + 3e-5}})},
                     {0.02, test::at_position({{x0, 0, R - p.depth}})},
                     {0.02 + 0.01 * p.steps, test::at_position({{x0 + p.span, 0, R - p.depth}})}};
  s.soft = {gel};
  s.prescribed = {test::mount("base"), ball};
  Sim sim(s);
  SlideResult r;
  for (int k = 0; k < p.steps + 2; ++k) {
    const StepReport report = sim.step();
    r.status |= static_cast<int>(report.status());
    r.iterations += report.newton.iterations;
    const Vec3d f = sim.reaction("base").force;
    if (getenv("TRACE")) std::printf("%d: it %d fx %.3e fy %.3e fz %.6e\n", k, report.newton.iterations, f[0], f[1], f[2]);
    if (k < 1) continue;
    r.normal.push_back(std::abs(f[2]));
    r.tangential.push_back(f[0]);
    r.across.push_back(f[1]);
  }
  return r;
}

TEST(MortarSlide, Try) {
  for (const int model : {1}) for (const double h : {0.25e-3}) {
    Slide p;
    p.model = model;
    p.element = h;
    const SlideResult r = slide(p);
    double lo = 1e9, hi = 0, t = 0;
    for (std::size_t i = 0; i < r.normal.size(); ++i) {
      lo = std::min(lo, r.normal[i]), hi = std::max(hi, r.normal[i]);
      t = std::max(t, std::hypot(r.tangential[i], r.across[i]) / r.normal[i]);
    }
    std::printf("model %d h %.2f mm: varies %.3f %%, tangential %.2e, iterations %d status %d\n", model, 1e3 * h, 100 * (hi - lo) / lo, t, r.iterations, r.status);
  }
}

}  // namespace
}  // namespace haptos
