// The surface of equal pressure on one thread, that of a nut also on two, per cell that it runs
// through; samples of a distance field; and the making of one of 30,000 triangles.
#include <benchmark/benchmark.h>

#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "haptos/base/parallel.h"
#include "haptos/geometry/make/screw_threads.h"
#include "haptos/geometry/make/shapes.h"
#include "haptos/geometry/pressure/pressure_surface.h"

namespace haptos {
namespace {

constexpr double kRigid = std::numeric_limits<double>::infinity();

Shape shape_of(const TriMesh& mesh) {
  Shape s;
  s.kind = ShapeKind::kMesh, s.mesh = std::make_shared<TriMesh>(mesh);
  return s;
}

void time(benchmark::State& state, const PressureSurface::Side& a, const PressureSurface::Side& b,
          int threads = 1) {
  set_thread_count(threads);
  PressureSurface surface;
  for (auto _ : state) surface.find(a, b);
  const auto invert = benchmark::Counter::kIsRate | benchmark::Counter::kInvert;
  const auto all = 1e-9 * static_cast<double>(state.iterations());
  state.counters["cells"] = surface.cut_cells();
  state.counters["patches"] = static_cast<double>(surface.patches().size());
  state.counters["ns_a_cell"] = benchmark::Counter(all * surface.cut_cells(), invert);
}

// An M20 nut that lies on its bolt, 2 um deep, fields of 128 cells.
void nut_on_bolt(benchmark::State& state) {
  const Thread thread{.allowance = 0.1e-3};
  static const DistanceField bolt(shape_of(iso_bolt(thread, 36e-3, 30e-3, 12.5e-3)), 128);
  static const DistanceField nut(shape_of(iso_nut(thread, 16e-3, 30e-3)), 128);
  const double lies = 7.5e-3 - 2 * thread.allowance / std::cos(std::numbers::pi / 6);
  time(state, {&nut, {{{0, 0, lies - 2e-6}}, {}}, 1e8}, {&bolt, {}, kRigid},
       static_cast<int>(state.range(0)));
}
BENCHMARK(nut_on_bolt)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

// A sphere as a mesh, a cell deep or three, fields of 64 cells, on a half-space and on its like.
void mesh_on_plane(benchmark::State& state) {
  static const DistanceField ball(shape_of(uv_sphere(0.05, 3e-3)), 64);
  Shape flat;
  flat.kind = ShapeKind::kHalfSpace;
  const DistanceField plane(flat);
  const double deep = 1e-3 * static_cast<double>(state.range(0));
  time(state, {&ball, {{{0, 0, 0.05 - deep}}, {}}, 1e8}, {&plane, {}, kRigid});
}
BENCHMARK(mesh_on_plane)->Arg(1)->Arg(5)->Unit(benchmark::kMicrosecond);

void mesh_on_mesh(benchmark::State& state) {
  static const DistanceField ball(shape_of(uv_sphere(0.05, 3e-3)), 64);
  const double deep = 1e-3 * static_cast<double>(state.range(0));
  time(state, {&ball, {{{0, 0, 0.1 - deep}}, {}}, 1e8}, {&ball, {}, 1e8});
}
BENCHMARK(mesh_on_mesh)->Arg(1)->Arg(5)->Unit(benchmark::kMicrosecond);

void box_on_plane(benchmark::State& state) {
  Shape cube, flat;
  cube.kind = ShapeKind::kBox, cube.size = {{0.05, 0.05, 0.05}};
  flat.kind = ShapeKind::kHalfSpace;
  const DistanceField box(cube), plane(flat);
  time(state, {&box, {{{0, 0, 0.05 - 1e-5}}, {}}, 1e8}, {&plane, {}, kRigid});
}
BENCHMARK(box_on_plane)->Unit(benchmark::kMicrosecond);

void sample(benchmark::State& state) {
  static const DistanceField ball(shape_of(uv_sphere(0.05, 3e-3)), 64);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<Vec3d> x;
  for (int i = 0; i < 4096; ++i)
    x.push_back(Vec3d{{0.048, 0, 0}} + 0.004 * Vec3d{{any(random), any(random), any(random)}});
  double sum = 0;
  for (auto _ : state)
    for (const Vec3d& p : x) sum += ball.phi(p);
  benchmark::DoNotOptimize(sum);
  state.counters["ns"] =
      benchmark::Counter(1e-9 * static_cast<double>(state.iterations() * 4096),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(sample)->Unit(benchmark::kMicrosecond);

// Two threads, where there are as many.
void make_field(benchmark::State& state) {
  set_thread_count(0);
  const TriMesh mesh = uv_sphere(0.05, 1.81e-3);
  for (auto _ : state) benchmark::DoNotOptimize(SampledField(mesh, 128).deepest());
  state.counters["triangles"] = static_cast<double>(mesh.triangles.size());
}
BENCHMARK(make_field)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace haptos
