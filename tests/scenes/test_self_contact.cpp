// Soft bodies that touch themselves, and which bodies may touch at all.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/query/exact.h"
#include "tests/scenes/crossing.h"
#include "tests/scenes/soft_scenes.h"

namespace haptos {
namespace {

// Two blocks of one mesh, one above the other with a gap.
TetMesh two_blocks(double gap, const Vec3i& n, std::size_t* first = nullptr) {
  Pad made;
  TetMesh mesh = test::block(n, &made).mesh;
  const auto count = static_cast<int>(mesh.vertices.size());
  if (first) *first = mesh.vertices.size();
  TetMesh both = mesh;
  for (Vec3d x : mesh.vertices) {
    x[2] += test::kBlock[2] + gap;
    both.vertices.push_back(x);
  }
  for (Vec4i t : mesh.tets) {
    for (int k = 0; k < 4; ++k) t[k] += count;
    both.tets.push_back(t);
  }
  return both;
}

// The lower block is held by its base, the upper one pressed down by its top.
Scene column(double squeeze, bool self) {
  const double gap = 1e-5;
  Scene s = test::free_block(0.01, 0, {{3, 3, 2}});
  s.newton.force_tolerance = 1e-8;
  s.sim.integrator = static_cast<int>(Integrator::kQuasiStatic);
  s.contact.support = 2e-5;
  SoftBody& gel = s.soft[0];
  gel.mesh = two_blocks(gap, {{3, 3, 2}});
  gel.self_contact = self;
  const double top = 2 * test::kBlock[2] + gap;
  gel.glue = {
      {"base", test::vertices_where(gel.mesh, [](const Vec3d& x) { return x[2] < 1e-7; })},
      {"lid", test::vertices_where(gel.mesh, [=](const Vec3d& x) { return x[2] > top - 1e-7; })}};
  s.prescribed = {test::mount("base"), test::mount("lid")};
  s.prescribed[1].trajectory = test::straight({{0, 0, 0}}, {{0, 0, -squeeze}}, 0.1);
  return s;
}

TEST(SelfContact, TwoPartsOfOneBodyPressOnEachOtherLikeTwoBodies) {
  double force[2];
  for (const bool one : {true, false}) {
    Scene s = column(6e-4, one);
    if (!one) {  // the same as two bodies
      const TetMesh both = s.soft[0].mesh;
      const std::size_t half = both.vertices.size() / 2, tets = both.tets.size() / 2;
      s.soft.push_back(s.soft[0]);
      s.soft[1].name = "upper";
      s.soft[0].mesh.vertices.resize(half);
      s.soft[0].mesh.tets.resize(tets);
      s.soft[1].mesh.vertices.erase(
          s.soft[1].mesh.vertices.begin(),
          s.soft[1].mesh.vertices.begin() + static_cast<std::ptrdiff_t>(half));
      s.soft[1].mesh.tets.erase(s.soft[1].mesh.tets.begin(),
                                s.soft[1].mesh.tets.begin() + static_cast<std::ptrdiff_t>(tets));
      for (Vec4i& t : s.soft[1].mesh.tets)
        for (int k = 0; k < 4; ++k) t[k] -= static_cast<int>(half);
      s.soft[0].glue.pop_back();
      s.soft[1].glue.erase(s.soft[1].glue.begin());
      for (int& v : s.soft[1].glue[0].vertices) v -= static_cast<int>(half);
    }
    Sim sim(s);
    for (int n = 0; n < 10; ++n) {
      const StepReport r = sim.step();
      ASSERT_EQ(r.status(), 0u) << describe_status(r.status());
      EXPECT_GT(r.smallest_volume_ratio, 0);
      if (!one) continue;
      EXPECT_TRUE(self_intersections(test::present_surface(sim, "gel")).empty());
    }
    force[one] = sim.reaction("base").force[2];
    EXPECT_NEAR(sim.reaction("lid").force[2], -force[one], 1e-6 * std::abs(force[one]));
  }
  std::printf("FIGURE self-contact of two blocks: %.5f N, as two bodies %.5f N\n", force[1],
              force[0]);
  EXPECT_LT(force[1], -0.1);
  EXPECT_NEAR(force[1], force[0], 0.01 * std::abs(force[0]));
}

TEST(SelfContact, WithoutItPartsPassThroughEachOther) {
  Sim sim(column(6e-4, false));
  for (int n = 0; n < 10; ++n) ASSERT_EQ(sim.step().status(), 0u);
  EXPECT_NEAR(sim.reaction("base").force[2], 0, 1e-6);
  EXPECT_FALSE(self_intersections(test::present_surface(sim, "gel")).empty());
}

// A strip whose ends are turned towards each other until it touches itself.
TEST(SelfContact, AStripFoldsOntoItselfWithoutIntersection) {
  BoxPadShape shape;
  shape.width = 0.04;
  shape.depth = 0.006;
  shape.thickness = 0.002;
  Scene s;
  s.sim.dt = 0.04;
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.contact.support = 1e-4;
  SoftBody gel;
  gel.name = "gel";
  gel.mesh = box_pad(shape, 16, 2, 1).mesh;
  gel.element = Element::kLinear;
  gel.material.young = 1e5;
  gel.material.poisson = 0.3;
  gel.material.stiffness_damping = 0.01;
  gel.self_contact = true;
  gel.friction.sticking = 0.3;
  for (const char* end : {"left", "right"}) {
    const double side = end[0] == 'l' ? -1 : 1;
    gel.glue.push_back(
        {end, test::vertices_where(gel.mesh, [=](const Vec3d& x) { return side * x[0] > 0.018; })});
    // Half a circle in the plane y = 0 brings the end to the middle, upside down.
    PrescribedBody hand = test::mount(end);
    hand.trajectory.clear();
    for (int k = 0; k <= 40; ++k) {
      const double a = 1.45 * k / 40;
      Pose p;
      p.q = rotation_by({{0, -side * a, 0}});
      // The ends come together at x = +-1 mm and rise.
      p.p = {{-side * 0.0105 * k / 40, 0, 0.012 * std::sin(a)}};
      hand.trajectory.push_back({0.02 * k, p});
    }
    s.prescribed.push_back(hand);
  }
  s.soft = {gel};
  Sim sim(s);
  int touching = 0, most = 0;
  for (int n = 0; n < 22; ++n) {
    const StepReport r = sim.step();
    ASSERT_EQ(r.status() & ~static_cast<std::uint32_t>(kTargetMissed), 0u)
        << n << ": " << describe_status(r.status());
    ASSERT_TRUE(self_intersections(test::present_surface(sim, "gel")).empty()) << n;
    EXPECT_GT(r.smallest_volume_ratio, 0);
    touching = std::max(touching, static_cast<int>(sim.contacts().size()));
    most = std::max(most, r.newton.iterations);
  }
  const Wrench w = sim.contact_wrench("gel");
  std::printf("FIGURE folded strip: up to %d contacts with itself, most iterations %d\n", touching,
              most);
  EXPECT_GT(touching, 5);
  EXPECT_LE(norm(w.force), 1e-12);
}

TEST(Layers, PairsThatNameLayersFilterAndSetContact) {
  // Two cubes fall on a floor; only those whose layer may touch it come to rest there.
  Scene s;
  s.sim.threads = 1;
  HalfSpace floor;
  floor.name = "floor";
  floor.group = "ground";
  s.half_spaces = {floor};
  for (int k = 0; k < 3; ++k) {
    AffineBody b;
    b.name = "cube" + std::to_string(k);
    b.group = k < 2 ? "ghosts" : "";
    b.surface = box({{0.01, 0.01, 0.01}});
    b.pose.p = {{0.1 * k, 0, 0.0051}};
    s.affine.push_back(b);
  }
  PairOptions ghosts;
  ghosts.a = "ghosts";
  ghosts.b = "ground";
  ghosts.enabled = false;
  PairOptions but;  // an entry that names a body is stronger
  but.a = "ground";
  but.b = "cube1";
  but.support = 5e-4;
  s.pairs = {ghosts, but};
  Sim sim(s);
  double gap = 1e300;
  for (int n = 0; n < 20; ++n) ASSERT_EQ(sim.step().status(), 0u);
  for (const ContactPoint& c : sim.contacts())
    if (sim.body_name(c.body_a) == "cube1") gap = std::min(gap, c.gap);
  EXPECT_LT(sim.affine_pose("cube0").p[2], -0.05);
  EXPECT_NEAR(sim.affine_pose("cube1").p[2], 0.005, 6e-4);
  EXPECT_NEAR(sim.affine_pose("cube2").p[2], 0.005, 1e-4);
  EXPECT_GT(gap, s.contact.support);  // its own support, not the scene's
  EXPECT_LT(gap, 5e-4);
}

TEST(Layers, NamesThatNothingHasAreRefused) {
  Scene s;
  AffineBody b;
  b.name = "cube";
  b.group = "props";
  b.surface = box({{0.01, 0.01, 0.01}});
  s.affine = {b};
  PairOptions p;
  p.a = "prop";
  p.b = "cube";
  s.pairs = {p};
  try {
    Sim sim(s);
    FAIL() << "accepted";
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("did you mean \"props\"?"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace haptos
