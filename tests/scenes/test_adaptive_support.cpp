// contact.adaptive: surfaces that start closer than the support start without force, and meet with
// the same pressure at the same part of their support.
#include <gtest/gtest.h>

#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/elastic_problem.h"

namespace haptos {
namespace {

constexpr double kSupport = 2e-5, kGap = 0.3 * kSupport, kSize = 2e-3;

SoftBody block(const Vec3d& at) {
  SoftBody b;
  b.name = "gel";
  b.element = Element::kLinear;
  b.mesh = test::jittered_box({{kSize, kSize, kSize}}, {{3, 3, 3}}, 0.1, 5);
  for (Vec3d& x : b.mesh.vertices) x += at;
  return b;
}

Scene weightless(int model, int adaptive) {
  Scene s;
  s.sim.dt = 0.01;
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.contact.support = kSupport;
  s.contact.model = model;
  s.contact.adaptive = adaptive;
  return s;
}

// Force of the contacts of the gel, [N].
double force(const Sim& sim) {
  double sum = 0;
  for (const ContactPoint& c : sim.contacts()) sum += c.normal_force;
  return sum;
}

Scene plate_over_block(int model, int adaptive, double gap) {
  Scene s = weightless(model, adaptive);
  SoftBody gel = block(Vec3d::zero());
  gel.glue.push_back(
      {"base", test::vertices_where(gel.mesh, [](const Vec3d& x) { return x[2] < 1e-9; })});
  PrescribedBody plate;
  plate.name = "plate";
  plate.surface = box({{2 * kSize, 2 * kSize, 1e-3}}, {{2, 2, 1}});
  const double low = kSize + 0.5e-3;
  plate.trajectory = {{0.0, test::at_position({{1e-3, 1e-3, low + gap}})},
                      {0.1, test::at_position({{1e-3, 1e-3, low + gap}})},
                      {0.2, test::at_position({{1e-3, 1e-3, low - 1e-4}})}};
  s.soft = {gel};
  s.prescribed = {test::mount("base"), plate};
  return s;
}

TEST(AdaptiveSupport, SurfacesThatStartCloserThanItStartWithoutForce) {
  for (const int model : {0, 1}) {
    SCOPED_TRACE(model);
    Sim fixed(plate_over_block(model, 0, kGap)), adaptive(plate_over_block(model, 1, kGap)),
        apart(plate_over_block(model, 1, 2 * kSupport)),
        apart_fixed(plate_over_block(model, 0, 2 * kSupport));
    fixed.step();
    adaptive.step();
    EXPECT_GT(force(fixed), 1e-3);
    EXPECT_EQ(adaptive.contacts().size(), 0u);
    for (Sim* s : {&fixed, &adaptive})
      for (int k = 1; k < 20; ++k) EXPECT_EQ(s->step().status(), 0u) << k;
    // Pressed by a tenth of a millimetre the two differ by the gap of contact at most.
    const double f = force(fixed);
    EXPECT_GT(f, 0.02);
    EXPECT_NEAR(force(adaptive), f, 0.2 * f);
    EXPECT_LT(force(adaptive), f);
    // Farther apart than the support nothing changes.
    for (int k = 0; k < 20; ++k) {
      apart.step();
      apart_fixed.step();
    }
    EXPECT_EQ(apart.state().hash(), apart_fixed.state().hash());
  }
}

TEST(AdaptiveSupport, HoldsForHalfSpacesAndForASurfaceWithItself) {
  for (const bool itself : {false, true}) {
    SCOPED_TRACE(itself ? "itself" : "half-space");
    for (const int adaptive : {0, 1}) {
      Scene s = weightless(0, adaptive);
      SoftBody gel = block({{0, 0, kGap}});
      if (itself) {
        const SoftBody other = block({{0, 0, -kSize}});
        const int first = static_cast<int>(gel.mesh.vertices.size());
        gel.mesh.vertices.insert(gel.mesh.vertices.end(), other.mesh.vertices.begin(),
                                 other.mesh.vertices.end());
        for (Vec4i t : other.mesh.tets) {
          for (int k = 0; k < 4; ++k) t[k] += first;
          gel.mesh.tets.push_back(t);
        }
        gel.self_contact = true;
      } else {
        HalfSpace floor;
        floor.name = "floor";
        s.half_spaces = {floor};
      }
      s.soft = {gel};
      Sim sim(s);
      const std::vector<Vec3d> start = sim.soft_positions("gel");
      EXPECT_EQ(sim.step().status(), 0u);
      double moved = 0;
      for (std::size_t v = 0; v < start.size(); ++v)
        moved = std::max(moved, norm(sim.soft_positions("gel")[v] - start[v]));
      if (adaptive != 0) {
        EXPECT_EQ(sim.contacts().size(), 0u);
        EXPECT_EQ(moved, 0);
      } else {
        EXPECT_GT(force(sim), 0);
        EXPECT_GT(moved, 0.1 * kGap);
      }
    }
  }
}

}  // namespace
}  // namespace haptos
