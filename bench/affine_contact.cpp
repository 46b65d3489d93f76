// Barrier contact between stiff bodies. A nut on a bolt: time of each verb of its term per
// candidate and per active pair, and of a whole step. Cubes spread out on a floor: time of a step
// against their number, which is that of pairs of bodies far apart. One thread.
//
//   bench_affine_contact [slices]     prints `FIGURE name = value unit`; the least of many slices.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "haptos/base/parallel.h"
#include "haptos/contact/live/barrier/barrier_term.h"
#include "haptos/contact/search/candidates.h"
#include "haptos/geometry/make/screw_threads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/sim/sim.h"

namespace {

using namespace haptos;

constexpr double kTurn = 6.283185307179586;

// Time of this thread, so that other work on the machine does not count [s].
double now() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The least time of f() in `slices` calls [s].
template <class F>
double least(int slices, const F& f) {
  double best = 1e300;
  for (int i = 0; i < slices; ++i) {
    const double start = now();
    f();
    best = std::min(best, now() - start);
  }
  return best;
}

struct Pair {
  Thread thread;
  TriMesh bolt, nut;
  double lift = 0;  // of the nut: on the lower flanks, half the support away [m]
};

Pair make_pair_of(int segments) {
  Pair p;
  p.thread.segments = segments;
  p.thread.allowance = 0.1e-3;
  p.bolt = iso_bolt(p.thread, 25e-3, 0, 0);
  p.nut = iso_nut(p.thread, 16e-3, 30e-3);
  p.lift = 2 * p.thread.pitch - (2 * p.thread.allowance - 0.06e-3) / std::cos(kTurn / 12);
  return p;
}

// The verbs of one term between the affine nut and the bolt, which turns by a degree in the step.
void verbs(const Pair& pair, int slices) {
  Points points;
  std::vector<int> of_nut, of_bolt;
  for (const Vec3d& v : pair.nut.vertices) {
    const Vec3d at = v + Vec3d{{0, 0, pair.lift}};
    of_nut.push_back(points.add_affine(0, 0, 0, at, v));
  }
  for (const Vec3d& v : pair.bolt.vertices) of_bolt.push_back(points.add_driven(1, 0, v));
  points.finish_permanent();
  const ContactSurface nut(pair.nut, of_nut, 0, 0, false), bolt(pair.bolt, of_bolt, 1, 0, true);
  const double turn = kTurn / 360, c = std::cos(turn), s = std::sin(turn);
  std::vector<Vec3d> dx(points.x.size(), Vec3d::zero());
  for (const int p : of_bolt) {
    const auto i = static_cast<std::size_t>(p);
    const Vec3d& x = points.x[i];
    points.x_target[i] = {{c * x[0] + s * x[1], -s * x[0] + c * x[1], x[2]}};
    dx[i] = points.x_target[i] - x;
  }
  LiveSetup setup;
  setup.support = 1e-4;
  setup.stiffness = 1e9;
  setup.divisions = suggested_divisions(nut, bolt);
  const auto term = make_barrier_term(&nut, &bolt, setup);
  StepContext context;
  context.h = context.b = 0.01;
  context.points = &points;
  term->prepare(context);
  term->refresh(points, Sampling::kAnew);
  Assembly assembly;
  assembly.reset(
      std::make_shared<BlockPattern>(std::vector<int>{12}, std::vector<std::array<int, 2>>{}));
  Evaluation energy, full;
  energy.points = full.points = &points;
  full.assembly = &assembly;
  const double t_prepare = least(slices, [&] { term->prepare(context); });
  const double t_refresh = least(slices, [&] { term->refresh(points, Sampling::kAnew); });
  const double t_energy = least(slices, [&] { term->evaluate(energy); });
  const double t_full = least(slices, [&] {
    assembly.begin(points, true, nullptr);
    term->evaluate(full);
  });
  double cap = 0;
  const double t_cap = least(slices, [&] { cap = term->max_step(points, dx, 1.0); });
  term->commit(context, points);
  const auto active = static_cast<double>(term->contacts().size());
  std::printf("segments %d: nut %zu triangles, bolt %zu, %g active pairs, gap %.1f um, cap %.3f\n",
              pair.thread.segments, pair.nut.triangles.size(), pair.bolt.triangles.size(), active,
              1e6 * term->report().smallest_gap, cap);
  const auto figure = [&](const char* name, double value, const char* unit) {
    std::printf("FIGURE affine_contact.%d.%s = %.4g %s\n", pair.thread.segments, name, value, unit);
  };
  BarrierCandidates near;
  const auto samples = surface_samples(nut, setup.divisions);
  std::vector<Aabb> boxes;
  for (int t = 0; t < static_cast<int>(bolt.triangles.size()); ++t)
    boxes.push_back(bolt.cell_box(points.x, t));
  find_candidates(nut, samples, owned_samples(nut, samples), bolt, Bvh(boxes), points.x, 4e-4,
                  false, near);
  const auto candidates =
      static_cast<double>(near.point_stencils.size() + near.edge_stencils.size());
  figure("candidates", candidates, "within 0.4 mm");
  figure("prepare", 1e3 * t_prepare, "ms");
  figure("refresh", 1e3 * t_refresh, "ms");
  figure("energy", 1e9 * t_energy / active, "ns/pair");
  figure("gradient_hessian", 1e9 * t_full / active, "ns/pair");
  figure("step_cap", 1e9 * t_cap / candidates, "ns/candidate");
}

struct Timing {
  double mean = 0, least = 1e300, residual = 0;
  int iterations = 0;
  std::size_t contacts = 0;
};

Timing time_steps(Scene scene, int skip, int steps) {
  scene.sim.threads = 1;
  Sim sim(scene);
  Timing t;
  for (int i = 0; i < skip + steps; ++i) {
    const double start = now();
    const StepReport r = sim.step();
    const double seconds = now() - start;
    if (r.status() != 0) std::printf("step %d: status %u\n", i, r.status());
    if (i < skip) continue;
    t.mean += seconds / steps;
    t.least = std::min(t.least, seconds);
    t.iterations += r.newton.iterations;
    t.residual = std::max(t.residual, r.newton.residual / r.newton.load);
    t.contacts = std::max(t.contacts, sim.contacts().size());
  }
  return t;
}

// The bolt turns by a degree a step under the nut, which two jaws hold and 20 N press down.
void turn(const Pair& pair, int steps) {
  Scene s;
  s.contact.support = 1e-4;
  AffineBody nut;
  nut.name = "nut";
  nut.surface = pair.nut;
  nut.pose.p[2] = pair.lift;
  nut.density = 7850;
  nut.stiffness = 1e9;
  nut.force = {{0, 0, -20}};
  s.affine = {nut};
  PrescribedBody bolt;
  bolt.name = "bolt";
  bolt.surface = pair.bolt;
  for (int k = 0; k < 3; ++k) {
    Keyframe f;
    f.time = 0.9 * k;
    f.pose.q = rotation_by({{0, 0, -kTurn / 4 * k}});
    bolt.trajectory.push_back(f);
  }
  s.prescribed = {bolt};
  for (const double side : {-1.0, 1.0}) {
    PrescribedBody jaw;
    jaw.name = side < 0 ? "left" : "right";
    jaw.surface = box({{5e-3, 20e-3, 24e-3}});
    Keyframe f;
    f.pose.p = {{side * 17.58e-3, 0, pair.lift + 9e-3}};
    jaw.trajectory = {f};
    s.prescribed.push_back(jaw);
  }
  const Timing t = time_steps(s, 5, steps);
  std::printf(
      "turn %d: %zu vertices, 12 degrees of freedom, %.1f ms/step (least %.1f), %.1f Newton, %zu "
      "contacts, residual %.0e\n",
      pair.thread.segments, pair.bolt.vertices.size() + pair.nut.vertices.size(), 1e3 * t.mean,
      1e3 * t.least, static_cast<double>(t.iterations) / steps, t.contacts, t.residual);
  std::printf("FIGURE affine_contact.%d.step = %.3f ms\n", pair.thread.segments, 1e3 * t.mean);
}

// n x n cubes at rest on a floor, each a pair with every other one, none near another.
void spread(int n) {
  Scene s;
  s.contact.support = 1e-4;
  for (int i = 0; i < n * n; ++i) {
    AffineBody b;
    b.name = "cube" + std::to_string(i);
    b.surface = box({{10e-3, 10e-3, 10e-3}});
    b.pose.p = {{15e-3 * (i % n), 15e-3 * (i / n), 5.09e-3}};
    s.affine.push_back(b);
  }
  HalfSpace floor;
  floor.name = "floor";
  s.half_spaces = {floor};
  const Timing t = time_steps(s, 5, 20);
  const int bodies = n * n, pairs = bodies * (bodies - 1) / 2;
  std::printf("spread %d bodies, %d pairs: %.3f ms/step, %.1f Newton, residual %.0e\n", bodies,
              pairs, 1e3 * t.mean, t.iterations / 20.0, t.residual);
  std::printf("FIGURE affine_contact.spread.%d.step = %.4f ms\n", bodies, 1e3 * t.mean);
  std::printf("FIGURE affine_contact.spread.%d.per_body = %.3f us\n", bodies,
              1e6 * t.mean / bodies);
}

}  // namespace

int main(int argc, char** argv) {
  const int slices = argc > 1 ? std::atoi(argv[1]) : 30;
  set_thread_count(1);
  for (const int segments : {36, 72}) verbs(make_pair_of(segments), slices);
  for (const int segments : {36, 72}) turn(make_pair_of(segments), std::max(slices, 5));
  for (const int n : {5, 10, 20}) spread(n);
  return 0;
}
