// Time to read a tactile image from a deformed coat: depth alone, and depth with normals.
#include <benchmark/benchmark.h>

#include <cmath>

#include "haptos/base/parallel.h"
#include "haptos/sensors/depth.h"

namespace haptos {
namespace {

/// One measurement of a 25 x 20 mm coat pressed by a ball.
/// Arguments: quads across, quads along, normals (0 or 1), pinhole (0 or 1), threads.
void depth_image(benchmark::State& state) {
  const int nx = static_cast<int>(state.range(0)), ny = static_cast<int>(state.range(1));
  std::vector<Vec3d> rest;
  std::vector<Vec3i> coat;
  for (int j = 0; j <= ny; ++j)
    for (int i = 0; i <= nx; ++i) {
      const double skew = 0.1 * std::sin(3.0 * i + 5.0 * j) / nx;
      rest.push_back({{25e-3 * (static_cast<double>(i) / nx - 0.5 + skew),
                       20e-3 * (static_cast<double>(j) / ny - 0.5 + skew), 0}});
    }
  for (int j = 0; j < ny; ++j)
    for (int i = 0; i < nx; ++i) {
      const int a = j * (nx + 1) + i, b = a + 1, d = a + nx + 1, e = d + 1;
      coat.push_back({{a, b, e}});
      coat.push_back({{a, e, d}});
    }
  std::vector<Vec3d> now = rest;
  for (Vec3d& p : now) p[2] = -1e-3 * std::exp(-(p[0] * p[0] + p[1] * p[1]) / 8e-6);
  const auto camera = state.range(3) ? TactileCamera::pinhole(320, 240, 340, 0.0216)
                                     : TactileCamera::orthographic(320, 240, 6.34e-5);
  const DepthSensor sensor(camera, rest, coat);
  set_thread_count(static_cast<int>(state.range(4)));
  DepthImage image;
  DepthScratch scratch;
  for (auto _ : state) {
    sensor.measure(now, state.range(2) != 0, image, scratch);
    benchmark::DoNotOptimize(image.depth.data());
    benchmark::ClobberMemory();
  }
  set_thread_count(0);
  state.counters["triangles"] = static_cast<double>(coat.size());
}
BENCHMARK(depth_image)
    ->ArgNames({"nx", "ny", "normals", "pinhole", "threads"})
    ->Args({35, 28, 0, 0, 1})
    ->Args({35, 28, 1, 0, 1})
    ->Args({35, 28, 1, 1, 1})
    ->Args({72, 60, 0, 0, 1})
    ->Args({72, 60, 1, 0, 1})
    ->Args({35, 28, 1, 0, 2})
    ->Args({72, 60, 1, 0, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace haptos
