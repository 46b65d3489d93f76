// A ball pressed into gel pads: time per step against nodes and contacts, with the figures that
// make a time comparable: Newton iterations, residual, contacts, smallest gap.
//
//   bench_press [data folder] [steps]     prints one line per pad, and `FIGURE name = value unit`.
//
// With the folder of outside data the 139-node pad is timed too. One thread.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include "haptos/geometry/io/mesh_io.h"
#include "haptos/geometry/make/pads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/sim/sim.h"

namespace {

using namespace haptos;

struct Result {
  int nodes = 0, tets = 0, steps = 0, iterations = 0, projected = 0;
  std::size_t contacts = 0;
  double best = 1e300, mean = 0, gap = 1e300, residual = 0;
};

// Presses a ball of radius 4 mm to 1 mm in `steps` steps of 20 ms; the mesh's top is at z = 0.
Result press(const TetMesh& mesh, Element element, double facet, int steps) {
  Scene s;
  s.sim.dt = 0.02;
  s.sim.threads = 1;
  SoftBody gel;
  gel.name = "gel";
  gel.mesh = mesh;
  gel.element = element;
  double base = 1e300;
  for (const Vec3d& x : mesh.vertices) base = std::min(base, x[2]);
  Glue glue{"mount", {}};
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
    if (mesh.vertices[i][2] < base + 1e-6) glue.vertices.push_back(static_cast<int>(i));
  gel.glue = {glue};
  PrescribedBody mount, ball;
  mount.name = "mount";
  mount.trajectory = {{0, Pose{}}};
  ball.name = "ball";
  ball.surface = sphere_lower_cap(4e-3, 2e-3, facet);
  Pose start, end;
  start.p[2] = 4e-3 + 1.1 * s.contact.support;
  end.p[2] = 4e-3 - 1e-3;
  ball.trajectory = {{0, start}, {s.sim.dt * steps, end}};
  s.prescribed = {mount, ball};
  s.soft = {gel};
  Sim sim(s);
  Result r;
  r.nodes = static_cast<int>(sim.soft_model("gel").rest.vertices.size());
  r.tets = static_cast<int>(sim.soft_model("gel").rest.tets.size());
  r.steps = steps;
  for (int i = 0; i < steps; ++i) {
    const std::clock_t start = std::clock();
    const StepReport report = sim.step();
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    if (report.status() != 0) std::printf("step %d: status %u\n", i, report.status());
    r.iterations += report.newton.iterations;
    r.projected += report.newton.projected;
    r.best = std::min(r.best, seconds);
    r.mean += seconds / steps;
    r.gap = std::min(r.gap, report.newton.smallest_gap);
    r.residual = std::max(r.residual, report.newton.residual / report.newton.load);
    r.contacts = std::max(r.contacts, sim.contacts().size());
  }
  return r;
}

void print(const std::string& name, const Result& r) {
  std::printf(
      "%-26s %6d nodes %6d tets  %7.2f ms/step of one core (best %6.2f)  %4.1f Newton (%d "
      "projected)  "
      "%5zu contacts  gap %.1f um  residual %.0e\n",
      name.c_str(), r.nodes, r.tets, 1e3 * r.mean, 1e3 * r.best,
      static_cast<double>(r.iterations) / r.steps, r.projected, r.contacts, 1e6 * r.gap,
      r.residual);
  std::printf("FIGURE press.%s.step = %.3f ms\n", name.c_str(), 1e3 * r.mean);
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path data = argc > 1 ? argv[1] : "../shared/data";
  const int steps = argc > 2 ? std::atoi(argv[2]) : 50;
  const auto file = data / "pads" / "pad_20x25x4mm_139v.vtk";
  if (std::filesystem::exists(file)) {
    TetMesh mesh = read_volume(file);
    double top = -1e300, cx = 0, cy = 0;
    for (const Vec3d& x : mesh.vertices) {
      top = std::max(top, x[2]);
      cx += x[0] / static_cast<double>(mesh.vertices.size());
      cy += x[1] / static_cast<double>(mesh.vertices.size());
    }
    for (Vec3d& x : mesh.vertices) x -= Vec3d{{cx, cy, top}};
    print("pad139_linear", press(mesh, Element::kLinear, 0.5e-3, steps));
    print("pad139_composite", press(mesh, Element::kComposite, 0.5e-3, steps));
  } else {
    std::printf("outside pad not found at %s: skipped\n", file.c_str());
  }
  for (double size : {2e-3, 1.4e-3, 1e-3, 0.7e-3}) {
    PadGrading g;
    g.top_size = g.centre_size = size;
    g.base_size = g.rim_size = 2 * size;
    const Pad pad = box_pad(BoxPadShape{}, g);
    char name[40];
    std::snprintf(name, sizeof name, "box_%.1fmm_composite", 1e3 * size);
    print(name, press(pad.mesh, Element::kComposite, 0.3e-3, std::max(steps / 3, 2)));
  }
  return 0;
}
