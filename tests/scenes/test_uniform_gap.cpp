// Pressure between surfaces whose meshes do not match: the total is kappa d h(t) times the area,
// nodes share it by their areas, and the collider's triangulation leaves no trace.
#include <array>
#include <cstdio>
#include <map>
#include <numeric>

#include "haptos/contact/live/barrier/barrier_term.h"
#include "haptos/contact/live/mortar/mortar_term.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "tests/scenes/round_press.h"

namespace haptos {
namespace {

constexpr double kSupport = 2e-5, kStiffness = 1.5e9;

TriMesh placed(TriMesh m, double turn, const Vec3d& p) {
  Pose x;
  x.q = rotation_by({{0, 0, turn}});
  x.p = p;
  for (Vec3d& v : m.vertices) v = x * v;
  return m;
}

// A slab whose lower face is at z = 0, wider than the pad, from two triangles to very many.
std::vector<TriMesh> slabs() {
  std::vector<TriMesh> all;
  for (const Vec3i& n :
       {Vec3i{{1, 1, 1}}, Vec3i{{3, 5, 1}}, Vec3i{{31, 29, 1}}, Vec3i{{70, 60, 1}}})
    for (const double turn : {0.0, 0.3})
      all.push_back(placed(box({{36e-3, 36e-3, 2e-3}}, n), turn, {{1e-4, -2e-4, 1e-3}}));
  return all;
}

struct NodalPressure {
  double total = 0;    // force along z [N]
  double scatter = 0;  // largest deviation of a node's force per area from the mean, relative
  double lateral = 0;  // largest lateral force per area, relative to the mean pressure
};

// Forces of the term on a flat soft surface at a gap below the slab, per node.
NodalPressure evaluate(const TriMesh& soft, const TriMesh& slab, double gap, int divisions,
                       bool mortar = false) {
  Points points;
  std::vector<int> s, c;
  int block = 0;
  for (const Vec3d& x : soft.vertices)
    s.push_back(points.add_node(block++, 0, 0, x - Vec3d{{0, 0, gap}}));
  for (const Vec3d& x : slab.vertices) c.push_back(points.add_driven(1, 0, x));
  points.finish_permanent();
  const ContactSurface a(soft, s, 0, 0, false), b(slab, c, 1, 0, true);
  LiveSetup setup;
  setup.support = kSupport;
  setup.stiffness = kStiffness;
  setup.divisions = divisions;
  const auto term = mortar ? make_mortar_term(&a, &b, setup) : make_barrier_term(&a, &b, setup);
  StepContext step;
  step.points = &points;
  term->prepare(step);
  term->refresh(points, Sampling::kAnew);
  Assembly assembly;
  assembly.reset(std::make_shared<BlockPattern>(std::vector<int>(soft.vertices.size(), 3)));
  assembly.begin(points, false, nullptr);
  assembly.set_factors(1, 1);
  Evaluation e;
  e.points = &points;
  e.assembly = &assembly;
  term->evaluate(e);
  NodalPressure r;
  double area = 0;
  for (std::size_t v = 0; v < soft.vertices.size(); ++v) {
    r.total += assembly.point_gradient()[v][2];
    area += a.rest.vertex_area[v];
  }
  for (std::size_t v = 0; v < soft.vertices.size(); ++v) {
    const Vec3d p = assembly.point_gradient()[v] * (area / (a.rest.vertex_area[v] * r.total));
    r.scatter = std::max(r.scatter, std::abs(p[2] - 1));
    r.lateral = std::max(r.lateral, std::hypot(p[0], p[1]));
  }
  return r;
}

TriMesh flat_top(const Pad& pad) {
  TriMesh top;
  top.triangles = pad.coat;
  std::vector<int> number(pad.mesh.vertices.size(), -1);
  for (Vec3i& t : top.triangles)
    for (int k = 0; k < 3; ++k) {
      int& n = number[static_cast<std::size_t>(t[k])];
      if (n < 0) {
        n = static_cast<int>(top.vertices.size());
        top.vertices.push_back(pad.mesh.vertices[static_cast<std::size_t>(t[k])]);
      }
      t[k] = n;
    }
  return top;
}

TEST(UniformGap, PressureDoesNotDependOnEitherMesh) {
  const std::vector<TriMesh> tops = {
      flat_top(box_pad(BoxPadShape{}, PadGrading{1e-3, 2e-3, 0.5e-3, 1.4e-3, 1.2})),
      flat_top(round_pad(10e-3, 4e-3, PadGrading::uniform(1e-3)))};
  double worst_total = 0, worst_scatter = 0, worst_mortar = 0;
  for (const TriMesh& top : tops) {
    double area = 0;
    for (const Vec3i& t : top.triangles) {
      auto x = [&](int k) { return top.vertices[static_cast<std::size_t>(t[k])]; };
      area += 0.5 * norm(cross(x(1) - x(0), x(2) - x(0)));
    }
    for (const TriMesh& slab : slabs())
      for (const int divisions : {1, 3})
        for (const double t : {0.9, 0.5, 0.1}) {
          const NodalPressure p = evaluate(top, slab, t * kSupport, divisions);
          const double expected = -kStiffness * barrier(t * kSupport, kSupport).first * area;
          worst_total = std::max(worst_total, std::abs(p.total / expected - 1));
          worst_scatter = std::max(worst_scatter, p.scatter);
          EXPECT_LE(p.lateral, 1e-9);
          if (divisions > 1) continue;
          const NodalPressure m = evaluate(top, slab, t * kSupport, 1, true);
          worst_mortar =
              std::max({worst_mortar, std::abs(m.total / expected - 1), m.scatter, m.lateral});
        }
  }
  std::printf("FIGURE uniform_gap.total_error = %.2e %%\n", 100 * worst_total);
  std::printf("FIGURE uniform_gap.nodal_scatter = %.2e %%\n", 100 * worst_scatter);
  std::printf("FIGURE uniform_gap.mortar = %.2e\n", worst_mortar);
  EXPECT_LE(worst_mortar, 1e-9);
  EXPECT_LE(worst_total, 1e-3);
  EXPECT_LE(worst_scatter, 0.02);
}

TEST(UniformGap, PressureOfAPressedColumnShowsNoTraceOfTheSlabsTriangles) {
  // A gel held from moving sideways and pressed by a slab takes it up uniformly; its nodes find
  // their own gaps. M = E (1 - nu) / ((1 + nu)(1 - 2 nu)) at small strain.
  std::vector<double> forces;
  for (const Vec3i& n : {Vec3i{{1, 1, 1}}, Vec3i{{37, 33, 1}}}) {
    Scene s;
    s.sim.gravity_z = 0;
    s.sim.dt = 0.1;
    s.newton.force_tolerance = 1e-6;
    BoxPadShape shape;
    shape.width = shape.depth = 8e-3;
    const Pad pad = box_pad(shape, PadGrading{1e-3, 2e-3, 0.8e-3, 1.4e-3, 1.2});
    SoftBody gel;
    gel.name = "gel";
    gel.mesh = pad.mesh;
    gel.material.poisson = 0.4;
    gel.glue.push_back({"base", pad.base_vertices});
    gel.held.resize(1);
    gel.held[0].axis[0] = gel.held[0].axis[1] = true;
    gel.held[0].vertices.resize(pad.mesh.vertices.size());
    std::iota(gel.held[0].vertices.begin(), gel.held[0].vertices.end(), 0);
    gel.element = Element::kLinear;  // so that `held` names every node
    PrescribedBody slab;
    slab.name = "slab";
    slab.surface = placed(box({{12e-3, 12e-3, 2e-3}}, n), 0.2, {{0, 0, 1e-3}});
    slab.trajectory = test::straight({{0, 0, 2.1e-5}}, {{0, 0, -4e-5}}, 0.2);
    s.soft = {gel};
    s.prescribed = {test::mount("base"), slab};
    Sim sim(s);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(sim.step().status(), 0u);
    // Force and area of each node: what its samples carry, by their weights. At the rim a sample's
    // area reaches down the side of the column, so nodes near it differ.
    std::map<int, std::array<double, 2>> nodes;
    std::map<int, Vec3d> position;
    double gap = 0, area = 0;
    for (const ContactPoint& c : sim.contacts()) {
      if (c.area == 0) continue;
      for (int k = 0; k < c.point_a.count; ++k) {
        std::array<double, 2>& sum_of = nodes[c.point_a.point[k]];
        sum_of[0] += c.normal_force * c.point_a.weight[k];
        sum_of[1] += c.area * c.point_a.weight[k];
        if (c.point_a.count == 1) position[c.point_a.point[k]] = c.p;
      }
      gap += c.gap * c.area;
      area += c.area;
    }
    double least = 1e300, most = 0, sum = 0;
    int inner = 0;
    for (const auto& [point, f] : nodes) {
      const Vec3d& x = position.at(point);
      if (std::max(std::abs(x[0]), std::abs(x[1])) > 2.5e-3) continue;
      least = std::min(least, f[0] / f[1]);
      most = std::max(most, f[0] / f[1]);
      sum += f[0] / f[1];
      ++inner;
    }
    ASSERT_GT(inner, 20);
    std::printf("FIGURE uniform_gap.column_scatter.%dx%d = %.3f %%\n", n[0], n[1],
                100 * (most / least - 1));
    EXPECT_LE(most / least, 1.02);
    const double strain = (4e-5 + gap / area) / 4e-3, modulus = 1e5 * 0.6 / (1.4 * 0.2);
    EXPECT_NEAR(sum / inner / (modulus * strain), 1, 0.02);
    forces.push_back(sim.contact_wrench("gel").force[2]);
  }
  EXPECT_NEAR(forces[1] / forces[0], 1, 0.01);
}

TEST(UniformGap, RemeshingTheIndenterChangesForceByLessThanOnePercent) {
  test::RoundPress p;
  p.grading = PadGrading{0.7e-3, 1.4e-3, 0.7e-3, 2.1e-3, 1.3};
  p.commands = {0.5e-3, 1.0e-3};
  std::vector<std::vector<test::RoundPressResult>> r;
  for (const double facet : {0.2e-3, 0.14e-3, 0.1e-3}) {
    p.facet = facet;
    r.push_back(press(p));
  }
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t i = 1; i < r.size(); ++i) {
      std::printf("FIGURE uniform_gap.remeshed_force_change.d%.2f = %+.3f %%\n",
                  1e3 * p.commands[k], 100 * (r[i][k].force / r[0][k].force - 1));
      EXPECT_NEAR(r[i][k].force / r[0][k].force, 1, 0.01);
    }
}

}  // namespace
}  // namespace haptos
