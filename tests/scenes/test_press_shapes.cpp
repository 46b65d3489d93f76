// Indenters with edges, corners, points, holes and curves pressed into gel pads. At every accepted
// step: nothing intersects (exact test), no tetrahedron is inverted, the step converged, the
// indenter is where it was sent, and what it pushes with is what the base carries.
#include <cstdio>

#include "haptos/base/text/status.h"
#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/mesh/mesh_edit.h"
#include "haptos/geometry/mesh/tet_refine.h"
#include "haptos/geometry/query/exact.h"
#include "tests/outside_data.h"
#include "tests/scenes/round_press.h"

namespace haptos {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSupport = 2e-5;

struct Press {
  TriMesh indenter;  // feature's top at its largest z
  TetMesh pad;
  Element element = Element::kComposite;
  double young = 1e5;     // [Pa]
  double depth = 1.5e-3;  // below the pad's highest point [m]
  int steps = 15;
  double yaw = 0;  // of the indenter about z [rad]
  int model = 0;   // of contact, a LiveModel
};

struct Outcome {
  int iterations = 0, most_iterations = 0;
  double smallest_ratio = 1, smallest_gap = 1e300, force = 0, imbalance = 0;
};

Aabb bounds(const std::vector<Vec3d>& x) {
  Aabb b;
  for (const Vec3d& v : x) b.merge(v);
  return b;
}

Outcome run(const Press& p) {
  Scene s;
  s.sim.dt = 0.1;
  s.sim.gravity_z = 0;
  s.sim.threads = 1;
  s.contact.support = kSupport;
  s.contact.model = p.model;
  const Aabb pad = bounds(p.pad.vertices);
  SoftBody gel;
  gel.name = "gel";
  gel.mesh = p.pad;
  gel.element = p.element;
  gel.material.young = p.young;
  gel.material.poisson = 0.48;
  gel.glue.push_back({"base", test::vertices_where(
                                  p.pad, [&](const Vec3d& x) { return x[2] < pad.lo[2] + 1e-7; })});
  PrescribedBody indenter;
  indenter.name = "indenter";
  indenter.surface = p.indenter;
  // Upside down, so that the feature points at the gel.
  const double top = bounds(p.indenter.vertices).hi[2];
  Pose start;
  start.q = rotation_by({{0, 0, p.yaw}}) * rotation_by({{kPi, 0, 0}});
  start.p = {{0.5 * (pad.lo[0] + pad.hi[0]), 0.5 * (pad.lo[1] + pad.hi[1]),
              pad.hi[2] + top + 1.001 * kSupport}};
  Pose end = start;
  end.p[2] = pad.hi[2] + top - p.depth;
  indenter.trajectory = {{0.0, start}, {0.1 * p.steps, end}};
  s.soft = {gel};
  s.prescribed = {test::mount("base"), indenter};

  Sim sim(s);
  const SoftModel& model = sim.soft_model("gel");
  Outcome o;
  for (int i = 0; i < p.steps; ++i) {
    const StepReport r = sim.step();
    SCOPED_TRACE("step " + std::to_string(i) + ": " + describe_status(r.status()));
    EXPECT_EQ(r.status(), 0u);
    EXPECT_EQ(r.newton.path, 1);
    EXPECT_EQ(r.missed, 0);
    EXPECT_GT(r.smallest_volume_ratio, 0);
    const std::vector<Vec3d> x = sim.soft_positions("gel");
    TriMesh surface, tool;
    surface.triangles = model.surface.triangles;
    for (const int v : model.surface_vertex)
      surface.vertices.push_back(x[static_cast<std::size_t>(v)]);
    tool.triangles = p.indenter.triangles;
    tool.vertices = sim.prescribed_positions("indenter");
    EXPECT_EQ(intersecting_pairs(surface, tool).size(), 0u);
    const Vec3d push = sim.contact_wrench("gel").force, base = sim.reaction("base").force,
                back = sim.reaction("indenter").force;
    EXPECT_LE(norm(push + back), 1e-9 * norm(push) + 1e-12);
    // No sum of forces is off by more than the residual; inertia is far below it at this speed.
    EXPECT_LE(norm(push - base), 1.1 * s.newton.force_tolerance * r.newton.load);
    EXPECT_LT(push[2], 0);
    o.iterations += r.newton.iterations;
    o.most_iterations = std::max(o.most_iterations, r.newton.iterations);
    o.smallest_ratio = std::min(o.smallest_ratio, r.smallest_volume_ratio);
    o.smallest_gap = std::min(o.smallest_gap, r.newton.smallest_gap);
    o.force = -push[2];
    o.imbalance = std::max(o.imbalance, norm(push - base) / norm(push));
    if (r.status() != 0) break;
  }
  return o;
}

void print(const std::string& name, const Outcome& o, int steps) {
  std::printf("FIGURE press.%s.iterations_per_step = %.1f\n", name.c_str(),
              static_cast<double>(o.iterations) / steps);
  std::printf("FIGURE press.%s.most_iterations = %d\n", name.c_str(), o.most_iterations);
  std::printf("FIGURE press.%s.smallest_volume_ratio = %.4f\n", name.c_str(), o.smallest_ratio);
  std::printf("FIGURE press.%s.smallest_gap = %.2e m\n", name.c_str(), o.smallest_gap);
  std::printf("FIGURE press.%s.force = %.4f N\n", name.c_str(), o.force);
}

TetMesh box(double h) {
  return box_pad(BoxPadShape{}, PadGrading{h, 1.5 * h, h, 1.5 * h, 1.2}).mesh;
}
TetMesh mini(double h) {
  return box_pad(mini_pad_shape(), PadGrading{h, 1.5 * h, h, 1.5 * h, 1.2}).mesh;
}

TEST(PressShapes, BallGoesInWithoutIntersectionOrInversion) {
  Press p;
  p.indenter = make_shape("sphere");
  p.pad = mini(1.6e-3);
  for (const int model : {0, 1}) {
    SCOPED_TRACE(model == 1 ? "mortar" : "barrier");
    p.model = model;
    EXPECT_LE(run(p).most_iterations, 40);
  }
}

TEST(PressShapes, PrismWithSharpEdgesAndCornersGoesInWithoutIntersectionOrInversion) {
  Press p;
  p.indenter = make_shape("prism");
  p.pad = box(1.6e-3);
  p.young = 2e5;
  p.yaw = 0.3;
  for (const int model : {0, 1}) {
    SCOPED_TRACE(model == 1 ? "mortar" : "barrier");
    p.model = model;
    EXPECT_LE(run(p).most_iterations, 60);
  }
}

TEST(PressShapes, ConeWithAPointGoesInWithoutIntersectionOrInversion) {
  Press p;
  p.indenter = make_shape("cone");
  p.pad = box(1.6e-3);
  p.young = 435e3;
  for (const int model : {0, 1}) {
    SCOPED_TRACE(model == 1 ? "mortar" : "barrier");
    p.model = model;
    EXPECT_LE(run(p).most_iterations, 40);
  }
}

// A cube on its face, its edge and its corner, and a wedge, each with a flat block behind so that
// its highest place is at z = 0.
TriMesh turned_up(TriMesh m, const Vec3d& by) {
  const Mat3d R = to_matrix(rotation_by(by));
  for (Vec3d& x : m.vertices) x = R * x;
  const double top = bounds(m.vertices).hi[2];
  for (Vec3d& x : m.vertices) x[2] -= top;
  return m;
}

TEST(FullSharpPress, CubesAndWedgesAreNotCutOnCoarseElements) {
  const Vec3d cube{{6e-3, 6e-3, 6e-3}};
  const std::pair<const char*, TriMesh> tools[] = {
      {"cube_face", turned_up(box(cube), {{0, 0, 0}})},
      {"cube_edge", turned_up(box(cube), {{kPi / 4, 0, 0}})},
      {"cube_corner", turned_up(box(cube), {{kPi / 4, 0.6155, 0}})},
      {"wedge", turned_up(box(Vec3d{{5e-3, 9e-3, 5e-3}}), {{0, 0.5, 0}})}};
  for (const auto& [name, tool] : tools) {
    double force[2] = {};
    for (const int model : {0, 1}) {
      SCOPED_TRACE(std::string(name) + (model == 1 ? ", mortar" : ", barrier"));
      Press p;
      p.indenter = tool;
      p.pad = box(1.2e-3);
      p.young = 2e5;
      p.yaw = 0.3;
      p.model = model;
      const Outcome o = run(p);
      print(std::string(name) + (model == 1 ? ".mortar" : ".barrier"), o, p.steps);
      EXPECT_LE(o.most_iterations, 60);
      force[model] = o.force;
    }
    EXPECT_NEAR(force[1], force[0], 0.01 * force[0]) << name;
  }
}

// Shape, pad, resolution. Names ending in .stl are outside data.
using FullCase = std::tuple<std::string, std::string, int>;

class FullPressShapes : public testing::TestWithParam<FullCase> {};

TEST_P(FullPressShapes, GoesInWithoutIntersectionOrInversion) {
  const auto& [shape, pad, resolution] = GetParam();
  Press p;
  p.young = std::array<double, 3>{1e5, 2e5, 435e3}[static_cast<std::size_t>(resolution)];
  if (shape.ends_with(".stl")) {
    HAPTOS_OUTSIDE_FILE(path, "shapes/" + shape);
    MeshReadOptions options;
    options.scale = 1e-3;
    p.indenter = read_surface(path, options);
    weld(p.indenter, 1e-7);
  } else {
    p.indenter = make_shape(shape);
  }
  if (pad == "outside") {
    HAPTOS_OUTSIDE_FILE(path, "pads/pad_20x25x4mm_139v.vtk");
    p.pad = read_volume(path);
    if (resolution == 0) p.element = Element::kLinear;
    if (resolution == 2) p.pad = refine(p.pad).mesh;
  } else {
    const double h =
        std::array<double, 3>{2e-3, 1.4e-3, 1e-3}[static_cast<std::size_t>(resolution)];
    p.pad = pad == "box" ? box(h) : mini(h);
  }
  print(shape + "." + pad + "." + std::to_string(resolution), run(p), p.steps);
}

std::vector<std::string> all_shapes() {
  std::vector<std::string> all = shape_names();
  for (const char* name : {"cone", "cross_lines", "curved_surface", "cylinder", "cylinder_shell",
                           "cylinder_side", "dot_in", "flat_slab", "hexagon", "line",
                           "parallel_lines", "prism", "sphere", "sphere2", "triangle"})
    all.push_back(std::string(name) + ".stl");
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, FullPressShapes,
                         testing::Combine(testing::ValuesIn(all_shapes()),
                                          testing::Values("box", "mini", "outside"),
                                          testing::Range(0, 3)),
                         [](const testing::TestParamInfo<FullCase>& info) {
                           std::string n = std::get<0>(info.param) + "_" + std::get<1>(info.param) +
                                           "_" + std::to_string(std::get<2>(info.param));
                           for (char& c : n)
                             if (c == '.') c = '_';
                           return n;
                         });

}  // namespace
}  // namespace haptos
