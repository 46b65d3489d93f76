// The contact patch test: two blocks with meshes that do not match, one pressed on the other. A
// contact that transmits a uniform pressure exactly leaves the exact solution of linear elasticity,
// sigma_zz = -p and nothing else, to the tolerance of the solver.
//
// Setting of the mortar potential's paper: blocks of 1 x 1 x .5 m, E 1000 Pa, nu 0, gap 2 mm,
// bottom fixed, the top block kept from moving sideways, 10 Pa on it, support 1 mm; meshes of its
// counts, 56 vertices and 125 tetrahedra below, 32 and 70 above, the meshes themselves our own.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "haptos/base/math/index.h"
#include "haptos/bodies/elastic/elastic_laws.h"
#include "haptos/contact/live/pairs/barrier_law.h"
#include "haptos/geometry/mesh/topology.h"
#include "tests/scenes/elastic_problem.h"

namespace haptos {
namespace {

constexpr double kPressure = 10, kYoung = 1000, kGap = 2e-3, kSupport = 1e-3;
const Vec3d kBlock{{1, 1, 0.5}};

struct Patch {
  double stiffness = 1e6;
  unsigned seed = 1;
  double tilt[2] = {0, 0};  // slopes of the interface
  double shear = 0;         // how far inner vertices of the interface are pushed aside
  int passes = 1, order = 2, model = 1;
  // Pressed from all sides instead, so that an interface may be tilted: sigma = -p in all
  // directions.
  bool all_round = false;
  bool print = false;  // stresses beside the interface, for scripts/plots/mortar_patch
};

struct PatchErrors {
  double normal = 0;    // largest |sigma_zz + p| / p; pressed from all sides, of all three
  double spurious = 0;  // largest other component [Pa]
  double gap = 0;       // smallest
  // Of the contact records, straight from the samples: pressure, relative, and area [m2].
  double records = 0, area = 0;
  int iterations = 0, status = 0;
};

// Splits edges until the mesh has so many vertices and tetrahedra: each at its middle, of those
// with as many tetrahedra around as are wanted for each vertex still to come one at random.
TetMesh split_to(TetMesh m, int vertices, int tets, unsigned seed) {
  test::Random random(seed);
  for (int left = vertices - static_cast<int>(m.vertices.size()); left > 0; --left) {
    std::map<std::array<int, 2>, int> around;
    for (const Vec4i& t : m.tets)
      for (int i = 0; i < 4; ++i)
        for (int k = 0; k < i; ++k) ++around[{std::min(t[i], t[k]), std::max(t[i], t[k])}];
    const int wanted = (tets - static_cast<int>(m.tets.size())) / left;
    std::vector<std::array<int, 2>> fits;
    for (const auto& [edge, count] : around)
      if (count == wanted) fits.push_back(edge);
    const auto [a, b] = fits.at(
        at_index(static_cast<int>((0.5 + 0.4999 * random()) * static_cast<double>(fits.size()))));
    const int middle = static_cast<int>(m.vertices.size());
    m.vertices.push_back(0.5 * (m.vertices[at_index(a)] + m.vertices[at_index(b)]));
    for (std::size_t t = m.tets.size(); t-- > 0;) {
      Vec4i other = m.tets[t];
      int *at_a = std::find(other.a, other.a + 4, a),
          *at_b = std::find(m.tets[t].a, m.tets[t].a + 4, b);
      if (at_a == other.a + 4 || at_b == m.tets[t].a + 4) continue;
      *at_a = middle;
      *at_b = middle;
      m.tets.push_back(other);
    }
  }
  return m;
}

SoftBody block(const std::string& name, const Vec3i& n, int vertices, int tets, unsigned seed,
               double bottom, bool above, const Patch& p) {
  SoftBody b;
  b.name = name;
  b.mesh = split_to(test::jittered_box(kBlock, n, 0.3, seed), vertices, tets, seed);
  // The interface is the plane z = tilt . x; heights shrink to it, so the other faces stay flat.
  for (Vec3d& x : b.mesh.vertices) {
    const double pi = 3.14159265358979323846;
    x[0] += p.shear * std::sin(pi * x[0]) * std::sin(pi * x[1]) * (above ? 1 : -1);
    const double share = above ? 1 - x[2] / kBlock[2] : x[2] / kBlock[2];
    x[2] += bottom + share * (p.tilt[0] * (x[0] - 0.5) + p.tilt[1] * (x[1] - 0.5));
  }
  b.element = Element::kLinear;
  b.material.young = kYoung;
  b.material.poisson = 0;
  b.material.law = static_cast<int>(ElasticLaw::kLinear);
  return b;
}

// The gap at which kappa d h(g / d) is the pressure.
double balanced_gap(double stiffness) {
  double low = 1e-9 * kSupport, high = kSupport;
  while (high - low > 1e-16 * kSupport + 1e-18) {
    const double g = 0.5 * (low + high);
    (-stiffness * barrier(g, kSupport).first > kPressure ? low : high) = g;
  }
  return low;
}

std::vector<int> plane(const SoftBody& b, int axis, double at) {
  return test::vertices_where(b.mesh,
                              [&](const Vec3d& x) { return std::abs(x[axis] - at) < 1e-9; });
}

// Holds a component of the vertices on a plane across an axis: by default the one across it.
void hold(SoftBody& b, int across, double at, int component = -1) {
  HeldVertices h;
  h.vertices = plane(b, across, at);
  h.axis[component < 0 ? across : component] = true;
  b.held.push_back(h);
}

// The pressure as a dead load on a plane face.
void load(SoftBody& b, int axis, double at) {
  NodalForce f;
  f.vertices = plane(b, axis, at);
  std::vector<int> number;  // not needed
  const TriMesh surface = boundary_surface(b.mesh, &number);
  double area = 0;
  for (const Vec3i& t : surface.triangles) {
    const Vec3d &x = surface.vertices[at_index(t[0])], &y = surface.vertices[at_index(t[1])],
                &z = surface.vertices[at_index(t[2])];
    if (std::max({std::abs(x[axis] - at), std::abs(y[axis] - at), std::abs(z[axis] - at)}) < 1e-9)
      area += 0.5 * norm(cross(y - x, z - x));
  }
  Vec3d force = Vec3d::zero();
  force[axis] = -kPressure * area;
  f.force = {{0.0, force}};
  f.spread = Spread::kArea;
  b.forces.push_back(f);
}

PatchErrors press(const Patch& p) {
  Scene s;
  s.sim.integrator = static_cast<int>(Integrator::kQuasiStatic);
  s.sim.pseudo_step = 1000;  // what has not met anything yet falls freely for so long
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.contact.model = p.model;
  s.contact.order = p.order;
  s.contact.passes = p.passes;
  s.contact.support = kSupport;
  s.contact.stiffness = p.stiffness;
  s.newton.force_tolerance = 1e-12;
  s.newton.force_floor = 0;
  s.newton.velocity_tolerance = 1e-9;
  SoftBody low = block("low", {{3, 3, 2}}, 56, 125, p.seed, 0, false, p);
  SoftBody high = block("high", {{2, 2, 2}}, 32, 70, p.seed + 100, kBlock[2] + kGap, true, p);
  EXPECT_EQ(low.mesh.vertices.size(), 56u);
  EXPECT_EQ(low.mesh.tets.size(), 125u);
  EXPECT_EQ(high.mesh.vertices.size(), 32u);
  EXPECT_EQ(high.mesh.tets.size(), 70u);
  const double top = 2 * kBlock[2] + kGap;
  if (p.all_round) {
    hold(low, 2, 0);
    for (SoftBody* b : {&low, &high})
      for (const int axis : {0, 1}) {
        hold(*b, axis, 0);
        load(*b, axis, 1);
      }
  } else {
    for (const int axis : {0, 1, 2}) hold(low, 2, 0, axis);
    for (const int axis : {0, 1}) {
      HeldVertices guided;
      guided.vertices = test::vertices_where(high.mesh, [](const Vec3d&) { return true; });
      guided.axis[axis] = true;
      high.held.push_back(guided);
    }
  }
  load(high, 2, top);
  // At rest the one interface lies off the other along its normal, so that no edge sticks out.
  const Vec3d off{{-p.tilt[0], -p.tilt[1], 1}};
  const double gap = balanced_gap(p.stiffness) / norm(off);
  high.pose.p = {{off[0] * gap, off[1] * gap, 0}};
  s.soft = {low, high};
  Sim sim(s);
  PatchErrors e;
  for (int k = 0; k < 1; ++k) {
    const StepReport r = sim.step();
    e.status |= static_cast<int>(r.status());
    e.iterations += r.newton.iterations;
  }
  e.gap = 1e300;
  double area = 0;
  for (const ContactPoint& c : sim.contacts()) {
    e.gap = std::min(e.gap, c.gap);
    area += c.area;
    e.records = std::max(e.records, std::abs(c.normal_force / (c.area * kPressure) - 1));
  }
  e.area = area;
  for (const char* name : {"low", "high"})
    for (const Mat3d& t : sim.soft_stress(name).element)
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k <= i; ++k) {
          if (i == k && (i == 2 || p.all_round))
            e.normal = std::max(e.normal, std::abs(t(i, i) + kPressure) / kPressure);
          else
            e.spurious = std::max(e.spurious, std::abs(t(i, k)));
        }
  if (p.print) {
    const std::vector<Mat3d> stress = sim.soft_stress("low").element;
    for (std::size_t t = 0; t < low.mesh.tets.size(); ++t) {
      std::vector<Vec3d> top;
      for (int k = 0; k < 4; ++k) {
        const Vec3d& x = low.mesh.vertices[at_index(low.mesh.tets[t][k])];
        if (x[2] > kBlock[2] - 1e-9) top.push_back(x);
      }
      if (top.size() != 3) continue;
      std::printf("face %d", p.model);
      for (const Vec3d& x : top) std::printf(" %.4f %.4f", x[0], x[1]);
      std::printf(" %.16g\n", stress[t](2, 2));
    }
  }
  return e;
}

void expect_exact(const Patch& p, const std::string& name) {
  const PatchErrors e = press(p);
  std::printf("FIGURE mortar_patch.%s.normal = %.2e\n", name.c_str(), e.normal);
  std::printf("FIGURE mortar_patch.%s.spurious = %.2e Pa\n", name.c_str(), e.spurious);
  std::printf("FIGURE mortar_patch.%s.iterations = %d\n", name.c_str(), e.iterations);
  EXPECT_EQ(e.status, 0) << name;
  EXPECT_LT(e.normal, 1e-6) << name;
  EXPECT_LT(e.spurious, 1e-6) << name;
  if (!p.all_round) {
    EXPECT_LT(e.records, 1e-6) << name;
    EXPECT_NEAR(e.area, kBlock[0] * kBlock[1], 1e-9) << name;
    std::printf("FIGURE mortar_patch.%s.gap = %.4e m\n", name.c_str(), e.gap);
    EXPECT_NEAR(e.gap, balanced_gap(p.stiffness), 1e-6 * kSupport) << name;
  }
}

TEST(MortarPatch, PressureIsExactThroughMeshesThatDoNotMatch) {
  for (const double stiffness : {1e4, 1e6, 1e8}) {
    Patch p;
    p.stiffness = stiffness;
    char name[16];
    std::snprintf(name, sizeof name, "%.0e", stiffness);
    expect_exact(p, name);
  }
}

TEST(MortarPatch, PressureIsExactThroughManyMeshesAndBothWays) {
  for (unsigned seed = 2; seed < 6; ++seed) {
    Patch p;
    p.seed = seed;
    p.passes = seed % 2 == 0 ? 2 : 1;
    expect_exact(p, "mesh" + std::to_string(seed) + (p.passes == 2 ? ".two_passes" : ""));
  }
}

TEST(MortarPatch, PressureIsExactThroughTiltedAndShearedInterfaces) {
  for (const int passes : {1, 2})
    for (const double slope : {0.0, 0.1, 0.4}) {
      Patch p;
      p.all_round = true;
      p.passes = passes;
      p.tilt[0] = slope;
      p.tilt[1] = -0.7 * slope;
      p.shear = 0.12;
      char name[40];
      std::snprintf(name, sizeof name, "tilt%.1f.passes%d", slope, passes);
      expect_exact(p, name);
    }
}

// Barrier contact on the same meshes, for comparison: its samples cannot be exact.
TEST(MortarPatch, BarrierContactLeavesAPrint) {
  Patch p;
  p.print = true;
  EXPECT_LT(press(p).normal, 1e-6);
  p.model = 0;
  const PatchErrors e = press(p);
  std::printf("FIGURE mortar_patch.barrier.normal = %.2e\n", e.normal);
  std::printf("FIGURE mortar_patch.barrier.spurious = %.2e Pa\n", e.spurious);
  EXPECT_GT(e.normal, 1e-3);
}

}  // namespace
}  // namespace haptos
