// Friction of mortar contact: a plate on a pad with an irregular mesh.
#include <gtest/gtest.h>

#include <cstdio>

#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/elastic_problem.h"

namespace haptos {
namespace {

constexpr double kFriction = 0.4;

// A plate wider than the pad, pressed on it by .1 mm and then drawn aside.
Scene plate_on_pad() {
  Scene s;
  s.sim.dt = 0.1;
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.contact.model = static_cast<int>(LiveModel::kMortar);
  s.newton.force_tolerance = 1e-7;
  const Vec3d size{{4e-3, 4e-3, 2e-3}};
  SoftBody gel;
  gel.name = "gel";
  gel.element = Element::kLinear;
  gel.material.poisson = 0.3;
  gel.mesh = test::jittered_box(size, {{5, 5, 3}}, 0.2, 7);
  gel.glue.push_back(
      {"base", test::vertices_where(gel.mesh, [](const Vec3d& x) { return x[2] < 1e-9; })});
  gel.friction.sticking = kFriction;
  PrescribedBody plate;
  plate.name = "plate";
  plate.surface = box({{12e-3, 10e-3, 1e-3}}, {{3, 4, 1}});
  plate.friction.sticking = kFriction;
  const double low = size[2] + 0.5e-3;
  plate.trajectory = {{0.0, test::at_position({{2e-3, 2e-3, low + 3e-5}})},
                      {0.2, test::at_position({{2e-3, 2e-3, low - 1e-4}})},
                      {0.8, test::at_position({{2.6e-3, 2.3e-3, low - 1e-4}})}};
  s.soft = {gel};
  s.prescribed = {test::mount("base"), plate};
  return s;
}

TEST(MortarFriction, OfAPlateThatSlidesIsItsCoefficientTimesTheNormalForce) {
  Sim sim(plate_on_pad());
  double first = 0, last = 0;
  for (int k = 0; k < 8; ++k) {
    const StepReport r = sim.step();
    EXPECT_EQ(r.status(), 0u) << k;
    const Vec3d f = sim.reaction("base").force;
    last = std::hypot(f[0], f[1]) / -f[2];
    if (k == 2) first = last;
    // What leaves the records is what the base carries.
    EXPECT_LE(norm(sim.contact_wrench("gel").force - f), 5e-6 * norm(f)) << k;
    // Along the way it is drawn.
    if (k > 4) EXPECT_NEAR(f[1] / f[0], 0.5, 0.01) << k;
  }
  std::printf("FIGURE mortar_friction.slides = %.6f of %.1f, at first %.3f\n", last, kFriction,
              first);
  EXPECT_LT(first, 0.9 * kFriction);  // still sticks
  EXPECT_NEAR(last, kFriction, 1e-3);
}

TEST(MortarFriction, StatesAreSavedAndRunOnToTheSameBits) {
  Sim one(plate_on_pad());
  for (int k = 0; k < 4; ++k) one.step();
  Sim other(plate_on_pad());
  other.set_state(one.state());
  for (int k = 0; k < 2; ++k) {
    one.step();
    other.step();
  }
  EXPECT_EQ(one.state().q, other.state().q);
  EXPECT_EQ(one.state().hash(), other.state().hash());
}

}  // namespace
}  // namespace haptos
