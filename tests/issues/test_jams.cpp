// Contact that costs a step dear: what lies far apart is moved in few iterations, the matrix stays
// sparse where a surface lies near itself, and jams and sheets converge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "haptos/base/text/status.h"
#include "haptos/contact/search/candidates.h"
#include "haptos/geometry/make/shapes.h"
#include "tests/scenes/soft_scenes.h"

namespace haptos {
namespace {

AffineBody cube(const char* name, const Vec3d& p, const Vec3d& velocity) {
  AffineBody b;
  b.name = name;
  b.surface = box({{0.02, 0.02, 0.02}});
  b.pose.p = p;
  b.velocity = velocity;
  return b;
}

PrescribedBody plate(const char* name, const Vec3d& size, const Vec3d& p) {
  PrescribedBody b;
  b.name = name;
  b.surface = box(size);
  b.trajectory = test::straight(p, p, 1);
  return b;
}

// One cube strikes at once, which cuts the first guess of all bodies short; the other one slides
// along a plate for a metre. A search for contacts that is wide by a tenth of the cube's size let
// it go by 3 mm an iteration.
TEST(Jams, WhatSlidesFarBesideAnImpactDoesSoInFewIterations) {
  Scene s;
  s.sim.dt = 0.05;
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.contact.support = 1e-4;
  s.affine = {cube("strikes", {{0, 0, 0.0101}}, {{0, 0, -20}}),
              cube("slides", {{-0.9, 0.5, 0.01009}}, {{20, 0, 0}})};
  s.prescribed = {plate("anvil", {{0.1, 0.1, 0.02}}, {{0, 0, -0.01}}),
                  plate("bench", {{2.2, 0.1, 0.02}}, {{0, 0.5, -0.01}})};
  Sim sim(s);
  const StepReport r = sim.step();
  EXPECT_EQ(r.status(), 0u) << describe_status(r.status());
  EXPECT_EQ(r.parts, 1);
  EXPECT_LT(r.newton.iterations, 60);  // 1 m at .1 times the cube's diagonal: 290 and more
  EXPECT_NEAR(sim.affine_pose("slides").p[0], 0.1, 1e-3);
}

// A sheet of n x n cells in two leaves, `gap` apart.
TriMesh two_leaves(int n, double cell, double gap) {
  TriMesh m;
  for (int leaf = 0; leaf < 2; ++leaf) {
    const int first = static_cast<int>(m.vertices.size());
    for (int j = 0; j <= n; ++j)
      for (int i = 0; i <= n; ++i) m.vertices.push_back({{cell * i, cell * j, leaf * gap}});
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        const int a = first + j * (n + 1) + i, b = a + n + 1;
        m.triangles.push_back({{a, a + 1, b + 1}});
        m.triangles.push_back({{a, b + 1, b}});
      }
  }
  return m;
}

TEST(Jams, CandidatesOfAWideSearchDoNotFillTheMatrix) {
  constexpr int kCells = 12;
  constexpr double kCell = 1e-3, kGap = 2e-4;
  const TriMesh mesh = two_leaves(kCells, kCell, kGap);
  Points points;
  std::vector<int> number;
  for (const Vec3d& x : mesh.vertices)
    number.push_back(points.add_node(static_cast<int>(number.size()), 0, 0, x));
  points.begin_step();
  points.x = points.x_start;
  const ContactSurface surface(mesh, number, 0, 0, false);
  const std::vector<SurfaceSample> samples = surface_samples(surface, 1);
  std::vector<Aabb> boxes;
  boxes.reserve(static_cast<std::size_t>(surface.cell_count()));
  for (int c = 0; c < surface.cell_count(); ++c) boxes.push_back(surface.cell_box(points.x, c));
  Bvh tree(boxes);
  BarrierCandidates wide;
  find_candidates(surface, samples, owned_samples(surface, samples), surface, tree, points.x,
                  10 * kCell, false, wide);
  std::vector<std::array<int, 2>> all, near;
  candidate_couplings(wide, samples, surface, surface, points, Aabb::kInf, all);
  candidate_couplings(wide, samples, surface, surface, points, 1.5 * kGap, near);
  // Whatever of the other leaf is within reach is there: every vertex and the one opposite to it.
  const int leaf = static_cast<int>(mesh.vertices.size()) / 2;
  for (int v = 0; v < leaf; ++v)
    EXPECT_TRUE(std::binary_search(near.begin(), near.end(), std::array{v + leaf, v})) << v;
  // A vertex meets what is within two cells of it: 25 of its own leaf and 25 of the other.
  EXPECT_LT(near.size(), mesh.vertices.size() * 25);
  EXPECT_GT(all.size(), 4 * near.size());
}

struct Cost {
  int steps = 0, bad = 0, iterations = 0, most = 0;
  double seconds = 0, longest = 0;  // of the processor
};
void run(const Scene& scene, int steps, Cost& all) {
  Sim sim(scene);
  for (int n = 0; n < steps; ++n) {
    const std::clock_t start = std::clock();
    const StepReport r = sim.step();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    ++all.steps;
    all.bad += r.status() != 0;
    all.iterations += r.newton.iterations;
    all.most = std::max(all.most, r.newton.iterations);
    all.seconds += seconds;
    all.longest = std::max(all.longest, seconds);
  }
}
void print(const char* name, const Cost& c) {
  std::printf("FIGURE %s.steps = %d, with a status %d\n", name, c.steps, c.bad);
  std::printf("FIGURE %s.iterations = %.1f a step, most %d\n", name,
              static_cast<double>(c.iterations) / c.steps, c.most);
  std::printf("FIGURE %s.seconds = %.3f a step, most %.2f\n", name, c.seconds / c.steps, c.longest);
}

// Two layers of blocks and balls, pushed together by two walls to where they no longer fit.
Scene jam(unsigned seed) {
  const auto random = [&seed](double a, double b) {
    seed = seed * 1664525u + 1013904223u;
    return a + (b - a) * (seed / 4294967296.0);
  };
  constexpr int kRow = 3;
  constexpr double kSize = 0.01, kApart = 0.0165, kTime = 0.3;
  Scene s;
  s.sim.threads = 1;
  s.contact.support = 1e-4;
  for (int k = 0; k < 2 * kRow * kRow; ++k) {
    AffineBody b;
    b.name = "b" + std::to_string(k);
    b.surface = random(0, 3) < 2 ? box({{kSize, kSize * random(0.6, 1), kSize * random(0.6, 1)}})
                                 : icosphere(kSize / 2, kSize / 4);
    const int layer = k / (kRow * kRow);
    b.pose.p = {{(k % kRow - 1) * kApart, (k / kRow % kRow - 1) * kApart, 0.01 + kApart * layer}};
    b.pose.q = rotation_by({{random(-0.6, 0.6), random(-0.6, 0.6), random(-0.6, 0.6)}});
    b.friction.sticking = 0.5;
    s.affine.push_back(b);
  }
  s.prescribed = {plate("floor", {{0.2, 0.2, 0.01}}, {{0, 0, -0.0055}})};
  const double reach = kRow * kApart / 2 + 0.003;
  for (const int side : {-1, 1}) {
    PrescribedBody wall;
    wall.name = side < 0 ? "left" : "right";
    wall.surface = box({{0.01, 0.2, 0.08}});
    wall.trajectory = test::straight({{side * (reach + 0.005), 0, 0.0402}},
                                     {{side * (0.62 * reach + 0.005), 0, 0.0402}}, kTime);
    s.prescribed.push_back(wall);
  }
  for (PrescribedBody& p : s.prescribed) p.friction.sticking = 0.5;
  return s;
}

// A sheet of gel that walls crumple.
Scene sheet(double friction, double wave) {
  constexpr double kLength = 0.04, kTime = 0.5;
  Scene s;
  s.sim.threads = 1;
  s.contact.support = 1e-4;
  BoxPadShape shape;
  shape.width = kLength;
  shape.depth = 0.0125;
  shape.thickness = 0.001;
  SoftBody gel;
  gel.name = "sheet";
  gel.mesh = box_pad(shape, 16, 5, 1).mesh;
  for (Vec3d& x : gel.mesh.vertices) x[2] += 4e-4 * std::sin(300 * x[0] + wave);
  gel.material.young = 1e5;
  gel.material.poisson = 0.4;
  gel.material.density = 1000;
  gel.material.stiffness_damping = 0.002;
  gel.friction.sticking = friction;
  gel.self_contact = true;
  gel.pose.p = {{0, 0, 0.005}};
  s.soft = {gel};
  s.prescribed = {plate("floor", {{0.1, 0.1, 0.01}}, {{0, 0, -0.005}})};
  for (const int side : {-1, 1}) {
    PrescribedBody wall;
    wall.name = side < 0 ? "left" : "right";
    wall.surface = box({{0.01, 0.03, 0.03}});
    wall.trajectory = test::straight({{side * (kLength / 2 + 0.0051), 0, 0.0152}},
                                     {{side * 0.011, 0, 0.0152}}, kTime);
    s.prescribed.push_back(wall);
  }
  for (PrescribedBody& p : s.prescribed) p.friction.sticking = friction;
  return s;
}

TEST(FullJams, JamsOfBlocksConverge) {
  Cost all;
  for (unsigned seed = 1; seed <= 10; ++seed) run(jam(seed), 30, all);
  print("jams", all);
  EXPECT_LE(all.bad, all.steps / 20);
}

TEST(FullJams, CrumpledSheetsConverge) {
  Cost all;
  for (int k = 0; k < 6; ++k) run(sheet(k % 2 ? 0.3 : 0.6, k), 60, all);
  print("sheets", all);
  EXPECT_LE(all.bad, all.steps / 20);
}

}  // namespace
}  // namespace haptos
